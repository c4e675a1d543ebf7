// SPDX-License-Identifier: BSD-2-Clause
/* Counts node_exporter's events on each CPU, and adds up what comes between two readings. */
#include "serve/node_perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/strtab.h"
#include "base/suggest.h"
#include "base/why.h"
#include "event/event.h"
#include "machine/cpus.h"
#include "machine/target.h"
#include "serve/exposition.h"
#include "serve/node_perf_names.h"
#include "stat/counting.h"

enum { NO_EVENT = -1 };

struct node_metric {
	const char *name, *help; /* of n->strings, or literals */
	int event;		 /* of n->events, and of the columns of a counting */
	int minus;		 /* the misses among accesses; or NO_EVENT */
};

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

/* What is not counted, and why. */
struct unavailable {
	const char *event, *why;
};

struct node_perf {
	struct strtab *strings;
	struct perf_events events;
	struct node_metric *metrics;
	size_t nr_metrics, cap_metrics;
	struct unavailable *unavailable;
	size_t nr_unavailable, cap_unavailable;
	uint32_t *wanted; /* CPUs; NULL: all */
	size_t nr_wanted;
	struct counted_cpu *cpus; /* by number */
	size_t nr_cpus, cap_cpus;
	bool *online; /* by CPU number */
	uint32_t nr_possible;
	uint64_t missed_ns; /* CPUs were online and not counted, in sum */
};

static const char *const kinds[] = {
	[NODE_PERF_HARDWARE] = "hardware",
	[NODE_PERF_SOFTWARE] = "software",
	[NODE_PERF_CACHE] = "cache",
};

static int keep(struct node_perf *n, const char *text, const char **out)
{
	uint32_t id;
	int err = strtab__add(n->strings, text, strlen(text), &id);

	*out = err ? NULL : strtab__get(n->strings, id);
	return err;
}

static int add_unavailable(struct node_perf *n, const char *event, const char *why)
{
	struct unavailable u = {};
	int err = array__grow(&n->unavailable, &n->cap_unavailable, n->nr_unavailable + 1);

	for (size_t i = 0; i < n->nr_unavailable; i++)
		if (!strcmp(n->unavailable[i].event, event))
			return 0; /* it has one series */
	if (!err)
		err = keep(n, event, &u.event);
	if (!err)
		err = keep(n, why, &u.why);
	if (!err)
		n->unavailable[n->nr_unavailable++] = u;
	return err;
}

static int add_metric(struct node_perf *n, struct node_metric m)
{
	int err = array__grow(&n->metrics, &n->cap_metrics, n->nr_metrics + 1);

	if (!err)
		n->metrics[n->nr_metrics++] = m;
	return err;
}

/* Whether that flag, of that kind, was given; without any all are. */
static bool is_among(const char *flag, const char *const *flags, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (!strcmp(flag, flags[i]))
			return true;
	return !nr;
}

static bool is_wanted(const struct node_perf_name *name, const struct node_perf_opts *o)
{
	switch (name->kind) {
	case NODE_PERF_HARDWARE:
		return !o->no_hardware && is_among(name->flag, o->hardware, o->nr_hardware);
	case NODE_PERF_SOFTWARE:
		return !o->no_software && is_among(name->flag, o->software, o->nr_software);
	case NODE_PERF_CACHE:
		return !o->no_cache && is_among(name->flag, o->cache, o->nr_cache);
	case NODE_PERF_KINDS:
		break;
	}
	return false;
}

static int refuse_flag(const char *flag, enum node_perf_kind kind, struct buf *why)
{
	const char *names[64];
	size_t nr = 0;
	int err = buf__printf(why, "--collector.perf.%s-profilers: there is no '%s'", kinds[kind],
			      flag);

	for (size_t i = 0; node_perf_name(i) && nr < ARRAY_SIZE(names); i++)
		if (node_perf_name(i)->kind == kind)
			names[nr++] = node_perf_name(i)->flag;
	if (!err)
		err = suggest_or_list(why, flag, names, nr);
	return err ? err : -EINVAL;
}

