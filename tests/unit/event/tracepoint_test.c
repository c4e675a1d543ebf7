// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>

#include "event/tracepoint.h"
#include "tracefs_fixture.h"

#define COMMON_FIELDS                                                                              \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                     \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"             \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n"                                 \
	"\n"
enum { NR_COMMON = 4 };

static const char sched_switch[] =
	"name: sched_switch\nID: 372\nformat:\n" COMMON_FIELDS
	"\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
	"\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
	"\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
	"\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n"
	"\n"
	"print fmt: \"prev_comm=%s prev_pid=%d\", REC->prev_comm, REC->prev_pid\n";

static const char sys_enter_openat[] =
	"name: sys_enter_openat\nID: 782\nformat:\n" COMMON_FIELDS
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:int flags;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:umode_t mode;\toffset:40;\tsize:8;\tsigned:0;\n"
	"\n"
	"print fmt: \"dfd: 0x%08lx\", ((unsigned long)(REC->dfd))\n";

static const char kmem_alloc[] = "name: kmem_cache_alloc\nID: 659\nformat:\n" COMMON_FIELDS
				 "\tfield:unsigned long call_site;\toffset:8;\tsize:8;\tsigned:0;\n"
				 "\tfield:const void * ptr;\toffset:16;\tsize:8;\tsigned:0;\n"
				 "\tfield:size_t bytes_req;\toffset:24;\tsize:8;\tsigned:0;\n"
				 "\tfield:bool accounted;\toffset:52;\tsize:1;\tsigned:0;\n"
				 "\n"
				 "print fmt: \"call_site=%pS\", (void *)REC->call_site\n";

/* As 5.10 to 6.18 write them; the second form of __rel_loc is that of user_events. */
static const char dynamic[] = "name: dynamic\nID: 3\nformat:\n" COMMON_FIELDS
			      "\tfield:__data_loc char[] filename;\toffset:8;\tsize:4;\tsigned:0;\n"
			      "\tfield:__rel_loc char[] text;\toffset:12;\tsize:4;\tsigned:1;\n"
			      "\tfield:__rel_loc char msg[];\toffset:16;\tsize:4;\tsigned:1;\n"
			      "\tfield:unsigned long args[6];\toffset:24;\tsize:48;\tsigned:0;\n"
			      "\tfield:char *odd;\toffset:72;\tsize:8;\tsigned:0;\n"
			      "\tfield:u8 m[4][sizeof(int[2])];\toffset:80;\tsize:32;\tsigned:0;\n"
			      "\tfield:struct in6_addr addr;\toffset:112;\tsize:16;\tsigned:0;\n"
			      "\tfield:unsigned long tail[];\toffset:128;\tsize:0;\tsigned:0;\n";

static void parse(struct tracepoint_format *f, const char *text)
{
	assert_int_equal(tracepoint_format__parse(text, strlen(text), f), 0);
}

static void assert_declared(const struct tracepoint_field *f, const char *type, const char *name,
			    bool is_array)
{
	assert_string_equal(f->type, type);
	assert_string_equal(f->name, name);
	assert_int_equal(f->is_array, is_array);
}

static void assert_at(const struct tracepoint_field *f, uint32_t offset, uint32_t size,
		      bool is_signed)
{
	assert_int_equal(f->offset, offset);
	assert_int_equal(f->size, size);
	assert_int_equal(f->is_signed, is_signed);
}

static void sched_switch_has_comms_and_pids(void **state)
{
	struct tracepoint_format f;

	(void)state;
	parse(&f, sched_switch);
	assert_string_equal(f.name, "sched_switch");
	assert_int_equal(f.id, 372);
	assert_int_equal(f.nr, NR_COMMON + 7);
	assert_declared(&f.fields[0], "unsigned short", "common_type", false);
	assert_at(&f.fields[3], 4, 4, true);
	assert_declared(&f.fields[4], "char", "prev_comm", true);
	assert_at(&f.fields[4], 8, 16, false);
	assert_declared(&f.fields[5], "pid_t", "prev_pid", false);
	assert_at(&f.fields[7], 32, 8, true);
	assert_declared(&f.fields[10], "int", "next_prio", false);
	for (size_t i = 0; i < f.nr; i++) {
		assert_int_equal(f.fields[i].common, i < NR_COMMON);
		assert_false(f.fields[i].is_dynamic);
	}
	assert_string_equal(f.print, "\"prev_comm=%s prev_pid=%d\", REC->prev_comm, REC->prev_pid");
	tracepoint_format__free(&f);
	assert_null(f.fields);
}

