// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as a mangled name, of every language; the output has a bound. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/demangle.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	static const char *const prefixes[] = { "", "_Z", "_ZN", "_R", "_D3", "_GLOBAL_" };
	struct buf out = {};
	char *name;
	size_t i;

	name = malloc(len + 16);
	if (!name)
		return 0;
	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		char *end = stpcpy(name, prefixes[i]);

		memcpy(end, data, len);
		end[len] = '\0';
		buf__clear(&out);
		if (demangle(&out, name) || out.len > 4 * 64 * 1024 + len + 16)
			abort();
	}
	buf__free(&out);
	free(name);
	return 0;
}
