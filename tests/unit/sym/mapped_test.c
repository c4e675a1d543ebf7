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

static void one_file_is_one_entry(void **state)
{
	static const uint8_t build_id[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	const struct binary_ref by_id = { .path = "/a/lib.so",
					  .build_id = build_id,
					  .build_id_len = sizeof(build_id) };
	const struct binary_ref elsewhere = { .path = "/container/lib.so",
					      .build_id = build_id,
					      .build_id_len = sizeof(build_id) };
	struct mapped_files *t = mapped_files__new("/proc");

	(void)state;
	assert_int_equal(id_of(t, &by_id), id_of(t, &elsewhere));
	assert_int_equal(add_file(t, "/x", 7), add_file(t, "/y", 7));
	assert_int_not_equal(add_file(t, "/x", 7), add_file(t, "/x", 8));
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
	char root[] = "/tmp/mapped_test.XXXXXX", cmd[64];
	struct mapped_files *t;
	struct mapped_file f;
	unsigned before;
	struct stat st;

	(void)state;
	assert_non_null(mkdtemp(root));
	make_proc(root);
	t = mapped_files__new(root);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_file_is_one_entry),
		cmocka_unit_test(a_deleted_file_keeps_its_name),
		cmocka_unit_test(only_so_many_are_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
