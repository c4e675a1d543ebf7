// SPDX-License-Identifier: BSD-2-Clause
/* What a counting session counts, and when: hits of getppid(2) by this process. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "descriptors.h"

#include "lookup/resolve.h"
#include "object/attach.h"
#include "object/bpf.h"
#include "probe/count.h"

static const char probe[] = "syscalls:sys_enter_getppid";

struct counted {
	uint64_t by_source[2];
};

static int on_closed(void *arg)
{
	return 0;
}

static int on_stack(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	*handle = s->key->stack.source;
	return 0;
}

static int on_count(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t hits,
		    uint64_t weight, const struct table_value *values)
{
	struct counted *c = arg;

	assert_true(handle < 2);
	c->by_source[handle] += hits;
	return 0;
}

static void call(int n)
{
	while (n--)
		syscall(SYS_getppid);
}

struct counting {
	struct perf_event_env env;
	struct perf_events events;
	struct target target;
	struct session *hits;
	struct buf why;
};

static bool may_not(void)
{
	return geteuid() || access("/sys/kernel/btf/vmlinux", R_OK) ||
	       access("/sys/kernel/tracing/events/syscalls/sys_enter_getppid/id", R_OK);
}

/* @nr probes of the same tracepoint, for this process alone. */
static int open_session(struct counting *s, size_t nr)
{
	struct count_probe probes[2] = {};
	char pid[16];
	int err = 0;

	*s = (struct counting){ .env = resolve_env };
	s->env.sites = true;
	bpf__log_debug();
	snprintf(pid, sizeof(pid), "%d", getpid());
	assert_int_equal(target__add_pids(&s->target, pid, &s->why), 0);
	assert_int_equal(target__finish(&s->target, &s->why), 0);
	for (size_t i = 0; i < nr && !err; i++)
		err = perf_events__parse(&s->events, &s->env, probe, &s->why);
	for (size_t i = 0; i < nr; i++) {
		probes[i].event = &s->events.items[i];
		probes[i].number = i;
	}
	if (!err)
		err = count__open(&s->hits,
				  &(struct count_opts){ .probes = probes,
							.nr_probes = nr,
							.env = &s->env,
							.target = &s->target,
							.by = BY_PID,
							.max_stack = 16 },
				  &s->why);
	return err;
}

/* Counts from here on. */
static void start_session(struct counting *s, size_t nr)
{
	assert_int_equal(open_session(s, nr), 0);
	assert_int_equal(session__start(s->hits), 0);
}

static void close_session(struct counting *s)
{
	session__close(s->hits);
	perf_events__free(&s->events);
	target__free(&s->target);
	buf__free(&s->why);
}

static void hits_before_start_and_after_stop_are_nobodys(void **state)
{
	struct counted counted = {};
	struct rows_reader fns = { on_closed, on_stack, on_count, &counted };
	struct count_stats stats;
	struct counting s;

	if (may_not())
		skip();
	assert_int_equal(open_session(&s, 1), 0);
	call(5);
	assert_int_equal(session__seen(s.hits), 0);
	assert_int_equal(session__start(s.hits), 0);
	call(7);
	assert_int_equal(session__seen(s.hits), 7);
	assert_int_equal(session__stop(s.hits), 0);
	call(3);
	assert_int_equal(session__poll(s.hits, &fns), 0);
	count__stats(s.hits, &stats);
	assert_int_equal(stats.seen, 7);
	assert_int_equal(counted.by_source[0], 7);
	close_session(&s);
}

static void two_probes_on_one_tracepoint_count_each(void **state)
{
	struct counted counted = {};
	struct rows_reader fns = { on_closed, on_stack, on_count, &counted };
	struct counting s;

	if (may_not())
		skip();
	start_session(&s, 2);
	call(11);
	assert_int_equal(session__stop(s.hits), 0);
	assert_int_equal(session__poll(s.hits, &fns), 0);
	assert_int_equal(counted.by_source[0], 11);
	assert_int_equal(counted.by_source[1], 11);
	close_session(&s);
}

static void a_flush_hands_out_what_was_counted_up_to_then(void **state)
{
	struct counted counted = {};
	struct rows_reader fns = { on_closed, on_stack, on_count, &counted };
	struct count_stats stats;
	struct counting s;

	if (may_not())
		skip();
	start_session(&s, 1);
	for (int i = 1; i <= 3; i++) {
		call(i);
		assert_int_equal(session__flush(s.hits, &fns), 0);
		count__stats(s.hits, &stats);
		assert_int_equal(counted.by_source[0], i * (i + 1) / 2);
		assert_int_equal(stats.seen, counted.by_source[0]);
	}
	close_session(&s);
}

static void a_session_keeps_its_descriptors_and_closes_them(void **state)
{
	struct counted counted = {};
	struct rows_reader fns = { on_closed, on_stack, on_count, &counted };
	struct counting s;
	unsigned before, during;

	if (may_not())
		skip();
	assert_int_equal(open_session(&s, 2), 0); /* the first one opens what stays */
	close_session(&s);
	before = nr_open();
	start_session(&s, 2);
	during = nr_open();
	assert_true(during > before);
	for (int i = 0; i < 100; i++) {
		call(1);
		assert_int_equal(session__flush(s.hits, &fns), 0);
		assert_int_equal(nr_open(), during);
	}
	assert_int_equal(counted.by_source[1], 100);
	close_session(&s);
	assert_int_equal(nr_open(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_before_start_and_after_stop_are_nobodys),
		cmocka_unit_test(two_probes_on_one_tracepoint_count_each),
		cmocka_unit_test(a_flush_hands_out_what_was_counted_up_to_then),
		cmocka_unit_test(a_session_keeps_its_descriptors_and_closes_them),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
