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

static struct perfmaps all = { .room.max_bytes = PERFMAPS_BYTES };

static struct perfmap *parse(const char *text)
{
	struct perfmap *m = perfmap__new(&all);

	assert_non_null(m);
	assert_int_equal(perfmap__parse(m, text, strlen(text)), 0);
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
	perfmap__free(m);
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
	perfmap__free(m);
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
	perfmap__free(m);
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
	perfmap__free(m);
}

static void an_empty_map_names_nothing(void **state)
{
	struct perfmap *m = parse("");

	(void)state;
	assert_nothing_at(m, 0);
	perfmap__free(m);
	assert_int_equal(all.room.bytes, 0);
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

/* As the file of a user; what cannot be opened is the error. */
static int read_as(struct perfmap *m, const char *root, const char *path, uid_t uid)
{
	const int fd = growing__open(root, path, uid);
	int state;

	if (fd < 0)
		return fd;
	state = perfmap__read(m, fd);
	close(fd);
	return state;
}

static int read_map(struct perfmap *m, const struct dir *d)
{
	return read_as(m, d->path, "/perf-1.map", getuid());
}

/* Bytes that this process has read so far. */
static uint64_t nr_read(void)
{
	FILE *f = fopen("/proc/self/io", "r");
	unsigned long long nr = 0;

	if (!f || fscanf(f, "rchar: %llu", &nr) != 1)
		skip();
	fclose(f);
	return nr;
}

static void what_is_new_in_it_is_read(void **state)
{
	enum { LINES = 20000 };
	struct dir *d = *state;
	struct perfmap *m = perfmap__new(&all);
	uint64_t before;
	FILE *f = fopen(d->map, "w");

	assert_non_null(f);
	for (int i = 0; i < LINES; i++)
		fprintf(f, "%x 10 f%d\n", 0x100000 + i * 0x10, i);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(read_map(m, d), GROWING_WHOLE);
	assert_at(m, 0x100000, "f0", 0x100000);
	assert_at(m, 0x100000 + (LINES - 1) * 0x10, "f19999", 0x100000 + (LINES - 1) * 0x10);
	assert_int_equal(read_map(m, d), GROWING_SAME);

	append(d->map, "100008 10 new\n");
	before = nr_read();
	assert_int_equal(read_map(m, d), GROWING_WHOLE);
	assert_true(nr_read() - before < 10000); /* of 300,000 */
	assert_at(m, 0x100007, "f0", 0x100000);
	assert_at(m, 0x100017, "new", 0x100008);
	assert_at(m, 0x100018, "f1", 0x100010);
	assert_int_equal(unlink(d->map), 0);
	assert_int_equal(read_map(m, d), -ENOENT);
	assert_at(m, 0x100018, "f1", 0x100010);
	perfmap__free(m);
	assert_int_equal(all.room.bytes, 0);
}

static void half_a_line_becomes_a_whole_one(void **state)
{
	struct dir *d = *state;
	struct perfmap *m = perfmap__new(&all);

	append(d->map, "1000 10 a\n2000 10 hal");
	assert_int_equal(read_map(m, d), GROWING_WHOLE);
	assert_at(m, 0x2000, "hal", 0x2000);
	assert_int_equal(read_map(m, d), GROWING_SAME);
	append(d->map, "f\n3000 1");
	assert_int_equal(read_map(m, d), GROWING_WHOLE);
	assert_at(m, 0x2000, "half", 0x2000);
	append(d->map, "0 c\n");
	assert_int_equal(read_map(m, d), GROWING_WHOLE);
	assert_at(m, 0x300f, "c", 0x3000);
	perfmap__free(m);
}

static void another_file_of_the_name_is_read_anew(void **state)
{
	struct dir *d = *state;
	struct perfmap *m = perfmap__new(&all);

	append(d->map, "1000 10 a\n2000 10 b\n");
	assert_int_equal(read_map(m, d), GROWING_WHOLE);
	assert_int_equal(truncate(d->map, 0), 0);
	append(d->map, "3000 10 c\n");
	assert_int_equal(read_map(m, d), GROWING_WHOLE);
	assert_nothing_at(m, 0x1000);
	assert_at(m, 0x3000, "c", 0x3000);
	perfmap__free(m);
}

/* As by a JVM that is asked again: longer than it was, so that its size tells nothing. */
static void a_map_that_was_written_anew_is_read_anew(void **state)
{
	struct dir *d = *state;
	struct perfmap *m = perfmap__new(&all);

	append(d->map, "1000 10 a\n2000 10 b\n3000 10 c\n");
	assert_int_equal(read_map(m, d), GROWING_WHOLE);
	assert_int_equal(truncate(d->map, 0), 0);
	append(d->map, "1000 10 a\n1800 10 new\n2000 10 b\n3000 10 c\n4000 10 d\n");
	assert_int_equal(read_map(m, d), GROWING_WHOLE);
	assert_at(m, 0x1000, "a", 0x1000);
	assert_at(m, 0x1800, "new", 0x1800);
	assert_at(m, 0x3000, "c", 0x3000);
	assert_at(m, 0x4000, "d", 0x4000);
	perfmap__free(m);
}

static void a_large_map_is_read_in_slices(void **state)
{
	struct dir *d = *state;
	struct perfmap *m = perfmap__new(&all);
	FILE *f = fopen(d->map, "w");
	char name[1000];
	unsigned nr = 0;
	int more;

	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	for (int i = 0; i < 5000; i++)
		fprintf(f, "%x 10 %d%s\n", 0x1000 + i * 0x10, i, name);
	/* Longer than any line of use: the rest of it is none either. */
	fputs("9000 10 ", f);
	for (int i = 0; i < 3000; i++)
		fputs(name, f);
	fputs("9000 10 wrong\nf0000000 10 last\n", f);
	assert_int_equal(fclose(f), 0);
	while ((more = read_map(m, d)) == GROWING_MORE)
		nr++;
	assert_int_equal(more, GROWING_WHOLE);
	assert_true(nr >= 5 && nr <= 9); /* of 8 MB, one each */
	assert_at(m, 0xf0000000, "last", 0xf0000000);
	assert_nothing_at(m, 0x1000 + 5000 * 0x10);
	perfmap__free(m);
}

static void maps_that_have_no_room_are_cut(void **state)
{
	struct dir *d = *state;
	struct perfmaps few = { .room.max_bytes = 100000 };
	struct perfmap *m = perfmap__new(&few), *other = perfmap__new(&few);
	FILE *f = fopen(d->map, "w");

	for (int i = 0; i < 10000; i++)
		fprintf(f, "%x 10 name%d\n", 0x1000 + i * 0x10, i);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(read_map(m, d), GROWING_WHOLE);
	assert_true(few.room.bytes <= 100000 && few.room.bytes > 50000);
	assert_int_equal(few.nr_cut, 1);
	assert_at(m, 0x1000, "name0", 0x1000);
	assert_nothing_at(m, 0x1000 + 9999 * 0x10);
	assert_int_equal(read_map(m, d), GROWING_SAME);
	assert_int_equal(read_map(other, d), GROWING_WHOLE);
	assert_int_equal(few.nr_cut, 2);
	perfmap__free(m);
	perfmap__free(other);
	assert_int_equal(few.room.bytes, 0);
}

/* As programs do that run for days: there is room for 5000 names at most, 100 are in use. */
static void names_of_code_that_was_replaced_take_no_room(void **state)
{
	struct perfmaps few = { .room.max_bytes = 150000 };
	struct perfmap *m = perfmap__new(&few);
	char line[64];

	(void)state;
	for (int i = 0; i < 50000; i++) {
		int n = snprintf(line, sizeof(line), "%x 20 name%d\n", 0x1000 + i % 100 * 0x20, i);

		assert_int_equal(perfmap__parse(m, line, n), 0);
		assert_true(few.room.bytes <= 150000);
	}
	for (int i = 0; i < 100; i++) {
		snprintf(line, sizeof(line), "name%d", 49900 + i);
		assert_at(m, 0x1000 + i * 0x20, line, 0x1000 + i * 0x20);
	}
	assert_int_equal(few.nr_cut, 0);
	perfmap__free(m);
}

static void a_stranger_s_map_takes_no_more_than_the_allowance(void **state)
{
	struct dir *d = *state;
	struct allowance run;
	struct perfmaps few = { .room.max_bytes = PERFMAPS_BYTES, .run = &run };
	struct perfmap *m = perfmap__new(&few);
	FILE *f = fopen(d->map, "w");

	for (int i = 0; i < 100000; i++)
		fprintf(f, "%x 10 name%d\n", 0x1000 + i * 0x10, i);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(chmod(d->map, 0666), 0); /* anybody's */
	allowance__init(&run, 200000, 3600000000000ull);
	assert_int_equal(read_map(m, d), GROWING_WHOLE);
	assert_int_equal(few.nr_cut, 1);
	assert_int_equal(read_map(m, d), GROWING_WHOLE); /* still not all, and no other map */
	assert_int_equal(few.nr_cut, 1);
	assert_at(m, 0x1000, "name0", 0x1000);
	assert_nothing_at(m, 0x1000 + 99999 * 0x10);
	run.bytes = run.max_bytes = 100000000;
	while (read_map(m, d) == GROWING_MORE)
		;
	assert_at(m, 0x1000 + 99999 * 0x10, "name99999", 0x1000 + 99999 * 0x10);
	perfmap__free(m);
}

static void a_map_that_is_not_there_is_enoent(void **state)
{
	struct dir *d = *state;
	struct perfmap *m = perfmap__new(&all);

	assert_int_equal(read_map(m, d), -ENOENT);
	perfmap__free(m);
}

static void links_pipes_and_directories_are_refused(void **state)
{
	struct dir *d = *state;
	struct perfmap *m = perfmap__new(&all);

	assert_int_equal(symlink("/dev/null", d->map), 0);
	assert_int_equal(read_map(m, d), -EPERM);
	unlink(d->map);
	/* Opening a pipe would wait for a writer. */
	assert_int_equal(mkfifo(d->map, 0600), 0);
	assert_int_equal(read_map(m, d), -EPERM);
	assert_int_equal(read_as(m, d->path, "/", getuid()), -EPERM);
	perfmap__free(m);
}

static void a_map_of_another_user_is_refused(void **state)
{
	struct dir *d = *state;
	struct perfmap *m = perfmap__new(&all);

	append(d->map, "1000 10 a\n");
	if (getuid() == 0)
		assert_int_equal(chown(d->map, 12345, 12345), 0);
	assert_int_equal(read_as(m, d->path, "/perf-1.map", 54321), -EPERM);
	assert_nothing_at(m, 0x1000);
	assert_int_equal(read_as(m, d->path, "/perf-1.map", getuid() ? getuid() : 12345),
			 GROWING_WHOLE);
	assert_at(m, 0x1000, "a", 0x1000);
	perfmap__free(m);
}

/* Each addition against a table of bytes, the slow way. */
static void ranges_are_as_in_a_table_of_bytes(void **state)
{
	enum { BYTES = 4096, ADDED = 4000 };
	static int owner[BYTES];
	struct perfmap *m = perfmap__new(&all);
	uint32_t random = 12345;
	char line[64];
	struct sym s;

	(void)state;
	memset(owner, -1, sizeof(owner));
	for (int i = 0; i < ADDED; i++) {
		unsigned addr, size;

		random = random * 1103515245 + 12345;
		addr = (random >> 8) % BYTES;
		random = random * 1103515245 + 12345;
		size = 1 + (random >> 8) % (i % 50 ? 12 : BYTES);
		if (size > BYTES - addr)
			size = BYTES - addr;
		snprintf(line, sizeof(line), "%x %x %d\n", addr, size, i);
		assert_int_equal(perfmap__parse(m, line, strlen(line)), 0);
		for (unsigned at = addr; at < addr + size; at++)
			owner[at] = i;
		if (i % 100 && i != ADDED - 1)
			continue;
		for (unsigned at = 0; at < BYTES; at++) {
			assert_int_equal(perfmap__find(m, at, &s), owner[at] >= 0);
			if (owner[at] >= 0)
				assert_int_equal(atoi(s.name), owner[at]);
		}
	}
	perfmap__free(m);
	assert_int_equal(all.room.bytes, 0);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_name_goes_up_to_the_end_of_the_line),
		cmocka_unit_test(later_entries_win_on_overlap),
		cmocka_unit_test(a_later_entry_hides_smaller_older_ones),
		cmocka_unit_test(ranges_are_as_in_a_table_of_bytes),
		cmocka_unit_test(lines_that_do_not_parse_are_skipped),
		cmocka_unit_test(an_empty_map_names_nothing),
		IN_DIR(what_is_new_in_it_is_read),
		IN_DIR(half_a_line_becomes_a_whole_one),
		IN_DIR(another_file_of_the_name_is_read_anew),
		IN_DIR(a_map_that_was_written_anew_is_read_anew),
		IN_DIR(a_large_map_is_read_in_slices),
		IN_DIR(maps_that_have_no_room_are_cut),
		cmocka_unit_test(names_of_code_that_was_replaced_take_no_room),
		IN_DIR(a_stranger_s_map_takes_no_more_than_the_allowance),
		IN_DIR(a_map_that_is_not_there_is_enoent),
		IN_DIR(links_pipes_and_directories_are_refused),
		IN_DIR(a_map_of_another_user_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
