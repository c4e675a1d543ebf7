// SPDX-License-Identifier: BSD-2-Clause
/* Sessions of each kind on a kernel of the test's own: what it refuses, and what is left then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "descriptors.h"
#include "fake_kernel.h"
#include "tracefs_fixture.h"

#include "event/event.h"
#include "machine/target.h"
#include "probe/bpf.h"
#include "probe/count.h"
#include "probe/func.h"
#include "probe/sample.h"
#include "probe/session.h"
#include "probe/top.h"
#include "probe/within.h"

static struct fixture tree;
static struct target target;

static int set_up(void **state)
{
	const char *no_btf = "no-btf: kernel without /sys/kernel/btf/vmlinux";
	char pid[16];
	struct buf why = {};

	if (access("/sys/kernel/btf/vmlinux", R_OK)) {
		printf("1..0 # SKIP %s\n", no_btf);
		exit(0);
	}
	bpf__log_debug();
	fixture__open(&tree);
	fixture__put(&tree, "proc/mounts", "tracefs /sys/kernel/tracing tracefs rw 0 0\n");
	fixture__put(&tree, "sys/kernel/tracing/events/sched/sched_switch/id", "314\n");
	fixture__put(&tree, "sys/bus/event_source/devices/kprobe/type", "6\n");
	fixture__put(&tree, "sys/bus/event_source/devices/kprobe/format/retprobe", "config:0\n");
	snprintf(pid, sizeof(pid), "%d", getpid());
	target.inherit = true;
	assert_int_equal(target__add_pids(&target, pid, &why), 0);
	assert_int_equal(target__finish(&target, &why), 0);
	buf__free(&why);
	return 0;
}

static int tear_down(void **state)
{
	target__free(&target);
	fixture__close(&tree);
	return 0;
}

static int closed(void *arg)
{
	return 0;
}

static int take_stack(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	*handle = 0;
	return 0;
}

static int take_count(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t count,
		      uint64_t weight, const struct table_value *values)
{
	return 0;
}

static const struct sampler_fns fns = { .closed = closed,
					.stack = take_stack,
					.count = take_count };

/* One of a session of any kind. */
struct life {
	struct perf_event_env env;
	struct perf_events events;
	struct session session;
	struct top *top;
	struct within *within;
	struct buf why;
};

static void parse(struct life *l, const char *events)
{
	l->env = (struct perf_event_env){ .root = tree.dir, .sites = true };
	assert_int_equal(perf_events__parse(&l->events, &l->env, events, &l->why), 0);
}

static int open_samples(struct life *l)
{
	parse(l, "cpu-clock@99hz,page-faults@1");
	return sampler__session(&l->session,
				&(struct sampler_opts){ .events = l->events.items,
							.nr_events = l->events.nr,
							.target = &target,
							.kernel_stack = true,
							.user_stack = true,
							.max_stack = 16,
							.max_stacks = 64 },
				&l->why);
}

static int open_count(struct life *l, const char *events, bool by_tid)
{
	struct count_probe probes[4] = {};

	parse(l, events);
	for (size_t i = 0; i < l->events.nr; i++)
		probes[i] = (struct count_probe){ .event = &l->events.items[i], .number = i };
	return count__session(&l->session,
			      &(struct count_opts){ .probes = probes,
						    .nr_probes = l->events.nr,
						    .env = &l->env,
						    .target = &target,
						    .by_tid = by_tid,
						    .max_stack = 16,
						    .max_keys = 64 },
			      &l->why);
}

static int open_tracepoint(struct life *l)
{
	return open_count(l, "sched:sched_switch", true);
}

static int open_functions(struct life *l)
{
	return open_count(l, "kprobe:vfs_read,kprobe:vfs_write", true);
}

static int open_totals(struct life *l)
{
	return open_count(l, "kprobe:vfs_read,kprobe:vfs_write", false);
}

static int open_calls(struct life *l)
{
	struct func_probe function = {};

	parse(l, "kprobe:vfs_read,kretprobe:vfs_read");
	function.entry = &l->events.items[0];
	function.leave = &l->events.items[1];
	return func__session(&l->session,
			     &(struct func_opts){ .functions = &function,
						  .nr_functions = 1,
						  .env = &l->env,
						  .target = &target,
						  .by_tid = true,
						  .max_stack = 16,
						  .max_keys = 64,
						  .max_tasks = 64 },
			     &l->why);
}

static int open_top(struct life *l)
{
	const struct perf_event_spec *events[2];

	parse(l, "page-faults,cpu-clock");
	events[0] = &l->events.items[0];
	events[1] = &l->events.items[1];
	return top__open(&l->top,
			 &(struct top_opts){ .events = events, .nr_events = 2, .max_keys = 64 },
			 &l->why);
}

static int open_within(struct life *l)
{
	parse(l, "kprobe:vfs_read,kretprobe:vfs_read");
	return within__open(&l->within,
			    &(struct within_opts){ .entry = &l->events.items[0],
						   .leave = &l->events.items[1],
						   .env = &l->env,
						   .target = &target },
			    &l->why);
}

