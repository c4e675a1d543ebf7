// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "model/processes.h"

static struct processes *p;

static int set_up(void **state)
{
	(void)state;
	p = processes__new();
	return !p;
}

static int tear_down(void **state)
{
	(void)state;
	processes__free(p);
	return 0;
}

static void set(uint32_t pid, const char *command)
{
	const struct process one = { .pid = pid, .parent = 1, .uid = 7, .command = command };

	assert_int_equal(processes__set(p, &one), 0);
}

static void what_was_set_is_found(void **state)
{
	char text[] = "web --port 80";
	const struct process *one, *other;

	(void)state;
	assert_null(processes__find(p, 10));
	set(10, text);
	set(11, "db");
	memset(text, 'x', sizeof(text) - 1);
	one = processes__find(p, 10);
	other = processes__find(p, 11);
	assert_string_equal(one->command, "web --port 80");
	assert_string_equal(other->command, "db");
	assert_int_equal(one->pid, 10);
	assert_int_equal(one->uid, 7);
	set(10, "worker");
	assert_string_equal(processes__find(p, 10)->command, "worker");
	assert_int_equal(processes__nr(p), 2);
}

static void users_and_cgroups_have_names(void **state)
{
	(void)state;
	assert_null(processes__user(p, 0));
	assert_null(processes__cgroup(p, 1));
	assert_int_equal(processes__set_user(p, 0, "root"), 0);
	assert_int_equal(processes__set_cgroup(p, 1ull << 40, "/a/docker-1.scope", "docker:web"),
			 0);
	assert_string_equal(processes__user(p, 0), "root");
	assert_string_equal(processes__cgroup(p, 1ull << 40), "docker:web");
	assert_string_equal(processes__cgroup_path(p, 1ull << 40), "/a/docker-1.scope");
	assert_null(processes__cgroup(p, 0));
}

static bool is_odd(void *arg, uint32_t pid)
{
	++*(int *)arg;
	return pid % 2;
}

static bool is_2(void *arg, uint64_t id)
{
	(void)arg;
	return id == 2;
}

static void what_is_not_kept_is_forgotten(void **state)
{
	int asked = 0;
	char text[32];

	(void)state;
	for (uint32_t pid = 1; pid <= 100; pid++) {
		snprintf(text, sizeof(text), "command %u", pid);
		set(pid, text);
	}
	processes__keep(p, is_odd, &asked);
	assert_int_equal(asked, 100);
	assert_int_equal(processes__nr(p), 50);
	for (uint32_t pid = 1; pid <= 100; pid++) {
		const struct process *one = processes__find(p, pid);

		assert_int_equal(!!one, pid % 2);
		snprintf(text, sizeof(text), "command %u", pid);
		if (one)
			assert_string_equal(one->command, text);
	}
	assert_int_equal(processes__set_cgroup(p, 1, "/a", "/a"), 0);
	assert_int_equal(processes__set_cgroup(p, 2, "/b", "/b"), 0);
	processes__keep_cgroups(p, is_2, NULL);
	assert_null(processes__cgroup(p, 1));
	assert_string_equal(processes__cgroup(p, 2), "/b");
	processes__clear(p);
	assert_null(processes__find(p, 1));
	assert_null(processes__cgroup(p, 2));
	assert_int_equal(processes__nr(p), 0);
}

static bool is_newer(void *arg, uint32_t pid)
{
	return pid == 1 || pid > *(uint32_t *)arg;
}

/* A million processes, a hundred at a time: 100 MB of commands, of which few are known at once. */
static void strings_of_the_forgotten_give_their_memory_back(void **state)
{
	enum { ALL = 1000000, AT_ONCE = 100 };
	char text[100];
	size_t after_few = 0, at_end;

	(void)state;
	set(1, "the first");
	for (uint32_t pid = 2; pid < ALL; pid++) {
		snprintf(text, sizeof(text), "%099u", pid);
		set(pid, text);
		if (pid % AT_ONCE == 0) {
			uint32_t oldest = pid - AT_ONCE;

			processes__keep(p, is_newer, &oldest);
		}
		if (pid == ALL / 100)
			after_few = mallinfo2().uordblks;
	}
	at_end = mallinfo2().uordblks;
	assert_true(at_end < after_few + (1 << 20));
	assert_string_equal(processes__find(p, 1)->command, "the first");
	snprintf(text, sizeof(text), "%099u", ALL - 1);
	assert_string_equal(processes__find(p, ALL - 1)->command, text);
}

