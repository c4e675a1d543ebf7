// SPDX-License-Identifier: BSD-2-Clause
/* Names in a pool and in files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "elf/names.h"

/* Behind four bytes that are none of it. */
static const char table[] = "....\0one\0__two\0three";
enum { TABLE_AT = 4, ONE = 1, TWO = 5, THREE = 11, TABLE_BYTES = sizeof(table) - TABLE_AT };

static int make_file(const void *bytes, size_t len)
{
	int fd = memfd_create("names", MFD_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, bytes, len), len);
	return fd;
}

static void assert_first(struct names *n, uint32_t id, char first, char second)
{
	char got[2];

	names__peek(n, id, got);
	assert_int_equal(got[0], first);
	assert_int_equal(got[1], second);
}

static void names_of_a_file_are_read_when_asked_for(void **state)
{
	struct names n = {};
	uint32_t first, tailed, pooled, none;
	int fd = make_file(table, sizeof(table));

	assert_int_equal(names__add(&n, "pooled", 6, &pooled), 0);
	assert_int_equal(names__keep(&n, fd, TABLE_AT, TABLE_BYTES, "", &first), 0);
	assert_int_equal(names__keep(&n, fd, TABLE_AT, TABLE_BYTES, "@plt", &tailed), 0);
	assert_int_equal(names__add(&n, "", 0, &none), 0);
	close(fd);
	assert_first(&n, first + TWO, '_', '_');
	assert_first(&n, first + ONE, 'o', 'n');
	assert_first(&n, first, '\0', '\0');
	assert_first(&n, pooled, 'p', 'o');
	names__settle(&n);
	assert_string_equal(names__get(&n, first + ONE), "one");
	assert_string_equal(names__get(&n, tailed + TWO), "__two@plt");
	assert_string_equal(names__get(&n, first + THREE), "three");
	assert_string_equal(names__get(&n, first + THREE + 2), "ree");
	assert_string_equal(names__get(&n, pooled), "pooled");
	/* Nothing has nothing behind it. */
	assert_string_equal(names__get(&n, tailed), "");
	assert_true(names__is_none(&n, none));
	assert_false(names__is_none(&n, pooled));
	assert_false(names__is_none(&n, first + ONE));
	names__free(&n);
}

/* Overwritten in place, or cut: what lies there now is something else. */
static void a_file_that_was_changed_has_no_names(void **state)
{
	struct names n = {};
	uint32_t first, second, pooled;
	int fd = make_file(table, sizeof(table)), cut = make_file(table, sizeof(table));

	(void)state;
	assert_int_equal(names__add(&n, "pooled", 6, &pooled), 0);
	assert_int_equal(names__keep(&n, fd, TABLE_AT, TABLE_BYTES, "", &first), 0);
	assert_int_equal(names__keep(&n, cut, TABLE_AT, TABLE_BYTES, "", &second), 0);
	assert_string_equal(names__get(&n, first + ONE), "one");
	usleep(50000); /* the clock of files goes in ticks */
	assert_int_equal(pwrite(fd, "ONE", 3, TABLE_AT + ONE), 3);
	assert_string_equal(names__get(&n, first + ONE), "");
	assert_string_equal(names__get(&n, first + TWO), "");
	assert_string_equal(names__get(&n, second + ONE), "one");
	assert_int_equal(ftruncate(cut, sizeof(table) - 1), 0);
	assert_string_equal(names__get(&n, second + ONE), "");
	assert_string_equal(names__get(&n, pooled), "pooled");
	close(fd);
	close(cut);
	names__free(&n);
}

static void a_name_without_an_end_is_none(void **state)
{
	struct names n = {};
	uint32_t first, beyond;
	int fd = make_file(table, sizeof(table));

	assert_int_equal(names__keep(&n, fd, TABLE_AT, TABLE_BYTES - 1, "", &first), 0);
	assert_string_equal(names__get(&n, first + TWO), "__two");
	assert_string_equal(names__get(&n, first + THREE), "");
	assert_int_equal(names__keep(&n, fd, 1 << 20, TABLE_BYTES, "", &beyond), 0);
	assert_string_equal(names__get(&n, beyond + ONE), "");
	assert_first(&n, beyond + ONE, '\0', '\0');
	close(fd);
	names__free(&n);
}