static int check_flags(const char *const *flags, size_t nr, enum node_perf_kind kind,
		       struct buf *why)
{
	for (size_t i = 0; i < nr; i++) {
		bool known = false;

		for (size_t k = 0; node_perf_name(k); k++)
			known |= node_perf_name(k)->kind == kind &&
				 !strcmp(node_perf_name(k)->flag, flags[i]);
		if (!known)
			return refuse_flag(flags[i], kind, why);
	}
	return 0;
}

static int find_event(const struct node_perf *n, const char *name)
{
	for (size_t i = 0; i < n->events.nr; i++)
		if (!strcmp(n->events.items[i].name, name))
			return i;
	return NO_EVENT;
}

/* Adds what is not there yet. What this machine does not know is told, and no error. */
static int add_events(struct node_perf *n, const char *spec, const char *name)
{
	const size_t nr = n->events.nr;
	struct buf why = {};
	int err = perf_events__parse(&n->events, NULL, spec, &why);

	if (err && err != -ENOMEM) {
		perf_events__truncate(&n->events, nr);
		err = add_unavailable(n, name, why.len ? why.data : strerror(-err));
	}
	buf__free(&why);
	return err;
}

/* Accesses and misses are counted together: hits are what is left. */
static int add_hits(struct node_perf *n, const struct node_perf_name *name)
{
	struct buf spec = {};
	int err = buf__printf(&spec, "{%s,%s}", name->event, name->minus);
	struct node_metric m = { .name = name->metric, .help = name->help };

	if (!err)
		err = add_events(n, spec.data, name->event);
	m.event = find_event(n, name->event);
	m.minus = find_event(n, name->minus);
	if (!err && m.event != NO_EVENT && m.minus != NO_EVENT)
		err = add_metric(n, m);
	buf__free(&spec);
	return err;
}

static int add_single(struct node_perf *n, const struct node_perf_name *name)
{
	struct node_metric m = { .name = name->metric, .help = name->help, .minus = NO_EVENT };
	int err = find_event(n, name->event) == NO_EVENT ? add_events(n, name->event, name->event)
							 : 0;

	m.event = find_event(n, name->event);
	return !err && m.event != NO_EVENT ? add_metric(n, m) : err;
}

/* "sched:sched_switch" is node_perf_sched_sched_switch. */
static int name_tracepoint(struct buf *name, const char *tracepoint)
{
	int err = buf__puts(name, "node_perf_");

	return err ? err : exposition__name(name, tracepoint);
}

static bool is_tracepoint(const char *text)
{
	const char *colon = strchr(text, ':');

	return colon && colon > text && colon[1] && !strchr(colon + 1, ':');
}

/* Whether that name is another metric's: of a_b:c and a:b_c it is the same. */
static bool is_taken(const struct node_perf_opts *o, size_t nr, const char *name)
{
	bool taken = false;

	for (size_t i = 0; node_perf_name(i); i++)
		taken |= !strcmp(node_perf_name(i)->metric, name);
	for (size_t i = 0; i < nr && !taken; i++) {
		struct buf other = {};

		taken = strcmp(o->tracepoints[i], o->tracepoints[nr]) &&
			!name_tracepoint(&other, o->tracepoints[i]) && !strcmp(other.data, name);
		buf__free(&other);
	}
	return taken;
}

static int check_tracepoints(const struct node_perf_opts *o, struct buf *why)
{
	int err = 0;

	for (size_t i = 0; i < o->nr_tracepoints && !err; i++) {
		const char *tracepoint = o->tracepoints[i];
		struct buf name = {};

		if (!is_tracepoint(tracepoint))
			return why__refuse(why, -EINVAL,
					   "--collector.perf.tracepoint: '%s' is no "
					   "SUBSYSTEM:EVENT",
					   tracepoint);
		err = name_tracepoint(&name, tracepoint);
		if (!err && is_taken(o, i, name.data))
			err = why__refuse(why, -EINVAL,
					  "--collector.perf.tracepoint: '%s' would be %s, which "
					  "another one is: leave out one of them",
					  tracepoint, name.data);
		buf__free(&name);
	}
	return err;
}

