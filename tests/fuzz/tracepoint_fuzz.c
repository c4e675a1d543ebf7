// SPDX-License-Identifier: BSD-2-Clause
/* The text of a tracepoint's format file; and places of probes as people type them. */
#include <stdlib.h>
#include <string.h>

#include "event/tracefs_place.h"
#include "event/tracepoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_field(const struct tracepoint_field *f)
{
	if (!f->name[0] || !f->type[0] || f->size > UINT32_MAX - f->offset)
		abort();
	if (strpbrk(f->name, "[] ;\n") || (f->is_relative && !f->is_dynamic))
		abort();
}

static void check_place(const char *what, bool kernel)
{
	struct buf place = {}, why = {};
	char name[64];

	/* What is accepted must be one word of one line; what is not needs a reason. */
	if (!tracefs_place__put(&place, kernel, what, &why)) {
		if (!place.len || strpbrk(place.data, " \t\n\v\f\r#\xa0"))
			abort();
		tracefs_place__name(name, sizeof(name), !kernel, place.data);
		if (name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				      "0123456789_")])
			abort();
	} else if (!why.len) {
		abort();
	}
	buf__free(&place);
	buf__free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1), *text = strndup((const char *)data, size);
	struct tracepoint_format format;

	if (!copy || !text)
		abort();
	memcpy(copy, data, size);
	if (!tracepoint_format__parse(copy, size, &format)) {
		if (!format.name || format.nr > TRACEPOINT_FIELDS_MAX)
			abort();
		for (size_t i = 0; i < format.nr; i++)
			check_field(&format.fields[i]);
		tracepoint_format__free(&format);
	} else if (format.fields || format.name || format.print) {
		abort();
	}
	check_place(text, true);
	check_place(text, false);
	free(copy);
	free(text);
	return 0;
}
