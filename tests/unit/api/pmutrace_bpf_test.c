// SPDX-License-Identifier: BSD-2-Clause
#include "pmutrace_fixture.h"

#include <bpf/bpf.h>
#include <fcntl.h>
#include <linux/bpf.h>

#include "base/array.h"

/* "r0 = @ret; exit": a program that does nothing, of any type. */
static int load_returning(enum bpf_prog_type type, int ret)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .imm = ret },
		{ .code = BPF_JMP | BPF_EXIT },
	};
	int fd = bpf_prog_load(type, "test", "GPL", insns, 2, NULL);

	if (fd < 0)
		skip_because("bpf: %s", strerror(-fd));
	return fd;
}

static int load(enum bpf_prog_type type)
{
	return load_returning(type, 1);
}

static uint32_t id_of(int prog_fd)
{
	struct bpf_prog_info info = {};
	uint32_t len = sizeof(info);

	assert_int_equal(bpf_obj_get_info_by_fd(prog_fd, &info, &len), 0);
	return info.id;
}

static void the_kind_of_event_chooses_the_type_of_program(void **state)
{
	struct pmutrace_events *e;

	need_tracefs();
	e = open_self("syscalls:sys_enter_getpid,page-faults@1,cpu-clock");
	assert_int_equal(pmutrace_bpf_type(e, 0), BPF_PROG_TYPE_TRACEPOINT);
	assert_int_equal(pmutrace_bpf_type(e, 1), BPF_PROG_TYPE_PERF_EVENT);
	assert_int_equal(pmutrace_bpf_type(e, 2), BPF_PROG_TYPE_PERF_EVENT);
	assert_int_equal(pmutrace_bpf_type(e, 3), -ERANGE);
	pmutrace_close(e);
}

static void programs_of_another_type_are_refused_with_both_names(void **state)
{
	int tracepoint = load(BPF_PROG_TYPE_TRACEPOINT), sampler = load(BPF_PROG_TYPE_PERF_EVENT);
	struct pmutrace_events *e;
	struct pmutrace_error why;

	need_tracefs();
	e = open_self("syscalls:sys_enter_getpid,page-faults@1,page-faults");
	assert_int_equal(pmutrace_set_bpf(e, 0, sampler, &why), -EINVAL);
	assert_non_null(strstr(why.text, "of type tracepoint, and this one is of type perf_event"));
	assert_int_equal(pmutrace_set_bpf(e, 1, tracepoint, &why), -EINVAL);
	assert_non_null(strstr(why.text, "of type perf_event, and this one is of type tracepoint"));
	assert_int_equal(pmutrace_set_bpf(e, 1, sampler, &why), 0);
	/* The kernel would take it, and never run it. */
	assert_int_equal(pmutrace_set_bpf(e, 2, sampler, &why), -EINVAL);
	assert_non_null(strstr(why.text, "no sample_period"));
	pmutrace_close(e);
	close(tracepoint);
	close(sampler);
}

/* A per-CPU hash is a map of type 5, as a program of tracepoints is a program of type 5. */
static void what_is_no_program_is_told(void **state)
{
	int map = bpf_map_create(BPF_MAP_TYPE_PERCPU_HASH, "test", 4, 4, 1, NULL);
	int none[] = { -1, -100, 12345, open("/dev/null", O_RDONLY | O_CLOEXEC), map };
	struct pmutrace_events *e;
	struct pmutrace_error why;
	char number[64];

	if (map < 0)
		skip_because("bpf: %s", strerror(-map));
	need_tracefs();
	e = open_self("syscalls:sys_enter_getpid,page-faults@1");
	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		snprintf(number, sizeof(number), "descriptor %d is no BPF program", none[i]);
		for (size_t event = 0; event < 2; event++) {
			assert_int_equal(pmutrace_set_bpf(e, event, none[i], &why), -EBADF);
			assert_string_equal(why.text, number);
		}
	}
	pmutrace_close(e);
	close(map);
	close(none[3]);
}

