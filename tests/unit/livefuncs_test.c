// SPDX-License-Identifier: BSD-2-Clause
/* Samples of a child that does nothing but spin: refreshed, summed up, and forgotten. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/livefuncs.h"
#include "collect/resolve.h"
#include "model/functions.h"
#include "model/scope.h"

enum { HZ = 997 };

static struct target everything;
static struct target children = { .inherit = true };
static struct perf_events events, faults;

/* Not static: it keeps its name and a frame of its own. */
void spin_here(void);
__attribute__((noinline)) void spin_here(void)
{
	for (;;)
		__asm__ volatile("" ::: "memory");
}

static pid_t start_child(void)
{
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (!pid)
		spin_here();
	return pid;
}

static void stop_child(pid_t pid)
{
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static uint64_t cpu_ns(pid_t pid)
{
	struct timespec ts;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &ts), 0);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

static struct livefuncs *begin(struct livefuncs_opts opts)
{
	struct livefuncs *f;
	struct buf why = {};
	int err;

	if (!opts.events)
		opts.events = &events;
	if (!opts.target)
		opts.target = &everything;
	err = livefuncs__open(&f, &opts, &why);
	if (err == -EPERM || err == -EACCES || err == -ENOSYS) {
		print_message("bpf: %s\n", strerror(-err));
		skip();
	}
	if (err)
		print_message("%s\n", why.data ? why.data : strerror(-err));
	buf__free(&why);
	assert_int_equal(err, 0);
	assert_int_equal(livefuncs__start(f), 0);
	return f;
}

/* As a run loop does, so many ms. */
static void wait_ms(struct livefuncs *f, unsigned ms)
{
	while (ms) {
		unsigned nap = livefuncs__patience_ms(f);

		nap = nap < ms ? nap : ms;
		usleep(nap * 1000);
		ms -= nap;
		assert_int_equal(livefuncs__poll(f), 0);
	}
}

/* Until the child has had so much of a CPU. */
static void wait_for_cpu(struct livefuncs *f, pid_t pid, unsigned ms)
{
	uint64_t until = cpu_ns(pid) + ms * 1000000ull;

	while (cpu_ns(pid) < until)
		wait_ms(f, 10);
}

static const struct profile *refresh(struct livefuncs *f)
{
	struct buf why = {};
	const struct profile *p;
	uint64_t sum = 0;

	assert_int_equal(livefuncs__refresh(f, &why), 0);
	buf__free(&why);
	p = livefuncs__profile(f);
	for (size_t i = 0; i < p->nr_rows; i++)
		sum += p->rows[i].samples;
	assert_int_equal(p->events[0].samples, sum);
	assert_int_equal(p->losses.kept, sum);
	assert_int_equal(p->losses.seen, sum + losses__sum(&p->losses));
	return p;
}

/* Samples of a process, and how many of them are of a function's own. */
static uint64_t samples_of(const struct profile *p, uint32_t pid, const char *function,
			   uint64_t *self)
{
	const struct scope scope = { .of = SCOPE_PROCESSES, .ids = &pid, .nr_ids = 1 };
	struct functions *f;
	uint64_t samples, sum = 0;

	*self = 0;
	assert_int_equal(functions__new(&f, p, 0, &scope), 0);
	for (size_t i = 0; i < f->nr; i++) {
		sum += f->by[i].self;
		if (!strcmp(profile__name(p, f->by[i].frame), function))
			*self += f->by[i].self;
	}
	samples = f->samples;
	assert_int_equal(sum, samples);
	functions__free(f);
	return samples;
}

