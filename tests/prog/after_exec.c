// SPDX-License-Identifier: BSD-2-Clause
/*
 * after_exec - fact: all its CPU time is in after_exec_work. What reexec turns into.
 *
 * usage: after_exec [SECONDS]
 */
#include "prog.h"

KNOWN_FRAME void after_exec_work(uint64_t ns)
{
	burn_here(ns);
}

int main(int argc, char **argv)
{
	after_exec_work(argc > 1 ? parse_seconds(argv[1]) : NS_PER_SEC);
	return 0;
}
