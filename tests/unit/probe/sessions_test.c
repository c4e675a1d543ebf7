// SPDX-License-Identifier: BSD-2-Clause
/* Sessions of each kind on a kernel of the test's own: what it refuses, and what is left then. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "descriptors.h"
#include "fake_sessions.h"

static const struct filter_cfg filter = { .nr = 1 };

static int open_samples(struct life *l)
{
	return life__sample(l, "cpu-clock@99hz,page-faults@1");
}

static int open_tracepoints(struct life *l)
{
	return life__count(l, "sched:sched_switch,sched:sched_wakeup",
			   (struct count_opts){ .by = BY_TID });
}

static int open_system_calls(struct life *l)
{
	return life__count(l,
			   "syscalls:sys_enter_read,syscalls:sys_enter_write,"
			   "syscalls:sys_exit_read,syscalls:sys_exit_write",
			   (struct count_opts){ .by = BY_TID });
}

static int open_functions(struct life *l)
{
	return life__count(l, "kprobe:vfs_read,kprobe:vfs_write",
			   (struct count_opts){ .by = BY_TID | BY_USTACK });
}

static int open_user_functions(struct life *l)
{
	return life__count(l, "uprobe:/bin/sh:main,uprobe:/bin/sh:exit",
			   (struct count_opts){ .by = BY_TID, .values = true });
}

static int open_totals(struct life *l)
{
	return life__count(l, "kprobe:vfs_read,kprobe:vfs_write", (struct count_opts){});
}

/* By perf events without programs. */
static int open_kernel_counts(struct life *l)
{
	life__parse(l, "sched:sched_switch");
	assert_int_equal(perf_events__set_filter(&l->events, "prev_pid > 0", &l->why), 0);
	l->probes[0] = (struct count_probe){ .event = l->events.items, .filter = &filter };
	return count__open(&l->session,
			   &(struct count_opts){ .probes = l->probes,
						 .nr_probes = 1,
						 .env = &l->env,
						 .target = &machine,
						 .max_stack = 16 },
			   &l->why);
}

static int open_func(struct life *l, const char *ends, struct func_probe function,
		     const struct func_event *event)
{
	life__parse(l, ends);
	l->function = function;
	l->function.entry = &l->events.items[0];
	l->function.leave = &l->events.items[1];
	return func__open(&l->session,
			  &(struct func_opts){ .functions = &l->function,
					       .nr_functions = 1,
					       .events = event,
					       .nr_events = event != NULL,
					       .env = &l->env,
					       .target = &target,
					       .by = BY_TID,
					       .max_stack = 16,
					       .max_keys = 64,
					       .max_tasks = 64 },
			  &l->why);
}

static int open_calls(struct life *l)
{
	return open_func(l, "kprobe:vfs_read,kretprobe:vfs_read", (struct func_probe){}, NULL);
}

static int open_user_calls(struct life *l)
{
	struct func_event faults = { .counter = FUNC_COUNTER_PERF };
	struct perf_events events = {};
	int err;

	assert_int_equal(perf_events__parse(&events, NULL, "page-faults", &l->why), 0);
	faults.event = &events.items[0];
	err = open_func(l, "uprobe:/bin/sh:main,uretprobe:/bin/sh:main", (struct func_probe){},
			&faults);
	perf_events__free(&events);
	return err;
}

static int open_matched(struct life *l)
{
	const struct func_probe function = {
		.match = { { .source = FETCH_CONTEXT }, { .source = FETCH_CONTEXT } },
	};

	return open_func(l, "sched:sched_wakeup,sched:sched_switch", function, NULL);
}

static int open_top(struct life *l)
{
	return life__top(l, "page-faults,cpu-clock");
}

static int open_inside_of(struct life *l, const char *ends)
{
	life__parse(l, ends);
	return within__open(&l->within,
			    &(struct within_opts){ .entry = &l->events.items[0],
						   .leave = &l->events.items[1],
						   .env = &l->env,
						   .target = &target },
			    &l->why);
}

static int open_within(struct life *l)
{
	return open_inside_of(l, "kprobe:vfs_read,kretprobe:vfs_read");
}

static int open_within_user(struct life *l)
{
	return open_inside_of(l, "uprobe:/bin/sh:main,uretprobe:/bin/sh:main");
}

static int no_trampolines(const struct fake_call_args *args)
{
	return args->call == (enum fake_call)BPF_PROG_LOAD && args->bpf->attach_btf_id ? EINVAL : 0;
}

static const char old[] = "5.10.0-31-amd64", recent[] = "6.13.0";

static const struct kind {
	const char *name, *release;
	int (*open)(struct life *l);
	int (*refuse)(const struct fake_call_args *args);
} kinds[] = {
	{ "samples", recent, open_samples, NULL },
	{ "tracepoints", recent, open_tracepoints, NULL },
	{ "system calls", recent, open_system_calls, NULL },
	{ "functions by one link", recent, open_functions, NULL },
	{ "functions by events", old, open_functions, no_links },
	{ "functions of a program", recent, open_user_functions, NULL },
	{ "totals", recent, open_totals, NULL },
	{ "counts by the kernel", recent, open_kernel_counts, NULL },
	{ "calls by trampoline", recent, open_calls, NULL },
	{ "calls by session", recent, open_calls, no_trampolines },
	{ "calls by events", old, open_calls, no_links },
	{ "calls of a program", recent, open_user_calls, NULL },
	{ "matched calls", recent, open_matched, NULL },
	{ "top", recent, open_top, NULL },
	{ "within", recent, open_within, NULL },
	{ "within, by events", old, open_within, no_links },
	{ "within a program", recent, open_within_user, NULL },
};

