// SPDX-License-Identifier: BSD-2-Clause
/*
 * jit - fact: nearly all its CPU time is in code made at run time, which only /tmp/perf-PID.map
 * knows by name: jit_loop_fn, called by run_jit.
 *
 * usage: jit [-s SECONDS] [-k]
 *
 * SECONDS (default 1) is CPU time. The map is removed at the end and at SIGTERM, unless -k.
 */
#include <signal.h>
#include <sys/mman.h>

#include "prog.h"

/* void jit_loop_fn(unsigned long n): a frame like a compiler's, and n times round a loop */
#if defined(__x86_64__)
static const unsigned char code[] = {
	0x55,		  /* push %rbp */
	0x48, 0x89, 0xe5, /* mov %rsp,%rbp */
	0x48, 0xff, 0xcf, /* 1: dec %rdi */
	0x75, 0xfb,	  /* jnz 1b */
	0x5d,		  /* pop %rbp */
	0xc3,		  /* ret */
};
#elif defined(__aarch64__)
static const uint32_t code[] = {
	0xa9bf7bfd, /* stp x29, x30, [sp, #-16]! */
	0x910003fd, /* mov x29, sp */
	0xf1000400, /* 1: subs x0, x0, #1 */
	0x54ffffe1, /* b.ne 1b */
	0xa8c17bfd, /* ldp x29, x30, [sp], #16 */
	0xd65f03c0, /* ret */
};
#else
#error "jit_loop_fn is not written for this machine"
#endif

static char map_path[64];

static void remove_map(void)
{
	unlink(map_path);
}

static void on_signal(int sig)
{
	unlink(map_path);
	_exit(128 + sig);
}

KNOWN_FRAME void run_jit(void (*fn)(unsigned long n), uint64_t ns)
{
	uint64_t end = thread_cpu_ns() + ns;

	while (thread_cpu_ns() < end)
		fn(100000);
}

int main(int argc, char **argv)
{
	uint64_t seconds_ns = NS_PER_SEC;
	int c, keep = 0;
	void *page;
	FILE *map;

	while ((c = getopt(argc, argv, "s:k")) != -1) {
		switch (c) {
		case 's':
			seconds_ns = parse_seconds(optarg);
			break;
		case 'k':
			keep = 1;
			break;
		default:
			return 2;
		}
	}

	page = mmap(NULL, sizeof(code), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED)
		die("mmap");
	memcpy(page, code, sizeof(code));
	if (mprotect(page, sizeof(code), PROT_READ | PROT_EXEC))
		die("mprotect");
	__builtin___clear_cache((char *)page, (char *)page + sizeof(code));

	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(map_path, "we");
	if (!map)
		die(map_path);
	fprintf(map, "%lx %zx jit_loop_fn\n", (unsigned long)page, sizeof(code));
	if (fclose(map))
		die(map_path);
	if (!keep) {
		atexit(remove_map);
		signal(SIGTERM, on_signal);
		signal(SIGINT, on_signal);
	}

	run_jit((void (*)(unsigned long))page, seconds_ns);
	return 0;
}
