// SPDX-License-Identifier: BSD-2-Clause
/* Replaces or escapes characters for XML, JSON, folded stacks, text and terminals. */
#include "print/escape.h"

#include <string.h>

#include "base/utf8.h"
#include "base/visible.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

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

static void put_entities(struct writer *w, const char *s, size_t len, const char *(*entity)(char))
{
	size_t good = 0;

	for (size_t i = 0; i < len; i++) {
		const char *instead = entity(s[i]);

		if (!instead)
			continue;
		writer__put(w, s + good, i - good);
		writer__puts(w, instead);
		good = i + 1;
	}
	writer__put(w, s + good, len - good);
}

static void escape(struct writer *w, const char *s, size_t len, const char *(*entity)(char))
{
	size_t shown, hidden;

	for (; len; s += shown + hidden, len -= shown + hidden) {
		shown = visible__span(s, len, &hidden);
		put_entities(w, s, shown, entity);
		if (hidden)
			writer__puts(w, REPLACEMENT);
	}
}

void escape__xml(struct writer *w, const char *s, size_t len)
{
	escape(w, s, len, xml_entity);
}

void escape__json(struct writer *w, const char *s, size_t len)
{
	escape(w, s, len, json_entity);
}

static const char *no_entity(char c)
{
	return NULL;
}

void escape__put(struct writer *w, const char *s)
{
	escape(w, s, strlen(s), no_entity);
}

int escape__folded(struct buf *b, const char *s)
{
	const size_t before = b->len;
	int err = visible__put(b, s, strlen(s), "?");

	for (size_t i = before; i < b->len; i++)
		if (b->data[i] == ';')
			b->data[i] = ':';
	return err;
}

int escape__controls(struct buf *b, const char *s)
{
	return visible__put(b, s, strlen(s), "?");
}

int escape__plain(struct buf *b, const char *s)
{
	return visible__put(b, s, strlen(s), REPLACEMENT);
}

void escape__json_text(struct writer *w, const char *json, size_t len)
{
	size_t shown, hidden, bytes;
	uint32_t c;

	for (; len; json += shown + hidden, len -= shown + hidden) {
		shown = visible__span(json, len, &hidden);
		writer__put(w, json, shown);
		if (!hidden)
			continue;
		c = utf8__decode(json + shown, hidden, &bytes);
		if (c < 0x10000)
			writer__printf(w, "\\u%04x", c);
		else
			writer__printf(w, "\\u%04x\\u%04x", 0xd7c0 + (c >> 10),
				       0xdc00 + (c & 0x3ff));
	}
}
