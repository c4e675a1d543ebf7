// SPDX-License-Identifier: BSD-2-Clause
/* What the doctor makes of texts in /proc and /sys, and of what was tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "doctor_machine.h"

static void a_machine_without_fault_is_ok(void **state)
{
	struct machine *m = *state;

	examine(m);
	assert_sane(m);
	assert_true(m->f.ready);
	for (size_t i = 0; i < m->f.nr; i++)
		if (strcmp(m->f.items[i].name, "frame-pointers") != 0) /* no processes there */
			assert_state(m, m->f.items[i].name, "ok");
}

static void a_machine_without_anything_is_no_error(void **state)
{
	struct machine *m = *state;
	char empty[80];

	for (size_t i = 0; i < offsetof(struct doctor_tries, profile_why) / sizeof(int); i++)
		((int *)&m->tries)[i] = -ENOSYS;
	snprintf(empty, sizeof(empty), "%s/empty", m->root);
	mkdir(empty, 0755);
	strcpy(m->root, empty);
	examine(m);
	assert_sane(m);
	assert_false(m->f.ready);
	for (size_t i = 0; i < m->f.nr; i++)
		if (!strcmp(m->f.items[i].area, "sampling") ||
		    (!strcmp(m->f.items[i].area, "tracing") &&
		     !strstr("kprobes uprobes", m->f.items[i].name)))
			assert_state(m, m->f.items[i].name, "missing");
	/* Without sysfs nobody knows whether the kernel has them. */
	assert_state(m, "kprobes", "unknown");
	assert_fix(m, "uprobes", "sudo mount -t sysfs sysfs /sys");
	*strrchr(m->root, '/') = '\0';
}

static void kernels_before_5_10_are_too_old(void **state)
{
	static const char path[] = "/proc/sys/kernel/osrelease", name[] = "kernel-version";

	assert_string_equal(with(*state, path, "5.9.16\n", name), "missing");
	assert_string_equal(with(*state, path, "4.19.0-26-amd64\n", name), "missing");
	assert_string_equal(with(*state, path, "5.10.0\n", name), "ok");
	assert_string_equal(with(*state, path, "6.0.0\n", name), "ok");
	assert_string_equal(with(*state, path, "10.1\n", name), "ok");
	assert_string_equal(with(*state, path, "what\n", name), "unknown");
}

static void paranoid_binds_those_without_capabilities(void **state)
{
	static const char path[] = "/proc/sys/kernel/perf_event_paranoid";
	static const char name[] = "perf-event-paranoid";
	struct machine *m = *state;

	assert_string_equal(with(m, path, "4\n", name), "ok"); /* root */
	put_status(m, NO_CAPS, "Seccomp:\t0\n");
	assert_string_equal(with(m, path, "-1\n", name), "ok");
	assert_string_equal(with(m, path, "0\n", name), "limited");
	assert_string_equal(with(m, path, "1\n", name), "limited");
	assert_string_equal(with(m, path, "2\n", name), "limited");
	assert_fix(m, name, "sudo sysctl kernel.perf_event_paranoid=-1");
	assert_string_equal(with(m, path, "3\n", name), "missing"); /* Debian */
	assert_string_equal(with(m, path, "4\n", name), "missing"); /* Ubuntu */
	/* CAP_PERFMON and CAP_BPF: enough for 2, not for 3. */
	put_status(m, "000000c000000000", "Seccomp:\t0\n");
	assert_string_equal(with(m, path, "2\n", name), "ok");
	assert_string_equal(with(m, path, "3\n", name), "missing");
	assert_fix(m, name, "sudo sysctl kernel.perf_event_paranoid=2");
	take(m, path);
	examine(m);
	assert_state(m, name, "unknown"); /* there are perf events */
	m->tries.perf_own = -ENOSYS;
	examine(m);
	assert_state(m, name, "missing");
}

