/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup/resolve.h - names of symbols in event specs, looked up in the running kernel and in
 * files.
 */
#ifndef PMUTRACE_LOOKUP_RESOLVE_H
#define PMUTRACE_LOOKUP_RESOLVE_H

#include "event/event.h"

/* For perf_events__parse(): /proc/kallsyms, ELF files by path or by name ("libc", "bash"). */
extern const struct perf_event_env resolve_env;

/* The same; files are read by @reader: lookup/lookup_reader.h. Borrowed; NULL: by this process. */
struct perf_event_env resolve__by(struct lookup_reader *reader);

#endif
