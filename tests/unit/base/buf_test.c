// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"

static void is_always_followed_by_a_nul(void **state)
{
	struct buf b = {};

	assert_int_equal(buf__puts(&b, ""), 0);
	assert_string_equal(b.data, "");
	assert_int_equal(buf__puts(&b, "abc"), 0);
	assert_int_equal(buf__put(&b, "de\0f", 4), 0);
	assert_int_equal(b.len, 7);
	assert_memory_equal(b.data, "abcde\0f", 8);
	buf__clear(&b);
	assert_int_equal(b.len, 0);
	assert_string_equal(b.data, "");
	buf__free(&b);
	assert_null(b.data);
	assert_int_equal(b.cap, 0);
}

static void nothing_may_be_put_from_nowhere(void **state)
{
	struct buf b = {};

	assert_int_equal(buf__put(&b, NULL, 0), 0);
	assert_string_equal(b.data, "");
	buf__clear(&b);
	buf__free(&b);
	buf__clear(&b);
	buf__free(&b);
}

static void prints_what_does_not_fit_yet(void **state)
{
	struct buf b = {};
	char big[5000];

	memset(big, 'x', sizeof(big));
	big[sizeof(big) - 1] = '\0';
	assert_int_equal(buf__printf(&b, "%d%%", 42), 0);
	assert_int_equal(buf__printf(&b, "%s|%s", big, ""), 0);
	assert_int_equal(b.len, 3 + 4999 + 1);
	assert_memory_equal(b.data, "42%xxx", 6);
	assert_string_equal(b.data + b.len - 2, "x|");
	buf__free(&b);
}

static void a_size_that_cannot_be_is_refused(void **state)
{
	struct buf b = {};

	assert_int_equal(buf__puts(&b, "abc"), 0);
	assert_int_equal(buf__reserve(&b, SIZE_MAX), -EOVERFLOW);
	assert_int_equal(buf__reserve(&b, SIZE_MAX - 3), -EOVERFLOW);
	assert_string_equal(b.data, "abc");
	buf__free(&b);
}

/* /proc files say they have size 0. */
static void reads_files_of_unknown_size(void **state)
{
	struct buf b = {};

	assert_int_equal(buf__puts(&b, ">"), 0);
	assert_int_equal(buf__read_file(&b, "/proc/self/maps", 1 << 24), 0);
	assert_int_equal(b.data[0], '>');
	assert_true(b.len > 100);
	assert_int_equal(strlen(b.data), b.len);
	buf__free(&b);
}

static void a_file_over_the_limit_is_too_big(void **state)
{
	struct buf b = {};

	assert_int_equal(buf__read_file(&b, "/dev/zero", 100000), -EFBIG);
	buf__free(&b);
	assert_int_equal(buf__read_file(&b, "/nonexistent/file", 100), -ENOENT);
	buf__free(&b);
}

static void the_limit_is_of_the_file_alone(void **state)
{
	char path[] = "/tmp/buf_test.XXXXXX";
	int fd = mkstemp(path);
	struct buf b = {};

	assert_int_equal(write(fd, "12345", 5), 5);
	close(fd);
	assert_int_equal(buf__puts(&b, "before "), 0);
	assert_int_equal(buf__read_file(&b, path, 5), 0);
	assert_string_equal(b.data, "before 12345");
	assert_int_equal(buf__read_file(&b, path, 4), -EFBIG);
	buf__free(&b);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_always_followed_by_a_nul),
		cmocka_unit_test(nothing_may_be_put_from_nowhere),
		cmocka_unit_test(prints_what_does_not_fit_yet),
		cmocka_unit_test(a_size_that_cannot_be_is_refused),
		cmocka_unit_test(reads_files_of_unknown_size),
		cmocka_unit_test(a_file_over_the_limit_is_too_big),
		cmocka_unit_test(the_limit_is_of_the_file_alone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
