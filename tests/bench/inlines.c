// SPDX-License-Identifier: BSD-2-Clause
/* The functions inlined at addresses on standard input: what addr2line -ifaC prints. */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "sym/inlines.h"

static void print(uint64_t addr, const struct inlined_chain *c)
{
	printf("0x%016" PRIx64 "\n", addr);
	if (!c->nr)
		printf("??\n??:0\n");
	for (size_t i = 0; i < c->nr; i++) {
		printf("%s\n", c->frames[i].name ? c->frames[i].name : "??");
		if (c->frames[i].line)
			printf("%s:%u\n", c->frames[i].path ? c->frames[i].path : "??",
			       c->frames[i].line);
		else
			printf("%s:?\n", c->frames[i].path ? c->frames[i].path : "??");
	}
}

int main(int argc, char **argv)
{
	struct inlined_chain chain = {};
	struct debug_places places = { .root = "", .path = argv[1] };
	struct inlines_opts opts = { .others = { .open = debug_places__open, .arg = &places } };
	struct elf_from from;
	struct inlines *x;
	char line[64];
	int fd = open(argv[1], O_RDONLY), err;
	double t0 = clock(), t1, t2 = 0;
	size_t nr = 0, frames = 0;
	struct rusage ru;

	if (!elf_from__open(&from, fd, NULL))
		return 1;
	err = inlines__open(&x, &from, &opts);
	if (err) {
		fprintf(stderr, "%s\n", strerror(-err));
		return 1;
	}
	t1 = clock();
	while (fgets(line, sizeof(line), stdin)) {
		uint64_t a = strtoull(line, NULL, 16);
		err = inlines__find(x, a, &chain);
		if (!nr++)
			t2 = clock();
		frames += chain.nr;
		if (argc < 3)
			print(a, &chain);
	}
	getrusage(RUSAGE_SELF, &ru);
	fprintf(stderr,
		"open %.1f ms, first %.1f ms, %zu addresses %zu frames: %.1f ms, %.2f us each; "
		"ours %zu KB, RSS %ld KB\n",
		(t1 - t0) / 1000, (t2 - t1) / 1000, nr, frames, (clock() - t2) / 1000,
		(clock() - t2) / (nr ? nr : 1), inlines__bytes(x) / 1024, ru.ru_maxrss);
	free(chain.frames);
	inlines__close(x);
	elf_from__close(&from);
	return 0;
}
