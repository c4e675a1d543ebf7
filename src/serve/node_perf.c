// SPDX-License-Identifier: BSD-2-Clause
/* Counts node_exporter's events on each CPU, and adds up what comes between two readings. */
#include "serve/node_perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/strtab.h"
#include "base/why.h"
#include "machine/cpus.h"
#include "machine/target.h"
#include "perf/open.h"
#include "serve/exposition.h"
#include "serve/node_perf_events.h"
#include "serve/node_perf_names.h"
#include "stat/counting.h"

/* Since the beginning, on one CPU. */
struct sum {
	uint64_t value;	     /* scaled, reading by reading */
	bool has_value;	     /* it was on a counter at least once */
	uint64_t running_ns; /* of an event */
	uint64_t enabled_ns;
};

struct counted_cpu {
	uint32_t id;
	struct counting *counting; /* NULL: it could not be opened */
	struct sum *metrics, *events;
};

struct node_perf {
	struct node_perf_events events;
	uint32_t *wanted; /* CPUs; NULL: all */
	size_t nr_wanted;
	struct counted_cpu *cpus; /* by number */
	size_t nr_cpus, cap_cpus;
	bool *online;  /* by CPU number */
	bool has_told; /* what there is to say about events */
	uint32_t nr_possible;
	uint64_t missed_ns; /* CPUs were online and not counted, in sum */
};

static void drop_notice(void *arg, enum log_level level, const char *text)
{
}

static void free_cpu(struct counted_cpu *c)
{
	counting__close(c->counting);
	free(c->metrics);
	free(c->events);
}

/* What is to be said about events is said once, when the first CPU is opened. */
static int open_cpu(struct node_perf *n, uint32_t id, struct buf *why)
{
	const struct target target = { .cpus = &id, .nr_cpus = 1, .some_cpus = true };
	const struct counting_opts opts = { .events = &n->events.list,
					    .target = &target,
					    .by = COUNTS_BY_CPU };
	struct counted_cpu c = { .id = id };
	size_t at = n->nr_cpus;
	int err = array__grow(&n->cpus, &n->cap_cpus, n->nr_cpus + 1);

	c.metrics = calloc(n->events.nr_metrics + 1, sizeof(*c.metrics));
	c.events = calloc(n->events.list.nr + 1, sizeof(*c.events));
	if (err || !c.metrics || !c.events) {
		free_cpu(&c);
		return -ENOMEM;
	}
	if (n->has_told)
		log__set_thread_sink(drop_notice, NULL);
	err = counting__open(&c.counting, &opts, why);
	if (!err)
		err = counting__start(c.counting);
	log__set_thread_sink(NULL, NULL);
	n->has_told = true;
	if (err) {
		counting__close(c.counting);
		c.counting = NULL;
	}
	for (; at && n->cpus[at - 1].id > id; at--)
		n->cpus[at] = n->cpus[at - 1];
	n->cpus[at] = c;
	n->nr_cpus++;
	return err;
}

static bool is_known(const struct node_perf *n, uint32_t id)
{
	for (size_t i = 0; i < n->nr_cpus; i++)
		if (n->cpus[i].id == id)
			return true;
	return false;
}

static bool is_asked_for(const struct node_perf *n, uint32_t id)
{
	for (size_t i = 0; i < n->nr_wanted; i++)
		if (n->wanted[i] == id)
			return true;
	return !n->wanted;
}

static bool is_any_counted(const struct node_perf *n)
{
	for (size_t i = 0; i < n->nr_cpus; i++)
		if (n->cpus[i].counting)
			return true;
	return false;
}

/*
 * CPUs that are online for the first time. What keeps some from being counted is a notice; all of
 * them: the error. @why: the sentence, of the first.
 */
static int open_cpus(struct node_perf *n, struct buf *why)
{
	int err = cpus__are_online("", n->online, n->nr_possible), first = 0;
	size_t nr_failed = 0;

	for (uint32_t id = 0; id < n->nr_possible && !err; id++) {
		struct buf one = {};

		if (!n->online[id] || !is_asked_for(n, id) || is_known(n, id))
			continue;
		err = open_cpu(n, id, &one);
		if (err && err != -ENOMEM) {
			if (!nr_failed++)
				first = why__refuse(why, err, "%s",
						    one.len ? one.data : strerror(-err));
			err = 0;
		}
		buf__free(&one);
	}
	if (err || (!is_any_counted(n) && nr_failed))
		return err ? err : first;
	if (nr_failed)
		log__notice("%zu CPUs are not counted: %s", nr_failed, why->data);
	buf__clear(why);
	return 0;
}

static void clear(struct node_perf *n)
{
	for (size_t i = 0; i < n->nr_cpus; i++)
		free_cpu(&n->cpus[i]);
	n->nr_cpus = 0;
}

/* The counts of the first CPU that has any: which events are there, and why others are not. */
static const struct counts *first_counts(const struct node_perf *n)
{
	for (size_t i = 0; i < n->nr_cpus; i++)
		if (n->cpus[i].counting)
			return counting__counts(n->cpus[i].counting);
	return NULL;
}

