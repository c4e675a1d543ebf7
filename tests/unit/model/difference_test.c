// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "model/difference.h"
#include "model/difference_limit.h"

static void add_thread_row(struct profile *p, unsigned tid, uint32_t stack, unsigned samples)
{
	const struct row_key key = { .pid = 1, .tid = tid, .stack = stack };

	if (samples)
		assert_int_equal(profile__add(p, &key, samples, samples * 1000, NULL), 0);
}

/* Own samples of two functions below main. */
static void add_samples(struct profile *p, unsigned tid, unsigned parse, unsigned render)
{
	p->by |= BY_TID;
	add_thread_row(p, tid, add_stack(p, "csh", "umain", "uparse", NULL), parse);
	add_thread_row(p, tid, add_stack(p, "csh", "umain", "urender", NULL), render);
}

static struct profile *run_of(unsigned parse, unsigned render)
{
	struct profile *p = new_profile();

	add_event(p, "cycles");
	add_samples(p, 1, parse, render);
	p->duration_ns = 2000000000;
	return p;
}

static void add_run(struct difference *d, int side, struct profile *p)
{
	assert_int_equal(difference__add(d, side, p, 0, 1), 0);
	profile__free(p);
}

static const struct difference_row *row_of(const struct difference *d, const char *name)
{
	for (size_t i = 0; i < d->nr; i++)
		if (!strcmp(tally_names__name(&d->names, d->rows[i].function), name))
			return &d->rows[i];
	return NULL;
}

static void begin(struct difference *d, struct difference_opts opts)
{
	*d = (struct difference){ .opts = opts };
	assert_int_equal(difference__begin(d), 0);
}

static void compare(struct difference *d)
{
	struct buf why = {};

	assert_int_equal(difference__compare(d, &why), 0);
	buf__free(&why);
}

/* Eight runs a side; parse takes 20 of 100, and then 30, give or take one. */
static void compare_eight_runs(struct difference *d, struct difference_opts opts)
{
	opts.unit = TALLY_RUNS;
	begin(d, opts);
	for (unsigned i = 0; i < 8; i++) {
		const unsigned more = i % 3;

		add_run(d, 0, run_of(190 + 10 * more, 810 - 10 * more));
		add_run(d, 1, run_of(290 + 10 * more, 710 - 10 * more));
	}
	compare(d);
}

/* Of these nothing is known but that each sample knows nothing of the others. */
static void samples_are_never_sure(void **state)
{
	struct difference d;

	begin(&d, (struct difference_opts){ .unit = TALLY_SAMPLES });
	for (unsigned i = 0; i < 8; i++) {
		add_run(&d, 0, run_of(200 + i, 800 - i));
		add_run(&d, 1, run_of(300 + i, 700 - i));
	}
	compare(&d);
	assert_true(difference__of_samples(&d));
	assert_false(d.contrast.has_units);
	for (size_t i = 0; i < d.nr; i++) {
		assert_false(difference__is_sure(&d, &d.rows[i]));
		assert_int_not_equal(d.rows[i].verdict, VERDICT_CHANGED);
	}
	difference__free(&d);
}

static void shares_that_changed_are_found(void **state)
{
	struct difference d;
	const struct difference_row *row;

	compare_eight_runs(&d, (struct difference_opts){});
	assert_int_equal(d.nr, 2);
	assert_true(difference__is_sure(&d, row_of(&d, "parse")));
	row = row_of(&d, "parse");
	/* 3 * 190 + 3 * 200 + 2 * 210 of 8000 */
	assert_float_equal(row->r.rate[0], 1590 / 8000.0, 1e-6);
	assert_float_equal(row->r.rate[1], 2390 / 8000.0, 1e-6);
	assert_int_equal(row->samples[0], 1590);
	assert_int_equal(row->verdict, VERDICT_CHANGED);
	assert_int_equal(row_of(&d, "render")->verdict, VERDICT_CHANGED);
	difference__free(&d);
}