/*
 * What a session says of itself: nothing was hit. Clocks run on, though, and the kernel has none of
 * the samples that they should have had: they are lost, all of them.
 */
static int tell(struct session *s)
{
	uint64_t enabled_ns, running_ns;
	struct losses losses = {};

	session__losses(s, &losses);
	if (losses.seen != session__seen(s))
		assert_int_equal(losses.seen, session__seen(s) + losses__sum(&losses));
	assert_int_equal(session__own_ns(s), 0);
	session__tell(s);
	return session__times(s, 0, &enabled_ns, &running_ns);
}

/* An interval, and what is behind the last one. */
static int run(struct life *l)
{
	struct session *s = l->session;
	int err;

	if (!s)
		return 0;
	err = session__start(s);
	if (!err)
		err = session__poll(s, &no_rows);
	if (!err)
		err = session__flush(s, &no_rows);
	if (!err)
		err = session__stop(s);
	if (!err)
		err = session__poll(s, &no_rows);
	return err ? err : tell(s);
}

/* What is made for a session: if it cannot be, that is told, but for shortages (base/limits.h). */
static bool has_sentence(enum fake_call call, int err)
{
	return err == -ENOMEM || err == -EMFILE
		       ? false
		       : call == (enum fake_call)BPF_MAP_CREATE ||
				 call == (enum fake_call)BPF_PROG_LOAD ||
				 call == (enum fake_call)BPF_LINK_CREATE ||
				 call == (enum fake_call)BPF_RAW_TRACEPOINT_OPEN ||
				 call == FAKE_OPEN;
}

/* All of it. */
static int live(const struct kind *k)
{
	struct life l = {};
	int err = k->open(&l);

	if (err && has_sentence(fake_seen.failed, err) && !l.why.len)
		fail_msg("%s: %s at call %u (%d) without a sentence", k->name, strerror(-err),
			 fake.fail_at, fake_seen.failed);
	if (!err)
		err = run(&l);
	life__close(&l);
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

static void begin(const struct kind *k)
{
	fake_reset();
	fake.release = k->release;
	fake.refuse = k->refuse;
}

static bool fails(const struct kind *k, unsigned n, bool alike, int with)
{
	struct left before;
	int err;

	begin(k);
	fake.fail_at = n;
	fake.fail_alike = alike;
	fake.fail_errno = with;
	before = take_stock();
	err = live(k);
	assert_nothing_left(k, before);
	assert_true(err <= 0);
	return err;
}

/* Whether the call before is the same, and the one behind: one of many. */
static bool is_within_run(const enum fake_call *log, unsigned n, unsigned nr)
{
	return n > 1 && n < nr && log[n - 1] == log[n - 2] && log[n - 1] == log[n];
}

static bool is_first(const enum fake_call *log, unsigned n)
{
	for (unsigned i = 1; i < n; i++)
		if (log[i - 1] == log[n - 1])
			return false;
	return true;
}

/* With a sanitizer a session takes a tenth of a second to open: not all calls are tried. */
enum {
#if defined(__SANITIZE_ADDRESS__)
	STEP = 5,
#else
	STEP = 1,
#endif
};

/* Its calls fail in turn, by EPERM and otherwise; the first one of a kind also with all later. */
static void nothing_is_left(void **state)
{
	static const int errnos[] = { EPERM, ENOMEM, EMFILE, ENODEV };
	const struct kind *k = *state;
	enum fake_call log[ARRAY_SIZE(fake_seen.log)];
	unsigned nr_calls, nr_failed = 0;
	struct left before;

	begin(k);
	assert_int_equal(live(k), 0); /* libbpf remembers what it finds out of a kernel */
	begin(k);
	before = take_stock();
	assert_int_equal(live(k), 0);
	assert_nothing_left(k, before);
	nr_calls = fake_seen.nr_calls;
	assert_true(nr_calls && nr_calls <= ARRAY_SIZE(log));
	memcpy(log, fake_seen.log, sizeof(log));
	for (unsigned n = 1; n <= nr_calls; n += STEP) {
		int with = errnos[n % ARRAY_SIZE(errnos)];

		if (!is_within_run(log, n, nr_calls)) {
			nr_failed += fails(k, n, false, EPERM);
			nr_failed += fails(k, n, false, with);
		}
		if (is_first(log, n))
			nr_failed += fails(k, n, true, with);
	}
	assert_true(nr_failed > 0);
}

int main(void)
{
	struct CMUnitTest tests[ARRAY_SIZE(kinds)];

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		tests[i] = (struct CMUnitTest){ .name = kinds[i].name,
						.test_func = nothing_is_left,
						.initial_state = (void *)&kinds[i] };
	return cmocka_run_group_tests(tests, fake_sessions__set_up, fake_sessions__tear_down);
}
