// SPDX-License-Identifier: BSD-2-Clause
/* Compiles a pattern into sets of positions, and runs them over a string. */
#include "base/glob.h"

#include <errno.h>

enum { TOKENS_MAX = 62 };

int glob__compile(struct glob *g, const char *pattern)
{
	unsigned token = 0;

	*g = (struct glob){};
	if (!*pattern)
		return -EINVAL;
	for (; *pattern; pattern++) {
		if (*pattern == '*' && pattern[1] == '*')
			continue; /* one star is enough */
		if (token == TOKENS_MAX)
			return -E2BIG;
		if (*pattern == '*')
			g->stars |= 1ull << token;
		else if (*pattern == '?')
			for (unsigned c = 1; c < 256; c++)
				g->accepts[c] |= 1ull << token;
		else
			g->accepts[(unsigned char)*pattern] |= 1ull << token;
		token++;
	}
	g->end = 1ull << token;
	return 0;
}

bool glob__matches(const struct glob *g, const char *s)
{
	uint64_t at = 1;

	for (;; s++) {
		at |= (at & g->stars) << 1;
		if (!*s)
			return at & g->end;
		at = (at & g->stars) | (at & g->accepts[(unsigned char)*s]) << 1;
	}
}
