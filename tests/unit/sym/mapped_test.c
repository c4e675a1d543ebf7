// SPDX-License-Identifier: BSD-2-Clause
/* Files told apart by what the kernel says of them, and held by what keeps them reachable. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "descriptors.h"

#include "base/regular.h"
#include "sym/mapped.h"

static uint32_t id_of(struct mapped_files *t, const struct binary_ref *ref)
{
	uint32_t id;

	assert_int_equal(mapped_files__id(t, ref, &id), 0);
	return id;
}

static uint32_t add_file(struct mapped_files *t, const char *path, uint64_t inode)
{
	const struct binary_ref ref = { .path = path, .inode = inode, .pid = 1 };

	return id_of(t, &ref);
}

/* A /proc in which process 1 maps 400 files. */
static void make_proc(const char *root)
{
	char path[128];
	FILE *f;

	snprintf(path, sizeof(path), "%s/1", root);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof(path), "%s/1/map_files", root);
	assert_int_equal(mkdir(path, 0755), 0);
	for (int i = 0; i < 400; i++) {
		snprintf(path, sizeof(path), "%s/1/map_files/%x-%x", root, i * 0x1000,
			 (i + 1) * 0x1000);
		f = fopen(path, "w");
		assert_non_null(f);
		fclose(f);
	}
}

static const uint8_t build_id[] = { 1, 2, 3, 4, 5, 6, 7, 8 };

/* The @i-th of those files, with that build-id. */
static uint32_t id_by_build_id(struct mapped_files *t, int i, const char *path)
{
	const struct binary_ref ref = {
		.path = path,
		.build_id = build_id,
		.build_id_len = sizeof(build_id),
		.pid = 1,
		.start = i * 0x1000,
		.end = (i + 1) * 0x1000,
	};

	return id_of(t, &ref);
}

static void one_file_is_one_entry(void **state)
{
	struct mapped_files *t = mapped_files__new(*state);

	assert_int_equal(id_by_build_id(t, 0, "/a/lib.so"), id_by_build_id(t, 1, "/b/lib.so"));
	assert_int_equal(add_file(t, "/x", 7), add_file(t, "/y", 7));
	assert_int_not_equal(add_file(t, "/x", 7), add_file(t, "/x", 8));
	mapped_files__free(t);
}

static void own(const char *root, int i, uid_t uid, mode_t mode)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/1/map_files/%x-%x", root, i * 0x1000, (i + 1) * 0x1000);
	assert_int_equal(chown(path, uid, uid), 0);
	assert_int_equal(chmod(path, mode), 0);
}

/* All have the build-id of root's library, which is number 0. */
static void a_build_id_makes_nobodys_file_roots(void **state)
{
	const char *root = *state;
	struct mapped_files *t = mapped_files__new(root);
	uint32_t first, second, anybodys, roots;
	struct mapped_file f;

	if (geteuid())
		skip();
	own(root, 1, 1000, 0644);
	own(root, 2, 1001, 0644);
	own(root, 3, 1000, 0600);
	own(root, 4, 0, 0666);
	first = id_by_build_id(t, 1, "/usr/lib/libc.so.6");
	second = id_by_build_id(t, 2, "/usr/lib/libc.so.6");
	anybodys = id_by_build_id(t, 4, "/usr/lib/libc.so.6");
	assert_int_not_equal(second, first);
	assert_int_not_equal(anybodys, first);
	assert_int_not_equal(anybodys, second);
	assert_int_equal(id_by_build_id(t, 3, "/home/libc.so.6"), first);
	/* Root's comes last, and is none of these. */
	roots = id_by_build_id(t, 0, "/usr/lib/libc.so.6");
	assert_int_not_equal(roots, first);
	assert_int_not_equal(roots, second);
	assert_int_not_equal(roots, anybodys);
	/* Whoever took its build-id has its names from now on. */
	assert_int_equal(id_by_build_id(t, 1, "/usr/lib/libc.so.6"), roots);

	assert_int_equal(mapped_files__give(t, first, &f), 1);
	assert_int_equal(f.identity.owner, 1000);
	mapped_file__free(&f);
	assert_int_equal(mapped_files__give(t, roots, &f), 1);
	assert_int_equal(f.identity.owner, 0);
	mapped_file__free(&f);
	assert_int_equal(mapped_files__give(t, anybodys, &f), 1);
	assert_int_equal(f.identity.owner, FILE_OF_ANYBODY);
	mapped_file__free(&f);
	mapped_files__free(t);
}

/* Numbers from 400 on are mapped no longer. */
static void where_the_owner_is_not_known_the_path_counts(void **state)
{
	struct mapped_files *t = mapped_files__new(*state);
	const uint32_t gone = id_by_build_id(t, 400, "/bin/a");

	assert_int_equal(id_by_build_id(t, 401, "/bin/a"), gone);
	assert_int_not_equal(id_by_build_id(t, 401, "/bin/b"), gone);
	assert_int_not_equal(id_by_build_id(t, 0, "/bin/a"), gone);
	mapped_files__free(t);
}