static void lacking_capabilities_are_named(void **state)
{
	struct machine *m = *state;
	const struct finding *x;

	/* CAP_PERFMON (38), CAP_BPF (39), CAP_SYS_PTRACE (19), CAP_DAC_READ_SEARCH (2) */
	put_status(m, "000000c000080004", "");
	examine(m);
	assert_state(m, "capabilities", "limited");
	x = find(m, "capabilities");
	assert_string_equal(x->found, "lacks cap_syslog");
	assert_fix(m, "capabilities",
		   "sudo setcap cap_perfmon,cap_bpf,cap_syslog,cap_sys_ptrace,"
		   "cap_dac_read_search+ep /usr/bin/pmutrace");
	/* CAP_SYS_ADMIN (21) stands for the first two. */
	put_status(m, "0000000400280004", "");
	examine(m);
	assert_state(m, "capabilities", "ok");
	put_status(m, NO_CAPS, "");
	examine(m);
	assert_state(m, "capabilities", "missing");
	assert_state(m, "unprivileged-bpf", "missing");
	/* Before 5.11 memory of maps needs one more. */
	put(m, "/proc/sys/kernel/osrelease", "5.10.0-28-amd64\n");
	examine(m);
	assert_fix(m, "capabilities",
		   "sudo setcap cap_perfmon,cap_bpf,cap_syslog,cap_sys_ptrace,"
		   "cap_dac_read_search,cap_sys_resource+ep /usr/bin/pmutrace");
}

static void what_is_kept_while_measuring_is_told(void **state)
{
	static const char path[] = "/proc/sys/kernel/perf_event_paranoid";
	static const char name[] = "kept-capabilities";
	struct machine *m = *state;

	/* CAP_BPF (39), CAP_PERFMON (38), CAP_SYS_ADMIN (21), CAP_KILL (5), CAP_SETUID (7) */
	put_status(m, "000000c0002000a0", "");
	assert_string_equal(with(m, path, "2\n", name), "ok");
	/* The admin's for CAP_SYSLOG and CAP_CHECKPOINT_RESTORE, which are not there. */
	assert_string_equal(find(m, name)->found,
			    "while measuring no more than cap_kill cap_sys_admin cap_perfmon "
			    "cap_bpf; top: cap_sys_admin cap_perfmon cap_bpf");
	/* With CAP_SYSLOG (34) and CAP_CHECKPOINT_RESTORE (40) it depends on the level. */
	put_status(m, "000001c4002000a0", "");
	assert_string_equal(with(m, path, "2\n", name), "ok");
	assert_string_equal(find(m, name)->found,
			    "while measuring no more than cap_kill cap_perfmon cap_bpf "
			    "cap_checkpoint_restore; top: cap_syslog cap_perfmon cap_bpf "
			    "cap_checkpoint_restore");
	assert_string_equal(with(m, path, "3\n", name), "ok");
	assert_non_null(strstr(find(m, name)->found, "cap_kill cap_sys_admin cap_perfmon"));
	put_status(m, NO_CAPS, "");
	examine(m);
	assert_string_equal(find(m, name)->found, "none are kept while measuring");
}

static void lockdown_counts_from_confidentiality(void **state)
{
	static const char path[] = "/sys/kernel/security/lockdown", name[] = "lockdown";
	struct machine *m = *state;

	assert_string_equal(with(m, path, "[none] integrity confidentiality\n", name), "ok");
	assert_string_equal(with(m, path, "none [integrity] confidentiality\n", name), "ok");
	assert_string_equal(with(m, path, "none integrity [confidentiality]\n", name), "missing");
	m->tries.kernel_memory = DOCTOR_NOT_TRIED;
	assert_string_equal(with(m, path, "\n", name), "unknown");
	take(m, path);
	examine(m);
	assert_state(m, name, "ok"); /* securityfs is there, lockdown is not */
	take(m, "/sys/kernel/security/lsm");
	examine(m);
	assert_state(m, name, "unknown");
	assert_fix(m, name, "sudo mount -t securityfs securityfs /sys/kernel/security");
	/* What was tried tells as well. */
	m->tries.kernel_memory = 0;
	examine(m);
	assert_state(m, name, "ok");
	m->tries.kernel_memory = -EINVAL;
	examine(m);
	assert_state(m, name, "missing");
}

