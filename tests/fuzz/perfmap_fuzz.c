// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as a perf map; whatever has a name is covered by what has that name. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sym/perfmap.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct perfmaps all = { .room.max_bytes = 64 << 10 }; /* soon full: names are packed */
	struct perfmap *m = perfmap__new(&all);
	struct sym sym;
	uint64_t addr;

	if (!m)
		abort();
	if (perfmap__parse(m, (const char *)data, len) == -ENOMEM)
		abort();
	for (addr = 0; addr < 4096; addr++)
		if (perfmap__find(m, addr, &sym) &&
		    (addr < sym.addr || addr - sym.addr >= sym.size || !*sym.name))
			abort();
	if (perfmap__find(m, UINT64_MAX, &sym) && !strlen(sym.name))
		abort();
	perfmap__free(m);
	if (all.room.bytes)
		abort();
	return 0;
}
