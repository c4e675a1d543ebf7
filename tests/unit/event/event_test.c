// SPDX-License-Identifier: BSD-2-Clause
/* Lists of events: groups, modifiers, rates, and what is said about a wrong one. */
#include "event_fixture.h"

static void modifiers_exclude_what_they_do_not_name(void **state)
{
	static const struct text_row rows[] = {
		{ "cycles:u", "0:0 -kernel -hv" },
		{ "cycles:k", "0:0 -user -hv" },
		{ "cycles:uk", "0:0 -hv" },
		{ "cycles:ppp", "0:0 precise=3" },
		{ "instructions:DI", "0:0x1 -idle pinned" },
		{ "cycles:G", "0:0 -host" },
	};

	ASSERT_EVENTS(rows);
}

static void a_rate_may_follow(void **state)
{
	static const struct text_row rows[] = {
		{ "cycles:u@997hz", "0:0 hz=997 -kernel -hv 'cycles:u'" },
		{ "cache-misses@100k", "0:0x3 period=100000 'cache-misses'" },
	};

	ASSERT_EVENTS(rows);
}

static void what_is_wrong_is_said(void **state)
{
	assert_refused("cycels", "did you mean cycles?");
	assert_refused("cycels:u", "did you mean cycles?");
	assert_refused("", "empty event name");
	assert_refused("cycles:z", "unknown modifier 'z'");
	assert_refused("cycles:pppp", "at most three p");
	assert_refused("cycles@0", "'@0' is no rate");
	assert_refused("cycles@fast", "no rate");
	assert_refused("rXYZ", "unknown event");
	assert_refused("r12345678901234567", "unknown event");
	assert_refused("cs,,cs", "empty event name");
	assert_refused("{cs", "a '{' without its '}'");
	assert_refused("cs}", "a '}' without its '{'");
	assert_refused("{cs,{faults}}", "a group inside of a group");
	assert_refused("{}", "empty");
	assert_refused("{cs}faults", "a ',' is missing");
	assert_refused("cpu/event=1", "a '/' is missing");
	assert_refused("nosuchpmu/event=1/", "nosuchpmu");
	assert_refused("tracepoint:sched", "tracepoint:CATEGORY:NAME");
	assert_refused("rawtracepoint:sched_switch", "raw tracepoints");
	assert_refused("uprobe:libc:malloc", "not looked into here");
	assert_refused("kprobe:vfs_*", "no pattern");
	assert_refused("kretprobe:vfs_read+4", "a return has no offset");
}

static void assert_sentence(const char *text, const char *sentence)
{
	struct buf why = {};

	assert_int_equal(try(text, &why), -EINVAL);
	assert_string_equal(why.data, sentence);
	buf__free(&why);
}

/* Columns counted by hand, in characters. What is wrong as a whole needs none. */
static void where_it_is_wrong_is_said(void **state)
{
	assert_sentence("cycels", "unknown event 'cycels'; did you mean cycles?");
	assert_sentence(
		"L1-dcache-load-misse",
		"unknown event 'L1-dcache-load-misse'; did you mean L1-dcache-load-misses?");
	assert_sentence("cs,cycels,faults", "in 'cs,cycels,faults', column 4: unknown event "
					    "'cycels'; did you mean cycles?");
	assert_sentence("{{cs}}", "in '{{cs}}', column 2: a group inside of a group; leave out its "
				  "braces");
	assert_sentence("cs,,cs", "in 'cs,,cs', column 4: empty event name; write one there, or "
				  "leave out the ','");
	assert_sentence("", "empty event name; 'pmutrace list' shows what there is");
	assert_refused("cs,:u", "column 4: empty event name");
	assert_sentence("cycles:uq", "in 'cycles:uq', column 9: unknown modifier 'q' in ':uq'; "
				     "known: u k h I G H p pp ppp P D e");
	assert_sentence("cycles@", "in 'cycles@', column 7: '@' is no rate; write @99hz or, as a "
				   "period, @100000");
	assert_refused("cycles:u@1x", "column 9: '@1x' is no rate");
	assert_refused("cs,{cs,faults",
		       "in 'cs,{cs,faults', column 4: a '{' without its '}'; write");
	assert_refused("cs}", "in 'cs}', column 3: a '}' without its '{'; write");
	assert_refused("cs{faults}", "column 3: '{faults}': a ',' is missing");
	assert_refused("msr/tsc", "column 8: 'msr/tsc': a '/' is missing behind the terms; write "
				  "msr/tsc/");
	assert_refused("cs,nosuch/a/", "in 'cs,nosuch/a/', column 4: no PMU named 'nosuch'");
	assert_refused("cs,cs/perod=1/", "column 7: unknown term 'perod'; did you mean period?");
	assert_refused("cs/config=1,freq=x/", "column 13: 'freq=x': a value is");
	assert_refused("{cs,faults:u}:kK", "column 16: unknown modifier 'K'");
	assert_refused("cs:upu", "column 6: the modifier 'u' is there twice");
	assert_refused("mem:0x1000/5:r", "column 12: mem: '/5' is no length");
	assert_refused("kprobe:", "column 8: a function is missing; write kprobe:FUNCTION");
	assert_refused("cs,1:x", "column 4: '1:x' is no event; write TYPE:CONFIG");
	assert_refused("cs,4294967296:1", "column 4: '4294967296:1': a type has 32 bits");
	assert_refused("1:0x10000000000000000", "a config has 64 bits");
	assert_refused("skl::NOSUCH:ANY,cs", "in 'skl::NOSUCH:ANY,cs', column 1: ");
	assert_refused("faults/name=\xc3\xa9/,cycels", "column 16: unknown event 'cycels'");
	assert_refused("cs,cy\tels", "in 'cs,cy?els', column 4: ");
}

