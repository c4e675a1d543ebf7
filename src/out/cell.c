// SPDX-License-Identifier: BSD-2-Clause
#include "out/cell.h"

#include "base/utf8.h"

#include <string.h>

size_t cell__width(const char *s)
{
	size_t used;

	utf8__fit(s, strlen(s), SIZE_MAX, &used);
	return used;
}

size_t cell__put(struct writer *w, const char *s, const char *mark, size_t width)
{
	size_t len = strlen(s), mark_len = strlen(mark), used;

	utf8__fit(s, len, SIZE_MAX, &used);
	if (width && used + mark_len > width) {
		len = utf8__fit(s, len, width > mark_len ? width - mark_len - 1 : 0, &used);
		writer__put(w, s, len);
		writer__puts(w, "…");
		used++;
	} else {
		writer__put(w, s, len);
	}
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
	case FRAME_COMM:
		return " [command]";
	default:
		return "";
	}
}
