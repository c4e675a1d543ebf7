/* SPDX-License-Identifier: BSD-2-Clause */
/* What the tests of the public library share. */
#ifndef TESTS_UNIT_API_PMUTRACE_FIXTURE_H
#define TESTS_UNIT_API_PMUTRACE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "pmutrace.h"

/* Sanitizers touch memory of their own next to every access. */
#define PLAIN __attribute__((noinline, no_sanitize("address", "undefined")))

/* Says why this machine cannot do it. */
#define skip_because(...) (printf("# SKIP " __VA_ARGS__), puts(""), skip())

static inline struct pmutrace_events *open_with(const char *spec,
						const struct pmutrace_target *target,
						const struct pmutrace_options *options)
{
	struct pmutrace_error why;
	struct pmutrace_events *e;
	int err = pmutrace_open(&e, spec, target, options, &why);

	if (err == -EACCES || err == -EPERM || err == -ENOSYS)
		skip_because("perf: %s", why.text);
	if (err)
		fail_msg("%s: %s", spec, why.text);
	assert_int_equal(why.code, 0);
	assert_string_equal(why.text, "");
	return e;
}

static inline struct pmutrace_events *open_self(const char *spec)
{
	return open_with(spec, NULL, NULL);
}

/* Root may mount it; else the test cannot be done. */
static inline void need_tracefs(void)
{
	struct pmutrace_error why;
	char path[256];

	if (!pmutrace_tracefs(path, sizeof(path), &why))
		return;
	if (mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL) ||
	    pmutrace_tracefs(path, sizeof(path), &why))
		skip_because("tracefs: %s", why.text);
}

/* Calls of the real system call: libc may remember the answer. */
static inline void getpids(void *arg)
{
	for (int i = 0; i < *(int *)arg; i++)
		syscall(SYS_getpid);
}

static inline void nothing(void *arg)
{
	(void)arg;
}

#define WITH(...)                                                                                  \
	(&(struct pmutrace_options){ .size = sizeof(struct pmutrace_options),                      \
				     .attr = &(struct perf_event_attr){ __VA_ARGS__ } })

static inline struct pmutrace_ring *open_ring(struct pmutrace_events *e, size_t pages)
{
	struct pmutrace_error why;
	struct pmutrace_ring *r;

	if (pmutrace_ring_open(&r, e, pages, &why))
		fail_msg("%s", why.text);
	return r;
}

static inline void close_both(struct pmutrace_ring *r, struct pmutrace_events *e)
{
	pmutrace_ring_close(r);
	pmutrace_close(e);
}

/* Records of that type until there are no more. */
static inline size_t count_records(struct pmutrace_ring *r, uint32_t type)
{
	struct pmutrace_record record;
	size_t nr = 0;
	int err;

	while (!(err = pmutrace_ring_read(r, 0, &record)))
		nr += record.type == type;
	assert_int_equal(err, -ETIMEDOUT);
	return nr;
}

#endif
