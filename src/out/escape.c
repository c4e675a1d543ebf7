// SPDX-License-Identifier: BSD-2-Clause
#include "out/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

/* The character at @s and its length in bytes; U+FFFD for a byte that is none. */
static uint32_t decode(const char *s, size_t len, size_t *bytes)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n = utf8__sequence(s, len), i;
	uint32_t c;

	*bytes = n ? n : 1;
	if (!n)
		return 0xfffd;
	if (n == 1)
		return u[0];
	c = u[0] & (0x7f >> n);
	for (i = 1; i < n; i++)
		c = c << 6 | (u[i] & 0x3f);
	return c;
}

/* Not a character to show, or not one in XML 1.0. */
static bool is_unsafe(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfffe || c == 0xffff || c == 0x2028 ||
	       c == 0x2029;
}

static bool is_plain_ascii(char c)
{
	return c >= 0x20 && c < 0x7f;
}

static const char *xml_entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	default:
		return NULL;
	}
}

static const char *json_entity(char c)
{
	switch (c) {
	case '&':
		return "\\u0026";
	case '<':
		return "\\u003c";
	case '>':
		return "\\u003e";
	case '"':
		return "\\\"";
	case '\\':
		return "\\\\";
	default:
		return NULL;
	}
}

static void escape(struct writer *w, const char *s, size_t len, const char *(*entity)(char))
{
	size_t i = 0, good = 0, n = 1;

	for (; i < len; i += n) {
		const char *instead = NULL;

		n = 1;
		if (is_plain_ascii(s[i]))
			instead = entity(s[i]);
		else if (is_unsafe(decode(s + i, len - i, &n)) || !utf8__sequence(s + i, len - i))
			instead = REPLACEMENT;
		if (!instead)
			continue;
		writer__put(w, s + good, i - good);
		writer__puts(w, instead);
		good = i + n;
	}
	writer__put(w, s + good, len - good);
}

void escape__xml(struct writer *w, const char *s, size_t len)
{
	escape(w, s, len, xml_entity);
}

void escape__json(struct writer *w, const char *s, size_t len)
{
	escape(w, s, len, json_entity);
}

static int replace(struct buf *b, const char *s, const char *unsafe, char from, char to)
{
	size_t len = strlen(s), i = 0, good = 0, n = 1;
	int err = 0;

	for (; i < len && !err; i += n) {
		bool special = from && s[i] == from;

		n = 1;
		if (!special && (is_plain_ascii(s[i]) || !is_unsafe(decode(s + i, len - i, &n))))
			continue;
		err = buf__put(b, s + good, i - good);
		if (!err)
			err = special ? buf__put(b, &to, 1) : buf__puts(b, unsafe);
		good = i + n;
	}
	return err ? err : buf__put(b, s + good, len - good);
}

int escape__folded(struct buf *b, const char *s)
{
	return replace(b, s, "?", ';', ':');
}

int escape__controls(struct buf *b, const char *s)
{
	return replace(b, s, "?", '\0', '\0');
}

int escape__plain(struct buf *b, const char *s)
{
	return replace(b, s, REPLACEMENT, '\0', '\0');
}

/* Good enough to keep columns straight; the exact answer depends on the font. */
static size_t cells_of(uint32_t c)
{
	if ((c >= 0x300 && c < 0x370) || (c >= 0x200b && c < 0x2010) || c == 0xfeff)
		return 0;
	if ((c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
	    (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
	    (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
	    (c >= 0x1f300 && c < 0x1f650) || (c >= 0x20000 && c < 0x3fffe))
		return 2;
	return 1;
}

size_t escape__fit(const char *s, size_t len, size_t cells, size_t *used)
{
	size_t i = 0, n, wide;

	for (*used = 0; i < len; i += n) {
		wide = cells_of(decode(s + i, len - i, &n));
		if (*used + wide > cells)
			break;
		*used += wide;
	}
	return i;
}