/* main has all samples below it, on both sides; commands are no functions that call. */
static void totals_are_of_all_below(void **state)
{
	struct difference d;

	compare_eight_runs(&d, (struct difference_opts){ .total = true });
	assert_int_equal(d.nr, 3);
	assert_null(row_of(&d, "sh"));
	assert_float_equal(row_of(&d, "main")->r.rate[1], 1, 1e-9);
	assert_int_equal(row_of(&d, "main")->verdict, VERDICT_CANNOT_TELL);
	assert_int_equal(row_of(&d, "parse")->verdict, VERDICT_CHANGED);
	difference__free(&d);
}

/* A weight of 1000 a sample: 1590 samples in 16 s are 99375 a second. */
static void rates_are_weights_by_time(void **state)
{
	struct difference d;

	compare_eight_runs(&d, (struct difference_opts){ .absolute = true });
	assert_true(d.of_weights);
	assert_float_equal(row_of(&d, "parse")->r.rate[0], 99375, 0.01);
	assert_float_equal(row_of(&d, "parse")->r.rate[1], 149375, 0.01);
	assert_int_equal(row_of(&d, "parse")->verdict, VERDICT_CHANGED);
	difference__free(&d);
}

/* 128 windows of 10 ms: in the first half 100 samples each, then one each. */
static struct profile *run_of_windows(void)
{
	struct profile *p = new_profile();
	uint32_t stack;

	add_event(p, "cycles");
	stack = add_stack(p, "csh", "umain", NULL);
	for (unsigned i = 0; i < 128; i++) {
		add_row(p, 0, 1, stack, i < 64 ? 100 : 1);
		assert_int_equal(profile__close_window(p, (i + 1) * 10000000ull), 0);
	}
	p->duration_ns = 1280000000;
	return p;
}

/* Of rates by time pieces of a run are as long as one another; of shares they have as much. */
static void pieces_are_as_long_or_have_as_much(void **state)
{
	for (int absolute = 0; absolute < 2; absolute++) {
		struct difference d;
		size_t nr_even = 0;

		begin(&d, (struct difference_opts){ .absolute = absolute });
		for (int side = 0; side < 2; side++)
			add_run(&d, side, run_of_windows());
		compare(&d);
		for (size_t i = 0; i < d.sides[0].nr_units; i++)
			nr_even += fabs(d.sides[0].units[i].seconds - 0.02) < 1e-9;
		if (absolute)
			assert_int_equal(nr_even, 64);
		else
			assert_true(nr_even < 5);
		difference__free(&d);
	}
}

static void one_side_without_time_has_no_rates(void **state)
{
	struct difference d;
	struct profile *p = run_of(1, 1);
	struct buf why = {};

	begin(&d, (struct difference_opts){ .absolute = true });
	add_run(&d, 0, run_of(1, 1));
	p->duration_ns = 0;
	add_run(&d, 1, p);
	assert_int_equal(difference__compare(&d, &why), -EPROTO);
	assert_non_null(strstr(why.data, "B does not tell"));
	buf__free(&why);
	difference__free(&d);
}

static void a_side_without_samples_is_refused(void **state)
{
	struct difference d;
	struct buf why = {};

	begin(&d, (struct difference_opts){});
	add_run(&d, 0, run_of(1, 1));
	add_run(&d, 1, run_of(0, 0));
	assert_int_equal(difference__compare(&d, &why), -EPROTO);
	assert_non_null(strstr(why.data, "B has no samples"));
	buf__free(&why);
	difference__free(&d);
}

/* Samples alone are never sure, however large a change is. */
static void one_run_a_side_is_unsure(void **state)
{
	struct difference d;

	begin(&d, (struct difference_opts){});
	add_run(&d, 0, run_of(100, 900));
	add_run(&d, 1, run_of(500, 500));
	compare(&d);
	assert_int_equal(d.sides[0].of, TALLY_SAMPLES);
	assert_int_equal(row_of(&d, "parse")->verdict, VERDICT_UNSURE);
	difference__free(&d);
}

