// SPDX-License-Identifier: BSD-2-Clause
/*
 * Filters in words. What they let pass is worked out here as bpf/filter.wire.h says, for hits whose
 * values are known; the fields are those of filter_fields.h.
 */
#include "rows.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/glob.h"
#include "plan/filter.h"
#include "filter_fields.h"

/* The members lie where filter_fields.h has them. */
struct hit {
	int64_t pid;
	uint64_t u8;
	int64_t s8;
	uint64_t u16;
	int64_t s32, s64;
	uint64_t u64, hex, bits3;
	char name[64];
	uint16_t port; /* sk->port */
	uint32_t cpu;
	char comm[16];
};
_Static_assert(offsetof(struct hit, u8) == 8, "");
_Static_assert(offsetof(struct hit, bits3) == 64, "");
_Static_assert(offsetof(struct hit, name) == 72, "");
_Static_assert(offsetof(struct hit, port) == 136, "");

static uint64_t number_of(const struct fetch *f, const struct hit *h)
{
	uint64_t v;

	if (f->source == FETCH_PID)
		return h->pid;
	if (f->source == FETCH_CPU)
		return h->cpu;
	if (f->nr_steps)
		return h->port;
	memcpy(&v, (const char *)h + f->load.offset, sizeof(v));
	return v;
}

static bool glob_of_wire_matches(const struct target_glob *g, const char *s)
{
	struct glob glob = { .stars = g->stars, .end = g->end };

	memcpy(glob.accepts, g->accepts, sizeof(glob.accepts));
	return glob__matches(&glob, s);
}

static bool term_holds(const struct filter_cfg *cfg, unsigned i, const struct hit *h)
{
	const struct filter_term *t = &cfg->terms[i];
	const char *text = t->left.source == FETCH_COMM ? h->comm : h->name;
	uint64_t left, right = t->right;

	if (t->compare == FILTER_SAME_TEXT)
		return !strcmp(text, (const char *)t->text);
	if (t->compare == FILTER_GLOB)
		return glob_of_wire_matches(&cfg->globs[t->glob], text);
	left = number_of(&t->left, h);
	if (t->compare == FILTER_EQUAL)
		return left == right;
	if (t->compare == FILTER_ANY_BIT)
		return left & right;
	if (t->compare == FILTER_LESS)
		return t->is_signed ? (int64_t)left < (int64_t)right : left < right;
	assert_int_equal(t->compare, FILTER_GREATER);
	return t->is_signed ? (int64_t)left > (int64_t)right : left > right;
}

static bool cfg_passes(const struct filter_cfg *cfg, const struct hit *h)
{
	unsigned index = 0;

	for (unsigned i = 0; i < cfg->nr; i++)
		index |= term_holds(cfg, i, h) << i;
	return !cfg->nr || cfg->truth[index / 64] >> index % 64 & 1;
}

static void compile(struct filter_cfg *cfg, const char *text)
{
	struct buf why = {};
	int err = filter__compile(cfg, text, NULL, NULL, &why);

	if (err)
		fail_msg("%s: %s", text, why.len ? why.data : "no reason");
	buf__free(&why);
}

/* A filter, and whether the hit passes it. */
struct pass_row {
	const char *text;
	bool passes;
};

/* Rows that are otherwise are told, all of them. */
#define ASSERT_PASSES(hit, ...)                                                                    \
	do {                                                                                       \
		const struct pass_row rows_[] = { __VA_ARGS__ };                                   \
		assert_passes(hit, rows_, ARRAY_SIZE(rows_));                                      \
	} while (0)
static void assert_passes(const struct hit *h, const struct pass_row *rows, size_t nr)
{
	struct filter_cfg cfg;
	size_t nr_wrong = 0;

	for (size_t i = 0; i < nr; i++) {
		compile(&cfg, rows[i].text);
		if (cfg_passes(&cfg, h) == rows[i].passes)
			continue;
		print_error("%s: %s\n", rows[i].text, rows[i].passes ? "stopped" : "passed");
		nr_wrong++;
	}
	assert_int_equal(nr_wrong, 0);
}

