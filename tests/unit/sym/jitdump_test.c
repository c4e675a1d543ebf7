// SPDX-License-Identifier: BSD-2-Clause
#include <byteswap.h>
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/buf.h"
#include "sym/jitdump.h"

enum { ROOM = 1 << 20 };
enum { LOAD, MOVE = 1, DEBUG_INFO = 2, CLOSE = 3, UNWINDING_INFO = 4 };

static struct spans_room room = { .max_bytes = ROOM };
static struct jitdumps all = { .room = &room };

static void put(struct buf *b, const void *bytes, size_t len)
{
	assert_int_equal(buf__put(b, bytes, len), 0);
}

static void put32(struct buf *b, uint32_t v)
{
	put(b, &v, sizeof(v));
}

static void put64(struct buf *b, uint64_t v)
{
	put(b, &v, sizeof(v));
}

static void put_header(struct buf *b, uint32_t magic, uint32_t version, uint32_t size)
{
	put32(b, magic);
	put32(b, version);
	put32(b, size);
	put32(b, 62); /* EM_X86_64 */
	put32(b, 0);
	put32(b, 1234);
	put64(b, 1000);
	put64(b, 0);
}

static void put_record(struct buf *b, uint32_t id, uint32_t size)
{
	put32(b, id);
	put32(b, size);
	put64(b, 2000);
}

static void put_load(struct buf *b, uint64_t addr, uint64_t size, const char *name, size_t code)
{
	put_record(b, LOAD, 56 + strlen(name) + 1 + code);
	put32(b, 1234);
	put32(b, 1235);
	put64(b, addr);
	put64(b, addr);
	put64(b, size);
	put64(b, 7);
	put(b, name, strlen(name) + 1);
	for (size_t i = 0; i < code; i++)
		put(b, "\xcc", 1);
}

static void put_move(struct buf *b, uint64_t from, uint64_t to, uint64_t size)
{
	put_record(b, MOVE, 64);
	put32(b, 1234);
	put32(b, 1235);
	put64(b, to);
	put64(b, from);
	put64(b, to);
	put64(b, size);
	put64(b, 7);
}

static void put_good_header(struct buf *b)
{
	put_header(b, 0x4a695444, 1, 40);
}

static int parse(struct jitdump *d, const struct buf *b, uint64_t *used)
{
	const struct growing_part part = { b->data, b->len, b->len };

	return jitdump__parse(d, &part, used);
}

static struct jitdump *parse_all(const struct buf *b)
{
	struct jitdump *d = jitdump__new(&all);
	uint64_t used;

	assert_non_null(d);
	assert_int_equal(parse(d, b, &used), 0);
	assert_int_equal(used, b->len);
	return d;
}

static void assert_at(const struct jitdump *d, uint64_t addr, const char *name, uint64_t start)
{
	struct sym s;

	assert_true(jitdump__find(d, addr, &s));
	assert_string_equal(s.name, name);
	assert_int_equal(s.addr, start);
}

static void assert_nothing_at(const struct jitdump *d, uint64_t addr)
{
	struct sym s;

	assert_false(jitdump__find(d, addr, &s));
}

static void end(struct jitdump *d, struct buf *b)
{
	jitdump__free(d);
	buf__free(b);
	assert_int_equal(room.bytes, 0);
}

static void loads_are_named_and_the_rest_is_stepped_over(void **state)
{
	struct buf b = {};
	struct jitdump *d;

	(void)state;
	put_header(&b, 0x4a695444, 1, 48); /* a longer one, of some later writer */
	put64(&b, UINT64_MAX);
	put_record(&b, DEBUG_INFO, 24);
	put64(&b, UINT64_MAX);
	put_load(&b, 0x1000, 0x20, "LazyCompile:*run app.js:1:2", 0x20);
	put_record(&b, UNWINDING_INFO, 16);
	put_record(&b, 77, 21);
	put(&b, "\x01\x02\x03\x04\x05", 5);
	put_load(&b, 0x2000, 0x10, "b", 0x10);
	put_record(&b, CLOSE, 16);
	d = parse_all(&b);
	assert_at(d, 0x101f, "LazyCompile:*run app.js:1:2", 0x1000);
	assert_nothing_at(d, 0x1020);
	assert_at(d, 0x2000, "b", 0x2000);
	end(d, &b);
}

