// SPDX-License-Identifier: BSD-2-Clause
/* Quotes the text around an error, and counts its column in characters. */
#include "base/place.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

/* Of a long text a part is quoted: so much, with so much in front of what is wrong. */
enum { QUOTED_MAX = 64, IN_FRONT = 24 };

static bool is_continuation(char c)
{
	return (c & 0xc0) == 0x80;
}

static size_t column(const char *text, const char *at)
{
	size_t nr = 1;

	for (; text < at; text++)
		nr += !is_continuation(*text);
	return nr;
}

static int quote(struct buf *out, const char *text, const char *at)
{
	size_t len = strlen(text), first = 0, end = len, old;
	int err;

	if (len > QUOTED_MAX) {
		first = at - text > IN_FRONT ? at - text - IN_FRONT : 0;
		end = first + QUOTED_MAX < len ? first + QUOTED_MAX : len;
	}
	while (first && is_continuation(text[first]))
		first--;
	while (end < len && is_continuation(text[end]))
		end++;
	old = out->len;
	err = buf__puts(out, first ? ".." : "");
	if (!err)
		err = utf8__put_valid(out, text + first, end - first);
	if (!err)
		err = buf__puts(out, end < len ? ".." : "");
	for (size_t i = old; !err && i < out->len; i++)
		if (iscntrl((unsigned char)out->data[i]))
			out->data[i] = '?';
	return err;
}

int place__put(struct buf *out, const char *text, const char *at)
{
	int err = buf__puts(out, "in '");

	if (!err)
		err = quote(out, text, at);
	return err ? err : buf__printf(out, "', column %zu: ", column(text, at));
}
