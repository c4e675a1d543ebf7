// SPDX-License-Identifier: BSD-2-Clause
#include "collect/resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sym/lookup.h"
#include "sym/usdt.h"

static int kernel_address(const char *symbol, uint64_t *addr, struct buf *why)
{
	return lookup__kernel("/proc/kallsyms", symbol, addr, why);
}

static int function(const char *path, const char *symbol, struct perf_location *out,
		    struct buf *why)
{
	struct buf file = {};
	int err = lookup__path(path, &file, why);

	*out = (struct perf_location){};
	if (!err)
		err = lookup__function(file.data, symbol, &out->offset, why);
	if (err) {
		buf__free(&file);
		return err;
	}
	out->path = file.data;
	return 0;
}

static int usdt(const char *path, const char *provider, const char *name,
		struct perf_location **out, size_t *nr, struct buf *why)
{
	struct usdt_probe *probes = NULL;
	struct buf file = {};
	size_t found = 0, i;
	int err = lookup__path(path, &file, why);

	*nr = 0;
	*out = NULL;
	if (!err)
		err = usdt__find(file.data, provider, name, &probes, &found, why);
	if (!err) {
		*out = calloc(found + 1, sizeof(**out));
		err = *out ? 0 : -ENOMEM;
	}
	for (i = 0; i < found && !err; i++) {
		(*out)[i] = (struct perf_location){
			.path = strdup(file.data),
			.offset = probes[i].offset,
			.counter_offset = probes[i].semaphore,
		};
		err = (*out)[i].path ? 0 : -ENOMEM;
		*nr += !err;
	}
	free(probes);
	buf__free(&file);
	return err;
}

const struct perf_event_env resolve_env = {
	.root = "",
	.kernel_address = kernel_address,
	.function = function,
	.usdt = usdt,
};
