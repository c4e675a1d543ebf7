// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as kallsyms, as available_filter_functions and as kprobes/blacklist. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lookup/lookup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int look_at(const struct lookup_kernel_function *f, void *arg)
{
	(void)arg;
	if (!*f->name || !f->module || !f->nr)
		abort();
	return 0;
}

static int look_at_probe(const struct lookup_kernel_function *f, const char *why_not, void *arg)
{
	if (f->nr > 1 && !why_not)
		abort();
	return look_at(f, arg);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int fd = memfd_create("kallsyms", MFD_CLOEXEC);
	struct lookup_kernel_files files = {};
	struct buf why = {};
	char path[64];
	uint64_t addr;

	if (fd < 0 || write(fd, data, len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	files.kallsyms = path;
	if (lookup__each_kernel_function(&files, "*", look_at, NULL, &why))
		abort();
	files.traceable = files.blacklist = path;
	if (lookup__each_kernel_function(&files, "?*", look_at, NULL, &why) || why.len)
		abort();
	if (lookup__each_kernel_probe(&files, "?*", look_at_probe, NULL, &why) ? !why.len : why.len)
		abort();
	buf__clear(&why);
	if (!lookup__kernel(path, "foo", &addr, &why) != !why.len)
		abort();
	buf__free(&why);
	close(fd);
	return 0;
}
