// SPDX-License-Identifier: BSD-2-Clause
/* Threads of a tree made by hand, and this process's own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "machine/tasks.h"
#include "stat/places.h"

static void put_task(const char *proc, unsigned pid, unsigned tid, const char *comm)
{
	char path[256];
	FILE *f;

	for (int depth = 0; depth < 3; depth++) {
		static const char *const folders[] = { "%s/%u", "%s/%u/task", "%s/%u/task/%u" };

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(path, sizeof(path), folders[depth], proc, pid, tid);
#pragma GCC diagnostic pop
		mkdir(path, 0777);
	}
	snprintf(path, sizeof(path), "%s/%u/task/%u/comm", proc, pid, tid);
	f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "%s\n", comm);
	fclose(f);
}

static int make_proc(void **state)
{
	char *proc = strdup("/tmp/tasks_test.XXXXXX"), path[256];

	assert_non_null(mkdtemp(proc));
	put_task(proc, 10, 10, "nginx");
	put_task(proc, 10, 11, "worker\n2");
	put_task(proc, 20, 20, "sh");
	snprintf(path, sizeof(path), "%s/self", proc);
	mkdir(path, 0777);
	*state = proc;
	return 0;
}

static int remove_proc(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", (char *)*state);
	free(*state);
	return system(command);
}

static const struct task *find(const struct tasks *t, uint32_t tid)
{
	for (size_t i = 0; i < t->nr; i++)
		if (t->items[i].tid == tid)
			return &t->items[i];
	return NULL;
}

static void threads_of_processes(void **state)
{
	struct tasks t = {};

	assert_int_equal(tasks__add_process(&t, *state, 10), 0);
	assert_int_equal(t.nr, 2);
	assert_int_equal(find(&t, 11)->pid, 10);
	assert_string_equal(find(&t, 10)->comm, "nginx");
	assert_string_equal(find(&t, 11)->comm, "worker");
	assert_int_equal(find(&t, 11)->uid, getuid());
	assert_int_equal(tasks__add_process(&t, *state, 30), -ENOENT);
	tasks__free(&t);
	assert_int_equal(tasks__add_process(&t, *state, 0), 0);
	assert_int_equal(t.nr, 3);
	assert_non_null(find(&t, 20));
	tasks__free(&t);
}

static void *wait_for_the_end(void *arg)
{
	pthread_barrier_wait(arg);
	pthread_barrier_wait(arg);
	return NULL;
}

/* Two threads here: a place each; as a process both are one row. */
static void places_of_this_process(void **state)
{
	struct target t = { .inherit = true };
	pthread_barrier_t barrier;
	struct places p;
	struct buf why = {};
	pthread_t thread;
	char pid[16];

	(void)state;
	pthread_barrier_init(&barrier, NULL, 2);
	assert_int_equal(pthread_create(&thread, NULL, wait_for_the_end, &barrier), 0);
	pthread_barrier_wait(&barrier);
	t.own_pids = true;
	snprintf(pid, sizeof(pid), "%d", getpid());
	assert_int_equal(target__add_pids(&t, pid, &why), 0);
	assert_int_equal(target__finish(&t, &why), 0);
	assert_int_equal(places__find(&p, &t, COUNTS_BY_PROCESS, 0, &why), 0);
	assert_int_equal(p.nr, 2);
	assert_int_equal(p.nr_rows, 1);
	assert_int_equal(p.rows[0].pid, getpid());
	assert_int_equal(p.at[0].cpu, -1);
	assert_string_equal(p.part_name, "process");
	assert_int_equal(p.part[0], getpid());
	assert_int_equal(p.part[1], getpid());
	places__free(&p);
	assert_int_equal(places__find(&p, &t, COUNTS_BY_THREAD, 0, &why), 0);
	assert_int_equal(p.nr_rows, 2);
	assert_int_equal(p.rows[p.row[1]].tid, p.at[1].pid);
	assert_string_equal(p.parts_name, "threads");
	assert_int_equal(p.part[1], p.at[1].pid);
	places__free(&p);
	/* By CPU: each thread on each CPU. */
	assert_int_equal(places__find(&p, &t, COUNTS_BY_CPU, 0, &why), 0);
	assert_int_equal(p.nr, 2 * t.nr_cpus);
	assert_int_equal(p.nr_rows, t.nr_cpus);
	assert_int_equal(p.rows[0].nr_cpus, 1);
	places__free(&p);
	assert_int_equal(places__find(&p, &t, COUNTS_BY_CGROUP, 0, &why), -EINVAL);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	target__free(&t);
	buf__free(&why);
}

static void the_whole_machine_is_a_place_for_each_cpu(void **state)
{
	struct target t = {};
	struct buf why = {};
	struct places p;

	(void)state;
	assert_int_equal(target__finish(&t, &why), 0);
	assert_int_equal(places__find(&p, &t, COUNTS_BY_NOTHING, 0, &why), 0);
	assert_int_equal(p.nr, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(p.nr_rows, 1);
	assert_int_equal(p.at[0].pid, -1);
	assert_int_equal(p.rows[0].nr_cpus, p.nr);
	assert_string_equal(p.parts_name, "CPUs");
	assert_int_equal(p.part[p.nr - 1], t.cpus[p.nr - 1]);
	places__free(&p);
	target__free(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(threads_of_processes, make_proc, remove_proc),
		cmocka_unit_test(places_of_this_process),
		cmocka_unit_test(the_whole_machine_is_a_place_for_each_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
