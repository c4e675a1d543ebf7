// SPDX-License-Identifier: BSD-2-Clause
/* Opens the events of specs and attrs, with options, on a target. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/object.h"
#include "lookup/lookup_reader.h"
#include "lookup/resolve.h"
#include "perf/open.h"
#include "perf/uapi.h"
#include "plan/returns.h"

enum { MOST_OPTIONS = 4096 }; /* bytes: more is no size of a struct */

bool attr__writes(const struct perf_event_attr *a)
{
	return a->sample_period || a->mmap || a->mmap2 || a->mmap_data || a->comm || a->task ||
	       a->context_switch || a->namespaces || a->ksymbol || a->bpf_event || a->cgroup ||
	       a->text_poke || a->inherit_stat;
}

/* Software events of the kernel read 0 with exclude_kernel; tracepoints of system calls do not. */
static int refuse_blind(const struct perf_event_spec *spec, struct buf *why)
{
	if (!spec->attr.exclude_kernel || spec->attr.type != PERF_TYPE_SOFTWARE ||
	    !perf_counts_kernel_only(&spec->attr))
		return 0;
	if (buf__printf(why,
			"'%s' happens in the kernel, and without the kernel's part it would read "
			"0: leave out ':u' (exclude_kernel)",
			spec->name))
		return -ENOMEM;
	return -EINVAL;
}

/* What a spec says stays; what it does not say comes from the attr for all. */
static void complete(struct perf_event_spec *spec, const struct perf_event_attr *common)
{
	struct perf_event_attr *own = &spec->attr, a = *common;

	a.type = own->type;
	a.size = sizeof(a);
	a.config = own->config;
	a.config1 = own->config1;
	a.config2 = own->config2;
#ifdef PERF_ATTR_SIZE_VER8
	a.config3 = own->config3;
#endif
	a.bp_type = own->bp_type;
	a.precise_ip = own->precise_ip ? own->precise_ip : common->precise_ip;
	a.pinned |= own->pinned;
	a.exclusive |= own->exclusive;
	a.exclude_user |= own->exclude_user;
	a.exclude_kernel |= own->exclude_kernel;
	a.exclude_hv |= own->exclude_hv;
	a.exclude_idle |= own->exclude_idle;
	a.exclude_host |= own->exclude_host;
	a.exclude_guest |= own->exclude_guest;
	if (spec->hz) {
		a.freq = 1;
		a.sample_freq = spec->hz;
	} else if (spec->period) {
		a.freq = 0;
		a.sample_period = spec->period;
	}
	*own = a;
}

/*
 * Adds what readers of a ring need: an id, so that events can share the ring and it is known whose
 * a record is; times, as the order of records of several CPUs; and a wakeup for each record.
 */
static void prepare_records(struct perf_event_attr *a)
{
	if (!attr__writes(a))
		return;
	if (!a->sample_type)
		a->sample_type = PERF_SAMPLE_IP;
	a->sample_type |= PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME;
	a->sample_id_all = 1;
	if (!a->wakeup_events && !a->watermark) {
		a->watermark = 1;
		a->wakeup_watermark = 1;
	}
}

static int add_columns(struct pmutrace_events *e)
{
	int err;

	for (size_t i = 0; i < e->list.nr; i++) {
		const struct perf_event_spec *spec = &e->list.items[i];
		struct api_event *c = e->nr_columns ? &e->columns[e->nr_columns - 1] : NULL;

		if (c && spec->part_of == c->first) {
			c->nr++;
			continue;
		}
		err = array__grow(&e->columns, &e->cap_columns, e->nr_columns + 1);
		if (err)
			return err;
		e->columns[e->nr_columns++] = (struct api_event){ .first = i, .nr = 1 };
	}
	return 0;
}

/* After opening: it is known then which events are of user code alone. */
static int add_labels(struct pmutrace_events *e)
{
	for (size_t i = 0; i < e->nr_columns; i++) {
		struct api_event *c = &e->columns[i];
		const struct perf_event_spec *spec = &e->list.items[c->first];
		struct buf text = {};
		int err;

		if (counters__is_user_only(e->counters, c->first))
			err = perf_event__put_user_name(spec, &text);
		else
			err = buf__puts(&text, spec->name);
		if (err) {
			buf__free(&text);
			return err;
		}
		c->label = text.data;
	}
	return 0;
}

