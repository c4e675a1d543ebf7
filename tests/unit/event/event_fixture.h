/* SPDX-License-Identifier: BSD-2-Clause */
/* Parsing events in tests: one list at a time, and what came of it. */
#ifndef TESTS_UNIT_EVENT_EVENT_FIXTURE_H
#define TESTS_UNIT_EVENT_EVENT_FIXTURE_H

#include "rows.h"

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

/* TYPE:CONFIG, then what is not 0, then the name in quotes if it is not the spec. */
static inline void put_event(const struct perf_event_spec *ev, const char *spec, struct buf *out)
{
	const struct perf_event_attr *a = &ev->attr;

	assert_int_equal(buf__printf(out, "%u:%#llx", a->type, a->config), 0);
#define PUT_IF(value, ...) assert_int_equal((value) ? buf__printf(out, " " __VA_ARGS__) : 0, 0)
	PUT_IF(a->bp_type, "access=%u", a->bp_type);
	PUT_IF(ev->text, "text=%s", (char *)(uintptr_t)a->config1);
	PUT_IF(!ev->text && a->config1, "config1=%#llx", a->config1);
	PUT_IF(a->config2, "config2=%#llx", a->config2);
	PUT_IF(a->precise_ip, "precise=%u", a->precise_ip);
	PUT_IF(ev->hz, "hz=%lu", ev->hz);
	PUT_IF(ev->period, "period=%lu", ev->period);
	PUT_IF(a->exclude_user, "-user");
	PUT_IF(a->exclude_kernel, "-kernel");
	PUT_IF(a->exclude_hv, "-hv");
	PUT_IF(a->exclude_host, "-host");
	PUT_IF(a->exclude_guest, "-guest");
	PUT_IF(a->exclude_idle, "-idle");
	PUT_IF(a->pinned, "pinned");
	PUT_IF(a->exclusive, "exclusive");
	PUT_IF(ev->most_precise, "most-precise");
	PUT_IF(ev->scale != 1, "*%.4g", ev->scale);
	PUT_IF(*ev->unit, "%s", ev->unit);
	for (size_t i = 0; i < ev->nr_cpus; i++)
		PUT_IF(true, "cpu=%u", ev->cpus[i]);
	PUT_IF(ev->for_cpus, "for-cpus");
	PUT_IF(ev->part_of != (uint32_t)(ev - list.items), "part-of=%u", ev->part_of);
	PUT_IF(strcmp(ev->name, spec), "'%s'", ev->name);
#undef PUT_IF
}

/* Where put_events() looks; NULL: this machine. */
static const struct perf_event_env *rows_env;

/* What put_event() has of each event of the list, separated by ", ", or why it is refused. */
static inline void put_events(const char *spec, struct buf *is)
{
	perf_events__free(&list);
	if (perf_events__parse(&list, rows_env, spec, is))
		return;
	for (size_t k = 0; k < list.nr; k++) {
		assert_int_equal(buf__puts(is, k ? ", " : ""), 0);
		put_event(&list.items[k], spec, is);
	}
}

#define ASSERT_EVENTS(rows) assert_rows(put_events, rows, ARRAY_SIZE(rows))

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
