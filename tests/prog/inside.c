// SPDX-License-Identifier: BSD-2-Clause
/*
 * inside - facts for what happens inside of a function: how often getppid(2) is called, and how
 * much CPU time is used, within inside_call() and outside of it.
 *
 * usage: inside [-n CALLS] [-o OUTSIDE] [-r DEPTH] [-l LEFT] [-b] [-f] [-x] [-j THREADS]
 *		 [-s SECONDS]
 *
 * Each thread (1) calls inside_call() so often. That calls itself up to so deep (1), and getppid
 * once at the innermost place. Behind each of the calls getppid is called outside so often.
 *	-l	before that so many calls are left by longjmp(3) from their depth, without a getppid
 *	-b	then inside_call() calls itself 4 deep, which is left back to it by longjmp(3), and
 *		getppid once; behind it getppid is called outside 10 times
 *	-f	then a child is made within inside_call(): it calls getppid there once, returns, and
 *		calls it 10 times outside
 *	-x	then inside_call() makes a child that replaces itself by `inside -o 10`
 *	-s	burns so much CPU time inside, and as much outside
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdbool.h>
#include <sys/wait.h>

#include "prog.h"

enum what { GETPPID, LEAVE, BACK, FORK, EXEC, BURN };

static unsigned calls, outside, depth = 1, left, threads = 1;
static uint64_t burn_ns;
static bool forks, execs, back;
static char *self;

static void getppid_once(void)
{
	syscall_in_place(SYS_getppid, 0, 0, 0);
}

static void make_child(bool replace)
{
	char *argv[] = { self, "-o", "10", NULL };
	pid_t child = fork();

	if (child < 0)
		die("fork");
	if (child) {
		if (waitpid(child, NULL, 0) != child)
			die("waitpid");
	} else if (replace) {
		execv(self, argv);
		die(self);
	}
}

KNOWN_FRAME void outside_burn(void)
{
	keep_frame();
	burn_here(burn_ns);
}

static void call_and_return(void);

/* True: this is the child of -f. */
KNOWN_FRAME bool inside_call(enum what what, unsigned deeper, jmp_buf out)
{
	long before = syscall_in_place(SYS_getpid, 0, 0, 0);
	bool is_child = false;

	keep_frame();
	if (deeper) {
		is_child = inside_call(what, deeper - 1, out);
		__asm__ volatile(""); /* no tail call */
		return is_child;
	}
	switch (what) {
	case GETPPID:
		getppid_once();
		break;
	case LEAVE:
		longjmp(out, 1);
	case BACK:
		call_and_return();
		getppid_once();
		break;
	case FORK:
		make_child(false);
		is_child = syscall_in_place(SYS_getpid, 0, 0, 0) != before;
		if (is_child)
			getppid_once();
		break;
	case EXEC:
		make_child(true);
		break;
	case BURN:
		burn_here(burn_ns);
		break;
	}
	return is_child;
}

static void call_and_return(void)
{
	jmp_buf here;

	if (!setjmp(here))
		inside_call(LEAVE, 3, here);
}

KNOWN_FRAME void leave(unsigned times)
{
	volatile unsigned i = 0;
	jmp_buf out;

	keep_frame();
	setjmp(out);
	if (i++ < times)
		inside_call(LEAVE, depth - 1, out);
}

static void *work(void *arg)
{
	if (left)
		leave(left);
	for (unsigned i = 0; i < calls; i++) {
		inside_call(GETPPID, depth - 1, NULL);
		for (unsigned n = 0; n < outside; n++)
			getppid_once();
	}
	if (back) {
		inside_call(BACK, 0, NULL);
		for (unsigned n = 0; n < 10; n++)
			getppid_once();
	}
	if (burn_ns) {
		inside_call(BURN, 0, NULL);
		outside_burn();
	}
	return arg;
}

static void run_threads(void)
{
	pthread_t ids[64];

	for (unsigned i = 0; i < threads; i++)
		if (pthread_create(&ids[i], NULL, work, NULL))
			die("pthread_create");
	for (unsigned i = 0; i < threads; i++)
		pthread_join(ids[i], NULL);
}

static void parse_options(int argc, char **argv)
{
	int c;

	while ((c = getopt(argc, argv, "n:o:r:l:bfxj:s:")) != -1) {
		if (c == 'n')
			calls = parse_number(optarg, 0, 10000000);
		else if (c == 'o')
			outside = parse_number(optarg, 0, 10000000);
		else if (c == 'r')
			depth = parse_number(optarg, 1, 1000);
		else if (c == 'l')
			left = parse_number(optarg, 0, 10000000);
		else if (c == 'b')
			back = true;
		else if (c == 'f')
			forks = true;
		else if (c == 'x')
			execs = true;
		else if (c == 'j')
			threads = parse_number(optarg, 1, 64);
		else if (c == 's')
			burn_ns = parse_seconds(optarg);
		else
			exit(2);
	}
}

int main(int argc, char **argv)
{
	self = argv[0];
	parse_options(argc, argv);
	if (threads > 1)
		run_threads();
	else
		work(NULL);
	if (forks && inside_call(FORK, 0, NULL)) {
		for (unsigned i = 0; i < 10; i++)
			getppid_once();
		return 0;
	}
	if (execs)
		inside_call(EXEC, 0, NULL);
	/* Outside, whatever was asked for. */
	for (unsigned i = 0; !calls && i < outside; i++)
		getppid_once();
	return 0;
}
