// SPDX-License-Identifier: BSD-2-Clause
/* Functions in words -> pairs of probes, keys, filters, events; symbols are made up. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/func_fields.h"
#include "plan/func_plan.h"
#include "fetch.wire.h"

/* In every file: f at 0x10, fg at 0x20. */
static int find_function(struct lookup_reader *reader, const char *path, const char *symbol,
			 struct perf_location *out, struct buf *why)
{
	if (strcmp(symbol, "f") && strcmp(symbol, "fg"))
		return buf__printf(why, "no function '%s'", symbol) ? -ENOMEM : -ENOENT;
	*out = (struct perf_location){
		.path = strdup(path),
		.offset = strcmp(symbol, "f") ? 0x20 : 0x10,
		.at_entry = true,
	};
	return out->path ? 0 : -ENOMEM;
}

static int each_function(struct lookup_reader *reader, const char *path, const char *glob,
			 perf_function_fn *fn, void *arg, struct buf *why)
{
	struct perf_function f = { .home = path, .name = "f", .offset = 0x10, .at_entry = true };
	int err = fn(&f, arg);

	(void)reader;
	(void)glob;
	(void)why;
	f.name = "fg";
	f.offset = 0x20;
	return err ? err : fn(&f, arg);
}

/* k_one can be probed, k_two cannot. */
static int each_kernel_function(const char *glob, perf_function_fn *fn, perf_function_fn *other,
				void *arg, struct buf *why)
{
	struct perf_function f = { .home = "", .name = "k_one" };
	int err = fn(&f, arg);

	(void)glob;
	(void)why;
	f.name = "k_two";
	f.why_not = "it is not traced";
	return err || !other ? err : other(&f, arg);
}

/* Reached in as many places as its name has letters. */
static int find_usdt(struct lookup_reader *reader, const char *path, const char *provider,
		     const char *name, struct perf_location **out, size_t *nr, struct buf *error)
{
	(void)reader;
	(void)provider;
	(void)error;
	*nr = strlen(name);
	*out = calloc(*nr, sizeof(**out));
	for (size_t i = 0; *out && i < *nr; i++)
		(*out)[i] = (struct perf_location){ .path = strdup(path), .offset = 8 * i + 8 };
	return *out ? 0 : -ENOMEM;
}

static const struct perf_event_env env = {
	.root = "",
	.usdt = find_usdt,
	.function = find_function,
	.functions = each_function,
	.kernel_functions = each_kernel_function,
};

static struct func_plan plan;
static struct perf_events events;
static struct buf why;

static int clean_up(void **state)
{
	func_plan__free(&plan);
	perf_events__free(&events);
	buf__free(&why);
	return 0;
}

static int try(struct func_plan_opts o)
{
	func_plan__free(&plan);
	buf__clear(&why);
	o.env = &env;
	if (events.nr)
		o.events = &events;
	return func_plan__make(&plan, &o, &why);
}

#define WORDS(...)                                                                                 \
	.words = (char *const[]){ __VA_ARGS__ },                                                   \
	.nr_words = sizeof((char *const[]){ __VA_ARGS__ }) / sizeof(char *)

static void make(struct func_plan_opts o)
{
	int err = try(o);

	if (err)
		print_error("%s\n", why.data ? why.data : "");
	assert_int_equal(err, 0);
	assert_int_equal(why.len, 0);
}

static void assert_refused(struct func_plan_opts o, const char *because)
{
	assert_int_equal(try(o), -EINVAL);
	if (!strstr(why.data, because))
		fail_msg("'%s' is not in: %s", because, why.data);
}

static void add_events(const char *text)
{
	assert_int_equal(perf_events__parse(&events, NULL, text, &why), 0);
}

static void a_function_is_its_entry_and_its_return(void **state)
{
	make((struct func_plan_opts){ WORDS("/x:f", "vfs_read") });
	assert_int_equal(plan.nr_functions, 2);
	assert_int_equal(plan.functions[0].entry->site.kind, SITE_UPROBE);
	assert_int_equal(plan.functions[0].leave->site.kind, SITE_URETPROBE);
	assert_int_equal(plan.functions[0].entry->site.offset, 0x10);
	assert_int_equal(plan.functions[0].leave->site.offset, 0x10);
	assert_int_equal(plan.functions[1].entry->site.kind, SITE_KPROBE);
	assert_int_equal(plan.functions[1].leave->site.kind, SITE_KRETPROBE);
	assert_string_equal(plan.functions[1].leave->site.name, "vfs_read");
	assert_int_equal(plan.functions[0].number, 0);
	assert_int_equal(plan.functions[1].number, 1);
	assert_false(plan.functions[0].optional);
	assert_int_equal(plan.nr_words, 2);
	assert_string_equal(plan.words[1].name, "vfs_read");
	assert_int_equal(plan.rowprobes[1].event, 1);
}

