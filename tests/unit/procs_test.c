// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/procs.h"

/* A /proc with one process, 100, that maps /bin/old at 0x1000. */
struct fixture {
	char root[64];
	struct mapped_files *files;
	struct procs *procs;
};

/* What /proc says that process 100 has at 0x1000; NULL: it is not there any more. */
static void set_maps(const struct fixture *f, const char *file, unsigned inode)
{
	char path[128];
	FILE *maps;

	snprintf(path, sizeof(path), "%s/100/maps", f->root);
	unlink(path);
	if (!file)
		return;
	maps = fopen(path, "w");
	assert_non_null(maps);
	fprintf(maps,
		"1000-2000 r-xp 00000000 fe:00 %u %s\n"
		"2000-3000 rw-p 00001000 fe:00 %u %s\n",
		inode, file, inode, file);
	fclose(maps);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char path[128];

	strcpy(f->root, "/tmp/procs_test.XXXXXX");
	assert_non_null(mkdtemp(f->root));
	snprintf(path, sizeof(path), "%s/100", f->root);
	assert_int_equal(mkdir(path, 0755), 0);
	set_maps(f, "/bin/old", 11);
	f->files = mapped_files__new(f->root);
	f->procs = procs__new(f->root, f->files);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;
	char path[128];

	procs__free(f->procs);
	mapped_files__free(f->files);
	snprintf(path, sizeof(path), "%s/100/maps", f->root);
	unlink(path);
	snprintf(path, sizeof(path), "%s/100", f->root);
	rmdir(path);
	rmdir(f->root);
	free(f);
	return 0;
}

/* Name of what a process had mapped at an address and time, "" for nothing. */
static const char *mapped(struct fixture *f, uint32_t pid, uint64_t addr, uint64_t time)
{
	const struct mapping *m;
	struct process *proc;

	assert_int_equal(procs__find(f->procs, pid, time, &proc), 0);
	m = space__find(proc->space, addr, time);
	return m ? mapped_files__name(f->files, m->binary) : "";
}

static void map(struct fixture *f, uint32_t pid, uint64_t time, const char *path, uint64_t inode)
{
	const struct mapping m = { .start = 0x1000, .end = 0x2000, .since_ns = time };
	const struct binary_ref ref = { .path = path, .inode = inode, .pid = pid };

	assert_int_equal(procs__map(f->procs, pid, &m, path, &ref), 0);
}

static void processes_of_before_come_from_proc(void **state)
{
	assert_string_equal(mapped(*state, 100, 0x1800, 5), "old");
	assert_string_equal(mapped(*state, 100, 0x2800, 5), ""); /* not executable */
}

static void an_exec_begins_a_new_life(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(mapped(f, 100, 0x1000, 5), "old");
	assert_int_equal(procs__exec(f->procs, 100, 50), 0);
	map(f, 100, 51, "/bin/new", 22);
	assert_string_equal(mapped(f, 100, 0x1000, 60), "new");
	assert_string_equal(mapped(f, 100, 0x1000, 49), "old");
}

/* Not even its parent's, which it had shared until then. */
static void before_its_first_mapping_an_exec_has_none(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(procs__fork(f->procs, 100, 200, 30), 0);
	assert_int_equal(procs__exec(f->procs, 200, 50), 0);
	assert_string_equal(mapped(f, 200, 0x1000, 50), "");
	assert_string_equal(mapped(f, 200, 0x1000, 60), "");
	assert_string_equal(mapped(f, 200, 0x1000, 49), "old");
	/* And /proc is not asked for one whose mappings are told. */
	assert_int_equal(procs__exec(f->procs, 100, 70), 0);
	assert_string_equal(mapped(f, 100, 0x1000, 80), "");
	map(f, 100, 90, "/bin/new", 22);
	assert_string_equal(mapped(f, 100, 0x1000, 95), "new");
	assert_string_equal(mapped(f, 100, 0x1000, 69), "old");
}

