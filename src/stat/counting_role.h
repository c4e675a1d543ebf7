/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat/counting_role.h - what metrics know an event as: event/event.h's attrs in the words of
 * model/counts.h.
 */
#ifndef PMUTRACE_STAT_COUNTING_ROLE_H
#define PMUTRACE_STAT_COUNTING_ROLE_H

#include <linux/perf_event.h>

#include "model/counts.h"

enum count_role counting_role(const struct perf_event_attr *attr);

#endif
