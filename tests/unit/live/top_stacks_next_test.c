// SPDX-License-Identifier: BSD-2-Clause
/* A session of samples is followed by another, or by none. */
#include "top_stacks.h"

#include <linux/sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "base/log.h"
#include "object/grace.h"

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

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;; ++*nr) {
		madvise(page, 4096, MADV_DONTNEED);
		touch_here(page);
		usleep(100);
	}
}

/*
 * Faults of this program's own code: the child's loop and nothing else, once it is under way. The
 * names of a session that has just begun may come later: addresses then.
 */
static uint64_t faults_of(const struct profile *p, uint32_t pid)
{
	const struct scope scope = { .of = SCOPE_PROCESSES, .ids = &pid, .nr_ids = 1 };
	static const char address[] = "[top_stacks_next_test+0x";
	struct functions *f;
	uint64_t sum = 0;

	assert_int_equal(functions__new(&f, p, 0, &scope), 0);
	for (size_t i = 0; i < f->nr; i++) {
		const char *name = profile__name(p, f->by[i].frame);

		if (!strcmp(name, "touch_here") || !strncmp(name, address, strlen(address)))
			sum += f->by[i].self;
	}
	functions__free(f);
	return sum;
}

/*
 * Of a child that faults all the time: what its sampled faults are more than those that it made.
 * On a busy machine the kernel passes some over: while a task that reads a map has been switched
 * out, no program of a perf event runs on its CPU. They are told.
 */
static uint64_t sampled_twice(void)
{
	struct top_stacks *f =
		begin((struct top_stacks_opts){ .events = &faults, .max_age_ns = 1 });
	volatile uint64_t *nr =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint64_t samples = 0, lost = 0, made;
	const struct profile *p;
	pid_t pid = fork();

	if (!pid)
		fault_for_ever(nr);
	for (uint64_t i = 1; i <= 10; i++) {
		while (*nr < i * 200)
			wait_ms(f, 10);
		p = refresh(f);
		samples += faults_of(p, pid);
		lost += losses__sum(&p->losses);
	}
	kill(pid, SIGSTOP);
	p = refresh(f);
	samples += faults_of(p, pid);
	lost += losses__sum(&p->losses);
	made = *nr;
	print_message("%llu samples of %llu faults, %llu lost\n", (unsigned long long)samples,
		      (unsigned long long)made, (unsigned long long)lost);
	assert_true(samples + lost >= made);
	stop_child(pid);
	munmap((void *)nr, 4096);
	top_stacks__close(f);
	return samples > made + made / 100 + 1 ? samples - made : 0;
}

/*
 * Every other refresh another session takes over; the child goes on meanwhile. What two sessions
 * see in that moment is there twice: more, if we lose the CPU in it, which is rare.
 */
static void no_sample_is_lost_when_a_session_is_followed_by_another(void **state)
{
	uint64_t twice = sampled_twice();

	for (int i = 0; i < 2 && twice; i++)
		twice = sampled_twice();
	assert_int_equal(twice, 0);
}

/* It was started before the session was that samples it. */
static void a_child_of_a_target_stays_one_when_a_session_is_followed_by_another(void **state)
{
	struct top_stacks *f =
		begin((struct top_stacks_opts){ .target = &children, .max_age_ns = 1 });
	pid_t pid = start_child();

	for (int i = 0; i < 6; i++) {
		uint64_t self;

		assert_true(samples_while_it_runs(f, pid, 100, &self) > 25);
	}
	stop_child(pid);
	top_stacks__close(f);
}

/* As start_child(), with this number; -1: not here, or somebody else has it. */
static pid_t start_child_as(pid_t wanted)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD,
		.set_tid = (uintptr_t)&wanted,
		.set_tid_size = 1,
	};
	pid_t pid = syscall(SYS_clone3, &args, sizeof(args));

	if (!pid)
		spin_here();
	return pid;
}

static void who_has_the_number_of_a_target_that_ended_is_none(void **state)
{
	pid_t pid = start_child(), other;
	struct target target = { .inherit = true };
	struct top_stacks *f;
	struct buf why = {};
	char number[16];
	uint64_t self;

	snprintf(number, sizeof(number), "%d", pid);
	assert_int_equal(target__add_pids(&target, number, &why), 0);
	assert_int_equal(target__finish(&target, &why), 0);
	f = begin((struct top_stacks_opts){ .target = &target, .max_age_ns = 1 });
	assert_true(samples_while_it_runs(f, pid, 100, &self) > 25);
	stop_child(pid);
	/* Until the kernel has freed it: behind a grace period, which on a busy machine takes long.
	 */
	wait_ms(f, 1000);
	for (int i = 0; i < 3; i++)
		assert_int_equal(grace__wait(), 0);
	refresh(f);
	refresh(f);
	other = start_child_as(pid);
	for (int i = 0; i < 4 && other > 0; i++) {
		wait_for_cpu(f, other, 100);
		assert_int_equal(samples_of(refresh(f), other, "spin_here", &self), 0);
	}
	top_stacks__close(f);
	target__free(&target);
	buf__free(&why);
	if (other < 0) {
		print_message("no child with a number of our choice: %s\n", strerror(errno));
		skip();
	}
	stop_child(other);
}

static void count_notice(void *arg, enum log_level level, const char *text)
{
	if (level != LOG_NOTICE)
		return;
	print_message("%s\n", text);
	++*(int *)arg;
}

enum { MOST_FILES = 256 };

/* Until nothing can be opened any more; how many are in @fds. */
static size_t take_all_files(int fds[MOST_FILES])
{
	const struct rlimit limit = { MOST_FILES, MOST_FILES };
	size_t nr = 0;

	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	while (nr < MOST_FILES) {
		fds[nr] = dup(STDERR_FILENO);
		if (fds[nr] < 0)
			break;
		nr++;
	}
	return nr;
}

/*
 * The next session would need some; what this one needs it has after the first refresh, long before
 * it is old. The last test: the limit stays.
 */
static void a_session_that_cannot_be_followed_goes_on(void **state)
{
	struct top_stacks *f =
		begin((struct top_stacks_opts){ .target = &children, .max_age_ns = 4000000000 });
	pid_t pid = start_child();
	int fds[MOST_FILES], nr_notices = 0, nr_named = 0;
	uint64_t self;
	size_t nr;

	wait_for_cpu(f, pid, 50);
	refresh(f);
	nr = take_all_files(fds);
	log__set_sink(count_notice, &nr_notices);
	for (int i = 0; i < 200 && nr_notices < 2; i++) {
		assert_true(samples_while_it_runs(f, pid, 100, &self) > 25);
		/* Beside the run: not in each, which is told. */
		assert_true(self > 0 || late_names(top_stacks__profile(f)) > 25);
		nr_named += self > 0;
	}
	log__set_sink(NULL, NULL);
	assert_true(nr_named > 0);
	while (nr)
		close(fds[--nr]);
	assert_int_equal(nr_notices, 2);
	stop_child(pid);
	top_stacks__close(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_sample_is_lost_when_a_session_is_followed_by_another),
		cmocka_unit_test(
			a_child_of_a_target_stays_one_when_a_session_is_followed_by_another),
		cmocka_unit_test(who_has_the_number_of_a_target_that_ended_is_none),
		cmocka_unit_test(a_session_that_cannot_be_followed_goes_on),
	};

	return cmocka_run_group_tests(tests, prepare, clean_up);
}
