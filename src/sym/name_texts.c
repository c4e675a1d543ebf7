// SPDX-License-Identifier: BSD-2-Clause
/* Checks names and lines that a jailed reader has sent, and copies them. */
#include "sym/name_texts.h"

#include <string.h>

#include "sym/source_lines.h"

size_t name_texts__bytes(const struct name_answer *a)
{
	return (size_t)a->name_bytes + a->inlined_bytes + a->lines_bytes;
}

/* As many texts as were told, each with its NUL. */
static bool are_texts(const char *texts, size_t len, uint32_t nr_told)
{
	size_t nr = 0;

	for (size_t i = 0; i < len; i++)
		nr += !texts[i];
	return nr == nr_told && (!len || !texts[len - 1]);
}

bool name_texts__take(struct file_answer *out, const struct name_answer *a, const char *texts)
{
	const char *inlined = texts + a->name_bytes, *lines = inlined + a->inlined_bytes;
	const size_t nr_lines = 1 + (size_t)a->nr_inlined;

	if (memchr(texts, 0, a->name_bytes) ||
	    !are_texts(inlined, a->inlined_bytes, a->nr_inlined) ||
	    (a->lines_bytes && !source_lines__are(lines, a->lines_bytes, nr_lines)))
		return false;
	if (a->build_id_len > sizeof(out->build_id))
		return false;
	memcpy(out->build_id, a->build_id, a->build_id_len);
	out->build_id_len = a->build_id_len;
	out->nr_inlined = a->nr_inlined;
	return !buf__put(&out->name, texts, a->name_bytes) &&
	       !buf__put(&out->inlined, inlined, a->inlined_bytes) &&
	       !buf__put(&out->lines, lines, a->lines_bytes);
}
