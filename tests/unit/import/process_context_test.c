// SPDX-License-Identifier: BSD-2-Clause
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <string.h>

#include "import/process_context.h"

/* As its specification has it: "OTEL_CTX", version, size, time, pointer. */
static void header_of_bytes(void **state)
{
	unsigned char bytes[] = { 'O', 'T',  'E',  'L',	 '_',  'C',  'T', 'X',	2, 0, 0,
				  0,   0x34, 0x12, 0,	 0,    9,    8,	  7,	0, 0, 0,
				  0,   0,    0xef, 0xbe, 0xad, 0xde, 0,	  0x7f, 0, 0 };
	struct context_header h;

	assert_int_equal(sizeof(bytes), CONTEXT_HEADER_BYTES);
	assert_int_equal(process_context__header(&h, bytes), 0);
	assert_int_equal(h.payload_bytes, 0x1234);
	assert_int_equal(h.published_ns, 0x070809);
	assert_int_equal(h.payload, 0x7f00deadbeef);

	memset(bytes + 16, 0, 8);
	assert_int_equal(process_context__header(&h, bytes), -EAGAIN);
	bytes[16] = 1;
	memset(bytes + 12, 0, 4);
	assert_int_equal(process_context__header(&h, bytes), -EFBIG);
	/* 64 KiB, and a byte more. */
	bytes[14] = 1;
	assert_int_equal(process_context__header(&h, bytes), 0);
	bytes[12] = 1;
	assert_int_equal(process_context__header(&h, bytes), -EFBIG);
	bytes[12] = 0;
	bytes[8] = 1;
	assert_int_equal(process_context__header(&h, bytes), -EPROTO);
	bytes[8] = 2;
	bytes[7] = 'x';
	assert_int_equal(process_context__header(&h, bytes), -EPROTO);
}

static void names_of_mappings(void **state)
{
	static const char *const good[] = { "[anon:OTEL_CTX]", "[anon_shmem:OTEL_CTX]",
					    "/memfd:OTEL_CTX", "/memfd:OTEL_CTX (deleted)" };
	static const char *const bad[] = { "",
					   "[anon:OTEL_CTX2]",
					   "[anon:otel_ctx]",
					   "OTEL_CTX",
					   "/memfd:OTEL_CTX2 (deleted)",
					   "/tmp/OTEL_CTX",
					   "[anon:OTEL_CTX] " };

	for (size_t i = 0; i < ARRAY_SIZE(good); i++)
		assert_true(process_context__is_name(good[i], strlen(good[i])));
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_false(process_context__is_name(bad[i], strlen(bad[i])));
}

/* The length of what follows, then its bytes. */
#define MESSAGE(bytes) bytes, sizeof(bytes) - 1

/*
 * By hand: resource (1) { attributes (1) { key (1) "service.name", value (2) { string (1) "shop"
 * } } .. }, and an attribute (2) of the context itself, which does not count.
 */
static void attributes_of_a_payload(void **state)
{
	static const char payload[] = "\x0a\x4f"
				      "\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop"
				      "\x0a\x19\x0a\x11service.namespace\x12\x04\x0a\x02"
				      "eu"
				      "\x0a\x1a\x0a\x16"
				      "deployment.environment\x12\x00"
				      "\x12\x15\x0a\x0fservice.version\x12\x02\x0a\x00";
	struct process_context c;

	assert_int_equal(process_context__payload(&c, MESSAGE(payload)), 0);
	assert_string_equal(c.values[CONTEXT_SERVICE_NAME], "shop");
	assert_string_equal(c.values[CONTEXT_SERVICE_NAMESPACE], "eu");
	assert_string_equal(c.values[CONTEXT_SERVICE_VERSION], "");
	assert_string_equal(c.values[CONTEXT_ENVIRONMENT], "");
	assert_true(process_context__has_any(&c));
	assert_true(process_context__is_sound(&c));
	/* Cut off anywhere it is none, or says less. */
	for (size_t len = 0; len < sizeof(payload) - 1; len++)
		if (len && len != 0x51)
			assert_int_equal(process_context__payload(&c, payload, len), -EPROTO);
	assert_int_equal(process_context__payload(&c, payload, 0), 0);
	assert_false(process_context__has_any(&c));
}

/* One attribute with any bytes as its value: resource { attributes { key, value { string } } }. */
static int with_value(struct process_context *c, const char *value, size_t len)
{
	char bytes[1024] = "\x0a\x80\x00\x0a\x80\x00\x0a\x0cservice.name\x12\x80\x00\x0a\x80";
	const size_t at = 3 + 3 + 14 + 3 + 3;
	const size_t lengths[] = { at + len - 3, at + len - 6, len + 3, len };
	const size_t where[] = { 1, 4, 21, 24 };

	for (size_t i = 0; i < ARRAY_SIZE(where); i++) {
		bytes[where[i]] = (char)(lengths[i] | 0x80);
		bytes[where[i] + 1] = (char)(lengths[i] >> 7);
	}
	memcpy(bytes + at, value, len);
	return process_context__payload(c, bytes, at + len);
}

static void values_are_lines_of_text(void **state)
{
	char longest[CONTEXT_VALUE_BYTES + 1];
	struct process_context c;

	memset(longest, 'x', sizeof(longest));
	assert_int_equal(with_value(&c, MESSAGE("caf\xc3\xa9")), 0);
	assert_string_equal(c.values[CONTEXT_SERVICE_NAME], "caf\xc3\xa9");
	assert_int_equal(with_value(&c, MESSAGE("a\xff"
						"b\nc\x1b[m")),
			 0);
	assert_string_equal(c.values[CONTEXT_SERVICE_NAME], "a\xef\xbf\xbd"
							    "b c [m");
	assert_true(process_context__is_sound(&c));
	assert_int_equal(with_value(&c, longest, CONTEXT_VALUE_BYTES), 0);
	assert_int_equal(strlen(c.values[CONTEXT_SERVICE_NAME]), CONTEXT_VALUE_BYTES);
	/* Cut off it would be another's name. */
	assert_int_equal(with_value(&c, longest, CONTEXT_VALUE_BYTES + 1), 0);
	assert_string_equal(c.values[CONTEXT_SERVICE_NAME], "");
	/* 100 bytes that are none become 300. */
	memset(longest, 0xff, 100);
	assert_int_equal(with_value(&c, longest, 100), 0);
	assert_string_equal(c.values[CONTEXT_SERVICE_NAME], "");
}

static void soundness(void **state)
{
	struct process_context c = {};

	assert_true(process_context__is_sound(&c));
	assert_false(process_context__has_any(&c));
	strcpy(c.values[CONTEXT_ENVIRONMENT], "a\nb");
	assert_false(process_context__is_sound(&c));
	strcpy(c.values[CONTEXT_ENVIRONMENT], "a\xc3");
	assert_false(process_context__is_sound(&c));
	memset(c.values[CONTEXT_ENVIRONMENT], 'x', sizeof(c.values[0]));
	assert_false(process_context__is_sound(&c));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(header_of_bytes),
		cmocka_unit_test(names_of_mappings),
		cmocka_unit_test(attributes_of_a_payload),
		cmocka_unit_test(values_are_lines_of_text),
		cmocka_unit_test(soundness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