static void three_generations_at_one_address(void **state)
{
	struct fixture *f = *state;
	uint64_t replaced = procs__nr_replaced(f->procs);

	assert_string_equal(mapped(f, 100, 0x1000, 5), "old");
	map(f, 100, 20, "/lib/second.so", 22);
	map(f, 100, 30, "/lib/third.so", 33);
	map(f, 100, 40, "/lib/third.so", 33);
	assert_string_equal(mapped(f, 100, 0x1000, 19), "old");
	assert_string_equal(mapped(f, 100, 0x1000, 29), "second.so");
	assert_string_equal(mapped(f, 100, 0x1000, 30), "third.so");
	assert_string_equal(mapped(f, 100, 0x1000, 41), "third.so");
	assert_int_equal(procs__nr_replaced(f->procs) - replaced, 2);
}

/* An exec that was told to nobody: before, the old program's; since then, what /proc says. */
static void after_lost_events_proc_is_asked_again(void **state)
{
	struct fixture *f = *state;
	struct process *proc, *again;

	assert_string_equal(mapped(f, 100, 0x1000, 5), "old");
	set_maps(f, "/bin/new", 22);
	procs__lost(f->procs, 50, 60);
	assert_string_equal(mapped(f, 100, 0x1000, 49), "old");
	assert_string_equal(mapped(f, 100, 0x1000, 55), "new");
	assert_string_equal(mapped(f, 100, 0x1000, 70), "new");
	assert_string_equal(mapped(f, 100, 0x1000, 49), "old");
	/* Once for each loss. */
	set_maps(f, "/bin/newer", 33);
	assert_int_equal(procs__find(f->procs, 100, 80, &proc), 0);
	assert_string_equal(mapped(f, 100, 0x1000, 80), "new");
	procs__lost(f->procs, 90, 95);
	assert_int_equal(procs__find(f->procs, 100, 100, &again), 0);
	assert_ptr_not_equal(proc, again);
	assert_string_equal(mapped(f, 100, 0x1000, 100), "newer");
	assert_string_equal(mapped(f, 100, 0x1000, 80), "new");
	/* A child of one that nobody has asked for since the loss. */
	set_maps(f, "/bin/newest", 44);
	procs__lost(f->procs, 110, 120);
	assert_int_equal(procs__fork(f->procs, 100, 200, 130), 0);
	assert_string_equal(mapped(f, 200, 0x1000, 131), "newest");
}

/* Two CPUs lose at the same time: what either knew last is the beginning. */
static void losses_that_overlap_are_one(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(mapped(f, 100, 0x1000, 5), "old");
	set_maps(f, "/bin/new", 22);
	procs__lost(f->procs, 40, 60);
	procs__lost(f->procs, 50, 70);
	assert_string_equal(mapped(f, 100, 0x1000, 45), "new");
	assert_string_equal(mapped(f, 100, 0x1000, 39), "old");
	procs__lost(f->procs, 80, 90);
	set_maps(f, "/bin/newer", 33);
	assert_string_equal(mapped(f, 100, 0x1000, 75), "new");
	assert_string_equal(mapped(f, 100, 0x1000, 85), "newer");
}

/* Of one that has ended /proc knows nothing: what was known of it is the best there is. */
static void who_ended_after_a_loss_keeps_its_mappings(void **state)
{
	struct fixture *f = *state;
	struct process *proc;

	assert_string_equal(mapped(f, 100, 0x1000, 5), "old");
	set_maps(f, NULL, 0);
	procs__lost(f->procs, 50, 60);
	assert_string_equal(mapped(f, 100, 0x1000, 70), "old");
	assert_int_equal(procs__find(f->procs, 100, 70, &proc), 0);
	assert_false(proc->gone);
	assert_null(proc->older);
}

/* What /proc says again is no news; what it says anew is so since it was last asked. */
static void reading_again_adds_what_is_new(void **state)
{
	struct fixture *f = *state;
	struct process *proc;
	unsigned changes;

	assert_int_equal(procs__find(f->procs, 100, 5, &proc), 0);
	changes = space__changes(proc->space);
	for (uint64_t now = 1000; now < 2000; now += 100)
		assert_int_equal(procs__reread(f->procs, proc, now, 100), 0);
	assert_int_equal(space__changes(proc->space), changes);
	set_maps(f, "/lib/second.so", 22);
	assert_int_equal(procs__reread(f->procs, proc, 1950, 100), 0);
	assert_string_equal(mapped(f, 100, 0x1000, 2000), "old"); /* too early to ask */
	assert_int_equal(procs__reread(f->procs, proc, 2000, 100), 0);
	assert_string_equal(mapped(f, 100, 0x1000, 1899), "old");
	assert_string_equal(mapped(f, 100, 0x1000, 1900), "second.so");
}

