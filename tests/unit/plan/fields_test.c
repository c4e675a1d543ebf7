// SPDX-License-Identifier: BSD-2-Clause
#include "fields_fixture.h"

#include <asm/ptrace.h>

#include "tracefs_fixture.h"
#include "types_fixture.h"

#if defined(__x86_64__)
enum {
	ARG0 = offsetof(struct pt_regs, rdi),
	ARG1 = offsetof(struct pt_regs, rsi),
	ARG2 = offsetof(struct pt_regs, rdx),
	ARG5 = offsetof(struct pt_regs, r9),
	RET = offsetof(struct pt_regs, rax),
	IP = offsetof(struct pt_regs, rip),
	SP = offsetof(struct pt_regs, rsp),
};
#define NOTE "-4@%edi 8@16(%rsp) -4@$-5 8@symbol(%rip) 8@%rdi"
#else
enum { ARG0 = 0, ARG1 = 8, ARG2 = 16, ARG5 = 40, RET = 0, IP = 256, SP = 248 };
#define NOTE "-4@w0 8@[sp, 16] -4@-5 8@symbol 8@x0"
#endif

static const struct perf_site on_event = {};
static const struct perf_site on_uprobe = { .kind = SITE_UPROBE,
					    .name = (char *)"main",
					    .at_entry = true };
static const struct perf_site on_uretprobe = { .kind = SITE_URETPROBE, .name = (char *)"main" };
static const struct perf_site on_function = { .kind = SITE_KPROBE, .name = (char *)"look" };
static const struct perf_site on_return = { .kind = SITE_KRETPROBE, .name = (char *)"look" };
static const struct perf_site on_raw = { .kind = SITE_RAW_TRACEPOINT, .name = (char *)"seen" };
static const struct perf_site on_record = { .kind = SITE_TRACEPOINT,
					    .home = (char *)"sched",
					    .name = (char *)"wake" };
static const struct perf_site on_call = { .kind = SITE_TRACEPOINT,
					  .home = (char *)"syscalls",
					  .name = (char *)"sys_enter_openat" };
static const struct perf_site on_usdt = { .kind = SITE_USDT,
					  .name = (char *)"x",
					  .args = (char *)NOTE };

#define COMMON_FIELDS                                                                              \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                     \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char wake_format[] =
	"name: wake\nID: 3\nformat:\n" COMMON_FIELDS
	"\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
	"\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned long flags;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:40;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] text;\toffset:44;\tsize:4;\tsigned:0;\n"
	"\tfield:const struct thing * thing;\toffset:48;\tsize:8;\tsigned:0;\n"
	"\tfield:const void * place;\toffset:56;\tsize:8;\tsigned:0;\n"
	"\tfield:__u8 address[4];\toffset:64;\tsize:4;\tsigned:0;\n"
	"\tfield:struct part part;\toffset:72;\tsize:16;\tsigned:0;\n"
	"\tfield:__data_loc u32[] numbers;\toffset:88;\tsize:4;\tsigned:0;\n"
	"\tfield:const char * label;\toffset:96;\tsize:8;\tsigned:0;\n"
	"\n";

static const char openat_format[] =
	"name: sys_enter_openat\nID: 4\nformat:\n" COMMON_FIELDS
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:int dfd;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:const char * filename;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] __filename_val;\toffset:48;\tsize:4;\tsigned:0;\n"
	"\n";

