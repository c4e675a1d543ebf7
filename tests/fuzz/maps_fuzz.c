// SPDX-License-Identifier: BSD-2-Clause
/* The text of /proc/PID/maps, and the address space made of it. */
#include <stdlib.h>
#include <string.h>

#include "sym/maps.h"
#include "sym/space.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1);
	struct space *s = space__new();
	struct maps_line line;
	const char *text = copy;
	size_t len = size;
	unsigned nr = 0;

	if (!copy || !s)
		abort();
	memcpy(copy, data, size);
	while (maps__next(&text, &len, &line) && nr++ < 1000) {
		const struct mapping m = {
			.start = line.start,
			.end = line.end,
			.since_ns = line.offset,
			.binary = nr,
		};

		if (space__add(s, &m))
			break;
		if (!space__find(s, line.start, UINT64_MAX))
			abort();
	}
	space__release(s);
	free(copy);
	return 0;
}
