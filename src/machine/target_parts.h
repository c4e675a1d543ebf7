/* SPDX-License-Identifier: BSD-2-Clause */
/* machine/target_parts.h - what target.c and target_cgroups.c share. */
#ifndef PMUTRACE_MACHINE_TARGET_PARTS_H
#define PMUTRACE_MACHINE_TARGET_PARTS_H

#include "machine/target.h"

/* Says it. @err, or -ENOMEM. */
int target__refuse(int err, struct buf *why, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
