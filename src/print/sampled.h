/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/sampled.h - what samples of an event stand for, where a format wants one number of it.
 */
#ifndef PMUTRACE_PRINT_SAMPLED_H
#define PMUTRACE_PRINT_SAMPLED_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "model/profile.h"

/* Events that a sample stands for: as asked for, or else on average. @weights: events have any. */
uint64_t sampled__period(const struct profile_event *e, bool weights);

/* Events that lost samples may have come to: as many as those that are there, on average. */
uint64_t sampled__lost_weight(const struct profile_event *e, const struct loss *loss);

#endif
