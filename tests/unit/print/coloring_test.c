// SPDX-License-Identifier: BSD-2-Clause
/* Flame graphs whose colours are a ratio, and what other formats tell of events counted along. */
#include "profiles.h"

#include <math.h>

#include "print/csv.h"
#include "print/event_line.h"
#include "print/flame/coloring.h"
#include "print/flame/svg.h"
#include "print/folded.h"
#include "print/profile_json.h"
#include "print/speedscope.h"
#include "print/table.h"

static struct shade *ipc_of(const struct profile *p)
{
	struct buf why = {};
	struct shade *s;

	assert_int_equal(shade__open(&s, "ipc", p, &why), 0);
	return s;
}

#define assert_has(text, what)                                                                     \
	do {                                                                                       \
		if (!strstr(text, what))                                                           \
			fail_msg("no '%s' in:\n%s", what, text);                                   \
	} while (0)

/* A box's colour and what is said of it. */
static void frames_have_the_colour_of_their_ratio(void **state)
{
	struct profile *p = grouped_profile();
	struct shade *ipc = ipc_of(p);
	char *text = WRITTEN(print__svg(f, p, &(struct svg_opts){ .shade = ipc }));

	assert_has(text, "<g class=\"r6\"><title>fast [prog]\n10 samples, 45.45% of all, 47.62% of "
			 "parent, IPC 2</title>");
	assert_has(text, ">slow [prog]\n10 samples, 45.45% of all, 47.62% of parent, IPC 0.5<");
	assert_has(text, "<g class=\"r7\"><title>idle [prog]\n1 sample");
	assert_has(text, "parent, IPC -<");
	/* main has 500 cycles of its own without an instruction: 2500 in 2500. */
	assert_has(text, ">main [prog]\n21 samples, 95.45% of all, 95.45% of parent, IPC 1<");
	assert_has(text, "% of all, IPC 1</title>");
	free(text);
	shade__free(ipc);
	profile__free(p);
}

/* The script draws by the same scale, which the legend tells. */
static void the_scale_is_told(void **state)
{
	struct profile *p = grouped_profile();
	struct shade *ipc = ipc_of(p);
	char *text = WRITTEN(print__svg(f, p, &(struct svg_opts){ .shade = ipc }));

	assert_has(text, ">IPC 0.5</text><rect class=\"r0\"");
	assert_has(text, ">2</text></g>");
	assert_has(text, "\"ratio\":{\"name\":\"IPC\"}");
	assert_has(text, "\"tree\":\"0~21(1~21(2:1,3:1~21(4:10~62,5:10~00.5)))\"");
	free(text);
	text = WRITTEN(print__svg(f, p, &(struct svg_opts){}));
	assert_null(strstr(text, "\"ratio\""));
	assert_has(text, "\"tree\":\"0(1(2:1,3:1(4:10,5:10)))\"");
	assert_null(strstr(text, "class=\"r6\""));
	free(text);
	shade__free(ipc);
	profile__free(p);
}

static void steps_are_between_the_ends(void **state)
{
	const struct coloring c = { .low = 1, .high = 8 };

	assert_int_equal(coloring__step(&c, -5), 0);
	assert_int_equal(coloring__step(&c, 1), 0);
	assert_int_equal(coloring__step(&c, 1.99), 0);
	assert_int_equal(coloring__step(&c, 2), 1);
	assert_int_equal(coloring__step(&c, 7.5), 6);
	assert_int_equal(coloring__step(&c, 8), 6);
	assert_int_equal(coloring__step(&c, 1e300), 6);
	assert_int_equal(coloring__step(&c, NAN), COLORING_UNKNOWN);
}

static void scale(const uint64_t counted[][2], const uint64_t *samples, size_t nr, double *low,
		  double *high)
{
	const struct profile_event member = {
		.name = "instructions", .unit = "", .is_member = true, .leader = "cycles"
	};
	struct profile *p = new_profile();
	const uint32_t *events;
	struct coloring c;
	struct shade *ipc;
	struct tree *t;
	uint32_t id;

	add_event(p, "cycles");
	assert_int_equal(profile__event(p, &member, &id), 0);
	for (size_t i = 0; i < nr; i++) {
		char name[] = { 'u', (char)('a' + i), 0 };

		add_counted(p, add_stack(p, "csh", name, NULL), samples[i], counted[i][0],
			    counted[i][1]);
	}
	ipc = ipc_of(p);
	shade__events(ipc, &events);
	assert_int_equal(
		tree__new(&t, p, &(struct tree_opts){ .counted = events, .nr_counted = 2 }), 0);
	assert_int_equal(coloring__init(&c, ipc, t), 0);
	*low = c.low;
	*high = c.high;
	tree__free(t);
	shade__free(ipc);
	profile__free(p);
}