static void the_task_is_known_to_all_probes(void **state)
{
	static const struct {
		const char *name;
		enum fetch_source source;
	} numbers[] = { { "pid", FETCH_PID },
			{ "tid", FETCH_TID },
			{ "cpu", FETCH_CPU },
			{ "uid", FETCH_UID } };
	struct field f;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(numbers); i++) {
		f = field_of(&on_event, numbers[i].name);
		assert_int_equal(f.fetch.source, numbers[i].source);
		assert_int_equal(f.fetch.form, FETCH_NUMBER);
		assert_int_equal(f.kind, FIELD_UNSIGNED);
	}
	f = field_of(&on_event, "comm");
	assert_int_equal(f.fetch.source, FETCH_COMM);
	assert_int_equal(f.fetch.form, FETCH_CHARS);
	assert_int_equal(f.kind, FIELD_TEXT);
	assert_int_equal(field_of(&on_uprobe, "pid:x32").kind, FIELD_HEX);
	assert_no_field(&on_event, "pid:str", "is a number");
	assert_no_field(&on_event, "pid:u8", "taken as it is");
	assert_no_field(&on_event, "comm:u64", "is a string");
	assert_no_field(&on_event, "pid->x", "neither a struct nor a pointer");
}

static void events_have_where_they_were(void **state)
{
	struct field f = field_of(&on_event, "ip");

	(void)state;
	/* A program of an event is handed a pointer to the registers. */
	assert_int_equal(f.kind, FIELD_HEX);
	assert_load(&f.fetch.load, 0, 8, false);
	assert_int_equal(f.fetch.nr_steps, 1);
	assert_load(&f.fetch.steps[0], IP, 8, false);
	assert_no_field(&on_event, "arg0", "events have ip");
	assert_no_field(&on_event, "ret", "events have ip");
}

static void functions_of_programs_have_registers(void **state)
{
	struct perf_site inside = on_uprobe;

	(void)state;
	assert_number(&on_uprobe, "arg0", ARG0, 8, FIELD_SIGNED);
	assert_number(&on_uprobe, "arg5", ARG5, 8, FIELD_SIGNED);
	assert_number(&on_uprobe, "arg1:u16", ARG1, 2, FIELD_UNSIGNED);
	assert_number(&on_uprobe, "arg1:x64", ARG1, 8, FIELD_HEX);
	assert_number(&on_uretprobe, "ret", RET, 8, FIELD_SIGNED);
	assert_text(&on_uprobe, "arg0:str", ARG0, FETCH_USER_STRING);
	assert_text(&on_uprobe, "arg0:ustr", ARG0, FETCH_USER_STRING);
	assert_text(&on_uprobe, "arg0:kstr", ARG0, FETCH_STRING);
	assert_text(&on_uretprobe, "ret:str", RET, FETCH_USER_STRING);
	assert_no_field(&on_uprobe, "arg6", "arg0 to arg5");
	assert_no_field(&on_uprobe, "argc", "known by number");
	assert_no_field(&on_uprobe, "arg0->x", "types of programs are not known");
	assert_no_field(&on_uprobe, "ret", "uretprobe:");
	assert_no_field(&on_uretprobe, "arg0", "gone by then");
	inside.at_entry = false;
	assert_no_field(&inside, "arg0", "leave +OFFSET out");
	inside.name = NULL; /* whoever gives an address knows what is there */
	assert_number(&inside, "arg0", ARG0, 8, FIELD_SIGNED);
}

static void functions_of_the_kernel_have_names_and_types(void **state)
{
	struct perf_site site = on_function;

	(void)state;
	assert_number(&on_function, "thing", ARG0, 8, FIELD_HEX);
	assert_number(&on_function, "arg0", ARG0, 8, FIELD_HEX);
	assert_number(&on_function, "port", ARG1, 2, FIELD_UNSIGNED);
	assert_number(&on_function, "way", ARG2, 4, FIELD_UNSIGNED);
	assert_number(&on_return, "ret", RET, 4, FIELD_SIGNED);
	assert_no_field(&on_function, "arg4", "has no argument");
	assert_no_field(&on_function, "thin", "did you mean thing?");
	assert_no_field(&on_function, "xyzzy", "there is thing, port, way, on");
	assert_no_field(&on_function, "ret", "kretprobe:");
	assert_no_field(&on_return, "arg0", "gone by then");
	site.offset = 4;
	assert_no_field(&site, "arg0", "leave +OFFSET out");
	site = (struct perf_site){ .kind = SITE_KPROBE, .name = (char *)"unheard_of" };
	assert_number(&site, "arg1", ARG1, 8, FIELD_SIGNED);
	assert_no_field(&site, "thing", "BTF does not have it");
}

