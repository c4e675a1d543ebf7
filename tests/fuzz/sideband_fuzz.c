// SPDX-License-Identifier: BSD-2-Clause
/* Side-band records as the kernel writes them into a ring. */
#include <stdlib.h>
#include <string.h>

#include "perf/sideband.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sideband_record r;
	uint8_t *copy;

	if (size < 8 || size > 65535)
		return 0;
	/* An exact copy, so that a read behind the end is noticed. */
	copy = malloc(size);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	copy[6] = size;
	copy[7] = size >> 8;
	if (!sideband_record__decode(copy, size, &r)) {
		volatile size_t used = r.name ? strlen(r.name) : 0;

		for (unsigned i = 0; i < r.build_id_len; i++)
			used += r.build_id[i];
	}
	free(copy);
	return 0;
}
