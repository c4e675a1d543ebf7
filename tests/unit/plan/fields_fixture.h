/* SPDX-License-Identifier: BSD-2-Clause */
/* Fields of a probe that a test describes, and what came of a name. */
#ifndef TESTS_UNIT_PLAN_FIELDS_FIXTURE_H
#define TESTS_UNIT_PLAN_FIELDS_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "plan/field_place.h"

/* The types of kernel probes; NULL: the running kernel's. */
static const struct btf *types;
static const char *root = "";

static inline int try_field(const struct perf_site *site, const char *text, struct field *out,
			    struct buf *why)
{
	struct perf_event_spec ev = { .name = (char *)"probe", .site = *site };
	struct fields *f;
	int err;

	assert_int_equal(fields__open_at(&f, &ev, root, types), 0);
	err = fields__find(f, text, strlen(text), out, why);
	fields__close(f);
	return err;
}

static inline struct field field_of(const struct perf_site *site, const char *text)
{
	struct buf why = {};
	struct field out;

	if (try_field(site, text, &out, &why)) {
		print_error("'%s': %s\n", text, why.data ? why.data : "");
		fail();
	}
	assert_null(why.data);
	assert_int_equal(out.fetch.words, out.kind == FIELD_TEXT ? FETCH_STRING_WORDS : 1);
	return out;
}

static inline void assert_no_field(const struct perf_site *site, const char *text,
				   const char *because)
{
	struct buf why = {};
	struct field out;

	assert_int_equal(try_field(site, text, &out, &why), -EINVAL);
	assert_non_null(why.data);
	if (!strstr(why.data, because))
		print_error("'%s': %s\n", text, why.data);
	assert_non_null(strstr(why.data, because));
	buf__free(&why);
}

static inline void assert_load(const struct fetch_load *l, int offset, unsigned size,
			       bool is_signed)
{
	assert_int_equal(l->offset, offset);
	assert_int_equal(l->size, size);
	assert_int_equal(l->is_signed, is_signed);
}

/* A number of what the probe hands over, without steps. */
static inline void assert_number(const struct perf_site *site, const char *text, int offset,
				 unsigned size, enum field_kind kind)
{
	struct field f = field_of(site, text);

	assert_int_equal(f.kind, kind);
	assert_int_equal(f.fetch.source, FETCH_CONTEXT);
	assert_int_equal(f.fetch.form, FETCH_NUMBER);
	assert_int_equal(f.fetch.nr_steps, 0);
	assert_load(&f.fetch.load, offset, size, kind == FIELD_SIGNED);
	assert_int_equal(f.fetch.load.bits, 0);
}

/* A string at this place of what the probe hands over, or where the number there points. */
static inline struct fetch assert_text(const struct perf_site *site, const char *text, int offset,
				       enum fetch_form form)
{
	struct field f = field_of(site, text);

	assert_int_equal(f.kind, FIELD_TEXT);
	assert_int_equal(f.fetch.source, FETCH_CONTEXT);
	assert_int_equal(f.fetch.form, form);
	assert_int_equal(f.fetch.load.offset, offset);
	return f.fetch;
}

#endif
