// SPDX-License-Identifier: BSD-2-Clause
/*
 * remap - fact: a third of its CPU time is in each of first_code, second_code and third_code, which
 * lie one after the other at the same address: each is mapped there from this program's file when
 * the one before has been unmapped.
 *
 * usage: remap [-s SECONDS]
 *
 * SECONDS (default 1) is CPU time.
 */
#include <fcntl.h>
#include <sys/mman.h>

#include "prog.h"

enum { PAGE = 65536 }; /* the largest there is */

/* The same instructions, alone on their pages, that need nothing of what is around them. */
#define CODE(name)                                                                                 \
	__attribute__((section(".text." #name), aligned(65536))) KNOWN_FRAME void name(            \
		uint64_t rounds)                                                                   \
	{                                                                                          \
		keep_frame();                                                                      \
		for (; rounds; rounds--)                                                           \
			__asm__ volatile("" : "+r"(rounds));                                       \
	}                                                                                          \
	struct unused_##name

CODE(first_code);
CODE(second_code);
CODE(third_code);
__attribute__((section(".text.third_code_end"), aligned(65536))) KNOWN_FRAME void no_code(void)
{
	keep_frame();
}

static void run_at(void *place, int fd, void (*code)(uint64_t), uint64_t ns)
{
	uint64_t last, done = 0;
	void (*there)(uint64_t) = (void (*)(uint64_t))place;

	if (mmap(place, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
		 file_offset((uintptr_t)code)) == MAP_FAILED)
		die("mmap");
	last = thread_cpu_ns();
	while (done < ns) {
		there(100000); /* under a millisecond, on slow machines too: see step_ns() */
		done += step_ns(&last);
	}
	if (munmap(place, PAGE))
		die("munmap");
}

int main(int argc, char **argv)
{
	static void (*const codes[])(uint64_t) = { first_code, second_code, third_code };
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), c;
	uint64_t ns = NS_PER_SEC;
	char *room;

	while ((c = getopt(argc, argv, "s:")) != -1) {
		if (c != 's')
			return 2;
		ns = parse_seconds(optarg);
	}
	room = mmap(NULL, 2 * PAGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || room == MAP_FAILED)
		die("remap");
	room += -(uintptr_t)room & (PAGE - 1);
	/* From one place, not one for each round: the callers' addresses are the same, too. */
	for (c = 0; c < 3; c++) {
		__asm__ volatile("" : "+r"(c));
		run_at(room, fd, codes[c], ns / 3);
	}
	return 0;
}