static void arguments_are_where_registers_have_them(void **state)
{
	const struct perf_site spread = { .kind = SITE_KPROBE, .name = (char *)"spread" };
	const struct perf_site spread_return = { .kind = SITE_KRETPROBE, .name = (char *)"spread" };
	const struct perf_site many = { .kind = SITE_KPROBE, .name = (char *)"many" };

	(void)state;
	assert_number(&spread, "a", ARG0, 4, FIELD_SIGNED);
	assert_no_field(&spread, "b", "arg1 is larger than a register");
	assert_no_field(&spread_return, "ret", "returns nothing");
	assert_number(&many, "f", ARG5, 4, FIELD_SIGNED);
	assert_no_field(&many, "g", "on the stack");
}

static void pointers_lead_to_members(void **state)
{
	struct field f = field_of(&on_function, "thing->id");

	(void)state;
	assert_int_equal(f.kind, FIELD_UNSIGNED);
	assert_int_equal(f.fetch.nr_steps, 1);
	assert_int_equal(f.fetch.is_user, 0);
	assert_load(&f.fetch.load, ARG0, 8, false);
	assert_load(&f.fetch.steps[0], 0, 8, false);

	/* The second of the union that has no name; a struct inside; the pointer of another. */
	f = field_of(&on_function, "thing->word");
	assert_load(&f.fetch.steps[0], 8, 8, false);
	f = field_of(&on_function, "thing->in.a");
	assert_load(&f.fetch.steps[0], 16, 4, true);
	assert_int_equal(f.kind, FIELD_SIGNED);
	f = field_of(&on_function, "thing->next->part->a");
	assert_int_equal(f.fetch.nr_steps, 3);
	assert_load(&f.fetch.steps[0], 48, 8, false);
	assert_load(&f.fetch.steps[1], 8, 8, false);
	assert_load(&f.fetch.steps[2], 0, 4, true);
	assert_int_equal(field_of(&on_function, "thing->next").kind, FIELD_HEX);
}

static void strings_are_behind_pointers_or_inside_structs(void **state)
{
	struct fetch f = assert_text(&on_function, "thing->label:str", ARG0, FETCH_STRING);

	(void)state;
	assert_int_equal(f.nr_steps, 1);
	assert_load(&f.steps[0], 56, 8, false);
	f = assert_text(&on_function, "thing->label:ustr", ARG0, FETCH_USER_STRING);
	assert_int_equal(f.is_user, 0);
	/* The address of what is inside is the string's: it is not loaded. */
	f = assert_text(&on_function, "thing->in.name", ARG0, FETCH_STRING);
	assert_int_equal(f.nr_steps, 1);
	assert_load(&f.steps[0], 20, 0, false);
	f = assert_text(&on_function, "thing->part->name:str", ARG0, FETCH_STRING);
	assert_int_equal(f.nr_steps, 2);
	assert_load(&f.steps[0], 8, 8, false);
	assert_load(&f.steps[1], 4, 0, false);
}

static void assert_bits(const char *text, int offset, unsigned size, unsigned shift, unsigned bits,
			bool is_signed)
{
	struct field f = field_of(&on_function, text);

	assert_load(&f.fetch.steps[0], offset, size, is_signed);
	assert_int_equal(f.fetch.steps[0].shift, shift);
	assert_int_equal(f.fetch.steps[0].bits, bits);
	assert_int_equal(f.kind, is_signed ? FIELD_SIGNED : FIELD_UNSIGNED);
}

