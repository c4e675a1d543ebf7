// SPDX-License-Identifier: BSD-2-Clause
/* Cuts and pads text by terminal columns; the marks of kernel, JIT and command frames. */
#include "print/cell.h"

#include "base/utf8.h"

#include <string.h>

size_t cell__columns(const char *s, size_t len)
{
	size_t used;

	utf8__fit(s, len, SIZE_MAX, &used);
	return used;
}

size_t cell__width(const char *s)
{
	return cell__columns(s, strlen(s));
}

/* Both ends of @s around "…"; the second gets a third of @room columns. Returns columns used. */
static size_t put_ends(struct writer *w, const char *s, size_t room)
{
	const size_t tail = room / 3, len = strlen(s), all = cell__width(s);
	size_t head, left_out, n, at = utf8__fit(s, len, room - tail, &head);

	writer__put(w, s, at);
	writer__puts(w, "…");
	at = utf8__fit(s, len, all - tail, &left_out);
	/* A wide character that begins in the gap is left out whole, with what combines with it. */
	if (left_out < all - tail) {
		utf8__decode(s + at, len - at, &n);
		left_out += 2;
		at += n;
		at += utf8__fit(s + at, len - at, 0, &n);
	}
	writer__put(w, s + at, len - at);
	return head + 1 + all - left_out;
}

size_t cell__put(struct writer *w, const char *s, const char *mark, size_t width)
{
	const size_t mark_len = strlen(mark);
	size_t used = cell__width(s);

	if (width && used + mark_len > width)
		used = put_ends(w, s, width > mark_len ? width - mark_len - 1 : 0);
	else
		writer__puts(w, s);
	writer__puts(w, mark);
	return used + mark_len;
}

void cell__pad(struct writer *w, size_t used, size_t width)
{
	for (; used < width; used++)
		writer__putc(w, ' ');
}

const char *cell__mark(enum frame_kind kind)
{
	switch (kind) {
	case FRAME_KERNEL:
		return " [k]";
	case FRAME_JIT:
		return " [j]";
	case FRAME_INLINED:
		return " [i]";
	case FRAME_COMM:
		return " [command]";
	default:
		return "";
	}
}
