// SPDX-License-Identifier: BSD-2-Clause
/* What the doctor makes of each errno that a try can fail with. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>

#include "doctor_machine.h"

static const struct {
	const char *name;
	size_t at;
} tries[] = {
#define TRY(name, member)                                                                          \
	{                                                                                          \
		name, offsetof(struct doctor_tries, member)                                        \
	}
	TRY("perf-events", perf_cpu),
	TRY("bpf-programs", bpf_load),
	TRY("bpf-attach", bpf_attach),
	TRY("hardware-pmu", cycles),
	TRY("tracepoints", tracepoint),
	TRY("raw-tracepoints", raw_tracepoint),
	TRY("kprobes", kprobe),
	TRY("uprobes", uprobe),
	TRY("kprobe-multi", kprobe_multi),
	TRY("fentry", fentry),
	TRY("profile", profile),
#undef TRY
};

/* One try fails with it: what becomes of its finding. */
static const struct finding *fail_with(struct machine *m, size_t i, int err)
{
	struct doctor_tries before = m->tries;

	*(int *)((char *)&m->tries + tries[i].at) = err;
	examine(m);
	m->tries = before;
	assert_sane(m);
	return find(m, tries[i].name);
}

/* Too few descriptors say nothing of the kernel. */
static void a_shortage_is_unknown_with_its_reason(void **state)
{
	static const int errs[] = { -EMFILE, -ENFILE, -ENOMEM, -EAGAIN, -EBUSY };
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		for (size_t e = 0; e < ARRAY_SIZE(errs); e++) {
			const struct finding *x = fail_with(m, i, errs[e]);

			if (x->state != FINDING_UNKNOWN || !strstr(x->found, strerror(-errs[e])) ||
			    strstr(x->fix, "CONFIG"))
				fail_msg("%s: %s: %s, %s", tries[i].name, strerror(-errs[e]),
					 x->found, x->fix);
		}
		assert_string_equal(fail_with(m, i, -EMFILE)->fix,
				    "sudo prlimit --pid $$ --nofile=65536:65536");
	}
}

/* A refusal is one, and never the lack of something in the kernel. */
static void a_refusal_to_root_is_no_missing_configuration(void **state)
{
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_SIZE(tries); i++) {
		const struct finding *x = fail_with(m, i, -EPERM);

		if (x->state == FINDING_OK || strstr(x->fix, "CONFIG"))
			fail_msg("%s: %s, %s", tries[i].name, x->found, x->fix);
	}
	assert_non_null(strstr(fail_with(m, 9, -EPERM)->found, "not permitted"));
	assert_non_null(strstr(fail_with(m, 9, -EPERM)->fix, "none here"));
}

/* Every errno has a cost and a fix (assert_sane()), whatever it is. */
static void every_errno_has_a_fix(void **state)
{
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_SIZE(tries); i++)
		for (int err = 1; err < 134; err++)
			fail_with(m, i, -err);
}

static void what_was_not_tried_is_as_what_it_takes(void **state)
{
	struct machine *m = *state;

	m->tries.bpf_attach = m->tries.fentry = DOCTOR_NOT_TRIED;
	m->tries.bpf_load = -EMFILE;
	examine(m);
	assert_state(m, "bpf-attach", "unknown");
	assert_state(m, "fentry", "unknown");
	m->tries.bpf_load = -ENOSYS;
	examine(m);
	assert_state(m, "bpf-attach", "missing");
	assert_state(m, "fentry", "missing");
	assert_fix(m, "fentry",
		   "boot a kernel built with CONFIG_BPF_SYSCALL=y and CONFIG_BPF_EVENTS=y");
}