static void a_pattern_is_many_functions_and_one_word(void **state)
{
	make((struct func_plan_opts){ WORDS("/x:f*") });
	assert_int_equal(plan.nr_functions, 2);
	assert_int_equal(plan.nr_words, 1);
	for (size_t i = 0; i < 2; i++) {
		assert_string_equal(plan.functions[i].entry->site.name,
				    plan.functions[i].leave->site.name);
		assert_true(plan.functions[i].optional);
		assert_int_equal(plan.rowprobes[i].event, 0);
	}
	assert_string_equal(plan.rowprobes[1].function, "fg");
}

static void what_cannot_be_probed_is_told_once(void **state)
{
	make((struct func_plan_opts){ WORDS("k_*") });
	assert_int_equal(plan.nr_functions, 1);
	assert_int_equal(plan.skipped.nr, 1);
	assert_string_equal(plan.skipped.items[0].name, "k_two");
	assert_string_equal(plan.skipped.items[0].why, "it is not traced");
}

static void equal_names_are_told_apart(void **state)
{
	make((struct func_plan_opts){ WORDS("/x:f", "/y:f", "/x:fg") });
	assert_string_equal(plan.rowprobes[0].function, "uprobe:/x:f");
	assert_string_equal(plan.rowprobes[1].function, "uprobe:/y:f");
	assert_string_equal(plan.rowprobes[2].function, "fg");
}

static void the_key_is_the_function(void **state)
{
	make((struct func_plan_opts){ WORDS("/x:f") });
	assert_int_equal(plan.key.by, 0);
	assert_int_equal(plan.key.nr_fields, 1);
	assert_int_equal(plan.key.fields[0].from, ROWFIELD_FUNCTION);
}

static void fields_are_of_the_entry_or_the_return(void **state)
{
	struct func_opts calls = { .max_stack = 127 };
	struct collector_opts collector = {};

	make((struct func_plan_opts){ WORDS("/x:f"), .by = "comm,arg1,ret:s32,uid,caller" });
	assert_int_equal(plan.key.by, BY_COMM | BY_CALLER);
	assert_int_equal(plan.functions[0].nr_by, 3);
	assert_int_equal(plan.functions[0].by_ret, 1 << 1);
	assert_int_equal(plan.functions[0].by[0].source, FETCH_CONTEXT);
	assert_int_equal(plan.functions[0].by[2].source, FETCH_UID);
	assert_string_equal(plan.key.fields[1].name, "ret:s32");
	func_plan__put(&plan, &calls, &collector);
	assert_int_equal(calls.by, BY_USTACK);
	assert_int_equal(calls.max_stack, 1);
	assert_int_equal(collector.nr_metrics, 4);
}

static void keys_are_refused(void **state)
{
	assert_refused((struct func_plan_opts){ WORDS("/x:f"), .by = "comm,cpu" }, "several CPUs");
	assert_refused((struct func_plan_opts){ WORDS("/x:f"), .by = "arg0:str" }, "is a text");
	assert_refused((struct func_plan_opts){ WORDS("/x:f"), .by = "arg0,,ret" },
		       "a key is missing");
	assert_refused((struct func_plan_opts){ WORDS("/x:f"), .by = "arg0,arg1,arg2,arg3,uid" },
		       "at most 4 fields");
	assert_refused((struct func_plan_opts){ WORDS("/x:f"), .by = "nonsense" }, "nonsense");
}

static void a_filter_is_of_the_entry_or_the_return(void **state)
{
	make((struct func_plan_opts){ WORDS("/x:f"), .filter = "arg0 > 5 && comm == ret" });
	assert_false(plan.functions[0].filter_ret);
	assert_int_equal(plan.functions[0].filter->nr, 2);
	make((struct func_plan_opts){ WORDS("/x:f"), .filter = "ret:s32 < 0 || pid == 1" });
	assert_true(plan.functions[0].filter_ret);
	assert_refused((struct func_plan_opts){ WORDS("/x:f"), .filter = "ret < 0 && arg0 == 1" },
		       "at the return");
}

