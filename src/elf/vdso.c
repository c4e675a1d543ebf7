// SPDX-License-Identifier: BSD-2-Clause
#include "elf/vdso.h"

#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

#include "base/buf.h"

const void *vdso__image(size_t *len)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct buf maps = {};

	/* Two pages and a bit at most today; what lies behind it is not ours to read. */
	*len = sysconf(_SC_PAGESIZE);
	if (image && !buf__read_file(&maps, "/proc/self/maps", 1 << 24)) {
		const char *line = strstr(maps.data, "[vdso]");
		unsigned long long start, end;

		while (line && line > maps.data && line[-1] != '\n')
			line--;
		if (line && sscanf(line, "%llx-%llx", &start, &end) == 2 && end > start)
			*len = end - start;
	}
	buf__free(&maps);
	return image;
}