/* "": the kernel cannot say it. */
static void put_kernel(const char *text, struct buf *is)
{
	struct filter_cfg cfg;
	struct buf why = {};

	if (filter__compile(&cfg, text, NULL, is, &why))
		assert_int_equal(buf__puts(is, why.data), 0);
	buf__free(&why);
}

static void the_kernel_has_words_for_members(void **state)
{
	ASSERT_ROWS(put_kernel, { "u8==0x10", "u8 == 16" }, { "s32 < -3", "s32 < -3" },
		    { "s32 == 0xffffffff", "s32 == -1" },
		    { "u64 >= 18446744073709551615", "u64 >= 18446744073709551615" },
		    { "hex & 0x8", "hex & 8" }, { "name == nginx", "name == \"nginx\"" },
		    { "name != 'a \"b\"'", "name != 'a \"b\"'" },
		    { "name ~ 'a*b?'", "name ~ \"a*b?\"" },
		    { "comm == x && COMM ~ \"y*\"", "COMM == \"x\" && COMM ~ \"y*\"" },
		    { "u8 != 1 || !(u16<2&&! ! !s8>3) && name == x",
		      "u8 != 1 || !(u16 < 2 && !s8 > 3) && name == \"x\"" });
}

static void the_kernel_has_no_words_for_others(void **state)
{
	static const char *const texts[] = {
		"pid == 1",	  "cpu == 0",
		"bits3 == 1",	  "s8:u8 == 1",
		"u8:s16 < 0",	  "sk->port == 80",
		"name == 'a\\b'", "u8 == 1 && (name == x || pid == 1)",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_rows(put_kernel, &(struct text_row){ texts[i], "" }, 1);
}

static void numbers_are_compared(void **state)
{
	static const struct {
		const char *operator;
		bool below, same, above; /* of 9, 10 and 11 compared with 10 */
	} cases[] = {
		{ "==", false, true, false }, { "!=", true, false, true },
		{ "<", true, false, false },  { "<=", true, true, false },
		{ ">", false, false, true },  { ">=", false, true, true },
	};
	static const char *const fields[] = { "u8", "s8", "u64", "s64", "hex" };
	const struct hit below = { .u8 = 9, .s8 = 9, .u64 = 9, .s64 = 9, .hex = 9 };
	const struct hit same = { .u8 = 10, .s8 = 10, .u64 = 10, .s64 = 10, .hex = 10 };
	const struct hit above = { .u8 = 11, .s8 = 11, .u64 = 11, .s64 = 11, .hex = 11 };
	char text[64];

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		for (size_t f = 0; f < ARRAY_SIZE(fields); f++) {
			snprintf(text, sizeof(text), "%s%s0xa", fields[f], cases[i].operator);
			ASSERT_PASSES(&below, { text, cases[i].below });
			ASSERT_PASSES(&same, { text, cases[i].same });
			ASSERT_PASSES(&above, { text, cases[i].above });
		}
	}
}

static void signed_fields_compare_signed(void **state)
{
	const struct hit minus = { .s32 = -1, .u64 = UINT64_MAX, .s64 = INT64_MIN };

	ASSERT_PASSES(&minus, { "s32 < 0", true }, { "s32 <= -1", true }, { "s32 > 0", false },
		      { "s32 > -2", true }, { "s32 >= -2147483648", true }, { "u64 < 1", false },
		      { "u64 > 0x7fffffffffffffff", true }, { "u64 == 18446744073709551615", true },
		      { "s64 == -9223372036854775808", true },
		      { "s64 < -9223372036854775807", true });
}

static void hex_may_have_the_sign_bit(void **state)
{
	const struct hit minus = { .s32 = -1, .s64 = (int64_t)0xffffffff81000000 };
	const struct hit plus = { .s32 = 1, .s64 = 1 };

	ASSERT_PASSES(&minus, { "s32 == 0xffffffff", true }, { "s32 & 0x80000000", true },
		      { "s64 == 0xffffffff81000000", true });
	ASSERT_PASSES(&plus, { "s32 & 0x80000000", false });
}

