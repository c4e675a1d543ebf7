// SPDX-License-Identifier: BSD-2-Clause
/* The examples of DWARF 5, figures C.3 and C.4 (section 7.6), and the ends of 64 bits. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/array.h"
#include "base/leb128.h"

static struct leb128 read_all(const uint8_t *bytes)
{
	struct leb128 leb = {};

	while (leb128__add(&leb, *bytes++))
		;
	return leb;
}

static void unsigned_numbers(void **state)
{
	static const struct {
		uint8_t bytes[10];
		uint64_t v;
	} all[] = {
		{ { 0x02 }, 2 },
		{ { 0x7f }, 127 },
		{ { 0x80, 0x01 }, 128 },
		{ { 0x81, 0x01 }, 129 },
		{ { 0x82, 0x01 }, 130 },
		{ { 0xb9, 0x64 }, 12857 },
		{ { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01 }, UINT64_MAX },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		assert_int_equal(read_all(all[i].bytes).v, all[i].v);
}

static void signed_numbers(void **state)
{
	static const struct {
		uint8_t bytes[10];
		int64_t v;
	} all[] = {
		{ { 0x02 }, 2 },
		{ { 0x7e }, -2 },
		{ { 0xff, 0x00 }, 127 },
		{ { 0x81, 0x7f }, -127 },
		{ { 0x80, 0x01 }, 128 },
		{ { 0x80, 0x7f }, -128 },
		{ { 0x81, 0x01 }, 129 },
		{ { 0xff, 0x7e }, -129 },
		{ { 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x7f }, INT64_MIN },
	};
	struct leb128 leb;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		leb = read_all(all[i].bytes);
		assert_true(leb128__signed(&leb) == all[i].v);
	}
}

/* A stranger may write as many bytes as there are. */
static void what_does_not_fit_is_lost(void **state)
{
	uint8_t bytes[100];

	(void)state;
	for (size_t i = 0; i < sizeof(bytes); i++)
		bytes[i] = i + 1 < sizeof(bytes) ? 0x80 : 0x7f;
	bytes[0] = 0x85;
	assert_int_equal(read_all(bytes).v, 5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unsigned_numbers),
		cmocka_unit_test(signed_numbers),
		cmocka_unit_test(what_does_not_fit_is_lost),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
