// SPDX-License-Identifier: BSD-2-Clause
/* Fields as the running kernel knows them: names that have been there since 5.10. */
#include "fields_fixture.h"

#include <bpf/btf.h>
#include <unistd.h>

#include "machine/registers.h"
#include "plan/kernel_types.h"
#include "tracefs_fixture.h"

static const struct perf_site on_switch = { .kind = SITE_RAW_TRACEPOINT,
					    .name = (char *)"sched_switch" };
static const struct perf_site on_read = { .kind = SITE_KPROBE, .name = (char *)"vfs_read" };

static unsigned register_of(const char *name)
{
	struct cpu_register r;

	assert_true(registers__find(REGISTERS_OUR_MACHINE, name, &r));
	return r.at;
}

static unsigned argument(unsigned n)
{
	return register_of(registers__argument(REGISTERS_OUR_MACHINE, n));
}

static void need_types(void)
{
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		skip();
}

/* Where pid is in a struct, looked up by its plain list of members. */
static int offset_of(const char *of, const char *member)
{
	struct btf *btf = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	const struct btf_type *t;
	int offset = -1;

	assert_non_null(btf);
	t = btf__type_by_id(btf, btf__find_by_name_kind(btf, of, BTF_KIND_STRUCT));
	for (int i = 0; i < btf_vlen(t); i++)
		if (!strcmp(btf__name_by_offset(btf, btf_members(t)[i].name_off), member))
			offset = btf_member_bit_offset(t, i) / 8;
	btf__free(btf);
	return offset;
}

static void raw_tracepoints_have_their_arguments_names(void **state)
{
	struct field f;

	(void)state;
	need_types();
	assert_number(&on_switch, "preempt", 0, 1, FIELD_UNSIGNED);
	f = field_of(&on_switch, "prev->pid");
	assert_load(&f.fetch.load, 8, 8, false);
	assert_load(&f.fetch.steps[0], offset_of("task_struct", "pid"), 4, true);
	assert_int_equal(f.kind, FIELD_SIGNED);
	f = field_of(&on_switch, "next->comm");
	assert_int_equal(f.fetch.form, FETCH_STRING);
	assert_load(&f.fetch.load, 16, 8, false);
	assert_load(&f.fetch.steps[0], offset_of("task_struct", "comm"), 0, false);
	assert_no_field(&on_switch, "prev->pidd", "did you mean pid");
	assert_no_field(&on_switch, "prevv", "did you mean prev");
}

static void functions_have_their_arguments_names(void **state)
{
	const struct perf_site on_return = { .kind = SITE_KRETPROBE, .name = (char *)"vfs_read" };
	const struct perf_site on_open = { .kind = SITE_KPROBE, .name = (char *)"do_sys_openat2" };
	struct field f;

	(void)state;
	need_types();
	assert_number(&on_read, "file", argument(0), 8, FIELD_HEX);
	assert_number(&on_read, "count", argument(2), 8, FIELD_UNSIGNED);
	assert_number(&on_return, "ret", register_of(registers__result(REGISTERS_OUR_MACHINE)), 8,
		      FIELD_SIGNED);
	f = field_of(&on_read, "file->f_inode->i_ino");
	assert_int_equal(f.fetch.nr_steps, 2);
	assert_load(&f.fetch.steps[0], offset_of("file", "f_inode"), 8, false);
	assert_load(&f.fetch.steps[1], offset_of("inode", "i_ino"), 8, false);
	assert_text(&on_open, "filename:ustr", argument(1), FETCH_USER_STRING);
	assert_number(&on_open, "dfd", argument(0), 4, FIELD_SIGNED);
}

static void tracepoints_have_their_formats_fields(void **state)
{
	const struct perf_site on_record = { .kind = SITE_TRACEPOINT,
					     .home = (char *)"sched",
					     .name = (char *)"sched_switch" };
	const struct perf_site none = { .kind = SITE_TRACEPOINT,
					.home = (char *)"sched",
					.name = (char *)"sched_swich" };
	struct buf why = {};
	struct field f;

	(void)state;
	running_tracefs();
	f = field_of(&on_record, "prev_comm");
	assert_int_equal(f.fetch.form, FETCH_CHARS);
	assert_int_equal(f.fetch.load.offset, 8);
	assert_number(&on_record, "prev_pid", 24, 4, FIELD_SIGNED);
	assert_no_field(&on_record, "prev_pi", "did you mean prev_pi");
	assert_int_equal(try_field(&none, "x", &f, &why), -ENOENT);
	assert_non_null(strstr(why.data, "sched_switch"));
	buf__free(&why);
}

static void types_are_read_once_while_they_are_held(void **state)
{
	struct btf *first, *second;

	(void)state;
	need_types();
	assert_int_equal(kernel_types__get(NULL, &first), 0);
	assert_int_equal(kernel_types__get("", &second), 0);
	assert_ptr_equal(first, second);
	assert_int_not_equal(kernel_types__get("no_such_module", &second), 0);
	assert_null(second);
	kernel_types__put();
	assert_true(btf__type_cnt(first) > 1);
	kernel_types__put();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(raw_tracepoints_have_their_arguments_names),
		cmocka_unit_test(functions_have_their_arguments_names),
		cmocka_unit_test(tracepoints_have_their_formats_fields),
		cmocka_unit_test(types_are_read_once_while_they_are_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