/* Since Linux 6.0 (commit 119a784c81270); before, it is refused. */
static bool kernel_tells_lost(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.read_format = PERF_FORMAT_LOST,
	};
	int fd = perf_open(&attr, 0, -1, -1);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int open_counters(struct pmutrace_events *e, const struct pmutrace_options *o,
			 bool any_writes, struct buf *why)
{
	struct counters_opts opts = {
		.events = &e->list,
		.places = e->places,
		.nr_places = e->nr_places,
		.inherit = o->inherit,
		.enable_on_exec = o->enable_on_exec,
		.user_only = o->user_only,
		.reader = READER_PROGRAM,
	};

	int err = 0;

	if (presence__is_needed(&opts)) {
		opts.none = true;
		err = presence__open(&e->presence, &opts, why);
		opts.none = false;
	}
	for (size_t i = 0; i < e->list.nr; i++)
		opts.read_format |= e->list.items[i].attr.read_format;
	if (any_writes) {
		opts.read_format |= PERF_FORMAT_ID;
		if (kernel_tells_lost())
			opts.read_format |= PERF_FORMAT_LOST;
	}
	return err ? err : counters__open(&e->counters, &opts, why);
}

/* Some events may have no place; with options.all that is an error, and so it is for all. */
static int check_open(struct pmutrace_events *e, bool all, struct buf *why)
{
	struct pmutrace_error error;
	size_t nr_open = 0;
	int first = 0, err;

	for (size_t i = 0; i < e->nr_columns; i++) {
		err = pmutrace_open_error(e, i, &error);
		if (!err)
			nr_open++;
		else if (!first && !buf__puts(why, error.text))
			first = err;
	}
	if (first && (all || !nr_open))
		return first;
	buf__clear(why);
	return 0;
}

/* Asks for the id of each descriptor: one system call each, beside the one that opened it. */
static int add_ids(struct pmutrace_events *e)
{
	int err = 0, fd;

	e->ids = calloc(e->list.nr * e->nr_places + 1, sizeof(*e->ids));
	if (!e->ids)
		return -ENOMEM;
	for (size_t k = 0; k < e->nr_columns; k++) {
		const struct api_event *c = &e->columns[k];

		for (size_t i = 0; i < c->nr * e->nr_places && !err; i++) {
			size_t place = i / c->nr, event = c->first + i % c->nr;
			uint64_t *id = &e->ids[place * e->list.nr + event];

			fd = counters__fd(e->counters, event, place);
			if (fd < 0)
				continue;
			err = perf_id(fd, id);
			if (!err)
				err = idmap__set(&e->by_id, *id, (uint32_t)k);
		}
	}
	return err;
}

static int add_readings(struct pmutrace_events *e)
{
	e->now = calloc(e->list.nr * e->nr_places + 1, sizeof(*e->now));
	e->base = calloc(e->list.nr * e->nr_places + 1, sizeof(*e->base));
	e->now_present_ns = calloc(e->nr_places + 1, sizeof(*e->now_present_ns));
	e->base_present_ns = calloc(e->nr_places + 1, sizeof(*e->base_present_ns));
	return e->now && e->base && e->now_present_ns && e->base_present_ns ? 0 : -ENOMEM;
}