static void a_filter_tells_which_fields_it_compares(void **state)
{
	assert_int_equal(func_filter__of("pid == 1 && COMM ~ \"ret < 1\""), FILTER_OF_TASK);
	assert_int_equal(func_filter__of("comm != 'it\"s ret == 1'"), FILTER_OF_TASK);
	assert_int_equal(func_filter__of("arg0 & 0xf"), FILTER_OF_ENTRY);
	assert_int_equal(func_filter__of("!(sk->ret.x:u8 > 3)"), FILTER_OF_ENTRY);
	assert_int_equal(func_filter__of("returned == 3"), FILTER_OF_ENTRY);
	assert_int_equal(func_filter__of("(ret->x<0)"), FILTER_OF_RETURN);
	assert_int_equal(func_filter__of("comm == ret && tid > 4"), FILTER_OF_TASK);
	assert_int_equal(func_filter__of("ret==1&&arg0==2"), FILTER_OF_ENTRY | FILTER_OF_RETURN);
}

static void the_scheduler_counts_what_it_does(void **state)
{
	add_events("page-faults,task-clock,context-switches,cpu-migrations,cycles:u");
	make((struct func_plan_opts){ WORDS("/x:f") });
	assert_int_equal(plan.nr_events, 5);
	assert_int_equal(plan.events[0].counter, FUNC_COUNTER_PERF);
	assert_int_equal(plan.events[1].counter, FUNC_COUNTER_TIME);
	assert_int_equal(plan.events[2].counter, FUNC_COUNTER_SWITCHES);
	assert_int_equal(plan.events[3].counter, FUNC_COUNTER_MIGRATIONS);
	assert_int_equal(plan.events[4].counter, FUNC_COUNTER_PERF);
	assert_int_equal(plan.nr_metrics, FUNC_VALUES + 5 * FUNC_EVENT_VALUES);
	assert_string_equal(plan.metrics[FUNC_OFF_CPU].name, "off-cpu");
	assert_string_equal(plan.metrics[FUNC_VALUES].name, "page-faults");
	assert_string_equal(plan.metrics[FUNC_VALUES + 2].unit, "ns");
	assert_string_equal(plan.metrics[FUNC_VALUES + 9].name, "cycles:u:self");
}