static void profile_has_the_fix_of_what_it_lacks(void **state)
{
	struct machine *m = *state;

	m->tries.profile = -ENOENT;
	m->tries.perf_cpu = m->tries.perf_own = -ENOSYS;
	examine(m);
	assert_fix(m, "profile", "boot a kernel built with CONFIG_PERF_EVENTS=y");
	m->tries.perf_cpu = m->tries.perf_own = 0;
	take(m, "/sys/kernel/btf/vmlinux");
	examine(m);
	assert_fix(m, "profile", "boot a kernel built with CONFIG_DEBUG_INFO_BTF=y");
	assert_fix(m, "btf", "boot a kernel built with CONFIG_DEBUG_INFO_BTF=y");
	put_status(m, NO_CAPS, "");
	examine(m);
	assert_non_null(strstr(find(m, "profile")->fix, "setcap"));
}

static void a_budget_that_ended_in_a_shortage_is_unknown(void **state)
{
	struct machine *m = *state;

	m->tries.budgets[0] = (struct doctor_budget){ .pmu = "cpu", .nr = 3, .err = -EINVAL };
	m->tries.nr_budgets = 1;
	examine(m);
	assert_state(m, "counters", "ok");
	m->tries.budgets[0].err = -EMFILE;
	examine(m);
	assert_sane(m);
	assert_state(m, "counters", "unknown");
}

/* The file is of the first network namespace; a program that was loaded is here. */
static void the_compiler_is_seen_without_its_file(void **state)
{
	struct machine *m = *state;

	take(m, "/proc/sys/net/core/bpf_jit_enable");
	examine(m);
	assert_state(m, "bpf-jit", "ok");
	m->tries.jit = -ENOEXEC;
	examine(m);
	assert_state(m, "bpf-jit", "limited");
	m->tries.jit = DOCTOR_NOT_TRIED;
	examine(m);
	assert_state(m, "bpf-jit", "unknown");
}

static void without_tracefs_tracepoints_need_no_other_kernel(void **state)
{
	struct machine *m = *state;

	take(m, "/sys/kernel/tracing/events/enable");
	take(m, "/sys/kernel/tracing/events");
	put(m, "/proc/mounts", "sysfs /sys sysfs rw 0 0\n");
	m->tries.tracepoint = -ENOENT;
	examine(m);
	assert_state(m, "tracepoints", "missing");
	assert_fix(m, "tracepoints", "sudo mount -t tracefs tracefs /sys/kernel/tracing");
}

/* Whatever cannot be read, what is not ok says what it costs and what to do. */
static void whatever_cannot_be_read_has_a_fix(void **state)
{
	static const char *const paths[] = {
		"/proc/sys/kernel/osrelease",
		"/proc/sys/kernel/perf_event_paranoid",
		"/proc/sys/kernel/kptr_restrict",
		"/proc/sys/kernel/perf_event_max_sample_rate",
		"/proc/sys/kernel/nmi_watchdog",
		"/proc/sys/kernel/unprivileged_bpf_disabled",
		"/proc/sys/net/core/bpf_jit_enable",
		"/proc/sys/kernel/perf_event_max_stack",
		"/proc/kallsyms",
		"/proc/sys/kernel/perf_event_mlock_kb",
		"/proc/self/limits",
		"/proc/self/status",
		"/proc/self/ns/pid",
		"/proc/self/ns/user",
		"/sys/kernel/security/lockdown",
		"/sys/kernel/btf/vmlinux",
	};
	struct machine *m = *state;

	m->tries.kernel_memory = m->tries.jit = DOCTOR_NOT_TRIED;
	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		take(m, paths[i]);
		examine(m);
		assert_sane(m);
	}
	assert_state(m, "pid-namespace", "unknown");
	assert_state(m, "user-namespace", "unknown");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(a_shortage_is_unknown_with_its_reason),
		CASE(a_refusal_to_root_is_no_missing_configuration),
		CASE(every_errno_has_a_fix),
		CASE(what_was_not_tried_is_as_what_it_takes),
		CASE(profile_has_the_fix_of_what_it_lacks),
		CASE(a_budget_that_ended_in_a_shortage_is_unknown),
		CASE(the_compiler_is_seen_without_its_file),
		CASE(without_tracefs_tracepoints_need_no_other_kernel),
		CASE(whatever_cannot_be_read_has_a_fix),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