static int open_list(struct pmutrace_events *e, const struct pmutrace_target *target,
		     const struct pmutrace_options *o, struct buf *why)
{
	bool any_writes = false;
	int err = 0;

	for (size_t i = 0; i < e->list.nr && !err; i++) {
		prepare_records(&e->list.items[i].attr);
		any_writes = any_writes || attr__writes(&e->list.items[i].attr);
		err = refuse_blind(&e->list.items[i], why);
	}
	if (!err)
		err = add_columns(e);
	/* The kernel maps no ring of an event that inherits on all CPUs. */
	if (!err)
		err = events__find_places(e, target, o->inherit && any_writes, why);
	if (!err)
		err = open_counters(e, o, any_writes, why);
	if (err == -EBADF && e->cgroup_fd >= 0) {
		buf__clear(why);
		err = buf__printf(why, "'%s' is no cgroup", target->cgroup) ? -ENOMEM : -EBADF;
	}
	if (!err)
		err = check_open(e, o->all, why);
	if (!err)
		err = add_labels(e);
	if (err)
		return err;
	err = add_ids(e);
	return err ? err : add_readings(e);
}

/* attr.size 0: all of the struct. */
static int check_attr(const struct perf_event_attr *attr, struct buf *why)
{
	const size_t known = sizeof(*attr);

	if (attr->size <= known)
		return 0;
	if (attr->size <= MOST_OPTIONS)
		return given__check("perf_event_attr", attr + 1, attr->size - known, why);
	return buf__puts(why, "attr.size must be sizeof(struct perf_event_attr)") ? -ENOMEM
										  : -E2BIG;
}

/* Callers built with an older header know fewer options. */
static int copy_options(struct pmutrace_options *o, const struct pmutrace_options *given,
			struct buf *why)
{
	int err;

	if (given->size < sizeof(given->size) || given->size > MOST_OPTIONS) {
		if (buf__puts(why, "options.size must be sizeof(struct pmutrace_options)"))
			return -ENOMEM;
		return -EINVAL;
	}
	if (given->size > sizeof(*given)) {
		err = given__check("options", given + 1, given->size - sizeof(*given), why);
		if (err)
			return err;
	}
	memcpy(o, given, given->size < sizeof(*o) ? given->size : sizeof(*o));
	return 0;
}

static int take_options(struct pmutrace_options *o, const struct pmutrace_options *given,
			struct perf_event_attr *attr, struct buf *why)
{
	size_t size;
	int err;

	*o = (struct pmutrace_options){ .size = sizeof(*o) };
	if (!given)
		return 0;
	err = copy_options(o, given, why);
	if (!err && o->attr)
		err = check_attr(o->attr, why);
	if (err || !o->attr)
		return err;
	*attr = (struct perf_event_attr){};
	size = o->attr->size && o->attr->size < sizeof(*attr) ? o->attr->size : sizeof(*attr);
	memcpy(attr, o->attr, size);
	o->attr = attr;
	o->inherit = o->inherit || attr->inherit;
	o->enable_on_exec = o->enable_on_exec || attr->enable_on_exec;
	return 0;
}

static int new_events(struct pmutrace_events **e)
{
	*e = calloc(1, sizeof(**e));
	if (!*e)
		return -ENOMEM;
	(*e)->cgroup_fd = -1;
	(*e)->opener = gettid();
	return 0;
}

static int finish(struct pmutrace_events **out, struct pmutrace_events *e, int err,
		  struct buf *text, struct pmutrace_error *why)
{
	*out = err ? NULL : e;
	if (err)
		pmutrace_close(e);
	if (err)
		return error__set(why, err, text);
	buf__free(text);
	return error__none(why);
}

int pmutrace_open(struct pmutrace_events **out, const char *spec,
		  const struct pmutrace_target *target, const struct pmutrace_options *options,
		  struct pmutrace_error *why)
{
	static const struct perf_event_attr none;
	/* Its caller may have threads: there is no jail (lookup/lookup_reader.h). */
	struct lookup_reader *reader = lookup_reader__new(NULL, NULL);
	struct perf_event_env env = resolve__by(reader);
	struct pmutrace_events *e = NULL;
	struct perf_event_attr common;
	struct pmutrace_options o = {};
	struct buf text = {};
	int err = reader ? new_events(&e) : -ENOMEM;

