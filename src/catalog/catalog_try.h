/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * catalog/catalog_try.h - whether an event can be opened here, by opening it.
 */
#ifndef PMUTRACE_CATALOG_CATALOG_TRY_H
#define PMUTRACE_CATALOG_CATALOG_TRY_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "model/catalog.h"

/* What a failed perf_event_open(2) says about an event: UNKNOWN where it says nothing (EMFILE). */
enum catalog_state catalog_state_of(int err);

/*
 * Opens the event for a moment, disabled, on @pid and @cpu as in perf_event_open(2). *err: 0, or
 * the -errno that the state was made of.
 */
enum catalog_state catalog_try(const struct perf_event_attr *attr, pid_t pid, int cpu, int *err);

/*
 * The same for this process. Where the kernel's part is not permitted: for user code alone, unless
 * the event happens in the kernel only and that would be 0.
 */
enum catalog_state catalog_try_own(const struct perf_event_attr *attr);

#endif