/* Hits of which one half is not there are none: the other half may be there for itself. */
static bool take_apart(const struct node_perf *n, bool *apart)
{
	const struct counts *c = first_counts(n);
	bool found = false;

	for (size_t i = 0; c && node_perf_name(i); i++) {
		const struct node_perf_name *name = node_perf_name(i);
		const int event = name->minus ? node_perf_events__find(&n->events, name->event)
					      : NODE_PERF_NO_EVENT;

		if (event == NODE_PERF_NO_EVENT || apart[i])
			continue;
		apart[i] = c->events[event].why ||
			   c->events[node_perf_events__find(&n->events, name->minus)].why;
		found |= apart[i];
	}
	return found;
}

/* Of the hits that are none now, what keeps them from being counted. */
static int remember_apart(struct node_perf *n, const struct node_perf_opts *o, const bool *before,
			  const bool *apart, struct strtab *reasons, uint32_t *reason)
{
	const struct counts *c = first_counts(n);
	int err = 0;

	for (size_t i = 0; node_perf_name(i) && !err; i++) {
		const struct node_perf_name *name = node_perf_name(i);
		const char *why;

		if (!apart[i] || before[i] || !node_perf_events__is_wanted(name, o))
			continue;
		why = c->events[node_perf_events__find(&n->events, name->event)].why;
		if (!why)
			why = c->events[node_perf_events__find(&n->events, name->minus)].why;
		err = strtab__add(reasons, why, strlen(why), &reason[i]);
	}
	return err;
}

enum { NAMES_MAX = 64 };

/* Opens all, and once more without the groups of hits that have turned out not to be there. */
static int open_all(struct node_perf *n, const struct node_perf_opts *o, struct buf *why)
{
	bool apart[NAMES_MAX] = {}, before[NAMES_MAX] = {};
	uint32_t reason[NAMES_MAX] = {};
	struct strtab *reasons = strtab__new();
	int err = reasons ? node_perf_events__parse(&n->events, o, apart) : -ENOMEM;

	if (!err)
		err = open_cpus(n, why);
	while (!err && take_apart(n, apart)) {
		err = remember_apart(n, o, before, apart, reasons, reason);
		memcpy(before, apart, sizeof(before));
		clear(n);
		if (!err)
			err = node_perf_events__parse(&n->events, o, apart);
		if (!err)
			err = open_cpus(n, why);
	}
	for (size_t i = 0; node_perf_name(i) && !err; i++)
		if (reason[i])
			err = node_perf_events__lack(&n->events, node_perf_name(i)->event,
						     strtab__get(reasons, reason[i]));
	strtab__free(reasons);
	return err;
}

static int parse_cpus(struct node_perf *n, const char *text, struct buf *why)
{
	int err = cpus__possible("", &n->nr_possible);

	if (!err)
		n->online = calloc(n->nr_possible + 1, sizeof(*n->online));
	if (!err && !n->online)
		err = -ENOMEM;
	if (err || !text)
		return err;
	err = parse__list(text, n->nr_possible - 1, &n->wanted, &n->nr_wanted);
	if (err == -ERANGE)
		return why__refuse(why, -EINVAL,
				   "--collector.perf.cpus: '%s': there are CPUs 0 to %u", text,
				   n->nr_possible - 1);
	return err == -EINVAL ? why__refuse(why, -EINVAL,
					    "--collector.perf.cpus: '%s' is no list of CPUs such "
					    "as 0,2-6 or 1-10:5",
					    text)
			      : err;
}

/* Said once, not of each event. Source: perf_allow_cpu(), include/linux/perf_event.h. */
static int check_permission(struct buf *why)
{
	const long level = perf_sysctl("perf_event_paranoid", 0);

	if (level <= 0 || perf_is_privileged())
		return 0;
	return why__refuse(why, -EACCES,
			   "no permission to count what runs on a CPU (kernel.perf_event_paranoid "
			   "is %ld): run as root, or with CAP_PERFMON",
			   level);
}

int node_perf__open(struct node_perf **out, const struct node_perf_opts *o, struct buf *why)
{
	struct node_perf *n = calloc(1, sizeof(*n));
	int err;

	*out = NULL;
	if (!n)
		return -ENOMEM;
	err = parse_cpus(n, o->cpus, why);
	if (!err)
		err = node_perf_events__check(o, why);
	if (!err)
		err = check_permission(why);
	if (!err)
		err = open_all(n, o, why);
	if (err)
		node_perf__close(n);
	else
		*out = n;
	return err;
}

void node_perf__close(struct node_perf *n)
{
	if (!n)
		return;
	clear(n);
	node_perf_events__free(&n->events);
	free(n->wanted);
	free(n->cpus);
	free(n->online);
	free(n);
}

int node_perf__poll(struct node_perf *n)
{
	struct buf why = {};
	int err = open_cpus(n, &why);

	buf__free(&why);
	/* None of those that were asked for is there yet. */
	if (err && err != -ENOMEM)
		err = 0;
	for (size_t i = 0; i < n->nr_cpus && !err; i++)
		if (n->cpus[i].counting)
			err = counting__poll(n->cpus[i].counting);
	return err;
}

