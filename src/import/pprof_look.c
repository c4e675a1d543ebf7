// SPDX-License-Identifier: BSD-2-Clause
/* Tells a profile of pprof from texts by what it begins with. */
#include <stdint.h>

#include "import/pprof.h"

/* A number, if it is there; false at the end of what is known. */
static bool take_number(const char **at, size_t *left, uint64_t *n)
{
	unsigned shift = 0;

	for (*n = 0; *left && shift < 64; shift += 7) {
		const uint8_t byte = **at;

		++*at;
		--*left;
		*n |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			return true;
	}
	return false;
}

/*
 * Can the @len bytes at @at be field @number of Profile? Messages begin with a number, and the
 * first string is empty: there are bytes then that no text has. *sure: there were.
 */
static bool is_field(uint64_t number, const char *at, uint64_t len, bool *sure)
{
	switch (number) {
	case 1: /* ValueType: type and unit */
	case 11:
		*sure = true;
		return len && (*at == 0x08 || *at == 0x10);
	case 2: /* Sample: its key is no character of a text */
		*sure = true;
		return true;
	case 3: /* Mapping, Location, Function: an id */
	case 4:
	case 5:
		*sure = true;
		return len && *at == 0x08;
	case 6:
		*sure |= !len;
		return *sure;
	case 13:
		return true;
	default:
		return false;
	}
}

/* The next field, if it may be one of Profile. What is there may be cut off in the last one. */
static bool take_field(const char **at, size_t *left, bool *sure)
{
	uint64_t key, n;

	if (!take_number(at, left, &key) || !take_number(at, left, &n))
		return false;
	if ((key & 7) == 0)
		return key >> 3 >= 7 && key >> 3 <= 15;
	if ((key & 7) != 2 || (n && !*left) || !is_field(key >> 3, *at, n, sure))
		return false;
	n = n < *left ? n : *left;
	*at += n;
	*left -= n;
	return true;
}

bool pprof__is_it(const char *bytes, size_t len)
{
	enum { ENOUGH = 16 };
	bool sure = false;
	unsigned nr = 0;

	while (len && nr < ENOUGH && take_field(&bytes, &len, &sure))
		nr++;
	return sure && (!len || nr == ENOUGH);
}
