// SPDX-License-Identifier: BSD-2-Clause
/* Processes of a tree made by hand, and this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "live/procfs.h"
#include "live/procinfo.h"

static char proc[] = "/tmp/procinfo_test.XXXXXX";
static struct procinfo *info;
static struct live *live;
static struct processes *known;

static void put(uint32_t pid, const char *name, const void *bytes, size_t len)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%u", proc, pid);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/%u/%s", proc, pid, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, len, f), len);
	fclose(f);
}

static void put_process(uint32_t pid, const char *comm, uint32_t parent, unsigned flags,
			const char *command, size_t len)
{
	char stat[256];
	int n = snprintf(stat, sizeof(stat),
			 "%u (%s) S %u 1 1 0 -1 %u 100 0 0 0 1 1 0 0 20 0 1 0 77\n", pid, comm,
			 parent, flags);

	put(pid, "stat", stat, n);
	put(pid, "cmdline", command, len);
}

static void remove_process(uint32_t pid)
{
	static const char *const parts[] = { "/stat", "/cmdline", "" };
	char path[PATH_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		snprintf(path, sizeof(path), "%s/%u%s", proc, pid, parts[i]);
		assert_int_equal(remove(path), 0);
	}
}

static int set_up(void **state)
{
	const struct procinfo_opts opts = { .proc = proc, .root = proc };

	(void)state;
	strcpy(strrchr(proc, '.'), ".XXXXXX");
	live = live__new(1);
	known = processes__new();
	return !mkdtemp(proc) || !live || !known || procinfo__open(&info, &opts);
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	procinfo__close(info);
	live__free(live);
	processes__free(known);
	snprintf(command, sizeof(command), "rm -rf %s", proc);
	return system(command);
}

static void one_process_as_it_is_written(void **state)
{
	static const char hostile[] = "a\0\x1b[31m\xff\nb\0\0";
	struct buf text = {};
	struct process one;

	(void)state;
	put_process(10, "web", 1, 0x400000, "/bin/web\0--port\0 80\0", 20);
	assert_int_equal(procfs__process(&one, &text, proc, 10), 0);
	assert_int_equal(one.pid, 10);
	assert_int_equal(one.parent, 1);
	assert_int_equal(one.uid, geteuid());
	assert_false(one.is_kernel);
	assert_string_equal(one.comm, "web");
	assert_string_equal(one.command, "/bin/web --port  80");
	/* Names that look like what comes behind them. */
	put_process(10, ") R 7 (", 3, 0, hostile, sizeof(hostile) - 1);
	assert_int_equal(procfs__process(&one, &text, proc, 10), 0);
	assert_int_equal(one.parent, 3);
	assert_string_equal(one.comm, ") R 7 (");
	assert_string_equal(one.command, "a  [31m\xef\xbf\xbd b");
	put_process(2, "kworker/u8:2-events_unbound", 0, 0x00208040, "", 0);
	assert_int_equal(procfs__process(&one, &text, proc, 2), 0);
	assert_true(one.is_kernel);
	assert_string_equal(one.comm, "kworker/u8:2-ev");
	assert_string_equal(one.command, "");
	assert_int_equal(one.parent, 0);
	assert_int_equal(procfs__process(&one, &text, proc, 11), -ENOENT);
	put(10, "stat", "10 (x", 5);
	assert_int_equal(procfs__process(&one, &text, proc, 10), -ENOENT);
	put(10, "stat", "", 0);
	assert_int_equal(procfs__process(&one, &text, proc, 10), -ENOENT);
	buf__free(&text);
}

static void long_commands_are_cut(void **state)
{
	static char command[300000];
	struct buf text = {};
	struct process one;

	(void)state;
	memset(command, 'x', sizeof(command));
	put_process(10, "java", 1, 0, command, sizeof(command));
	assert_int_equal(procfs__process(&one, &text, proc, 10), 0);
	assert_int_equal(strlen(one.command), PROCFS_COMMAND_BYTES);
	buf__free(&text);
}

static void use_task(struct live_task t, const char *comm)
{
	const uint64_t value = 1;

	strncpy(t.comm, comm, sizeof(t.comm) - 1);
	assert_int_equal(live__add(live, &t, 0, &value), 0);
}

static void use(uint32_t tgid, uint32_t tid, const char *comm)
{
	use_task((struct live_task){ .tgid = tgid, .tid = tid }, comm);
}