static void pointers_keep_their_stars(void **state)
{
	struct tracepoint_format f;

	(void)state;
	parse(&f, sys_enter_openat);
	assert_declared(&f.fields[NR_COMMON], "int", "__syscall_nr", false);
	assert_declared(&f.fields[NR_COMMON + 2], "const char *", "filename", false);
	assert_at(&f.fields[NR_COMMON + 2], 24, 8, false);
	assert_declared(&f.fields[NR_COMMON + 4], "umode_t", "mode", false);
	tracepoint_format__free(&f);

	parse(&f, kmem_alloc);
	assert_declared(&f.fields[NR_COMMON], "unsigned long", "call_site", false);
	assert_declared(&f.fields[NR_COMMON + 1], "const void *", "ptr", false);
	assert_declared(&f.fields[NR_COMMON + 2], "size_t", "bytes_req", false);
	assert_at(&f.fields[NR_COMMON + 3], 52, 1, false);
	tracepoint_format__free(&f);
}

static void arrays_and_places_elsewhere_are_told_apart(void **state)
{
	const struct tracepoint_field *own;
	struct tracepoint_format f;

	(void)state;
	parse(&f, dynamic);
	own = f.fields + NR_COMMON;
	assert_int_equal(f.nr, NR_COMMON + 8);
	assert_declared(&own[0], "char", "filename", true);
	assert_true(own[0].is_dynamic && !own[0].is_relative);
	assert_declared(&own[1], "char", "text", true);
	assert_true(own[1].is_dynamic && own[1].is_relative);
	assert_declared(&own[2], "char", "msg", true);
	assert_true(own[2].is_dynamic && own[2].is_relative);
	assert_at(&own[2], 16, 4, true);
	assert_declared(&own[3], "unsigned long", "args", true);
	assert_at(&own[3], 24, 48, false);
	assert_false(own[3].is_dynamic);
	assert_declared(&own[4], "char *", "odd", false);
	assert_declared(&own[5], "u8", "m", true);
	assert_declared(&own[6], "struct in6_addr", "addr", false);
	assert_declared(&own[7], "unsigned long", "tail", true);
	assert_at(&own[7], 128, 0, false);
	assert_null(f.print);
	tracepoint_format__free(&f);
}

static void assert_refused(const char *text, int err)
{
	struct tracepoint_format f = { .nr = 7 };

	assert_int_equal(tracepoint_format__parse(text, strlen(text), &f), err);
	assert_int_equal(f.nr, 0);
	assert_null(f.fields);
	assert_null(f.name);
}

static void what_is_no_format_is_refused(void **state)
{
	static const char nul[] = "name: a\0b\nID: 1\n";
	struct tracepoint_format f;

	(void)state;
	assert_refused("", -EINVAL);
	assert_refused("name: a\n", -EINVAL);
	assert_refused("ID: 1\n", -EINVAL);
	assert_refused("name: \nID: 1\n", -EINVAL);
	assert_refused("name: a\nname: b\nID: 1\n", -EINVAL);
	assert_refused("name: a\nID: -1\n", -EINVAL);
	assert_refused("name: a\nID: 4294967296\n", -EINVAL);
	assert_refused("name: a\nID: 1\nformat:\n\tfield:int\n", -EINVAL);
	assert_refused("name: a\nID: 1\nformat:\n\tfield:int;offset:0;size:4;\n", -EINVAL);
	assert_refused("name: a\nID: 1\nformat:\n\tfield:int [4];offset:0;size:4;\n", -EINVAL);
	assert_refused("name: a\nID: 1\nformat:\n\tfield:int b;offset:0;\n", -EINVAL);
	assert_refused("name: a\nID: 1\nformat:\n\tfield:int b;size:4;\n", -EINVAL);
	assert_refused("name: a\nID: 1\nformat:\n\tfield:int b;offset:4294967295;size:1;\n",
		       -EINVAL);
	assert_refused("name: a\nID: 1\nformat:\n\tfield:int b;offset:0;size:4x;\n", -EINVAL);
	assert_int_equal(tracepoint_format__parse(nul, sizeof(nul) - 1, &f), -EINVAL);
}

