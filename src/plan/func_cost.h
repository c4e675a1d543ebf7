/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/func_cost.h - what measuring a call costs by itself, on this machine.
 *
 * An empty function of this program is called and measured as any other. What its calls show is
 * what probes and programs add to each: part of it before and after is not seen in the call, but by
 * its caller. Kernel functions have other probes, whose cost this is not.
 */
#ifndef PMUTRACE_PLAN_FUNC_COST_H
#define PMUTRACE_PLAN_FUNC_COST_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "plan/returns.h"
#include "probe/func.h"

struct func_cost {
	uint64_t nr_calls;
	/* Of a call, in the order of a plan's metrics: means of the cheapest of some rounds. */
	double means[FUNC_VALUES_MAX];
	uint64_t each[FUNC_VALUES_MAX]; /* rounded down: for collector__subtract() */
	double caller_ns;		/* how much later the call returns to its caller */
	double plain_ns;		/* when it is not measured */
};

/*
 * Takes some 100 ms. @events: counted for each call. @way: RETURNS_DECODE: of functions whose
 * returns are seen so; else of return probes. 0; -errno with @why.
 */
int func_cost__measure(struct func_cost *out, const struct perf_events *events,
		       enum returns_way way, struct buf *why) must_check;

#endif
