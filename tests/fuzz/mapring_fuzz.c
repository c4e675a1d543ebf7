// SPDX-License-Identifier: BSD-2-Clause
/* A ring whose numbers and bytes are all made up: 5 words for its page, the rest is data. */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

#include "perf/mapring.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t used; /* so that reading is not left out */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_event_mmap_page page = { 0 };
	uint64_t words[5];
	struct mapring *r;
	const void *bytes;
	char *memory;
	size_t len;

	if (size < sizeof(words) || size > 65536)
		return 0;
	memcpy(words, data, sizeof(words));
	data += sizeof(words);
	size -= sizeof(words);
	page.data_head = words[0];
	page.data_tail = words[1];
	page.data_offset = words[2];
	page.data_size = words[3];
	/* An exact copy, so that a read behind the end is noticed. */
	memory = malloc(sizeof(page) + size);
	if (!memory)
		return 0;
	memcpy(memory, &page, sizeof(page));
	memcpy(memory + sizeof(page), data, size);
	if (mapring__over(&r, memory, sizeof(page) + size))
		goto out_free;
	for (int i = 0; i < 8; i++) {
		mapring__update(r);
		while (!mapring__next(r, &bytes, &len))
			for (size_t j = 0; j < len; j++)
				used += ((const unsigned char *)bytes)[j];
		/* The kernel goes on writing. */
		((struct perf_event_mmap_page *)memory)->data_head += words[4];
	}
	mapring__close(r);
out_free:
	free(memory);
	return 0;
}
