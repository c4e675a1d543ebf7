/* SPDX-License-Identifier: BSD-2-Clause */
/* Parsing events in tests: one list at a time, and what came of it. */
#ifndef TESTS_UNIT_EVENT_EVENT_FIXTURE_H
#define TESTS_UNIT_EVENT_EVENT_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/event.h"

/* The list of what a test parsed; freed at the test's end. */
static struct perf_events list;

static inline int try(const char *text, struct buf *why)
{
	perf_events__free(&list);
	return perf_events__parse(&list, NULL, text, why);
}

static inline const struct perf_event_spec *parse(const char *text)
{
	struct buf why = {};

	if (try(text, &why))
		print_error("%s: %s\n", text, why.data ? why.data : "");
	assert_false(why.len);
	assert_int_equal(list.nr, 1);
	return &list.items[0];
}

static inline int free_list(void **state)
{
	perf_events__free(&list);
	return 0;
}

static inline void assert_event(const char *text, uint32_t type, uint64_t config)
{
	const struct perf_event_spec *ev = parse(text);

	assert_int_equal(ev->attr.type, type);
	assert_int_equal(ev->attr.config, config);
	assert_string_equal(ev->name, text);
}

static inline void assert_refused(const char *text, const char *because)
{
	struct buf why = {};
	int err = try(text, &why);

	assert_int_equal(err, -EINVAL);
	if (!strstr(why.data, because))
		print_error("%s: %s\n", text, why.data);
	assert_non_null(strstr(why.data, because));
	buf__free(&why);
}

#endif