static void unknown_lines_are_passed_over(void **state)
{
	struct tracepoint_format f;

	(void)state;
	parse(&f, "name: a\nnew: thing\n\nID: 1\nformat:\n\tnew field\n"
		  "\tfield:int b;\toffset:0;\tsize:4;\talign:4;");
	assert_int_equal(f.nr, 1);
	assert_declared(&f.fields[0], "int", "b", false);
	assert_false(f.fields[0].is_signed);
	assert_true(f.fields[0].common);
	tracepoint_format__free(&f);
}

static void text_and_fields_have_limits(void **state)
{
	static const char head[] = "name: a\nID: 1\nformat:\n",
			  field[] = "\tfield:int b;offset:0;size:4;signed:1;\n";
	size_t size = sizeof(head) + (TRACEPOINT_FIELDS_MAX + 1) * sizeof(field);
	static char text[TRACEPOINT_TEXT_MAX + 2];
	char *end;
	struct tracepoint_format f;

	(void)state;
	assert_true(size <= TRACEPOINT_TEXT_MAX);
	end = stpcpy(text, head);
	for (int i = 0; i < TRACEPOINT_FIELDS_MAX; i++)
		end = stpcpy(end, field);
	parse(&f, text);
	assert_int_equal(f.nr, TRACEPOINT_FIELDS_MAX);
	tracepoint_format__free(&f);
	strcpy(end, field);
	assert_refused(text, -E2BIG);

	strcpy(text, head);
	memset(text + strlen(head), '\n', TRACEPOINT_TEXT_MAX + 1 - strlen(head));
	text[TRACEPOINT_TEXT_MAX + 1] = '\0';
	assert_refused(text, -E2BIG);
	text[TRACEPOINT_TEXT_MAX] = '\0';
	parse(&f, text);
	tracepoint_format__free(&f);
}

static void fixture_events(struct fixture *f)
{
	fixture__open(f);
	fixture__put(f, "events/enable", "0\n");
	fixture__put(f, "events/sched/enable", "0\n");
	fixture__put(f, "events/sched/sched_switch/id", "372\n");
	fixture__put(f, "events/sched/sched_switch/format", sched_switch);
	fixture__put(f, "events/sched/sched_wakeup/id", "373\n");
	fixture__put(f, "events/syscalls/sys_enter_openat/id", "782");
	fixture__put(f, "events/syscalls/sys_exit_openat/id", "zero\n");
	fixture__put(f, "events/syscalls/sys_exit_openat/format", "junk\n");
	fixture__put(f, "events/ftrace/bprint/format", "name: bprint\n"); /* no id */
	fixture__put(f, "events/ftrace/print/id", "5\n");
}

static void ids_are_read(void **state)
{
	struct buf why = {};
	struct fixture f;
	uint32_t id;

	(void)state;
	fixture_events(&f);
	assert_int_equal(tracepoint__id(f.dir, "sched", "sched_switch", &id, &why), 0);
	assert_int_equal(id, 372);
	assert_int_equal(tracepoint__id(f.dir, "syscalls", "sys_enter_openat", &id, &why), 0);
	assert_int_equal(id, 782);
	assert_int_equal(why.len, 0);
	assert_int_equal(tracepoint__id(f.dir, "syscalls", "sys_exit_openat", &id, &why), -EBADMSG);
	assert_true(why.len > 0);
	buf__free(&why);
	fixture__close(&f);
}

static void assert_unknown(const struct fixture *f, const char *category, const char *name,
			   const char *sentence)
{
	struct buf why = {};
	uint32_t id;

	assert_int_equal(tracepoint__id(f->dir, category, name, &id, &why), -ENOENT);
	assert_string_equal(why.data, sentence);
	buf__free(&why);
}

