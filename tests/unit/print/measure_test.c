// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "print/measure.h"

static const struct profile_metric number = { .name = "n", .unit = "" };
static const struct profile_metric integer = { .name = "i", .unit = "", .is_signed = true };

static void shows(const struct measured *m, enum measure what, const char *text)
{
	char digits[MEASURE_DIGITS];

	measured__text(m, what, 2, digits);
	assert_string_equal(digits, text);
}

static void a_sum_that_fits_is_shown(void **state)
{
	const struct measured m = { &number, { .sum = 10, .min = 1, .max = 7 }, 4 };
	const struct measured n = { &integer, { .sum = -7, .min = -4, .max = -1 }, 3 };
	const struct measured all = { &number, { .sum = UINT64_MAX, .min = -1, .max = -1 }, 1 };

	shows(&m, MEASURE_SUM, "10");
	shows(&m, MEASURE_AVG, "2.50");
	shows(&n, MEASURE_SUM, "-7");
	shows(&n, MEASURE_AVG, "-2.33");
	shows(&all, MEASURE_SUM, "18446744073709551615");
}

/* 2^64 - 1, 0 and 5 are 4 in 64 bits. */
static void a_sum_that_may_not_fit_is_not_known(void **state)
{
	const struct measured m = { &number, { .sum = 4, .min = 0, .max = -1 }, 3 };
	const struct measured n = { &integer, { .sum = 0, .min = INT64_MIN, .max = 0 }, 2 };

	shows(&m, MEASURE_SUM, "-");
	shows(&m, MEASURE_AVG, "-");
	shows(&m, MEASURE_MIN, "0");
	shows(&m, MEASURE_MAX, "18446744073709551615");
	shows(&n, MEASURE_SUM, "-");
	shows(&n, MEASURE_MIN, "-9223372036854775808");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sum_that_fits_is_shown),
		cmocka_unit_test(a_sum_that_may_not_fit_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
