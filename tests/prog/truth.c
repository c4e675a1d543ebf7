// SPDX-License-Identifier: BSD-2-Clause
/*
 * truth - fact: its whole stacks, where they are hard to find: built without frame pointers, in
 * many ways (Makefile, truth_flags).
 *
 * usage: truth [-s SECONDS] MODE
 *
 * SECONDS (default 1) is CPU time. Nearly all of it is spent in spin_truth(), at a chain's end:
 *	plain	  main, outer, middle, spin_truth
 *	sort	  main, sorted, (the C library's qsort), compare, spin_truth
 *	tail	  main, tails, (hops jumps to it and has no frame any more), last, spin_truth
 *	context	  enters, outer, middle, spin_truth: makecontext(3) and swapcontext(3)
 *	again	  main, resumes, outer, middle, spin_truth: where setcontext(3) came back to
 *	thread	  thread, enters, outer, middle, spin_truth
 *	signal	  main, waits, (the kernel's frame), handler, spin_truth; on a stack of its own
 *	early	  main, large, spin_truth: a frame of 100 KB from the first millisecond on
 *	plt	  main, calls, (the C library's bsearch), compare, spin_truth
 *	spawn	  main, outer, middle, spin_truth: in children of 20 ms CPU time by posix_spawn(3),
 *		  one after the other: as many as make up SECONDS
 *	vfork	  the same by vfork(2)
 *	fork	  main, forks, outer, middle, spin_truth: in such children
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <ucontext.h>

#include "prog.h"

#define NO_TAIL_CALL __asm__ volatile("" ::: "memory")

extern char **environ;

static uint64_t end_ns;
static char room_of_stack[256 << 10];

KNOWN_FRAME void spin_truth(void)
{
	for (unsigned i = 0; i < 300000; i++)
		__asm__ volatile("" : "+r"(i));
}

static int goes_on(void)
{
	return thread_cpu_ns() < end_ns;
}

KNOWN_FRAME void middle(void)
{
	spin_truth();
	NO_TAIL_CALL;
}

KNOWN_FRAME void outer(void)
{
	while (goes_on())
		middle();
}

KNOWN_FRAME int compare(const void *a, const void *b)
{
	if (goes_on())
		spin_truth();
	return *(const int *)a - *(const int *)b;
}

KNOWN_FRAME void sorted(void)
{
	while (goes_on()) {
		int numbers[] = { 5, 3, 8, 1, 9, 2, 7 };

		qsort(numbers, 7, sizeof(numbers[0]), compare);
		NO_TAIL_CALL;
	}
}

KNOWN_FRAME void calls(void)
{
	static const int numbers[] = { 1, 2, 3, 5, 7, 8, 9 }, key = 5;

	while (goes_on()) {
		(void)!bsearch(&key, numbers, 7, sizeof(numbers[0]), compare);
		NO_TAIL_CALL;
	}
}

KNOWN_FRAME void last(void)
{
	while (goes_on()) {
		spin_truth();
		NO_TAIL_CALL;
	}
}

KNOWN_FRAME void hops(void)
{
	last();
}

KNOWN_FRAME void tails(void)
{
	hops();
	NO_TAIL_CALL;
}

KNOWN_FRAME void enters(void)
{
	outer();
	NO_TAIL_CALL;
}

#if defined(__GLIBC__)
static ucontext_t home, there;

static void context(void)
{
	if (getcontext(&there))
		die("getcontext");
	there.uc_stack.ss_sp = room_of_stack;
	there.uc_stack.ss_size = sizeof(room_of_stack);
	there.uc_link = &home;
	makecontext(&there, enters, 0);
	if (swapcontext(&home, &there))
		die("swapcontext");
}

KNOWN_FRAME void resumes(void)
{
	static volatile int times;

	if (getcontext(&home))
		die("getcontext");
	if (++times == 1)
		setcontext(&home);
	outer();
	NO_TAIL_CALL;
}
#endif

static void *thread(void *arg)
{
	(void)arg;
	end_ns += thread_cpu_ns();
	enters();
	NO_TAIL_CALL;
	return NULL;
}

KNOWN_FRAME void handler(int sig)
{
	(void)sig;
	last();
	NO_TAIL_CALL;
}

KNOWN_FRAME void waits(void)
{
	const stack_t other = { .ss_sp = room_of_stack, .ss_size = sizeof(room_of_stack) };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	if (sigaltstack(&other, NULL) || sigaction(SIGUSR1, &action, NULL))
		die("sigaction");
	raise(SIGUSR1);
	NO_TAIL_CALL;
}

KNOWN_FRAME void large(void)
{
	volatile char room[100000];

	room[0] = 1;
	while (goes_on()) {
		spin_truth();
		room[sizeof(room) - 1]++;
	}
}

enum { CHILD_NS = 20000000 };

static void children(const char *how, char *self, uint64_t ns)
{
	char *args[] = { self, "-s", "0.02", "plain", NULL };

	for (uint64_t done = 0; done < ns; done += CHILD_NS) {
		pid_t pid = -1;

		if (!strcmp(how, "spawn") &&
		    posix_spawn(&pid, "/proc/self/exe", NULL, NULL, args, environ))
			die("posix_spawn");
		if (!strcmp(how, "vfork") && !(pid = vfork())) {
			execv("/proc/self/exe", args);
			_exit(127);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			die("child");
	}
}

KNOWN_FRAME void forks(uint64_t ns)
{
	for (uint64_t done = 0; done < ns; done += CHILD_NS) {
		pid_t pid = fork();

		if (!pid) {
			end_ns = thread_cpu_ns() + CHILD_NS;
			outer();
			_exit(0);
		}
		if (pid < 0 || waitpid(pid, NULL, 0) != pid)
			die("child");
	}
}

int main(int argc, char **argv)
{
	uint64_t ns = NS_PER_SEC;
	const char *mode;
	pthread_t id;

	for (int c; (c = getopt(argc, argv, "s:")) != -1;)
		if (c == 's')
			ns = parse_seconds(optarg);
		else
			exit(2);
	mode = argv[optind] ? argv[optind] : "plain";
	end_ns = thread_cpu_ns() + ns;
	if (!strcmp(mode, "plain"))
		outer();
	else if (!strcmp(mode, "sort"))
		sorted();
	else if (!strcmp(mode, "plt"))
		calls();
	else if (!strcmp(mode, "tail"))
		tails();
#if defined(__GLIBC__)
	else if (!strcmp(mode, "context"))
		context();
	else if (!strcmp(mode, "again"))
		resumes();
#endif
	else if (!strcmp(mode, "signal"))
		waits();
	else if (!strcmp(mode, "early"))
		large();
	else if (!strcmp(mode, "spawn") || !strcmp(mode, "vfork"))
		children(mode, argv[0], ns);
	else if (!strcmp(mode, "fork"))
		forks(ns);
	else if (!strcmp(mode, "thread")) {
		end_ns = ns;
		if (pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL))
			die("thread");
	} else
		bad_argument("mode", mode);
	NO_TAIL_CALL;
	return 0;
}
