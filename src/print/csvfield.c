// SPDX-License-Identifier: BSD-2-Clause
/* Writes one CSV field, quoted where it has to be. */
#include "print/csvfield.h"

#include <string.h>

#include "print/escape.h"

void csv_field__put(struct writer *w, bool *first, const char *s)
{
	const char *quote;

	if (!*first)
		writer__putc(w, ',');
	*first = false;
	if (!strpbrk(s, ",\"\r\n") && s[0] != ' ') {
		writer__puts(w, s);
		return;
	}
	writer__putc(w, '"');
	for (quote = strchr(s, '"'); quote; quote = strchr(s, '"')) {
		writer__put(w, s, quote + 1 - s);
		writer__putc(w, '"');
		s = quote + 1;
	}
	writer__puts(w, s);
	writer__putc(w, '"');
}

void csv_field__number(struct writer *w, bool *first, uint64_t n)
{
	if (!*first)
		writer__putc(w, ',');
	*first = false;
	writer__u64(w, n);
}

int csv_field__name(struct writer *w, bool *first, const char *s, struct buf *b)
{
	int err;

	buf__clear(b);
	err = escape__controls(b, s);
	if (!err)
		csv_field__put(w, first, b->data);
	return err;
}
