// SPDX-License-Identifier: BSD-2-Clause
#include "unwind/copied_stack.h"

#include <string.h>

static uint64_t in_page(uint64_t at)
{
	return at % UNWIND_COPY_PAGE_BYTES;
}

size_t copied_stack__pages(uint64_t from, uint64_t bytes)
{
	return bytes ? (in_page(from) + bytes - 1) / UNWIND_COPY_PAGE_BYTES + 1 : 0;
}

int copied_stack__read(const struct copied_stack *c, void *to, size_t len, uint64_t at)
{
	uint8_t *out = to;

	if (at < c->from || at - c->from > c->bytes || len > c->bytes - (at - c->from))
		return -1;
	while (len) {
		const size_t page = (in_page(c->from) + (at - c->from)) / UNWIND_COPY_PAGE_BYTES;
		const size_t left = UNWIND_COPY_PAGE_BYTES - in_page(at);
		const size_t part = len < left ? len : left;

		if (!c->pages[page])
			return -1;
		memcpy(out, c->pages[page] + in_page(at), part);
		out += part;
		at += part;
		len -= part;
	}
	return 0;
}