static void ten_samples_are_needed(void **state)
{
	struct difference d;

	begin(&d, (struct difference_opts){});
	add_run(&d, 0, run_of(4, 96));
	add_run(&d, 1, run_of(5, 95));
	compare(&d);
	assert_int_equal(row_of(&d, "parse")->verdict, VERDICT_TOO_FEW);
	assert_float_equal(row_of(&d, "parse")->r.rate[1], 0.05, 1e-9);
	assert_int_equal(d.contrast.nr_tested, 1);
	difference__free(&d);
}

/* Six threads of 100 samples. */
static void threads_are_units(void **state)
{
	struct difference d;

	begin(&d, (struct difference_opts){});
	for (int side = 0; side < 2; side++) {
		struct profile *p = run_of(0, 0);

		for (unsigned tid = 1; tid <= 6; tid++)
			add_samples(p, tid, side ? 40 : 20 + tid % 2, side ? 60 : 80 - tid % 2);
		add_run(&d, side, p);
	}
	compare(&d);
	assert_int_equal(d.sides[0].of, TALLY_THREADS);
	assert_int_equal(d.units[0].nr, 6);
	assert_true(d.units[0].exposure[0] == 100);
	assert_int_equal(row_of(&d, "parse")->verdict, VERDICT_CHANGED);
	difference__free(&d);
}

/* Windows of 1 s: 1 of 10, 2 of 10, .. */
static struct profile *windowed(unsigned nr)
{
	struct profile *p = run_of(0, 0);

	for (unsigned i = 0; i < nr; i++) {
		add_samples(p, 1, 1 + i % 2, 9 - i % 2);
		assert_int_equal(profile__close_window(p, (i + 1) * 1000000000ull), 0);
	}
	p->duration_ns = nr * 1000000000ull;
	return p;
}

static void windows_are_units(void **state)
{
	struct difference d;

	begin(&d, (struct difference_opts){});
	add_run(&d, 0, windowed(10));
	add_run(&d, 1, windowed(130));
	compare(&d);
	assert_int_equal(d.sides[0].of, TALLY_WINDOWS);
	assert_int_equal(d.sides[0].nr_units, 10);
	assert_int_equal(d.sides[1].nr_units, 64); /* at most: of 2 or 3 windows each */
	assert_true(d.sides[0].units[3].seconds == 1);
	assert_int_equal(d.sides[0].units[3].samples, 10);
	assert_float_equal(row_of(&d, "parse")->r.rate[0], 0.15, 1e-6);
	assert_float_equal(row_of(&d, "parse")->r.rate[1], 0.15, 1e-6);
	assert_int_equal(row_of(&d, "parse")->verdict, VERDICT_CANNOT_TELL);
	difference__free(&d);
}

static void add_in_module(struct profile *p, const char *name, const char *module, unsigned n)
{
	uint32_t node;

	assert_int_equal(profile__child(p, 0, add_frame(p, name, module, FRAME_USER), &node), 0);
	add_thread_row(p, 1, node, n);
}

static void functions_are_found_in_other_versions(void **state)
{
	struct profile *a = run_of(0, 0), *b = run_of(0, 0);
	struct difference d;

	add_in_module(a, "inflate", "libz.so.1.2", 20);
	add_in_module(b, "inflate", "libz.so.1.3", 30);
	add_in_module(a, "render", "prog-old", 20);
	add_in_module(b, "render", "prog-new", 30);
	add_in_module(a, "main", "one", 20);
	add_in_module(b, "main", "one", 20);
	add_in_module(b, "main", "two", 20);
	/* By its name alone it could be that of the program. */
	add_in_module(a, "deflate", "libz.so.1.2", 20);
	add_in_module(b, "deflate", "libz.so.1.3", 20);
	add_in_module(a, "deflate", "prog", 20);
	add_in_module(b, "deflate", "prog", 20);
	begin(&d, (struct difference_opts){});
	add_run(&d, 0, a);
	add_run(&d, 1, b);
	compare(&d);
	assert_int_equal(d.nr, 6);
	assert_int_equal(row_of(&d, "inflate")->samples[0], 20);
	assert_int_equal(row_of(&d, "inflate")->samples[1], 30);
	assert_int_equal(row_of(&d, "render")->samples[0], 20);
	assert_int_equal(row_of(&d, "render")->samples[1], 30);
	difference__free(&d);
}

