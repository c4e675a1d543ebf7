// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as a file of functions: symbols, versions, segments. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lookup/lookup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* Each is to be after the one before. */
struct last {
	char name[256];
	uint64_t offset;
};

static int look_at(const struct lookup_function *f, void *arg)
{
	struct last *last = arg;
	char name[256];

	if (!*f->name)
		abort();
	snprintf(name, sizeof(name), "%s", f->name);
	if (strlen(name) < sizeof(name) - 1) {
		int order = strcmp(last->name, name);

		if (order > 0 || (!order && last->offset >= f->offset))
			abort();
	}
	memcpy(last->name, name, sizeof(name));
	last->offset = f->offset;
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int fd = memfd_create("lookup", MFD_CLOEXEC), err;
	struct last last = {};
	struct buf why = {};
	struct lookup_function found;
	char path[64];

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = lookup__each_function(NULL, path, "*", look_at, &last, &why);
	if (!err != !why.len)
		abort();
	buf__clear(&why);
	err = lookup__function(NULL, path, "foo", &found, &why);
	if (!err != !why.len)
		abort();
	buf__free(&why);
	close(fd);
	return 0;
}