/* kallsyms_show_value(): 0: CAP_SYSLOG or paranoid <= 1; 1: CAP_SYSLOG; 2: nobody. */
static void kptr_restrict_hides_kernel_names(void **state)
{
	static const char path[] = "/proc/sys/kernel/kptr_restrict", name[] = "kptr-restrict";
	struct machine *m = *state;

	assert_string_equal(with(m, path, "0\n", name), "ok");
	assert_string_equal(with(m, path, "1\n", name), "ok");
	assert_string_equal(with(m, path, "2\n", name), "limited");
	assert_fix(m, name, "sudo sysctl kernel.kptr_restrict=1");
	put_status(m, "000000c000000000", "");
	assert_string_equal(with(m, path, "1\n", name), "limited");
	assert_fix(m, name, "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1");
	assert_string_equal(with(m, path, "0\n", name), "limited");
	put(m, "/proc/sys/kernel/perf_event_paranoid", "1\n");
	assert_string_equal(with(m, path, "0\n", name), "ok");
	/* What is not known is not taken for the most permissive level. */
	take(m, "/proc/sys/kernel/perf_event_paranoid");
	assert_string_equal(with(m, path, "0\n", name), "unknown");
	assert_string_equal(with(m, path, "1\n", name), "limited");
	assert_fix(m, name, "sudo sysctl kernel.kptr_restrict=0 kernel.perf_event_paranoid=1");
}

static void hidden_kernel_symbols_are_seen(void **state)
{
	static const char path[] = "/proc/kallsyms", name[] = "kernel-symbols";

	assert_string_equal(
		with(*state, path, "0000000000000000 T a\n0000000000000000 T b\n", name),
		"limited");
	assert_string_equal(with(*state, path, "", name), "missing");
}

static void tracefs_can_be_mounted_where_the_kernel_has_it(void **state)
{
	struct machine *m = *state;

	take(m, "/sys/kernel/tracing/events/enable");
	take(m, "/sys/kernel/tracing/events");
	put(m, "/proc/mounts", "sysfs /sys sysfs rw 0 0\n");
	examine(m);
	assert_state(m, "tracefs", "missing");
	assert_fix(m, "tracefs", "sudo mount -t tracefs tracefs /sys/kernel/tracing");
	take(m, "/sys/kernel/tracing");
	examine(m);
	assert_fix(m, "tracefs", "boot a kernel built with CONFIG_FTRACE=y");
}

static void the_nmi_watchdog_takes_a_counter(void **state)
{
	static const char path[] = "/proc/sys/kernel/nmi_watchdog", name[] = "nmi-watchdog";
	struct machine *m = *state;

	strcpy(m->tries.budgets[0].pmu, "cpu");
	m->tries.budgets[0].nr = 6;
	m->tries.nr_budgets = 1;
	assert_string_equal(with(m, path, "1\n", name), "limited");
	assert_fix(m, name, "sudo sysctl kernel.nmi_watchdog=0");
	assert_state(m, "counters", "ok");
	assert_string_equal(find(m, "counters")->subject, "cpu");
	assert_ptr_equal(strstr(find(m, "counters")->found, "6 hardware events at once, one less"),
			 find(m, "counters")->found);
	assert_string_equal(with(m, path, "0\n", name), "ok");
	/* Without a PMU there is nothing to take. */
	take(m, "/sys/bus/event_source/devices/cpu/type");
	take(m, "/sys/bus/event_source/devices/cpu");
	assert_string_equal(with(m, path, "1\n", name), "ok");
}

static void a_missing_pmu_is_told_from_a_forbidden_one(void **state)
{
	struct machine *m = *state;

	m->tries.cycles = -ENOENT;
	put(m, "/proc/cpuinfo", "flags\t\t: fpu vme hypervisor lahf_lm\n");
	examine(m);
	assert_state(m, "hardware-pmu", "missing");
	assert_non_null(strstr(find(m, "hardware-pmu")->found, "virtual machine"));
	m->tries.cycles = -EACCES;
	examine(m);
	assert_state(m, "hardware-pmu", "limited"); /* the cpu PMU is there */
}

static void a_pid_namespace_is_seen_either_way(void **state)
{
	struct machine *m = *state;

	examine(m);
	assert_state(m, "pid-namespace", "ok");
	put_status(m, ALL_CAPS, "NSpid:\t4711\t1\n"); /* the host's /proc, from inside */
	examine(m);
	assert_state(m, "pid-namespace", "limited");
	put_status(m, ALL_CAPS, "NSpid:\t1\n"); /* the container's own /proc */
	take(m, "/proc/self/ns/pid");
	link_to(m, "/proc/self/ns/pid", "pid:[4026532451]");
	put(m, "/.dockerenv", "");
	examine(m);
	assert_state(m, "pid-namespace", "limited");
	assert_fix(m, "pid-namespace", "docker run --pid=host ...");
}