static void the_latest_of_overlapping_loads_wins(void **state)
{
	struct buf b = {};
	struct jitdump *d;

	(void)state;
	put_good_header(&b);
	put_load(&b, 0x1000, 0x100, "old", 0);
	put_load(&b, 0x1040, 0x20, "new", 0);
	d = parse_all(&b);
	assert_at(d, 0x103f, "old", 0x1000);
	assert_at(d, 0x1040, "new", 0x1040);
	assert_at(d, 0x1060, "old", 0x1000);
	end(d, &b);
}

static void moved_code_keeps_its_name(void **state)
{
	struct buf b = {};
	struct jitdump *d;

	(void)state;
	put_good_header(&b);
	put_load(&b, 0x1000, 0x10, "a", 0x10);
	put_move(&b, 0x1000, 0x3000, 0x10);
	put_move(&b, 0x1004, 0x4000, 0x10); /* no code begins there */
	put_move(&b, 0x9000, 0x5000, 0x10); /* there is none */
	put_load(&b, 0x1000, 0x10, "b", 0x10);
	d = parse_all(&b);
	assert_at(d, 0x300f, "a", 0x3000);
	assert_at(d, 0x1000, "b", 0x1000);
	assert_nothing_at(d, 0x4000);
	assert_nothing_at(d, 0x5000);
	end(d, &b);
}

static void half_a_record_waits_for_the_rest(void **state)
{
	struct jitdump *d = jitdump__new(&all);
	struct buf b = {};
	size_t whole;
	uint64_t used;

	(void)state;
	put_good_header(&b);
	put_load(&b, 0x1000, 0x10, "a", 0x10);
	whole = b.len;
	put_load(&b, 0x2000, 0x10, "b", 0x10);
	for (size_t len = whole; len < b.len; len++) {
		const struct growing_part part = { b.data, len, len };

		jitdump__free(d);
		d = jitdump__new(&all);
		assert_int_equal(jitdump__parse(d, &part, &used), 0);
		assert_int_equal(used, whole);
		assert_at(d, 0x1000, "a", 0x1000);
		assert_nothing_at(d, 0x2000);
	}
	const struct growing_part rest = { b.data + whole, b.len - whole, b.len - whole };

	assert_int_equal(jitdump__parse(d, &rest, &used), 0);
	assert_int_equal(used, b.len - whole);
	assert_at(d, 0x2000, "b", 0x2000);
	end(d, &b);
}

/* Of the code of a large function nothing needs to be there. */
static void code_behind_a_part_is_not_looked_at(void **state)
{
	struct jitdump *d = jitdump__new(&all);
	struct growing_part part;
	struct buf b = {};
	uint64_t used;

	(void)state;
	put_good_header(&b);
	put_load(&b, 0x1000, 8000, "large", 8000);
	part = (struct growing_part){ b.data, 5000, b.len + 100 };
	assert_int_equal(jitdump__parse(d, &part, &used), 0);
	assert_int_equal(used, b.len);
	assert_at(d, 0x1000, "large", 0x1000);
	end(d, &b);
}

static void assert_refused(const struct buf *b, int err)
{
	struct jitdump *d = jitdump__new(&all);
	uint64_t used;

	assert_int_equal(parse(d, b, &used), err);
	jitdump__free(d);
}

static void other_files_are_refused(void **state)
{
	struct buf b = {};

	(void)state;
	put_header(&b, 0x464c457f, 1, 40);
	assert_refused(&b, -ENOEXEC);
	buf__free(&b);
	put_header(&b, bswap_32(0x4a695444), bswap_32(1), bswap_32(40));
	assert_refused(&b, -EPROTO);
	buf__free(&b);
	put_header(&b, 0x4a695444, 2, 40);
	assert_refused(&b, -EPROTO);
	buf__free(&b);
	put_header(&b, 0x4a695444, 1, 39);
	assert_refused(&b, -EBADMSG);
	buf__free(&b);
	assert_string_equal(jitdump__strerror(-ENOEXEC), "not a jitdump");
	assert_string_equal(jitdump__strerror(-EPROTO),
			    "a jitdump of another byte order or version");
}

