/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/calls_events.h - events counted for each call, and the values that a call has.
 *
 * What the scheduler does is counted where it does it, and exact: a perf event counts a switch
 * after the task's account is closed. So task-clock, cpu-clock, context-switches and cpu-migrations
 * are those of the session; all others are perf events that count on each CPU.
 */
#ifndef PMUTRACE_PLAN_CALLS_EVENTS_H
#define PMUTRACE_PLAN_CALLS_EVENTS_H

#include "plan/calls_plan.h"

/*
 * plan->events and plan->metrics, in the order of enum func_value and on, as far as they are known
 * (plan->known). @events: borrowed; NULL: none. 0; -EINVAL: one cannot be counted so; -ENOMEM.
 */
int calls_plan__events(struct calls_plan *plan, const struct perf_events *events,
		       struct buf *why) must_check;

#endif
