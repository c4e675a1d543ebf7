// SPDX-License-Identifier: BSD-2-Clause
/* Writes what tasks use as families: of each kind of things, then what is to be said of all. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "serve/exposition.h"
#include "serve/task_metrics_state.h"

static void put_labels(const struct task_view *v, const struct metric_member *of,
		       struct exposition *x)
{
	char id[32] = "other";

	if (v->by == LIVE_CGROUPS) {
		exposition__label(x, v->id_label, of ? of->name : "other");
		exposition__label(x, v->name_label, of ? of->detail : "");
	} else {
		if (of)
			snprintf(id, sizeof(id), "%" PRIu64, of->number);
		exposition__label(x, v->id_label, id);
		exposition__label(x, v->name_label, of ? of->name : "");
	}
}

/* The @i-th of a view's series, the others behind the members; NULL in @of. */
static const uint64_t *values_of(const struct task_view *v, size_t i,
				 const struct metric_member **of)
{
	static const uint64_t nothing[LIVE_VALUES];

	*of = i < v->members.nr ? &v->members.items[i] : NULL;
	if (*of)
		return (*of)->values;
	return v->members.others ? v->members.others : nothing;
}

static void put_numbers(const struct task_view *v, struct exposition *x)
{
	const struct metric_member *of;

	exposition__family(x, v->family[CPU_SECONDS], METRIC_COUNTER, "Time on CPUs");
	for (size_t i = 0; i <= v->members.nr; i++) {
		const uint64_t *values = values_of(v, i, &of);

		put_labels(v, of, x);
		exposition__double(x, (double)values[LIVE_TIME] / 1e9);
	}
	exposition__family(x, v->family[SWITCHES], METRIC_COUNTER, "Times switched off a CPU");
	for (size_t i = 0; i <= v->members.nr; i++) {
		const uint64_t *values = values_of(v, i, &of);

		put_labels(v, of, x);
		exposition__u64(x, values[LIVE_SWITCHES]);
	}
}

/*
 * Events of one name are one: of several PMUs, as CPUs of two kinds have, or asked for twice. The
 * first of them; what is the same event again counts nothing more.
 */
static bool is_first(const struct task_metrics *t, size_t event)
{
	for (size_t e = 0; e < event; e++)
		if (!strcmp(t->specs[e].name, t->specs[event].name))
			return false;
	return true;
}

static bool is_again(const struct task_metrics *t, size_t event)
{
	const struct perf_event_spec *x = &t->specs[event];

	for (size_t e = 0; e < event; e++)
		if (!strcmp(t->specs[e].name, x->name) && t->specs[e].attr.type == x->attr.type &&
		    t->specs[e].attr.config == x->attr.config)
			return true;
	return false;
}

static bool is_part_of(const struct task_metrics *t, size_t event, size_t first)
{
	return event >= first && !strcmp(t->specs[event].name, t->specs[first].name) &&
	       !is_again(t, event);
}

/* Of the event that begins at @first. One that was never on a counter has no value. */
static bool has_value(const struct task_metrics *t, size_t first)
{
	for (size_t e = first; e < task_metrics__about(t)->nr_events; e++)
		if (is_part_of(t, e, first) && !task_metrics__about(t)->events[e].why &&
		    t->times[e].running_ns)
			return true;
	return false;
}

static void put_value(const struct task_metrics *t, size_t first, const uint64_t *values,
		      struct exposition *x)
{
	const struct live_event *event = &task_metrics__about(t)->events[first];
	uint64_t sum = 0;

	for (size_t e = first; e < task_metrics__about(t)->nr_events; e++)
		if (is_part_of(t, e, first))
			sum += values[LIVE_EVENTS + e];
	if (live_event__scale(event) == 1)
		exposition__u64(x, sum);
	else
		exposition__double(x, (double)sum * live_event__scale(event));
}

static void put_events(const struct task_metrics *t, const struct task_view *v,
		       struct exposition *x)
{
	const struct live_about *a = task_metrics__about(t);
	bool has_family = false;

