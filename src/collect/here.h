/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/here.h - which machine it is that a profile is collected on.
 */
#ifndef PMUTRACE_COLLECT_HERE_H
#define PMUTRACE_COLLECT_HERE_H

#include <stdint.h>

#include "base/array.h"

struct profile;

/* Fills p->about but for the time; what cannot be read stays unknown. 0 or -ENOMEM. */
int here__describe(struct profile *p) must_check;

/* The time of day, ns since 1970. */
uint64_t here__now_ns(void);

#endif
