// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as a jitdump, in parts of any size; whatever has a name is covered by it. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sym/jitdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* The file grows by @step bytes at a time; a copy of each part shows what reads behind it. */
static void grow(struct jitdump *d, const uint8_t *data, size_t len, size_t step)
{
	size_t at = 0, there = 0;
	int err = 0;

	while (there < len && !err) {
		struct growing_part part;
		uint64_t used = 0;
		char *copy;

		there = step < len - there ? there + step : len;
		if (at >= there)
			continue;
		part = (struct growing_part){ .len = there - at, .left = there - at };
		copy = malloc(part.len);
		memcpy(copy, data + at, part.len);
		part.bytes = copy;
		err = jitdump__parse(d, &part, &used);
		if (err == -ENOMEM || used > part.left)
			abort();
		at += used;
		free(copy);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct spans_room room = { .max_bytes = 64 << 10 }; /* soon full: names are packed */
	struct jitdumps all = { .room = &room };
	struct jitdump *d = jitdump__new(&all);
	struct sym sym;

	if (!d)
		abort();
	if (len)
		grow(d, data + 1, len - 1, data[0] ? data[0] * 16 : len);
	for (uint64_t addr = 0; addr < 16384; addr++)
		if (jitdump__find(d, addr, &sym) &&
		    (addr < sym.addr || addr - sym.addr >= sym.size || !*sym.name))
			abort();
	jitdump__free(d);
	if (room.bytes)
		abort();
	return 0;
}