static void wider_types_keep_the_value(void **state)
{
	const struct hit h = { .u8 = 200, .s8 = -3 };

	ASSERT_PASSES(&h, { "s8:u64 == 18446744073709551613", true }, { "s8:u64 > 255", true },
		      { "u8:s16 == 200 && u8:s16 > -1", true });
}

static void bits_are_compared(void **state)
{
	const struct hit h = { .u8 = 0x12, .bits3 = 5 };

	ASSERT_PASSES(&h, { "u8 & 0x10", true }, { "u8 & 0x30", true }, { "u8&0x20", false },
		      { "!(u8 & 0x20)", true }, { "bits3 & 4 && u8 & 2", true },
		      { "bits3 & 2", false });
}

static void texts_are_compared(void **state)
{
	const struct hit h = { .comm = "kworker/0:1", .name = "a-b_9" };

	ASSERT_PASSES(&h, { "comm == \"kworker/0:1\"", true }, { "comm == 'kworker/0:1'", true },
		      { "comm == kworker", false }, { "comm != kworker", true },
		      { "comm == 'kworker/0:1 '", false }, { "COMM == \"kworker/0:1\"", true },
		      { "name==a-b_9&&comm!=''", true }, { "name == ''", false },
		      { "name == 9 || name == a-b_9", true });
}

static void patterns_match(void **state)
{
	const struct hit h = { .comm = "nginx", .name = "worker-7" };
	struct filter_cfg cfg;

	ASSERT_PASSES(&h, { "comm ~ \"ngin*\"", true }, { "comm ~ \"gin*\"", false },
		      { "comm ~ '?gin?' && name ~ '*-7'", true }, { "!(comm ~ 'n*')", false },
		      { "comm ~ nginx", true } /* no pattern: the text itself */
	);
	/* One automaton for two fields; a text needs none. */
	compile(&cfg, "comm ~ 'a*' || name ~ 'a*' || comm ~ 'b?' || name ~ a");
	assert_int_equal(cfg.nr, 4);
	assert_int_equal(cfg.terms[0].glob, 0);
	assert_int_equal(cfg.terms[1].glob, 0);
	assert_int_equal(cfg.terms[2].glob, 1);
	assert_int_equal(cfg.terms[3].compare, FILTER_SAME_TEXT);
}

static void fields_of_all_kinds(void **state)
{
	const struct hit h = { .pid = 7, .cpu = 3, .port = 80 };

	ASSERT_PASSES(&h, { "pid == 7 && cpu == 3 && CPU < 4", true }, { "sk->port==80", true },
		      { "sk->port>80", false }, { "s8:u8 == 0", true });
}

/* a, b, c, d of the expressions below: is that field 1? */
static bool and_before_or(bool a, bool b, bool c, bool d)
{
	return a || (b && c) || d;
}

static bool parentheses(bool a, bool b, bool c, bool d)
{
	return (a || b) && (c || d);
}

static bool not_before_and(bool a, bool b, bool c, bool d)
{
	return !a && b && !(c && !d);
}

static bool nested(bool a, bool b, bool c, bool d)
{
	return !((a && !(b || c)) || d) || (a && b && c && d);
}

static bool from_the_left(bool a, bool b, bool c, bool d)
{
	return ((a && b) || c) && !d;
}

static const struct {
	const char *text;
	bool (*expected)(bool a, bool b, bool c, bool d);
} expressions[] = {
	{ "u8==1 || u16==1 && cpu==1 || pid==1", and_before_or },
	{ "(u8 == 1 || u16 == 1) && (cpu == 1 || pid == 1)", parentheses },
	{ "!u8 == 1 && u16 == 1 && !(cpu == 1 && !pid == 1)", not_before_and },
	{ "u8 != 1 && u16 == 1 && (cpu != 1 || pid == 1)", not_before_and },
	{ "!u8 == 1 && !u16 != 1 && !(cpu == 1 && pid != 1)", not_before_and },
	{ " ! ( ( u8==1 && !(u16==1||cpu==1) ) || pid==1 ) || u8==1&&u16==1&&cpu==1&&pid==1 ",
	  nested },
	{ "!!((u8==1 && u16==1 || cpu==1) && !!!(pid==1))", from_the_left },
};