static void an_unknown_one_is_answered_with_the_nearest(void **state)
{
	struct fixture f;

	(void)state;
	fixture_events(&f);
	assert_unknown(&f, "sched", "sched_swich",
		       "unknown tracepoint 'sched:sched_swich'; did you mean sched:sched_switch?");
	assert_unknown(&f, "shced", "sched_wakup",
		       "unknown tracepoint 'shced:sched_wakup'; did you mean sched:sched_wakeup?");
	assert_unknown(&f, "sched", "sys_enter_openat",
		       "unknown tracepoint 'sched:sys_enter_openat'; did you mean "
		       "syscalls:sys_enter_openat?");
	assert_unknown(&f, "net", "sched_switch",
		       "unknown tracepoint 'net:sched_switch'; did you mean sched:sched_switch?");
	assert_unknown(&f, "sched", "zzzzzz",
		       "unknown tracepoint 'sched:zzzzzz': category 'sched' has none like it");
	assert_unknown(&f, "syscall", "zzzzzz",
		       "unknown tracepoint 'syscall:zzzzzz': no category 'syscall'; did you mean "
		       "syscalls?");
	assert_unknown(&f, "qqq", "zzzzzz", "unknown tracepoint 'qqq:zzzzzz': no category 'qqq'");
	assert_unknown(&f, "ftrace", "bprint",
		       "unknown tracepoint 'ftrace:bprint'; did you mean ftrace:print?");
	fixture__close(&f);
}

static void names_do_not_lead_out_of_tracefs(void **state)
{
	static const char *const bad[][2] = {
		{ "../secret", "x" },	{ "..", "x" }, { "sched", "../../../etc/x" },
		{ "sched", ".hidden" }, { "", "x" },   { "sched", "" },
	};
	struct tracepoint_format format;
	struct buf why = {};
	struct fixture f;
	uint32_t id;

	(void)state;
	fixture_events(&f);
	fixture__put(&f, "secret/x/id", "1\n");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		buf__clear(&why);
		assert_int_equal(tracepoint__id(f.dir, bad[i][0], bad[i][1], &id, &why), -EINVAL);
		assert_true(why.len > 0);
		assert_int_equal(tracepoint__format(f.dir, bad[i][0], bad[i][1], &format, &why),
				 -EINVAL);
	}
	buf__free(&why);
	fixture__close(&f);
}

static void formats_are_read(void **state)
{
	struct tracepoint_format format;
	struct buf why = {};
	struct fixture f;

	(void)state;
	fixture_events(&f);
	assert_int_equal(tracepoint__format(f.dir, "sched", "sched_switch", &format, &why), 0);
	assert_int_equal(format.id, 372);
	tracepoint_format__free(&format);
	assert_int_equal(tracepoint__format(f.dir, "syscalls", "sys_exit_openat", &format, &why),
			 -EBADMSG);
	assert_null(format.fields);
	assert_int_equal(tracepoint__format(f.dir, "sched", "nope", &format, &why), -ENOENT);
	buf__free(&why);
	fixture__close(&f);
}

static void without_tracefs_that_is_what_is_said(void **state)
{
	struct buf why = {};
	struct fixture f;
	uint32_t id;

	(void)state;
	fixture__open(&f);
	assert_int_equal(tracepoint__id(f.dir, "sched", "sched_switch", &id, &why), -ENOENT);
	assert_non_null(strstr(why.data, "cannot read"));
	assert_non_null(strstr(why.data, f.dir));
	buf__free(&why);
	fixture__close(&f);
}

static void assert_list(const char *tracefs, const char *pattern, const char *expected)
{
	struct tracepoint_name *names;
	struct buf text = {};
	size_t nr;

	assert_int_equal(tracepoints__list(tracefs, pattern, &names, &nr), 0);
	assert_int_equal(buf__puts(&text, ""), 0);
	for (size_t i = 0; i < nr; i++)
		assert_int_equal(buf__printf(&text, "%s:%s\n", names[i].category, names[i].name),
				 0);
	assert_string_equal(text.data, expected);
	tracepoint_names__free(names, nr);
	buf__free(&text);
}

static void lists_are_sorted_and_filtered_by_globs(void **state)
{
	struct tracepoint_name *names;
	struct fixture f;
	size_t nr;

	(void)state;
	fixture_events(&f);
	assert_list(f.dir, NULL,
		    "ftrace:print\nsched:sched_switch\nsched:sched_wakeup\n"
		    "syscalls:sys_enter_openat\nsyscalls:sys_exit_openat\n");
	assert_list(f.dir, "sched:*", "sched:sched_switch\nsched:sched_wakeup\n");
	assert_list(f.dir, "s*:*_s*", "sched:sched_switch\n");
	assert_list(f.dir, "syscalls:sys_e????_openat", "syscalls:sys_enter_openat\n");
	assert_list(f.dir, "none:*", "");
	assert_int_equal(tracepoints__list(f.dir, "sched", &names, &nr), -EINVAL);
	assert_int_equal(tracepoints__list(f.dir, "sched:", &names, &nr), -EINVAL);
	assert_int_equal(tracepoints__list("/nonexistent", NULL, &names, &nr), -ENOENT);
	assert_null(names);
	fixture__close(&f);
}

