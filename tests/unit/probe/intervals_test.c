// SPDX-License-Identifier: BSD-2-Clause
/* What sessions hand out of a kernel of the test's own: rows, losses, CPUs that come and go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "fake_sessions.h"

#include "probe/cpu_counters.h"
#include "object/multi.h"

/* What was handed out. */
static struct {
	unsigned nr_closed, nr_stacks, nr_counts;
	uint64_t count, weight, kernel, user;
	uint32_t tgid;
	struct table_value value; /* the first */
} got;

static int closed(void *arg)
{
	got.nr_closed++;
	return 0;
}

static int take_stack(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	got.nr_stacks++;
	*handle = s->key->tgid;
	return 0;
}

static int take_count(void *arg, const struct sample_stack *s, uint32_t handle, uint64_t count,
		      uint64_t weight, const struct table_value *values)
{
	assert_int_equal(handle, s->key->tgid);
	got.nr_counts++;
	if (values)
		got.value = values[0];
	got.count += count;
	got.weight += weight;
	got.tgid = handle;
	got.kernel = s->key->stack.nr_kernel ? s->kernel[0] : 0;
	got.user = s->key->stack.nr_user ? s->user[0] : 0;
	return 0;
}

static const struct rows_reader fns = { .closed = closed,
					.stack = take_stack,
					.count = take_count };

static int begin(void **state)
{
	fake_reset();
	memset(&got, 0, sizeof(got));
	return 0;
}

static void flush(struct session *s)
{
	memset(&got, 0, sizeof(got));
	assert_int_equal(session__flush(s, &fns), 0);
}

static uint64_t loss_of(const struct session *s, const char *name, uint64_t *seen)
{
	struct losses l = {};

	session__losses(s, &l);
	*seen = l.seen;
	for (unsigned i = 0; i < l.nr; i++)
		if (!strcmp(l.by[i].name, name))
			return l.by[i].n;
	return 0;
}

static const struct fake_hit a_hit = {
	.key = { .tgid = 42, .stack = { .nr_kernel = 1, .nr_user = 2 } },
	.words = { 0xffffffff81000000, 0x401000, 0x402000 },
	.count = 3,
	.weight = 30,
};

static void each_interval_has_its_own_rows(void **state)
{
	struct fake_hit hit = a_hit;
	struct life l = {};
	uint64_t seen;

	assert_int_equal(life__sample(&l, "page-faults@1"), 0);
	assert_int_equal(session__start(l.session), 0);
	fake_hit(hit);
	fake_lose(0, 0, TABLE_LOST_SLOTS, 5);
	assert_int_equal(session__seen(l.session), 8);
	flush(l.session);
	assert_int_equal(got.nr_closed, 1);
	assert_int_equal(got.count, 3);
	assert_int_equal(got.weight, 30);
	assert_int_equal(got.tgid, 42);
	assert_true(got.kernel == 0xffffffff81000000);
	assert_int_equal(got.user, 0x401000);
	assert_int_equal(loss_of(l.session, "stacks_full", &seen), 5);
	assert_int_equal(seen, 8);
	/* Programs write the other generation now. */
	hit.gen = 1;
	hit.key.tgid = 43;
	hit.count = 4;
	fake_hit(hit);
	flush(l.session);
	assert_int_equal(got.nr_counts, 1);
	assert_int_equal(got.count, 4);
	assert_int_equal(got.tgid, 43);
	flush(l.session);
	assert_int_equal(got.nr_counts, 0);
	assert_int_equal(loss_of(l.session, "stacks_full", &seen), 5);
	assert_int_equal(seen, 12);
	life__close(&l);
}

static void what_is_left_at_the_end_is_polled(void **state)
{
	struct life l = {};

	assert_int_equal(life__count(&l, "kprobe:vfs_read", (struct count_opts){ .by = BY_TID }),
			 0);
	assert_int_equal(session__start(l.session), 0);
	fake_hit(a_hit);
	fake.missed = 7;
	assert_int_equal(session__stop(l.session), 0);
	assert_int_equal(session__poll(l.session, &fns), 0);
	assert_int_equal(got.nr_stacks, 1);
	assert_int_equal(got.count, 3);
	assert_int_equal(session__seen(l.session), 3);
	life__close(&l);
}

static void put_total(uint64_t total)
{
	fake_write(fake_find(FAKE_MAP, "totals"), &total, sizeof(total), 0);
}

