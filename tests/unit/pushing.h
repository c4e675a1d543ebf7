/* SPDX-License-Identifier: BSD-2-Clause */
/* What was pushed, as tests/pushed.pl and tests/pprof.pl read it, for tests. Behind cmocka.h. */
#ifndef TESTS_UNIT_PUSHING_H
#define TESTS_UNIT_PUSHING_H

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static inline void write_to(const char *path, const void *bytes, size_t len)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	assert_int_equal(fclose(f), 0);
}

/* What a command prints; fails if it does. The caller's. */
static inline char *output_of(const char *command)
{
	const char *top = getenv("TOP");
	char all[2 * PATH_MAX];
	struct buf out = {};
	FILE *f;

	snprintf(all, sizeof(all), "cd '%s' && { %s; } 2>&1", top ? top : ".", command);
	f = popen(all, "r");
	assert_non_null(f);
	assert_int_equal(buf__puts(&out, ""), 0);
	assert_int_equal(buf__read_fd(&out, fileno(f), 64 << 20), 0);
	if (pclose(f))
		fail_msg("%s\n%s", command, out.data);
	return out.data;
}

static inline void assert_output(const char *command, const char *want)
{
	char *is = output_of(command);

	assert_string_equal(is, want);
	free(is);
}

#endif
