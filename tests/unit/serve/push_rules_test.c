// SPDX-License-Identifier: BSD-2-Clause
/* Where, when and with what profiles are pushed: what needs no backend. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <errno.h>
#include <unistd.h>

#include "pushing.h"
#include "serve/push_otlp.h"
#include "serve/push_schedule.h"
#include "serve/push_token.h"
#include "serve/push_url.h"
#include "serve/push_verdict.h"

static const uint64_t SECOND = 1000000000;

static void assert_url(const char *text, enum push_kind kind, const char *url, bool is_loopback)
{
	struct push_url is;
	struct buf why = {};

	if (push_url__parse(&is, text, &why))
		fail_msg("%s: %s", text, why.data);
	assert_int_equal(is.kind, kind);
	assert_string_equal(is.url, url);
	assert_int_equal(is.is_loopback, is_loopback);
	assert_int_equal(is.is_tls, !strncmp(url, "https:", 6));
}

static void a_url_says_where_and_what(void **state)
{
	(void)state;
	assert_url("pyroscope+http://10.0.0.7:4040", PUSH_PYROSCOPE,
		   "http://10.0.0.7:4040/push.v1.PusherService/Push", false);
	assert_url("parca+https://x.example/prefix/", PUSH_PARCA,
		   "https://x.example/prefix/api/profiles/writeraw", false);
	assert_url("otlp+http://[::1]:4318", PUSH_OTLP, "http://[::1]:4318/v1development/profiles",
		   true);
	assert_url("http://127.1.2.3/v1development/profiles", PUSH_OTLP,
		   "http://127.1.2.3/v1development/profiles", true);
	assert_url("pyroscope+http://localhost/push.v1.PusherService/Push", PUSH_PYROSCOPE,
		   "http://localhost/push.v1.PusherService/Push", true);
	assert_url("otlp+http://127.0.0.1.example", PUSH_OTLP,
		   "http://127.0.0.1.example/v1development/profiles", false);
}

static void what_is_no_place_to_push_to_is_refused(void **state)
{
	static const char *const bad[][2] = {
		{ "http://127.0.0.1:4040", "which backend is at" },
		{ "ftp://127.0.0.1", "no place to push to" },
		{ "pyroscope+127.0.0.1:4040", "no place to push to" },
		{ "otlp+http://user:secret@x", "a password's place is a file" },
		{ "otlp+http://x/?token=1", "a password's place is a file" },
		{ "otlp+http://x y", "no place to push to" },
		{ "otlp+http://x\r\nA: b", "no place to push to" },
		{ "otlp+http://", "no host and port" },
		{ "otlp+http://x:0", "no host and port" },
		{ "otlp+http://x:99999", "no host and port" },
		{ "otlp+http://x:", "no host and port" },
		{ "otlp+http://[::1", "no host and port" },
		{ "otlp+http://[x]", "no host and port" },
		{ "", "no place to push to" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct push_url is;
		struct buf why = {};

		assert_int_equal(push_url__parse(&is, bad[i][0], &why), -EINVAL);
		if (!strstr(why.data, bad[i][1]))
			fail_msg("%s: %s", bad[i][0], why.data);
		buf__free(&why);
	}
}

static void a_verdict_is_about_the_status(void **state)
{
	(void)state;
	assert_int_equal(push_verdict(200), PUSH_ARRIVED);
	assert_int_equal(push_verdict(204), PUSH_ARRIVED);
	assert_int_equal(push_verdict(0), PUSH_LATER_OTHERS);
	assert_int_equal(push_verdict(408), PUSH_LATER);
	assert_int_equal(push_verdict(429), PUSH_LATER);
	assert_int_equal(push_verdict(503), PUSH_LATER);
	assert_int_equal(push_verdict(302), PUSH_LATER_OTHERS);
	assert_int_equal(push_verdict(500), PUSH_LATER_OTHERS);
	assert_int_equal(push_verdict(400), PUSH_DROP);
	assert_int_equal(push_verdict(401), PUSH_LATER);
	assert_int_equal(push_verdict(404), PUSH_LATER);
	assert_int_equal(push_verdict(413), PUSH_DROP);
}

/* With the largest number pauses are as long as they may be: 1, 2, 4.. 256, 300, 300 s. */
static void pauses_double_up_to_five_minutes(void **state)
{
	static const uint64_t want_s[] = { 1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300 };
	struct push_schedule s;

	(void)state;
	push_schedule__begin(&s, 0, 0);
	push_schedule__set_work(&s, true, 5 * SECOND);
	assert_int_equal(push_schedule__due_ns(&s), 5 * SECOND);
	for (size_t i = 0; i < ARRAY_SIZE(want_s); i++) {
		push_schedule__failed(&s, 100 * SECOND, 0, UINT64_MAX);
		assert_in_range(push_schedule__due_ns(&s), (100 + want_s[i]) * SECOND - 1,
				(100 + want_s[i]) * SECOND);
	}
	push_schedule__failed(&s, 100 * SECOND, 0, 0);
	assert_int_equal(push_schedule__due_ns(&s), 100 * SECOND);
	push_schedule__failed(&s, 100 * SECOND, 0, 1ull << 63);
	assert_int_equal(push_schedule__due_ns(&s), 250 * SECOND);
	push_schedule__arrived(&s, 100 * SECOND, 1);
	assert_int_equal(push_schedule__due_ns(&s), 0);
	push_schedule__failed(&s, 100 * SECOND, 0, 1ull << 63);
	assert_int_equal(push_schedule__due_ns(&s), 100 * SECOND + SECOND / 2);
}

