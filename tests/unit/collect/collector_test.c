// SPDX-License-Identifier: BSD-2-Clause
/* Sessions on a kernel of the test's own become profiles: rows, losses, times of each interval. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/wait.h>
#include <unistd.h>

#include "descriptors.h"
#include "fake_sessions.h"

#include "base/strtab.h"
#include "collect/collector.h"
#include "model/tuples.h"

enum { A_SECOND = 1000000000 };

static const uint64_t AN_HOUR = 3600ull * A_SECOND; /* more than passes meanwhile */

struct collecting {
	struct life life; /* its events */
	struct collector *c;
};

static int open_samples(struct collecting *s, unsigned by)
{
	*s = (struct collecting){};
	life__parse(&s->life, "page-faults@1");
	return collector__open(
		&s->c,
		&(struct collector_opts){
			.sampler = &(struct sampler_opts){ .events = s->life.events.items,
							   .nr_events = 1,
							   .target = &target,
							   .unwind_bytes = 1 << 20,
							   .max_stack = 16,
							   .max_stacks = 64 },
			.by = by },
		&s->life.why);
}

static void close_collecting(struct collecting *s)
{
	collector__close(s->c);
	life__close(&s->life);
}

static void start(struct collecting *s, unsigned by)
{
	assert_int_equal(open_samples(s, by), 0);
	assert_int_equal(collector__start(s->c), 0);
}

/* Of process 42, which there may be: nothing depends on how its code is called. */
static struct fake_hit samples_of_42(uint32_t gen, uint64_t count)
{
	return (struct fake_hit){ .gen = gen,
				  .key = { .tgid = 42, .tid = 42, .stack = { .nr_user = 1 } },
				  .words = { 0x401000 },
				  .count = count,
				  .weight = 10 * count };
}

static uint64_t loss(const struct profile *p, const char *name)
{
	for (unsigned i = 0; i < p->losses.nr; i++)
		if (!strcmp(p->losses.by[i].name, name))
			return p->losses.by[i].n;
	return 0;
}

static int begin(void **state)
{
	fake_reset();
	return 0;
}

static void samples_become_rows(void **state)
{
	const struct profile *p;
	struct collecting s;

	start(&s, BY_PID | BY_USTACK);
	fake_hit(samples_of_42(0, 3));
	fake_hit(samples_of_42(0, 4));
	fake_lose(0, 0, TABLE_LOST_STORE, 5);
	assert_int_equal(collector__flush(s.c, A_SECOND), 0);
	p = collector__profile(s.c);
	assert_int_equal(p->nr_rows, 1); /* the same stack, and process */
	assert_int_equal(p->rows[0].key.pid, 42);
	assert_int_equal(p->rows[0].samples, 7);
	assert_int_equal(p->rows[0].weight, 70);
	assert_int_equal(p->events[0].samples, 7);
	assert_int_equal(p->losses.seen, 12);
	assert_int_equal(p->losses.kept, 7);
	assert_int_equal(loss(p, "store_full"), 5);
	assert_true(p->duration_ns > 0);
	close_collecting(&s);
}

static void each_interval_tells_its_own(void **state)
{
	const struct profile *p;
	struct collecting s;

	start(&s, BY_PID);
	fake.times_ns = AN_HOUR;
	fake_hit(samples_of_42(0, 3));
	fake_lose(0, 0, TABLE_LOST_SLOTS, 5);
	assert_int_equal(collector__flush(s.c, A_SECOND), 0);
	p = collector__profile(s.c);
	assert_int_equal(loss(p, "stacks_full"), 5);
	assert_int_equal(p->events[0].enabled_ns, AN_HOUR * machine.nr_cpus);
	assert_int_equal(p->events[0].running_ns, AN_HOUR * machine.nr_cpus);
	assert_int_equal(collector__restart(s.c), 0);
	fake.times_ns = 3 * AN_HOUR;
	fake_hit(samples_of_42(1, 4));
	assert_int_equal(collector__flush(s.c, A_SECOND), 0);
	p = collector__profile(s.c);
	assert_int_equal(p->nr_rows, 1);
	assert_int_equal(p->rows[0].samples, 4);
	assert_int_equal(p->losses.seen, 4);
	assert_int_equal(p->losses.kept, 4);
	assert_int_equal(loss(p, "stacks_full"), 0);
	assert_int_equal(p->events[0].enabled_ns, 2 * AN_HOUR * machine.nr_cpus);
	assert_int_equal(p->events[0].running_ns, 2 * AN_HOUR * machine.nr_cpus);
	close_collecting(&s);
}