	for (size_t e = 0; e < a->nr_events; e++) {
		if (!is_first(t, e) || !has_value(t, e))
			continue;
		if (!has_family)
			exposition__family(x, v->family[EVENTS], METRIC_COUNTER,
					   "Events that were counted while it ran");
		has_family = true;
		for (size_t i = 0; i <= v->members.nr; i++) {
			const struct metric_member *of;
			const uint64_t *values = values_of(v, i, &of);

			put_labels(v, of, x);
			exposition__label(x, "event", a->events[e].name);
			put_value(t, e, values, x);
		}
	}
}

void task_metrics__put_view(const struct task_metrics *t, const struct task_view *v,
			    struct exposition *x)
{
	put_numbers(v, x);
	put_events(t, v, x);
	exposition__gauge(x, v->family[SERIES], "How many have series of their own", v->members.nr);
	exposition__gauge(x, v->family[OTHERS],
			  "How many others have used something in the last interval",
			  v->members.nr_others);
}

/* Why none of the events of this name is counted, or NULL. */
static const char *why_not(const struct task_metrics *t, size_t first)
{
	const struct live_about *a = task_metrics__about(t);

	for (size_t e = first; e < a->nr_events; e++)
		if (is_part_of(t, e, first) && !a->events[e].why)
			return NULL;
	return a->events[first].why;
}

static void put_times(const struct task_metrics *t, struct exposition *x, bool running)
{
	const struct live_about *a = task_metrics__about(t);
	bool has_family = false;

	for (size_t first = 0; first < a->nr_events; first++) {
		uint64_t ns = 0;

		if (!is_first(t, first) || why_not(t, first) || a->events[first].group < 0)
			continue;
		for (size_t e = first; e < a->nr_events; e++)
			if (is_part_of(t, e, first))
				ns += running ? t->times[e].running_ns : t->times[e].enabled_ns;
		if (!has_family)
			exposition__family(x,
					   running ? "pmutrace_task_event_running_seconds_total"
						   : "pmutrace_task_event_enabled_seconds_total",
					   METRIC_COUNTER,
					   running ? "Time for which an event was on a counter"
						   : "Time for which an event was to be counted");
		has_family = true;
		exposition__label(x, "event", a->events[first].name);
		exposition__double(x, (double)ns / 1e9);
	}
}

void task_metrics__put_about(const struct task_metrics *t, struct exposition *x)
{
	const struct live_about *a = task_metrics__about(t);

	if (a->nr_events)
		exposition__family(x, "pmutrace_task_event_up", METRIC_GAUGE,
				   "Whether an event is counted, and if it is not, why");
	for (size_t e = 0; e < a->nr_events; e++) {
		const char *why = why_not(t, e);

		if (!is_first(t, e))
			continue;
		exposition__label(x, "event", a->events[e].name);
		exposition__label(x, "reason", why ? why : "");
		exposition__u64(x, !why);
	}
	put_times(t, x, false);
	put_times(t, x, true);
	exposition__family(x, "pmutrace_task_timeslices_total", METRIC_COUNTER,
			   "Pieces of tasks' runs that were seen");
	exposition__u64(x, t->losses.seen);
	if (t->losses.nr)
		exposition__family(x, "pmutrace_task_timeslices_lost_total", METRIC_COUNTER,
				   "Of these, what is in no sum, and why");
	for (unsigned i = 0; i < t->losses.nr; i++) {
		exposition__label(x, "reason", t->losses.by[i].name);
		exposition__u64(x, t->losses.by[i].n);
	}
	exposition__family(x, "pmutrace_task_untold_switches_total", METRIC_COUNTER,
			   "Context switches that the kernel did not tell");
	exposition__u64(x, t->untold);
	exposition__family(x, "pmutrace_task_bpf_seconds_total", METRIC_COUNTER,
			   "CPU time of the programs that count tasks");
	exposition__double(x, (double)t->bpf_ns / 1e9);
}
