// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/privileges.h"

/* CAP_BPF is 39, CAP_PERFMON 38, CAP_SYS_ADMIN 21, CAP_KILL 5: include/uapi/linux/capability.h. */
static const uint64_t BPF = 1ull << 39, PERFMON = 1ull << 38, ADMIN = 1ull << 21, KILL = 1ull << 5;

static void no_more_than_is_permitted(void **state)
{
	(void)state;
	assert_true(privileges__of(BPF | KILL, BPF | PERFMON) == BPF);
	assert_true(privileges__of(0, PRIVILEGES_MEASURE) == 0);
	assert_true(privileges__of(UINT64_MAX, PRIVILEGES_TOP) == PRIVILEGES_TOP);
}

static void the_admins_stands_for_what_is_not_there(void **state)
{
	(void)state;
	assert_true(privileges__of(ADMIN | PERFMON, BPF | PERFMON) == (ADMIN | PERFMON));
	assert_true(privileges__of(ADMIN | PERFMON | BPF, BPF | PERFMON) == (BPF | PERFMON));
	/* It does not for signals to others. */
	assert_true(privileges__of(ADMIN | PERFMON, KILL | PERFMON) == PERFMON);
}

static void a_strict_level_needs_the_admins(void **state)
{
	(void)state;
	assert_true(privileges__with_level(PERFMON, 2) == PERFMON);
	assert_true(privileges__with_level(PERFMON, 3) == (PERFMON | ADMIN));
	assert_true(privileges__with_level(PERFMON, -1) == PERFMON);
}

static void sets_have_names(void **state)
{
	struct buf text = {};

	(void)state;
	assert_int_equal(privileges__name(&text, 0), 0);
	assert_int_equal(text.len, 0);
	assert_int_equal(privileges__name(&text, BPF | PERFMON | KILL | 1ull << 63), 0);
	assert_string_equal(text.data, "cap_kill cap_perfmon cap_bpf 63");
	buf__free(&text);
}

/* "CapEff" of the calling thread; UINT64_MAX: not known. */
static uint64_t field(const char *name)
{
	FILE *f = fopen("/proc/thread-self/status", "r");
	unsigned long long value = UINT64_MAX;
	char line[256];
	size_t len = strlen(name);

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, name, len) && line[len] == ':')
			sscanf(line + len + 1, "%llx", &value);
	if (f)
		fclose(f);
	return value;
}

static void *look(void *has)
{
	*(uint64_t *)has = field("CapPrm");
	return NULL;
}

/* The thread itself, and one that it starts afterwards. */
static bool threads_have_their_own(void)
{
	uint64_t before = field("CapPrm"), later = UINT64_MAX;
	pthread_t thread;

	privileges__keep(BPF);
	if (pthread_create(&thread, NULL, look, &later) || pthread_join(thread, NULL))
		return false;
	return later == (before & BPF) && field("CapPrm") == later && field("CapEff") == later &&
	       field("CapInh") == 0 && field("CapAmb") == 0 && field("NoNewPrivs") == 1;
}

/* A set of all three words, as capset(2) takes it; ambient ones follow from inheritable ones. */
static bool inherit_all(void)
{
	struct __user_cap_header_struct header = { _LINUX_CAPABILITY_VERSION_3, 0 };
	struct __user_cap_data_struct words[_LINUX_CAPABILITY_U32S_3] = {};

	if (syscall(SYS_capget, &header, words))
		return false;
	words[0].inheritable = words[0].permitted;
	words[1].inheritable = words[1].permitted;
	return !syscall(SYS_capset, &header, words);
}

/* What a program that is begun afterwards could have of it; and what is kept can still be had. */
static bool none_is_left_to_inherit(void)
{
	const uint64_t before = field("CapPrm");

	if (!inherit_all())
		return false;
	privileges__keep(BPF | KILL);
	return field("CapInh") == (before & (BPF | KILL)) &&
	       field("CapBnd") == (before & (BPF | KILL));
}

/* Not by an exec either, which gives root all that the bounding set has. */
static bool all_are_gone(void)
{
	privileges__keep(0);
	if (!chroot("/") || errno != EPERM)
		return false;
	execl("/bin/sh", "sh", "-c", "grep -q '^CapPrm:.0*$' /proc/self/status", NULL);
	return false;
}

/* Dropping is for good: in a process of its own. */
static void assert_in_child(bool (*check)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid)
		_exit(check() ? 0 : 1);
	assert_true(pid > 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void later_threads_have_no_more(void **state)
{
	(void)state;
	assert_in_child(threads_have_their_own);
}

static void what_is_dropped_is_not_inherited(void **state)
{
	(void)state;
	if (geteuid()) /* the bounding set takes CAP_SETPCAP */
		return;
	assert_in_child(none_is_left_to_inherit);
}

static void what_is_dropped_is_gone(void **state)
{
	(void)state;
	assert_in_child(all_are_gone);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_more_than_is_permitted),
		cmocka_unit_test(the_admins_stands_for_what_is_not_there),
		cmocka_unit_test(a_strict_level_needs_the_admins),
		cmocka_unit_test(sets_have_names),
		cmocka_unit_test(later_threads_have_no_more),
		cmocka_unit_test(what_is_dropped_is_not_inherited),
		cmocka_unit_test(what_is_dropped_is_gone),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
