// SPDX-License-Identifier: BSD-2-Clause
/* What is wrong with a list of events, and where in it. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/place.h"
#include "base/why.h"
#include "event/event_parse.h"

void event__at(struct event_parser *p, const char *s, size_t len)
{
	p->bad = s;
	p->bad_len = len;
}

int event__refuse(struct event_parser *p, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err = why__vrefuse(p->why, err, fmt, ap);
	va_end(ap);
	return err;
}

int event__put_place(const struct event_parser *p, struct buf *out)
{
	if (!p->bad || p->bad_len == strlen(p->text))
		return 0;
	return place__put(out, p->text, p->bad);
}