/* One process that calls itself otherwise again and again, in texts of 60 KB. */
static void strings_that_were_replaced_give_their_memory_back(void **state)
{
	static char text[60000];
	size_t before;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	set(1, "stays");
	assert_int_equal(processes__set_cgroup(p, 1, "/a", "docker:a"), 0);
	set(2, text);
	before = mallinfo2().uordblks;
	for (unsigned i = 0; i < 5000; i++) {
		memcpy(text, &i, sizeof(i));
		text[0] |= 1;
		text[1] |= 1;
		text[2] = text[3] = 'x';
		text[4] = 'a' + i % 26;
		set(2, text);
		if (strcmp(processes__find(p, 2)->command, text))
			fail_msg("it is not the last one");
	}
	assert_true(mallinfo2().uordblks < before + (2 << 20));
	assert_string_equal(processes__find(p, 1)->command, "stays");
	assert_string_equal(processes__cgroup_path(p, 1), "/a");
	assert_string_equal(processes__cgroup(p, 1), "docker:a");
}

/* What it takes to know them: for those who have to set a limit. */
static void bytes_are_those_of_what_is_known(void **state)
{
	size_t one;

	(void)state;
	assert_int_equal(processes__bytes(p), 0);
	set(1, "12345");
	one = processes__bytes(p);
	assert_in_range(one, sizeof(struct process) + 6, 2 * sizeof(struct process));
	set(1, "1234567890");
	assert_int_equal(processes__bytes(p), one + 5);
	set(2, "12345");
	assert_int_equal(processes__bytes(p), 2 * one + 5);
	assert_int_equal(processes__set_user(p, 1, "root"), 0);
	assert_int_equal(processes__set_cgroup(p, 1, "/a", "/a"), 0);
	assert_true(processes__bytes(p) > 2 * one + 5 + 5 + 3 + 3);
	processes__keep_cgroups(p, is_2, NULL);
	processes__keep(p, is_odd, &(int){ 0 });
	processes__clear(p);
	assert_int_equal(processes__bytes(p), 0);
}

static int count_process(void *arg, const struct process *one)
{
	((unsigned *)arg)[0] += one->pid;
	return 0;
}

static int count_user(void *arg, const struct process_user *one)
{
	((unsigned *)arg)[1] += one->uid;
	return 0;
}

static int count_cgroup(void *arg, const struct process_cgroup *one)
{
	((unsigned *)arg)[2] += one->id;
	return strcmp(one->name, "stop") ? 0 : -42;
}

static void what_is_new_since_can_be_had(void **state)
{
	unsigned sums[3] = {};
	const struct process_visitor v = { count_process, count_user, count_cgroup, sums };
	uint64_t since;

	(void)state;
	set(10, "old");
	set(11, "old");
	assert_int_equal(processes__set_user(p, 100, "u"), 0);
	since = processes__now(p);
	assert_int_equal(processes__each(p, since, &v), 0);
	assert_int_equal(sums[0] + sums[1], 0);
	set(12, "new");
	set(11, "anew");
	assert_int_equal(processes__set_cgroup(p, 1000, "/", "/"), 0);
	assert_int_equal(processes__each(p, since, &v), 0);
	assert_int_equal(sums[0], 23);
	assert_int_equal(sums[1], 0);
	assert_int_equal(sums[2], 1000);
	assert_int_equal(processes__each(p, 0, &v), 0);
	assert_int_equal(sums[0], 23 + 33);
	assert_int_equal(sums[1], 100);
	assert_int_equal(processes__set_cgroup(p, 1000, "/", "stop"), 0);
	assert_int_equal(processes__each(p, 0, &v), -42);
}

/* As top shows them: a thread's name is not its process's. */
static void processes_are_called_as_their_first_threads(void **state)
{
	struct live_row items[] = {
		{ .id = 11, .tgid = 11, .comm = "GC" },
		{ .id = 12, .tgid = 12, .comm = "sh", .is_named = true },
		{ .id = 13, .tgid = 13, .comm = "worker" },
	};
	struct live_rows rows = { .items = items, .nr = 3 };

	(void)state;
	assert_int_equal(
		processes__set(p, &(struct process){ .pid = 11, .comm = "java", .command = "" }),
		0);
	assert_int_equal(
		processes__set(p, &(struct process){ .pid = 12, .comm = "old", .command = "" }), 0);
	processes__name_rows(p, &rows);
	assert_string_equal(items[0].comm, "java");
	assert_string_equal(items[1].comm, "sh");
	assert_string_equal(items[2].comm, "worker"); /* nothing is known of it */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_was_set_is_found, set_up, tear_down),
		cmocka_unit_test_setup_teardown(users_and_cgroups_have_names, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_not_kept_is_forgotten, set_up, tear_down),
		cmocka_unit_test_setup_teardown(strings_of_the_forgotten_give_their_memory_back,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(processes_are_called_as_their_first_threads, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(strings_that_were_replaced_give_their_memory_back,
						set_up, tear_down),
		cmocka_unit_test_setup_teardown(bytes_are_those_of_what_is_known, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(what_is_new_since_can_be_had, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
