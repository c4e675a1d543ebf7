// SPDX-License-Identifier: BSD-2-Clause
/* What a session that charges counters to tasks does in its own way. */
#include "probe/top.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/files.h"
#include "machine/cpus.h"
#include "object/bpf.h"
#include "probe/top_keys.h"
#include "probe/top_session.h"

static struct top *top_of(const struct session *s)
{
	return container_of(s, struct top, session);
}

/* Number of threads on the machine; 0: not known. */
static size_t nr_tasks(void)
{
	FILE *f = fopen("/proc/loadavg", "re");
	size_t nr = 0;

	if (!f)
		return 0;
	if (fscanf(f, "%*s %*s %*s %*u/%zu", &nr) != 1)
		nr = 0;
	fclose(f);
	return nr;
}

static int default_keys(const struct top *t, uint32_t nr_values, uint64_t *keys)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	struct top_machine machine = {
		.nr_cpus = t->nr_cpus,
		.nr_tasks = nr_tasks(),
		.memory_bytes = pages > 0 ? (uint64_t)pages * page_bytes : 0,
	};
	uint32_t possible;
	int err = cpus__possible("", &possible);

	if (err)
		return err;
	machine.nr_places = possible;
	*keys = top_keys__default(&machine, nr_values);
	return 0;
}

static int size_maps(struct top *t, const struct top_opts *opts)
{
	struct tables_opts tables = {
		.max_keys = opts->max_keys,
		.max_words = SAMPLE_KEY_WORDS,
		.key_words = TABLE_RECORD_WORDS + SAMPLE_KEY_WORDS,
		.lanes = 1,
		.nr_values = TOP_VALUES + opts->nr_events,
	};
	int err = 0;

	if (!tables.max_keys)
		err = default_keys(t, tables.nr_values, &tables.max_keys);
	if (!err)
		err = tables__size(&t->object.tables, &tables, t->skel->obj);
	if (!err)
		err = bpf_map__set_max_entries(t->skel->maps.running, t->object.tables.nr_places);
	if (!err)
		err = bpf_map__set_max_entries(t->skel->maps.counters,
					       t->object.tables.nr_places * TOP_EVENTS);
	return err;
}

static int load(struct top *t, const struct top_opts *opts, struct buf *why)
{
	int err;

	t->skel = top_bpf__open();
	if (!t->skel)
		return -errno;
	t->object.tables.first = SAMPLE_KEY_WORDS;
	t->skel->rodata->cfg = (struct top_cfg){
		.task.by = opts->by | BY_PID,
		.nr_events = opts->nr_events,
		.measures_all = opts->measures_all,
	};
	for (size_t i = 0; i < opts->nr_events; i++)
		t->skel->rodata->cfg.counters[i] = t->how[i];
	err = size_maps(t, opts);
	if (!err)
		err = top_bpf__load(t->skel);
	if (!err)
		err = tables__map(&t->object.tables, t->skel->obj);
	if (err)
		return bpf__explain_load(why, err, NULL);
	t->object.on = (uint32_t *)&t->skel->bss->control.on;
	t->places = calloc(t->object.tables.nr_places, sizeof(*t->places));
	return t->places ? 0 : -ENOMEM;
}

/* How to count an event: the programs know time and switches without a perf event. */
static enum top_counter counter_of(const struct perf_event_attr *attr)
{
	if (attr->type != PERF_TYPE_SOFTWARE || attr->exclude_kernel || attr->exclude_user)
		return TOP_COUNTER_PERF;
	switch (attr->config) {
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK:
		return TOP_COUNTER_TIME;
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
		return TOP_COUNTER_SWITCHES;
	default:
		return TOP_COUNTER_PERF;
	}
}

static int open_counters(struct top *t, const struct top_opts *opts, struct buf *why)
{
	int err;

	for (size_t i = 0; i < opts->nr_events; i++) {
		t->how[i] = counter_of(&opts->events[i]->attr);
		if (t->how[i] == TOP_COUNTER_PERF)
			t->events[i] = opts->events[i];
	}
	t->counted = (struct cpu_counters_opts){
		.events = t->events,
		.nr_events = opts->nr_events,
		.per_cpu = TOP_EVENTS,
		.shared = true,
		.left_out = t->left_out,
	};
	err = cpu_counters__open(&t->counters, &t->counted, why);
	for (size_t i = 0; i < opts->nr_events; i++)
		if (t->left_out[i].why.len)
			t->how[i] = TOP_COUNTER_NONE;
	return err;
}

static int count_cpus(struct top *t)
{
	uint32_t *online;
	int err = cpus__online("", &online, &t->nr_cpus);

	if (!err)
		free(online);
	return err;
}

