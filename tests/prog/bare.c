// SPDX-License-Identifier: BSD-2-Clause
/*
 * bare - fact: its whole stacks, though it keeps no frame pointers: built -O2 -fomit-frame-pointer,
 * as distributions build programs.
 *
 * usage: bare [-s SECONDS] [-d DEPTH] MODE
 *
 * SECONDS (default 1) is CPU time. Nearly all of it is spent in spin_bare(), at the end of a chain:
 *	plain	main, outer, middle, spin_bare
 *	deep	main, recurse (DEPTH times, 100), spin_bare
 *	sort	main, sorted, (the C library's qsort), compare, spin_bare
 *	signal	main, waits, (the kernel's frame), handler, spin_bare; on a stack of its own
 *	alloca	main, grows, spin_bare; its frame's size is known at run time only
 *	large	main, large, spin_bare; a frame of 100 KB
 *	thread	(the C library), thread, outer, middle, spin_bare
 *	late	main, (a function of another file that was loaded just now), spin_bare
 *	made	main, (code made at run time, with a frame pointer), back, spin_bare
 */
#include <alloca.h>
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>

#include "prog.h"

#define NO_TAIL_CALL __asm__ volatile("" ::: "memory")

static uint64_t end_ns;

KNOWN_FRAME void spin_bare(void)
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
	spin_bare();
	NO_TAIL_CALL;
}

KNOWN_FRAME void outer(void)
{
	while (goes_on())
		middle();
}

KNOWN_FRAME void recurse(int depth)
{
	if (depth > 1) {
		recurse(depth - 1);
		NO_TAIL_CALL;
		return;
	}
	while (goes_on()) {
		spin_bare();
		NO_TAIL_CALL;
	}
}

KNOWN_FRAME int compare(const void *a, const void *b)
{
	if (goes_on())
		spin_bare();
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

KNOWN_FRAME void handler(int sig)
{
	(void)sig;
	while (goes_on()) {
		spin_bare();
		NO_TAIL_CALL;
	}
}

KNOWN_FRAME void waits(void)
{
	static char stack[65536];
	const stack_t other = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction action = { .sa_handler = handler, .sa_flags = SA_ONSTACK };

	if (sigaltstack(&other, NULL) || sigaction(SIGUSR1, &action, NULL))
		die("sigaction");
	raise(SIGUSR1);
	NO_TAIL_CALL;
}

KNOWN_FRAME void grows(unsigned bytes)
{
	volatile char *room = alloca(bytes);

	room[0] = 1;
	while (goes_on()) {
		spin_bare();
		room[bytes - 1]++;
	}
}

KNOWN_FRAME void large(void)
{
	volatile char room[100000];

	room[0] = 1;
	while (goes_on()) {
		spin_bare();
		room[sizeof(room) - 1]++;
	}
}

static void *thread(void *arg)
{
	(void)arg;
	end_ns += thread_cpu_ns();
	outer();
	NO_TAIL_CALL;
	return NULL;
}

KNOWN_FRAME void back(void)
{
	spin_bare();
	NO_TAIL_CALL;
}

/* Code with a frame pointer that calls what it is given. */
KNOWN_FRAME void made(void)
{
#if defined(__x86_64__)
	static const unsigned char code[] = {
		0x55,		  /* push %rbp */
		0x48, 0x89, 0xe5, /* mov %rsp,%rbp */
		0xff, 0xd7,	  /* call *%rdi */
		0x5d,		  /* pop %rbp */
		0xc3,		  /* ret */
	};
#else
	static const uint32_t code[] = {
		0xa9bf7bfd, /* stp x29, x30, [sp, #-16]! */
		0x910003fd, /* mov x29, sp */
		0xd63f0000, /* blr x0 */
		0xa8c17bfd, /* ldp x29, x30, [sp], #16 */
		0xd65f03c0, /* ret */
	};
#endif
	void *at = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void (*call)(void (*fn)(void));

	if (at == MAP_FAILED)
		die("mmap");
	memcpy(at, code, sizeof(code));
	if (mprotect(at, 4096, PROT_READ | PROT_EXEC))
		die("mprotect");
	__builtin___clear_cache(at, (char *)at + 4096);
	memcpy(&call, &at, sizeof(call));
	while (goes_on())
		call(back);
}

/* What is loaded when the program has run for a while. */
KNOWN_FRAME void late(const char *path)
{
	const uint64_t half_ns = (end_ns - thread_cpu_ns()) / 2;
	void (*call)(void (*fn)(void)) = NULL;
	void *lib, *symbol;

	while (thread_cpu_ns() + half_ns < end_ns)
		spin_bare();
	lib = dlopen(path, RTLD_NOW);
	symbol = lib ? dlsym(lib, "plugin_calls") : NULL;
	if (!symbol)
		bad_argument("library", path);
	memcpy(&call, &symbol, sizeof(call));
	while (goes_on())
		call(back);
}

int main(int argc, char **argv)
{
	uint64_t ns = NS_PER_SEC;
	unsigned depth = 100;
	const char *mode;
	pthread_t id;

	for (int c; (c = getopt(argc, argv, "s:d:")) != -1;)
		if (c == 's')
			ns = parse_seconds(optarg);
		else if (c == 'd')
			depth = parse_number(optarg, 1, 10000);
		else
			exit(2);
	mode = argv[optind] ? argv[optind] : "plain";
	end_ns = thread_cpu_ns() + ns;
	if (!strcmp(mode, "plain"))
		outer();
	else if (!strcmp(mode, "deep"))
		recurse(depth);
	else if (!strcmp(mode, "sort"))
		sorted();
	else if (!strcmp(mode, "signal"))
		waits();
	else if (!strcmp(mode, "alloca"))
		grows(3000 + argc);
	else if (!strcmp(mode, "large"))
		large();
	else if (!strcmp(mode, "made"))
		made();
	else if (!strcmp(mode, "late"))
		late(argv[optind + 1] ? argv[optind + 1] : "");
	else if (!strcmp(mode, "thread")) {
		end_ns = ns;
		if (pthread_create(&id, NULL, thread, NULL) || pthread_join(id, NULL))
			die("thread");
	} else
		bad_argument("mode", mode);
	NO_TAIL_CALL;
	return 0;
}
