// SPDX-License-Identifier: BSD-2-Clause
#include "perf/cpus.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/parse.h"

enum { CPUS_MAX = 1 << 16 };

static int read_list(const char *root, const char *name, uint32_t **cpus, size_t *nr)
{
	struct buf text = {};
	char path[4096];
	int err;

	snprintf(path, sizeof(path), "%s/sys/devices/system/cpu/%s", root, name);
	err = buf__read_file(&text, path, 65536);
	if (!err) {
		while (text.len && text.data[text.len - 1] == '\n')
			text.data[--text.len] = '\0';
		err = parse__list(text.data, CPUS_MAX, cpus, nr);
	}
	buf__free(&text);
	return err;
}

int cpus__online(const char *root, uint32_t **cpus, size_t *nr)
{
	return read_list(root, "online", cpus, nr);
}

int cpus__possible(const char *root, uint32_t *nr)
{
	uint32_t *cpus;
	size_t n;
	int err = read_list(root, "possible", &cpus, &n);

	if (err)
		return err;
	*nr = n ? cpus[n - 1] + 1 : 1;
	free(cpus);
	return 0;
}
