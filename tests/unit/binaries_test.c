// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/binaries.h"

static unsigned nr_open(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned n = 0;

	assert_non_null(d);
	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static uint32_t add_file(struct binaries *t, const char *path, uint64_t inode)
{
	const struct binary_ref ref = { .path = path, .inode = inode, .pid = getpid() };
	uint32_t id;

	assert_int_equal(binaries__id(t, &ref, &id), 0);
	return id;
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
	struct binaries *t = binaries__new();
	uint32_t a, b;

	assert_int_equal(binaries__id(t, &by_id, &a), 0);
	assert_int_equal(binaries__id(t, &elsewhere, &b), 0);
	assert_int_equal(a, b);
	assert_int_equal(add_file(t, "/x", 7), add_file(t, "/y", 7));
	assert_int_not_equal(add_file(t, "/x", 7), add_file(t, "/x", 8));
	binaries__free(t);
}

static void a_deleted_file_keeps_its_name(void **state)
{
	struct binaries *t = binaries__new();

	assert_string_equal(binaries__name(t, add_file(t, "/usr/bin/tool (deleted)", 1)), "tool");
	assert_string_equal(binaries__name(t, add_file(t, "/usr/bin/tool2", 2)), "tool2");
	binaries__free(t);
}

/* 400 files are held; what was asked for stays open, of the others no more than 256. */
static void only_so_many_are_held_open(void **state)
{
	char dir[] = "/tmp/binaries_test.XXXXXX", path[64];
	struct binaries *t = binaries__new();
	unsigned before;
	uint32_t id;

	assert_non_null(mkdtemp(dir));
	before = nr_open();
	for (int i = 0; i < 400; i++) {
		struct stat st;
		FILE *f;

		snprintf(path, sizeof(path), "%s/%d", dir, i);
		f = fopen(path, "w");
		assert_non_null(f);
		assert_int_equal(fstat(fileno(f), &st), 0);
		fclose(f);
		id = add_file(t, path, st.st_ino);
		assert_int_equal(binaries__hold(t, id), 0);
		assert_true(nr_open() <= before + 256);
	}
	assert_int_equal(nr_open(), before + 256);
	assert_non_null(binaries__get(t, 0)); /* closed meanwhile: opened again by its path */
	assert_int_equal(nr_open(), before + 257);
	binaries__free(t);
	assert_int_equal(nr_open(), before);
	for (int i = 0; i < 400; i++) {
		snprintf(path, sizeof(path), "%s/%d", dir, i);
		unlink(path);
	}
	rmdir(dir);
}

/* The name leads to another file than was mapped: its symbols would be lies. */
static void another_file_of_the_name_is_not_used(void **state)
{
	struct binaries *t = binaries__new();
	uint64_t vaddr;
	struct sym sym;
	uint32_t id = add_file(t, "/proc/self/exe", 1); /* surely not its inode */

	assert_non_null(binaries__get(t, id));
	assert_false(binary__find(binaries__get(t, id), 0x1000, &sym, &vaddr));
	binaries__free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_file_is_one_entry),
		cmocka_unit_test(a_deleted_file_keeps_its_name),
		cmocka_unit_test(only_so_many_are_held_open),
		cmocka_unit_test(another_file_of_the_name_is_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