static struct object *top_object(const struct session *s, size_t i)
{
	return i ? NULL : &top_of(s)->object;
}

/* Whoever runs when the programs are turned on is charged from then on. */
static int top_started(struct session *s)
{
	return top__charge(top_of(s));
}

static int top_before_flush(struct session *s)
{
	return s->stopped ? 0 : top__charge(top_of(s));
}

static int top_wait(struct session *s)
{
	return top__fence(top_of(s));
}

void top__stats(const struct session *s, struct top_stats *out)
{
	const struct top *t = top_of(s);
	const volatile struct top_control *control = &t->skel->bss->control;

	*out = (struct top_stats){ .untold = control->untold,
				   .own_ns = tables__own_ns(&t->object.tables) };
}

/* Seen are pieces of tasks' runs, from one switch to the next. */
static void top_losses(const struct session *s, struct losses *out)
{
	static const struct loss texts[TOP_LOST_NR] = {
		[TABLE_LOST_SLOTS] = { "tasks_full", "no room for another task", "a shorter -d",
				       false, 0 },
		[TABLE_LOST_STORE] = { "store_full", "no room for another task's name",
				       "a shorter -d", false, 0 },
		[TABLE_LOST_MAP] = { "no_cpu", "no memory for this CPU", NULL, false, 0 },
		[TABLE_LOST_BUSY] = { "interrupted", "ended while another did", NULL, false, 0 },
		[TOP_LOST_COUNTER] = { "counter_unreadable",
				       "events could not be counted, on a CPU that has come "
				       "online",
				       NULL, false, 0 },
	};
	const struct top *t = top_of(s);
	const volatile struct top_control *control = &t->skel->bss->control;
	uint64_t lost[TOP_LOST_NR];

	tables__stats(&t->object.tables, &out->seen, lost);
	for (unsigned i = TABLE_LOST_NR; i < TOP_LOST_NR; i++) {
		lost[i] = control->lost[i];
		out->seen += lost[i];
	}
	session__add_losses(out, texts, lost, TOP_LOST_NR);
}

size_t top__nr_cpus(const struct session *s)
{
	return top_of(s)->nr_cpus;
}

uint64_t top__now_ns(const struct session *s)
{
	return top_of(s)->now_ns;
}

int top__left_out(const struct session *s, size_t event, const char **why)
{
	const struct top *t = top_of(s);
	const struct cpu_counters_left *left = &t->left_out[event];
	bool is_left_out = t->how[event] == TOP_COUNTER_NONE;

	*why = is_left_out ? left->why.data : NULL;
	return is_left_out ? left->err : 0;
}

/* On a counter all the time, or with others. 0: not counted. */
static int top_times(const struct session *s, uint32_t event, uint64_t *enabled_ns,
		     uint64_t *running_ns)
{
	const struct top *t = top_of(s);

	if (t->how[event] == TOP_COUNTER_PERF) {
		*enabled_ns = t->enabled_ns[event];
		*running_ns = t->running_ns[event];
	} else if (t->how[event] != TOP_COUNTER_NONE) {
		*enabled_ns = *running_ns = t->cpus_ns;
	}
	return 0;
}

static void top_close(struct session *s)
{
	struct top *t = top_of(s);

	bpf_link__destroy(t->on_switch);
	cpu_counters__close(&t->counters);
	tables__unmap(&t->object.tables);
	top_bpf__destroy(t->skel);
	for (size_t i = 0; i < TOP_EVENTS; i++)
		buf__free(&t->left_out[i].why);
	free(t->places);
	free(t);
}

int top__open(struct session **out, const struct top_opts *opts, struct buf *why)
{
	static const struct session_fns fns = {
		.object = top_object,
		.started = top_started,
		.before_flush = top_before_flush,
		.wait = top_wait,
		.losses = top_losses,
		.times = top_times,
		.close = top_close,
	};
	struct top *t;
	int err;

	*out = NULL;
	if (opts->nr_events > TOP_EVENTS)
		return -EINVAL;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->session.fns = &fns;
	t->nr_events = t->thrift.nr_events = opts->nr_events;
	files__raise_limit(SIZE_MAX);
	err = count_cpus(t);
	if (!err)
		err = open_counters(t, opts, why);
	if (!err)
		err = load(t, opts, why);
	if (!err)
		err = cpu_counters__put(&t->counters, bpf_map__fd(t->skel->maps.counters));
	if (!err)
		err = bpf__follow(&t->on_switch, t->skel->progs.top_switch, why);
	if (err) {
		top_close(&t->session);
		return err;
	}
	*out = &t->session;
	return 0;
}
