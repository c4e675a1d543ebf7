// SPDX-License-Identifier: BSD-2-Clause
/* Where the symbols of a stripped file are looked for, and what is refused there. */
#include "elf_fixture.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(a_debuglink_is_followed),
		IN_DIR(a_debuglink_with_another_checksum_is_refused),
		IN_DIR(a_debuglink_with_a_slash_is_refused),
		IN_DIR(a_debuglink_is_looked_for_below_the_root),
		IN_DIR(a_debug_file_is_found_by_its_build_id),
		IN_DIR(links_below_a_root_stay_inside),
		IN_DIR(a_debug_file_of_another_build_is_refused),
		IN_DIR(a_pipe_in_place_of_a_debug_file_does_not_block),
		IN_DIR(packed_symbols_are_merged_with_the_dynamic_ones),
		IN_DIR(packed_symbols_that_unpack_without_measure_are_refused),
		IN_DIR(damaged_packed_symbols_cost_only_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
