/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter_fields.h - a probe made up for filters. A program that includes this has a fields__find()
 * of its own, and the linker takes no other from the library.
 *
 * pid, cpu		u32, of the task	comm	its name
 * u8, s8, u16, s32, s64, u64	members of the record, at 8, 16, 24, ..
 * bits3		a bit field		hex	u64, an address
 * name			a string in the record	sk->port	u16 behind a pointer
 */
#ifndef PMUTRACE_TESTS_FILTER_FIELDS_H
#define PMUTRACE_TESTS_FILTER_FIELDS_H

#include <errno.h>
#include <string.h>

#include "plan/fields.h"

#define IN_RECORD(at, bytes, sign)                                                                 \
	{                                                                                          \
		.source = FETCH_CONTEXT, .words = 1, .load = {                                     \
			.offset = (at),                                                            \
			.size = (bytes),                                                           \
			.is_signed = (sign)                                                        \
		}                                                                                  \
	}

static const struct filter_field {
	const char *name;
	struct field field;
} filter_fields[] = {
	{ "pid", { { .source = FETCH_PID, .words = 1 }, FIELD_UNSIGNED } },
	{ "cpu", { { .source = FETCH_CPU, .words = 1 }, FIELD_UNSIGNED } },
	{ "comm",
	  { { .source = FETCH_COMM, .form = FETCH_CHARS, .words = FETCH_STRING_WORDS },
	    FIELD_TEXT } },
	{ "u8", { IN_RECORD(8, 1, 0), FIELD_UNSIGNED } },
	{ "s8", { IN_RECORD(16, 1, 1), FIELD_SIGNED } },
	{ "u16", { IN_RECORD(24, 2, 0), FIELD_UNSIGNED } },
	{ "s32", { IN_RECORD(32, 4, 1), FIELD_SIGNED } },
	{ "s64", { IN_RECORD(40, 8, 1), FIELD_SIGNED } },
	{ "u64", { IN_RECORD(48, 8, 0), FIELD_UNSIGNED } },
	{ "hex", { IN_RECORD(56, 8, 0), FIELD_HEX } },
	{ "bits3",
	  { { .source = FETCH_CONTEXT, .words = 1, .load = { .offset = 64, .size = 4, .bits = 3 } },
	    FIELD_UNSIGNED } },
	{ "s8:u8", { IN_RECORD(16, 1, 0), FIELD_UNSIGNED } },
	{ "s8:u64", { IN_RECORD(16, 1, 1), FIELD_UNSIGNED } },
	{ "u8:s16", { IN_RECORD(8, 1, 0), FIELD_SIGNED } },
	{ "name",
	  { { .source = FETCH_CONTEXT,
	      .form = FETCH_CHARS,
	      .words = FETCH_STRING_WORDS,
	      .load = { .offset = 72 } },
	    FIELD_TEXT } },
	{ "sk->port",
	  { { .source = FETCH_CONTEXT,
	      .words = 1,
	      .nr_steps = 1,
	      .load = { .offset = 136, .size = 8 },
	      .steps = { { .offset = 14, .size = 2 } } },
	    FIELD_UNSIGNED } },
};

int fields__find(struct fields *f, const char *text, size_t len, struct field *out, struct buf *why)
{
	for (size_t i = 0; i < ARRAY_SIZE(filter_fields); i++) {
		if (strlen(filter_fields[i].name) != len ||
		    strncmp(filter_fields[i].name, text, len))
			continue;
		*out = filter_fields[i].field;
		return 0;
	}
	return buf__printf(why, "there is no field '%.*s'", (int)len, text) ? -ENOMEM : -EINVAL;
}

#endif
