// SPDX-License-Identifier: BSD-2-Clause
/* Where the symbols of a stripped file are looked for, and what is refused there. */
#include "elf_fixture.h"

#include <errno.h>

#include "base/regular.h"

static void a_debuglink_is_followed(void **state)
{
	static const char *const dirs[] = { ".", ".debug" };
	struct dir *d = *state;
	uint64_t hidden = nm_address(d, "full.so", "hidden");
	struct binary *b;
	size_t i;

	/* Without a build-id, so that only the link can lead there. */
	must(sh(d, "cc -O1 -g -fPIC -shared -Wl,--build-id=none -o nb.so lib.c && mkdir .debug"));
	hidden = nm_address(d, "nb.so", "hidden");
	for (i = 0; i < ARRAY_SIZE(dirs); i++) {
		must(sh(d,
			"rm -f lib.dbg .debug/lib.dbg && objcopy --only-keep-debug nb.so lib.dbg "
			"&& "
			"cp nb.so lib.so && strip lib.so && "
			"objcopy --add-gnu-debuglink=lib.dbg lib.so && "
			"{ test %s = . || mv lib.dbg %s; }",
			dirs[i], dirs[i]));
		b = open_lib(d);
		assert_name(b, hidden, "hidden");
		binary__close(b);
	}
}

/* Of root's library: what a stranger has put where it is looked for, as he can in a root of his. */
static void a_debug_file_of_another_user_is_refused(void **state)
{
	struct dir *d = *state;
	struct debug_places places = { .root = "", .path = d->lib };
	const struct opener others = { .open = debug_places__open, .arg = &places };
	static const uint32_t owners[] = { 0, FILE_OF_ANYBODY, FILE_OWNER_UNKNOWN, 12346, 12345 };
	uint64_t hidden = nm_address(d, "full.so", "hidden");
	struct binary *b;

	if (geteuid())
		skip();
	must(sh(d,
		"objcopy --only-keep-debug full.so lib.dbg && cp full.so lib.so && strip lib.so && "
		"objcopy --add-gnu-debuglink=lib.dbg lib.so && chown 12345 lib.dbg"));
	for (size_t i = 0; i < ARRAY_SIZE(owners); i++) {
		places.owner = owners[i];
		assert_int_equal(
			binary__open(&b, open(d->lib, O_RDONLY | O_CLOEXEC), &others, NULL), 0);
		assert_name(b, hidden, owners[i] == 12345 ? "hidden" : "(none)");
		binary__close(b);
	}
	must(sh(d, "chmod 666 lib.dbg"));
	b = open_lib(d);
	assert_name(b, hidden, "(none)");
	binary__close(b);
	must(sh(d, "chmod 644 lib.dbg && chown 0 lib.dbg"));
	b = open_lib(d);
	assert_name(b, hidden, "hidden");
	binary__close(b);
}

static void a_debuglink_with_another_checksum_is_refused(void **state)
{
	struct dir *d = *state;
	uint64_t hidden;
	struct binary *b;

	must(sh(d, "cc -O1 -g -fPIC -shared -Wl,--build-id=none -o nb.so lib.c && "
		   "objcopy --only-keep-debug nb.so lib.dbg && cp nb.so lib.so && strip lib.so && "
		   "objcopy --add-gnu-debuglink=lib.dbg lib.so && printf x >> lib.dbg"));
	hidden = nm_address(d, "nb.so", "hidden");
	b = open_lib(d);
	assert_name(b, hidden, "(none)");
	binary__close(b);
}

/* The name is a stranger's: "../../secret" must not be looked for. */
static void a_debuglink_with_a_slash_is_refused(void **state)
{
	struct dir *d = *state;
	uint64_t hidden;
	struct binary *b;

	must(sh(d,
		"cc -O1 -g -fPIC -shared -Wl,--build-id=none -o nb.so lib.c && mkdir sub && "
		"objcopy --only-keep-debug nb.so sub/a.dbg && cp nb.so lib.so && strip lib.so && "
		"objcopy --add-gnu-debuglink=sub/a.dbg lib.so && "
		"cp sub/a.dbg a.dbg && sed -i 's/a\\.dbg/..\\/xx/' lib.so"));
	hidden = nm_address(d, "nb.so", "hidden");
	b = open_lib(d);
	assert_name(b, hidden, "(none)");
	binary__close(b);
}