static void the_running_kernel_lists_what_the_shell_finds(void **state)
{
	const char *tracefs = running_tracefs();
	struct buf shell = {};
	char line[512];
	FILE *f;

	(void)state;
	f = popen("cd " RUNNING_TRACEFS "/events && ls -d sched/*/id | sed 's,/id,,; s,/,:,' |"
		  " LC_ALL=C sort",
		  "r");
	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		assert_int_equal(buf__puts(&shell, line), 0);
	pclose(f);
	assert_true(shell.len > 0);
	assert_list(tracefs, "sched:*", shell.data);
	buf__free(&shell);
}

/* Our id and names against those of cat and the folder. 0, or -errno if they cannot be read. */
static int understand(const char *tracefs, const struct tracepoint_name *n)
{
	struct tracepoint_format format;
	unsigned long id_of_file;
	struct buf why = {};
	char path[512];
	uint32_t id;
	FILE *f;
	int err;

	snprintf(path, sizeof(path), "%s/events/%s/%s/id", tracefs, n->category, n->name);
	f = fopen(path, "r");
	err = f ? tracepoint__id(tracefs, n->category, n->name, &id, &why) : -errno;
	if (!err)
		err = tracepoint__format(tracefs, n->category, n->name, &format, &why);
	buf__free(&why);
	if (!err) {
		assert_int_equal(fscanf(f, "%lu", &id_of_file), 1);
		assert_int_equal(id, id_of_file);
		assert_int_equal(format.id, id);
		assert_string_equal(format.name, n->name);
		assert_non_null(format.print);
		tracepoint_format__free(&format);
	}
	if (f)
		fclose(f);
	return err;
}

/* Another program's probes may be removed meanwhile. */
static bool is_gone(const char *tracefs, const struct tracepoint_name *n)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/events/%s/%s", tracefs, n->category, n->name);
	return access(path, F_OK);
}

/* Every format there is. */
static void every_format_of_the_running_kernel_is_understood(void **state)
{
	const char *tracefs = running_tracefs();
	struct tracepoint_format format;
	struct tracepoint_name *names;
	struct buf why = {};
	size_t nr, fields;
	FILE *f;

	(void)state;
	assert_int_equal(tracepoints__list(tracefs, NULL, &names, &nr), 0);
	assert_true(nr > 50);
	for (size_t i = 0; i < nr; i++)
		assert_true(!understand(tracefs, &names[i]) || is_gone(tracefs, &names[i]));
	tracepoint_names__free(names, nr);

	f = popen("grep -c field: " RUNNING_TRACEFS "/events/sched/sched_switch/format", "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%zu", &fields), 1);
	pclose(f);
	assert_int_equal(tracepoint__format(tracefs, "sched", "sched_switch", &format, &why), 0);
	assert_int_equal(format.nr, fields);
	tracepoint_format__free(&format);
	buf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sched_switch_has_comms_and_pids),
		cmocka_unit_test(pointers_keep_their_stars),
		cmocka_unit_test(arrays_and_places_elsewhere_are_told_apart),
		cmocka_unit_test(what_is_no_format_is_refused),
		cmocka_unit_test(unknown_lines_are_passed_over),
		cmocka_unit_test(text_and_fields_have_limits),
		cmocka_unit_test(ids_are_read),
		cmocka_unit_test(an_unknown_one_is_answered_with_the_nearest),
		cmocka_unit_test(names_do_not_lead_out_of_tracefs),
		cmocka_unit_test(formats_are_read),
		cmocka_unit_test(without_tracefs_that_is_what_is_said),
		cmocka_unit_test(lists_are_sorted_and_filtered_by_globs),
		cmocka_unit_test(the_running_kernel_lists_what_the_shell_finds),
		cmocka_unit_test(every_format_of_the_running_kernel_is_understood),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
