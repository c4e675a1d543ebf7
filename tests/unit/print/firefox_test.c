// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "json_path.h"
#include "print/firefox.h"

static const struct firefox_opts samples = { .command = "report" };
static const struct firefox_opts weights = { .command = "profile", .weights = true };

static struct json_object *written(const struct profile *p, const struct firefox_opts *o)
{
	char *text = WRITTEN(print__firefox(f, p, o));
	struct json_object *doc = parse(text);

	free(text);
	return doc;
}

static uint64_t cell(struct json_object *table, const char *column, uint64_t row)
{
	struct json_object *o = at(table, column);

	assert_true(row < json_object_array_length(o));
	o = json_object_array_get_idx(o, row);
	assert_true(json_object_is_type(o, json_type_int));
	return json_object_get_uint64(o);
}

/* The name of a frame, by way of its function. */
static const char *frame_name(struct json_object *doc, uint64_t frame)
{
	uint64_t func = cell(at(doc, "shared.frameTable"), "func", frame);
	uint64_t name = cell(at(doc, "shared.funcTable"), "name", func);
	struct json_object *strings = at(doc, "shared.stringArray");

	assert_true(name < json_object_array_length(strings));
	return json_object_get_string(json_object_array_get_idx(strings, name));
}

static void put_stack(FILE *f, struct json_object *doc, uint64_t stack)
{
	struct json_object *table = at(doc, "shared.stackTable");
	uint64_t offset = cell(table, "prefixOffset", stack);

	if (offset) {
		assert_true(offset <= stack);
		put_stack(f, doc, stack - offset);
		fputc(';', f);
	}
	fputs(frame_name(doc, cell(table, "frame", stack)), f);
}

/* "sh 1/1: sh;main;work 0+3|" for each thread, pid/tid and sample, time+weight; then a line end. */
static char *threads_of(struct json_object *doc)
{
	struct json_object *threads = at(doc, "threads");
	struct capture *c = capture_open();

	for (size_t i = 0; i < json_object_array_length(threads); i++) {
		struct json_object *t = json_object_array_get_idx(threads, i);
		struct json_object *s = at(t, "samples");

		fprintf(c->f, "%s %s/%s: ", string(t, "name"), string(t, "pid"), string(t, "tid"));
		for (size_t k = 0; k < number(s, "length"); k++) {
			put_stack(c->f, doc, cell(s, "stack", k));
			fprintf(c->f, " %s+",
				json_object_get_string(
					json_object_array_get_idx(at(s, "time"), k)));
			fprintf(c->f, "%s|",
				json_object_get_string(
					json_object_array_get_idx(at(s, "weight"), k)));
		}
		fputc('\n', c->f);
	}
	return capture_close(c);
}

static void assert_threads(struct json_object *doc, const char *expected)
{
	char *text = threads_of(doc);

	assert_string_equal(text, expected);
	free(text);
}

static void columns_are_as_long_as_their_table(void **state)
{
	struct profile *p = small_profile();
	struct json_object *o = written(p, &samples);

	json_object_object_foreach(at(o, "shared"), name, table)
	{
		if (!strcmp(name, "stringArray"))
			continue;
		json_object_object_foreach(table, column, values)
		{
			if (strcmp(column, "length"))
				assert_int_equal(json_object_array_length(values),
						 number(table, "length"));
		}
	}
	/* sh, main, work, leaf, sys_read, node, run; work is in work. */
	assert_int_equal(number(o, "shared.funcTable.length"), 7);
	assert_int_equal(number(o, "shared.stackTable.length"), 8);
	json_object_put(o);
	profile__free(p);
}

static void says_which_version_of_the_format_it_is(void **state)
{
	struct profile *p = small_profile();
	struct json_object *o = written(p, &samples);

	assert_int_equal(number(o, "meta.preprocessedProfileVersion"), 66);
	assert_string_equal(string(o, "meta.importedFrom"), "pmutrace " PMUTRACE_VERSION);
	assert_string_equal(string(o, "meta.product"),
			    "pmutrace report: cycles (10 samples; of all events nothing lost)");
	assert_int_equal(number(o, "meta.logicalCPUs"), 4);
	json_object_put(o);
	profile__free(p);
}