/* 1,000 that fail alike, 10 times: no second of the five minutes has more than a few of them. */
static void after_an_outage_they_do_not_come_at_once(void **state)
{
	unsigned in_second[301] = {}, most = 0;
	uint64_t random = 42;

	(void)state;
	for (unsigned i = 0; i < 1000; i++) {
		struct push_schedule s;

		push_schedule__begin(&s, 10 * SECOND, 0);
		push_schedule__set_work(&s, true, 0);
		for (unsigned j = 0; j < 10; j++) {
			random = random * 6364136223846793005u + 1442695040888963407u;
			push_schedule__failed(&s, 0, 0, random);
		}
		in_second[push_schedule__due_ns(&s) / SECOND]++;
	}
	for (unsigned i = 0; i < ARRAY_SIZE(in_second); i++)
		most = in_second[i] > most ? in_second[i] : most;
	assert_in_range(most, 4, 20);
}

static void a_pause_that_is_asked_for_is_kept(void **state)
{
	struct push_schedule s;

	(void)state;
	push_schedule__begin(&s, 0, 0);
	push_schedule__set_work(&s, true, 0);
	push_schedule__failed(&s, SECOND, 20, 0);
	assert_int_equal(push_schedule__due_ns(&s), 21 * SECOND);
	push_schedule__failed(&s, SECOND, 20, UINT64_MAX);
	assert_in_range(push_schedule__due_ns(&s), 23 * SECOND - 1, 23 * SECOND);
	push_schedule__failed(&s, SECOND, UINT32_MAX, 0);
	assert_int_equal(push_schedule__due_ns(&s), 3601 * SECOND);
}

/* A quarter of a window: each window's profile is sent then, and what follows it at once. */
static void each_has_its_place_in_a_window(void **state)
{
	struct push_schedule s;

	(void)state;
	push_schedule__begin(&s, 12 * SECOND, 1ull << 62);
	assert_int_equal(push_schedule__due_ns(&s), UINT64_MAX);
	push_schedule__set_work(&s, true, 100 * SECOND);
	push_schedule__set_work(&s, true, 101 * SECOND);
	assert_int_equal(push_schedule__due_ns(&s), 103 * SECOND);
	push_schedule__arrived(&s, 103 * SECOND, 2);
	assert_int_equal(push_schedule__due_ns(&s), 0);
	push_schedule__set_work(&s, false, 104 * SECOND);
	assert_int_equal(push_schedule__due_ns(&s), UINT64_MAX);
	push_schedule__set_work(&s, true, 112 * SECOND);
	assert_int_equal(push_schedule__due_ns(&s), 115 * SECOND);
	push_schedule__hurry(&s);
	assert_int_equal(push_schedule__due_ns(&s), 0);
}

static void new_work_does_not_end_a_pause(void **state)
{
	struct push_schedule s;

	(void)state;
	push_schedule__begin(&s, SECOND, 1ull << 63);
	push_schedule__set_work(&s, true, 0);
	push_schedule__failed(&s, SECOND, 60, 0);
	push_schedule__set_work(&s, false, 2 * SECOND);
	push_schedule__set_work(&s, true, 3 * SECOND);
	assert_int_equal(push_schedule__due_ns(&s), 61 * SECOND);
	push_schedule__hurry(&s);
	assert_int_equal(push_schedule__due_ns(&s), 61 * SECOND);
}