static void use_child(uint32_t tgid, uint32_t parent, const char *comm)
{
	use_task((struct live_task){ .tgid = tgid, .parent = parent }, comm);
}

static unsigned ends_of(const void *arg, const struct live_task *t)
{
	return t->tgid == *(const uint32_t *)arg ? LIVE_PROCESS_ENDED : 0;
}

static void refresh(uint32_t ended)
{
	live__mark(live, ends_of, &ended);
	assert_int_equal(procinfo__refresh(info, live, known), 0);
	live__next(live);
}

static const char *command_of(uint32_t pid)
{
	const struct process *one = processes__find(known, pid);

	return one ? one->command : "unknown";
}

static void those_that_run_are_looked_up_with_their_parents(void **state)
{
	const struct passwd *me = getpwuid(geteuid());

	(void)state;
	put_process(1, "init", 0, 0, "/init", 6);
	put_process(10, "sh", 1, 0, "sh", 3);
	put_process(11, "web", 10, 0, "web 1", 6);
	put_process(12, "idle", 1, 0, "idle", 5);
	use(0, 0, "swapper");
	use(11, 15, "worker"); /* a thread of it */
	use(13, 13, "gone");
	refresh(0);
	assert_string_equal(command_of(11), "web 1");
	assert_string_equal(command_of(10), "sh");
	assert_string_equal(command_of(1), "/init");
	assert_null(processes__find(known, 12));
	assert_null(processes__find(known, 13));
	assert_null(processes__find(known, 15));
	assert_null(processes__find(known, 0));
	if (me)
		assert_string_equal(processes__user(known, geteuid()), me->pw_name);
}

static void another_program_is_noticed(void **state)
{
	(void)state;
	put_process(11, "sh", 0, 0, "sh -c web", 10);
	use(11, 11, "sh");
	refresh(0);
	assert_string_equal(command_of(11), "sh -c web");
	put_process(11, "web", 0, 0, "web", 4);
	use(11, 11, "web");
	refresh(0);
	assert_string_equal(command_of(11), "web");
	/* Of the same name: not at once. */
	put_process(11, "web", 0, 0, "web --new", 10);
	for (int i = 0; i < 256; i++) {
		use(11, 11, "web");
		refresh(0);
	}
	assert_string_equal(command_of(11), "web --new");
}

static void what_has_ended_is_known_for_its_last_interval(void **state)
{
	(void)state;
	put_process(11, "web", 0, 0, "web", 4);
	put_process(12, "db", 0, 0, "db", 3);
	use(11, 11, "web");
	use(12, 12, "db");
	refresh(0);
	remove_process(11);
	use(11, 11, "web");
	refresh(11);
	assert_string_equal(command_of(11), "web");
	refresh(0);
	assert_null(processes__find(known, 11));
	assert_string_equal(command_of(12), "db");
}

/* Its first thread has ended, others run on: /proc has no command of it any more. */
static void a_command_is_known_to_the_end(void **state)
{
	(void)state;
	put_process(11, "web", 0, 0, "web --all", 10);
	use(11, 11, "web");
	refresh(0);
	put_process(11, "web", 0, 0, "", 0);
	for (int i = 0; i < 256; i++) {
		use(11, 12, "worker");
		refresh(0);
	}
	assert_string_equal(command_of(11), "web --all");
}

static uint32_t parent_of(uint32_t pid)
{
	const struct process *one = processes__find(known, pid);

	return one ? one->parent : UINT32_MAX;
}

/* A compiler's driver and what it has run: neither is in /proc any more. */
static void who_ended_before_anybody_looked_has_a_parent(void **state)
{
	(void)state;
	put_process(1, "init", 0, 0, "init", 5);
	put_process(10, "make", 1, 0, "make", 5);
	use_child(21, 20, "cc1");
	use_child(20, 10, "gcc");
	refresh(20);
	assert_int_equal(parent_of(21), 20);
	assert_int_equal(parent_of(20), 10);
	assert_int_equal(parent_of(10), 1);
	assert_int_equal(parent_of(1), 0);
	assert_string_equal(processes__find(known, 20)->comm, "gcc");
	assert_string_equal(command_of(20), "");
	assert_int_equal(processes__find(known, 20)->uid, PROCESS_NO_USER);
	assert_string_equal(command_of(10), "make");
	refresh(0);
	assert_null(processes__find(known, 20));
	/* It was not seen to end, and is there in truth: all is known at the next look. */
	put_process(21, "cc1", 10, 0, "cc1 x.c", 8);
	use_child(21, 10, "cc1");
	refresh(0);
	assert_string_equal(command_of(21), "cc1 x.c");
	assert_int_equal(processes__find(known, 21)->uid, geteuid());
	assert_int_equal(parent_of(21), 10);
}