/* Process 1 has 8 samples of cycles, 2 has 2; leaf was met before work. */
static void a_process_is_a_thread_if_no_more_is_known(void **state)
{
	const struct firefox_opts faults = { .command = "report", .event = 1 };
	struct profile *p = small_profile();
	struct json_object *o = written(p, &samples);

	assert_threads(o, "sh 1/1: sh;main;work 0+3|sh;main;work;work;leaf 3+3|"
			  "sh;main;sys_read 6+2|\n"
			  "sh 2/2: sh;main;work;work;leaf 0+2|\n");
	assert_string_equal(string(o, "threads.0.samples.weightType"), "samples");
	assert_int_equal(number(o, "meta.interval"), 1);
	assert_int_equal(number(o, "meta.profilingEndTime"), 8);
	json_object_put(o);
	o = written(p, &faults);
	assert_threads(o, "sh 1/1: sh;main;sys_read 0+4|\nnode 9/9: node;run 0+1|\n");
	json_object_put(o);
	profile__free(p);
}

static void add_thread(struct profile *p, uint32_t pid, uint32_t tid, uint32_t cpu, uint32_t stack,
		       uint64_t n)
{
	const struct row_key key = { .pid = pid, .tid = tid, .cpu = cpu, .stack = stack };

	assert_int_equal(profile__add(p, &key, n, n * 1000, NULL), 0);
}

static void threads_are_told_apart_and_cpus_are_not(void **state)
{
	struct profile *p = new_profile();
	uint32_t db, io;
	struct json_object *o;

	p->by = BY_COMM | BY_PID | BY_TID | BY_CPU | BY_USTACK;
	add_event(p, "cycles");
	db = add_stack(p, "cdb", "uf", NULL);
	io = add_stack(p, "cio", "ug", NULL);
	add_thread(p, 5, 5, 0, db, 1);
	add_thread(p, 5, 6, 0, io, 2);
	add_thread(p, 5, 6, 1, io, 3);
	o = written(p, &samples);
	assert_threads(o, "io 5/6: io;g 0+5|\ndb 5/5: db;f 0+1|\n");
	assert_string_equal(string(o, "threads.1.processName"), "io");
	assert_string_equal(string(o, "threads.0.isMainThread"), "false");
	assert_string_equal(string(o, "threads.1.isMainThread"), "true");
	json_object_put(o);
	profile__free(p);
}

/* Both are of process 1, after an execve(2). */
static void a_thread_may_have_been_several_commands(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "uf", NULL), 1);
	add_row(p, 0, 1, add_stack(p, "cls", "ug", NULL), 2);
	o = written(p, &samples);
	assert_threads(o, "ls 1/1: sh;f 0+1|ls;g 1+2|\n");
	json_object_put(o);
	profile__free(p);
}

static void a_command_is_a_thread_if_there_are_no_ids(void **state)
{
	struct profile *p = small_profile();
	struct json_object *o;

	p->by = BY_COMM | BY_KSTACK | BY_USTACK;
	o = written(p, &(struct firefox_opts){ .command = "report", .event = 1 });
	assert_threads(o, "sh sh/sh: sh;main;sys_read 0+4|\nnode node/node: node;run 0+1|\n");
	json_object_put(o);
	profile__free(p);
}

/* What calls the same stands together, in whatever order it was met. */
static void stacks_are_in_the_order_of_a_drawing(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "ua", "ux", NULL), 1);
	add_row(p, 0, 1, add_stack(p, "csh", "ub", NULL), 2);
	add_row(p, 0, 1, add_stack(p, "csh", "ua", "uy", NULL), 3);
	add_row(p, 0, 1, add_stack(p, "csh", "ua", NULL), 4);
	o = written(p, &samples);
	assert_threads(o, "sh 1/1: sh;a 0+4|sh;a;x 4+1|sh;a;y 5+3|sh;b 8+2|\n");
	json_object_put(o);
	profile__free(p);
}

