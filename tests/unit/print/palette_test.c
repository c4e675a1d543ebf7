// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <math.h>

#include "print/flame/svg.h"

/*
 * The colours of the flame graph, computed from the style that is in it. Eyes: as usual, and
 * without one kind of cones, by Machado, Oliveira and Fernandes 2009, "A Physiologically-based
 * Model for Simulation of Color Vision Deficiency", severity 1.0. Distances: in OKLab (Ottosson
 * 2020), where about 0.02 is just noticeable.
 */
static const struct eyes {
	const char *name;
	double from[3][3]; /* linear RGB to linear RGB */
} eyes[] = {
	{ "all cones", { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
	{ "protanopia",
	  { { 0.152286, 1.052583, -0.204868 },
	    { 0.114503, 0.786281, 0.099216 },
	    { -0.003882, -0.048116, 1.051998 } } },
	{ "deuteranopia",
	  { { 0.367322, 0.860646, -0.227968 },
	    { 0.280085, 0.672501, 0.047413 },
	    { -0.011820, 0.042940, 0.968881 } } },
	{ "tritanopia",
	  { { 1.255528, -0.076749, -0.178779 },
	    { -0.078411, 0.930809, 0.147602 },
	    { 0.004733, 0.691367, 0.303900 } } },
};

static const double noticed = 0.06;
static const double readable = 4.5; /* WCAG 2.2, 1.4.3 */
static const char kinds[] = "ukjicn";

struct colour {
	double rgb[3]; /* linear */
};

static double linear(unsigned byte)
{
	double c = byte / 255.0;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

/* "#fda260"; the short form "#fff" is not one of a frame. */
static struct colour colour_at(const char *s)
{
	unsigned long n;
	char *end;

	assert_int_equal(*s, '#');
	n = strtoul(s + 1, &end, 16);
	assert_int_equal(end - s, 7);
	return (struct colour){ { linear(n >> 16), linear(n >> 8 & 0xff), linear(n & 0xff) } };
}

static struct colour seen_by(const struct eyes *e, const struct colour *c)
{
	struct colour seen = {};

	for (int i = 0; i < 3; i++) {
		for (int j = 0; j < 3; j++)
			seen.rgb[i] += e->from[i][j] * c->rgb[j];
		seen.rgb[i] = fmin(1, fmax(0, seen.rgb[i]));
	}
	return seen;
}

static void oklab(const struct colour *c, double lab[3])
{
	const double *x = c->rgb;
	double l = cbrt(0.4122214708 * x[0] + 0.5363325363 * x[1] + 0.0514459929 * x[2]);
	double m = cbrt(0.2119034982 * x[0] + 0.6806995451 * x[1] + 0.1073969566 * x[2]);
	double s = cbrt(0.0883024619 * x[0] + 0.2817188376 * x[1] + 0.6299787005 * x[2]);

	lab[0] = 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s;
	lab[1] = 1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s;
	lab[2] = 0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s;
}

static double distance(const struct colour *a, const struct colour *b, const struct eyes *e)
{
	struct colour x = seen_by(e, a), y = seen_by(e, b);
	double p[3], q[3];

	oklab(&x, p);
	oklab(&y, q);
	return sqrt(pow(p[0] - q[0], 2) + pow(p[1] - q[1], 2) + pow(p[2] - q[2], 2));
}

static double contrast(const struct colour *a, const struct colour *b)
{
	double x = 0.2126 * a->rgb[0] + 0.7152 * a->rgb[1] + 0.0722 * a->rgb[2] + 0.05;
	double y = 0.2126 * b->rgb[0] + 0.7152 * b->rgb[1] + 0.0722 * b->rgb[2] + 0.05;

	return x > y ? x / y : y / x;
}

/* Shades of a kind; one rule may be for all, and then ends in the last one's name. */
static size_t shades_of(const char *style, char kind, struct colour shades[8])
{
	size_t nr = 0;

	for (int i = 0; i < 8; i++) {
		char rule[16];
		const char *at;

		snprintf(rule, sizeof(rule), ".%c%d{fill:", kind, i);
		at = strstr(style, rule);
		if (at)
			shades[nr++] = colour_at(at + strlen(rule));
	}
	assert_true(nr == 1 || nr == 8);
	return nr;
}

static void kinds_differ(const char *style, char one, char two, const struct eyes *e)
{
	struct colour a[8], b[8];
	size_t nr_a = shades_of(style, one, a), nr_b = shades_of(style, two, b);

	for (size_t i = 0; i < nr_a; i++)
		for (size_t j = 0; j < nr_b; j++)
			if (distance(&a[i], &b[j], e) < noticed)
				fail_msg("%s: %c%zu and %c%zu are %.3f apart", e->name, one, i, two,
					 j, distance(&a[i], &b[j], e));
}

static void check_style(const char *style, const char *text_rule)
{
	const char *at = strstr(style, text_rule);
	struct colour text, shades[8];

	assert_non_null(at);
	text = colour_at(at + strlen(text_rule));
	for (const char *k = kinds; *k; k++) {
		for (size_t i = shades_of(style, *k, shades); i--;)
			if (contrast(&text, &shades[i]) < readable)
				fail_msg("text on %c%zu: %.2f", *k, i, contrast(&text, &shades[i]));
		for (const char *l = kinds; l < k; l++)
			for (size_t i = 0; i < ARRAY_SIZE(eyes); i++)
				kinds_differ(style, *k, *l, &eyes[i]);
	}
}

/* The style up to its part for the dark, or that part. For free(). */
static char *style_of(bool dark)
{
	struct profile *p = small_profile();
	char *text = WRITTEN(print__svg(f, p, &(struct svg_opts){ .event = 0 }));
	char *begin = strstr(text, "<style>"), *night, *end, *style;

	assert_non_null(begin);
	night = strstr(begin, "@media screen and (prefers-color-scheme:dark)");
	end = strstr(begin, "</style>");
	assert_true(night && end && night < end);
	style = dark ? strndup(night, end - night) : strndup(begin, night - begin);
	free(text);
	profile__free(p);
	return style;
}

static void kinds_are_told_apart_by_all_eyes(void **state)
{
	char *style = style_of(false);

	check_style(style, "\ntext{fill:");
	free(style);
}

static void kinds_are_told_apart_in_the_dark(void **state)
{
	char *style = style_of(true);

	check_style(style, "text,.head .title{fill:");
	free(style);
}

static double lightness(const struct colour *c, const struct eyes *e)
{
	struct colour seen = seen_by(e, c);
	double lab[3];

	oklab(&seen, lab);
	return lab[0];
}

/* A ratio's steps go one way in lightness, for all eyes, and neighbours are told apart. */
static void check_steps(const char *style, const char *text_rule, double way)
{
	enum { STEPS = 7 };
	const double told_apart = 0.038;
	const char *at = strstr(style, text_rule);
	struct colour text, step[8];

	assert_non_null(at);
	text = colour_at(at + strlen(text_rule));
	assert_int_equal(shades_of(style, 'r', step), STEPS + 1); /* the last one: not known */
	for (int i = 0; i <= STEPS; i++)
		if (contrast(&text, &step[i]) < readable)
			fail_msg("text on r%d: %.2f", i, contrast(&text, &step[i]));
	for (size_t e = 0; e < ARRAY_SIZE(eyes); e++)
		for (int i = 1; i < STEPS; i++) {
			double more =
				lightness(&step[i], &eyes[e]) - lightness(&step[i - 1], &eyes[e]);

			if (way * more < 0.02 ||
			    distance(&step[i], &step[i - 1], &eyes[e]) < told_apart)
				fail_msg("%s: r%d and r%d", eyes[e].name, i - 1, i);
		}
}

/* Of changes: neighbours, and above all more and less of the same size. */
static void check_changes(const char *style, const char *text_rule)
{
	enum { STEPS = 7 };
	const double told_apart = 0.028;
	const char *at = strstr(style, text_rule);
	struct colour text, step[STEPS];

	assert_non_null(at);
	text = colour_at(at + strlen(text_rule));
	for (int i = 0; i < STEPS; i++) {
		char rule[16];

		snprintf(rule, sizeof(rule), ".d%d{fill:", i);
		at = strstr(style, rule);
		assert_non_null(at);
		step[i] = colour_at(at + strlen(rule));
		if (contrast(&text, &step[i]) < readable)
			fail_msg("text on d%d: %.2f", i, contrast(&text, &step[i]));
	}
	for (size_t e = 0; e < ARRAY_SIZE(eyes); e++)
		for (int i = 0; i + 1 < STEPS; i++) {
			if (distance(&step[i], &step[i + 1], &eyes[e]) < told_apart)
				fail_msg("%s: d%d and d%d", eyes[e].name, i, i + 1);
			if (i < STEPS / 2 &&
			    distance(&step[i], &step[STEPS - 1 - i], &eyes[e]) < noticed)
				fail_msg("%s: d%d and d%d", eyes[e].name, i, STEPS - 1 - i);
		}
}

static void more_and_less_are_told_apart(void **state)
{
	char *day = style_of(false), *night = style_of(true);

	check_changes(day, "\ntext{fill:");
	check_changes(night, "text,.head .title{fill:");
	free(day);
	free(night);
}

static void steps_of_a_ratio_are_told_apart(void **state)
{
	char *day = style_of(false), *night = style_of(true);

	check_steps(day, "\ntext{fill:", -1);
	check_steps(night, "text,.head .title{fill:", 1);
	free(day);
	free(night);
}

/* Facts: red and green are one colour to some, and black on white is the strongest contrast. */
static void eyes_are_simulated(void **state)
{
	struct colour orange = colour_at("#f4d178"), yellow = colour_at("#dade7a");
	struct colour black = {}, white = { { 1, 1, 1 } };

	assert_true(distance(&orange, &yellow, &eyes[0]) > 0.04);
	assert_true(distance(&orange, &yellow, &eyes[2]) < 0.005);
	assert_true(fabs(contrast(&black, &white) - 21) < 1e-9);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(eyes_are_simulated),
		cmocka_unit_test(kinds_are_told_apart_by_all_eyes),
		cmocka_unit_test(kinds_are_told_apart_in_the_dark),
		cmocka_unit_test(steps_of_a_ratio_are_told_apart),
		cmocka_unit_test(more_and_less_are_told_apart),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