/* Adds what was counted since the reading before. */
static void add(struct sum *s, const struct event_count *count, const struct event_count *minus)
{
	const uint64_t less = minus ? minus->raw : 0;

	s->enabled_ns += count->enabled_ns;
	s->running_ns += count->running_ns;
	if (!event_count__has_value(count) || (minus && !event_count__has_value(minus)))
		return;
	s->has_value = true;
	s->value += minus ? event_count__scale(count->raw > less ? count->raw - less : 0,
					       count->enabled_ns, count->running_ns)
			  : count->value;
}

static int read_cpu(struct node_perf *n, struct counted_cpu *c)
{
	const struct counts *counts;
	int err = counting__read(c->counting, true);

	if (err)
		return err;
	counts = counting__counts(c->counting);
	n->missed_ns += counts->missed_ns;
	for (size_t i = 0; i < n->events.list.nr; i++)
		add(&c->events[i], &counts->rows[0].values[i], NULL);
	for (size_t i = 0; i < n->events.nr_metrics; i++) {
		const struct node_metric *m = &n->events.metrics[i];
		const struct event_count *values = counts->rows[0].values;

		add(&c->metrics[i], &values[m->event],
		    m->minus == NODE_PERF_NO_EVENT ? NULL : &values[m->minus]);
	}
	return 0;
}

static void put_metric(const struct node_perf *n, struct exposition *x, size_t metric)
{
	bool has_family = false;

	for (size_t i = 0; i < n->nr_cpus; i++) {
		const struct sum *s = &n->cpus[i].metrics[metric];

		if (!s->has_value)
			continue;
		if (!has_family)
			exposition__family(x, n->events.metrics[metric].name, METRIC_COUNTER,
					   n->events.metrics[metric].help);
		has_family = true;
		exposition__label_u32(x, "cpu", n->cpus[i].id);
		exposition__u64(x, s->value);
	}
}

/* Software events are on no counter that others want, too: their share is all. */
static void put_times(const struct node_perf *n, struct exposition *x, const char *name,
		      const char *help, bool running)
{
	const struct counts *counts = first_counts(n);
	bool has_family = false;

	for (size_t e = 0; counts && e < n->events.list.nr; e++)
		for (size_t i = 0; i < n->nr_cpus; i++) {
			const struct sum *s = &n->cpus[i].events[e];

			if (counts->events[e].software || !s->enabled_ns)
				continue;
			if (!has_family)
				exposition__family(x, name, METRIC_COUNTER, help);
			has_family = true;
			exposition__label(x, "event", n->events.list.items[e].name);
			exposition__label_u32(x, "cpu", n->cpus[i].id);
			exposition__double(x,
					   (double)(running ? s->running_ns : s->enabled_ns) / 1e9);
		}
}

static void put_up(struct exposition *x, const char *event, const char *why)
{
	exposition__label(x, "event", event);
	exposition__label(x, "reason", why ? why : "");
	exposition__u64(x, !why);
}

static void put_events(const struct node_perf *n, struct exposition *x)
{
	const struct counts *counts = first_counts(n);

	if (!n->events.list.nr && !n->events.nr_unavailable)
		return;
	exposition__family(x, "pmutrace_perf_event_up", METRIC_GAUGE,
			   "Whether an event is counted, and if it is not, why");
	for (size_t e = 0; counts && e < n->events.list.nr; e++)
		put_up(x, n->events.list.items[e].name, counts->events[e].why);
	for (size_t i = 0; i < n->events.nr_unavailable; i++)
		put_up(x, n->events.unavailable[i].event, n->events.unavailable[i].why);
}

static void put_cpus(const struct node_perf *n, struct exposition *x)
{
	exposition__family(
		x, "pmutrace_perf_cpu_up", METRIC_GAUGE,
		"Whether events are counted on a CPU: it is online, and they were opened");
	for (size_t i = 0; i < n->nr_cpus; i++) {
		exposition__label_u32(x, "cpu", n->cpus[i].id);
		exposition__u64(x, n->cpus[i].counting && n->online[n->cpus[i].id]);
	}
	exposition__family(x, "pmutrace_perf_missed_seconds_total", METRIC_COUNTER,
			   "Time for which CPUs were online and not counted, summed over them");
	exposition__double(x, (double)n->missed_ns / 1e9);
}

int node_perf__collect(struct node_perf *n, struct exposition *x)
{
	for (size_t i = 0; i < n->nr_cpus; i++) {
		int err = n->cpus[i].counting ? read_cpu(n, &n->cpus[i]) : 0;

		if (err)
			return err;
	}
	for (size_t i = 0; i < n->events.nr_metrics; i++)
		put_metric(n, x, i);
	put_times(n, x, "pmutrace_perf_event_enabled_seconds_total",
		  "Time for which an event was to be counted", false);
	put_times(n, x, "pmutrace_perf_event_running_seconds_total",
		  "Time for which an event was on a counter: values are scaled by its share", true);
	put_events(n, x);
	put_cpus(n, x);
	return x->err;
}