	if (!err)
		err = take_options(&o, options, &common, &text);
	if (!err && !spec)
		err = buf__puts(&text, "spec is NULL: it is to name events") ? -ENOMEM : -EINVAL;
	if (!err) {
		env.inherit = o.inherit;
		env.reader = READER_PROGRAM;
		err = perf_events__parse(&e->list, &env, spec, &text);
	}
	if (!err && !o.force)
		err = returns__check(&e->list, &env, &text);
	lookup_reader__free(reader);
	for (size_t i = 0; !err && i < e->list.nr; i++)
		complete(&e->list.items[i], o.attr ? o.attr : &none);
	if (!err)
		err = open_list(e, target, &o, &text);
	return finish(out, e, err, &text, why);
}

/* The kernel's name for it, or numbers. */
static int name_attr(const struct perf_event_attr *a, struct buf *out)
{
	static const char *const types[] = {
		[PERF_TYPE_HARDWARE] = "hardware",
		[PERF_TYPE_SOFTWARE] = "software",
		[PERF_TYPE_TRACEPOINT] = "tracepoint",
		[PERF_TYPE_HW_CACHE] = "cache",
		[PERF_TYPE_RAW] = "raw",
		[PERF_TYPE_BREAKPOINT] = "breakpoint",
	};
	const struct perf_event_name *n;
	char cache[64];

	for (size_t i = 0; (n = perf_event__name(i)); i++)
		if (n->type == a->type && n->config == a->config)
			return buf__puts(out, n->name);
	if (a->type == PERF_TYPE_HW_CACHE &&
	    perf_event__cache_name(a->config, cache, sizeof(cache)))
		return buf__puts(out, cache);
	if (a->type == PERF_TYPE_BREAKPOINT)
		return buf__printf(out, "breakpoint 0x%llx", (unsigned long long)a->bp_addr);
	if (a->type < ARRAY_SIZE(types))
		return buf__printf(out, "%s 0x%llx", types[a->type], (unsigned long long)a->config);
	return buf__printf(out, "type %u 0x%llx", a->type, (unsigned long long)a->config);
}

/* Appends an event to the list; @label NULL: made from the attr. 0 or -ENOMEM. */
static int add_attr(struct pmutrace_events *e, const struct perf_event_attr *attr,
		    const char *label, bool group)
{
	struct buf name = {};
	struct perf_event_spec *spec;
	size_t size = attr->size && attr->size < sizeof(*attr) ? attr->size : sizeof(*attr);
	int err = array__grow(&e->list.items, &e->list.cap, e->list.nr + 1);

	if (!err)
		err = label ? buf__puts(&name, label) : name_attr(attr, &name);
	if (err) {
		buf__free(&name);
		return err;
	}
	spec = &e->list.items[e->list.nr];
	*spec = (struct perf_event_spec){
		.name = name.data,
		.scale = 1,
		.group = group ? 0 : EVENT_NO_GROUP,
		.part_of = (uint32_t)e->list.nr,
	};
	memcpy(&spec->attr, attr, size);
	spec->attr.size = sizeof(spec->attr);
	e->list.nr++;
	e->list.nr_groups = group;
	return 0;
}

int pmutrace_open_attrs(struct pmutrace_events **out, const struct perf_event_attr *attrs,
			const char *const *labels, size_t nr, bool group,
			const struct pmutrace_target *target,
			const struct pmutrace_options *options, struct pmutrace_error *why)
{
	struct pmutrace_events *e = NULL;
	struct perf_event_attr common;
	struct pmutrace_options o = {};
	struct buf text = {};
	int err = new_events(&e);

	if (!err)
		err = take_options(&o, options, &common, &text);
	if (!err && (!nr || !attrs))
		err = buf__puts(&text, "there are no events in the list") ? -ENOMEM : -EINVAL;
	for (size_t i = 0; i < nr && !err; i++)
		err = check_attr(&attrs[i], &text);
	for (size_t i = 0; i < nr && !err; i++) {
		o.inherit = o.inherit || attrs[i].inherit;
		o.enable_on_exec = o.enable_on_exec || attrs[i].enable_on_exec;
		err = add_attr(e, &attrs[i], labels ? labels[i] : NULL, group);
	}
	if (!err)
		err = open_list(e, target, &o, &text);
	return finish(out, e, err, &text, why);
}
