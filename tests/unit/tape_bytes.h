/* SPDX-License-Identifier: BSD-2-Clause */
/* A file in memory, for readers that take a struct tape_input: { tape_bytes__read, &bytes }. */
#ifndef TESTS_UNIT_TAPE_BYTES_H
#define TESTS_UNIT_TAPE_BYTES_H

#include <stddef.h>
#include <string.h>

struct tape_bytes {
	const void *at;
	size_t left;
};

static inline int tape_bytes__read(void *arg, void *out, size_t *len)
{
	struct tape_bytes *b = arg;

	if (*len > b->left)
		*len = b->left;
	memcpy(out, b->at, *len);
	b->at = (const char *)b->at + *len;
	b->left -= *len;
	return 0;
}

#endif