/* Nothing has arrived for 40 s: what waits, and what comes meanwhile, goes within 40 s. */
static void what_has_waited_is_spread_over_as_long(void **state)
{
	struct push_schedule s;

	(void)state;
	push_schedule__begin(&s, 10 * SECOND, 0);
	push_schedule__set_work(&s, true, 100 * SECOND);
	push_schedule__failed(&s, 100 * SECOND, 0, UINT64_MAX);
	push_schedule__failed(&s, 101 * SECOND, 0, UINT64_MAX);
	push_schedule__arrived(&s, 140 * SECOND, 4);
	assert_int_equal(push_schedule__due_ns(&s), 150 * SECOND);
	push_schedule__arrived(&s, 150 * SECOND, 6);
	assert_int_equal(push_schedule__due_ns(&s), 155 * SECOND);
	push_schedule__arrived(&s, 155 * SECOND, 1);
	assert_int_equal(push_schedule__due_ns(&s), 180 * SECOND);
	push_schedule__arrived(&s, 180 * SECOND, 3);
	assert_int_equal(push_schedule__due_ns(&s), 0);
}

/* A failure on the way adds its own second, and takes nothing of what was left. */
static void it_is_spread_over_ten_minutes_at_most(void **state)
{
	struct push_schedule s;

	(void)state;
	push_schedule__begin(&s, 0, 0);
	push_schedule__set_work(&s, true, 0);
	push_schedule__failed(&s, 0, 0, 0);
	push_schedule__arrived(&s, 7000 * SECOND, 60);
	assert_int_equal(push_schedule__due_ns(&s), 7010 * SECOND);
	push_schedule__failed(&s, 7010 * SECOND, 0, UINT64_MAX);
	push_schedule__arrived(&s, 7011 * SECOND, 19);
	assert_int_equal(push_schedule__due_ns(&s), 7042 * SECOND);
	push_schedule__hurry(&s);
	assert_int_equal(push_schedule__due_ns(&s), 0);
	push_schedule__arrived(&s, 7042 * SECOND, 18);
	assert_int_equal(push_schedule__due_ns(&s), 0);
}

static void assert_token(const char *text, size_t len, int err, const char *want)
{
	static const char path[] = "/tmp/push_rules_test.token";
	char auth[COURIER_AUTH];

	write_to(path, text, len);
	assert_int_equal(push_token__read(auth, path), err);
	if (want)
		assert_string_equal(auth, want);
	unlink(path);
}

static void a_token_is_the_first_line_of_a_file(void **state)
{
	char many[COURIER_AUTH + 1], auth[COURIER_AUTH];

	(void)state;
	assert_token("abc\n", 4, 0, "Bearer abc");
	assert_token(" abc \r\nother\n", 13, 0, "Bearer abc");
	assert_token("Basic dTpw\n", 11, 0, "Basic dTpw");
	assert_token("Bearer abc", 10, 0, "Bearer abc");
	assert_token("", 0, -EINVAL, NULL);
	assert_token("\nabc\n", 5, -EINVAL, NULL);
	assert_token("a\x01"
		     "b",
		     3, -EINVAL, NULL);
	memset(many, 'x', sizeof(many));
	assert_token(many, sizeof(many), -EINVAL, NULL);
	assert_token(many, COURIER_AUTH - 1, -EINVAL, NULL);
	assert_token(many, COURIER_AUTH - 8, 0, NULL);
	assert_int_equal(push_token__read(auth, "/tmp/push_rules_test.none"), -ENOENT);
}

/* Field 1 of field 1 is 3, field 2 of it "no\n\x1b[1mroom": written by hand. */
static void a_partial_success_is_no_success(void **state)
{
	static const char some[] = "\x0a\x0f\x08\x03\x12\x0bno\n\x1b[1mroom";
	uint32_t rejected = 7;
	char text[COURIER_TEXT + 1] = "";

	(void)state;
	push_otlp__read_answer(some, sizeof(some) - 1, &rejected, text);
	assert_int_equal(rejected, 3);
	assert_string_equal(text, "profiles were rejected: no  [1mroom");
	push_otlp__read_answer("", 0, &rejected, text);
	assert_int_equal(rejected, 0);
	push_otlp__read_answer("\x0a\x02\x08\x00", 4, &rejected, text);
	assert_int_equal(rejected, 0);
	push_otlp__read_answer("\x0a\xff\xffgarbage", 10, &rejected, text);
	assert_int_equal(rejected, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_url_says_where_and_what),
		cmocka_unit_test(what_is_no_place_to_push_to_is_refused),
		cmocka_unit_test(a_verdict_is_about_the_status),
		cmocka_unit_test(pauses_double_up_to_five_minutes),
		cmocka_unit_test(after_an_outage_they_do_not_come_at_once),
		cmocka_unit_test(a_pause_that_is_asked_for_is_kept),
		cmocka_unit_test(each_has_its_place_in_a_window),
		cmocka_unit_test(new_work_does_not_end_a_pause),
		cmocka_unit_test(what_has_waited_is_spread_over_as_long),
		cmocka_unit_test(it_is_spread_over_ten_minutes_at_most),
		cmocka_unit_test(a_token_is_the_first_line_of_a_file),
		cmocka_unit_test(a_partial_success_is_no_success),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
