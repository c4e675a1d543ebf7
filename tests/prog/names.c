// SPDX-License-Identifier: BSD-2-Clause
/*
 * names - fact: the process is called what its argument says, whatever bytes that has (the kernel
 * keeps 15), and all its CPU time is in names_work.
 *
 * usage: names [-s SECONDS] NAME
 *
 * SECONDS (default 1) is CPU time.
 */
#include <sys/prctl.h>

#include "prog.h"

KNOWN_FRAME void names_work(uint64_t ns)
{
	burn_here(ns);
}

int main(int argc, char **argv)
{
	uint64_t seconds_ns = NS_PER_SEC;
	int c;

	while ((c = getopt(argc, argv, "s:")) != -1) {
		if (c != 's')
			return 2;
		seconds_ns = parse_seconds(optarg);
	}
	if (optind + 1 != argc) {
		fprintf(stderr, "usage: names [-s SECONDS] NAME\n");
		return 2;
	}

	if (prctl(PR_SET_NAME, argv[optind]))
		die("prctl");
	names_work(seconds_ns);
	return 0;
}