static void bit_fields_are_cut_out(void **state)
{
	(void)state;
	assert_bits("thing->low", 32, 4, 0, 3, false);
	assert_bits("thing->mid", 32, 4, 3, 7, false);
	assert_bits("thing->high", 32, 4, 28, 4, true);
	/* Bits 540 to 547: of bytes 67 and 68, in the 4 bytes from there on. */
	assert_bits("thing->crossing", 67, 4, 4, 8, false);
}

static void what_is_no_word_is_refused(void **state)
{
	(void)state;
	assert_no_field(&on_function, "thing->in", "name a member");
	assert_no_field(&on_function, "thing->real", "floating point");
	assert_no_field(&on_function, "thing->counts", "only strings");
	assert_no_field(&on_function, "thing->in->a", "write thing->in.a");
	assert_no_field(&on_function, "thing.id", "write thing->id");
	assert_no_field(&on_function, "thing->idd", "did you mean id");
	assert_no_field(&on_function, "thing->qqqqqqqq", "there is id, part, word, in, low");
	assert_no_field(&on_function, "thing->hidden->x", "not known of what type");
	assert_no_field(&on_function, "thing->next->next->next->id", "3 pointers can be followed");
	assert_no_field(&on_function, "port->x", "neither a struct nor a pointer");
	assert_no_field(&on_function, "port:str", "neither a string nor a pointer");
	assert_no_field(&on_function, "thing->in.a:u128", "is not a type");
}

static void types_behind_a_colon_convert(void **state)
{
	struct field f = field_of(&on_function, "thing->in.a:u8");

	(void)state;
	assert_load(&f.fetch.steps[0], 16, 1, false);
	/* What is wider is not there to be loaded: the number keeps its size and sign. */
	f = field_of(&on_function, "thing->in.a:x64");
	assert_load(&f.fetch.steps[0], 16, 4, true);
	assert_int_equal(f.kind, FIELD_HEX);
	f = field_of(&on_function, "thing->counts:s32");
	assert_load(&f.fetch.steps[0], 72, 4, true);
	assert_no_field(&on_raw, "arg0:", "is not a type");
}

static void raw_tracepoints_have_words(void **state)
{
	struct perf_site site = on_raw;
	struct field f;

	(void)state;
	assert_number(&on_raw, "on", 0, 1, FIELD_UNSIGNED);
	assert_number(&on_raw, "arg1", 8, 8, FIELD_HEX);
	f = field_of(&on_raw, "thing->in.a");
	assert_load(&f.fetch.load, 8, 8, false);
	assert_load(&f.fetch.steps[0], 16, 4, true);
	assert_no_field(&on_raw, "__data", "there is on, thing");
	assert_no_field(&on_raw, "arg2", "has no argument");
	site.name = (char *)"unheard_of";
	assert_number(&site, "arg2", 16, 8, FIELD_SIGNED);
}

static void records_have_what_their_format_says(void **state)
{
	struct fetch f;

	(void)state;
	assert_number(&on_record, "flags", 32, 8, FIELD_UNSIGNED);
	assert_number(&on_record, "flags:u32", 32, 4, FIELD_UNSIGNED);
	assert_number(&on_record, "place", 56, 8, FIELD_HEX);
	assert_text(&on_record, "label:str", 96, FETCH_STRING);
	f = assert_text(&on_record, "path", 40, FETCH_DATA_LOC);
	assert_load(&f.load, 40, 4, false);
	f = assert_text(&on_record, "text:str", 44, FETCH_REL_LOC);
	assert_load(&f.load, 44, 4, false);
	assert_number(&on_record, "address:x32", 64, 4, FIELD_HEX);
	assert_no_field(&on_record, "address", "is an array");
	assert_no_field(&on_record, "address:u64", "cannot be taken");
	assert_no_field(&on_record, "numbers", "is an array");
	assert_no_field(&on_record, "common_pid", "are not handed");
	assert_no_field(&on_record, "flag", "did you mean flags?");
	assert_no_field(&on_record, "arg0", "has no field 'arg0'");
}