static void a_profile_that_was_taken_stays(void **state)
{
	struct profile *taken;
	struct collecting s;

	start(&s, BY_PID);
	fake_hit(samples_of_42(0, 3));
	assert_int_equal(collector__flush(s.c, A_SECOND), 0);
	assert_int_equal(collector__take(s.c, &taken), 0);
	assert_int_equal(collector__profile(s.c)->nr_rows, 0);
	assert_int_equal(taken->rows[0].samples, 3);
	close_collecting(&s);
	assert_int_equal(taken->losses.kept, 3);
	profile__free(taken);
}

/* Of another command, which comes but once. */
static struct fake_hit a_sample_of_other(uint32_t gen)
{
	struct fake_hit hit = samples_of_42(gen, 1);

	hit.key.tid = 43;
	strcpy(hit.key.comm, "other");
	return hit;
}

/* What comes again has its names already; who takes a profile gets those of its rows. */
static void stacks_are_named_once_for_all_intervals(void **state)
{
	struct profile *taken[2];
	struct collecting s;

	start(&s, BY_PID | BY_COMM | BY_USTACK);
	fake_hit(a_sample_of_other(0));
	fake_hit(samples_of_42(0, 3));
	assert_int_equal(collector__flush(s.c, A_SECOND), 0);
	assert_int_equal(collector__take(s.c, &taken[0]), 0);
	fake_hit(samples_of_42(1, 4));
	assert_int_equal(collector__flush(s.c, A_SECOND), 0);
	assert_true(collector__profile(s.c)->nr_nodes > 3);
	assert_int_equal(collector__take(s.c, &taken[1]), 0);
	assert_int_equal(taken[0]->nr_rows, 2);
	assert_int_equal(taken[1]->nr_rows, 1);
	assert_int_equal(taken[1]->rows[0].samples, 4);
	assert_true(taken[1]->nr_nodes < taken[0]->nr_nodes);
	assert_int_equal(taken[1]->losses.kept, 4);
	assert_int_equal(taken[1]->about.begin_ns,
			 taken[0]->about.begin_ns + taken[0]->duration_ns);
	close_collecting(&s);
	profile__free(taken[0]);
	profile__free(taken[1]);
}

/* A profile of so many addresses of the kernel, all of them new; how many names are kept. */
static size_t names_after_one_of(struct collecting *s, size_t nr_addresses)
{
	enum { FRAMES = 8, STACKS = 60 };
	static uint32_t nr_flushed;
	static uint64_t next = 0xffff900000000000;

	for (size_t n = 0; n < nr_addresses; nr_flushed++) {
		struct fake_hit hit = { .gen = nr_flushed % TABLE_GENERATIONS,
					.key = { .tgid = 42, .stack = { .nr_kernel = FRAMES } },
					.count = 1,
					.weight = 1 };

		for (unsigned i = 0; i < STACKS; i++, n += FRAMES) {
			for (unsigned k = 0; k < FRAMES; k++)
				hit.words[k] = next += 16;
			fake_hit(hit);
		}
		assert_int_equal(collector__flush(s->c, A_SECOND), 0);
	}
	assert_int_equal(collector__restart(s->c), 0);
	return collector__nr_names(s->c);
}

/* A large machine needs many each time, and would have to ask for them each time. */
static void names_are_kept_as_many_as_a_few_profiles_need(void **state)
{
	enum { MANY = 32000 };
	struct collecting s;

	start(&s, BY_PID | BY_KSTACK);
	assert_true(names_after_one_of(&s, MANY) >= MANY);
	assert_true(names_after_one_of(&s, MANY) >= 2 * MANY);
	assert_true(names_after_one_of(&s, MANY) >= 3 * MANY);
	assert_true(names_after_one_of(&s, 2 * MANY) < MANY);
	/* By what comes after that. */
	assert_true(names_after_one_of(&s, MANY / 4) >= MANY / 4);
	assert_true(names_after_one_of(&s, MANY / 2) >= MANY / 2);
	assert_true(names_after_one_of(&s, MANY / 2) < MANY / 2);
	close_collecting(&s);
}

