/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/radix.h - sorts items by a number, digit by digit from the last one on.
 *
 * For many that lie close together, such as addresses of one file: digits that all of them share
 * take no time, and where others need a comparison each for a dozen steps, two or three digits do.
 */
#ifndef PMUTRACE_BASE_RADIX_H
#define PMUTRACE_BASE_RADIX_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum {
	RADIX_FEW = 24, /* sorted by putting each in its place */
	RADIX_FEW_BITS = 8,
	RADIX_MANY = 4096,
	RADIX_MANY_BITS = 11,
};

static inline uint64_t radix__number(const void *item)
{
	uint64_t number;

	memcpy(&number, item, sizeof(number));
	return number;
}

static inline __attribute__((always_inline)) void radix__insert(char *items, size_t nr,
								size_t item_bytes)
{
	char one[item_bytes];

	for (size_t i = 1; i < nr; i++) {
		const uint64_t number = radix__number(&items[i * item_bytes]);
		size_t to = i;

		while (to && radix__number(&items[(to - 1) * item_bytes]) > number)
			to--;
		if (to == i)
			continue;
		memcpy(one, &items[i * item_bytes], item_bytes);
		memmove(&items[(to + 1) * item_bytes], &items[to * item_bytes],
			(i - to) * item_bytes);
		memcpy(&items[to * item_bytes], one, item_bytes);
	}
}

/* By one digit of their distance from @least. */
static inline __attribute__((always_inline)) void radix__pass(const char *from, char *to, size_t nr,
							      size_t item_bytes, uint64_t least,
							      unsigned shift, unsigned bits)
{
	const uint64_t mask = (1u << bits) - 1;
	uint32_t at[1u << RADIX_MANY_BITS], sum = 0;

	memset(at, 0, sizeof(*at) << bits);
	for (size_t i = 0; i < nr; i++)
		at[(radix__number(&from[i * item_bytes]) - least) >> shift & mask]++;
	for (size_t d = 0; d <= mask; d++) {
		const uint32_t first = sum;

		sum += at[d];
		at[d] = first;
	}
	for (size_t i = 0; i < nr; i++) {
		const uint64_t number = radix__number(&from[i * item_bytes]);
		const uint32_t place = at[(number - least) >> shift & mask]++;

		memcpy(&to[place * item_bytes], &from[i * item_bytes], item_bytes);
	}
}

/*
 * Sorts @nr items of @item_bytes, a constant, by the uint64_t that each begins with; those with the
 * same keep their order. @spare: room for as many. Where they are now: @items or @spare.
 */
static inline __attribute__((always_inline)) void *radix__sort(void *items, void *spare, size_t nr,
							       size_t item_bytes)
{
	const unsigned bits = nr < RADIX_MANY ? RADIX_FEW_BITS : RADIX_MANY_BITS;
	uint64_t least = UINT64_MAX, most = 0;
	char *from = items, *to = spare;

	if (nr <= RADIX_FEW) {
		radix__insert(items, nr, item_bytes);
		return items;
	}
	for (size_t i = 0; i < nr; i++) {
		const uint64_t number = radix__number(&from[i * item_bytes]);

		least = number < least ? number : least;
		most = number > most ? number : most;
	}
	for (unsigned shift = 0; shift < 64 && (most - least) >> shift; shift += bits) {
		char *sorted = to;

		radix__pass(from, to, nr, item_bytes, least, shift, bits);
		to = from;
		from = sorted;
	}
	return from;
}

#endif
