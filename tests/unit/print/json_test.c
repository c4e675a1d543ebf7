// SPDX-License-Identifier: BSD-2-Clause
/* Documents piece by piece: commas, line ends, numbers, strings of strangers, errors. */
#include "profiles.h"

#include <errno.h>
#include <json-c/json.h>
#include <math.h>

#include "print/json.h"

static struct json j;
static FILE *file;
static char *text;
static size_t len;

static void begin(bool in_lines)
{
	file = open_memstream(&text, &len);
	assert_non_null(file);
	json__begin(&j, file, "test", in_lines);
}

#define HEAD "{\"schema\":1,\"command\":\"test\",\"version\":\"" PMUTRACE_VERSION "\""

static void assert_ends(const char *expected)
{
	char *whole;

	assert_int_equal(json__end(&j), 0);
	fclose(file);
	assert_true(asprintf(&whole, HEAD "%s}\n", expected) > 0);
	assert_string_equal(text, whole);
	free(whole);
	free(text);
}

static void commas_stand_between_members(void **state)
{
	(void)state;
	begin(false);
	json__open(&j, "o");
	json__close(&j);
	json__open_array(&j, "a");
	json__u64(&j, NULL, 1);
	json__open(&j, NULL);
	json__u64(&j, "b", 2);
	json__u64(&j, "c", 3);
	json__close(&j);
	json__open_array(&j, NULL);
	json__close_array(&j);
	json__close_array(&j);
	json__bool(&j, "t", true);
	json__bool(&j, "f", false);
	json__null(&j, "n");
	assert_ends(",\"o\":{},\"a\":[1,{\"b\":2,\"c\":3},[]],\"t\":true,\"f\":false,\"n\":null");
}

static void a_document_of_others_has_no_head(void **state)
{
	(void)state;
	file = open_memstream(&text, &len);
	assert_non_null(file);
	json__begin_foreign(&j, file, true);
	json__u64(&j, "a", 1);
	json__line(&j);
	json__u64(&j, "b", 2);
	assert_int_equal(json__end(&j), 0);
	fclose(file);
	assert_string_equal(text, "{\"a\":1,\n\"b\":2}\n");
	free(text);
}

static void lines_begin_where_they_are_asked_for(void **state)
{
	for (int lines = 0; lines <= 1; lines++) {
		(void)state;
		begin(lines);
		json__line(&j);
		json__open_array(&j, "a");
		for (unsigned i = 0; i < 2; i++) {
			json__line(&j);
			json__u64(&j, NULL, i);
		}
		json__line(&j);
		json__close_array(&j);
		json__u64(&j, "b", 0);
		assert_ends(lines ? ",\n\"a\":[\n0,\n1],\"b\":0" : ",\"a\":[0,1],\"b\":0");
	}
}

static void numbers_are_whole(void **state)
{
	(void)state;
	begin(false);
	json__u64(&j, "a", UINT64_MAX);
	json__i64(&j, "b", INT64_MIN);
	json__i64(&j, "c", INT64_MAX);
	json__double(&j, "d", 1.0 / 3, 3);
	json__double(&j, "e", 2.5, -1);
	json__double(&j, "f", NAN, 3);
	json__double(&j, "g", INFINITY, -1);
	assert_ends(",\"a\":18446744073709551615,\"b\":-9223372036854775808,"
		    "\"c\":9223372036854775807,\"d\":0.333,\"e\":2.5,\"f\":null,\"g\":null");
}

/* Another library reads what was meant. */
static void strings_are_read_as_they_were(void **state)
{
	static const char *const strings[] = {
		"",
		"\"",
		"\\",
		"a\"b\\c",
		"\b\f\n\r\t\x01\x1f\x7f",
		"/<>&'",
		"\xc3\xa4\xf0\x9f\x8e\x89",
		"\xc2\x9b"
		"31m",
		"\xe2\x80\xae"
		"evil",
	};

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		struct json_object *o, *value;

		(void)state;
		begin(false);
		json__string(&j, strings[i], strings[i]);
		assert_int_equal(json__end(&j), 0);
		fclose(file);
		for (const char *s = text; s[1]; s++)
			assert_true((unsigned char)*s >= 0x20 && *s != 0x7f);
		assert_null(strstr(text, "\xc2\x9b"));
		assert_null(strstr(text, "\xe2\x80\xae"));
		o = json_tokener_parse(text);
		assert_non_null(o);
		assert_true(json_object_object_get_ex(o, strings[i], &value));
		assert_string_equal(json_object_get_string(value), strings[i]);
		json_object_put(o);
		free(text);
	}
}

static void no_string_is_null_and_wrong_bytes_are_replaced(void **state)
{
	(void)state;
	begin(false);
	json__string(&j, "a", NULL);
	json__string(&j, "b", "x\xffz");
	assert_ends(",\"a\":null,\"b\":\"x\xef\xbf\xbdz\"");
}

static void the_first_error_stays(void **state)
{
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	begin(false);
	json__fail(&j, 0);
	json__fail(&j, -ENOMEM);
	json__fail(&j, -EIO);
	json__u64(&j, "a", 1);
	assert_int_equal(json__end(&j), -ENOMEM);
	fclose(file);
	free(text);
	assert_non_null(full);
	json__begin(&j, full, "test", false);
	assert_int_equal(json__end(&j), -ENOSPC);
	fclose(full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_stand_between_members),
		cmocka_unit_test(a_document_of_others_has_no_head),
		cmocka_unit_test(lines_begin_where_they_are_asked_for),
		cmocka_unit_test(numbers_are_whole),
		cmocka_unit_test(strings_are_read_as_they_were),
		cmocka_unit_test(no_string_is_null_and_wrong_bytes_are_replaced),
		cmocka_unit_test(the_first_error_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
