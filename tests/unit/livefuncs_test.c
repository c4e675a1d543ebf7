// SPDX-License-Identifier: BSD-2-Clause
/* Samples of a child that does nothing but spin: refreshed, summed up, and forgotten. */
#include "livefuncs.h"

#include <stdlib.h>

/*
 * Intervals until most samples of the child have its function's name: names are looked up beside
 * the run, and those of the first intervals come late on a busy machine. What is not the function's
 * own is the kernel's: interrupts, and the work that others left to them.
 */
static uint64_t samples_with_names(struct livefuncs *f, pid_t pid, unsigned ms, uint64_t *self)
{
	enum { INTERVALS_MOST = 50 };
	uint64_t samples = 0;

	for (int i = 0; i < INTERVALS_MOST; i++) {
		samples = samples_while_it_runs(f, pid, ms, self);
		if (*self > samples / 2)
			return samples;
	}
	fail_msg("no names after %d intervals", INTERVALS_MOST);
	return samples;
}

static void an_interval_has_its_own_samples_alone(void **state)
{
	struct livefuncs *f = begin((struct livefuncs_opts){});
	pid_t pid = start_child();
	uint64_t samples, self, since;

	samples = samples_with_names(f, pid, 200, &self);
	assert_true(samples > 50);
	stop_child(pid);
	since = clock__now_ns();
	refresh(f);
	wait_ms(f, 50);
	assert_int_equal(samples_of(refresh(f), pid, "spin_here", &self), 0);
	assert_true(livefuncs__profile(f)->duration_ns >= 50000000);
	assert_true(livefuncs__profile(f)->duration_ns <= clock__now_ns() - since);
	livefuncs__close(f);
}

static void a_window_has_those_of_all_its_intervals(void **state)
{
	struct livefuncs *f = begin((struct livefuncs_opts){ .window_ns = 3600000000000 });
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
		assert_int_equal(p->own_ns, own_ns + livefuncs__interval(f)->own_ns);
		own_ns = p->own_ns;
		assert_true(own_ns > seen * 50);
		assert_true(own_ns < seen * 1000000);
	}
	stop_child(pid);
	refresh(f);
	assert_true(samples_of(refresh(f), pid, "spin_here", &self) >= before);
	livefuncs__close(f);
}

/* At each refresh: the next interval's are found again, those of the kernel too. */
static void names_that_were_forgotten_come_again(void **state)
{
	struct livefuncs *f = begin((struct livefuncs_opts){ .max_names = 1 });
	pid_t pid = start_child();

	for (int i = 0; i < 4; i++) {
		uint64_t self;

		assert_true(samples_with_names(f, pid, 100, &self) > 25);
	}
	stop_child(pid);
	livefuncs__close(f);
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
static void memory_does_not_grow_with_the_intervals(void **state)
{
	struct livefuncs *f =
		begin((struct livefuncs_opts){ .target = &children, .window_ns = 200000000 });
	pid_t pid = start_child();
	size_t early = 0, late;
	uint64_t self;

	samples_with_names(f, pid, 20, &self); /* the kernel's and ours are there */
	stop_child(pid);
	for (int i = 0; i < 220; i++) {
		pid = start_child();
		wait_ms(f, 10);
		refresh(f);
		stop_child(pid);
		if (i == 20)
			early = rss_kb();
	}
	late = rss_kb();
	print_message("%zu kB after 20 refreshes, %zu kB after 220\n", early, late);
	assert_true(late < early + 2048);
	livefuncs__close(f);
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
