// SPDX-License-Identifier: BSD-2-Clause
/*
 * reexec - fact: one process id, two programs: half of the CPU time in before_exec_work of this
 * one, then half in after_exec_work of the program after_exec, which it becomes by exec.
 *
 * usage: reexec [-s SECONDS] [-x PATH]
 *
 * SECONDS (default 1) is CPU time. PATH: default after_exec beside this program.
 */
#include "prog.h"

KNOWN_FRAME void before_exec_work(uint64_t ns)
{
	burn_here(ns);
}

int main(int argc, char **argv)
{
	uint64_t seconds_ns = NS_PER_SEC;
	const char *path = NULL;
	char half[32];
	int c;

	while ((c = getopt(argc, argv, "s:x:")) != -1) {
		switch (c) {
		case 's':
			seconds_ns = parse_seconds(optarg);
			break;
		case 'x':
			path = optarg;
			break;
		default:
			return 2;
		}
	}

	before_exec_work(seconds_ns / 2);
	if (!path)
		path = beside_me("after_exec");
	snprintf(half, sizeof(half), "%.9f", seconds_ns / 2e9);
	execl(path, path, half, (char *)NULL);
	die(path);
}
