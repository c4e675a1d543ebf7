// SPDX-License-Identifier: BSD-2-Clause
/*
 * jit - fact: nearly all its CPU time is in code made at run time, which only /tmp/perf-PID.map
 * knows by name: jit_loop_fn, called by run_jit.
 *
 * usage: jit [-s SECONDS] [-k] [-e] [-d DIR [-m]]
 *
 * SECONDS (default 1) is CPU time. The map is removed at the end and at SIGTERM, unless -k.
 *
 * -d: the name is in DIR/jit-PID.dump: the code was loaded elsewhere, and moved. The map, which is
 * written before, has another one: jit_map_fn. -m: its page is not mapped as a mark.
 *
 * -e: names are written at the end, as through a buffer; of the dump its header is there before.
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>

#include "jit_code.h"
#include "prog.h"

#if defined(__x86_64__)
#define MACHINE EM_X86_64
#else
#define MACHINE EM_AARCH64
#endif

static char map_path[64], dump_path[4096];

static void remove_map(void)
{
	unlink(map_path);
	if (*dump_path)
		unlink(dump_path);
}

static void on_signal(int sig)
{
	remove_map();
	_exit(128 + sig);
}

static void write_map(const void *page, const char *name)
{
	FILE *map;

	snprintf(map_path, sizeof(map_path), "/tmp/perf-%d.map", (int)getpid());
	map = fopen(map_path, "we");
	if (!map)
		die(map_path);
	fprintf(map, "%lx %zx %s\n", (unsigned long)page, sizeof(code), name);
	if (fclose(map))
		die(map_path);
}

/* As tools/perf/Documentation/jitdump-specification.txt has it. */
static FILE *begin_dump(const char *dir, int marked)
{
	const struct {
		uint32_t magic, version, total_size, elf_mach, pad, pid;
		uint64_t timestamp, flags;
	} header = { 0x4a695444, 1, sizeof(header), MACHINE, 0, getpid(), thread_cpu_ns(), 0 };
	FILE *dump;

	snprintf(dump_path, sizeof(dump_path), "%s/jit-%d.dump", dir, (int)getpid());
	dump = fopen(dump_path, "w+e");
	if (!dump)
		die(dump_path);
	if (marked &&
	    mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fileno(dump), 0) == MAP_FAILED)
		die("mmap");
	fwrite(&header, sizeof(header), 1, dump);
	if (fflush(dump))
		die(dump_path);
	return dump;
}

static void end_dump(FILE *dump, const void *page)
{
	static const char name[] = "jit_loop_fn";
	const struct {
		uint32_t id, total_size;
		uint64_t timestamp;
		uint32_t pid, tid;
		uint64_t vma, addr, size, index;
	} load = { 0,	     sizeof(load) + sizeof(name) + sizeof(code),
		   1,	     getpid(),
		   getpid(), 0x1000,
		   0x1000,   sizeof(code),
		   0 };
	const struct {
		uint32_t id, total_size;
		uint64_t timestamp;
		uint32_t pid, tid;
		uint64_t vma, old_addr, new_addr, size, index;
	} move = { 1,	     sizeof(move),    2,
		   getpid(), getpid(),	      0x1000,
		   0x1000,   (uintptr_t)page, sizeof(code),
		   0 };

	fwrite(&load, sizeof(load), 1, dump);
	fwrite(name, sizeof(name), 1, dump);
	fwrite(code, sizeof(code), 1, dump);
	fwrite(&move, sizeof(move), 1, dump);
	if (fclose(dump))
		die(dump_path);
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
	const char *dump_dir = NULL;
	int c, keep = 0, marked = 1, late = 0;
	FILE *dump = NULL;
	void *page;

	while ((c = getopt(argc, argv, "s:ked:m")) != -1) {
		switch (c) {
		case 's':
			seconds_ns = parse_seconds(optarg);
			break;
		case 'k':
			keep = 1;
			break;
		case 'e':
			late = 1;
			break;
		case 'd':
			dump_dir = optarg;
			break;
		case 'm':
			marked = 0;
			break;
		default:
			return 2;
		}
	}

	page = load_code();
	if (!late)
		write_map(page, dump_dir ? "jit_map_fn" : "jit_loop_fn");
	if (dump_dir)
		dump = begin_dump(dump_dir, marked);
	if (dump && !late)
		end_dump(dump, page);
	if (!keep) {
		atexit(remove_map);
		signal(SIGTERM, on_signal);
		signal(SIGINT, on_signal);
	}

	run_jit((void (*)(unsigned long))page, seconds_ns);
	if (late && dump)
		end_dump(dump, page);
	else if (late)
		write_map(page, "jit_loop_fn");
	return 0;
}