/* Few samples with an extreme do not make the scale; ends of one ratio are around it. */
static void the_scale_is_of_most_samples(void **state)
{
	static const uint64_t four[][2] = { { 100, 1 }, { 100, 50 }, { 100, 300 }, { 100, 9000 } };
	static const uint64_t few[] = { 2, 50, 50, 2 }, none[][2] = { { 0, 5 } };
	double low, high;

	scale(four, few, 4, &low, &high);
	assert_true(low == 0.5 && high == 3);
	scale(four + 1, few + 1, 1, &low, &high);
	assert_true(low == 0.25 && high == 0.75);
	scale((const uint64_t[][2]){ { 100, 0 } }, few, 1, &low, &high);
	assert_true(low == -0.5 && high == 0.5);
	scale(none, few, 1, &low, &high);
	assert_true(isnan(low) && isnan(high));
}

static int write_ratios(FILE *f, const double *ratios, size_t nr)
{
	struct writer w = { .f = f };

	for (size_t i = 0; i < nr; i++) {
		coloring__put_ratio(&w, ratios[i]);
		writer__putc(&w, ' ');
	}
	return writer__end(&w);
}

/* As JavaScript's String(+ratio.toPrecision(3)) has it, which is what a page says. */
static void ratios_have_three_digits(void **state)
{
	const double ratios[] = {
		0, 0.25, 1.005, 999.4, 999.6, 1200, 12345, -98765, 5e14, 2e15, NAN
	};
	char *text = WRITTEN(write_ratios(f, ratios, ARRAY_SIZE(ratios)));

	assert_string_equal(text, "0 0.25 1 999 1000 1200 12300 -98800 500000000000000 2e+15 - ");
	free(text);
}

/* It has no stacks of its own: what it has counted is told as what it is, and as no samples. */
static void other_formats_tell_what_was_counted_along(void **state)
{
	struct profile *p = grouped_profile();
	struct buf line = {};
	char *text = WRITTEN(print__table(f, p, &(struct table_opts){}));

	assert_has(text, "instructions: 2500 counted at the samples of cycles, 2.00 s on 4 CPUs\n\n"
			 "samples: 22 seen, 22 kept, nothing lost\n");
	free(text);
	assert_int_equal(print__event_line(&line, p, 1, "sample"), 0);
	assert_string_equal(line.data,
			    "instructions (2500 counted at the samples of cycles; of all "
			    "events nothing lost)");
	buf__free(&line);
	text = WRITTEN(print__json(f, p, &(struct json_opts){ .command = "x", .weights = true }));
	assert_has(text, "\"values\":{\"cycles\":10},\"weights\":{\"cycles\":1000,"
			 "\"instructions\":2000}");
	free(text);
	text = WRITTEN(print__csv(f, p, &(struct csv_opts){ .weights = true }));
	assert_has(text, "cycles,weight cycles,instructions,weight instructions\n");
	assert_has(text, "sh,1,main;fast,10,1000,,2000\n");
	assert_has(text, "sh,1,main,1,500,,\n");
	free(text);
	text = WRITTEN(print__folded_all(f, p));
	assert_has(text, "# counts of\tcycles\tof each stack\n");
	assert_has(text, "sh;main;fast 10\n");
	free(text);
	text = WRITTEN(print__speedscope(f, p, &(struct speedscope_opts){ .command = "x" }));
	assert_int_equal(count_of(text, "\"type\":\"sampled\""), 1);
	free(text);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_have_the_colour_of_their_ratio),
		cmocka_unit_test(the_scale_is_told),
		cmocka_unit_test(steps_are_between_the_ends),
		cmocka_unit_test(the_scale_is_of_most_samples),
		cmocka_unit_test(ratios_have_three_digits),
		cmocka_unit_test(other_formats_tell_what_was_counted_along),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
