// SPDX-License-Identifier: BSD-2-Clause
/*
 * deepwl - fact: at least two processes, each on a CPU of its own and busy all the time, whose
 * samples fall on about PATHS different user stacks, 6 to 40 calls deep, the same in every run.
 *
 * usage: deepwl [-s SECONDS] [-p PROCESSES] [-k PATHS] [-n VISITS]
 *
 * SECONDS (default 5) is wall time; with -n each process makes so many visits to a path instead:
 * equal work, to see what profiling costs. Every eighth path ends in system calls. PATHS: default
 * 1000. Prints wall and CPU time and visits of each process.
 */
#include <sched.h>
#include <sys/wait.h>

#include "prog.h"

enum { MIN_DEPTH = 6, MAX_DEPTH = 40, SYSCALLS_IN_LEAF = 12, ROUNDS_IN_LEAF = 600 };

/* A path is a number: its bits choose the depth and, level by level, the next function. */
typedef void (*step_fn)(uint64_t path, unsigned depth);

static uint64_t sink;

/* splitmix64's finalizer: neighbours become unrelated. */
IN_PLACE uint64_t scramble(uint64_t x)
{
	x += 0x9e3779b97f4a7c15ull;
	x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
	return x ^ (x >> 31);
}

KNOWN_FRAME void leaf_compute(uint64_t path)
{
	uint64_t x = path;
	unsigned i;

	keep_frame();
	for (i = 0; i < ROUNDS_IN_LEAF; i++)
		x = scramble(x);
	sink += x;
}

KNOWN_FRAME void leaf_syscalls(uint64_t path)
{
	unsigned i;

	for (i = 0; i < SYSCALLS_IN_LEAF; i++)
		sink += syscall_in_place(SYS_getppid, 0, 0, 0);
}

/* clang-format off */
#define STEPS(X) \
	X(amber) X(birch) X(cedar) X(delta) X(ember) X(fjord) X(grove) X(heath) \
	X(inlet) X(juniper) X(knoll) X(larch) X(marsh) X(north) X(orchard) X(pine)
/* clang-format on */
#define DECLARE(name) void step_##name(uint64_t path, unsigned depth);
#define LIST(name)    step_##name,
#define DEFINE(name)                                                                               \
	KNOWN_FRAME void step_##name(uint64_t path, unsigned depth)                                \
	{                                                                                          \
		walk(path, depth);                                                                 \
		__asm__ volatile("");                                                              \
	}

STEPS(DECLARE)
static const step_fn steps[] = { STEPS(LIST) };

IN_PLACE void walk(uint64_t path, unsigned depth)
{
	if (depth)
		steps[scramble(path + depth) % 16](path, depth - 1);
	else if (path % 8)
		leaf_compute(path);
	else
		leaf_syscalls(path);
}

STEPS(DEFINE)

KNOWN_FRAME void visit(uint64_t path)
{
	walk(path, MIN_DEPTH - 2 + scramble(path) % (MAX_DEPTH - MIN_DEPTH + 1));
}

static void stay_on_cpu(unsigned index)
{
	cpu_set_t allowed, one;
	int cpu, nth;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return;
	nth = index % CPU_COUNT(&allowed);
	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || nth-- > 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		sched_setaffinity(0, sizeof(one), &one);
		return;
	}
}

static void run(unsigned index, uint64_t paths, uint64_t seconds_ns, uint64_t visits)
{
	uint64_t start = wall_ns(), rnd = scramble(index), n = 0;

	stay_on_cpu(index);
	for (;;) {
		if (visits ? n == visits : n % 256 == 0 && wall_ns() - start >= seconds_ns)
			break;
		rnd = scramble(rnd);
		visit(rnd % paths);
		n++;
	}
	printf("process %u: wall %.6f s, cpu %.6f s, %llu visits\n", index,
	       (wall_ns() - start) / 1e9, thread_cpu_ns() / 1e9, (unsigned long long)n);
}

int main(int argc, char **argv)
{
	uint64_t seconds_ns = 5 * NS_PER_SEC;
	unsigned processes = 2, paths = 1000, visits = 0, i;
	int c;

	while ((c = getopt(argc, argv, "s:p:k:n:")) != -1) {
		switch (c) {
		case 's':
			seconds_ns = parse_seconds(optarg);
			break;
		case 'p':
			processes = parse_number(optarg, 1, 1024);
			break;
		case 'k':
			paths = parse_number(optarg, 1, 100000000);
			break;
		case 'n':
			visits = parse_number(optarg, 1, 1000000000);
			break;
		default:
			return 2;
		}
	}

	for (i = 0; i < processes; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			run(i, paths, seconds_ns, visits);
			fflush(stdout);
			_exit(0);
		}
	}
	while (wait(NULL) > 0)
		;
	return 0;
}
