/* SPDX-License-Identifier: BSD-2-Clause */
/* perf/target_parts.h - what target.c and target_cgroups.c share. */
#ifndef PMUTRACE_PERF_TARGET_PARTS_H
#define PMUTRACE_PERF_TARGET_PARTS_H

#include "perf/target.h"

/* Says it. @err, or -ENOMEM. */
int target__refuse(int err, struct buf *why, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