static struct difference_limit held_against(double limit, const char *function)
{
	const struct difference_limit_opts o = { .limit = limit, .function = function };
	struct difference_limit l;
	struct difference d;

	/* parse grows by half, 0.199 to 0.299 */
	compare_eight_runs(&d, (struct difference_opts){});
	assert_int_equal(difference_limit__check(&l, &d, &o), 0);
	if (l.row)
		assert_string_equal(tally_names__name(&d.names, l.row->function), "parse");
	difference__free(&d);
	return l;
}

static void a_limit_is_exceeded_or_held(void **state)
{
	assert_int_equal(held_against(0.05, NULL).nr_above, 1);
	assert_int_equal(held_against(0.05, "parse").nr_above, 1);
	assert_int_equal(held_against(0.05, "render").nr_above, 0);
	assert_int_equal(held_against(0.05, "render").nr_undecided, 0);
	assert_int_equal(held_against(2, NULL).nr_above, 0);
	assert_int_equal(held_against(2, NULL).nr_undecided, 0);
	assert_int_equal(held_against(2, NULL).nr_looked_at, 2);
}

/* 50.3 % more, against 50 %: nobody can tell. */
static void near_the_limit_nobody_can_tell(void **state)
{
	const struct difference_limit l = held_against(0.5, "parse");

	assert_int_equal(l.nr_above, 0);
	assert_int_equal(l.nr_undecided, 1);
	assert_true(l.visible > 0.5 && l.visible < 1);
	assert_true(l.times > 0 && l.times < 1);
}

static void a_function_that_is_not_there(void **state)
{
	const struct difference_limit_opts o = { .limit = 0.1, .function = "nosuch" };
	struct difference_limit l;
	struct difference d;

	compare_eight_runs(&d, (struct difference_opts){});
	assert_int_equal(difference_limit__check(&l, &d, &o), -ENOENT);
	difference__free(&d);
}

/* A hundred times as much, with nothing that says how sure that is. */
static void without_units_no_limit_is_exceeded(void **state)
{
	const struct difference_limit_opts o = { .limit = 0.1 };
	struct difference_limit l;
	struct difference d;

	begin(&d, (struct difference_opts){});
	add_run(&d, 0, run_of(10, 990));
	add_run(&d, 1, run_of(990, 10));
	compare(&d);
	assert_int_equal(difference_limit__check(&l, &d, &o), 0);
	assert_int_equal(l.nr_above, 0);
	assert_int_equal(l.nr_undecided, 2);
	difference__free(&d);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_never_sure),
		cmocka_unit_test(shares_that_changed_are_found),
		cmocka_unit_test(totals_are_of_all_below),
		cmocka_unit_test(rates_are_weights_by_time),
		cmocka_unit_test(pieces_are_as_long_or_have_as_much),
		cmocka_unit_test(one_side_without_time_has_no_rates),
		cmocka_unit_test(a_side_without_samples_is_refused),
		cmocka_unit_test(one_run_a_side_is_unsure),
		cmocka_unit_test(ten_samples_are_needed),
		cmocka_unit_test(threads_are_units),
		cmocka_unit_test(windows_are_units),
		cmocka_unit_test(functions_are_found_in_other_versions),
		cmocka_unit_test(a_limit_is_exceeded_or_held),
		cmocka_unit_test(near_the_limit_nobody_can_tell),
		cmocka_unit_test(a_function_that_is_not_there),
		cmocka_unit_test(without_units_no_limit_is_exceeded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