static void a_deleted_file_keeps_its_name(void **state)
{
	struct mapped_files *t = mapped_files__new("/proc");
	struct mapped_file f;
	uint32_t id = add_file(t, "/usr/bin/tool (deleted)", 1);

	(void)state;
	assert_string_equal(mapped_files__name(t, id), "tool");
	assert_string_equal(mapped_files__name(t, add_file(t, "/usr/bin/tool2", 2)), "tool2");
	assert_int_equal(mapped_files__give(t, id, &f), 1);
	assert_string_equal(f.path, "/usr/bin/tool");
	assert_string_equal(mapped_files__name(t, id), "tool");
	mapped_file__free(&f);
	assert_int_equal(mapped_files__give(t, id, &f), 0);
	mapped_files__free(t);
}

static uint32_t hold(struct mapped_files *t, int i)
{
	char path[32];
	const struct binary_ref ref = {
		.path = path,
		.inode = i + 1,
		.pid = 1,
		.start = i * 0x1000,
		.end = (i + 1) * 0x1000,
	};
	uint32_t id;

	snprintf(path, sizeof(path), "/nonexistent/%d", i);
	id = id_of(t, &ref);
	mapped_files__hold(t, id);
	return id;
}

/* 400 files are held one after the other: 256 stay, the last ones; what was given away is not ours.
 */
static void only_so_many_are_held(void **state)
{
	const char *root = *state;
	struct mapped_files *t = mapped_files__new(root);
	struct mapped_file f;
	unsigned before;
	struct stat st;
	char cmd[64];

	before = nr_open();
	for (int i = 0; i < 400; i++) {
		hold(t, i);
		assert_true(nr_open() <= before + 256);
	}
	assert_int_equal(nr_open(), before + 256);
	assert_int_equal(mapped_files__give(t, 399, &f), 1);
	snprintf(cmd, sizeof(cmd), "rm -r %s", root);
	assert_int_equal(system(cmd), 0);
	/* It is gone, and still the file that it was. */
	assert_int_equal(fstat(f.fd, &st), 0);
	assert_true(S_ISREG(st.st_mode));
	assert_true(fcntl(f.fd, F_GETFL) & O_PATH);
	mapped_file__free(&f);
	assert_int_equal(nr_open(), before + 255);
	mapped_files__hold(t, 399);
	assert_int_equal(nr_open(), before + 255);
	mapped_files__free(t);
	assert_int_equal(nr_open(), before);
}

static int setup(void **state)
{
	static char root[32];

	strcpy(root, "/tmp/mapped_test.XXXXXX");
	if (!mkdtemp(root))
		return -1;
	make_proc(root);
	*state = root;
	return 0;
}

static int teardown(void **state)
{
	char cmd[64];

	snprintf(cmd, sizeof(cmd), "rm -rf %s", (const char *)*state);
	return system(cmd);
}

/* Where code was is told after the run, when files have long been given to their reader. */
static void path_and_build_id_stay(void **state)
{
	struct mapped_files *t = mapped_files__new(*state);
	const uint32_t told = id_by_build_id(t, 0, "/usr/bin/told (deleted)");
	const uint32_t untold = add_file(t, "/usr/bin/untold", 77);
	const uint8_t read[] = { 9, 9 }, *bytes;
	struct mapped_file f;

	for (uint32_t id = told; id <= untold; id++) {
		assert_int_equal(mapped_files__give(t, id, &f), 1);
		mapped_file__free(&f);
	}
	assert_string_equal(mapped_files__path(t, told), "/usr/bin/told");
	assert_string_equal(mapped_files__name(t, told), "told");
	assert_string_equal(mapped_files__path(t, untold), "/usr/bin/untold");
	assert_int_equal(mapped_files__build_id(t, told, &bytes), sizeof(build_id));
	assert_memory_equal(bytes, build_id, sizeof(build_id));
	assert_int_equal(mapped_files__build_id(t, untold, &bytes), 0);
	/* The kernel's word stands. */
	mapped_files__tell_build_id(t, told, read, sizeof(read));
	mapped_files__tell_build_id(t, untold, read, sizeof(read));
	assert_int_equal(mapped_files__build_id(t, told, &bytes), sizeof(build_id));
	assert_int_equal(mapped_files__build_id(t, untold, &bytes), sizeof(read));
	assert_memory_equal(bytes, read, sizeof(read));
	mapped_files__free(t);
}

int main(void)
{
#define IN_PROC(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		IN_PROC(one_file_is_one_entry),
		IN_PROC(a_build_id_makes_nobodys_file_roots),
		IN_PROC(where_the_owner_is_not_known_the_path_counts),
		cmocka_unit_test(a_deleted_file_keeps_its_name),
		IN_PROC(only_so_many_are_held),
		IN_PROC(path_and_build_id_stay),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