static void totals_are_told_once(void **state)
{
	struct life l = {};

	assert_int_equal(life__count(&l, "kprobe:vfs_read", (struct count_opts){}), 0);
	assert_int_equal(session__start(l.session), 0);
	put_total(5);
	assert_int_equal(session__seen(l.session), 5);
	flush(l.session);
	assert_int_equal(got.count, 5);
	flush(l.session);
	assert_int_equal(got.count, 0);
	put_total(9);
	assert_int_equal(session__stop(l.session), 0);
	memset(&got, 0, sizeof(got));
	assert_int_equal(session__poll(l.session, &fns), 0);
	assert_int_equal(got.count, 4);
	life__close(&l);
}

static void calls_have_values(void **state)
{
	struct fake_hit hit = a_hit;
	struct func_probe function = {};
	struct func_stats stats;
	struct life l = {};
	uint64_t seen;

	fake.release = "6.13.0";
	life__parse(&l, "uprobe:/bin/sh:main,uretprobe:/bin/sh:main");
	function.entry = &l.events.items[0];
	function.leave = &l.events.items[1];
	assert_int_equal(func__open(&l.session,
				    &(struct func_opts){ .functions = &function,
							 .nr_functions = 1,
							 .env = &l.env,
							 .target = &target,
							 .max_stack = 16,
							 .max_keys = 64,
							 .max_tasks = 64 },
				    &l.why),
			 0);
	assert_int_equal(session__start(l.session), 0);
	hit.key.stack = (struct stack_found){};
	fake_hit(hit);
	fake_value(0, 0, (struct table_value){ .sum = 900, .min = 200, .max = 400 });
	fake_lose(0, 0, TABLE_LOST_STORE, 2);
	flush(l.session);
	assert_int_equal(got.nr_counts, 1);
	assert_int_equal(got.count, 3);
	assert_int_equal(got.value.sum, 900);
	assert_int_equal(got.value.min, 200);
	assert_int_equal(got.value.max, 400);
	flush(l.session);
	assert_int_equal(got.nr_counts, 0);
	fake.missed = 4;
	assert_int_equal(session__stop(l.session), 0);
	assert_int_equal(loss_of(l.session, "store_full", &seen), 2);
	assert_int_equal(seen, 5);
	func__stats(l.session, &stats);
	assert_true(stats.missed >= 4);
	assert_int_equal(stats.unfinished, 0);
	life__close(&l);
}

/* Of 64 keys more than half: they are drained while programs run, and polled soon again. */
static void tables_that_fill_are_drained(void **state)
{
	struct life l = {};

	assert_int_equal(life__sample(&l, "page-faults@1"), 0);
	assert_int_equal(session__start(l.session), 0);
	assert_int_equal(session__patience_ms(l.session), 100);
	for (int i = 0; i < 20; i++)
		fake_hit(a_hit);
	/* Of 64 keys, at no speed that is known: as if the rest came in a tenth of a second. */
	assert_int_equal(session__patience_ms(l.session), 68);
	assert_int_equal(session__poll(l.session, &fns), 0);
	assert_int_equal(session__poll(l.session, &fns), 0);
	assert_int_equal(session__patience_ms(l.session), 68);
	assert_int_equal(got.nr_stacks, 20);
	assert_int_equal(got.nr_counts, 0);
	for (int i = 0; i < 20; i++)
		fake_hit(a_hit);
	assert_int_equal(session__poll(l.session, &fns), 0);
	assert_int_equal(got.nr_closed, 1);
	assert_int_equal(got.nr_stacks, 40);
	assert_int_equal(got.count, 120);
	/* Nothing comes any more. */
	assert_int_equal(session__poll(l.session, &fns), 0);
	assert_int_equal(session__poll(l.session, &fns), 0);
	assert_int_equal(session__patience_ms(l.session), 100);
	life__close(&l);
}

/* Whoever is handed a row may say no, and the session says so. */
static int out_of_memory(void *arg, const struct sample_stack *s, uint32_t *handle)
{
	return -ENOMEM;
}

static void an_error_of_the_taker_ends_it(void **state)
{
	const struct rows_reader refuses = { closed, out_of_memory, take_count, NULL };
	struct life l = {};

	assert_int_equal(life__sample(&l, "page-faults@1"), 0);
	assert_int_equal(session__start(l.session), 0);
	fake_hit(a_hit);
	assert_int_equal(session__flush(l.session, &refuses), -ENOMEM);
	life__close(&l);
}

static uint32_t offline;

static int last_cpu_is_offline(const struct fake_call_args *args)
{
	if (args->cpu != (int)offline)
		return 0;
	return args->call == FAKE_OPEN				 ? ENODEV
	       : args->call == (enum fake_call)BPF_PROG_TEST_RUN ? ENXIO
								 : 0;
}

