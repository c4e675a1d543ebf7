// SPDX-License-Identifier: BSD-2-Clause
/*
 * tables - what unwind tables of files cost.
 *
 * usage: tables FILE..
 *
 * Makes the tables of all files twice, with one set of rules: the first time reads them from disk.
 * Prints of the second time, in words for a shell's eval: files, rows, rules, bytes (of rows and
 * pages, as programs have them: unwind.wire.h), cpu_us, wall_us.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "unwind/table.h"

enum { ROWS_MAX = 64 << 20 };

static uint64_t now_us(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return t.tv_sec * 1000000ull + t.tv_nsec / 1000;
}

static uint64_t files, rows, bytes;
static struct unwind_rules rules;

static int build(const char *path)
{
	struct elf_from from;
	struct unwind_table t = {};
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;

	if (fd < 0)
		return -errno;
	if (elf_from__open(&from, fd, NULL))
		err = unwind_table__build(&t, &from, &rules, ROWS_MAX);
	files++;
	rows += t.nr_rows;
	bytes += sizeof(uint32_t) * (uint64_t)t.nr_rows + sizeof(uint64_t) * t.nr_pages;
	unwind_table__free(&t);
	elf_from__close(&from);
	close(fd);
	return err;
}

static int build_all(char **paths)
{
	int err = 0;

	files = rows = bytes = 0;
	for (; !err && *paths; paths++) {
		err = build(*paths);
		if (err)
			fprintf(stderr, "tables: %s: %s\n", *paths, strerror(-err));
	}
	return err;
}

int main(int argc, char **argv)
{
	uint64_t cpu, wall;

	(void)argc;
	if (build_all(argv + 1))
		return 1;
	unwind_rules__free(&rules);
	cpu = now_us(CLOCK_PROCESS_CPUTIME_ID);
	wall = now_us(CLOCK_MONOTONIC);
	if (build_all(argv + 1))
		return 1;
	printf("files=%ju rows=%ju rules=%u bytes=%ju cpu_us=%ju wall_us=%ju\n", (uintmax_t)files,
	       (uintmax_t)rows, rules.nr, (uintmax_t)bytes,
	       (uintmax_t)(now_us(CLOCK_PROCESS_CPUTIME_ID) - cpu),
	       (uintmax_t)(now_us(CLOCK_MONOTONIC) - wall));
	unwind_rules__free(&rules);
	return 0;
}
