// SPDX-License-Identifier: BSD-2-Clause
/* Explains events: each member of the attr in words, another form, and whether they open. */
#include "catalog/explain.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog/catalog_fill.h"
#include "catalog/catalog_try.h"
#include "event/pmu.h"
#include "perf/open.h"
#include "stat/counting.h"

struct explaining {
	struct explanations *l;
	struct explained *x;
	const struct perf_event_spec *ev;
	struct perf_event_attr attr; /* the event's, with its rate */
};

static int put(struct explaining *e, const char *name, uint64_t value, bool is_hex,
	       const char *words)
{
	return explanations__add_field(e->l, e->x, name, value, is_hex, words);
}

/* What a type is, in words: the kernel's fixed ones, or the PMU that has it. */
static int put_type(struct explaining *e)
{
	static const char *const fixed[] = {
		[PERF_TYPE_HARDWARE] = "generic hardware event",
		[PERF_TYPE_SOFTWARE] = "software event",
		[PERF_TYPE_TRACEPOINT] = "tracepoint",
		[PERF_TYPE_HW_CACHE] = "generic cache event",
		[PERF_TYPE_RAW] = "raw event of the CPU",
		[PERF_TYPE_BREAKPOINT] = "breakpoint",
	};
	uint32_t type = e->ev->attr.type;
	char words[128] = "";
	struct pmu *pmus;
	size_t nr;

	if (type < ARRAY_SIZE(fixed))
		return put(e, "type", type, false, fixed[type]);
	if (!pmus__read("", &pmus, &nr)) {
		for (size_t i = 0; i < nr; i++)
			if (pmus[i].type == type)
				snprintf(words, sizeof(words), "the PMU %s", pmus[i].name);
		pmus__free(pmus, nr);
	}
	return put(e, "type", type, false, words[0] ? words : NULL);
}

static int put_breakpoint(struct explaining *e)
{
	static const char *const access[] = {
		[HW_BREAKPOINT_R] = "reads",
		[HW_BREAKPOINT_W] = "writes",
		[HW_BREAKPOINT_RW] = "reads and writes",
		[HW_BREAKPOINT_X] = "running it",
	};
	const struct perf_event_attr *a = &e->ev->attr;
	const char *words = a->bp_type < ARRAY_SIZE(access) ? access[a->bp_type] : NULL;
	int err = put(e, "bp_type", a->bp_type, false, words);

	if (!err)
		err = put(e, "bp_addr", a->bp_addr, true, NULL);
	return err ? err : put(e, "bp_len", a->bp_len, false, "bytes");
}

static int put_configs(struct explaining *e)
{
	const struct perf_event_attr *a = &e->ev->attr;
	const char *name = NULL;
	char cache[64], text[96];
	int err;

	if (a->type == PERF_TYPE_HW_CACHE &&
	    perf_event__cache_name(a->config, cache, sizeof(cache)))
		name = cache;
	for (size_t i = 0; perf_event__name(i); i++)
		if (perf_event__name(i)->type == a->type &&
		    perf_event__name(i)->config == a->config)
			name = perf_event__name(i)->name;
	if (a->type == PERF_TYPE_TRACEPOINT)
		name = "its id in tracefs";
	if (e->ev->text) {
		snprintf(text, sizeof(text), "%s%s", a->config & 1 ? "returns" : "calls",
			 a->config >> 32 ? ", and behind bit 32 a counter's place in the file"
					 : "");
		name = text;
	}
	err = put(e, "config", a->config, true, name);
	if (err || a->type == PERF_TYPE_BREAKPOINT)
		return err ? err : put_breakpoint(e);
	if (a->config1)
		err = put(e, "config1", a->config1, true, e->ev->text);
	if (!err && a->config2)
		err = put(e, "config2", a->config2, true, e->ev->text ? "offset" : NULL);
#ifdef PERF_ATTR_SIZE_VER8 /* Linux 6.3 */
	if (!err && a->config3)
		err = put(e, "config3", a->config3, true, NULL);
#endif
	return err;
}

static int put_flags(struct explaining *e)
{
	const struct perf_event_attr *a = &e->attr;
	const struct {
		const char *name;
		uint64_t value;
		const char *words;
	} flags[] = {
		{ "inherit", a->inherit, "children as well" },
		{ "pinned", a->pinned, "always on a counter, or not at all" },
		{ "exclusive", a->exclusive, "alone on the PMU" },
		{ "exclude_user", a->exclude_user, "not in user space" },
		{ "exclude_kernel", a->exclude_kernel, "not in the kernel" },
		{ "exclude_hv", a->exclude_hv, "not in a hypervisor" },
		{ "exclude_idle", a->exclude_idle, "not while idle" },
		{ "freq", a->freq, "sample_freq is a rate" },
		{ a->freq ? "sample_freq" : "sample_period", a->sample_period,
		  !a->freq		       ? "events from one sample to the next"
		  : a->sample_freq < e->ev->hz ? "samples per second: the most that "
						 "kernel.perf_event_max_sample_rate allows"
					       : "samples per second" },
		{ "precise_ip", a->precise_ip,
		  e->ev->most_precise  ? "or the highest below that opens"
		  : a->precise_ip == 1 ? "the same distance each time from where it happened"
		  : a->precise_ip == 2 ? "asked to be where it happened"
				       : "exactly where it happened" },
		{ "exclude_host", a->exclude_host, "not in the host" },
		{ "exclude_guest", a->exclude_guest, "not in guests" },
	};
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(flags) && !err; i++)
		if (flags[i].value)
			err = put(e, flags[i].name, flags[i].value, false, flags[i].words);
	return err;
}

