// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "columns/column_defs.h"

static struct column_defs *defs;
static struct buf why, text;

static int set_up(void **state)
{
	defs = column_defs__new();
	return !defs;
}

static int tear_down(void **state)
{
	column_defs__free(defs);
	buf__free(&why);
	buf__free(&text);
	return 0;
}

static void read(const char *file)
{
	if (column_defs__read(defs, "config", file, strlen(file), &why))
		fail_msg("%s", why.data);
}

static void assert_refused(const char *file, const char *reason)
{
	struct column_defs *d = column_defs__new();

	buf__clear(&why);
	assert_int_equal(column_defs__read(d, "config", file, strlen(file), &why), -EINVAL);
	assert_non_null(why.data);
	assert_string_equal(why.data, reason);
	column_defs__free(d);
}

static int add_name(void *arg, const struct column_choice *c, struct buf *w)
{
	assert_int_equal(buf__printf(&text, "%s%s%s%s", text.len ? " " : "", c->set ? "" : "=",
				     c->text,
				     c->is_event ? "!"
				     : c->def	 ? ""
						 : "?"),
			 0);
	return 0;
}

static void assert_choice(const char *choice, const char *expected)
{
	buf__clear(&text);
	assert_int_equal(column_defs__each(defs, choice, add_name, NULL, &why), 0);
	assert_string_equal(text.data, expected);
}

static void a_file_defines_columns_and_sets(void **state)
{
	const struct column_def *c;

	read("# what I look at\n"
	     "\n"
	     "  share =  100 * time / interval # of one CPU\r\n"
	     "cost=cycles/switches\n"
	     "both = cycles\n"
	     "[mine]\n"
	     "share cost\tpage-faults\n"
	     "  cpu/event=0x3c,umask=1/ r1b0#2\n"
	     "[ other ]\n"
	     "events = {cycles:u,instructions:u},page-faults\n"
	     "ipc");
	c = column_defs__column(defs, "share");
	assert_string_equal(c->formula, "100 * time / interval");
	assert_int_equal(c->line, 3);
	assert_null(c->help);
	assert_int_equal(c->form, COLUMN_RATIO);
	assert_string_equal(column_defs__column(defs, "cost")->formula, "cycles/switches");
	assert_int_equal(column_defs__column(defs, "both")->form, COLUMN_COUNT);
	assert_choice("mine", "share cost page-faults! cpu/event=0x3c,umask=1/! r1b0#2!");
	assert_string_equal(column_defs__set(defs, "other")->events,
			    "{cycles:u,instructions:u},page-faults");
	assert_choice("other", "ipc");
	assert_string_equal(column_defs__set_at(defs, 0)->name, "mine");
	assert_string_equal(column_defs__column_at(defs, 0)->name, "share");
	assert_null(column_defs__column_at(defs, 1000));
	assert_null(column_defs__set_at(defs, 1000));
}

static void those_of_the_user_go_first(void **state)
{
	read("ipc = 2 * instructions / cycles\n[default]\ncpu ipc\n");
	assert_choice("default", "cpu ipc");
	assert_string_equal(column_defs__column(defs, "ipc")->formula, "2 * instructions / cycles");
	assert_choice("software", "cpu switches migrations faults major");
	column_defs__set_no_pmu(defs);
	assert_choice("default", "cpu ipc");
}

static void without_a_pmu_the_default_is_of_software(void **state)
{
	assert_choice("default", "cpu ipc ghz mpki cache-misses! switches faults");
	column_defs__set_no_pmu(defs);
	assert_choice("tasks,default", "=tasks cpu switches migrations faults major");
}

static void a_choice_is_of_sets_columns_events_and_formulas(void **state)
{
	assert_choice("cpu", "=cpu");
	assert_choice(" cpu , cycles,1 + cycles / time", "=cpu =cycles! =1 + cycles / time?");
	assert_choice("'cpu/event=0x3c,umask=1/',interval", "=cpu/event=0x3c,umask=1/! =interval?");
	assert_choice("'a,b' * 2,'cpu'", "='a,b' * 2? =cpu!");
	assert_choice("topdown-l1", "cpu retiring bad-spec fe-bound be-bound");
}