/* 100 ms, 300 ms and 100 ms; what has a sample in a window weighs 10 ms for each. */
static struct profile *windowed_profile(const char *unit)
{
	const struct profile_event clock = { .name = "cpu-clock", .unit = unit, .hz = 99 };
	struct profile *p = new_profile();
	uint32_t id, f, g;

	assert_int_equal(profile__event(p, &clock, &id), 0);
	p->about.begin_ns = 1234567890123456789;
	f = add_stack(p, "csh", "uf", NULL);
	g = add_stack(p, "csh", "ug", NULL);
	add_row(p, 0, 1, f, 3);
	add_row(p, 0, 1, g, 1);
	assert_int_equal(profile__close_window(p, 100000000), 0);
	add_row(p, 0, 2, f, 2);
	assert_int_equal(profile__close_window(p, 400000000), 0);
	add_row(p, 0, 1, g, 2);
	add_row(p, 0, 2, f, 1);
	assert_int_equal(profile__close_window(p, 500000000), 0);
	return p;
}

/* In a window stacks share it by their samples; a null ends what is not in the next one. */
static void samples_are_where_their_windows_are(void **state)
{
	struct profile *p = windowed_profile("");
	struct json_object *o = written(p, &weights);
	struct json_object *one = at(o, "threads.0.samples"), *two = at(o, "threads.1.samples");

	assert_string_equal(string(o, "threads.0.pid"), "1");
	assert_string_equal(string(one, "stack"), "[ 1, 2, null, 2, null ]");
	assert_string_equal(string(one, "time"),
			    "[ 0.000000, 75.000000, 100.000000, 400.000000, 500.000000 ]");
	assert_string_equal(string(one, "weight"), "[ 3, 1, 0, 2, 0 ]");
	assert_string_equal(string(two, "stack"), "[ 1, 1, null ]");
	assert_string_equal(string(two, "time"), "[ 100.000000, 400.000000, 500.000000 ]");
	assert_string_equal(string(two, "weight"), "[ 2, 1, 0 ]");
	assert_int_equal(number(one, "length"), 5);
	assert_string_equal(string(o, "meta.profilingEndTime"), "500.000001");
	assert_int_equal(number(o, "meta.startTime"), 1234567890123);
	assert_string_equal(string(o, "meta.extra.0.entries.2.value"),
			    "of windows: stacks of one share it, one behind the other");
	assert_false(json_object_object_get_ex(at(o, "meta"), "sampleUnits", NULL));
	assert_false(json_object_object_get_ex(one, "threadCPUDelta", NULL));
	json_object_put(o);
	profile__free(p);
}

/* A sample of add_row() weighs 1000 ns: that much CPU time is since the one before. */
static void of_sampled_time_it_is_told_how_busy_a_thread_was(void **state)
{
	struct profile *p = windowed_profile("ns");
	struct json_object *o = written(p, &weights);

	assert_string_equal(string(o, "threads.0.samples.threadCPUDelta"),
			    "[ 0, 3000, 1000, 0, 2000 ]");
	assert_string_equal(string(o, "threads.0.samples.weight"),
			    "[ 0.003000, 0.001000, 0.000000, 0.002000, 0.000000 ]");
	assert_string_equal(string(o, "meta.sampleUnits.threadCPUDelta"), "ns");
	assert_string_equal(string(o, "meta.interval"), "0.001");
	json_object_put(o);
	profile__free(p);
}

/* "1/0 cpu-clock [ times ] [ counts ]|" for each, by pid and thread. */
static void assert_counters(struct json_object *doc, const char *expected)
{
	struct capture *c = capture_open();
	char *text;

	for (size_t i = 0; i < length(doc, "counters"); i++) {
		struct json_object *e = json_object_array_get_idx(at(doc, "counters"), i);

		assert_int_equal(number(e, "samples.length"), length(e, "samples.time"));
		assert_int_equal(number(e, "samples.length"), length(e, "samples.count"));
		fprintf(c->f, "%s/%s %s %s ", string(e, "pid"), string(e, "mainThreadIndex"),
			string(e, "name"), string(e, "samples.time"));
		fprintf(c->f, "%s|", string(e, "samples.count"));
	}
	text = capture_close(c);
	assert_string_equal(text, expected);
	free(text);
}

