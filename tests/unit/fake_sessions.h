/* SPDX-License-Identifier: BSD-2-Clause */
/* Sessions of probe/ on the kernel of fake_kernel.h: their targets, and what they measure. */
#ifndef TESTS_UNIT_FAKE_SESSIONS_H
#define TESTS_UNIT_FAKE_SESSIONS_H

#include "fake_kernel.h"
#include "tracefs_fixture.h"

#include "event/event.h"
#include "machine/target.h"
#include "object/bpf.h"
#include "probe/count.h"
#include "probe/func.h"
#include "probe/sample.h"
#include "probe/session.h"
#include "probe/top.h"
#include "probe/within.h"

#define FAKE_TRACEFS "sys/kernel/tracing/events/"
#define FAKE_DEVICES "sys/bus/event_source/devices/"

static struct fixture tree;
static struct target target, machine; /* this process and its children; all */

static inline int fake_sessions__set_up(void **state)
{
	static const char *const files[][2] = {
		{ "proc/mounts", "tracefs /sys/kernel/tracing tracefs rw 0 0\n" },
		{ FAKE_TRACEFS "sched/sched_switch/id", "314\n" },
		{ FAKE_TRACEFS "sched/sched_wakeup/id", "315\n" },
		{ FAKE_TRACEFS "syscalls/sys_enter_read/id", "316\n" },
		{ FAKE_TRACEFS "syscalls/sys_enter_write/id", "317\n" },
		{ FAKE_TRACEFS "syscalls/sys_exit_read/id", "318\n" },
		{ FAKE_TRACEFS "syscalls/sys_exit_write/id", "319\n" },
		{ FAKE_DEVICES "kprobe/type", "6\n" },
		{ FAKE_DEVICES "kprobe/format/retprobe", "config:0\n" },
		{ FAKE_DEVICES "uprobe/type", "7\n" },
		{ FAKE_DEVICES "uprobe/format/retprobe", "config:0\n" },
	};
	struct buf why = {};
	char pid[16];

	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		puts("1..0 # SKIP no-btf: kernel without /sys/kernel/btf/vmlinux");
		exit(0);
	}
	bpf__log_debug();
	fixture__open(&tree);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		fixture__put(&tree, files[i][0], files[i][1]);
	snprintf(pid, sizeof(pid), "%d", getpid());
	target.inherit = true;
	assert_int_equal(target__add_pids(&target, pid, &why), 0);
	assert_int_equal(target__finish(&target, &why), 0);
	assert_int_equal(target__finish(&machine, &why), 0);
	buf__free(&why);
	return 0;
}

static inline int fake_sessions__tear_down(void **state)
{
	target__free(&target);
	target__free(&machine);
	fixture__close(&tree);
	return 0;
}

/* For struct rows_reader. */
static inline int fake_closed(void *arg)
{
	return 0;
}

static inline int fake_take_stack(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	*handle = 0;
	return 0;
}

static inline int fake_take_count(void *arg, const struct sample_stack *s, uint32_t handle,
				  uint64_t count, uint64_t weight, const struct table_value *values)
{
	return 0;
}

static const struct rows_reader no_rows = { .closed = fake_closed,
					    .stack = fake_take_stack,
					    .count = fake_take_count };

/* As before 5.15: fake.refuse. */
static inline int no_links(const struct fake_call_args *args)
{
	return args->call == (enum fake_call)BPF_LINK_CREATE ? EINVAL : 0;
}

/* What a program does that is hit on a CPU, in one of the generations of its tables. */
struct fake_hit {
	uint32_t cpu, gen;
	struct sample_key key;
	uint32_t nr_fields;
	uint64_t words[8]; /* the fields, then frames of the kernel, then of the program */
	uint64_t count, weight;
};

static inline void fake_write(int fd, const void *from, size_t bytes, uint64_t at)
{
	assert_int_equal(pwrite(fd, from, bytes, (off_t)at), (ssize_t)bytes);
}

static inline struct table_generation fake_generation(uint32_t cpu, uint32_t gen)
{
	struct table_cpu c;
	int fd = fake_find(FAKE_MAP, "cpus");

	assert_int_equal(pread(fd, &c, sizeof(c), cpu * sizeof(c)), sizeof(c));
	return c.gen[gen];
}

static inline void fake_put_generation(uint32_t cpu, uint32_t gen, struct table_generation g)
{
	fake_write(fake_find(FAKE_MAP, "cpus"), &g, sizeof(g),
		   cpu * sizeof(struct table_cpu) + offsetof(struct table_cpu, gen[gen]));
}

