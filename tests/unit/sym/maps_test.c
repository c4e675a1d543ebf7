// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "sym/maps.h"

static void fields_of_a_line(void **state)
{
	const char *text = "55d0c000-55d0d000 r-xp 00002000 fe:01 1234        /usr/bin/a b\n";
	size_t len = strlen(text);
	struct maps_line l;

	assert_true(maps__next(&text, &len, &l));
	assert_int_equal(l.start, 0x55d0c000);
	assert_int_equal(l.end, 0x55d0d000);
	assert_true(l.executable);
	assert_int_equal(l.offset, 0x2000);
	assert_int_equal(l.dev_major, 0xfe);
	assert_int_equal(l.dev_minor, 1);
	assert_int_equal(l.inode, 1234);
	assert_int_equal(l.name_len, strlen("/usr/bin/a b"));
	assert_memory_equal(l.name, "/usr/bin/a b", l.name_len);
	assert_false(maps__next(&text, &len, &l));
}

static void what_does_not_parse_is_passed_over(void **state)
{
	const char *text = "garbage\n"
			   "2000-1000 r-xp 0 0:0 0\n"
			   "ffffffffffffffffff-0 r-xp 0 0:0 0\n"
			   "1000-2000 r\n"
			   "\n"
			   "7fff0000-7fff1000 rw-p 00000000 00:00 0 \n"
			   "8000-9000 r-xp 00000000 00:00 0                  [vdso]";
	size_t len = strlen(text);
	struct maps_line l;

	assert_true(maps__next(&text, &len, &l));
	assert_int_equal(l.start, 0x7fff0000);
	assert_false(l.executable);
	assert_int_equal(l.name_len, 0);
	assert_true(maps__next(&text, &len, &l));
	assert_int_equal(l.start, 0x8000);
	assert_memory_equal(l.name, "[vdso]", 6);
	assert_false(maps__next(&text, &len, &l));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_a_line),
		cmocka_unit_test(what_does_not_parse_is_passed_over),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