/* Windows of 100, 300 and 200 ms; 9 has the second event alone. A sample weighs 1000. */
static struct profile *counted_profile(void)
{
	const struct profile_event clock = { .name = "cpu-clock", .unit = "ns" };
	struct profile *p = new_profile();
	uint32_t id, f;

	assert_int_equal(profile__event(p, &clock, &id), 0);
	add_event(p, "faults");
	f = add_stack(p, "csh", "uf", NULL);
	add_row(p, 0, 1, f, 3);
	add_row(p, 0, 1, add_stack(p, "csh", NULL), 1);
	add_row(p, 0, 2, f, 7);
	assert_int_equal(profile__close_window(p, 100000000), 0);
	add_row(p, 1, 9, add_stack(p, "cls", NULL), 5);
	add_row(p, 1, 1, f, 1);
	assert_int_equal(profile__close_window(p, 400000000), 0);
	add_row(p, 0, 1, f, 2);
	assert_int_equal(profile__close_window(p, 600000000), 0);
	return p;
}

static void events_over_time_are_counters_of_their_processes(void **state)
{
	struct profile *p = counted_profile();
	struct json_object *o = written(p, &samples);

	assert_counters(o, "1/1 cpu-clock [ 0.000000, 100.000000, 400.000000, 600.000000 ] "
			   "[ 0, 4, 0, 2 ]|"
			   "2/0 cpu-clock [ 0.000000, 100.000000, 600.000000 ] [ 0, 7, 0 ]|"
			   "1/1 faults [ 100.000000, 400.000000, 600.000000 ] [ 0, 1, 0 ]|"
			   "9/2 faults [ 100.000000, 400.000000, 600.000000 ] [ 0, 5, 0 ]|");
	assert_string_equal(string(o, "counters.0.display.unit"), "samples");
	assert_int_equal(length(o, "threads"), 3);
	assert_string_equal(string(o, "threads.2.name"), "ls");
	assert_string_equal(string(o, "threads.2.pid"), "9");
	assert_int_equal(number(o, "threads.2.samples.length"), 0);
	json_object_put(o);
	profile__free(p);
}

/* A sample of add_row() weighs 1000: ns, or events. */
static void counters_are_of_what_samples_stand_for(void **state)
{
	struct profile *p = counted_profile();
	struct json_object *o;

	/* In its only window the second one was on a counter for a quarter of the time. */
	p->windows.times[1 * p->nr_events + 1] = (struct window_times){ 400, 100, 0 };
	p->events[1].enabled_ns = 400;
	p->events[1].running_ns = 100;
	o = written(p, &weights);
	assert_string_equal(string(o, "counters.0.samples.count"), "[ 0, 0.004, 0, 0.002 ]");
	assert_string_equal(string(o, "counters.0.display.unit"), "ms");
	assert_string_equal(string(o, "counters.0.description"),
			    "cpu-clock: what its samples stand for");
	assert_string_equal(string(o, "counters.3.samples.count"), "[ 0, 20000, 0 ]");
	assert_string_equal(string(o, "counters.3.display.unit"), "");
	assert_string_equal(string(o, "counters.3.description"),
			    "faults: what its samples stand for, scaled: it was on a counter "
			    "part of the time");
	json_object_put(o);
	profile__free(p);
}

/* Of commands alone, too: they are called as their threads are. */
static void counters_of_commands_are_theirs(void **state)
{
	struct profile *p = counted_profile();
	struct json_object *o;

	p->by = BY_COMM | BY_USTACK;
	o = written(p, &(struct firefox_opts){ .command = "report", .event = 1 });
	assert_string_equal(string(o, "threads.0.pid"), "ls");
	assert_string_equal(string(o, "threads.1.pid"), "sh");
	assert_counters(o, "sh/1 cpu-clock [ 0.000000, 100.000000, 400.000000, 600.000000 ] "
			   "[ 0, 11, 0, 2 ]|"
			   "sh/1 faults [ 100.000000, 400.000000, 600.000000 ] [ 0, 1, 0 ]|"
			   "ls/0 faults [ 100.000000, 400.000000, 600.000000 ] [ 0, 5, 0 ]|");
	json_object_put(o);
	profile__free(p);
}