/* The process sees /app/lib.so; its root is somewhere else for us. */
static void a_debuglink_is_looked_for_below_the_root(void **state)
{
	struct dir *d = *state;
	char root[96];
	uint64_t hidden;
	struct binary *b;

	must(sh(d, "cc -O1 -g -fPIC -shared -Wl,--build-id=none -o nb.so lib.c && "
		   "mkdir -p r/usr/lib/debug/app && "
		   "objcopy --only-keep-debug nb.so lib.dbg && cp nb.so lib.so && strip lib.so && "
		   "objcopy --add-gnu-debuglink=lib.dbg lib.so && "
		   "mv lib.dbg r/usr/lib/debug/app"));
	hidden = nm_address(d, "nb.so", "hidden");
	snprintf(root, sizeof(root), "%s/r", d->path);
	b = open_as(d->lib, "/app/lib.so", root);
	assert_name(b, hidden, "hidden");
	binary__close(b);
}

static void move_to_build_id_dir(struct dir *d)
{
	must(sh(d, "id=$(readelf -n lib.so | sed -n 's/.*Build ID: //p') && "
		   "dir=r/usr/lib/debug/.build-id/$(echo $id | cut -c1-2) && mkdir -p $dir && "
		   "objcopy --only-keep-debug full.so $dir/$(echo $id | cut -c3-).debug && "
		   "strip lib.so"));
}

static void a_debug_file_is_found_by_its_build_id(void **state)
{
	struct dir *d = *state;
	char root[96];
	struct binary *b;

	move_to_build_id_dir(d);
	snprintf(root, sizeof(root), "%s/r", d->path);
	b = open_as(d->lib, "/app/lib.so", root);
	assert_name(b, nm_address(d, "full.so", "hidden"), "hidden");
	binary__close(b);
}

/* A container's absolute links mean its own files, not ours. */
static void links_below_a_root_stay_inside(void **state)
{
	struct dir *d = *state;
	char root[96];
	struct binary *b;

	move_to_build_id_dir(d);
	must(sh(d, "mv r/usr/lib/debug r/elsewhere && ln -s /elsewhere r/usr/lib/debug"));
	snprintf(root, sizeof(root), "%s/r", d->path);
	b = open_as(d->lib, "/app/lib.so", root);
	assert_name(b, nm_address(d, "full.so", "hidden"), "hidden");
	binary__close(b);
	must(sh(d, "rm r/usr/lib/debug && ln -s %s/r/elsewhere r/usr/lib/debug", d->path));
	b = open_as(d->lib, "/app/lib.so", root);
	assert_name(b, nm_address(d, "full.so", "hidden"), "(none)");
	binary__close(b);
}

static void a_debug_file_of_another_build_is_refused(void **state)
{
	struct dir *d = *state;
	char root[96];
	struct binary *b;

	move_to_build_id_dir(d);
	must(sh(d, "echo 'int other(void) { return 7; }' >> lib.c && "
		   "cc -O1 -g -fPIC -shared -Wl,--build-id -o other.so lib.c && "
		   "objcopy --only-keep-debug other.so $(find r -name '*.debug')"));
	snprintf(root, sizeof(root), "%s/r", d->path);
	b = open_as(d->lib, "/app/lib.so", root);
	assert_name(b, nm_address(d, "full.so", "hidden"), "(none)");
	binary__close(b);
}

