// SPDX-License-Identifier: BSD-2-Clause
/*
 * dlopen_mid - fact: the first half of its CPU time is in before_work, the second half in
 * plugin_work of a library that is opened in between.
 *
 * usage: dlopen_mid [-s SECONDS] [-l LIBRARY]
 *
 * SECONDS (default 1) is CPU time. LIBRARY: default libplugin.so beside this program.
 */
#include <dlfcn.h>

#include "prog.h"

KNOWN_FRAME void before_work(uint64_t ns)
{
	burn_here(ns);
}

int main(int argc, char **argv)
{
	uint64_t seconds_ns = NS_PER_SEC;
	void (*plugin_work)(uint64_t ns);
	const char *path = NULL;
	void *lib;
	int c;

	while ((c = getopt(argc, argv, "s:l:")) != -1) {
		switch (c) {
		case 's':
			seconds_ns = parse_seconds(optarg);
			break;
		case 'l':
			path = optarg;
			break;
		default:
			return 2;
		}
	}

	before_work(seconds_ns / 2);
	lib = dlopen(path ? path : beside_me("libplugin.so"), RTLD_NOW);
	if (!lib) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	plugin_work = (void (*)(uint64_t))dlsym(lib, "plugin_work");
	if (!plugin_work) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	plugin_work(seconds_ns / 2);
	return 0;
}