static void of_long_lists_a_part_is_quoted(void **state)
{
	struct buf text = {}, why = {};

	for (int i = 0; i < 30; i++)
		assert_int_equal(buf__puts(&text, "faults,"), 0);
	assert_int_equal(buf__puts(&text, "cycels"), 0);
	for (int i = 0; i < 30; i++)
		assert_int_equal(buf__puts(&text, ",faults"), 0);
	assert_int_equal(try(text.data, &why), -EINVAL);
	assert_string_equal(why.data,
			    "in '..ts,faults,faults,faults,cycels,faults,faults,faults,"
			    "faults,fault..', column 211: unknown event 'cycels'; did you "
			    "mean cycles?");
	buf__free(&text);
	buf__free(&why);
}

static void blanks_between_events_mean_nothing(void **state)
{
	struct buf why = {};

	assert_int_equal(try(" cs , { faults:u ,cycles } :k,\n1:2 ", &why), 0);
	assert_int_equal(list.nr, 4);
	assert_string_equal(list.items[0].name, "cs");
	assert_string_equal(list.items[1].name, "faults:uk");
	assert_string_equal(list.items[3].name, "1:2");
	buf__free(&why);
}

static void a_list_is_cut_into_events_and_groups(void **state)
{
	assert_int_equal(perf_events__first("cs:u@9,faults"), 6);
	assert_int_equal(perf_events__first("cpu/event=1,umask=2/u,cs"), 21);
	assert_int_equal(perf_events__first("{cs,faults}:u,cycles"), 13);
	assert_int_equal(perf_events__first(" {cs, faults} :u ,cycles"), 17);
	assert_int_equal(perf_events__first(" cs"), 3);
}

static void lists_keep_their_order(void **state)
{
	struct buf why = {};

	assert_int_equal(try("cycles,faults:u@7", &why), 0);
	assert_int_equal(perf_events__parse(&list, NULL, "cs", &why), 0);
	assert_int_equal(list.nr, 3);
	assert_string_equal(list.items[1].name, "faults:u");
	assert_int_equal(list.items[1].period, 7);
	assert_string_equal(list.items[2].name, "cs");
	assert_int_equal(list.items[2].group, EVENT_NO_GROUP);
	assert_int_equal(list.items[2].part_of, 2);
	buf__free(&why);
}

/*
 * Only the leader may be pinned; modifiers behind the brace are for all, with their own: perf stat
 * -vv -e '{page-faults:k}:u' excludes the hypervisor only.
 */
static void groups_share_modifiers(void **state)
{
	static const struct text_row rows[] = {
		{ "cs,{cycles,instructions:k}:uD,{faults}",
		  "1:0x3 'cs', 0:0 -kernel -hv pinned 'cycles:uD', "
		  "0:0x1 -hv 'instructions:kuD', 1:0x2 'faults'" },
		{ "{cycles:p,cpu-clock}:p", "0:0 precise=2 'cycles:pp', 1:0 ns 'cpu-clock:p'" },
	};
	struct buf why = {};

	ASSERT_EVENTS(rows);
	assert_int_equal(try(rows[0].asked, &why), 0);
	assert_int_equal(list.nr_groups, 2);
	assert_int_equal(list.items[0].group, EVENT_NO_GROUP);
	assert_int_equal(list.items[1].group, 0);
	assert_int_equal(list.items[2].group, 0);
	assert_int_equal(list.items[3].group, 1);
	buf__free(&why);
}

static void the_most_precise_is_asked_for(void **state)
{
	static const struct text_row rows[] = {
		{ "cycles:P", "0:0 precise=3 most-precise" },
		{ "cycles:pp", "0:0 precise=2" },
		/* Software events have no skid; with a level BPF programs do not attach to them. */
		{ "cpu-clock:pp", "1:0 ns" },
	};

	ASSERT_EVENTS(rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(modifiers_exclude_what_they_do_not_name),
		cmocka_unit_test(the_most_precise_is_asked_for),
		cmocka_unit_test(a_rate_may_follow),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(where_it_is_wrong_is_said),
		cmocka_unit_test(of_long_lists_a_part_is_quoted),
		cmocka_unit_test(blanks_between_events_mean_nothing),
		cmocka_unit_test(a_list_is_cut_into_events_and_groups),
		cmocka_unit_test(lists_keep_their_order),
		cmocka_unit_test(groups_share_modifiers),
	};

	return cmocka_run_group_tests(tests, NULL, free_list);
}