static void errors_have_a_line(void **state)
{
	assert_refused("a = 1\n\nb = 1 +\n",
		       "config:3: in '1 +', column 4: a number, a name or ( is missing");
	assert_refused("a =\n", "config:1: in '', column 1: a number, a name or ( is missing");
	assert_refused("a = 1\na = 2\n", "config:2: 'a' is in line 1 already");
	assert_refused("[s]\ncpu\n[s]\ncpu\n", "config:3: 's' is in line 1 already");
	assert_refused("cpu ipc\n",
		       "config:1: a line in no set that defines nothing: NAME = FORMULA, or "
		       "[SET]");
	assert_refused("events = cycles\n", "config:1: 'events' is for sets: [NAME] begins one");
	assert_refused("[s]\nevents = a\nevents = b\n", "config:3: 's' has its events already");
	assert_refused("[s]\nevents = # none\n",
		       "config:2: 's' gets no events here: leave the line out");
	assert_refused("[s]\n[t]\ncpu\n", "config:1: 's' is a set without columns");
	assert_refused("[s\ncpu\n", "config:1: [NAME] begins a set, with nothing behind it");
	assert_refused("[s] cpu\n", "config:1: [NAME] begins a set, with nothing behind it");
	assert_refused("[]\n", "config:1: a name is missing here, or is too long");
	assert_refused("time = 1\n", "config:1: 'time' is what every row has: choose another name");
	assert_refused("cache = 1\n", "config:1: 'cache' is the name of a set");
	assert_refused("[ipc]\n", "config:1: 'ipc' is the name of a column");
	assert_refused("a = 1\x01\n", "config:1: there is a control character");
	assert_refused("ok = b\na = b\nb = 2 * a\n",
		       "config:1: in 'b', column 1: in '2 * a', column 5: in 'b', column 1: the "
		       "column b is made of itself");
	assert_int_equal(column_defs__read(defs, "config", "a = 1\0", 6, &why), -EINVAL);
}

/* Each adds up the one before twice: what is asked for doubles with each line. */
static void columns_of_columns_stay_small(void **state)
{
	assert_int_equal(buf__puts(&text, "c0 = cycles\n"), 0);
	for (int i = 1; i < 10; i++)
		assert_int_equal(buf__printf(&text, "c%d = c%d + c%d\n", i, i - 1, i - 1), 0);
	assert_int_equal(column_defs__read(defs, "config", text.data, text.len, &why), -EINVAL);
	assert_non_null(strstr(why.data, "the formula is too long"));
}

static void a_chain_of_columns_has_an_end(void **state)
{
	assert_int_equal(buf__puts(&text, "d0 = cycles\n"), 0);
	for (int i = 1; i < 40; i++)
		assert_int_equal(buf__printf(&text, "d%d = d%d\n", i, i - 1), 0);
	assert_int_equal(column_defs__read(defs, "config", text.data, text.len, &why), -EINVAL);
	assert_non_null(strstr(why.data, "made of too many others"));
}

static int look(void *arg, const char *event, bool *turns, struct buf *w)
{
	if (!strcmp(event, "nosuch"))
		return buf__puts(w, "there is no such event") ? -ENOMEM : -EINVAL;
	*turns = !strstr(event, "faults");
	return 0;
}

static void assert_events(const char *choice, const char *expected)
{
	buf__clear(&text);
	buf__clear(&why);
	if (column_defs__events(defs, choice, look, NULL, &text, &why))
		fail_msg("%s: %s", choice, why.data);
	assert_string_equal(text.data, expected);
}

static void columns_bring_their_events(void **state)
{
	assert_events("cpu,time", "");
	assert_events("ipc", "{instructions,cycles}");
	assert_events("ipc,cycles,cpu", "{instructions,cycles}");
	assert_events("cycles,branches", "cycles,branches");
	assert_events("cycles / page-faults", "cycles,page-faults");
	/* What shares an event is one group, in the order in which they came. */
	assert_events("ipc,branch-miss,mpki,branch-mpki",
		      "{instructions,cycles,branch-misses,branches,cache-misses}");
	assert_events("branch-miss,ipc,1e3 * branches / cycles",
		      "{branch-misses,branches,instructions,cycles}");
	assert_events("miss,ipc", "{cache-misses,cache-references},{instructions,cycles}");
	assert_events("default", "{instructions,cycles,cache-misses},page-faults");
	assert_events("topdown-l1", "{slots,topdown-retiring,topdown-bad-spec,topdown-fe-bound,"
				    "topdown-be-bound}");
	assert_events("topdown-l1,faults", "{slots,topdown-retiring,topdown-bad-spec,"
					   "topdown-fe-bound,topdown-be-bound},page-faults");
	assert_events("'cpu/event=0x3c,umask=1/' / cycles", "{cpu/event=0x3c,umask=1/,cycles}");
	assert_int_equal(column_defs__events(defs, "2 * nosuch", look, NULL, &text, &why), -EINVAL);
	assert_string_equal(why.data, "in '2 * nosuch', column 5: there is no such event");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_file_defines_columns_and_sets),
		TEST(those_of_the_user_go_first),
		TEST(without_a_pmu_the_default_is_of_software),
		TEST(a_choice_is_of_sets_columns_events_and_formulas),
		TEST(errors_have_a_line),
		TEST(columns_of_columns_stay_small),
		TEST(a_chain_of_columns_has_an_end),
		TEST(columns_bring_their_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