/* A run of one piece knows nothing of times. */
static void one_window_is_none(void **state)
{
	struct profile *p = small_profile();
	struct json_object *o;

	assert_int_equal(profile__close_window(p, 2000000000), 0);
	o = written(p, &(struct firefox_opts){ .command = "report", .event = 1 });
	assert_threads(o, "sh 1/1: sh;main;sys_read 0+4|\nnode 9/9: node;run 0+1|\n");
	assert_int_equal(length(o, "counters"), 0);
	json_object_put(o);
	profile__free(p);
}

/* A sample of small_profile() weighs 1000 ns. */
static void times_are_milliseconds_with_all_digits(void **state)
{
	struct profile *p = small_profile();
	struct json_object *o;

	p->events[0].unit = "ns";
	o = written(p, &weights);
	assert_threads(o, "sh 1/1: sh;main;work 0.000000+0.003000|"
			  "sh;main;work;work;leaf 0.003000+0.003000|"
			  "sh;main;sys_read 0.006000+0.002000|\n"
			  "sh 2/2: sh;main;work;work;leaf 0.000000+0.002000|\n");
	assert_string_equal(string(o, "threads.0.samples.weightType"), "tracing-ms");
	assert_string_equal(string(o, "meta.interval"), "0.001");
	assert_string_equal(string(o, "meta.profilingEndTime"), "0.008000");
	json_object_put(o);
	/* Events of a counter are no time; nor are samples. */
	o = written(p, &(struct firefox_opts){ .command = "profile", .weights = true, .event = 1 });
	assert_string_equal(string(o, "threads.0.samples.weightType"), "samples");
	assert_int_equal(number(o, "meta.profilingEndTime"), 4);
	json_object_put(o);
	o = written(p, &samples);
	assert_string_equal(string(o, "threads.0.samples.weightType"), "samples");
	json_object_put(o);
	profile__free(p);
}

static void a_kind_of_frames_is_a_category(void **state)
{
	static const char *const names[] = {
		"Command", "User", "Kernel", "JIT", "Inlined", "Note"
	};
	struct profile *p = new_profile();
	struct json_object *o, *frames;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "uf", "kg", "jh", "ii", "n[truncated]", NULL), 1);
	o = written(p, &samples);
	frames = at(o, "shared.frameTable");
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		uint64_t category = cell(frames, "category", i);
		struct json_object *c =
			json_object_array_get_idx(at(o, "meta.categories"), category);

		assert_string_equal(string(c, "name"), names[i]);
		assert_int_equal(cell(frames, "inlineDepth", i), i == 4);
	}
	assert_string_equal(string(o, "meta.categories.0.color"), "grey");
	json_object_put(o);
	profile__free(p);
}

static void a_resource_is_a_file(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o;
	uint32_t n;

	add_event(p, "cycles");
	n = add_stack(p, "csh", "uf", "ug", NULL);
	assert_int_equal(profile__child(p, n, add_frame(p, "h", "x.so", FRAME_USER), &n), 0);
	add_row(p, 0, 1, n, 1);
	o = written(p, &samples);
	assert_string_equal(string(o, "shared.funcTable.resource"), "[ -1, 0, 0, 1 ]");
	assert_int_equal(number(o, "shared.resourceTable.length"), 2);
	assert_int_equal(cell(at(o, "shared.resourceTable"), "name", 1),
			 p->frames[p->nr_frames - 1].module);
	json_object_put(o);
	profile__free(p);
}

