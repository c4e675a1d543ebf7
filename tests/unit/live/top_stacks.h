/* SPDX-License-Identifier: BSD-2-Clause */
/* top_stacks.h - samples of a child that does nothing but spin: what the tests of them share. */
#ifndef PMUTRACE_TESTS_LIVEFUNCS_H
#define PMUTRACE_TESTS_LIVEFUNCS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "live/top_stacks.h"
#include "lookup/resolve.h"
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
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* of a test that failed nothing stays */
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

static struct top_stacks *begin(struct top_stacks_opts opts)
{
	struct top_stacks *f;
	struct buf why = {};
	int err;

	if (!opts.events)
		opts.events = &events;
	if (!opts.target)
		opts.target = &everything;
	if (!opts.names_ns)
		opts.names_ns = 200000000; /* other tests run beside this one */
	err = top_stacks__open(&f, &opts, &why);
	if (err == -EPERM || err == -EACCES || err == -ENOSYS) {
		print_message("bpf: %s\n", strerror(-err));
		skip();
	}
	if (err)
		print_message("%s\n", why.data ? why.data : strerror(-err));
	buf__free(&why);
	assert_int_equal(err, 0);
	assert_int_equal(top_stacks__start(f), 0);
	return f;
}

/* As a run loop does, so many ms. */
static void wait_ms(struct top_stacks *f, unsigned ms)
{
	while (ms) {
		unsigned nap = top_stacks__patience_ms(f);

		nap = nap < ms ? nap : ms;
		usleep(nap * 1000);
		ms -= nap;
		assert_int_equal(top_stacks__poll(f), 0);
	}
}

/* Until the child has had so much of a CPU. */
static void wait_for_cpu(struct top_stacks *f, pid_t pid, unsigned ms)
{
	uint64_t until = cpu_ns(pid) + ms * 1000000ull;

	while (cpu_ns(pid) < until)
		wait_ms(f, 10);
}

static const struct profile *refresh(struct top_stacks *f)
{
	const struct profile *p;
	uint64_t sum = 0;

	assert_int_equal(top_stacks__refresh(f), 0);
	p = top_stacks__profile(f);
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

/* Samples of all tasks that have addresses, since their names were still being looked up. */
static uint64_t late_names(const struct profile *p)
{
	for (unsigned i = 0; i < p->losses.nr; i++)
		if (!strcmp(p->losses.by[i].name, "names_late"))
			return p->losses.by[i].n;
	return 0;
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

/*
 * Of an interval in which the child has run for @ms. One in which a hypervisor had its CPU has few,
 * and is followed by another: one without any is not.
 */
static uint64_t samples_while_it_runs(struct top_stacks *f, pid_t pid, unsigned ms, uint64_t *self)
{
	uint64_t samples;
	int tries = 3;

	do {
		wait_for_cpu(f, pid, ms);
		samples = samples_of(refresh(f), pid, "spin_here", self);
	} while (samples && samples <= ms / 4 && --tries);
	return samples;
}

#endif
