// SPDX-License-Identifier: BSD-2-Clause
/*
 * unframed - fact: of each sample in user mode it is known whether its callers can be found.
 *
 * usage: unframed [-s SECONDS] framed|thread|list|VALUE
 *
 * SECONDS (default 1) is CPU time.
 *	framed	main, outer, burn: all with frame pointers
 *	thread	the same in a thread: thread, outer, burn
 *	VALUE	main, outer, hold: hold has that number in the frame pointer's register, as
 *		code that was built without frame pointers may
 *	list	the same, and the number is the address of a list on the stack, 1000 nodes long,
 *		each behind the one before it: what a chain of frames looks like, but for the
 *		callers
 */
#include "prog.h"

#include <pthread.h>

enum { NODES = 1000, TURNS = 1000000 };

struct node {
	struct node *next;
	uintptr_t value; /* no address of code */
};

static uint64_t seconds_ns = NS_PER_SEC;
static const char *job;

/* Some milliseconds with @value in the register, and nothing else. */
KNOWN_FRAME void hold(uintptr_t value)
{
	uint64_t turns = TURNS;

	keep_frame();
#if defined(__x86_64__)
	__asm__ volatile("mov %%rbp, %%r15\n\t"
			 "mov %1, %%rbp\n"
			 "1:\tdec %0\n\t"
			 "jnz 1b\n\t"
			 "mov %%r15, %%rbp"
			 : "+c"(turns)
			 : "a"(value)
			 : "r15", "cc", "memory");
#else
	__asm__ volatile("mov x20, x29\n\t"
			 "mov x29, %1\n"
			 "1:\tsubs %0, %0, #1\n\t"
			 "b.ne 1b\n\t"
			 "mov x29, x20"
			 : "+r"(turns)
			 : "r"(value)
			 : "x20", "cc", "memory");
#endif
}

KNOWN_FRAME void burn(void)
{
	keep_frame();
	for (volatile int i = 0; i < TURNS; i++)
		;
}

KNOWN_FRAME void outer(void)
{
	uint64_t end_ns = thread_cpu_ns() + seconds_ns;
	struct node nodes[NODES];
	uintptr_t value = 0;

	for (int i = 0; i < NODES; i++)
		nodes[i] = (struct node){ i + 1 < NODES ? &nodes[i + 1] : NULL, 64 + i };
	if (!strcmp(job, "list"))
		value = (uintptr_t)nodes;
	else
		value = strtoull(job, NULL, 0);
	while (thread_cpu_ns() < end_ns) {
		if (!strcmp(job, "framed") || !strcmp(job, "thread"))
			burn();
		else
			hold(value);
	}
	__asm__ volatile("" : : "r"(nodes) : "memory");
}

KNOWN_FRAME void *thread(void *arg)
{
	outer();
	__asm__ volatile("");
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t id;
	int c;

	while ((c = getopt(argc, argv, "s:")) != -1) {
		if (c != 's')
			return 2;
		seconds_ns = parse_seconds(optarg);
	}
	if (optind + 1 != argc)
		return 2;
	job = argv[optind];
	if (strcmp(job, "thread")) {
		outer();
		return 0;
	}
	return pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL);
}
