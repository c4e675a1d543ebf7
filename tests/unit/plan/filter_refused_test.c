// SPDX-License-Identifier: BSD-2-Clause
/* Filters that are refused: where, and what to write instead. Fields: filter_fields.h. */
#include "rows.h"

#include "plan/filter.h"
#include "filter_fields.h"

/* What is said of a filter behind "in 'FILTER', "; all of it where it does not begin so. */
static void put_refusal(const char *text, struct buf *is)
{
	struct buf start = {}, why = {};
	struct filter_cfg cfg;
	int err = filter__compile(&cfg, text, NULL, NULL, &why);

	assert_int_equal(buf__printf(&start, "in '%s', ", text), 0);
	if (err != -EINVAL)
		assert_int_equal(buf__printf(is, "%d", err), 0);
	else if (strncmp(why.data, start.data, start.len))
		assert_int_equal(buf__puts(is, why.data), 0);
	else
		assert_int_equal(buf__puts(is, why.data + start.len), 0);
	buf__free(&start);
	buf__free(&why);
}

static void compile(struct filter_cfg *cfg, const char *text)
{
	struct buf why = {};

	assert_int_equal(filter__compile(cfg, text, NULL, NULL, &why), 0);
	assert_null(why.data);
}

static void syntax_errors_tell_where(void **state)
{
	ASSERT_ROWS(
		put_refusal, { "", "column 1: the filter is empty; write FIELD == VALUE" },
		{ "u8 = 1", "column 4: write '==' for: is equal to" },
		{ "u8",
		  "column 3: 'u8' is a number: one of == != < <= > >= & is missing behind it" },
		{ "u8 && cpu",
		  "column 4: 'u8' is a number: one of == != < <= > >= & is missing behind it" },
		{ "u8 == 1 &&",
		  "column 11: a field is missing here; comparisons are FIELD == VALUE" },
		{ "5 == u8", "column 1: a field is missing here; comparisons are FIELD == VALUE" },
		{ "u8 == 1 cpu == 1", "column 9: '&&' or '||' is missing in front of this" },
		{ "u8 == 1 & cpu == 1", "column 9: write '&&' for: both have to hold" },
		{ "u8 == 1 or cpu == 1", "column 9: write '||' for: one of them has to hold" },
		{ "(u8 == 1", "column 1: a '(' without its ')'" },
		{ "u8 == 1)", "column 8: a ')' without its '('" },
		{ "(u8 == 1 cpu", "column 10: '&&' or '||' is missing in front of this" },
		{ "comm == \"ü\" && x == 1", "column 16: there is no field 'x'" });
}

static void wrong_numbers_tell_what_is_possible(void **state)
{
	ASSERT_ROWS(
		put_refusal, { "u8 == 300", "column 7: 'u8' is 0 to 255, never 300" },
		{ "u8 > -1", "column 6: 'u8' is 0 to 255, never -1" },
		{ "bits3 == 8", "column 10: 'bits3' is 0 to 7, never 8" },
		{ "sk->port == 65536", "column 13: 'sk->port' is 0 to 65535, never 65536" },
		{ "s8 < -129", "column 6: 's8' is -128 to 127, never -129" },
		{ "s8 > 0xff", "column 6: 's8' is -128 to 127, never 0xff; 's8:u8' is the same "
			       "bits without a sign" },
		{ "pid == 4294967296", "column 8: 'pid' is 0 to 4294967295, never 4294967296" },
		{ "u64 == 18446744073709551616",
		  "column 8: 'u64' is 0 to 18446744073709551615, never 18446744073709551616" },
		{ "u8 == 0x", "column 7: 'u8' is a number, '0x' is none: decimal, or hex with 0x" },
		{ "u8 == nginx",
		  "column 7: 'u8' is a number, 'nginx' is none: decimal, or hex with 0x" },
		{ "u8 == '1'", "column 7: 'u8' is a number: leave out the quotes" },
		{ "u8 ==", "column 6: a number is missing behind '=='" },
		{ "u8 & 0", "column 6: no bit of 0 is ever set; write another number" },
		{ "u8 ~ '1*'",
		  "column 4: 'u8' is a number: one of == != < <= > >= & is missing behind it" });
}

static void wrong_texts_tell_what_is_possible(void **state)
{
	ASSERT_ROWS(
		put_refusal,
		{ "comm < a", "column 6: 'comm' is a text: one of == != ~ is missing behind it" },
		{ "comm == ", "column 9: a text is missing behind '=='" },
		{ "comm == 'a", "column 9: a ' without the one at the end" },
		{ "name == /tmp/x",
		  "column 9: texts of more than letters, digits, '_' and '-' need quotes" },
		{ "comm ~ ngin*",
		  "column 12: texts of more than letters, digits, '_' and '-' need quotes" },
		{ "comm ~ '[ab]*'",
		  "column 8: '[' in patterns is not supported; '?' is any character" },
		{ "comm == a234567890123456",
		  "column 9: 'comm' has at most 15 bytes, this has 16" });
}

static void long_texts_are_refused(void **state)
{
	char text[128] = "name == ";
	struct filter_cfg cfg;
	struct buf why = {};

	memset(text + 8, 'x', 62);
	compile(&cfg, text);
	assert_memory_equal(cfg.terms[0].text, text + 8, 63);
	/* A string of 63 bytes cannot be told from a longer one that was cut. */
	text[8 + 62] = 'x';
	assert_int_equal(filter__compile(&cfg, text, NULL, NULL, &why), -EINVAL);
	assert_non_null(strstr(why.data, "at most 62 bytes can be compared, this has 63"));
	buf__free(&why);
}

static void there_are_limits(void **state)
{
	char text[256] = "";
	struct filter_cfg cfg;
	struct buf why = {};

	assert_int_equal(filter__compile(&cfg,
					 "u8==0||u8==1||u8==2||u8==3||u8==4||u8==5||u8==6||u8==7"
					 "||u8==8",
					 NULL, NULL, &why),
			 -EINVAL);
	assert_non_null(strstr(why.data, "column 57: more than 8 comparisons"));
	ASSERT_ROWS(put_refusal,
		    { "comm ~ 'a*' || comm ~ 'b*' || comm ~ 'c*'",
		      "column 38: more than 2 patterns; write the other ones with == or !=" });
	memset(text, '(', 32);
	strcat(text, "u8 == 1");
	memset(text + strlen(text), ')', 32);
	compile(&cfg, text);
	memset(text, '(', 33);
	buf__clear(&why);
	assert_int_equal(filter__compile(&cfg, text, NULL, NULL, &why), -EINVAL);
	assert_non_null(strstr(why.data, "column 33: more than 32 '(' in each other"));
	buf__free(&why);
}

static void a_contradiction_is_refused(void **state)
{
	ASSERT_ROWS(put_refusal,
		    { "u8 == 1 && u8 != 1",
		      "column 1: the filter contradicts itself: nothing can pass it" });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(syntax_errors_tell_where),
		cmocka_unit_test(wrong_numbers_tell_what_is_possible),
		cmocka_unit_test(wrong_texts_tell_what_is_possible),
		cmocka_unit_test(long_texts_are_refused),
		cmocka_unit_test(there_are_limits),
		cmocka_unit_test(a_contradiction_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
