// SPDX-License-Identifier: BSD-2-Clause
/*
 * node_perf - the metrics node_perf_* of an exporter, where there is no libmicrohttpd.
 *
 * usage: node_perf [HARDWARE,..]
 *
 * HARDWARE: as of --collector.perf.hardware-profilers; all when left out. Events of the kernel are
 * not counted, caches are. For each line that comes, a file's name, the metrics as of now are
 * written there, and then an empty line to standard output.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/exposition.h"
#include "serve/node_perf.h"

enum { NAMES_MAX = 16, PATH_BYTES = 400 };

static int collect(struct node_perf *n, struct buf *body)
{
	struct exposition x = { .out = body };
	int err = node_perf__poll(n);

	if (!err)
		err = node_perf__collect(n, &x);
	return err ? err : exposition__end(&x);
}

static int answer(struct node_perf *n, const char *path)
{
	struct buf body = {};
	int err = collect(n, &body);
	FILE *f = err ? NULL : fopen(path, "w");

	if (!err && !f)
		err = -errno;
	if (f && fwrite(body.data, 1, body.len, f) != body.len)
		err = -EIO;
	if (f && fclose(f) && !err)
		err = -errno;
	buf__free(&body);
	if (!err && (puts("") < 0 || fflush(stdout)))
		err = -EIO;
	return err;
}

static size_t split(char *names, const char **out)
{
	size_t nr = 0;

	for (char *name = strtok(names, ","); name && nr < NAMES_MAX; name = strtok(NULL, ","))
		out[nr++] = name;
	return nr;
}

int main(int argc, char **argv)
{
	const char *hardware[NAMES_MAX];
	struct node_perf_opts opts = {
		.hardware = hardware,
		.nr_hardware = argc > 1 ? split(argv[1], hardware) : 0,
		.no_software = true,
	};
	struct buf why = {};
	struct node_perf *n;
	char path[PATH_BYTES];
	int err = node_perf__open(&n, &opts, &why);

	while (!err && fgets(path, sizeof(path), stdin)) {
		path[strcspn(path, "\n")] = '\0';
		err = answer(n, path);
	}
	if (err)
		fprintf(stderr, "node_perf: %s\n", why.len ? why.data : strerror(-err));
	node_perf__close(n);
	buf__free(&why);
	return err != 0;
}
