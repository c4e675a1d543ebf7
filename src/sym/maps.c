// SPDX-License-Identifier: BSD-2-Clause
/* Parses the lines of /proc/PID/maps. */
#include "sym/maps.h"

#include <string.h>

struct cursor {
	const char *at, *end;
};

static bool number(struct cursor *c, unsigned base, uint64_t *out)
{
	const char *start = c->at;
	uint64_t v = 0;

	for (; c->at < c->end; c->at++) {
		char ch = *c->at;
		unsigned d = ch >= '0' && ch <= '9'		    ? ch - '0'
			     : (ch | 32) >= 'a' && (ch | 32) <= 'f' ? (ch | 32) - 'a' + 10
								    : 99;

		if (d >= base)
			break;
		if (__builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			return false;
	}
	*out = v;
	return c->at > start;
}

static bool literal(struct cursor *c, char ch)
{
	if (c->at >= c->end || *c->at != ch)
		return false;
	c->at++;
	return true;
}

/* "55d0-55e0 r-xp 00002000 fe:00 1234    /usr/bin/cat" */
static bool parse_line(struct cursor c, struct maps_line *out)
{
	uint64_t major, minor;

	if (!number(&c, 16, &out->start) || !literal(&c, '-') || !number(&c, 16, &out->end) ||
	    !literal(&c, ' ') || c.end - c.at < 5)
		return false;
	out->executable = c.at[2] == 'x';
	c.at += 4;
	if (!literal(&c, ' ') || !number(&c, 16, &out->offset) || !literal(&c, ' ') ||
	    !number(&c, 16, &major) || !literal(&c, ':') || !number(&c, 16, &minor) ||
	    !literal(&c, ' ') || !number(&c, 10, &out->inode))
		return false;
	out->dev_major = major;
	out->dev_minor = minor;
	while (literal(&c, ' '))
		;
	out->name = c.at;
	out->name_len = c.end - c.at;
	return out->start < out->end;
}

bool maps__next(const char **text, size_t *len, struct maps_line *out)
{
	while (*len) {
		const char *nl = memchr(*text, '\n', *len);
		size_t line = nl ? (size_t)(nl - *text) : *len;
		struct cursor c = { *text, *text + line };

		*text += line + !!nl;
		*len -= line + !!nl;
		if (parse_line(c, out))
			return true;
	}
	return false;
}
