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

#include "sym/maps.h"
#include "sym/procs_maps.h"

/* A /proc with one process, 100, that maps /bin/old at 0x1000. */
struct fixture {
	char root[64];
	struct mapped_files *files;
	struct procs *procs;
};

/* What /proc says of process 100. @mode: of fopen(). */
static FILE *open_maps(const struct fixture *f, const char *mode)
{
	char path[128];
	FILE *maps;

	snprintf(path, sizeof(path), "%s/100/maps", f->root);
	if (*mode == 'w')
		unlink(path); /* who has it open reads on */
	maps = fopen(path, mode);
	assert_non_null(maps);
	return maps;
}

/* What it has at 0x1000; NULL: it is not there any more. */
static void set_maps(const struct fixture *f, const char *file, unsigned inode)
{
	FILE *maps = open_maps(f, "w");
	char path[128];

	if (!file) {
		fclose(maps);
		snprintf(path, sizeof(path), "%s/100/maps", f->root);
		unlink(path);
		return;
	}
	fprintf(maps,
		"1000-2000 r-xp 00000000 fe:00 %u %s\n"
		"2000-3000 rw-p 00001000 fe:00 %u %s\n",
		inode, file, inode, file);
	fclose(maps);
}

static void add_to_maps(const struct fixture *f, const char *line)
{
	FILE *maps = open_maps(f, "a");

	fputs(line, maps);
	fclose(maps);
}

static void empty_maps(const struct fixture *f)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/100/maps", f->root);
	assert_int_equal(truncate(path, 0), 0);
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
	struct proc *proc;

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
	struct proc *proc, *again;

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
	struct proc *proc;

	assert_string_equal(mapped(f, 100, 0x1000, 5), "old");
	set_maps(f, NULL, 0);
	procs__lost(f->procs, 50, 60);
	assert_string_equal(mapped(f, 100, 0x1000, 70), "old");
	assert_int_equal(procs__find(f->procs, 100, 70, &proc), 0);
	assert_false(proc->gone);
	assert_null(proc->older);
}

/* A zombie's file is there, and empty. */
static void who_was_not_waited_for_after_a_loss_keeps_its_mappings(void **state)
{
	struct fixture *f = *state;
	struct proc *proc;

	assert_string_equal(mapped(f, 100, 0x1000, 5), "old");
	empty_maps(f);
	procs__lost(f->procs, 50, 60);
	assert_string_equal(mapped(f, 100, 0x1000, 70), "old");
	assert_int_equal(procs__find(f->procs, 100, 70, &proc), 0);
	assert_false(proc->gone);
	assert_null(proc->older);
}

/*
 * What /proc says again is no news. In the place of other code it is so since it was asked, or
 * since a record says that comes later; elsewhere since it was asked before.
 */
static void reading_again_adds_what_is_new(void **state)
{
	struct fixture *f = *state;
	struct proc *proc;
	unsigned changes;

	assert_int_equal(procs__find(f->procs, 100, 5, &proc), 0);
	changes = space__changes(proc->space);
	for (uint64_t now = 1000; now < 2000; now += 100)
		assert_int_equal(procs__reread(f->procs, proc, now, 100), 0);
	assert_int_equal(space__changes(proc->space), changes);
	set_maps(f, "/lib/second.so", 22);
	add_to_maps(f, "3000-4000 r-xp 00000000 fe:00 33 /lib/third.so\n");
	assert_int_equal(procs__reread(f->procs, proc, 1950, 100), 0);
	assert_string_equal(mapped(f, 100, 0x1000, 2000), "old"); /* too early to ask */
	assert_int_equal(procs__reread(f->procs, proc, 2000, 100), 0);
	assert_string_equal(mapped(f, 100, 0x1000, 1999), "old");
	assert_string_equal(mapped(f, 100, 0x1000, 2000), "second.so");
	assert_string_equal(mapped(f, 100, 0x3000, 1900), "third.so");
	assert_int_equal(space__find(proc->space, 0x3000, 2000)->since_ns, 1900);
	map(f, 100, 1950, "/lib/second.so", 22);
	assert_string_equal(mapped(f, 100, 0x1000, 1949), "old");
	assert_string_equal(mapped(f, 100, 0x1000, 1950), "second.so");
}