static int add_tracepoint(struct node_perf *n, const char *tracepoint)
{
	struct node_metric m = { .event = find_event(n, tracepoint), .minus = NO_EVENT };
	struct buf name = {}, help = {};
	int err;

	if (m.event != NO_EVENT)
		return 0; /* once is enough */
	err = name_tracepoint(&name, tracepoint);
	if (!err)
		err = buf__printf(&help, "Perf tracepoint %s", tracepoint);
	if (!err)
		err = add_events(n, tracepoint, tracepoint);
	m.event = find_event(n, tracepoint);
	if (!err && m.event != NO_EVENT)
		err = keep(n, name.data, &m.name);
	if (!err && m.event != NO_EVENT)
		err = keep(n, help.data, &m.help);
	if (!err && m.event != NO_EVENT)
		err = add_metric(n, m);
	buf__free(&name);
	buf__free(&help);
	return err;
}

/* @apart: by name, whose accesses and misses cannot be counted together. */
static int add_all(struct node_perf *n, const struct node_perf_opts *o, const bool *apart)
{
	const struct node_perf_name *name;
	int err = 0;

	/* Hits first: misses are members of their groups. */
	for (size_t i = 0; (name = node_perf_name(i)) && !err; i++)
		if (name->minus && !apart[i] && is_wanted(name, o))
			err = add_hits(n, name);
	for (size_t i = 0; (name = node_perf_name(i)) && !err; i++)
		if (!name->minus && is_wanted(name, o))
			err = add_single(n, name);
	for (size_t i = 0; i < o->nr_tracepoints && !err; i++)
		err = add_tracepoint(n, o->tracepoints[i]);
	return err;
}

static void drop_notice(void *arg, enum log_level level, const char *text)
{
}

static void free_cpu(struct counted_cpu *c)
{
	counting__close(c->counting);
	free(c->metrics);
	free(c->events);
}