static void sizes_that_cannot_be_are_refused(void **state)
{
	static const struct {
		uint32_t id, size;
	} records[] = { { 0, 0 }, { 0, 15 }, { 99, 0 }, { 0, 16 }, { 0, 55 }, { MOVE, 63 } };
	struct buf b = {};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(records); i++) {
		put_good_header(&b);
		put_record(&b, records[i].id, records[i].size);
		for (int n = 0; n < 64; n++)
			put(&b, "", 1);
		assert_refused(&b, -EBADMSG);
		buf__free(&b);
	}
}

static void ranges_without_sense_have_no_name(void **state)
{
	struct buf b = {};
	struct jitdump *d;

	(void)state;
	put_good_header(&b);
	put_load(&b, 0x1000, 0, "empty", 0);
	put_load(&b, UINT64_MAX - 4, 8, "wraps", 0);
	put_load(&b, 0x2000, 8, "", 0);
	put_load(&b, 0x3000, UINT64_MAX - 0x3000, "all", 0);
	put_load(&b, 0x4000, 8, "a", 0);
	put_move(&b, 0x4000, UINT64_MAX - 4, 8);
	put_record(&b, LOAD, 56 + 3); /* a name without a NUL */
	put64(&b, 0);
	put64(&b, 0x5000);
	put64(&b, 0x5000);
	put64(&b, 8);
	put64(&b, 7);
	put(&b, "abc", 3);
	d = parse_all(&b);
	assert_nothing_at(d, 0x1000);
	assert_nothing_at(d, UINT64_MAX - 4);
	assert_nothing_at(d, 0x2000);
	assert_at(d, 0x4007, "a", 0x4000);
	assert_at(d, 0x5007, "abc", 0x5000);
	end(d, &b);
}

static void long_names_are_cut(void **state)
{
	char name[SPANS_NAME_BYTES + 100];
	struct buf b = {};
	struct jitdump *d;
	struct sym s;

	(void)state;
	memset(name, 'n', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	put_good_header(&b);
	put_load(&b, 0x1000, 8, name, 8);
	put_move(&b, 0x1000, 0x2000, 8);
	d = parse_all(&b);
	assert_true(jitdump__find(d, 0x2000, &s));
	assert_int_equal(strlen(s.name), SPANS_NAME_BYTES);
	end(d, &b);
}

static void paths_are_those_of_the_process(void **state)
{
	(void)state;
	assert_true(jitdump__is_path("/tmp/x/jit-123.dump", 123));
	assert_true(jitdump__is_path("/jit-123.dump", 123));
	assert_false(jitdump__is_path("/tmp/x/jit-1234.dump", 123));
	assert_false(jitdump__is_path("/tmp/x/jit-4294967419.dump", 123));
	assert_true(jitdump__is_any("/tmp/jit-99.dump"));
	assert_false(jitdump__is_any("/tmp/jit-.dump"));
	assert_false(jitdump__is_any("/tmp/jit--1.dump"));
	assert_false(jitdump__is_any("/tmp/jit-1.dump (deleted)"));
	assert_false(jitdump__is_any("/tmp/jit-12345678901.dump"));
	assert_false(jitdump__is_any("/jit-1.dump/libc.so"));
	assert_false(jitdump__is_any("jit-1.dump"));
}

struct dir {
	char path[64], dump[96];
};

static int make_dir(void **state)
{
	struct dir *d = calloc(1, sizeof(*d));

	strcpy(d->path, "/tmp/jitdump_test.XXXXXX");
	if (!mkdtemp(d->path))
		return -1;
	snprintf(d->dump, sizeof(d->dump), "%s/jit-1.dump", d->path);
	*state = d;
	return 0;
}

static int remove_dir(void **state)
{
	struct dir *d = *state;

	unlink(d->dump);
	rmdir(d->path);
	free(d);
	return 0;
}

static void append(const struct dir *dir, struct buf *b)
{
	FILE *f = fopen(dir->dump, "a");

	assert_non_null(f);
	assert_int_equal(fwrite(b->data, 1, b->len, f), b->len);
	assert_int_equal(fclose(f), 0);
	buf__free(b);
}

static int read_dump(struct jitdump *d, const struct dir *dir)
{
	const int fd = jitdump__is_open(d) ? -1 : growing__open(dir->path, "/jit-1.dump", getuid());

	return fd < -1 ? fd : jitdump__read(d, fd);
}

static void it_is_read_on_when_its_process_is_gone(void **state)
{
	struct jitdump *d = jitdump__new(&all);
	struct dir *dir = *state;
	struct buf b = {};

	assert_int_equal(read_dump(d, dir), -ENOENT);
	put_good_header(&b);
	put_load(&b, 0x1000, 8, "a", 8);
	append(dir, &b);
	assert_int_equal(read_dump(d, dir), GROWING_WHOLE);
	assert_int_equal(read_dump(d, dir), GROWING_SAME);
	put_load(&b, 0x2000, 8, "b", 8);
	append(dir, &b);
	assert_int_equal(jitdump__read(d, -1), GROWING_WHOLE);
	assert_at(d, 0x1000, "a", 0x1000);
	assert_at(d, 0x2000, "b", 0x2000);
	assert_int_equal(all.nr_open, 1);
	end(d, &b);
	assert_int_equal(all.nr_open, 0);
}

static void what_is_no_dump_is_told_once(void **state)
{
	struct jitdump *d = jitdump__new(&all);
	struct dir *dir = *state;
	struct buf b = {};

	put_header(&b, 1, 1, 40);
	append(dir, &b);
	assert_int_equal(read_dump(d, dir), -ENOEXEC);
	assert_int_equal(read_dump(d, dir), GROWING_SAME);
	end(d, &b);
}

static void a_large_dump_is_read_in_slices(void **state)
{
	enum { FUNCTIONS = 5000, CODE = 1000 };
	struct jitdump *d = jitdump__new(&all);
	struct dir *dir = *state;
	struct buf b = {};
	char name[32];
	int nr = 0, more;

	put_good_header(&b);
	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		put_load(&b, 0x100000 + i * CODE, CODE, name, CODE);
	}
	append(dir, &b);
	while ((more = read_dump(d, dir)) == GROWING_MORE)
		nr++;
	assert_int_equal(more, GROWING_WHOLE);
	assert_true(nr >= 3 && nr <= 6); /* of 5 MB, one each */
	for (int i = 0; i < FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "f%d", i);
		assert_at(d, 0x100000 + i * CODE + CODE - 1, name, 0x100000 + i * CODE);
	}
	end(d, &b);
}