/* Appends that it opens without permission for user code of this process, where it does. */
static int put_way_out(const struct perf_event_attr *attr, struct buf *why)
{
	if (perf_counts_kernel_only(attr) || catalog_try_own(attr) != CATALOG_OPENS)
		return 0;
	return buf__puts(why, "; it opens without the kernel's part, with the modifier u");
}

static int put_try(struct explaining *e, struct explained_try *out, pid_t pid, int cpu)
{
	struct buf why = {};
	int failed, err = counting__check_event(e->ev, &why);

	if (err == -EINVAL) {
		/* The kernel would open it; pmutrace does not. */
		out->state = CATALOG_NOT_SUPPORTED;
		err = 0;
	} else if (!err) {
		out->state = catalog_try(&e->attr, pid, cpu, &failed);
		if (failed)
			err = perf_open__explain(&why, failed, &e->attr, e->ev->name,
						 READER_PERSON);
		if (!err && out->state == CATALOG_NO_PERMISSION && cpu < 0)
			err = put_way_out(&e->attr, &why);
	}
	if (!err)
		err = explanations__set(e->l, &out->why, why.data);
	buf__free(&why);
	return err;
}

static int put_tries(struct explaining *e)
{
	int cpu = sched_getcpu(), err = 0;

	for (size_t i = 0; i < e->ev->nr_cpus; i++)
		if (e->ev->cpus[i] == (uint32_t)cpu)
			break;
		else if (i + 1 == e->ev->nr_cpus)
			cpu = e->ev->cpus[0];
	e->x->tried_cpu = cpu < 0 ? 0 : cpu;
	if (!e->ev->for_cpus)
		err = put_try(e, &e->x->process, 0, -1);
	return err ? err : put_try(e, &e->x->cpu, -1, e->x->tried_cpu);
}

static int put_cpus(struct explaining *e)
{
	size_t size = e->ev->nr_cpus * sizeof(*e->x->cpus);

	if (!size)
		return 0;
	e->x->cpus = malloc(size);
	if (!e->x->cpus)
		return -ENOMEM;
	memcpy(e->x->cpus, e->ev->cpus, size);
	e->x->nr_cpus = e->ev->nr_cpus;
	return 0;
}

/* The same event in another way. Of a generic hardware event only the kernel knows the code. */
static int put_form(struct explaining *e)
{
	const struct perf_event_spec *ev = e->ev;
	struct buf form = {};
	int err = 0;

	if (ev->text && ev->text[0] == '/')
		err = buf__printf(&form, "%s:%s:0x%llx",
				  !strncmp(ev->name, "ur", 2) ? "uretprobe" : "uprobe", ev->text,
				  (unsigned long long)ev->attr.config2);
	else if (!ev->text && !ev->fallback && ev->attr.type != PERF_TYPE_BREAKPOINT)
		err = explain__terms("", &ev->attr, &form);
	if (!err && form.len)
		err = explanations__set(e->l, &e->x->form, form.data);
	buf__free(&form);
	return err;
}

static int put_words(struct explaining *e)
{
	struct buf origin = {}, text = {};
	int err = explain__origin(e->ev, &origin, &text);

	if (!err)
		err = explanations__set(e->l, &e->x->name, e->ev->name);
	if (!err)
		err = explanations__set(e->l, &e->x->origin, origin.data);
	if (!err && text.len)
		err = explanations__set(e->l, &e->x->text, text.data);
	if (!err)
		err = explanations__set(e->l, &e->x->unit, e->ev->unit);
	buf__free(&origin);
	buf__free(&text);
	return err;
}

/* As profile would sample it. */
static void set_rate(struct explaining *e)
{
	long limit = perf_sysctl("perf_event_max_sample_rate", 0);

	e->attr = e->ev->attr;
	e->attr.freq = e->ev->hz > 0;
	e->attr.sample_period = e->ev->hz ? e->ev->hz : e->ev->period;
	if (e->attr.freq && limit > 0 && e->attr.sample_freq > (uint64_t)limit)
		e->attr.sample_freq = limit;
}

static int explain_event(struct explaining *e)
{
	int (*const parts[])(struct explaining *) = { put_words, put_type, put_configs, put_flags,
						      put_form,	 put_cpus, put_tries };
	int err = 0;

	set_rate(e);
	e->x->scale = e->ev->scale;
	e->x->hz = e->ev->hz;
	e->x->period = e->ev->period;
	e->x->group = e->ev->group == EVENT_NO_GROUP ? EXPLAINED_NO_GROUP : e->ev->group;
	for (size_t i = 0; i < ARRAY_SIZE(parts) && !err; i++)
		err = parts[i](e);
	return err;
}

int explain__events(struct explanations *l, const struct perf_events *events, struct buf *why)
{
	int err = 0;

	for (size_t i = 0; i < events->nr && !err; i++) {
		const struct perf_event_spec *ev = &events->items[i];
		struct explaining e = { .l = l, .ev = ev };

		err = explanations__add(l, &e.x);
		if (!err)
			err = explain_event(&e);
		if (!err && ev->part_of != i && ev->part_of < events->nr)
			err = explanations__set(l, &e.x->adds_to, events->items[ev->part_of].name);
		if (err && err != -ENOMEM &&
		    buf__printf(why, "cannot explain '%s': %s", ev->name, strerror(-err)))
			err = -ENOMEM;
	}
	return err;
}