static const struct kind {
	const char *name;
	int (*open)(struct life *l);
} kinds[] = {
	{ "samples", open_samples },	 { "tracepoint", open_tracepoint },
	{ "functions", open_functions }, { "totals", open_totals },
	{ "calls", open_calls },	 { "top", open_top },
	{ "within", open_within },
};

/* An interval, and what is behind the last one. */
static int run_session(struct life *l)
{
	struct session *s = &l->session;
	int err = s->fns->start(s->impl);

	if (!err)
		err = s->fns->poll(s->impl, &fns);
	if (!err)
		err = s->fns->flush(s->impl, &fns);
	if (!err)
		err = s->fns->stop(s->impl);
	return err ? err : s->fns->poll(s->impl, &fns);
}

static int run_top(struct life *l)
{
	int err = top__start(l->top);

	return err ? err : top__flush(l->top, &fns);
}

static void close_life(struct life *l)
{
	session__close(&l->session);
	top__close(l->top);
	within__close(l->within);
	perf_events__free(&l->events);
	buf__free(&l->why);
}

/* What is made for a session: if it cannot be, that is told. */
static bool is_made(enum fake_call call)
{
	return call == (enum fake_call)BPF_MAP_CREATE || call == (enum fake_call)BPF_PROG_LOAD ||
	       call == (enum fake_call)BPF_LINK_CREATE ||
	       call == (enum fake_call)BPF_RAW_TRACEPOINT_OPEN || call == FAKE_OPEN;
}

/* All of it. */
static int live(const struct kind *k)
{
	struct life l = {};
	int err = k->open(&l);

	if (err && is_made(fake_seen.failed) && !l.why.len)
		fail_msg("%s: %s at call %u (%d) without a sentence", k->name, strerror(-err),
			 fake.fail_at, fake_seen.failed);
	if (!err && l.session.impl)
		err = run_session(&l);
	else if (!err && l.top)
		err = run_top(&l);
	close_life(&l);
	return err;
}

struct left {
	unsigned descriptors;
	long mapped, blocks;
};

static struct left take_stock(void)
{
	return (struct left){ nr_open(), fake_seen.nr_mapped, fake_nr_blocks };
}

static void assert_nothing_left(const struct kind *k, struct left before)
{
	struct left now = take_stock();

	if (now.descriptors != before.descriptors || now.mapped != before.mapped ||
	    now.blocks != before.blocks)
		fail_msg(
			"%s: call %u (%d) fails: %d descriptors, %ld mappings, %ld blocks are left",
			k->name, fake.fail_at, fake_seen.failed,
			(int)(now.descriptors - before.descriptors), now.mapped - before.mapped,
			now.blocks - before.blocks);
}

static void reset(void)
{
	memset(&fake, 0, sizeof(fake));
	fake_seen.nr_calls = 0;
	memset(fake_seen.nr_of, 0, sizeof(fake_seen.nr_of));
}

/* Once: libbpf keeps what it finds out of a kernel. Then each of the calls fails in turn. */
static void nothing_is_left_of(const struct kind *k, bool alike)
{
	static const int errnos[] = { EPERM, ENOMEM, EMFILE, ENODEV };
	unsigned nr_failed = 0, nr_calls;
	struct left before;

	reset();
	assert_int_equal(live(k), 0);
	reset();
	before = take_stock();
	assert_int_equal(live(k), 0);
	nr_calls = fake_seen.nr_calls;
	assert_nothing_left(k, before);
	for (unsigned n = 1; n <= nr_calls; n++) {
		int err;

		reset();
		fake.fail_at = n;
		fake.fail_alike = alike;
		fake.fail_errno = errnos[n % ARRAY_SIZE(errnos)];
		before = take_stock();
		err = live(k);
		assert_nothing_left(k, before);
		assert_true(err <= 0);
		nr_failed += err < 0;
	}
	print_message("%s: %u of %u calls are needed\n", k->name, nr_failed, nr_calls);
	assert_true(nr_failed > 0);
	reset();
}

static void of_one_refusal_nothing_is_left(void **state)
{
	nothing_is_left_of(*state, false);
}

/* A kernel that cannot do it at all, from some time on. */
static void of_many_refusals_nothing_is_left(void **state)
{
	nothing_is_left_of(*state, true);
}

#define OF_EACH_KIND(test)                                                                         \
	{ #test ": samples", test, NULL, NULL, (void *)&kinds[0] },                                \
		{ #test ": tracepoint", test, NULL, NULL, (void *)&kinds[1] },                     \
		{ #test ": functions", test, NULL, NULL, (void *)&kinds[2] },                      \
		{ #test ": totals", test, NULL, NULL, (void *)&kinds[3] },                         \
		{ #test ": calls", test, NULL, NULL, (void *)&kinds[4] },                          \
		{ #test ": top", test, NULL, NULL, (void *)&kinds[5] },                            \
	{                                                                                          \
#test ": within", test, NULL, NULL, (void *)&kinds[6]                              \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		OF_EACH_KIND(of_one_refusal_nothing_is_left),
		OF_EACH_KIND(of_many_refusals_nothing_is_left),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
