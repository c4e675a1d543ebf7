// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/opt.h"

struct opts {
	bool all, quiet;
	uint32_t depth, rows;
	uint64_t rate, time_ns;
	const char *name;
	struct opt_strs files;
};

#define AT(m) offsetof(struct opts, m)

static const struct opt table[] = {
	{ OPT_HEAD, .help = "Things" },
	{ OPT_BOOL, 'a', "all", NULL, AT(all), "" },
	{ OPT_BOOL, 'q', "quiet", NULL, AT(quiet), "" },
	{ OPT_U32, 'd', "depth", "N", AT(depth), "" },
	{ OPT_MOST, 0, "rows", "N", AT(rows), "" },
	{ OPT_COUNT, 'F', "freq", "HZ", AT(rate), "" },
	{ OPT_TIME, 0, "duration", "SECS", AT(time_ns), "" },
	{ OPT_STR, 0, "name", "TEXT", AT(name), "" },
	{ OPT_STRS, 'o', "output", "FILE", AT(files), "" },
	{ .type = OPT_END },
};

/* A command line in one string, words separated by blanks. */
struct line {
	char text[256];
	char *argv[32];
	int argc, first, dashes;
	struct opts opts;
	struct buf why;
};

static int parse(struct line *l, const char *text)
{
	*l = (struct line){};
	strcpy(l->text, text);
	for (char *w = strtok(l->text, " "); w; w = strtok(NULL, " "))
		l->argv[l->argc++] = w;
	return opt__parse(table, &l->opts, l->argc, l->argv, &l->first, &l->dashes, &l->why);
}

static void done(struct line *l)
{
	free(l->opts.files.items);
	buf__free(&l->why);
}

static void all_spellings_of_a_value(void **state)
{
	static const char *const lines[] = { "x -d 7", "x -d7", "x --depth 7", "x --depth=7" };
	struct line l;

	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		assert_int_equal(parse(&l, lines[i]), 0);
		assert_int_equal(l.opts.depth, 7);
		done(&l);
	}
}

static void letters_cluster(void **state)
{
	struct line l;

	assert_int_equal(parse(&l, "x -aqF 100k"), 0);
	assert_true(l.opts.all && l.opts.quiet);
	assert_int_equal(l.opts.rate, 100000);
	done(&l);
}

static void words_and_options_mix(void **state)
{
	struct line l;

	assert_int_equal(parse(&l, "x 5 -o a --name b 6 -o c -- ls -l"), 0);
	assert_int_equal(l.dashes, 10);
	assert_string_equal(l.argv[l.dashes], "ls");
	assert_int_equal(l.dashes - 1 - l.first, 2);
	assert_string_equal(l.argv[l.first], "5");
	assert_string_equal(l.argv[l.first + 1], "6");
	assert_int_equal(l.opts.files.nr, 2);
	assert_string_equal(l.opts.files.items[1], "c");
	assert_string_equal(l.opts.name, "b");
	done(&l);
}

static void a_limit_may_be_none(void **state)
{
	struct line l;

	assert_int_equal(parse(&l, "x --rows 7"), 0);
	assert_int_equal(l.opts.rows, 7);
	done(&l);
	assert_int_equal(parse(&l, "x --rows all"), 0);
	assert_int_equal(l.opts.rows, UINT32_MAX);
	done(&l);
}

static void a_dash_alone_is_a_word(void **state)
{
	struct line l;

	assert_int_equal(parse(&l, "x -o - -"), 0);
	assert_string_equal(l.opts.files.items[0], "-");
	assert_int_equal(l.argc - l.first, 1);
	done(&l);
}

static void assert_refused(const char *text, const char *because)
{
	struct line l;

	assert_int_equal(parse(&l, text), -EINVAL);
	assert_non_null(strstr(l.why.data, because));
	done(&l);
}

static void what_is_wrong_is_said(void **state)
{
	assert_refused("x --dept 7", "did you mean --depth?");
	assert_refused("x -z", "unknown option '-z'");
	assert_refused("x --depth", "--depth needs a value");
	assert_refused("x -d", "-d needs a value");
	assert_refused("x -d 12abc", "'12abc' is not");
	assert_refused("x -d 0", "'0' is not a whole number above 0");
	assert_refused("x -d 4294967296", "(too large)");
	assert_refused("x -d all", "'all' is not a whole number above 0");
	assert_refused("x --rows 0", "'0' is not a whole number above 0, nor 'all'");
	assert_refused("x --rows alle", "'alle' is not a whole number above 0, nor 'all'");
	assert_refused("x --all=yes", "--all takes no value");
	assert_refused("x --duration 0", "is not a time above 0");
}

static int put(struct line *l, const char *name, const char *one, const char *other)
{
	const char *const values[] = { one, other };

	buf__clear(&l->why);
	return opt__put(table, &l->opts, name, values, !one ? 0 : other ? 2 : 1, &l->why);
}

static void options_come_from_elsewhere(void **state)
{
	struct line l = {};
	const struct opts nothing = {};

	assert_false(opt__is_given(table, "depth", &l.opts, &nothing));
	assert_int_equal(put(&l, "depth", "7", NULL), 0);
	assert_int_equal(put(&l, "all", "true", NULL), 0);
	assert_int_equal(put(&l, "duration", "2", NULL), 0);
	assert_int_equal(put(&l, "name", "x y", NULL), 0);
	assert_int_equal(put(&l, "output", "a", "b"), 0);
	assert_int_equal(l.opts.depth, 7);
	assert_true(l.opts.all && !l.opts.quiet);
	assert_int_equal(l.opts.time_ns, 2000000000);
	assert_string_equal(l.opts.name, "x y");
	assert_int_equal(l.opts.files.nr, 2);
	assert_string_equal(l.opts.files.items[1], "b");
	assert_true(opt__is_given(table, "depth", &l.opts, &nothing));
	assert_true(opt__is_given(table, "output", &l.opts, &nothing));
	assert_false(opt__is_given(table, "quiet", &l.opts, &nothing));
	assert_int_equal(put(&l, "all", "no", NULL), 0);
	assert_false(l.opts.all);
	assert_int_equal(put(&l, "depth", "0", NULL), -EINVAL);
	assert_string_equal(l.why.data, "depth: '0' is not a whole number above 0");
	assert_int_equal(put(&l, "all", "maybe", NULL), -EINVAL);
	assert_string_equal(l.why.data, "all is true or false, not 'maybe'");
	assert_int_equal(put(&l, "dept", "1", NULL), -EINVAL);
	assert_string_equal(l.why.data, "unknown option 'dept'; did you mean depth?");
	assert_int_equal(put(&l, "name", "a", "b"), -EINVAL);
	assert_int_equal(put(&l, "depth", NULL, NULL), -EINVAL);
	assert_string_equal(l.why.data, "depth has one value");
	done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_come_from_elsewhere),
		cmocka_unit_test(all_spellings_of_a_value),
		cmocka_unit_test(letters_cluster),
		cmocka_unit_test(words_and_options_mix),
		cmocka_unit_test(a_limit_may_be_none),
		cmocka_unit_test(a_dash_alone_is_a_word),
		cmocka_unit_test(what_is_wrong_is_said),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