static void capabilities_of_a_user_namespace_do_not_count(void **state)
{
	struct machine *m = *state;

	take(m, "/proc/self/ns/user");
	link_to(m, "/proc/self/ns/user", "user:[4026532300]");
	put(m, "/run/.containerenv", "");
	examine(m);
	assert_state(m, "user-namespace", "missing");
	assert_state(m, "capabilities", "missing");
	assert_ptr_equal(strstr(find(m, "capabilities")->fix, "sudo podman run --privileged"),
			 find(m, "capabilities")->fix);
}

/* The kernel says EACCES for perf_event_paranoid; Docker's filter EPERM, newer ones ENOSYS. */
static void seccomp_is_told_from_missing_permission(void **state)
{
	struct machine *m = *state;

	put(m, "/.dockerenv", "");
	put_status(m, NO_CAPS, "Seccomp:\t2\n");
	m->tries.perf_own = m->tries.perf_cpu = -EPERM;
	examine(m);
	assert_state(m, "seccomp", "missing");
	assert_state(m, "perf-events", "missing");
	assert_non_null(strstr(find(m, "seccomp")->fix, "--security-opt seccomp=unconfined"));
	m->tries.perf_own = m->tries.perf_cpu = -ENOSYS;
	examine(m);
	assert_state(m, "seccomp", "missing");
	m->tries.perf_own = m->tries.perf_cpu = -EACCES;
	m->tries.bpf_load = -EPERM;
	examine(m);
	assert_state(m, "seccomp", "ok");
	/* With all capabilities, only a filter forbids BPF. */
	put_status(m, ALL_CAPS, "Seccomp:\t2\n");
	m->tries.perf_own = m->tries.perf_cpu = 0;
	examine(m);
	assert_state(m, "seccomp", "missing");
	put_status(m, ALL_CAPS, "Seccomp:\t0\n");
	examine(m);
	assert_state(m, "seccomp", "ok");
}

static void without_permission_the_fix_is_a_capability(void **state)
{
	struct machine *m = *state;

	put_status(m, NO_CAPS, "Seccomp:\t0\n");
	m->tries = (struct doctor_tries){ .perf_cpu = -EACCES,
					  .bpf_load = -EPERM,
					  .bpf_attach = DOCTOR_NOT_TRIED,
					  .kprobe = DOCTOR_NOT_TRIED,
					  .profile = -EACCES };
	assert_int_equal(buf__puts(&m->tries.profile_why, "no permission for this"), 0);
	examine(m);
	assert_sane(m);
	assert_false(m->f.ready);
	assert_state(m, "perf-events", "limited");
	assert_state(m, "bpf-programs", "missing");
	assert_state(m, "bpf-attach", "missing");
	assert_state(m, "kprobes", "missing");
	assert_string_equal(find(m, "profile")->found, "no permission for this");
	assert_non_null(strstr(find(m, "profile")->fix, "setcap"));
	assert_non_null(strstr(find(m, "kprobes")->fix, "setcap"));
}

static void probes_that_the_kernel_lacks_are_missing(void **state)
{
	struct machine *m = *state;

	m->tries.kprobe_multi = -EOPNOTSUPP;
	m->tries.uprobe = -EACCES;
	put_status(m, "000000c400080004", ""); /* all but CAP_SYS_ADMIN */
	take(m, "/sys/bus/event_source/devices/kprobe/type");
	take(m, "/sys/bus/event_source/devices/kprobe");
	examine(m);
	assert_state(m, "kprobes", "missing");
	assert_fix(m, "kprobes", "boot a kernel built with CONFIG_KPROBE_EVENTS=y");
	assert_state(m, "kprobe-multi", "missing");
	assert_state(m, "uprobes", "missing");
	assert_fix(m, "uprobes", "run as root: sudo /usr/bin/pmutrace ...");
	put(m, "/sys/bus/event_source/devices/kprobe/type", "6\n");
	assert_string_equal(with(m, "/sys/kernel/debug/kprobes/enabled", "1\n", "kprobes"), "ok");
	assert_string_equal(with(m, "/sys/kernel/debug/kprobes/enabled", "0\n", "kprobes"),
			    "missing");
	assert_fix(m, "kprobes", "echo 1 | sudo tee /sys/kernel/debug/kprobes/enabled");
}

