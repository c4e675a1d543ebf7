// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "sym/perfmap.h"

static struct perfmap *parse(const char *text)
{
	struct perfmap *m;

	assert_int_equal(perfmap__parse(&m, text, strlen(text)), 0);
	return m;
}

static void assert_at(const struct perfmap *m, uint64_t addr, const char *name, uint64_t start)
{
	struct sym s;

	assert_true(perfmap__find(m, addr, &s));
	assert_string_equal(s.name, name);
	assert_int_equal(s.addr, start);
}

static void assert_nothing_at(const struct perfmap *m, uint64_t addr)
{
	struct sym s;

	assert_false(perfmap__find(m, addr, &s));
}

static void the_name_goes_up_to_the_end_of_the_line(void **state)
{
	struct perfmap *m = parse("7f0000001000 40 LazyCompile:*run /srv/app.js:12:3\n"
				  "0x7f0000002000 0x10 with prefix\r\n");

	(void)state;
	assert_at(m, 0x7f000000103f, "LazyCompile:*run /srv/app.js:12:3", 0x7f0000001000);
	assert_nothing_at(m, 0x7f0000001040);
	assert_at(m, 0x7f000000200f, "with prefix", 0x7f0000002000);
	perfmap__close(m);
}

static void later_entries_win_on_overlap(void **state)
{
	struct perfmap *m = parse("1000 100 old\n"
				  "1040 20 inner\n"
				  "10f0 20 across\n"
				  "1040 10 newest\n");

	(void)state;
	assert_at(m, 0x103f, "old", 0x1000);
	assert_at(m, 0x1040, "newest", 0x1040);
	assert_at(m, 0x104f, "newest", 0x1040);
	assert_at(m, 0x1050, "inner", 0x1040);
	assert_at(m, 0x1060, "old", 0x1000);
	assert_at(m, 0x10ef, "old", 0x1000);
	assert_at(m, 0x10f0, "across", 0x10f0);
	assert_at(m, 0x110f, "across", 0x10f0);
	assert_nothing_at(m, 0x1110);
	perfmap__close(m);
}

static void a_later_entry_hides_smaller_older_ones(void **state)
{
	struct perfmap *m = parse("1000 10 a\n1010 10 b\n1020 10 c\n1008 20 new\n");

	(void)state;
	assert_at(m, 0x1007, "a", 0x1000);
	assert_at(m, 0x1008, "new", 0x1008);
	assert_at(m, 0x1010, "new", 0x1008);
	assert_at(m, 0x1027, "new", 0x1008);
	assert_at(m, 0x1028, "c", 0x1020);
	perfmap__close(m);
}

static void lines_that_do_not_parse_are_skipped(void **state)
{
	struct perfmap *m = parse("\n"
				  "hello\n"
				  "2000\n"
				  "2000 10\n"
				  "2000 10 \n"
				  "2000 0 empty\n"
				  "-2000 10 negative\n"
				  "12345678901234567 10 too big\n"
				  "ffffffffffffffff 10 wraps\n"
				  "200010 joined\n"
				  "3000 10 good");

	(void)state;
	assert_nothing_at(m, 0x2000);
	assert_nothing_at(m, UINT64_MAX);
	assert_at(m, 0x3000, "good", 0x3000);
	perfmap__close(m);
}

static void an_empty_map_names_nothing(void **state)
{
	struct perfmap *m = parse("");

	(void)state;
	assert_nothing_at(m, 0);
	assert_false(perfmap__stale(m));
	perfmap__close(m);
}

struct dir {
	char path[64], map[96];
};

static int make_dir(void **state)
{
	struct dir *d = calloc(1, sizeof(*d));

	strcpy(d->path, "/tmp/perfmap_test.XXXXXX");
	if (!mkdtemp(d->path))
		return -1;
	snprintf(d->map, sizeof(d->map), "%s/perf-1.map", d->path);
	*state = d;
	return 0;
}

static int remove_dir(void **state)
{
	struct dir *d = *state;

	unlink(d->map);
	rmdir(d->path);
	free(d);
	return 0;
}

static void append(const char *path, const char *text)
{
	FILE *f = fopen(path, "a");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static void a_map_that_grew_is_stale(void **state)
{
	struct dir *d = *state;
	struct perfmap *m;

	append(d->map, "1000 10 a\n");
	assert_int_equal(perfmap__open(&m, d->map, getuid()), 0);
	assert_at(m, 0x1000, "a", 0x1000);
	assert_false(perfmap__stale(m));
	append(d->map, "2000 10 b\n");
	assert_true(perfmap__stale(m));
	perfmap__close(m);

	assert_int_equal(perfmap__open(&m, d->map, getuid()), 0);
	assert_at(m, 0x2000, "b", 0x2000);
	assert_int_equal(unlink(d->map), 0);
	assert_false(perfmap__stale(m));
	perfmap__close(m);
}

static void a_map_that_is_not_there_is_enoent(void **state)
{
	struct dir *d = *state;
	struct perfmap *m;

	assert_int_equal(perfmap__open(&m, d->map, getuid()), -ENOENT);
	assert_null(m);
}

static void links_pipes_and_directories_are_refused(void **state)
{
	struct dir *d = *state;
	struct perfmap *m;

	assert_int_equal(symlink("/dev/null", d->map), 0);
	assert_int_equal(perfmap__open(&m, d->map, getuid()), -EPERM);
	unlink(d->map);
	/* Opening a pipe would wait for a writer. */
	assert_int_equal(mkfifo(d->map, 0600), 0);
	assert_int_equal(perfmap__open(&m, d->map, getuid()), -EPERM);
	assert_int_equal(perfmap__open(&m, d->path, getuid()), -EPERM);
}

static void a_map_of_another_user_is_refused(void **state)
{
	struct dir *d = *state;
	struct perfmap *m;

	append(d->map, "1000 10 a\n");
	if (getuid() == 0)
		assert_int_equal(chown(d->map, 12345, 12345), 0);
	assert_int_equal(perfmap__open(&m, d->map, 54321), -EPERM);
	assert_int_equal(perfmap__open(&m, d->map, getuid() ? getuid() : 12345), 0);
	perfmap__close(m);
}

static void a_huge_map_is_refused(void **state)
{
	struct dir *d = *state;
	struct perfmap *m;

	append(d->map, "1000 10 a\n");
	assert_int_equal(truncate(d->map, (1ll << 30) + 1), 0);
	assert_int_equal(perfmap__open(&m, d->map, getuid()), -EFBIG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_goes_up_to_the_end_of_the_line),
		cmocka_unit_test(later_entries_win_on_overlap),
		cmocka_unit_test(a_later_entry_hides_smaller_older_ones),
		cmocka_unit_test(lines_that_do_not_parse_are_skipped),
		cmocka_unit_test(an_empty_map_names_nothing),
		cmocka_unit_test_setup_teardown(a_map_that_grew_is_stale, make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(a_map_that_is_not_there_is_enoent, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(links_pipes_and_directories_are_refused, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(a_map_of_another_user_is_refused, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(a_huge_map_is_refused, make_dir, remove_dir),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