static inline void fake_hit(struct fake_hit h)
{
	const int cpus = fake_find(FAKE_MAP, "cpus"), slots = fake_find(FAKE_MAP, "slots"),
		  store = fake_find(FAKE_MAP, "store");
	const uint64_t regions = fake_objects[cpus].map.max_entries * TABLE_GENERATIONS,
		       nr_slots = fake_objects[slots].map.max_entries / regions,
		       chunks = fake_objects[store].map.max_entries / regions,
		       region = h.cpu * TABLE_GENERATIONS + h.gen;
	const uint32_t words = h.nr_fields + h.key.stack.nr_kernel + h.key.stack.nr_user;
	struct table_generation g = fake_generation(h.cpu, h.gen);
	struct table_record r = { .first_ns = clock__now_ns(),
				  .slot = g.keys,
				  .words = TABLE_RECORD_WORDS + SAMPLE_KEY_WORDS + words };
	struct table_slot slot = {
		.hash = ++fake_serial, .count = h.count, .sum = h.weight, .key = g.keys
	};
	uint64_t at = region * chunks * sizeof(struct table_chunk) + g.words * 8ull;

	fake_write(store, &r, sizeof(r), at);
	fake_write(store, &h.key, sizeof(h.key), at + sizeof(r));
	fake_write(store, h.words, words * 8, at + sizeof(r) + sizeof(h.key));
	fake_write(slots, &slot, sizeof(slot), (region * nr_slots + r.slot) * sizeof(slot));
	g.words += r.words;
	g.keys++;
	g.seen += h.count;
	fake_put_generation(h.cpu, h.gen, g);
}

/* Of the first key of a CPU: the first of its values. Behind fake_hit(). */
static inline void fake_value(uint32_t cpu, uint32_t gen, struct table_value v)
{
	const int cpus = fake_find(FAKE_MAP, "cpus"), values = fake_find(FAKE_MAP, "values");
	const uint64_t regions = fake_objects[cpus].map.max_entries * TABLE_GENERATIONS;
	const uint64_t of_region = fake_objects[values].map.max_entries / regions;

	fake_write(values, &v, sizeof(v), (cpu * TABLE_GENERATIONS + gen) * of_region * sizeof(v));
}

/* It had no room for so many. */
static inline void fake_lose(uint32_t cpu, uint32_t gen, enum table_loss why, uint64_t nr)
{
	struct table_generation g = fake_generation(cpu, gen);

	g.seen += nr;
	g.lost[why] += nr;
	fake_put_generation(cpu, gen, g);
}

/* A session of any kind. */
struct life {
	struct perf_event_env env;
	struct perf_events events;
	struct count_probe probes[4]; /* sessions keep what points to them */
	struct func_probe function;
	struct session *session;
	struct within *within;
	struct buf why;
};

static inline int at_0x1139(struct lookup_reader *reader, const char *path, const char *symbol,
			    struct perf_location *out, struct buf *why)
{
	*out = (struct perf_location){ .path = strdup(path), .offset = 0x1139, .at_entry = true };
	return 0;
}

static inline void life__parse(struct life *l, const char *events)
{
	l->env = (struct perf_event_env){ .root = tree.dir, .sites = true, .function = at_0x1139 };
	assert_int_equal(perf_events__parse(&l->events, &l->env, events, &l->why), 0);
}

static inline int life__sample(struct life *l, const char *events)
{
	life__parse(l, events);
	return sampler__open(&l->session,
			     &(struct sampler_opts){ .events = l->events.items,
						     .nr_events = l->events.nr,
						     .target = &target,
						     .by = BY_KSTACK | BY_USTACK,
						     .unwind_bytes = 1 << 20,
						     .max_stack = 16,
						     .max_stacks = 64 },
			     &l->why);
}

/* @opts: how rows are told apart. */
static inline int life__count(struct life *l, const char *events, struct count_opts opts)
{
	life__parse(l, events);
	assert_true(l->events.nr <= ARRAY_SIZE(l->probes));
	for (size_t i = 0; i < l->events.nr; i++)
		l->probes[i] = (struct count_probe){ .event = &l->events.items[i], .number = i };
	opts.probes = l->probes;
	opts.nr_probes = l->events.nr;
	opts.env = &l->env;
	opts.target = &target;
	opts.max_stack = 16;
	opts.max_keys = 64;
	return count__open(&l->session, &opts, &l->why);
}

/* Up to two events. */
static inline int life__top(struct life *l, const char *events)
{
	const struct perf_event_spec *list[2];

	life__parse(l, events);
	assert_int_equal(l->events.nr, 2);
	list[0] = &l->events.items[0];
	list[1] = &l->events.items[1];
	return top__open(&l->session,
			 &(struct top_opts){ .events = list, .nr_events = 2, .max_keys = 64 },
			 &l->why);
}

static inline void life__close(struct life *l)
{
	session__close(l->session);
	within__close(l->within);
	perf_events__free(&l->events);
	buf__free(&l->why);
}

#endif