static void put_limits(const struct machine *m, const char *files, const char *memory)
{
	char text[512];

	snprintf(text, sizeof(text),
		 "Max open files            %-20s %-20s files     \n"
		 "Max locked memory         %-20s %-20s bytes     \n",
		 files, files, memory, memory);
	put(m, "/proc/self/limits", text);
}

static void settings_that_are_too_low_are_limits(void **state)
{
	struct machine *m = *state;

	assert_string_equal(
		with(m, "/proc/sys/kernel/perf_event_max_sample_rate", "1000\n", "max-sample-rate"),
		"limited");
	assert_fix(m, "max-sample-rate", "sudo sysctl kernel.perf_event_max_sample_rate=100000");
	assert_string_equal(with(m, "/proc/sys/kernel/perf_event_max_stack", "64\n", "max-stack"),
			    "limited");
	assert_fix(m, "max-stack", "sudo sysctl kernel.perf_event_max_stack=127");
	assert_string_equal(with(m, "/proc/sys/net/core/bpf_jit_enable", "0\n", "bpf-jit"),
			    "limited");
	assert_fix(m, "bpf-jit", "sudo sysctl net.core.bpf_jit_enable=1");
}

static void descriptors_are_counted_for_every_cpu(void **state)
{
	struct machine *m = *state;

	/* 128 CPUs: rings and one event are 256, with 16 events 2176, and 64 for the rest. */
	put(m, "/sys/devices/system/cpu/online", "0-127\n");
	put_limits(m, "2240", "unlimited");
	examine(m);
	assert_state(m, "open-files", "ok");
	put_limits(m, "2239", "unlimited");
	examine(m);
	assert_state(m, "open-files", "limited");
	assert_fix(m, "open-files", "sudo prlimit --pid $$ --nofile=65536:65536");
	put_limits(m, "319", "unlimited");
	examine(m);
	assert_state(m, "open-files", "missing");
	put_limits(m, "unlimited", "unlimited");
	examine(m);
	assert_state(m, "open-files", "ok");
	/* The soft limit is raised. */
	put(m, "/proc/self/limits",
	    "Max open files            100                  2240                 files     \n");
	examine(m);
	assert_state(m, "open-files", "ok");
}

static void rings_have_to_fit_into_locked_memory(void **state)
{
	static const char path[] = "/proc/sys/kernel/perf_event_mlock_kb";
	struct machine *m = *state;

	assert_string_equal(with(m, path, "64\n", "mlock"), "ok"); /* CAP_IPC_LOCK */
	put_status(m, "000000c000000000", "");
	assert_string_equal(with(m, path, "64\n", "mlock"), "ok"); /* 8 MB of RLIMIT_MEMLOCK */
	put_limits(m, "1024", "65536");
	assert_string_equal(with(m, path, "64\n", "mlock"), "missing");
	assert_fix(m, "mlock", "sudo sysctl kernel.perf_event_mlock_kb=516");
	/* perf_is_paranoid(): any level below 0. */
	put(m, "/proc/sys/kernel/perf_event_paranoid", "-2\n");
	assert_string_equal(with(m, path, "64\n", "mlock"), "ok");
	take(m, "/proc/sys/kernel/perf_event_paranoid");
	assert_string_equal(with(m, path, "64\n", "mlock"), "missing");
	assert_string_equal(with(m, path, "516\n", "mlock"), "ok");
	/* The limit of the process is there once, not for each CPU: 4 * 64 + 600 of 4 * 516. */
	put(m, "/sys/devices/system/cpu/online", "0-3\n");
	put_limits(m, "1024", "614400");
	assert_string_equal(with(m, path, "64\n", "mlock"), "missing");
	put_limits(m, "1024", "1851392"); /* 1808 KB */
	assert_string_equal(with(m, path, "64\n", "mlock"), "ok");
	put_limits(m, "1024", "65536");
	/* And on old kernels BPF maps as well. */
	assert_state(m, "locked-memory", "ok");
	put(m, "/proc/sys/kernel/osrelease", "5.10.0\n");
	examine(m);
	assert_state(m, "locked-memory", "limited");
	assert_fix(m, "locked-memory", "sudo prlimit --pid $$ --memlock=unlimited:unlimited");
}

static void flaw(struct machine *m, const char *name, const char *text, uint64_t n)
{
	const struct loss l = { .name = name, .text = text, .flaw = true, .n = n };

	losses__add(&m->tries.stacks.losses, &l);
}

