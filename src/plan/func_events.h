/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/func_events.h - events counted for each call, and the values that a call has.
 *
 * task-clock, cpu-clock, context-switches and cpu-migrations are counted by the session's programs,
 * at sched_switch, which is exact: a perf event counts a switch after the task's account is closed.
 * All others are perf events that count on each CPU.
 */
#ifndef PMUTRACE_PLAN_FUNC_EVENTS_H
#define PMUTRACE_PLAN_FUNC_EVENTS_H

#include "plan/func_plan.h"

/*
 * Fills plan->events and plan->metrics, in the order of enum func_value, then of events, as far as
 * plan->known allows. @events: borrowed; NULL: none. 0; -EINVAL: one cannot be counted for calls;
 * -ENOMEM.
 */
int func_plan__events(struct func_plan *plan, const struct perf_events *events,
		      struct buf *why) must_check;

#endif