static void a_child_starts_with_its_parents_mappings(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(procs__fork(f->procs, 100, 200, 30), 0);
	assert_string_equal(mapped(f, 200, 0x1000, 31), "old");
	map(f, 200, 40, "/lib/plugin.so", 33);
	assert_string_equal(mapped(f, 200, 0x1000, 41), "plugin.so");
	assert_string_equal(mapped(f, 200, 0x1000, 39), "old");
	assert_string_equal(mapped(f, 100, 0x1000, 41), "old");
}

static void a_reused_pid_is_another_process(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(procs__fork(f->procs, 100, 200, 30), 0);
	procs__exit(f->procs, 200, 40);
	assert_int_equal(procs__fork(f->procs, 100, 200, 50), 0);
	assert_int_equal(procs__exec(f->procs, 200, 60), 0);
	map(f, 200, 61, "/bin/second", 44);
	assert_string_equal(mapped(f, 200, 0x1000, 35), "old");
	assert_string_equal(mapped(f, 200, 0x1000, 70), "second");
}

static void who_is_gone_is_marked(void **state)
{
	struct fixture *f = *state;
	struct process *proc;

	assert_int_equal(procs__find(f->procs, 999, 5, &proc), 0);
	assert_true(proc->gone);
	assert_int_equal(space__nr(proc->space), 0);
}

static void ended_lives_are_forgotten(void **state)
{
	struct fixture *f = *state;
	struct process *proc;

	assert_int_equal(procs__exec(f->procs, 100, 50), 0);
	map(f, 100, 51, "/bin/new", 22);
	assert_int_equal(procs__forget(f->procs, 60), 0);
	assert_int_equal(procs__find(f->procs, 100, 49, &proc), 0);
	assert_null(proc->older);
	assert_string_equal(mapped(f, 100, 0x1000, 70), "new");
}

/* A shell script that runs for days: memory is of who lives, and who lives is still found. */
static void many_that_have_ended_take_no_place(void **state)
{
	enum { PIDS = 100000 };
	struct fixture *f = *state;
	struct process *proc;

	assert_int_equal(procs__find(f->procs, 100, 1, &proc), 0);
	for (uint32_t i = 0; i < PIDS; i++) {
		uint64_t now = 10 + i;

		assert_int_equal(procs__fork(f->procs, 100, 1000 + i, now), 0);
		procs__exit(f->procs, 1000 + i, now + 1);
		if (i % 100 == 99)
			assert_int_equal(procs__forget(f->procs, now), 0);
	}
	assert_true(procs__nr(f->procs) < 1000);
	assert_int_equal(procs__forget(f->procs, PIDS * 2), 0);
	assert_string_equal(mapped(f, 100, 0x1000, 70), "old");
	/* The same pid again is another life. */
	assert_int_equal(procs__exec(f->procs, 1000, PIDS * 3), 0);
	map(f, 1000, PIDS * 3 + 1, "/bin/new", 22);
	assert_string_equal(mapped(f, 1000, 0x1000, PIDS * 3 + 2), "new");
	assert_int_equal(procs__find(f->procs, 1000, PIDS * 3 + 2, &proc), 0);
	assert_null(proc->older);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(processes_of_before_come_from_proc),
		CASE(an_exec_begins_a_new_life),
		CASE(before_its_first_mapping_an_exec_has_none),
		CASE(three_generations_at_one_address),
		CASE(after_lost_events_proc_is_asked_again),
		CASE(losses_that_overlap_are_one),
		CASE(who_ended_after_a_loss_keeps_its_mappings),
		CASE(reading_again_adds_what_is_new),
		CASE(a_child_starts_with_its_parents_mappings),
		CASE(a_reused_pid_is_another_process),
		CASE(who_is_gone_is_marked),
		CASE(ended_lives_are_forgotten),
		CASE(many_that_have_ended_take_no_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
