// SPDX-License-Identifier: BSD-2-Clause
#include "out/escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

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
		else if (is_unsafe(utf8__decode(s + i, len - i, &n)) ||
			 !utf8__sequence(s + i, len - i))
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
		if (!special &&
		    (is_plain_ascii(s[i]) || !is_unsafe(utf8__decode(s + i, len - i, &n))))
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