static void dumps_that_have_no_room_are_cut(void **state)
{
	struct spans_room little = { .max_bytes = 100000 };
	struct jitdumps few = { .room = &little };
	struct jitdump *d = jitdump__new(&few);
	struct dir *dir = *state;
	struct buf b = {};

	put_good_header(&b);
	for (int i = 0; i < 10000; i++)
		put_load(&b, 0x100000 + i * 16, 16, "name", 0);
	append(dir, &b);
	assert_int_equal(read_dump(d, dir), GROWING_WHOLE);
	assert_int_equal(few.nr_cut, 1);
	assert_true(little.bytes <= 100000 && little.bytes > 50000);
	assert_at(d, 0x100000, "name", 0x100000);
	jitdump__free(d);
	assert_int_equal(little.bytes, 0);
}

static void a_dump_of_another_user_is_refused(void **state)
{
	struct jitdump *d = jitdump__new(&all);
	struct dir *dir = *state;
	struct buf b = {};

	put_good_header(&b);
	append(dir, &b);
	if (getuid() == 0)
		assert_int_equal(chown(dir->dump, 12345, 12345), 0);
	assert_int_equal(growing__open(dir->path, "/jit-1.dump", 54321), -EPERM);
	end(d, &b);
}

#define IN_DIR(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(loads_are_named_and_the_rest_is_stepped_over),
		cmocka_unit_test(the_latest_of_overlapping_loads_wins),
		cmocka_unit_test(moved_code_keeps_its_name),
		cmocka_unit_test(half_a_record_waits_for_the_rest),
		cmocka_unit_test(code_behind_a_part_is_not_looked_at),
		cmocka_unit_test(other_files_are_refused),
		cmocka_unit_test(sizes_that_cannot_be_are_refused),
		cmocka_unit_test(ranges_without_sense_have_no_name),
		cmocka_unit_test(long_names_are_cut),
		cmocka_unit_test(paths_are_those_of_the_process),
		IN_DIR(it_is_read_on_when_its_process_is_gone),
		IN_DIR(what_is_no_dump_is_told_once),
		IN_DIR(a_large_dump_is_read_in_slices),
		IN_DIR(dumps_that_have_no_room_are_cut),
		IN_DIR(a_dump_of_another_user_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