static void flaws_of_stacks_are_losses_of_parts(void **state)
{
	struct fake_hit hit = {
		.key = { .tgid = 42, .stack = { .flaws = STACK_KERNEL_TRUNCATED, .nr_kernel = 1 } },
		.words = { 0xffffffff81000000 },
		.count = 6,
		.weight = 6
	};
	const struct profile *p;
	struct collecting s;

	start(&s, BY_PID | BY_KSTACK);
	fake_hit(hit);
	assert_int_equal(collector__flush(s.c, A_SECOND), 0);
	p = collector__profile(s.c);
	assert_int_equal(p->losses.kept, 6);
	assert_int_equal(loss(p, "kernel_truncated"), 6);
	close_collecting(&s);
}

/* The walker had no rules for that process's code, and by the time it is looked at it is gone. */
static void a_stack_is_incomplete_for_one_reason(void **state)
{
	const pid_t pid = fork();
	struct fake_hit hit = { .words = { 0x401000, 0x402000 }, .count = 3, .weight = 3 };
	const struct profile *p;
	struct collecting s;
	uint64_t sum = 0;

	if (!pid)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	start(&s, BY_PID | BY_USTACK);
	hit.key = (struct sample_key){ .tgid = pid, .tid = pid, .stack = { .nr_user = 2 } };
	fake_hit(hit);
	hit.key.stack.flaws = STACK_USER_UNKNOWN;
	fake_hit(hit);
	hit.key.stack.flaws = STACK_USER_BROKEN;
	fake_hit(hit);
	assert_int_equal(collector__flush(s.c, A_SECOND), 0);
	p = collector__profile(s.c);
	assert_int_equal(p->losses.kept, 9);
	assert_int_equal(loss(p, "process_gone"), 9);
	for (unsigned i = 0; i < p->losses.nr; i++)
		sum += p->losses.by[i].flaw ? p->losses.by[i].n : 0;
	assert_int_equal(sum, 9);
	close_collecting(&s);
}

static void what_comes_last_is_in_the_result(void **state)
{
	const struct runloop_work nothing = {};
	struct runloop_work work, naming;
	const struct profile *p;
	struct collecting s;
	struct pollfd fds[8];

	start(&s, BY_PID | BY_USTACK);
	work = collector__work(s.c);
	assert_true(work.poll != nothing.poll);
	assert_int_equal(work.poll(work.arg), 0);
	assert_true(work.patience_ms(work.arg) <= 100);
	assert_int_equal(work.pollfds(work.arg, fds, 8), machine.nr_cpus + 2);
	fake_hit(samples_of_42(0, 3));
	assert_int_equal(work.seen(work.arg), 3);
	assert_int_equal(collector__stop(s.c), 0);
	naming = collector__naming(s.c);
	while (!naming.poll(naming.arg))
		usleep(1000);
	assert_int_equal(collector__finish(s.c), 0);
	p = collector__profile(s.c);
	assert_int_equal(p->nr_rows, 1);
	assert_int_equal(p->rows[0].samples, 3);
	assert_int_equal(p->losses.seen, 3);
	close_collecting(&s);
}

static void a_row_of_another_event_is_none(void **state)
{
	struct fake_hit hit = samples_of_42(0, 1);
	struct collecting s;

	start(&s, BY_PID);
	hit.key.stack.source = 1;
	fake_hit(hit);
	assert_int_equal(collector__flush(s.c, A_SECOND), -EBADMSG);
	close_collecting(&s);
}

