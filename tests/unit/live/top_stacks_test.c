// SPDX-License-Identifier: BSD-2-Clause
/* Samples of a child that does nothing but spin: refreshed, summed up, and forgotten. */
#include "top_stacks.h"

#include <stdlib.h>

/* Of a process in a function, or in what the kernel did on top of it. */
static uint64_t samples_in(const struct profile *p, uint32_t pid, const char *function)
{
	const struct scope scope = { .of = SCOPE_PROCESSES, .ids = &pid, .nr_ids = 1 };
	struct functions *f;
	uint64_t sum = 0;

	assert_int_equal(functions__new(&f, p, 0, &scope), 0);
	for (size_t i = 0; i < f->nr; i++)
		if (!strcmp(profile__name(p, f->by[i].frame), function))
			sum += f->by[i].total;
	functions__free(f);
	return sum;
}

/*
 * Intervals until nearly all samples of the child are in its function: names are looked up beside
 * the run, and those of the first intervals come late on a busy machine. Which is told of each.
 */
static uint64_t samples_with_names(struct top_stacks *f, pid_t pid, unsigned ms)
{
	enum { INTERVALS_MOST = 50, FORK_MS = 50 };

	/* It is in fork() at first: of a short interval that may be many samples. */
	wait_for_cpu(f, pid, FORK_MS);
	refresh(f);
	for (int i = 0; i < INTERVALS_MOST; i++) {
		uint64_t self, samples = samples_while_it_runs(f, pid, ms, &self);
		const struct profile *p = top_stacks__profile(f);
		uint64_t named = samples_in(p, pid, "spin_here");

		assert_true(named + late_names(p) > samples * 9 / 10);
		if (named > samples * 9 / 10) {
			assert_true(self > samples / 2);
			return samples;
		}
	}
	fail_msg("no names after %d intervals", INTERVALS_MOST);
	return 0;
}

static void an_interval_has_its_own_samples_alone(void **state)
{
	struct top_stacks *f = begin((struct top_stacks_opts){});
	pid_t pid = start_child();
	uint64_t samples, self, since;

	samples = samples_with_names(f, pid, 200);
	assert_true(samples > 50);
	stop_child(pid);
	since = clock__now_ns();
	refresh(f);
	wait_ms(f, 50);
	assert_int_equal(samples_of(refresh(f), pid, "spin_here", &self), 0);
	assert_true(top_stacks__profile(f)->duration_ns >= 50000000);
	assert_true(top_stacks__profile(f)->duration_ns <= clock__now_ns() - since);
	top_stacks__close(f);
}

static void a_window_has_those_of_all_its_intervals(void **state)
{
	struct top_stacks *f = begin((struct top_stacks_opts){ .window_ns = 3600000000000 });
	pid_t pid = start_child();
	uint64_t before = 0, seen = 0, own_ns = 0, self;

	for (int i = 0; i < 4; i++) {
		const struct profile *p;

		wait_for_cpu(f, pid, 50);
		p = refresh(f);
		assert_true(samples_of(p, pid, "spin_here", &self) > before);
		before = samples_of(p, pid, "spin_here", &self);
		assert_true(p->losses.seen > seen);
		seen = p->losses.seen;
		/* A sample takes far more than 50 ns, and far less than 1 ms. */
		assert_int_equal(p->own_ns, own_ns + top_stacks__interval(f)->own_ns);
		own_ns = p->own_ns;
		assert_true(own_ns > seen * 50);
		assert_true(own_ns < seen * 1000000);
	}
	stop_child(pid);
	refresh(f);
	assert_true(samples_of(refresh(f), pid, "spin_here", &self) >= before);
	top_stacks__close(f);
}

/* At each refresh: the next interval's are found again, those of the kernel too. */
static void names_that_were_forgotten_come_again(void **state)
{
	struct top_stacks *f = begin((struct top_stacks_opts){ .max_names = 1 });
	pid_t pid = start_child();

	for (int i = 0; i < 4; i++)
		assert_true(samples_with_names(f, pid, 100) > 25);
	stop_child(pid);
	top_stacks__close(f);
}

/*
 * A sanitizer keeps what was freed for a while: none of it, or memory would seem to grow. Its
 * library looks for this among what the program exports.
 */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "quarantine_size_mb=0:thread_local_quarantine_size_kb=0";
}

static size_t rss_kb(void)
{
	char line[256];
	size_t kb = 0;
	FILE *file = fopen("/proc/self/status", "r");

	assert_non_null(file);
	while (fgets(line, sizeof(line), file))
		if (!strncmp(line, "VmRSS:", 6))
			kb = strtoul(line + 6, NULL, 10);
	fclose(file);
	return kb;
}

/* Each interval has a process that no other one had. Others' might bring programs with them. */
static void have_intervals(struct top_stacks *f, int nr)
{
	while (nr--) {
		pid_t pid = start_child();

		wait_ms(f, 10);
		refresh(f);
		stop_child(pid);
	}
}

/* On a busy machine symbols are still being read after hundreds of ms: once, and they stay. */
static size_t rss_once_all_is_read(struct top_stacks *f)
{
	size_t kb = 0, before;
	int tries = 20;

	have_intervals(f, 20);
	do {
		before = kb;
		have_intervals(f, 40);
		kb = rss_kb();
	} while (kb > before + 100 && --tries);
	return kb;
}

static void memory_does_not_grow_with_the_intervals(void **state)
{
	struct top_stacks *f =
		begin((struct top_stacks_opts){ .target = &children, .window_ns = 200000000 });
	pid_t pid = start_child();
	size_t early, late;

	samples_with_names(f, pid, 20); /* the kernel's and ours are there */
	stop_child(pid);
	early = rss_once_all_is_read(f);
	have_intervals(f, 200);
	late = rss_kb();
	print_message("%zu kB, %zu kB 200 refreshes later\n", early, late);
	assert_true(late < early + 2048);
	top_stacks__close(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interval_has_its_own_samples_alone),
		cmocka_unit_test(a_window_has_those_of_all_its_intervals),
		cmocka_unit_test(names_that_were_forgotten_come_again),
		cmocka_unit_test(memory_does_not_grow_with_the_intervals),
	};

	return cmocka_run_group_tests(tests, prepare, clean_up);
}