/* sched_wakeup's pid and comm are of the task that is woken, by another. */
static void a_record_may_have_a_task_of_its_own(void **state)
{
	(void)state;
	assert_no_field(&on_record, "pid", "TASK->pid for the task's, REC->pid for the field");
	assert_no_field(&on_record, "comm", "TASK->comm");
	assert_no_field(&on_record, "pid:x32", "TASK->pid");
	assert_int_equal(field_of(&on_record, "TASK->pid").fetch.source, FETCH_PID);
	assert_int_equal(field_of(&on_record, "TASK->comm").kind, FIELD_TEXT);
	assert_int_equal(field_of(&on_record, "tid").fetch.source, FETCH_TID);
	assert_int_equal(field_of(&on_uprobe, "TASK->uid").fetch.source, FETCH_UID);
	assert_no_field(&on_record, "TASK->flags", "no 'flags'");
	assert_number(&on_record, "REC->pid", 24, 4, FIELD_SIGNED);
	assert_text(&on_record, "REC->comm", 8, FETCH_CHARS);
	assert_no_field(&on_event, "REC->pid", "is none");
}

/* A name is ambiguous where it could be the field of all; where it cannot, it is the task's. */
static void together_a_name_is_the_same_for_all(void **state)
{
	struct perf_event_spec evs[] = { { .site = on_record, .name = (char *)"wake" },
					 { .site = on_record, .name = (char *)"wake2" },
					 { .site = on_call, .name = (char *)"call" } };
	struct fields *all[4] = {};
	const struct fields_group alike = { all, 2 }, mixed = { all, 4 };
	struct field f;
	struct buf why = {};

	(void)state;
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(fields__open_at(&all[i], &evs[i], root, types), 0);
	fields__put_together(&alike);
	assert_int_equal(fields__find(all[1], "pid", 3, &f, &why), -EINVAL);
	assert_int_equal(fields__check_task(&alike, "pid", &why), -EINVAL);
	assert_int_equal(fields__check_both(&alike, "pid", &why), 0);
	fields__put_together(&mixed);
	assert_int_equal(fields__find(all[1], "pid", 3, &f, &why), 0);
	assert_int_equal(f.fetch.source, FETCH_PID);
	assert_int_equal(fields__check_task(&mixed, "pid", &why), 0);

	/* What is to be the same in all cannot be a field of some. */
	buf__clear(&why);
	assert_int_equal(fields__check_both(&mixed, "pid:u32", &why), -EINVAL);
	assert_non_null(strstr(why.data, "wake, which call has not: write TASK->pid"));
	assert_int_equal(fields__check_both(&mixed, "tid", &why), 0);
	assert_int_equal(fields__check_both(&mixed, "TASK->pid", &why), 0);
	assert_int_equal(fields__check_both(&mixed, "REC->pid", &why), 0);
	assert_int_equal(fields__check_both(&mixed, "flags", &why), 0);
	for (size_t i = 0; i < 3; i++)
		fields__close(all[i]);
	buf__free(&why);
}

static void records_lead_to_types_of_the_kernel(void **state)
{
	struct field f = field_of(&on_record, "thing->part->a");

	(void)state;
	assert_load(&f.fetch.load, 48, 8, false);
	assert_load(&f.fetch.steps[0], 8, 8, false);
	assert_load(&f.fetch.steps[1], 0, 4, true);
	assert_number(&on_record, "part.a", 72, 4, FIELD_SIGNED);
	assert_text(&on_record, "REC->part.name", 76, FETCH_CHARS);
	assert_no_field(&on_record, "place->x", "not known of what type");
	assert_no_field(&on_record, "part", "name a member");
}

static void system_calls_have_what_is_the_tasks(void **state)
{
	(void)state;
	/* An int, of which the record has all that was in the register. */
	assert_number(&on_call, "dfd", 16, 4, FIELD_SIGNED);
	assert_number(&on_call, "filename", 24, 8, FIELD_HEX);
	assert_text(&on_call, "filename:str", 24, FETCH_USER_STRING);
	assert_no_field(&on_call, "__filename_val", "not handed");
}

