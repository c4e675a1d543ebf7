// SPDX-License-Identifier: BSD-2-Clause
/* Checks what flags ask for, and parses the events behind it, each for itself. */
#include "serve/node_perf_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "base/suggest.h"
#include "base/why.h"
#include "serve/exposition.h"
#include "serve/node_perf.h"
#include "serve/node_perf_names.h"

static const char *const kinds[] = {
	[NODE_PERF_HARDWARE] = "hardware",
	[NODE_PERF_SOFTWARE] = "software",
	[NODE_PERF_CACHE] = "cache",
};

static int keep(struct node_perf_events *n, const char *text, const char **out)
{
	uint32_t id;
	int err = strtab__add(n->strings, text, strlen(text), &id);

	*out = err ? NULL : strtab__get(n->strings, id);
	return err;
}

int node_perf_events__lack(struct node_perf_events *n, const char *event, const char *why)
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

static int add_metric(struct node_perf_events *n, struct node_metric m)
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

bool node_perf_events__is_wanted(const struct node_perf_name *name, const struct node_perf_opts *o)
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

int node_perf_events__find(const struct node_perf_events *n, const char *name)
{
	for (size_t i = 0; i < n->list.nr; i++)
		if (!strcmp(n->list.items[i].name, name))
			return i;
	return NODE_PERF_NO_EVENT;
}

/* Adds what is not there yet. What this machine does not know is told, and no error. */
static int add_events(struct node_perf_events *n, const char *spec, const char *name)
{
	const size_t nr = n->list.nr;
	struct buf why = {};
	int err = perf_events__parse(&n->list, NULL, spec, &why);

	if (err && err != -ENOMEM) {
		perf_events__truncate(&n->list, nr);
		err = node_perf_events__lack(n, name, why.len ? why.data : strerror(-err));
	}
	buf__free(&why);
	return err;
}

/* Accesses and misses are counted together: hits are what is left. */
static int add_hits(struct node_perf_events *n, const struct node_perf_name *name)
{
	struct buf spec = {};
	int err = buf__printf(&spec, "{%s,%s}", name->event, name->minus);
	struct node_metric m = { .name = name->metric, .help = name->help };

	if (!err)
		err = add_events(n, spec.data, name->event);
	m.event = node_perf_events__find(n, name->event);
	m.minus = node_perf_events__find(n, name->minus);
	if (!err && m.event != NODE_PERF_NO_EVENT && m.minus != NODE_PERF_NO_EVENT)
		err = add_metric(n, m);
	buf__free(&spec);
	return err;
}

static int add_single(struct node_perf_events *n, const struct node_perf_name *name)
{
	struct node_metric m = { .name = name->metric,
				 .help = name->help,
				 .minus = NODE_PERF_NO_EVENT };
	int err = node_perf_events__find(n, name->event) == NODE_PERF_NO_EVENT
			  ? add_events(n, name->event, name->event)
			  : 0;

	m.event = node_perf_events__find(n, name->event);
	return !err && m.event != NODE_PERF_NO_EVENT ? add_metric(n, m) : err;
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

static int add_tracepoint(struct node_perf_events *n, const char *tracepoint)
{
	struct node_metric m = { .event = node_perf_events__find(n, tracepoint),
				 .minus = NODE_PERF_NO_EVENT };
	struct buf name = {}, help = {};
	int err;

	if (m.event != NODE_PERF_NO_EVENT)
		return 0; /* once is enough */
	err = name_tracepoint(&name, tracepoint);
	if (!err)
		err = buf__printf(&help, "Perf tracepoint %s", tracepoint);
	if (!err)
		err = add_events(n, tracepoint, tracepoint);
	m.event = node_perf_events__find(n, tracepoint);
	if (!err && m.event != NODE_PERF_NO_EVENT)
		err = keep(n, name.data, &m.name);
	if (!err && m.event != NODE_PERF_NO_EVENT)
		err = keep(n, help.data, &m.help);
	if (!err && m.event != NODE_PERF_NO_EVENT)
		err = add_metric(n, m);
	buf__free(&name);
	buf__free(&help);
	return err;
}

int node_perf_events__parse(struct node_perf_events *n, const struct node_perf_opts *o,
			    const bool *apart)
{
	const struct node_perf_name *name;
	int err = 0;

	if (!n->strings)
		n->strings = strtab__new();
	if (!n->strings)
		return -ENOMEM;
	n->nr_metrics = n->nr_unavailable = 0;
	perf_events__free(&n->list);

	/* Hits first: misses are members of their groups. */
	for (size_t i = 0; (name = node_perf_name(i)) && !err; i++)
		if (name->minus && !apart[i] && node_perf_events__is_wanted(name, o))
			err = add_hits(n, name);
	for (size_t i = 0; (name = node_perf_name(i)) && !err; i++)
		if (!name->minus && node_perf_events__is_wanted(name, o))
			err = add_single(n, name);
	for (size_t i = 0; i < o->nr_tracepoints && !err; i++)
		err = add_tracepoint(n, o->tracepoints[i]);
	return err;
}

int node_perf_events__check(const struct node_perf_opts *o, struct buf *why)
{
	int err = check_flags(o->hardware, o->nr_hardware, NODE_PERF_HARDWARE, why);

	if (!err)
		err = check_flags(o->software, o->nr_software, NODE_PERF_SOFTWARE, why);
	if (!err)
		err = check_flags(o->cache, o->nr_cache, NODE_PERF_CACHE, why);
	return err ? err : check_tracepoints(o, why);
}

void node_perf_events__free(struct node_perf_events *n)
{
	perf_events__free(&n->list);
	strtab__free(n->strings);
	free(n->metrics);
	free(n->unavailable);
	*n = (struct node_perf_events){};
}