static void attached_programs_are_found_by_id(void **state)
{
	int first = load(BPF_PROG_TYPE_TRACEPOINT), second = load(BPF_PROG_TYPE_TRACEPOINT);
	struct pmutrace_events *a, *b;
	struct pmutrace_error why;
	uint32_t ids[4] = {};
	size_t nr;

	need_tracefs();
	a = open_self("syscalls:sys_enter_getpgid");
	b = open_self("syscalls:sys_enter_getpgid");
	assert_int_equal(pmutrace_query_bpf(a, 0, ids, 4, &nr, &why), 0);
	assert_int_equal(nr, 0);
	assert_int_equal(pmutrace_set_bpf(a, 0, first, &why), 0);
	assert_int_equal(pmutrace_query_bpf(a, 0, ids, 4, &nr, &why), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(ids[0], id_of(first));
	/* A tracepoint takes each program once, an event one. */
	assert_int_equal(pmutrace_set_bpf(b, 0, first, &why), -EEXIST);
	assert_int_equal(pmutrace_set_bpf(a, 0, second, &why), -EEXIST);
	assert_non_null(strstr(why.text, "has a program already"));
	assert_int_equal(pmutrace_set_bpf(b, 0, second, &why), 0);
	assert_int_equal(pmutrace_query_bpf(a, 0, ids, 4, &nr, &why), 0);
	assert_int_equal(nr, 2);
	assert_int_equal(ids[0] + ids[1], id_of(first) + id_of(second));
	assert_int_equal(pmutrace_query_bpf(a, 0, ids, 1, &nr, &why), -ENOSPC);
	assert_int_equal(nr, 2);
	assert_int_equal(pmutrace_query_bpf(a, 0, NULL, 0, &nr, &why), -ENOSPC);
	assert_int_equal(nr, 2);
	/* Closing detaches. */
	pmutrace_close(b);
	assert_int_equal(pmutrace_query_bpf(a, 0, ids, 4, &nr, &why), 0);
	assert_int_equal(nr, 1);
	pmutrace_close(a);
	close(first);
	close(second);
}

/*
 * trace_call_bpf(): 0 means that nobody else shall see it, no event of another test that runs
 * beside this one either. So programs are attached to tracepoints that no other test counts.
 */
static void a_tracepoint_counts_only_if_its_program_says_1(void **state)
{
	need_tracefs();
	for (int ret = 0; ret <= 1; ret++) {
		int prog = load_returning(BPF_PROG_TYPE_TRACEPOINT, ret);
		struct pmutrace_events *e = open_self("syscalls:sys_enter_getsid");
		struct pmutrace_count count;
		struct pmutrace_error why;

		assert_int_equal(pmutrace_set_bpf(e, 0, prog, &why), 0);
		assert_int_equal(pmutrace_enable(e), 0);
		for (int i = 0; i < 9; i++)
			syscall(SYS_getsid, 0);
		assert_int_equal(pmutrace_read(e, &count), 0);
		assert_int_equal(count.value, ret ? 9 : 0);
		pmutrace_close(e);
		close(prog);
	}
}

/* Those of one tracepoint share none: attached_programs_are_found_by_id(). */
static void one_program_may_be_of_many_events(void **state)
{
	struct pmutrace_target cpus = { .kind = PMUTRACE_CPUS };
	int prog = load(BPF_PROG_TYPE_PERF_EVENT), probe = load(BPF_PROG_TYPE_TRACEPOINT);
	struct pmutrace_events *e;
	struct pmutrace_error why;

	e = open_with("page-faults@1,minor-faults@1,cpu-clock@99hz", &cpus, NULL);
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pmutrace_set_bpf(e, i, prog, &why), 0);
	assert_int_equal(pmutrace_set_bpf(e, 0, prog, &why), -EEXIST);
	pmutrace_close(e);
	need_tracefs();
	e = open_self("syscalls:sys_enter_getsid,syscalls:sys_exit_getsid");
	assert_int_equal(pmutrace_set_bpf(e, 0, probe, &why), 0);
	assert_int_equal(pmutrace_set_bpf(e, 1, probe, &why), 0);
	pmutrace_close(e);
	close(prog);
	close(probe);
}

static void of_other_events_the_kernel_tells_no_programs(void **state)
{
	struct pmutrace_events *e = open_self("page-faults@1");
	struct pmutrace_error why;
	uint32_t ids[4];
	size_t nr;

	assert_int_equal(pmutrace_query_bpf(e, 0, ids, 4, &nr, &why), -EOPNOTSUPP);
	assert_int_equal(nr, 0);
	assert_non_null(strstr(why.text, "page-faults"));
	pmutrace_close(e);
}

__attribute__((noinline)) void pmutrace_bpf_test_target(void);
__attribute__((noinline)) void pmutrace_bpf_test_target(void)
{
	__asm__ volatile("");
}

static void probes_take_programs_of_kprobes(void **state)
{
	int prog = load(BPF_PROG_TYPE_KPROBE), wrong = load(BPF_PROG_TYPE_TRACEPOINT);
	struct pmutrace_count count;
	struct pmutrace_events *e;
	struct pmutrace_error why;
	char exe[512], spec[640];
	uint32_t ids[4];
	size_t nr;
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	assert_true(n > 0);
	exe[n] = '\0';
	snprintf(spec, sizeof(spec), "uprobe:%s:pmutrace_bpf_test_target", exe);
	if (pmutrace_open(&e, spec, NULL, NULL, &why))
		skip_because("uprobes: %s", why.text);
	assert_int_equal(pmutrace_bpf_type(e, 0), BPF_PROG_TYPE_KPROBE);
	assert_int_equal(pmutrace_set_bpf(e, 0, wrong, &why), -EINVAL);
	assert_int_equal(pmutrace_query_bpf(e, 0, ids, 4, &nr, &why), 0);
	assert_int_equal(nr, 0);
	assert_int_equal(pmutrace_set_bpf(e, 0, prog, &why), 0);
	assert_int_equal(pmutrace_query_bpf(e, 0, ids, 4, &nr, &why), 0);
	assert_int_equal(nr, 1);
	assert_int_equal(ids[0], id_of(prog));
	assert_int_equal(pmutrace_enable(e), 0);
	for (int i = 0; i < 7; i++)
		pmutrace_bpf_test_target();
	assert_int_equal(pmutrace_read(e, &count), 0);
	assert_int_equal(count.value, 7); /* the program returned 1 */
	pmutrace_close(e);
	close(prog);
	close(wrong);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kind_of_event_chooses_the_type_of_program),
		cmocka_unit_test(programs_of_another_type_are_refused_with_both_names),
		cmocka_unit_test(what_is_no_program_is_told),
		cmocka_unit_test(attached_programs_are_found_by_id),
		cmocka_unit_test(a_tracepoint_counts_only_if_its_program_says_1),
		cmocka_unit_test(one_program_may_be_of_many_events),
		cmocka_unit_test(of_other_events_the_kernel_tells_no_programs),
		cmocka_unit_test(probes_take_programs_of_kprobes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
