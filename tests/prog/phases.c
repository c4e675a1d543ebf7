// SPDX-License-Identifier: BSD-2-Clause
/*
 * phases - fact: its functions take turns, and have each had so many page faults and so much time.
 *
 * usage: phases [-s SECONDS] [-m MS] NAME..
 *
 * NAME: faulting (pages that were never touched), calling (half of its time in system calls that do
 * nothing), spinning.
 * Each has SECONDS (default 1) of CPU time, in turns of MS (default 100), half as long to half as
 * long again: a fixed length would beat against the sampling period. At the end a line for each:
 * NAME, CPU time in ns, page faults, both as the kernel has counted them for this thread.
 */
#include <sys/mman.h>
#include <sys/resource.h>

#include "prog.h"

enum { PAGES = 64, PAGE = 4096, CALLS = 200, BETWEEN_CALLS = 200 };

struct phase {
	const char *name;
	void (*run)(uint64_t until_ns);
	uint64_t ns, faults;
	int is_wanted;
};

KNOWN_FRAME void faulting(uint64_t until_ns)
{
	while (thread_cpu_ns() < until_ns) {
		volatile char *at = mmap(NULL, PAGES * PAGE, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		if (at == MAP_FAILED)
			die("mmap");
		for (int i = 0; i < PAGES; i++)
			at[i * PAGE] = 1;
		munmap((void *)at, PAGES * PAGE);
	}
	keep_frame();
}

KNOWN_FRAME void calling(uint64_t until_ns)
{
	while (thread_cpu_ns() < until_ns)
		for (int i = 0; i < CALLS; i++) {
			syscall_in_place(SYS_getppid, 0, 0, 0);
			for (unsigned k = 0; k < BETWEEN_CALLS; k++)
				__asm__ volatile("" : "+r"(k));
		}
	keep_frame();
}

KNOWN_FRAME void spinning(uint64_t until_ns)
{
	while (thread_cpu_ns() < until_ns)
		spin();
	keep_frame();
}

static uint64_t faults_now(void)
{
	struct rusage used;

	if (getrusage(RUSAGE_THREAD, &used))
		die("getrusage");
	return used.ru_minflt + used.ru_majflt;
}

static void take_turn(struct phase *p, uint64_t ns)
{
	uint64_t begin_ns = thread_cpu_ns(), faults = faults_now();

	p->run(begin_ns + ns);
	p->faults += faults_now() - faults;
	p->ns += thread_cpu_ns() - begin_ns;
}

int main(int argc, char **argv)
{
	struct phase phases[] = { { "faulting", faulting },
				  { "calling", calling },
				  { "spinning", spinning } };
	enum { NR = sizeof(phases) / sizeof(*phases) };
	uint64_t all_ns = NS_PER_SEC, turn_ns = 100 * NS_PER_MS, done_ns = 0;
	uint32_t rnd = 4711;
	int opt;

	while ((opt = getopt(argc, argv, "s:m:")) != -1) {
		if (opt == 's')
			all_ns = parse_seconds(optarg);
		else if (opt == 'm')
			turn_ns = parse_number(optarg, 1, 10000) * NS_PER_MS;
		else
			return 2;
	}
	for (int i = optind; i < argc; i++)
		for (int k = 0; k < NR; k++)
			phases[k].is_wanted |= !strcmp(argv[i], phases[k].name);
	while (done_ns < all_ns) {
		uint64_t ns;

		rnd = rnd * 1103515245 + 12345;
		ns = turn_ns / 2 + turn_ns * (rnd >> 16) / 0x10000;
		for (int k = 0; k < NR; k++)
			if (phases[k].is_wanted)
				take_turn(&phases[k], ns);
		done_ns += ns;
	}
	for (int k = 0; k < NR; k++)
		if (phases[k].is_wanted)
			printf("%s %" PRIu64 " %" PRIu64 "\n", phases[k].name, phases[k].ns,
			       phases[k].faults);
	return 0;
}
