// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/continuous_metrics.h"

#define BUILD                                                                                      \
	"# HELP pmutrace_build_info The version of pmutrace\n# TYPE pmutrace_build_info gauge\n"   \
	"pmutrace_build_info{version=\"" PMUTRACE_VERSION "\"} 1\n"
#define FAMILY(name, type, help)                                                                   \
	"# HELP pmutrace_profile_" name " " help "\n# TYPE pmutrace_profile_" name " " type "\n"
#define COUNTER(name, help, value)                                                                 \
	FAMILY(name, "counter", help) "pmutrace_profile_" name " " value "\n"
#define GAUGE(name, help, value) FAMILY(name, "gauge", help) "pmutrace_profile_" name " " value "\n"

static void nothing_is_told_of_what_there_is_not(void **state)
{
	struct continuous_metrics m = { .nr_windows = 3, .nr_failed = 1, .window_ns = 1500000000 };
	struct buf b = {};

	assert_int_equal(continuous_metrics__put(&b, &m), 0);
	assert_string_equal(
		b.data,
		BUILD COUNTER("windows_total", "Windows that have ended", "3") COUNTER(
			"failed_windows_total", "Windows of which something could not be kept", "1")
			GAUGE("window_seconds", "Length of the last window", "1.5")
				COUNTER("samples_total", "Samples that are in profiles", "0")
					COUNTER("metrics_unwritten_total",
						"Times that this file could not be "
						"written",
						"0"));
	buf__free(&b);
}

/* The value of a series; NULL: there is none. */
static const char *value_of(const char *text, const char *series)
{
	const size_t len = strlen(series);
	static char value[64];

	for (const char *at = text; (at = strstr(at, series)); at += len)
		if ((at == text || at[-1] == '\n') && at[len] == ' ') {
			snprintf(value, sizeof(value), "%.*s", (int)strcspn(at + len + 1, "\n"),
				 at + len + 1);
			return value;
		}
	return NULL;
}

static void losses_of_windows_add_up(void **state)
{
	const struct losses first = {
		.seen = 15,
		.kept = 10,
		.nr = 2,
		.by = { { .name = "table_full", .text = "", .n = 5 },
			{ .name = "cut", .text = "", .flaw = true, .n = 2 } }
	};
	const struct losses second = { .seen = 14,
				       .kept = 10,
				       .nr = 2,
				       .by = { { .name = "late", .text = "", .n = 1 },
					       { .name = "table_full", .text = "", .n = 3 } } };
	struct continuous_metrics m = {};
	struct buf b = {};

	continuous_metrics__add_losses(&m, &first);
	continuous_metrics__add_losses(&m, &second);
	assert_int_equal(continuous_metrics__put(&b, &m), 0);
	assert_string_equal(value_of(b.data, "pmutrace_profile_samples_total"), "20");
	assert_string_equal(
		value_of(b.data, "pmutrace_profile_lost_samples_total{reason=\"table_full\"}"),
		"8");
	assert_string_equal(
		value_of(b.data, "pmutrace_profile_lost_samples_total{reason=\"late\"}"), "1");
	assert_string_equal(
		value_of(b.data, "pmutrace_profile_flawed_samples_total{reason=\"cut\"}"), "2");
	assert_null(value_of(b.data, "pmutrace_profile_lost_samples_total{reason=\"cut\"}"));
	buf__free(&b);
}

static void all_that_becomes_of_profiles(void **state)
{
	const struct continuous_metrics m = {
		.has_push = true,
		.has_dir = true,
		.has_contexts = true,
		.window_end_ns = 1795811961168999999,
		.push = { .found = 1,
			  .put = 20,
			  .sent = 9,
			  .lost = { [PUSH_LOST_OLD] = 2, [PUSH_LOST_REFUSED] = 3 },
			  .waiting = 7,
			  .nr_failures = 4,
			  .sent_ns = 1000500000000 },
		.waiting_bytes = 1234567890123,
		.dir = { .written = 5, .failed = 6, .removed_full = 7, .removed_old = 8 },
		.contexts = { .offering = 9, .unreadable = 10 },
		.nr_unwritten = 11,
	};
	static const char *const wanted[][2] = {
		{ "last_window_timestamp_seconds", "1795811961.168" },
		{ "pushes_found_total", "1" },
		{ "pushes_put_total", "20" },
		{ "pushes_sent_total", "9" },
		{ "pushes_lost_total{reason=\"full\"}", "0" },
		{ "pushes_lost_total{reason=\"disk\"}", "0" },
		{ "pushes_lost_total{reason=\"old\"}", "2" },
		{ "pushes_lost_total{reason=\"refused\"}", "3" },
		{ "pushes_lost_total{reason=\"rejected\"}", "0" },
		{ "pushes_lost_total{reason=\"damaged\"}", "0" },
		{ "push_failures_total", "4" },
		{ "pushes_waiting", "7" },
		{ "pushes_waiting_bytes", "1234567890123" },
		{ "push_last_success_timestamp_seconds", "1000.5" },
		{ "files_written_total", "5" },
		{ "files_failed_total", "6" },
		{ "files_removed_total{reason=\"full\"}", "7" },
		{ "files_removed_total{reason=\"old\"}", "8" },
		{ "context_processes", "9" },
		{ "contexts_unreadable_total", "10" },
		{ "metrics_unwritten_total", "11" },
	};
	struct continuous_metrics unknown = m;
	struct buf b = {};
	char series[128];

	assert_int_equal(continuous_metrics__put(&b, &m), 0);
	for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
		snprintf(series, sizeof(series), "pmutrace_profile_%s", wanted[i][0]);
		assert_string_equal(value_of(b.data, series), wanted[i][1]);
	}
	/* What is not known is no number. */
	unknown.waiting_bytes = UINT64_MAX;
	unknown.push.sent_ns = 0;
	buf__clear(&b);
	assert_int_equal(continuous_metrics__put(&b, &unknown), 0);
	assert_null(strstr(b.data, "pushes_waiting_bytes"));
	assert_null(strstr(b.data, "push_last_success"));
	buf__free(&b);
}

static void a_file_is_replaced(void **state)
{
	char dir[] = "/tmp/metrics_test.XXXXXX", path[64], text[64];
	struct continuous_metrics m = {};
	struct stat before, after;
	FILE *f;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/none/x.prom", dir);
	assert_int_equal(continuous_metrics__check(path), -ENOENT);
	assert_int_equal(continuous_metrics__write(path, &m), -ENOENT);
	snprintf(path, sizeof(path), "%s/x.prom", dir);
	assert_int_equal(continuous_metrics__check(path), 0);
	assert_int_equal(access(path, F_OK), -1);
	assert_int_equal(continuous_metrics__write(path, &m), 0);
	assert_int_equal(stat(path, &before), 0);
	/* Who has it open reads on in what it was. */
	f = fopen(path, "r");
	assert_non_null(f);
	m.nr_windows = 7;
	assert_int_equal(continuous_metrics__write(path, &m), 0);
	assert_int_equal(stat(path, &after), 0);
	assert_int_not_equal(before.st_ino, after.st_ino);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_int_equal(unlink(path), 0);
	/* Nothing else is left. */
	assert_int_equal(rmdir(dir), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_told_of_what_there_is_not),
		cmocka_unit_test(losses_of_windows_add_up),
		cmocka_unit_test(all_that_becomes_of_profiles),
		cmocka_unit_test(a_file_is_replaced),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