/* 10 ends: 11, that runs, and 12, that waits for 13, are children of 1 from then on. */
static void another_parent_is_noticed(void **state)
{
	(void)state;
	put_process(1, "init", 0, 0, "init", 5);
	put_process(10, "sh", 1, 0, "sh", 3);
	put_process(11, "web", 10, 0, "web", 4);
	put_process(12, "make", 10, 0, "make", 5);
	put_process(13, "cc1", 12, 0, "cc1", 4);
	use_child(11, 10, "web");
	use_child(13, 12, "cc1");
	refresh(0);
	assert_int_equal(parent_of(11), 10);
	assert_int_equal(parent_of(12), 10);
	remove_process(10);
	put_process(11, "web", 1, 0, "web", 4);
	put_process(12, "make", 1, 0, "make", 5);
	use_child(10, 1, "sh");
	refresh(10);
	use_child(11, 1, "web");
	use_child(13, 12, "cc1");
	refresh(0);
	assert_int_equal(parent_of(11), 1);
	assert_int_equal(parent_of(13), 12);
	assert_int_equal(parent_of(12), 1);
	assert_null(processes__find(known, 10));
}

/* 12 waits while its parent ends; who has it from then on was never seen. */
static void a_parent_nobody_has_seen_is_looked_up(void **state)
{
	(void)state;
	put_process(1, "init", 0, 0, "init", 5);
	put_process(5, "reaper", 1, 0, "reaper", 7);
	put_process(10, "sh", 1, 0, "sh", 3);
	put_process(12, "make", 10, 0, "make", 5);
	put_process(13, "cc1", 12, 0, "cc1", 4);
	use_child(13, 12, "cc1");
	refresh(0);
	remove_process(10);
	put_process(12, "make", 5, 0, "make", 5);
	use_child(10, 1, "sh");
	refresh(10);
	use_child(13, 12, "cc1");
	refresh(0);
	assert_int_equal(parent_of(12), 5);
	assert_int_equal(parent_of(5), 1);
	assert_string_equal(command_of(5), "reaper");
}

/* Parents in a circle, by pids that were used again. */
static void ancestors_in_a_circle_end(void **state)
{
	(void)state;
	put_process(10, "a", 11, 0, "a", 2);
	put_process(11, "b", 10, 0, "b", 2);
	use_child(10, 11, "a");
	use_child(12, 12, "c");
	refresh(0);
	assert_int_equal(parent_of(10), 11);
	assert_int_equal(parent_of(11), 10);
	assert_int_equal(parent_of(12), 12);
}

/* Many come and go, and nobody sees them end. */
static void the_unseen_dead_are_forgotten(void **state)
{
	(void)state;
	put_process(1, "init", 0, 0, "init", 5);
	for (uint32_t pid = 2; pid < 2000; pid++) {
		put_process(pid, "x", 1, 0, "x", 2);
		use(pid, pid, "x");
		refresh(0);
		remove_process(pid);
		assert_true(processes__nr(known) < 300);
	}
	assert_string_equal(command_of(1), "init");
}

static void without_proc_nothing_is_known(void **state)
{
	const struct procinfo_opts opts = { .proc = NULL, .root = proc };

	(void)state;
	procinfo__close(info);
	assert_int_equal(procinfo__open(&info, &opts), 0);
	use(1, 1, "init");
	refresh(0);
	assert_int_equal(processes__nr(known), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(one_process_as_it_is_written),
		TEST(long_commands_are_cut),
		TEST(those_that_run_are_looked_up_with_their_parents),
		TEST(another_program_is_noticed),
		TEST(what_has_ended_is_known_for_its_last_interval),
		TEST(a_command_is_known_to_the_end),
		TEST(who_ended_before_anybody_looked_has_a_parent),
		TEST(another_parent_is_noticed),
		TEST(a_parent_nobody_has_seen_is_looked_up),
		TEST(ancestors_in_a_circle_end),
		TEST(the_unseen_dead_are_forgotten),
		TEST(without_proc_nothing_is_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
