// SPDX-License-Identifier: BSD-2-Clause
/*
 * remap - fact: a third of its CPU time is in each of first_code, second_code and third_code, which
 * lie one after the other at the same address: each is mapped there from this program's file when
 * the one before has been unmapped.
 *
 * usage: remap [-u] [-s SECONDS]
 *
 * SECONDS (default 1) is CPU time. -u: the three are first_unframed, second_unframed and
 * third_unframed, without frame pointers and with frames of 256, 512 and 1024 bytes: their loops,
 * too, lie at the same addresses.
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

#if defined(__x86_64__)
#define STACK_DOWN "sub $"
#define STACK_UP   "add $"
#define END	   ", %rsp\n"
#define LOOP	   "1: dec %rdi\njnz 1b\n"
#elif defined(__aarch64__)
#define STACK_DOWN "sub sp, sp, #"
#define STACK_UP   "add sp, sp, #"
#define END	   "\n"
#define LOOP	   "1: subs x0, x0, #1\nb.ne 1b\n"
#endif
#define UNFRAMED(name, bytes)                                                                      \
	__asm__(".pushsection .text." #name ", \"ax\"\n"                                           \
		".balign 65536\n"                                                                  \
		".type " #name ", %function\n" #name ":\n"                                         \
		".cfi_startproc\n" STACK_DOWN #bytes END ".cfi_adjust_cfa_offset " #bytes          \
		"\n" LOOP STACK_UP #bytes END ".cfi_adjust_cfa_offset -" #bytes "\n"               \
		"ret\n"                                                                            \
		".cfi_endproc\n"                                                                   \
		".size " #name ", . - " #name "\n"                                                 \
		".popsection");                                                                    \
	void name(uint64_t rounds)

UNFRAMED(first_unframed, 256);
UNFRAMED(second_unframed, 512);
UNFRAMED(third_unframed, 1024);

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
	static void (*const framed[])(uint64_t) = { first_code, second_code, third_code };
	static void (*const unframed[])(uint64_t) = { first_unframed, second_unframed,
						      third_unframed };
	void (*const *codes)(uint64_t) = framed;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC), c;
	uint64_t ns = NS_PER_SEC;
	char *room;

	while ((c = getopt(argc, argv, "us:")) != -1) {
		if (c == 'u')
			codes = unframed;
		else if (c == 's')
			ns = parse_seconds(optarg);
		else
			return 2;
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
