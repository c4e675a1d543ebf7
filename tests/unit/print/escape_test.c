// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include "print/escape.h"

#define BAD "\xef\xbf\xbd"

static int put_xml(FILE *f, const char *s)
{
	struct writer w = { .f = f };

	escape__xml(&w, s, strlen(s));
	return writer__end(&w);
}

static int put_json(FILE *f, const char *s)
{
	struct writer w = { .f = f };

	escape__json(&w, s, strlen(s));
	return writer__end(&w);
}

static void assert_xml(const char *in, const char *expected)
{
	char *text = WRITTEN(put_xml(f, in));

	assert_string_equal(text, expected);
	free(text);
}

static void xml_has_no_markup_and_only_its_characters(void **state)
{
	assert_xml("a<b>&\"c'", "a&lt;b&gt;&amp;&quot;c'");
	assert_xml("\t\n\r\033\x7f", BAD BAD BAD BAD BAD);
	assert_xml("\xc2\x9b", BAD);	 /* C1: the 8-bit CSI */
	assert_xml("\xef\xbf\xbe", BAD); /* U+FFFE */
	assert_xml("\xe2\x80\xa8", BAD); /* U+2028, a line end to JavaScript */
	assert_xml("\x80z\xc3", BAD "z" BAD);
	assert_xml("Grüße 関数", "Grüße 関数");
	assert_xml("", "");
}

static void json_may_stand_in_markup(void **state)
{
	char *text = WRITTEN(put_json(f, "\"\\</script>]]>&\n"));

	assert_string_equal(text, "\\\"\\\\\\u003c/script\\u003e]]\\u003e\\u0026" BAD);
	free(text);
}

static void a_terminal_gets_no_control_characters(void **state)
{
	struct buf b = {};

	assert_int_equal(escape__plain(&b, "a\033[2J;\xc2\x9b"), 0);
	assert_string_equal(b.data, "a" BAD "[2J;" BAD);
	buf__clear(&b);
	assert_int_equal(escape__controls(&b, "a;\nb"), 0);
	assert_string_equal(b.data, "a;?b");
	buf__free(&b);
}

static int put_numbers(FILE *f)
{
	struct writer w = { .f = f };
	const uint64_t grouped[] = { 0, 999, 1000, 1234567, UINT64_MAX };
	const uint64_t hundredths[] = { 0, 5, 50, 100, 1250, 1234 };
	size_t i;

	writer__u64(&w, UINT64_MAX);
	for (i = 0; i < ARRAY_SIZE(grouped); i++) {
		writer__putc(&w, ' ');
		writer__grouped(&w, grouped[i]);
	}
	for (i = 0; i < ARRAY_SIZE(hundredths); i++) {
		writer__putc(&w, ' ');
		writer__hundredths(&w, hundredths[i]);
	}
	return writer__end(&w);
}

static void numbers_read_well(void **state)
{
	char *text = WRITTEN(put_numbers(f));

	assert_string_equal(text, "18446744073709551615 0 999 1,000 1,234,567 "
				  "18,446,744,073,709,551,615 0 0.05 0.5 1 12.5 12.34");
	free(text);
}

static int put_much(FILE *f)
{
	struct writer w = { .f = f };
	char big[WRITER_BYTES + 1];

	memset(big, 'x', sizeof(big));
	writer__puts(&w, "a");
	writer__put(&w, big, WRITER_BYTES);
	writer__put(&w, big, sizeof(big));
	for (int i = 0; i < WRITER_BYTES + 7; i++)
		writer__putc(&w, 'y');
	writer__puts(&w, "z");
	return writer__end(&w);
}

static void a_writer_takes_more_than_its_buffer(void **state)
{
	char *text = WRITTEN(put_much(f));

	assert_int_equal(strlen(text), 1 + WRITER_BYTES + WRITER_BYTES + 1 + WRITER_BYTES + 7 + 1);
	assert_int_equal(strspn(text, "a"), 1);
	assert_int_equal(strspn(text + 1, "x"), 2 * WRITER_BYTES + 1);
	assert_int_equal(strspn(text + 2 + 2 * WRITER_BYTES, "y"), WRITER_BYTES + 7);
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(xml_has_no_markup_and_only_its_characters),
		cmocka_unit_test(json_may_stand_in_markup),
		cmocka_unit_test(a_terminal_gets_no_control_characters),
		cmocka_unit_test(numbers_read_well),
		cmocka_unit_test(a_writer_takes_more_than_its_buffer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