static void no_last_cpu(void)
{
	offline = machine.cpus[machine.nr_cpus - 1];
	fake.refuse = last_cpu_is_offline;
}

/* By the list of sysfs it is online: its events are opened when that is looked at. */
static void events_are_opened_when_a_cpu_comes(void **state)
{
	struct life l = {};
	unsigned nr, nr_ioctls;

	no_last_cpu();
	assert_int_equal(life__sample(&l, "page-faults@1"), 0);
	assert_int_equal(session__start(l.session), 0);
	fake.refuse = NULL;
	nr = fake_seen.nr_of[FAKE_OPEN];
	nr_ioctls = fake_seen.nr_of[FAKE_IOCTL];
	usleep(150000);
	assert_int_equal(session__poll(l.session, &fns), 0);
	assert_int_equal(fake_seen.nr_of[FAKE_OPEN], nr + 1);
	assert_int_equal(fake_seen.nr_of[FAKE_IOCTL], nr_ioctls + 2); /* a program, and on */
	assert_int_equal(session__poll(l.session, &fns), 0);
	assert_int_equal(fake_seen.nr_of[FAKE_OPEN], nr + 1);
	life__close(&l);
}

static void times_are_those_of_all_events(void **state)
{
	uint64_t enabled_ns, running_ns;
	struct life l = {};

	assert_int_equal(life__sample(&l, "page-faults@1"), 0);
	assert_int_equal(session__start(l.session), 0);
	usleep(20000);
	flush(l.session);
	assert_int_equal(session__times(l.session, 0, &enabled_ns, &running_ns), 0);
	assert_true(enabled_ns >= 20000000 * machine.nr_cpus);
	assert_int_equal(enabled_ns, running_ns);
	life__close(&l);
}

/* The kernel counts 1000 on each CPU, and programs saw none. */
static void what_only_the_event_counted_was_passed_over(void **state)
{
	struct life l = {};
	uint64_t seen;

	assert_int_equal(life__sample(&l, "page-faults@10"), 0);
	assert_int_equal(session__start(l.session), 0);
	fake.count = 1000;
	assert_int_equal(session__stop(l.session), 0);
	assert_int_equal(session__poll(l.session, &fns), 0);
	assert_in_range(session__passed_over(l.session, 0), 900 * machine.nr_cpus,
			1000 * machine.nr_cpus);
	assert_in_range(loss_of(l.session, "passed_over", &seen), 90 * machine.nr_cpus,
			100 * machine.nr_cpus);
	life__close(&l);
}

/* Task switches as top's programs tell them: on each CPU since the start, of nobody. */
static int top_now(const struct fake_call_args *args)
{
	if (args->cpu >= 0 && !strcmp(args->name, "top_now")) {
		struct top_cpu told = { .since_ns = clock__now_ns() };
		int err = last_cpu_is_offline(args);

		for (unsigned i = 0; i < TOP_EVENTS; i++)
			told.enabled_ns[i] = told.running_ns[i] = told.since_ns;
		if (!err)
			fake_write(fake_find(FAKE_MAP, "running"), &told, sizeof(told),
				   args->cpu * sizeof(told));
		return err;
	}
	return last_cpu_is_offline(args);
}

static void top_counts_the_cpus_that_are_there(void **state)
{
	const size_t all = machine.nr_cpus;
	uint64_t enabled_ns, running_ns;
	struct life l = {};

	offline = INT32_MAX;
	fake.refuse = top_now;
	assert_int_equal(life__top(&l, "page-faults,cpu-clock"), 0);
	assert_int_equal(session__start(l.session), 0);
	assert_int_equal(top__nr_cpus(l.session), all);
	usleep(10000);
	assert_int_equal(session__flush(l.session, &fns), 0);
	assert_int_equal(session__times(l.session, 0, &enabled_ns, &running_ns), 0);
	assert_true(enabled_ns >= 10000000 * all);
	assert_int_equal(enabled_ns, running_ns);
	assert_int_equal(session__times(l.session, 1, &enabled_ns, &running_ns), 0);
	assert_true(enabled_ns >= 10000000 * all);
	/* It was there at the last look; and is not at the next. */
	no_last_cpu();
	fake.refuse = top_now;
	assert_int_equal(session__flush(l.session, &fns), 0);
	assert_int_equal(top__nr_cpus(l.session), all);
	assert_int_equal(session__flush(l.session, &fns), 0);
	assert_int_equal(top__nr_cpus(l.session), all - 1);
	/* Its events are opened anew when it is back. */
	offline = INT32_MAX;
	fake_seen.nr_of[FAKE_OPEN] = 0;
	assert_int_equal(session__flush(l.session, &fns), 0);
	assert_int_equal(top__nr_cpus(l.session), all);
	assert_int_equal(fake_seen.nr_of[FAKE_OPEN], 1);
	life__close(&l);
}