static void events_are_refused(void **state)
{
	static const struct {
		const char *events, *because;
	} cases[] = {
		{ "cs:u", "leave out what is behind" },
		{ "{faults,cs}", "leave out the { }" },
		{ "cycles@99hz", "leave out the rate" },
		{ "cs,cs,cs,cs,cs,cs,cs", "7 events: at most 6" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		add_events(cases[i].events);
		assert_refused((struct func_plan_opts){ WORDS("/x:f") }, cases[i].because);
		func_plan__free(&plan);
		perf_events__free(&events);
	}
}

static void a_histogram_is_of_a_value(void **state)
{
	add_events("faults");
	make((struct func_plan_opts){ WORDS("/x:f"), .buckets = "faults", .by = "pid" });
	assert_int_equal(plan.bucket_of, FUNC_VALUES);
	assert_int_equal(plan.bucket_kind, BUCKETS_LOG2);
	assert_int_equal(plan.key.fields[0].kind, FIELD_BUCKET);
	make((struct func_plan_opts){ WORDS("/x:f"), .buckets = "on-cpu", .linear = "0,100,10" });
	assert_int_equal(plan.bucket_of, FUNC_ON_CPU);
	assert_int_equal(plan.bucket_kind, BUCKETS_LINEAR);
	assert_string_equal(plan.buckets.unit, "ns");
	assert_refused((struct func_plan_opts){ WORDS("/x:f"), .buckets = "cycles" },
		       "'cycles' is not measured");
}

static void two_probes_are_a_call(void **state)
{
	make((struct func_plan_opts){ .from = "uprobe:/x:f", .to = "uprobe:/x:fg" });
	assert_int_equal(plan.nr_functions, 1);
	assert_int_equal(plan.functions[0].leave->site.offset, 0x20);
	assert_string_equal(plan.words[0].name, "uprobe:/x:f -> uprobe:/x:fg");
	assert_string_equal(plan.rowprobes[0].function, "uprobe:/x:f -> uprobe:/x:fg");
	assert_int_equal(plan.functions[0].match[0].source, 0);
}

static void what_matches_has_a_time_alone(void **state)
{
	make((struct func_plan_opts){
		.from = "uprobe:/x:f", .to = "uprobe:/x:fg", .match = "arg0" });
	assert_int_equal(plan.nr_metrics, 1);
	assert_int_equal(plan.functions[0].match[0].source, FETCH_CONTEXT);
	assert_int_equal(plan.functions[0].match[1].source, FETCH_CONTEXT);
	add_events("faults");
	assert_refused((struct func_plan_opts){ .from = "uprobe:/x:f",
						.to = "uprobe:/x:fg",
						.match = "arg0" },
		       "only its time is known");
}

/* What begins in one place may end in several: all are one function. */
static void the_ends_of_a_pair_may_be_in_several_places(void **state)
{
	make((struct func_plan_opts){ .from = "usdt:/x:p:a", .to = "usdt:/x:p:abc" });
	assert_int_equal(plan.nr_functions, 3);
	assert_int_equal(plan.functions[0].entry->site.offset, 8);
	assert_int_equal(plan.functions[0].leave->site.offset, 8);
	for (size_t i = 1; i < 3; i++) {
		assert_null(plan.functions[i].entry);
		assert_int_equal(plan.functions[i].leave->site.offset, 8 * i + 8);
		assert_int_equal(plan.functions[i].number, 0);
		assert_false(plan.functions[i].optional);
	}
	make((struct func_plan_opts){ .from = "usdt:/x:p:ab", .to = "usdt:/x:p:a" });
	assert_int_equal(plan.nr_functions, 2);
	assert_null(plan.functions[1].leave);
}

static void words_that_do_not_go_together_are_refused(void **state)
{
	assert_refused((struct func_plan_opts){ .nr_words = 0 }, "no function");
	assert_refused((struct func_plan_opts){ .from = "uprobe:/x:f" }, "go together");
	assert_refused((struct func_plan_opts){ WORDS("/x:f"), .from = "uprobe:/x:f",
						.to = "uprobe:/x:fg" },
		       "one of both");
	assert_refused((struct func_plan_opts){ WORDS("/x:f"), .match = "pid" },
		       "--match goes with --from");
	assert_refused((struct func_plan_opts){ .from = "cycles", .to = "uprobe:/x:f" },
		       "no place in code");
	assert_refused((struct func_plan_opts){ .from = "uprobe:/x:f*", .to = "uprobe:/x:f" },
		       "is 2 probes");
	assert_refused((struct func_plan_opts){ WORDS("kprobe:vfs_read+4") }, "");
	assert_refused((struct func_plan_opts){ WORDS("kretprobe:vfs_read") },
		       "entered and returned from");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(a_function_is_its_entry_and_its_return, clean_up),
		cmocka_unit_test_teardown(a_pattern_is_many_functions_and_one_word, clean_up),
		cmocka_unit_test_teardown(what_cannot_be_probed_is_told_once, clean_up),
		cmocka_unit_test_teardown(equal_names_are_told_apart, clean_up),
		cmocka_unit_test_teardown(the_key_is_the_function, clean_up),
		cmocka_unit_test_teardown(fields_are_of_the_entry_or_the_return, clean_up),
		cmocka_unit_test_teardown(keys_are_refused, clean_up),
		cmocka_unit_test_teardown(a_filter_is_of_the_entry_or_the_return, clean_up),
		cmocka_unit_test_teardown(a_filter_tells_which_fields_it_compares, clean_up),
		cmocka_unit_test_teardown(the_scheduler_counts_what_it_does, clean_up),
		cmocka_unit_test_teardown(events_are_refused, clean_up),
		cmocka_unit_test_teardown(a_histogram_is_of_a_value, clean_up),
		cmocka_unit_test_teardown(two_probes_are_a_call, clean_up),
		cmocka_unit_test_teardown(what_matches_has_a_time_alone, clean_up),
		cmocka_unit_test_teardown(the_ends_of_a_pair_may_be_in_several_places, clean_up),
		cmocka_unit_test_teardown(words_that_do_not_go_together_are_refused, clean_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
