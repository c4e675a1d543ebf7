// SPDX-License-Identifier: BSD-2-Clause
/* A flame graph of two sides. */
#include "profiles.h"

#include "model/overlay.h"
#include "print/flame/sides.h"
#include "print/flame/svg.h"

/*
 *	             A      B (as many again in all)
 *	sh;main     50     50
 *	sh;grown    20     80
 *	sh;shrunk   20     30   its share: 20 % and 15 %
 *	sh;gone     10      0
 *	sh;fresh     0     40
 */
static struct profile *overlay(void)
{
	static const struct {
		const char *name;
		uint64_t a, b;
	} all[] = { { "umain", 50, 50 },
		    { "ugrown", 20, 80 },
		    { "ushrunk", 20, 30 },
		    { "ugone", 10, 0 },
		    { "ufresh", 0, 40 } };
	struct profile *sides[2] = { new_profile(), new_profile() }, *p;
	const uint32_t events[2] = {};

	for (int side = 0; side < 2; side++) {
		add_event(sides[side], "cycles");
		for (size_t i = 0; i < ARRAY_SIZE(all); i++)
			if (side ? all[i].b : all[i].a)
				add_row(sides[side], 0, 1,
					add_stack(sides[side], "csh", all[i].name, NULL),
					side ? all[i].b : all[i].a);
	}
	assert_int_equal(overlay__new(&p, (const struct profile *const *)sides, events), 0);
	profile__free(sides[0]);
	profile__free(sides[1]);
	return p;
}

static char *drawn(const struct svg_sides *how, bool all_sure)
{
	static const char *const names[] = { "A: <old>", "B: new" };
	struct profile *p = overlay();
	struct svg_sides sides = *how;
	int8_t *sure = calloc(p->nr_frames, sizeof(*sure));
	char *text;

	assert_non_null(sure);
	for (size_t i = 0; i < p->nr_frames; i++) {
		const char *name = profile__name(p, i);
		const bool grows = !strcmp(name, "fresh") || !strcmp(name, "grown") ||
				   (how->unit && !strcmp(name, "shrunk"));

		sure[i] = !all_sure && strcmp(name, "fresh") ? 0 : grows ? 1 : -1;
	}
	sides.names = names;
	sides.sure = sure;
	text = WRITTEN(print__svg(f, p, &(struct svg_opts){ .sides = &sides }));
	free(sure);
	profile__free(p);
	return text;
}

#define assert_has(text, what)                                                                     \
	do {                                                                                       \
		if (!strstr(text, what))                                                           \
			fail_msg("no '%s' in:\n%s", what, text);                                   \
	} while (0)

/* Widths are means of both shares: of 1180 px; all frames are there. */
static void shares_are_compared(void **state)
{
	const struct svg_sides shares = { .scale = { 1 / 100.0, 1 / 200.0 } };
	char *text = drawn(&shares, true);

	assert_has(text, "<g class=\"d6\"><title>fresh [prog]\nA 0.00%, B 20.00%: +20.00%</title>"
			 "<rect x=\"10\" y=\"78\" width=\"117.5\"");
	assert_has(text, "<g class=\"d0\"><title>gone [prog]\nA 10.00%, B 0.00%: -10.00%</title>"
			 "<rect x=\"128\" y=\"78\" width=\"58.5\"");
	assert_has(text, "<g class=\"d6\"><title>grown [prog]\nA 20.00%, B 40.00%: +20.00%<");
	assert_has(text, "<g class=\"d0\"><title>main [prog]\nA 50.00%, B 25.00%: -25.00%<");
	assert_has(text, "<g class=\"d1\"><title>shrunk [prog]\nA 20.00%, B 15.00%: -5.00%<");
	assert_has(text, "<g class=\"d3\"><title>all\nA 100%, B 100%: +0.00%</title>");
	free(text);
}

static void what_is_not_sure_is_grey(void **state)
{
	const struct svg_sides shares = { .scale = { 1 / 100.0, 1 / 200.0 } };
	char *text = drawn(&shares, false);

	assert_has(text, "<g class=\"d6\"><title>fresh [prog]\nA 0.00%, B 20.00%: +20.00%</title>");
	assert_has(text, "<g class=\"d3\"><title>gone [prog]\nA 10.00%, B 0.00%: -10.00%, cannot "
			 "tell</title>");
	assert_has(text, "\"sure\":\"0010000\"");
	free(text);
}

/* Ten seconds each: B has twice as much to do. */
static void numbers_are_compared(void **state)
{
	const struct svg_sides absolute = { .scale = { 0.1, 0.1 }, .unit = " samples/s" };
	char *text = drawn(&absolute, true);

	assert_has(text, "<g class=\"d3\"><title>main [prog]\nA 5.00 samples/s, B 5.00 samples/s: "
			 "+0.00 samples/s, cannot tell</title>");
	assert_has(text, "<g class=\"d5\"><title>shrunk [prog]\nA 2.00 samples/s, B 3.00 "
			 "samples/s: +1.00 samples/s<");
	assert_has(text,
		   "<title>all\nA 10.00 samples/s, B 20.00 samples/s: +10.00 samples/s</title>");
	free(text);
}

/* A frame that goes the other way than its function as a whole is not what is sure. */
static void what_goes_another_way_may_be_chance(void **state)
{
	const struct svg_sides absolute = { .scale = { 0.01, 0.1 }, .unit = " samples/s" };
	char *text = drawn(&absolute, true);

	/* Of A there are so few that all grow; `main` is said to have shrunk. */
	assert_has(text, "<g class=\"d3\"><title>main [prog]\nA 0.50 samples/s, B 5.00 samples/s: "
			 "+4.50 samples/s, cannot tell</title>");
	free(text);
}

/* For the script: samples of both, and what they are called. */
static void the_data_has_both_sides(void **state)
{
	const struct svg_sides shares = { .scale = { 0.01, 0.005 } };
	char *text = drawn(&shares, true);

	assert_has(text, "\"tree\":\"0(1(2:0/40,3:10/0,4:20/80,5:50/50,6:20/30))\"");
	assert_has(text, "\"sides\":{\"names\":[\"A: \\u003cold\\u003e\",\"B: new\"]");
	assert_has(text, "\"unit\":\"%\"");
	assert_has(text, "A: &lt;old&gt;");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_compared),
		cmocka_unit_test(what_is_not_sure_is_grey),
		cmocka_unit_test(numbers_are_compared),
		cmocka_unit_test(what_goes_another_way_may_be_chance),
		cmocka_unit_test(the_data_has_both_sides),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