static void what_was_lost_is_told_with_the_reason(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", NULL), 3);
	p->losses.seen += 2;
	losses__add(&p->losses, &(struct loss){ .name = "full", .text = "table full", .n = 2 });
	o = written(p, &(struct firefox_opts){ .title = "Why?", .noun = "hit" });
	assert_string_equal(string(o, "meta.product"), "Why?: cycles (3 hits, 2 lost)");
	assert_string_equal(string(o, "meta.extra.0.entries.1.label"), "Losses");
	assert_string_equal(string(o, "meta.extra.0.entries.1.value"),
			    "2 of 5 hits lost: 2 table full");
	json_object_put(o);
	profile__free(p);
}

static void hostile_names_are_read_as_they_were(void **state)
{
	struct profile *p = hostile_profile();
	struct json_object *o;

	p->by = BY_COMM | BY_USTACK;
	add_row(p, 0, 1, add_stack(p, "c</script>", "u'\"\\", NULL), 5);
	o = written(p, &samples);
#define READ "a;b\"c'd<e>f&g\\h\n\033[31m\xef\xbf\xbd]]>"
	assert_threads(o, "</script> </script>/</script>: </script>;'\"\\ 0+5|\n" READ " " READ
			  "/" READ ": " READ ";" READ ";" READ " 0+2|\n"
			  "[unknown] [unknown]/[unknown]: [unknown];[unknown] 0+1|\n");
	json_object_put(o);
	profile__free(p);
}

/* Its readers refuse files without threads, and ranges without length. */
static void no_samples_are_a_thread_without_any(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o;

	add_event(p, "cycles");
	o = written(p, &weights);
	assert_threads(o, "no samples none/none: \n");
	assert_int_equal(number(o, "meta.profilingEndTime"), 1);
	assert_int_equal(number(o, "meta.interval"), 1);
	json_object_put(o);
	assert_int_equal(print__firefox(stdout, p, &(struct firefox_opts){ .event = 1 }), -EINVAL);
	profile__free(p);
}

static void as_many_threads_are_shown_as_can_be_looked_at(void **state)
{
	struct profile *p = new_profile();
	struct json_object *o;

	add_event(p, "cycles");
	for (uint32_t pid = 1; pid <= 20; pid++)
		add_row(p, 0, pid, add_stack(p, "csh", NULL), pid);
	o = written(p, &samples);
	assert_int_equal(length(o, "threads"), 20);
	assert_string_equal(string(o, "threads.0.pid"), "20");
	assert_int_equal(length(o, "meta.initialVisibleThreads"), 15);
	json_object_put(o);
	profile__free(p);
}

static void a_full_disk_is_an_error(void **state)
{
	struct profile *p = small_profile();
	FILE *f = full_disk();

	assert_int_equal(print__firefox(f, p, &samples), -ENOSPC);
	fclose(f);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_as_long_as_their_table),
		cmocka_unit_test(says_which_version_of_the_format_it_is),
		cmocka_unit_test(a_process_is_a_thread_if_no_more_is_known),
		cmocka_unit_test(threads_are_told_apart_and_cpus_are_not),
		cmocka_unit_test(a_thread_may_have_been_several_commands),
		cmocka_unit_test(a_command_is_a_thread_if_there_are_no_ids),
		cmocka_unit_test(stacks_are_in_the_order_of_a_drawing),
		cmocka_unit_test(samples_are_where_their_windows_are),
		cmocka_unit_test(of_sampled_time_it_is_told_how_busy_a_thread_was),
		cmocka_unit_test(events_over_time_are_counters_of_their_processes),
		cmocka_unit_test(counters_are_of_what_samples_stand_for),
		cmocka_unit_test(counters_of_commands_are_theirs),
		cmocka_unit_test(one_window_is_none),
		cmocka_unit_test(times_are_milliseconds_with_all_digits),
		cmocka_unit_test(a_kind_of_frames_is_a_category),
		cmocka_unit_test(a_resource_is_a_file),
		cmocka_unit_test(what_was_lost_is_told_with_the_reason),
		cmocka_unit_test(hostile_names_are_read_as_they_were),
		cmocka_unit_test(no_samples_are_a_thread_without_any),
		cmocka_unit_test(as_many_threads_are_shown_as_can_be_looked_at),
		cmocka_unit_test(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