static void a_pipe_in_place_of_a_debug_file_does_not_block(void **state)
{
	struct dir *d = *state;
	char root[96];
	struct binary *b;

	move_to_build_id_dir(d);
	must(sh(d, "f=$(find r -name '*.debug') && rm $f && mkfifo $f"));
	snprintf(root, sizeof(root), "%s/r", d->path);
	b = open_as(d->lib, "/app/lib.so", root);
	assert_name(b, nm_address(d, "full.so", "visible"), "visible");
	binary__close(b);
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

/* nb.so and lib.so without a build-id, the latter stripped; its symbols are in lib.dbg. */
static void split_without_id(struct dir *d)
{
	must(sh(d, "cc -O1 -g -fPIC -shared -Wl,--build-id=none -o nb.so lib.c && "
		   "objcopy --only-keep-debug nb.so lib.dbg && cp nb.so lib.so && strip lib.so && "
		   "objcopy --add-gnu-debuglink=lib.dbg lib.so"));
}

/* objcopy has summed up the zeros one by one. */
static void holes_are_summed_up_without_being_read(void **state)
{
	struct dir *d = *state;
	uint64_t before;
	struct binary *b;

	split_without_id(d);
	must(sh(d, "cp nb.so lib.so && strip lib.so && truncate -s +100000001 lib.dbg && "
		   "printf end >>lib.dbg && truncate -s +65536 lib.dbg && "
		   "objcopy --add-gnu-debuglink=lib.dbg lib.so && "
		   "test $(du -k lib.dbg | cut -f1) -lt 1000"));
	before = nr_read();
	b = open_lib(d);
	assert_name(b, nm_address(d, "nb.so", "hidden"), "hidden");
	assert_true(nr_read() - before < 2000000);
	binary__close(b);
}

static void a_file_made_of_a_hole_costs_next_to_nothing(void **state)
{
	struct dir *d = *state;
	uint64_t before, hidden;
	struct binary *b;

	split_without_id(d);
	hidden = nm_address(d, "nb.so", "hidden");
	must(sh(d, "truncate -s 64 lib.dbg && truncate -s 1G lib.dbg && mkdir .debug && "
		   "cp lib.dbg .debug/lib.dbg"));
	before = nr_read();
	b = open_lib(d);
	assert_name(b, hidden, "(none)");
	assert_true(nr_read() - before < 2000000);
	binary__close(b);
}

/* A checksum over all of it would say the same, and cost all of it. */
static void a_build_id_stands_for_the_checksum(void **state)
{
	struct dir *d = *state;
	uint64_t before, hidden = nm_address(d, "full.so", "hidden");
	struct binary *b;

	must(sh(d, "objcopy --only-keep-debug full.so lib.dbg && strip lib.so && "
		   "objcopy --add-gnu-debuglink=lib.dbg lib.so && "
		   "head -c 20000000 /dev/urandom >>lib.dbg"));
	before = nr_read();
	b = open_lib(d);
	assert_name(b, hidden, "hidden");
	assert_true(nr_read() - before < 2000000);
	binary__close(b);
	must(sh(d, "echo 'int other(void) { return 7; }' >>lib.c && "
		   "cc -O1 -g -fPIC -shared -Wl,--build-id -o other.so lib.c && "
		   "objcopy --only-keep-debug other.so lib.dbg && cp full.so lib.so && "
		   "strip lib.so && head -c 20000000 /dev/urandom >>lib.dbg && "
		   "objcopy --add-gnu-debuglink=lib.dbg lib.so"));
	before = nr_read();
	b = open_lib(d);
	assert_name(b, hidden, "(none)");
	assert_true(nr_read() - before < 2000000);
	binary__close(b);
}

/* Everybody may write to these, so they may be anybody's. */
static struct binary *open_foreign(struct dir *d, struct allowance *a, uint64_t bytes)
{
	allowance__init(a, bytes, 3600000000000ull);
	return open_for(d->lib, d->lib, "", a);
}

static void strangers_files_are_read_as_far_as_the_allowance_goes(void **state)
{
	struct dir *d = *state;
	struct allowance a;
	uint64_t hidden, visible;
	struct binary *b;

	split_without_id(d);
	must(sh(d, "head -c 500000 /dev/urandom >>lib.dbg && cp nb.so lib.so && strip lib.so && "
		   "objcopy --add-gnu-debuglink=lib.dbg lib.so && chmod 666 lib.so lib.dbg"));
	hidden = nm_address(d, "nb.so", "hidden");
	visible = nm_address(d, "nb.so", "visible");
	b = open_foreign(d, &a, 2000000);
	assert_name(b, hidden, "hidden");
	assert_int_equal(a.nr_files_cut, 0);
	assert_true(a.bytes <= 1500000 && a.bytes > 0);
	binary__close(b);

	/* Not even half of a table: it would lend its names to what is in the other half. */
	b = open_foreign(d, &a, 400000);
	assert_name(b, hidden, "(none)");
	assert_name(b, visible, "(none)");
	assert_true(a.nr_files_cut > 0);
	binary__close(b);
}

/* It is not even read. */
static void a_strangers_debug_file_costs_no_name_of_the_file_s_own(void **state)
{
	struct dir *d = *state;
	struct allowance a;
	uint64_t hidden, visible;
	struct binary *b;

	split_without_id(d);
	must(sh(d, "head -c 500000 /dev/urandom >>lib.dbg && cp nb.so lib.so && strip lib.so && "
		   "objcopy --add-gnu-debuglink=lib.dbg lib.so && chmod 666 lib.dbg && "
		   "chmod 644 lib.so"));
	hidden = nm_address(d, "nb.so", "hidden");
	visible = nm_address(d, "nb.so", "visible");
	b = open_foreign(d, &a, 400000);
	assert_name(b, hidden, "(none)");
	assert_name(b, visible, "visible");
	assert_int_equal(a.nr_files_cut, 0);
	assert_int_equal(a.bytes, 400000);
	binary__close(b);
}

/* As the Fedora packages do: only what .dynsym lacks, packed. */
static void packed_symbols_are_merged_with_the_dynamic_ones(void **state)
{
#ifdef HAVE_LZMA
	struct dir *d = *state;
	struct binary *b;

	must(sh(d, "objcopy --strip-all --keep-symbol=hidden full.so mini && xz mini && "
		   "strip lib.so && objcopy --add-section .gnu_debugdata=mini.xz lib.so"));
	b = open_lib(d);
	assert_name(b, nm_address(d, "full.so", "hidden"), "hidden");
	assert_name(b, nm_address(d, "full.so", "visible"), "visible");
	binary__close(b);
#else
	(void)state;
	skip();
#endif
}

/* Some 10 KB of 64 MB; that there are more bytes behind them makes them no more. */
static void packed_symbols_that_unpack_without_measure_are_refused(void **state)
{
#ifdef HAVE_LZMA
	struct dir *d = *state;
	struct binary *b;

	must(sh(d, "objcopy --strip-all --keep-symbol=hidden full.so mini && "
		   "truncate -s 64M mini && xz -0 mini && truncate -s 2M mini.xz && "
		   "strip lib.so && objcopy --add-section .gnu_debugdata=mini.xz lib.so"));
	b = open_lib(d);
	assert_name(b, nm_address(d, "full.so", "hidden"), "(none)");
	assert_name(b, nm_address(d, "full.so", "visible"), "visible");
	binary__close(b);
#else
	(void)state;
	skip();
#endif
}

static void damaged_packed_symbols_cost_only_names(void **state)
{
	struct dir *d = *state;
	struct binary *b;

	must(sh(d, "objcopy --strip-all --keep-symbol=hidden full.so mini && xz mini && "
		   "truncate -s -40 mini.xz && "
		   "strip lib.so && objcopy --add-section .gnu_debugdata=mini.xz lib.so"));
	b = open_lib(d);
	assert_name(b, nm_address(d, "full.so", "hidden"), "(none)");
	assert_name(b, nm_address(d, "full.so", "visible"), "visible");
	binary__close(b);
}

/* A server's files, as an opener has them. */
struct served {
	const char *path;  /* NULL: on its way */
	const char *local; /* in the second place by build-id; NULL: it is not here */
	unsigned nr_asked, nr_refused;
};

static int open_served(void *arg, uint32_t file, const struct debug_place *place, unsigned nr)
{
	struct served *s = arg;

	(void)file;
	if (place->kind == PLACE_BY_ID && !nr)
		return -EAGAIN; /* its owner has a lease on it */
	if (place->kind == PLACE_BY_ID && nr == 1 && s->local)
		return open(s->local, O_RDONLY | O_CLOEXEC);
	if (place->kind != PLACE_BY_SERVER)
		return -ENODATA;
	s->nr_asked += !nr;
	s->nr_refused += nr == 1;
	if (nr)
		return -ENODATA;
	return s->path ? open(s->path, O_RDONLY | O_CLOEXEC) : -EAGAIN;
}

static struct binary *open_with_server(const struct dir *d, struct served *s)
{
	const struct opener others = { .open = open_served, .arg = s };
	struct binary *b;

	assert_int_equal(binary__open(&b, open(d->lib, O_RDONLY | O_CLOEXEC), &others, NULL), 0);
	return b;
}

/* Until it is there, not even the names that the file has itself are given for good. */
static void what_a_server_sends_is_waited_for(void **state)
{
	struct dir *d = *state;
	struct served s = {};
	struct binary *b;
	char path[96];

	must(sh(d, "objcopy --only-keep-debug full.so lib.dbg && strip lib.so"));
	b = open_with_server(d, &s);
	assert_name(b, nm_address(d, "full.so", "visible"), "(none)");
	assert_true(binary__waits(b));
	assert_name(b, nm_address(d, "full.so", "hidden"), "(none)");
	assert_true(binary__waits(b));
	assert_int_equal(s.nr_asked, 2);
	assert_int_equal(binary__nr_files(b), 1);

	snprintf(path, sizeof(path), "%s/lib.dbg", d->path);
	s.path = path;
	assert_name(b, nm_address(d, "full.so", "hidden"), "hidden");
	assert_false(binary__waits(b));
	assert_name(b, nm_address(d, "full.so", "visible"), "visible");
	assert_int_equal(s.nr_asked, 3);
	assert_int_equal(s.nr_refused, 0);
	binary__close(b);
}

static void a_file_with_a_lease_is_not_waited_for(void **state)
{
	struct dir *d = *state;
	struct served s = {};
	struct binary *b;
	char path[96];

	must(sh(d, "objcopy --only-keep-debug full.so lib.dbg && strip lib.so"));
	snprintf(path, sizeof(path), "%s/lib.dbg", d->path);
	s.local = path;
	b = open_with_server(d, &s);
	assert_name(b, nm_address(d, "full.so", "hidden"), "hidden");
	assert_int_equal(s.nr_asked, 0);
	binary__close(b);
}

static void another_file_that_a_server_sends_is_refused(void **state)
{
	struct dir *d = *state;
	struct served s = {};
	struct binary *b;
	char path[96];

	must(sh(d, "echo 'int other(void) { return 7; }' >>lib.c && strip lib.so && "
		   "cc -O1 -g -fPIC -shared -Wl,--build-id -o other.so lib.c"));
	snprintf(path, sizeof(path), "%s/other.so", d->path);
	s.path = path;
	b = open_with_server(d, &s);
	assert_name(b, nm_address(d, "full.so", "hidden"), "(none)");
	assert_name(b, nm_address(d, "full.so", "visible"), "visible");
	assert_int_equal(s.nr_asked, 1);
	assert_int_equal(s.nr_refused, 1);
	binary__close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(a_debuglink_is_followed),
		IN_DIR(a_debug_file_of_another_user_is_refused),
		IN_DIR(a_debuglink_with_another_checksum_is_refused),
		IN_DIR(a_debuglink_with_a_slash_is_refused),
		IN_DIR(a_debuglink_is_looked_for_below_the_root),
		IN_DIR(a_debug_file_is_found_by_its_build_id),
		IN_DIR(links_below_a_root_stay_inside),
		IN_DIR(a_debug_file_of_another_build_is_refused),
		IN_DIR(a_pipe_in_place_of_a_debug_file_does_not_block),
		IN_DIR(holes_are_summed_up_without_being_read),
		IN_DIR(a_file_made_of_a_hole_costs_next_to_nothing),
		IN_DIR(a_build_id_stands_for_the_checksum),
		IN_DIR(strangers_files_are_read_as_far_as_the_allowance_goes),
		IN_DIR(a_strangers_debug_file_costs_no_name_of_the_file_s_own),
		IN_DIR(packed_symbols_are_merged_with_the_dynamic_ones),
		IN_DIR(packed_symbols_that_unpack_without_measure_are_refused),
		IN_DIR(what_a_server_sends_is_waited_for),
		IN_DIR(a_file_with_a_lease_is_not_waited_for),
		IN_DIR(another_file_that_a_server_sends_is_refused),
		IN_DIR(damaged_packed_symbols_cost_only_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