/* Two probes of one event; each hit brings a number. */
static void hits_have_the_fields_of_their_probe(void **state)
{
	static const struct rowprobe rowprobes[] = { { "kprobe:vfs_read", "vfs_read", 0 },
						     { "kprobe:vfs_write", NULL, 0 } };
	static const struct rowfield fields[] = {
		{ "arg0", FIELD_UNSIGNED, ROWFIELD_WORDS },
		{ "probe", FIELD_TEXT, ROWFIELD_PROBE },
		{ "function", FIELD_TEXT, ROWFIELD_FUNCTION },
	};
	static const struct profile_event event = { .name = "kprobe:vfs_*", .unit = "" };
	static const char *const names[][2] = { { "kprobe:vfs_read", "vfs_read" },
						{ "kprobe:vfs_write", "-" } };
	struct count_probe probes[2] = {};
	struct collecting s = {};
	const struct profile *p;

	life__parse(&s.life, "kprobe:vfs_read,kprobe:vfs_write");
	for (uint32_t i = 0; i < 2; i++)
		probes[i] = (struct count_probe){ .event = &s.life.events.items[i],
						  .by = { { .source = FETCH_CONTEXT } },
						  .nr_by = 1,
						  .number = i };
	assert_int_equal(collector__open(&s.c,
					 &(struct collector_opts){
						 .hits = &(struct count_opts){ .probes = probes,
									       .nr_probes = 2,
									       .env = &s.life.env,
									       .target = &target,
									       .max_stack = 16,
									       .max_keys = 64 },
						 .by = BY_CPU,
						 .events = &event,
						 .nr_events = 1,
						 .probes = rowprobes,
						 .nr_probes = 2,
						 .fields = fields,
						 .nr_fields = ARRAY_SIZE(fields) },
					 &s.life.why),
			 0);
	assert_int_equal(collector__start(s.c), 0);
	for (uint16_t i = 0; i < 2; i++)
		fake_hit((struct fake_hit){ .key = { .stack = { .source = i } },
					    .nr_fields = 1,
					    .words = { 100 + i },
					    .count = 1 + i,
					    .weight = 1 + i });
	assert_int_equal(collector__flush(s.c, A_SECOND), 0);
	p = collector__profile(s.c);
	assert_int_equal(p->nr_rows, 2);
	for (uint32_t i = 0; i < 2; i++) {
		const uint64_t *words = tuples__get(&p->tuples, p->rows[i].key.fields);

		assert_int_equal(p->rows[i].key.event, 0);
		assert_int_equal(p->rows[i].key.cpu, 0);
		assert_int_equal(p->rows[i].samples, 1 + i);
		assert_int_equal(words[0], 100 + i);
		assert_string_equal(strtab__get(p->strings, words[1]), names[i][0]);
		assert_string_equal(strtab__get(p->strings, words[2]), names[i][1]);
	}
	assert_int_equal(p->events[0].samples, 3);
	close_collecting(&s);
}

/* A thread that reads files is not waited for when a collector closes; it closes its own. */
static void threads_end(void)
{
	unsigned nr = 0;

	while (nr != 1) {
		struct dirent *e;
		DIR *d = opendir("/proc/self/task");

		assert_non_null(d);
		for (nr = 0; (e = readdir(d));)
			nr += e->d_name[0] != '.';
		closedir(d);
		usleep(1000);
	}
}

static int live(void)
{
	struct collecting s;
	int err = open_samples(&s, BY_PID | BY_USTACK);

	if (!err)
		err = collector__start(s.c);
	if (!err)
		err = collector__flush(s.c, 0);
	if (!err)
		err = collector__finish(s.c);
	close_collecting(&s);
	return err;
}

/* Its rings and its session: each call fails once. */
static void nothing_is_left_of_what_was_refused(void **state)
{
	static const int errnos[] = { EPERM, ENOMEM, EMFILE, ENODEV };
	unsigned nr_calls, nr_failed = 0, descriptors;
	long mapped;

	assert_int_equal(live(), 0);
	fake_reset();
	assert_int_equal(live(), 0);
	nr_calls = fake_seen.nr_calls;
	threads_end();
	descriptors = nr_open();
	mapped = fake_seen.nr_mapped;
	for (unsigned n = 1; n <= nr_calls; n++) {
		fake_reset();
		fake.fail_at = n;
		fake.fail_errno = errnos[n % ARRAY_SIZE(errnos)];
		nr_failed += live() != 0;
		threads_end();
		assert_int_equal(nr_open(), descriptors);
		assert_int_equal(fake_seen.nr_mapped, mapped);
	}
	assert_true(nr_failed > 10);
}

#define ON_IT(test) cmocka_unit_test_setup(test, begin)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_IT(samples_become_rows),
		ON_IT(each_interval_tells_its_own),
		ON_IT(a_profile_that_was_taken_stays),
		ON_IT(stacks_are_named_once_for_all_intervals),
		ON_IT(names_are_kept_as_many_as_a_few_profiles_need),
		ON_IT(flaws_of_stacks_are_losses_of_parts),
		ON_IT(a_stack_is_incomplete_for_one_reason),
		ON_IT(what_comes_last_is_in_the_result),
		ON_IT(a_row_of_another_event_is_none),
		ON_IT(hits_have_the_fields_of_their_probe),
		ON_IT(nothing_is_left_of_what_was_refused),
	};

	return cmocka_run_group_tests(tests, fake_sessions__set_up, fake_sessions__tear_down);
}