/* Records tell a file by its build-id, /proc by its inode: read again, it is the same one. */
static void a_file_told_by_its_build_id_is_no_other_in_proc(void **state)
{
	static const uint8_t id[BUILD_ID_BYTES] = { 1, 2, 3 };
	const struct mapping m = { .start = 0x1000, .end = 0x2000, .since_ns = 500 };
	const struct binary_ref ref = {
		.path = "/lib/first.so", .build_id = id, .build_id_len = sizeof(id), .pid = 100
	};
	struct fixture *f = *state;
	const struct mapping *told;
	struct proc *proc;
	unsigned changes;
	uint64_t nr;

	assert_int_equal(procs__find(f->procs, 100, 5, &proc), 0);
	assert_int_equal(procs__map(f->procs, 100, &m, ref.path, &ref), 0);
	told = space__find(proc->space, 0x1000, 600);
	assert_string_equal(mapped_files__name(f->files, told->binary), "first.so");
	changes = space__changes(proc->space);
	nr = procs__nr_replaced(f->procs);
	set_maps(f, "/lib/first.so", 22);
	assert_int_equal(procs__reread(f->procs, proc, 1000, 100), 0);
	set_maps(f, "/lib/first.so (deleted)", 22);
	assert_int_equal(procs__reread(f->procs, proc, 2000, 100), 0);
	assert_int_equal(space__changes(proc->space), changes);
	assert_int_equal(procs__nr_replaced(f->procs), nr);

	set_maps(f, "/lib/first.so.2", 23);
	assert_int_equal(procs__reread(f->procs, proc, 3000, 100), 0);
	assert_int_equal(procs__nr_replaced(f->procs), nr + 1);
	assert_string_equal(mapped(f, 100, 0x1000, 2999), "first.so");
	assert_string_equal(mapped(f, 100, 0x1000, 3000), "first.so.2");
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
	struct proc *proc;

	assert_int_equal(procs__find(f->procs, 999, 5, &proc), 0);
	assert_true(proc->gone);
	assert_int_equal(space__nr(proc->space), 0);
}

static void ended_lives_are_forgotten(void **state)
{
	struct fixture *f = *state;
	struct proc *proc;

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
	struct proc *proc;

	assert_int_equal(procs__find(f->procs, 100, 1, &proc), 0);
	for (uint32_t i = 0; i < PIDS; i++) {
		uint64_t now = 10 + i;

		assert_int_equal(procs__fork(f->procs, 100, 1000 + i, now), 0);
		procs__exit(f->procs, 1000 + i, now + 1);
		if (i % 100 == 99)
			assert_int_equal(procs__forget(f->procs, now), 0);
	}
	assert_true(f->procs->nr < 1000);
	assert_int_equal(procs__forget(f->procs, PIDS * 2), 0);
	assert_string_equal(mapped(f, 100, 0x1000, 70), "old");
	/* The same pid again is another life. */
	assert_int_equal(procs__exec(f->procs, 1000, PIDS * 3), 0);
	map(f, 1000, PIDS * 3 + 1, "/bin/new", 22);
	assert_string_equal(mapped(f, 1000, 0x1000, PIDS * 3 + 2), "new");
	assert_int_equal(procs__find(f->procs, 1000, PIDS * 3 + 2, &proc), 0);
	assert_null(proc->older);
}

enum { LINES = 65000 };

/* Instead of the one mapping of 100, @nr of them, each of a file of its own; each second is code.
 */
static void write_many(const struct fixture *f, unsigned pid, unsigned nr)
{
	char path[128];
	FILE *maps;

	snprintf(path, sizeof(path), "%s/%u", f->root, pid);
	assert_true(!mkdir(path, 0755) || pid == 100);
	snprintf(path, sizeof(path), "%s/%u/maps", f->root, pid);
	maps = fopen(path, "w");
	assert_non_null(maps);
	for (unsigned i = 0; i < nr; i++)
		fprintf(maps, "%x-%x r-%cp 00000000 fe:00 %u /bin/f%u\n", 0x10000 + i * 0x1000,
			0x11000 + i * 0x1000, i % 2 ? 'x' : '-', i + 100, i);
	fclose(maps);
}

static void remove_many(const struct fixture *f, unsigned pid)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%u/maps", f->root, pid);
	unlink(path);
	snprintf(path, sizeof(path), "%s/%u", f->root, pid);
	rmdir(path);
}

static struct proc *find(struct fixture *f, uint32_t pid, uint64_t time)
{
	struct proc *proc;

	assert_int_equal(procs__find(f->procs, pid, time, &proc), 0);
	return proc;
}

static const char *name_at(const struct fixture *f, const struct proc *proc, unsigned i,
			   uint64_t time)
{
	const struct mapping *m = space__find(proc->space, 0x10000 + i * 0x1000, time);

	return m ? mapped_files__name(f->files, m->binary) : "";
}

/* No step is longer than a slice: lines have 40 bytes at least, and half of them are kept. */
static void a_large_map_is_read_step_by_step(void **state)
{
	enum { LINES_MAX = MAPS_SLICE_BYTES / 40 };
	struct fixture *f = *state;
	size_t nr = 0, steps = 0, before;
	struct proc *proc;

	write_many(f, 100, LINES);
	proc = find(f, 100, 5);
	assert_true(space__nr(proc->space) <= LINES_MAX);
	while (!proc__is_read(proc)) {
		assert_string_equal(name_at(f, proc, LINES - 1, 5), "");
		before = space__nr(proc->space);
		assert_ptr_equal(find(f, 100, 5), proc); /* reads nothing */
		assert_int_equal(space__nr(proc->space), before);
		assert_int_equal(procs__read_on(f->procs, 0, &nr), 0);
		assert_true(space__nr(proc->space) - before <= LINES_MAX);
		steps++;
	}
	assert_int_equal(nr, 1);
	assert_true(steps >= LINES / 2 / LINES_MAX);
	assert_int_equal(space__nr(proc->space), LINES / 2);
	assert_string_equal(name_at(f, proc, 1, 5), "f1");
	assert_string_equal(name_at(f, proc, LINES - 1, 5), "f64999");
	assert_string_equal(name_at(f, proc, 2, 5), "");
	assert_false(proc->gone);
	assert_int_equal(procs__nr_reading(f->procs), 0);
}

