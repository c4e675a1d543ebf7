// SPDX-License-Identifier: BSD-2-Clause
/* What is wrong with a list of events, and where in it. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "perf/event_parse.h"

/* Of a long list a part is quoted: so much, with so much in front of what is wrong. */
enum { QUOTED_MAX = 64, IN_FRONT = 24 };

void event__at(struct event_parser *p, const char *s, size_t len)
{
	p->bad = s;
	p->bad_len = len;
}

int event__refuse(struct event_parser *p, int err, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int full;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	full = buf__puts(p->why, text);
	return full ? full : err;
}

static bool is_continuation(char c)
{
	return (c & 0xc0) == 0x80;
}

/* Columns are characters, from 1 on. */
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

int event__put_place(const struct event_parser *p, struct buf *out)
{
	int err;

	if (!p->bad || p->bad_len == strlen(p->text))
		return 0;
	err = buf__puts(out, "in '");
	if (!err)
		err = quote(out, p->text, p->bad);
	return err ? err : buf__printf(out, "', column %zu: ", column(p->text, p->bad));
}