static int no_page_faults(const struct fake_call_args *args)
{
	return args->call == FAKE_OPEN && args->event->config == PERF_COUNT_SW_PAGE_FAULTS ? ENOENT
											   : 0;
}

static void top_leaves_out_what_cannot_be_counted(void **state)
{
	struct life l = {};
	const char *why;

	fake.refuse = no_page_faults;
	assert_int_equal(life__top(&l, "page-faults,minor-faults"), 0);
	assert_int_equal(top__left_out(l.session, 0, &why), -ENOENT);
	assert_non_null(strstr(why, "page-faults"));
	assert_int_equal(top__left_out(l.session, 1, &why), 0);
	assert_null(why);
	life__close(&l);
}

static void a_kernel_without_links_has_events(void **state)
{
	struct count_stats stats;
	struct life l = {};

	fake.refuse = no_links;
	fake.release = "5.10.0";
	assert_int_equal(life__count(&l, "kprobe:vfs_read,kprobe:vfs_write",
				     (struct count_opts){ .by = BY_TID }),
			 0);
	count__stats(l.session, &stats);
	assert_int_equal(stats.nr_places, 2);
	assert_true(fake_seen.nr_of[FAKE_OPEN] >= 2);
	assert_int_equal(l.why.len, 0);
	life__close(&l);
}

static int nothing_at_vfs_write(const struct fake_call_args *args)
{
	const struct {
		uint32_t prog_fd, target_fd, attach_type, flags, multi_flags, nr;
		uint64_t symbols;
	} *link = (const void *)args->bpf;
	const char *const *symbols;

	if (args->call != (enum fake_call)BPF_LINK_CREATE)
		return 0;
	symbols = (const char *const *)(uintptr_t)link->symbols;
	for (uint32_t i = 0; i < link->nr; i++)
		if (!strcmp(symbols[i], "vfs_write"))
			return EINVAL;
	return 0;
}

static void count_skipped(void *arg, const struct perf_event_spec *event, int err)
{
	assert_string_equal(event->name, "kprobe:vfs_write");
	assert_int_equal(err, -EINVAL);
	++*(unsigned *)arg;
}

static void optional_functions_may_be_missing(void **state)
{
	unsigned nr_skipped = 0;
	struct count_probe probes[4] = {};
	struct count_stats stats;
	struct life l = {};

	fake.refuse = nothing_at_vfs_write;
	life__parse(&l, "kprobe:vfs_read,kprobe:vfs_write,kprobe:vfs_open,kprobe:vfs_fsync");
	for (size_t i = 0; i < 4; i++)
		probes[i] = (struct count_probe){ .event = &l.events.items[i],
						  .number = i,
						  .optional = true };
	assert_int_equal(count__open(&l.session,
				     &(struct count_opts){ .probes = probes,
							   .nr_probes = 4,
							   .env = &l.env,
							   .target = &machine,
							   .by = BY_TID,
							   .max_stack = 16,
							   .skipped = count_skipped,
							   .arg = &nr_skipped },
				     &l.why),
			 0);
	count__stats(l.session, &stats);
	assert_int_equal(stats.nr_places, 3);
	assert_int_equal(nr_skipped, 1);
	life__close(&l);
}

static void links_tell_what_was_missed(void **state)
{
	const struct multi_place place = { .symbol = "vfs_read" };
	uint64_t nr = 0;
	int fd;

	fake.missed = 12;
	assert_int_equal(multi__attach(3, MULTI_KPROBE, NULL, false, &place, 0, &fd), -EINVAL);
	assert_int_equal(fd, -1);
	assert_int_equal(multi__attach(3, MULTI_KPROBE, NULL, false, &place, 1, &fd), 0);
	assert_int_equal(multi__missed(fd, &nr), 0);
	assert_int_equal(nr, 12);
	close(fd);
	fake.fail_at = fake_seen.nr_calls + 1;
	fake.fail_errno = EPERM;
	assert_int_equal(multi__attach(3, MULTI_KPROBE, NULL, true, &place, 1, &fd), -EPERM);
	assert_int_equal(fd, -1);
}

/* Counters of one event on all CPUs, in an array of the fake kernel's. */
struct counting {
	struct perf_events events;
	const struct perf_event_spec *list[2];
	struct cpu_counters_opts opts;
	struct cpu_counters c;
	struct buf why;
	int map_fd;
};