/* What is told while it is read stays: it is newer than what the map says, or the same. */
static void mappings_of_meanwhile_stay(void **state)
{
	const struct mapping before = { .start = 0x10000 + 0x1000, .end = 0x10000 + 0x2000 },
			     behind = { .start = 0x10000 + 0x1000 * (LINES - 1),
					.end = 0x10000 + 0x1000 * LINES };
	const struct binary_ref file = { .path = "/bin/other", .inode = 99, .pid = 100 }, same = {
		.path = "/bin/f64999", .dev_major = 0xfe, .inode = LINES + 99, .pid = 100
	};
	struct fixture *f = *state;
	struct mapping m = before;
	struct proc *proc;
	size_t nr;

	write_many(f, 100, LINES);
	proc = find(f, 100, 5);
	m.since_ns = 30; /* over one that has been read */
	assert_int_equal(procs__map(f->procs, 100, &m, file.path, &file), 0);
	m = behind;
	m.since_ns = 40; /* one that has not been */
	assert_int_equal(procs__map(f->procs, 100, &m, same.path, &same), 0);
	assert_int_equal(procs__read_on(f->procs, UINT64_MAX, &nr), 0);
	assert_true(proc__is_read(proc));
	assert_string_equal(name_at(f, proc, 1, 29), "f1");
	assert_string_equal(name_at(f, proc, 1, 30), "other");
	assert_string_equal(name_at(f, proc, LINES - 1, 40), "f64999");
	assert_int_equal(space__nr(proc->space), LINES / 2);
}

/* The life that was read goes on being the old one's, its child has all that it had. */
static void lives_change_while_a_map_is_read(void **state)
{
	struct fixture *f = *state;
	struct proc *proc, *child;
	size_t nr;

	write_many(f, 100, LINES);
	proc = find(f, 100, 5);
	assert_int_equal(procs__fork(f->procs, 100, 300, 20), 0); /* and has ended by now */
	child = find(f, 300, 21);
	assert_false(proc__is_read(child));
	assert_int_equal(procs__exec(f->procs, 100, 50), 0);
	map(f, 100, 51, "/bin/new", 22);
	assert_int_equal(procs__read_on(f->procs, UINT64_MAX, &nr), 0);
	assert_true(proc__is_read(proc));
	assert_ptr_equal(find(f, 100, 5), proc);
	assert_string_equal(name_at(f, proc, LINES - 1, 49), "f64999");
	assert_ptr_not_equal(find(f, 100, 60), proc);
	assert_string_equal(mapped(f, 100, 0x1000, 60), "new");
	assert_string_equal(name_at(f, find(f, 100, 60), LINES - 1, 60), "");
	assert_ptr_equal(find(f, 300, 21), child);
	assert_true(proc__is_read(child));
	assert_false(child->gone);
	assert_string_equal(name_at(f, child, LINES - 1, 21), "f64999");
}

/* Those that are forgotten meanwhile are not read any more. */
static void more_are_read_than_may_be_open(void **state)
{
	enum { MANY = 70, FIRST = 2000, SOME = 3000 };
	struct fixture *f = *state;
	size_t nr, nr_read = 0;

	for (unsigned i = 0; i < MANY; i++) {
		write_many(f, FIRST + i, SOME);
		(void)find(f, FIRST + i, 5);
	}
	assert_true(procs__nr_reading(f->procs) < MANY);
	procs__exit(f->procs, FIRST, 10);
	assert_int_equal(procs__forget(f->procs, 20), 0);
	assert_int_equal(procs__read_on(f->procs, UINT64_MAX, &nr_read), 0);
	for (unsigned i = 1; i < MANY; i++) {
		(void)find(f, FIRST + i, 5);
		assert_int_equal(procs__read_on(f->procs, UINT64_MAX, &nr), 0);
		nr_read += nr;
		assert_string_equal(name_at(f, find(f, FIRST + i, 5), SOME - 1, 5), "f2999");
	}
	assert_int_equal(nr_read, MANY - 1);
	for (unsigned i = 0; i < MANY; i++)
		remove_many(f, FIRST + i);
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
		CASE(who_was_not_waited_for_after_a_loss_keeps_its_mappings),
		CASE(losses_that_overlap_are_one),
		CASE(who_ended_after_a_loss_keeps_its_mappings),
		CASE(reading_again_adds_what_is_new),
		CASE(a_file_told_by_its_build_id_is_no_other_in_proc),
		CASE(a_child_starts_with_its_parents_mappings),
		CASE(a_reused_pid_is_another_process),
		CASE(who_is_gone_is_marked),
		CASE(ended_lives_are_forgotten),
		CASE(many_that_have_ended_take_no_place),
		CASE(a_large_map_is_read_step_by_step),
		CASE(mappings_of_meanwhile_stay),
		CASE(lives_change_while_a_map_is_read),
		CASE(more_are_read_than_may_be_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