static void an_interval_has_its_own_samples_alone(void **state)
{
	struct livefuncs *f = begin((struct livefuncs_opts){});
	pid_t pid = start_child();
	uint64_t samples, self, since;

	wait_for_cpu(f, pid, 200);
	samples = samples_of(refresh(f), pid, "spin_here", &self);
	assert_true(samples > 50);
	assert_true(self > samples * 9 / 10);
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
	uint64_t before = 0, seen = 0, self;

	for (int i = 0; i < 4; i++) {
		const struct profile *p;

		wait_for_cpu(f, pid, 50);
		p = refresh(f);
		assert_true(samples_of(p, pid, "spin_here", &self) > before);
		before = samples_of(p, pid, "spin_here", &self);
		assert_true(p->losses.seen > seen);
		seen = p->losses.seen;
	}
	stop_child(pid);
	refresh(f);
	assert_true(samples_of(refresh(f), pid, "spin_here", &self) >= before);
	livefuncs__close(f);
}

/* A fault each time, of this function. */
void touch_here(volatile char *page);
__attribute__((noinline)) void touch_here(volatile char *page)
{
	*page = 1;
}

/* Counts its faults in *nr, which is shared. */
static void fault_for_ever(volatile uint64_t *nr)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (;; ++*nr) {
		madvise(page, 4096, MADV_DONTNEED);
		touch_here(page);
		usleep(100);
	}
}

/* Every other refresh another session takes over; the child goes on meanwhile. */
static void no_sample_is_lost_when_a_session_is_followed_by_another(void **state)
{
	struct livefuncs *f = begin((struct livefuncs_opts){ .events = &faults, .max_age_ns = 1 });
	volatile uint64_t *nr =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t samples = 0, self;
	pid_t pid = fork();

	if (!pid)
		fault_for_ever(nr);
	for (uint64_t i = 1; i <= 10; i++) {
		while (*nr < i * 200)
			wait_ms(f, 10);
		samples_of(refresh(f), pid, "touch_here", &self);
		samples += self;
	}
	kill(pid, SIGSTOP);
	samples_of(refresh(f), pid, "touch_here", &self);
	samples += self;
	print_message("%llu samples of %llu faults\n", (unsigned long long)samples,
		      (unsigned long long)*nr);
	assert_true(samples >= *nr);
	/* What two sessions saw, five times. */
	assert_true(samples <= *nr + *nr / 100 + 1);
	stop_child(pid);
	munmap((void *)nr, 4096);
	livefuncs__close(f);
}

/* At each refresh: the next interval's are found again, those of the kernel too. */
static void names_that_were_forgotten_come_again(void **state)
{
	struct livefuncs *f = begin((struct livefuncs_opts){ .max_names = 1 });
	pid_t pid = start_child();

	for (int i = 0; i < 4; i++) {
		uint64_t samples, self;

		wait_for_cpu(f, pid, 100);
		samples = samples_of(refresh(f), pid, "spin_here", &self);
		assert_true(samples > 25);
		assert_true(self > samples * 9 / 10);
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
	size_t early = 0, late;
	pid_t pid;

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

static int prepare(void **state)
{
	struct buf why = {};
	char self[16];
	int err = target__finish(&everything, &why);

	snprintf(self, sizeof(self), "%d", getpid());
	if (!err)
		err = target__add_pids(&children, self, &why);
	if (!err)
		err = target__finish(&children, &why);
	if (!err)
		err = perf_events__parse(&events, &resolve_env, "cpu-clock", &why);
	if (!err)
		err = perf_events__parse(&faults, &resolve_env, "page-faults", &why);
	if (!err) {
		events.items[0].hz = HZ;
		faults.items[0].period = 1;
	}
	buf__free(&why);
	return err;
}

static int clean_up(void **state)
{
	perf_events__free(&events);
	perf_events__free(&faults);
	target__free(&everything);
	target__free(&children);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_interval_has_its_own_samples_alone),
		cmocka_unit_test(a_window_has_those_of_all_its_intervals),
		cmocka_unit_test(no_sample_is_lost_when_a_session_is_followed_by_another),
		cmocka_unit_test(names_that_were_forgotten_come_again),
		cmocka_unit_test(memory_does_not_grow_with_the_intervals),
	};

	return cmocka_run_group_tests(tests, prepare, clean_up);
}