static void user_stacks_are_counted_by_reason(void **state)
{
	struct machine *m = *state;

	examine(m);
	assert_string_equal(find(m, "user-stacks")->found,
			    "1000 of 1000 are whole, by unwind rules (all programs, 0.3 s)");
	flaw(m, "bad_unwind_rule", "with a bad rule", 4);
	flaw(m, "user_truncated", "cut", 6);
	flaw(m, "names_late", "late", 500); /* says nothing of the stack */
	examine(m);
	assert_sane(m);
	assert_state(m, "user-stacks", "ok"); /* 99.0 % */
	assert_string_equal(find(m, "user-stacks")->found,
			    "990 of 1000 are whole, by unwind rules (all programs, 0.3 s); 4 with "
			    "a bad rule; 6 cut");
	flaw(m, "user_truncated", "cut", 1);
	examine(m);
	assert_sane(m);
	assert_state(m, "user-stacks", "limited");
}

/* Of several reasons the commonest one's. */
static void what_helps_stacks_depends_on_the_reason(void **state)
{
	static const struct {
		const char *reason, *word;
	} fixes[] = {
		{ "user_truncated", "--max-stack" },	{ "no_frame_pointer", "--call-graph eh" },
		{ "no_unwind_rule", "frame pointers" }, { "bad_unwind_rule", "--verify-unwind" },
		{ "user_unreadable", "not in memory" }, { "code_unknown", "--unwind-mem" },
		{ "process_gone", "lived for" },	{ "something_new", "none" },
	};
	struct machine *m = *state;

	for (size_t i = 0; i < ARRAY_SIZE(fixes); i++) {
		m->tries.stacks.losses.nr = 0;
		flaw(m, "a_rare_one", "rare", 19);
		flaw(m, fixes[i].reason, "such", 20);
		examine(m);
		assert_sane(m);
		assert_state(m, "user-stacks", "limited");
		assert_non_null(strstr(find(m, "user-stacks")->fix, fixes[i].word));
	}
	/* Rules are the default: without them the kernel is the reason. */
	m->tries.stacks.by_rules = false;
	examine(m);
	assert_non_null(strstr(find(m, "user-stacks")->found, "frame pointers"));
	assert_non_null(strstr(find(m, "user-stacks")->fix, "6.1.36"));
	assert_non_null(strstr(find(m, "user-stacks")->fix, "--force"));
}

static void user_stacks_that_were_not_sampled_are_not_told_as_whole(void **state)
{
	struct machine *m = *state;

	m->tries.stacks.losses = (struct losses){};
	examine(m);
	assert_sane(m);
	assert_state(m, "user-stacks", "unknown");
	m->tries.stacks.err = -EMFILE;
	examine(m);
	assert_sane(m);
	assert_state(m, "user-stacks", "unknown");
	m->tries.stacks.err = DOCTOR_NOT_TRIED;
	m->tries.profile = -EPERM;
	examine(m);
	assert_sane(m);
	assert_state(m, "user-stacks", "missing");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(a_machine_without_fault_is_ok),
		CASE(a_machine_without_anything_is_no_error),
		CASE(kernels_before_5_10_are_too_old),
		CASE(paranoid_binds_those_without_capabilities),
		CASE(lacking_capabilities_are_named),
		CASE(what_is_kept_while_measuring_is_told),
		CASE(lockdown_counts_from_confidentiality),
		CASE(kptr_restrict_hides_kernel_names),
		CASE(hidden_kernel_symbols_are_seen),
		CASE(tracefs_can_be_mounted_where_the_kernel_has_it),
		CASE(the_nmi_watchdog_takes_a_counter),
		CASE(a_missing_pmu_is_told_from_a_forbidden_one),
		CASE(a_pid_namespace_is_seen_either_way),
		CASE(capabilities_of_a_user_namespace_do_not_count),
		CASE(seccomp_is_told_from_missing_permission),
		CASE(without_permission_the_fix_is_a_capability),
		CASE(probes_that_the_kernel_lacks_are_missing),
		CASE(settings_that_are_too_low_are_limits),
		CASE(descriptors_are_counted_for_every_cpu),
		CASE(rings_have_to_fit_into_locked_memory),
		CASE(user_stacks_are_counted_by_reason),
		CASE(what_helps_stacks_depends_on_the_reason),
		CASE(user_stacks_that_were_not_sampled_are_not_told_as_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
