/* SPDX-License-Identifier: BSD-2-Clause */
/* Tables of tests: rows of what is asked and what comes of it, both as text. */
#ifndef TESTS_UNIT_ROWS_H
#define TESTS_UNIT_ROWS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"

struct text_row {
	const char *asked, *is;
};

/* @render appends to @is what comes of @asked. Rows that are something else are told, all. */
static inline void assert_rows(void (*render)(const char *asked, struct buf *is),
			       const struct text_row *rows, size_t nr)
{
	size_t nr_wrong = 0;

	for (size_t i = 0; i < nr; i++) {
		struct buf is = {};

		assert_int_equal(buf__puts(&is, ""), 0);
		render(rows[i].asked, &is);
		if (strcmp(is.data, rows[i].is)) {
			print_error("%s: is '%s', not '%s'\n", rows[i].asked, is.data, rows[i].is);
			nr_wrong++;
		}
		buf__free(&is);
	}
	assert_int_equal(nr_wrong, 0);
}

#define ASSERT_ROWS(render, ...)                                                                   \
	do {                                                                                       \
		static const struct text_row rows_[] = { __VA_ARGS__ };                            \
		assert_rows(render, rows_, sizeof(rows_) / sizeof(*rows_));                        \
	} while (0)

#endif
