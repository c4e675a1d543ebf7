// SPDX-License-Identifier: BSD-2-Clause
/* What the PMUs in sysfs offer: named events, and the terms of which others are made. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "catalog/catalog_fill.h"
#include "catalog/catalog_try.h"
#include "event/pmu.h"
#include "event/pmu_terms.h"

/* UNKNOWN where a value is left for people to give. */
static enum catalog_state try_event(const struct pmu *pmu, const struct pmu_words *words,
				    const struct pmu_event *event)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = pmu->type };
	enum catalog_state state = CATALOG_UNKNOWN;
	struct pmu_terms terms;
	struct buf why = {};
	int err;

	if (!pmu_terms__parse(&terms, words, event->name, strlen(event->name), &why)) {
		attr.config = terms.config[0];
		attr.config1 = terms.config[1];
		attr.config2 = terms.config[2];
		state = catalog_try_own(&attr);
		/* Of what is around the CPUs nobody knows which task it served. */
		if (state == CATALOG_NOT_SUPPORTED && !pmu->core)
			state = catalog_try(&attr, -1, pmu->nr_cpus ? pmu->cpus[0] : 0, &err);
	}
	buf__free(&why);
	return state;
}

static int add_events(struct catalog *c, const struct catalog_fill_opts *o, const struct pmu *pmu,
		      const struct pmu_words *words)
{
	struct buf name = {};
	int err = 0;

	for (size_t i = 0; i < words->nr_events && !err; i++) {
		const struct pmu_event *event = &words->events[i];
		struct catalog_entry e = {
			.kind = CATALOG_PMU,
			.group = pmu->name,
			.unit = event->unit,
			.alias = pmu->core ? event->name : NULL,
		};
		struct buf encoding = {};

		buf__clear(&name);
		err = buf__printf(&name, "%s/%s/", pmu->name, event->name);
		if (!err)
			err = buf__printf(&encoding, "%s/%s/", pmu->name, event->terms);
		e.name = name.data;
		e.encoding = encoding.data;
		if (!err && o->try && catalog_pattern__matches(&c->pattern, name.data))
			e.state = try_event(pmu, words, event);
		if (!err)
			err = catalog__add(c, &e);
		buf__free(&encoding);
	}
	buf__free(&name);
	return err;
}

static int add_terms(struct catalog *c, const struct pmu *pmu, const struct pmu_words *words)
{
	struct catalog_entry e = { .kind = CATALOG_SYNTAX, .group = pmu->name };
	struct buf name = {}, text = {};
	int err = buf__printf(&name, "%s/TERMS/", pmu->name);

	if (!err)
		err = buf__puts(&text, "a code of this PMU, by its terms:");
	for (size_t i = 0; i < words->nr_formats && !err; i++)
		err = buf__printf(&text, " %s (%s)", words->formats[i].name,
				  words->formats[i].bits);
	if (!err && !words->nr_formats)
		err = buf__puts(&text, " config");
	e.name = name.data;
	e.text = text.data;
	if (!err)
		err = catalog__add(c, &e);
	buf__free(&name);
	buf__free(&text);
	return err;
}

/* Those have a form of their own. */
static bool has_own_form(const struct pmu *pmu)
{
	static const char *const names[] = { "breakpoint", "kprobe", "uprobe", "software",
					     "tracepoint" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(pmu->name, names[i]))
			return true;
	return false;
}

static int fill(struct catalog *c, const struct catalog_fill_opts *o, bool events)
{
	struct pmu_words words;
	struct pmu *pmus;
	size_t nr, i;
	int err = pmus__read(o->root, &pmus, &nr);

	if (err) {
		log__debug("no PMUs in %s/sys: %s", o->root, strerror(-err));
		return err == -ENOMEM ? err : 0;
	}
	for (i = 0; i < nr && !err; i++) {
		if (pmu_words__read(&words, o->root, pmus[i].name))
			continue; /* it has gone meanwhile */
		if (events)
			err = add_events(c, o, &pmus[i], &words);
		else if (!has_own_form(&pmus[i]))
			err = add_terms(c, &pmus[i], &words);
		pmu_words__free(&words);
	}
	pmus__free(pmus, nr);
	return err;
}

int catalog_fill__pmus(struct catalog *c, const struct catalog_fill_opts *o)
{
	return fill(c, o, true);
}

int catalog_fill__syntax(struct catalog *c, const struct catalog_fill_opts *o)
{
	static const struct catalog_entry forms[] = {
		{ .kind = CATALOG_SYNTAX, .name = "rHEX", .text = "a raw code of the CPU: r1b0" },
		{ .kind = CATALOG_SYNTAX,
		  .name = "mem:ADDR[/LEN][:rwx]",
		  .text = "a breakpoint: accesses to an address or a symbol of the kernel" },
		{ .kind = CATALOG_SYNTAX,
		  .name = "kprobe:FUNCTION[+OFFSET]",
		  .text = "a place in the kernel; 'pmutrace list kprobe' lists the functions" },
		{ .kind = CATALOG_SYNTAX,
		  .name = "kretprobe:FUNCTION",
		  .text = "returns of a function of the kernel" },
		{ .kind = CATALOG_SYNTAX,
		  .name = "uprobe:FILE:FUNCTION[+OFFSET]",
		  .text = "a place in a program; 'pmutrace list --functions FILE' lists them" },
		{ .kind = CATALOG_SYNTAX,
		  .name = "uretprobe:FILE:FUNCTION",
		  .text = "returns of a function of a program" },
		{ .kind = CATALOG_SYNTAX,
		  .name = "usdt:FILE:PROVIDER:NAME",
		  .text = "a static probe; 'pmutrace list --usdt FILE' lists them" },
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(forms) && !err; i++)
		err = catalog__add(c, &forms[i]);
	return err ? err : fill(c, o, false);
}