static void expressions_hold_as_in_c(void **state)
{
	struct filter_cfg cfg;

	for (size_t i = 0; i < ARRAY_SIZE(expressions); i++) {
		compile(&cfg, expressions[i].text);
		assert_int_equal(cfg.nr, 4);
		for (unsigned n = 0; n < 16; n++) {
			bool a = n & 1, b = n & 2, c = n & 4, d = n & 8;
			struct hit h = { .u8 = a, .u16 = b, .cpu = c, .pid = d };

			if (cfg_passes(&cfg, &h) != expressions[i].expected(a, b, c, d))
				fail_msg("%s: %d %d %d %d", expressions[i].text, a, b, c, d);
		}
	}
}

static void truth_has_a_bit_for_each_combination(void **state)
{
	struct filter_cfg cfg;

	/* Term 0, 1 and 2 in the order of the text; combination 0b110: terms 1 and 2 hold. */
	compile(&cfg, "u8 == 1");
	assert_int_equal(cfg.truth[0], 2);
	compile(&cfg, "u8 != 1");
	assert_int_equal(cfg.truth[0], 1);
	compile(&cfg, "u8 == 1 && u16 == 1");
	assert_int_equal(cfg.truth[0], 8);
	compile(&cfg, "u8 == 1 || u16 == 1");
	assert_int_equal(cfg.truth[0], 14);
	compile(&cfg, "(u8 == 1 || u16 == 1) && cpu == 1");
	assert_int_equal(cfg.truth[0], 0xe0);
	compile(&cfg, "u8 == 1 || u8 != 1");
	assert_int_equal(cfg.nr, 1);
	assert_int_equal(cfg.truth[0], 3);
	for (size_t i = 1; i < FILTER_TRUTH_WORDS; i++)
		assert_int_equal(cfg.truth[i], 0);
}

static void all_eight_comparisons_count(void **state)
{
	struct filter_cfg cfg;

	compile(&cfg, "u8==0 && u8==1 && u8==2 && u8==3 && u8==4 && u8==5 && u8==6 && u8==7 || "
		      "u8==7 && u8==0");
	assert_int_equal(cfg.nr, FILTER_TERMS);
	for (unsigned i = 0; i < 256; i++)
		assert_int_equal(cfg.truth[i / 64] >> i % 64 & 1, (i & 0x81) == 0x81);
}

static void equal_comparisons_are_made_once(void **state)
{
	struct filter_cfg cfg;

	compile(&cfg, "u8 > 5 && s8 > 5 || u8 <= 5 && s8 <= 5 || u8 > 0x5");
	assert_int_equal(cfg.nr, 2);
	compile(&cfg, "comm == a || comm != 'a' && name == a");
	assert_int_equal(cfg.nr, 2);
	compile(&cfg, "u8 < 5 || u8 >= 5 || u8 > 5 || u8 <= 5 || u8 == 5 || u8 != 5");
	assert_int_equal(cfg.nr, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_has_words_for_members),
		cmocka_unit_test(the_kernel_has_no_words_for_others),
		cmocka_unit_test(numbers_are_compared),
		cmocka_unit_test(signed_fields_compare_signed),
		cmocka_unit_test(hex_may_have_the_sign_bit),
		cmocka_unit_test(wider_types_keep_the_value),
		cmocka_unit_test(bits_are_compared),
		cmocka_unit_test(texts_are_compared),
		cmocka_unit_test(patterns_match),
		cmocka_unit_test(fields_of_all_kinds),
		cmocka_unit_test(expressions_hold_as_in_c),
		cmocka_unit_test(truth_has_a_bit_for_each_combination),
		cmocka_unit_test(all_eight_comparisons_count),
		cmocka_unit_test(equal_comparisons_are_made_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