/* What is to be said about events is said once, of the first CPU. */
static int open_cpu(struct node_perf *n, uint32_t id, struct buf *why)
{
	const struct target target = { .cpus = &id, .nr_cpus = 1, .some_cpus = true };
	const struct counting_opts opts = { .events = &n->events,
					    .target = &target,
					    .by = COUNTS_BY_CPU };
	struct counted_cpu c = { .id = id };
	size_t at = n->nr_cpus;
	int err = array__grow(&n->cpus, &n->cap_cpus, n->nr_cpus + 1);

	c.metrics = calloc(n->nr_metrics + 1, sizeof(*c.metrics));
	c.events = calloc(n->events.nr + 1, sizeof(*c.events));
	if (err || !c.metrics || !c.events) {
		free_cpu(&c);
		return -ENOMEM;
	}
	if (n->nr_cpus)
		log__set_thread_sink(drop_notice, NULL);
	err = counting__open(&c.counting, &opts, why);
	if (!err)
		err = counting__start(c.counting);
	log__set_thread_sink(NULL, NULL);
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

/* CPUs that are online for the first time. 0 if any is counted; else the first -errno. */
static int open_cpus(struct node_perf *n, struct buf *why)
{
	int err = cpus__are_online("", n->online, n->nr_possible), first = 0;
	bool any = false;

	for (uint32_t id = 0; id < n->nr_possible && !err; id++) {
		struct buf one = {};

		if (!n->online[id] || !is_asked_for(n, id) || is_known(n, id))
			continue;
		err = open_cpu(n, id, &one);
		if (err && err != -ENOMEM) {
			log__notice("CPU %u is not counted: %s", id,
				    one.len ? one.data : strerror(-err));
			if (!first && why)
				first = why__refuse(why, err, "%s",
						    one.len ? one.data : strerror(-err));
			err = 0;
		}
		buf__free(&one);
	}
	for (size_t i = 0; i < n->nr_cpus; i++)
		any |= n->cpus[i].counting != NULL;
	return err || any || !why ? err : first ? first : -ENODEV;
}

static void clear(struct node_perf *n)
{
	for (size_t i = 0; i < n->nr_cpus; i++)
		free_cpu(&n->cpus[i]);
	n->nr_cpus = n->nr_metrics = n->nr_unavailable = 0;
	perf_events__free(&n->events);
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
		const int event = name->minus ? find_event(n, name->event) : NO_EVENT;

		if (event == NO_EVENT || apart[i])
			continue;
		apart[i] = c->events[event].why || c->events[find_event(n, name->minus)].why;
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

		if (!apart[i] || before[i] || !is_wanted(name, o))
			continue;
		why = c->events[find_event(n, name->event)].why;
		if (!why)
			why = c->events[find_event(n, name->minus)].why;
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
	int err = reasons ? add_all(n, o, apart) : -ENOMEM;

	if (!err)
		err = open_cpus(n, why);
	while (!err && take_apart(n, apart)) {
		err = remember_apart(n, o, before, apart, reasons, reason);
		memcpy(before, apart, sizeof(before));
		clear(n);
		if (!err)
			err = add_all(n, o, apart);
		if (!err)
			err = open_cpus(n, why);
	}
	for (size_t i = 0; node_perf_name(i) && !err; i++)
		if (reason[i])
			err = add_unavailable(n, node_perf_name(i)->event,
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

int node_perf__open(struct node_perf **out, const struct node_perf_opts *o, struct buf *why)
{
	struct node_perf *n = calloc(1, sizeof(*n));
	int err = -ENOMEM;

	*out = NULL;
	if (!n)
		return -ENOMEM;
	n->strings = strtab__new();
	if (n->strings)
		err = parse_cpus(n, o->cpus, why);
	if (!err)
		err = check_flags(o->hardware, o->nr_hardware, NODE_PERF_HARDWARE, why);
	if (!err)
		err = check_flags(o->software, o->nr_software, NODE_PERF_SOFTWARE, why);
	if (!err)
		err = check_flags(o->cache, o->nr_cache, NODE_PERF_CACHE, why);
	if (!err)
		err = check_tracepoints(o, why);
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
	strtab__free(n->strings);
	free(n->metrics);
	free(n->unavailable);
	free(n->wanted);
	free(n->cpus);
	free(n->online);
	free(n);
}

int node_perf__poll(struct node_perf *n)
{
	int err = open_cpus(n, NULL);

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
	for (size_t i = 0; i < n->events.nr; i++)
		add(&c->events[i], &counts->rows[0].values[i], NULL);
	for (size_t i = 0; i < n->nr_metrics; i++) {
		const struct node_metric *m = &n->metrics[i];
		const struct event_count *values = counts->rows[0].values;

		add(&c->metrics[i], &values[m->event],
		    m->minus == NO_EVENT ? NULL : &values[m->minus]);
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
			exposition__family(x, n->metrics[metric].name, METRIC_COUNTER,
					   n->metrics[metric].help);
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

	for (size_t e = 0; counts && e < n->events.nr; e++)
		for (size_t i = 0; i < n->nr_cpus; i++) {
			const struct sum *s = &n->cpus[i].events[e];

			if (counts->events[e].software || !s->enabled_ns)
				continue;
			if (!has_family)
				exposition__family(x, name, METRIC_COUNTER, help);
			has_family = true;
			exposition__label(x, "event", n->events.items[e].name);
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

	if (!n->events.nr && !n->nr_unavailable)
		return;
	exposition__family(x, "pmutrace_perf_event_up", METRIC_GAUGE,
			   "Whether an event is counted, and if it is not, why");
	for (size_t e = 0; counts && e < n->events.nr; e++)
		put_up(x, n->events.items[e].name, counts->events[e].why);
	for (size_t i = 0; i < n->nr_unavailable; i++)
		put_up(x, n->unavailable[i].event, n->unavailable[i].why);
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
	for (size_t i = 0; i < n->nr_metrics; i++)
		put_metric(n, x, i);
	put_times(n, x, "pmutrace_perf_event_enabled_seconds_total",
		  "Time for which an event was to be counted", false);
	put_times(n, x, "pmutrace_perf_event_running_seconds_total",
		  "Time for which an event was on a counter: values are scaled by its share", true);
	put_events(n, x);
	put_cpus(n, x);
	return x->err;
}