static void names_may_be_long_but_not_without_measure(void **state)
{
	enum { BYTES = 3 << 20, LONG = 100000 };
	struct names n = {};
	uint32_t first;
	char *bytes = malloc(BYTES);
	int fd;

	memset(bytes, 'x', BYTES);
	bytes[LONG] = '\0';
	bytes[BYTES - 1] = '\0';
	fd = make_file(bytes, BYTES);
	assert_int_equal(names__keep(&n, fd, 0, BYTES, "", &first), 0);
	assert_string_equal(names__get(&n, first), bytes);
	assert_int_equal(strlen(names__get(&n, first)), LONG);
	assert_string_equal(names__get(&n, first + LONG + 1), "");
	close(fd);
	free(bytes);
	names__free(&n);
}

/* Bytes that this process has read so far. */
static uint64_t nr_read(void)
{
	FILE *f = fopen("/proc/self/io", "r");
	unsigned long long nr = 0;

	if (!f || fscanf(f, "rchar: %llu", &nr) != 1)
		skip();
	fclose(f);
	return nr;
}

/* A table that is read as a whole, and is asked for its last byte over and over. */
static void a_peek_at_the_last_byte_reads_no_table_again(void **state)
{
	enum { BYTES = 256 * 1024, TIMES = 1000 };
	struct names n = {};
	uint32_t one, other, cut;
	uint64_t before;
	char *bytes = malloc(BYTES), got[2];
	int fd;

	memset(bytes, 'x', BYTES);
	fd = make_file(bytes, BYTES);
	assert_int_equal(names__keep(&n, fd, 0, BYTES, "", &one), 0);
	assert_int_equal(names__keep(&n, fd, 0, BYTES, "@plt", &other), 0);
	assert_int_equal(names__keep(&n, fd, 4, BYTES, "", &cut), 0);
	before = nr_read();
	for (int i = 0; i < TIMES; i++) {
		names__peek(&n, one + BYTES - 1, got);
		names__peek(&n, other + BYTES - 2, got);
		names__peek(&n, cut + BYTES - 1, got);
	}
	assert_true(nr_read() - before < 4 * BYTES);
	assert_first(&n, one + BYTES - 1, 'x', '\0');
	assert_first(&n, other + BYTES - 2, 'x', 'x');
	assert_first(&n, cut + BYTES - 1, '\0', '\0');
	close(fd);
	free(bytes);
	names__free(&n);
}

static void more_than_there_are_numbers_is_refused(void **state)
{
	struct names n = {};
	uint32_t first, pooled;
	int fd = make_file(table, sizeof(table));

	assert_int_equal(names__keep(&n, fd, 0, 1u << 31, "", &first), -E2BIG);
	assert_int_equal(names__keep(&n, fd, 0, 1u << 30, "", &first), 0);
	assert_int_equal(names__keep(&n, fd, 0, 1u << 30, "", &first), -E2BIG);
	assert_int_equal(names__keep(&n, -1, 0, 1, "", &first), -EBADF);
	assert_int_equal(names__add(&n, "pooled", 6, &pooled), 0);
	assert_string_equal(names__get(&n, pooled), "pooled");
	close(fd);
	names__free(&n);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_of_a_file_are_read_when_asked_for),
		cmocka_unit_test(a_file_that_was_changed_has_no_names),
		cmocka_unit_test(a_name_without_an_end_is_none),
		cmocka_unit_test(names_may_be_long_but_not_without_measure),
		cmocka_unit_test(a_peek_at_the_last_byte_reads_no_table_again),
		cmocka_unit_test(more_than_there_are_numbers_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