static void parse_counters(struct counting *c, const char *events, bool shared)
{
	const union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_HASH, .key_size = 4, .value_size = 4, .max_entries = 64
	};

	*c = (struct counting){ .map_fd = (int)syscall(SYS_bpf, BPF_MAP_CREATE, &attr,
						       sizeof(attr)) };
	assert_int_equal(perf_events__parse(&c->events, NULL, events, &c->why), 0);
	assert_true(c->events.nr <= ARRAY_SIZE(c->list));
	for (size_t i = 0; i < c->events.nr; i++)
		c->list[i] = &c->events.items[i];
	c->opts = (struct cpu_counters_opts){
		.events = c->list, .nr_events = c->events.nr, .per_cpu = 2, .shared = shared
	};
}

static void close_counters(struct counting *c)
{
	cpu_counters__close(&c->c);
	perf_events__free(&c->events);
	buf__free(&c->why);
	close(c->map_fd);
}

static void a_pinned_event_needs_a_counter(void **state)
{
	struct counting c;

	parse_counters(&c, "cycles", false);
	fake.no_counter = true;
	assert_int_equal(cpu_counters__open(&c.c, &c.opts, &c.why), -EBUSY);
	assert_non_null(strstr(c.why.data, "'cycles': no counter of CPU"));
	close_counters(&c);
}

static int grouped_is_refused(const struct fake_call_args *args)
{
	return args->call == FAKE_OPEN && args->group_fd >= 0 ? EINVAL : 0;
}

static void a_group_that_does_not_fit_is_told(void **state)
{
	struct counting c;

	parse_counters(&c, "{cycles,instructions}", true);
	fake.refuse = grouped_is_refused;
	assert_int_equal(cpu_counters__open(&c.c, &c.opts, &c.why), -EINVAL);
	assert_non_null(strstr(c.why.data, "'instructions' does not go with the others"));
	close_counters(&c);
}

static void counters_are_closed_with_their_cpu_and_opened_again(void **state)
{
	struct counting c;
	uint32_t cpu;

	parse_counters(&c, "page-faults,cs", true);
	no_last_cpu();
	cpu = offline;
	assert_int_equal(cpu_counters__open(&c.c, &c.opts, &c.why), 0);
	assert_false(cpu_counters__are_open(&c.c, &c.opts, cpu));
	assert_int_equal(cpu_counters__put(&c.c, c.map_fd), 0);
	assert_int_equal(cpu_counters__reopen(&c.c, &c.opts, cpu, c.map_fd, &c.why), -ENODEV);
	fake.refuse = NULL;
	assert_int_equal(cpu_counters__reopen(&c.c, &c.opts, cpu, c.map_fd, &c.why), 0);
	assert_true(cpu_counters__are_open(&c.c, &c.opts, cpu));
	assert_int_equal(cpu_counters__drop(&c.c, &c.opts, cpu, c.map_fd), 0);
	assert_false(cpu_counters__are_open(&c.c, &c.opts, cpu));
	assert_int_equal(cpu_counters__drop(&c.c, &c.opts, cpu, c.map_fd), 0);
	/* All or none: what was opened by then is closed. */
	fake.fail_at = fake_seen.nr_calls + 2;
	fake.fail_errno = EMFILE;
	assert_int_equal(cpu_counters__reopen(&c.c, &c.opts, cpu, c.map_fd, &c.why), -EMFILE);
	assert_int_equal(c.c.fds[cpu * 2], -1);
	close_counters(&c);
}

#define ON_IT(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_IT(each_interval_has_its_own_rows),
		ON_IT(what_is_left_at_the_end_is_polled),
		ON_IT(totals_are_told_once),
		ON_IT(calls_have_values),
		ON_IT(tables_that_fill_are_drained),
		ON_IT(an_error_of_the_taker_ends_it),
		ON_IT(events_are_opened_when_a_cpu_comes),
		ON_IT(times_are_those_of_all_events),
		ON_IT(what_only_the_event_counted_was_passed_over),
		ON_IT(top_counts_the_cpus_that_are_there),
		ON_IT(top_leaves_out_what_cannot_be_counted),
		ON_IT(a_kernel_without_links_has_events),
		ON_IT(optional_functions_may_be_missing),
		ON_IT(links_tell_what_was_missed),
		ON_IT(a_pinned_event_needs_a_counter),
		ON_IT(a_group_that_does_not_fit_is_told),
		ON_IT(counters_are_closed_with_their_cpu_and_opened_again),
	};

	return cmocka_run_group_tests(tests, fake_sessions__set_up, fake_sessions__tear_down);
}