static void notes_say_where_arguments_are(void **state)
{
	struct perf_site none = on_usdt;
	struct field f = field_of(&on_usdt, "arg1");

	(void)state;
	assert_number(&on_usdt, "arg0", ARG0, 4, FIELD_SIGNED);
	assert_load(&f.fetch.load, SP, 8, false);
	assert_int_equal(f.fetch.is_user, 1);
	assert_int_equal(f.fetch.nr_steps, 1);
	assert_load(&f.fetch.steps[0], 16, 8, false);
	f = field_of(&on_usdt, "arg2");
	assert_int_equal(f.fetch.source, FETCH_CONSTANT);
	assert_int_equal((int64_t)f.fetch.constant, -5);
	assert_int_equal(f.kind, FIELD_SIGNED);
	assert_int_equal(field_of(&on_usdt, "arg2:u8").fetch.constant, 251);
	assert_text(&on_usdt, "arg4:str", ARG0, FETCH_USER_STRING);
	assert_no_field(&on_usdt, "arg2:str", "neither a string");
	assert_no_field(&on_usdt, "arg3", "a variable");
	assert_no_field(&on_usdt, "arg5", "its last is arg4");
	assert_no_field(&on_usdt, "name", "known by number");
	none.args = (char *)"";
	assert_no_field(&none, "arg0", "has no arguments");
}

static void garbage_is_refused(void **state)
{
	static const char *const texts[] = { "",      ":u8",	"->",	 "a b",	  "arg0->",
					     "arg0.", "arg0-x", "arg0 ", "REC->", "pid,tid" };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_no_field(&on_function, texts[i],
				strncmp(texts[i], "REC", 3) ? "is not a field" : "REC");
	assert_no_field(&on_record, "REC->", "is not a field");
}

static int open_kernel(void **state)
{
	static struct fixture tree;

	fixture__open(&tree);
	fixture__put(&tree, "proc/mounts", "tracefs /t tracefs rw 0 0\n");
	fixture__put(&tree, "t/events/sched/wake/format", wake_format);
	fixture__put(&tree, "t/events/sched/wake/id", "3\n");
	fixture__put(&tree, "t/events/syscalls/sys_enter_openat/format", openat_format);
	fixture__put(&tree, "t/events/syscalls/sys_enter_openat/id", "4\n");
	root = tree.dir;
	types = types_fixture();
	*state = &tree;
	return 0;
}

static int close_kernel(void **state)
{
	btf__free((struct btf *)types);
	fixture__close(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_task_is_known_to_all_probes),
		cmocka_unit_test(events_have_where_they_were),
		cmocka_unit_test(functions_of_programs_have_registers),
		cmocka_unit_test(functions_of_the_kernel_have_names_and_types),
		cmocka_unit_test(arguments_are_where_registers_have_them),
		cmocka_unit_test(pointers_lead_to_members),
		cmocka_unit_test(strings_are_behind_pointers_or_inside_structs),
		cmocka_unit_test(bit_fields_are_cut_out),
		cmocka_unit_test(what_is_no_word_is_refused),
		cmocka_unit_test(types_behind_a_colon_convert),
		cmocka_unit_test(raw_tracepoints_have_words),
		cmocka_unit_test(records_have_what_their_format_says),
		cmocka_unit_test(a_record_may_have_a_task_of_its_own),
		cmocka_unit_test(together_a_name_is_the_same_for_all),
		cmocka_unit_test(records_lead_to_types_of_the_kernel),
		cmocka_unit_test(system_calls_have_what_is_the_tasks),
		cmocka_unit_test(notes_say_where_arguments_are),
		cmocka_unit_test(garbage_is_refused),
	};

	return cmocka_run_group_tests(tests, open_kernel, close_kernel);
}
