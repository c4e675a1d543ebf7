// SPDX-License-Identifier: BSD-2-Clause
/* Names from debug files that are fetched: what waits for one, and what does not wait. */
#include "elf_fixture.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

#include "debug_server.h"

#include "base/log.h"
#include "elf/elf_file.h"
#include "jail/cage.h"
#include "jail/jail.h"
#include "sym/debuginfod.h"
#include "sym/fetches.h"
#include "sym/finder.h"
#include "sym/name_reader.h"
#include "sym/served.h"

enum { ID_BYTES = 64 };

/* lib.so without symbols, and a server that has its debug file, in the fixture's directory. */
struct scene {
	struct dir *dir;
	struct debug_server server;
	struct jail *jail;
	struct debuginfod *debuginfod;
	struct worker *finder;
	char notices[512];
};

static void keep_notice(void *arg, enum log_level level, const char *text)
{
	struct scene *s = arg;
	size_t len = strlen(s->notices);

	if (level == LOG_NOTICE)
		snprintf(s->notices + len, sizeof(s->notices) - len, "%s\n", text);
}

/* @kind: of server; @jailed: files are read in a jail. */
static void open_scene(struct scene *s, struct dir *d, const char *kind, bool jailed)
{
	static const struct jail_reader *const readers[] = { &name_reader_kind };
	char urls[64], cache[96];
	struct debuginfod_opts opts = { .urls = urls,
					.cache_path = cache,
					.library = "libdebuginfod.so.1" };
	const struct finder_opts finder = {
		.inlines = true, .lines = true, .kallsyms = "/dev/null", .proc_root = "/proc"
	};
	void *library = dlopen(opts.library, RTLD_LAZY);
	struct finder_opts with = finder;
	struct finder *unused;
	struct buf why = {};

	if (!library)
		skip();
	dlclose(library);
	*s = (struct scene){ .dir = d };
	log__set_sink(keep_notice, s);
	must(sh(d, "chmod 755 . && strip lib.so && cp lib.so other.so && "
		   "objcopy --only-keep-debug full.so $(readelf -n full.so | "
		   "sed -n 's/.*Build ID: //p')"));
	if (jailed)
		assert_int_equal(jail__open(&s->jail, readers, ARRAY_SIZE(readers)), 0);
	setenv("DEBUGINFOD_TIMEOUT", "20", true);
	assert_int_equal(start_server(&s->server, d->path), 0);
	snprintf(urls, sizeof(urls), "http://127.0.0.1:%u/%s", s->server.port, kind);
	snprintf(cache, sizeof(cache), "%s/cache", d->path);
	if (debuginfod__open(&s->debuginfod, &opts, &why))
		fail_msg("%s", why.data);
	with.debuginfod = s->debuginfod;
	with.jail = s->jail;
	assert_int_equal(finder__open(&unused, &s->finder, &with), 0);
}

static void close_scene(struct scene *s)
{
	worker__close(s->finder);
	debuginfod__close(s->debuginfod);
	jail__close(s->jail);
	stop_server(&s->server);
	log__set_sink(NULL, NULL);
}

static struct find *new_find(enum find_kind kind, uint32_t file, const char *path, uint64_t at)
{
	struct find *f = find__new(kind, at);

	f->file = file;
	if (path) {
		f->mapped = (struct mapped_file){ .path = strdup(path), .pid = getpid(), .fd = -1 };
		f->has_mapped = true;
	}
	return f;
}

/* The next answer to what was asked; the finder's own jobs are none. */
static struct find *take(const struct scene *s)
{
	struct find *f;

	for (;;) {
		f = (struct find *)worker__take(s->finder);
		if (f && f->kind != FIND_FETCHED)
			return f;
		find__free(f);
		usleep(1000);
	}
}

/* As the finder gives it: an offset in the file is an address in this library's first segment. */
static uint64_t offset_of(const struct dir *d, const char *name)
{
	return nm_address(d, "full.so", name);
}

static void ask(const struct scene *s, struct find *f)
{
	worker__give(s->finder, &f->job);
}

static void let_go(const struct dir *d)
{
	must(sh(d, "touch go"));
}

/* The library's build-id, as the server has it. */
static size_t id_of(const struct dir *d, unsigned char id[ID_BYTES])
{
	struct elf_from from;
	int fd = open(d->lib, O_RDONLY);
	size_t len = 0;

	if (elf_from__open(&from, fd, NULL))
		len = elf_file__build_id(from.elf, id, ID_BYTES);
	elf_from__close(&from);
	close(fd);
	return len;
}

static void assert_named(const struct scene *s, const char *want)
{
	struct find *f = take(s);

	assert_int_equal(f->err, 0);
	assert_true(f->answer.named);
	assert_string_equal(f->answer.name.data, want);
	find__free(f);
}

static void names_and_lines_come_from_the_server(void **state)
{
	struct dir *d = *state;
	struct scene s;

	open_scene(&s, d, "ok", true);
	ask(&s, new_find(FIND_FILE, 0, d->lib, offset_of(d, "hidden")));
	assert_named(&s, "hidden (lib.c:2)");
	close_scene(&s);
	assert_string_equal(s.notices, "");
}

/* What was sent to root is nobody's, whose debug information is for readers in a jail. */
static bool is_sent_to_nobody(void)
{
	return !geteuid() || geteuid() == CAGE_UID;
}

static void without_a_jail_names_come_alone(void **state)
{
	struct dir *d = *state;
	struct scene s;

	open_scene(&s, d, "ok", false);
	ask(&s, new_find(FIND_FILE, 0, d->lib, offset_of(d, "hidden")));
	assert_named(&s, is_sent_to_nobody() ? "hidden" : "hidden (lib.c:2)");
	close_scene(&s);
}

/* Both of them: types and abstract functions of several files are in one more. */
static void a_shared_debug_file_is_fetched_too(void **state)
{
	struct dir *d = *state;
	struct scene s;

	must(sh(d, "sed 's/visible/seen/; s/weak_one/weak_two/; s/asm_label/asm_mark/g' lib.c "
		   ">other.c && cc -O1 -g -fPIC -shared -Wl,--build-id -o second.so other.c && "
		   "cp full.so first.so && dwz -m common -M ./gone first.so second.so && "
		   "cp first.so full.so && cp first.so lib.so && "
		   "mv common $(readelf -n common | sed -n 's/.*Build ID: //p')"));
	open_scene(&s, d, "ok", true);
	ask(&s, new_find(FIND_FILE, 0, d->lib, offset_of(d, "hidden")));
	assert_named(&s, "hidden (lib.c:2)");
	close_scene(&s);
	assert_int_equal(sh(d, "test $(wc -l <log) = 2"), 0);
}

/* Of the same file what unwind tables are made of, of others names. */
static void what_needs_no_server_comes(struct dir *d, bool jailed)
{
	const char *with_line = !jailed && is_sent_to_nobody() ? "" : " (lib.c:2)";
	char full[128], want[64];
	unsigned nr_hidden = 0;
	struct scene s;
	struct find *f;

	open_scene(&s, d, "held", jailed);
	snprintf(full, sizeof(full), "%s/full.so", d->path);
	ask(&s, new_find(FIND_FILE, 0, d->lib, offset_of(d, "hidden")));
	ask(&s, new_find(FIND_FILE, 0, NULL, offset_of(d, "visible")));
	ask(&s, new_find(FIND_OPEN, 0, NULL, 0));
	ask(&s, new_find(FIND_FILE, 1, full, offset_of(d, "visible")));
	ask(&s, new_find(FIND_FILE, 0, NULL, offset_of(d, "hidden")));

	f = take(&s);
	assert_int_equal(f->kind, FIND_OPEN);
	assert_true(f->answer.fd >= 0);
	find__free(f);
	assert_named(&s, !jailed && geteuid() == CAGE_UID ? "visible" : "visible (lib.c:3)");
	usleep(20000);
	assert_null(worker__take(s.finder));
	assert_int_equal(worker__nr_open(s.finder), 3);

	let_go(d);
	snprintf(want, sizeof(want), "hidden%s", with_line);
	for (int i = 0; i < 3; i++) { /* in the order of their addresses, or as they were asked */
		f = take(&s);
		assert_int_equal(f->err, 0);
		if (f->at == offset_of(d, "hidden")) {
			nr_hidden++;
			assert_string_equal(f->answer.name.data, want);
		} else {
			assert_string_equal(f->answer.name.data,
					    *with_line ? "visible (lib.c:3)" : "visible");
		}
		find__free(f);
	}
	assert_int_equal(nr_hidden, 2);
	assert_true(worker__wait(s.finder, UINT64_MAX));
	close_scene(&s);
}

static void what_needs_no_server_comes_meanwhile(void **state)
{
	what_needs_no_server_comes(*state, true);
}

static void the_same_without_a_jail(void **state)
{
	what_needs_no_server_comes(*state, false);
}

static void it_ends_while_a_file_is_waited_for(void **state)
{
	struct dir *d = *state;
	struct scene s;

	open_scene(&s, d, "held", true);
	ask(&s, new_find(FIND_FILE, 0, d->lib, offset_of(d, "hidden")));
	ask(&s, new_find(FIND_OPEN, 0, NULL, 0));
	find__free(take(&s)); /* the first one is put off by now */
	close_scene(&s);
	assert_string_equal(s.notices, "");
}

/* The server has another library, or text, under the library's build-id. */
static void another_file_is_not_used(void **state)
{
	static const char *const others[] = { "cp strange.so", "echo text >" };
	struct dir *d = *state;
	struct scene s;

	must(sh(d, "echo 'int more(void) { return 7; }' >>lib.c && "
		   "cc -O1 -g -fPIC -shared -Wl,--build-id -o strange.so lib.c"));
	for (size_t i = 0; i < ARRAY_SIZE(others); i++) {
		must(sh(d, "rm -rf cache"));
		open_scene(&s, d, "ok", true);
		must(sh(d, "%s $(readelf -n full.so | sed -n 's/.*Build ID: //p')", others[i]));
		ask(&s, new_find(FIND_FILE, 0, d->lib, offset_of(d, "visible")));
		ask(&s, new_find(FIND_FILE, 0, NULL, offset_of(d, "visible")));
		assert_named(&s, "visible");
		assert_named(&s, "visible");
		close_scene(&s);
		assert_non_null(strstr(s.notices, "/ok has sent something else"));
		assert_null(strchr(strchr(s.notices, '\n') + 1, '\n')); /* once */
	}
}

static void told(void *arg)
{
	__atomic_add_fetch((unsigned *)arg, 1, __ATOMIC_RELAXED);
}

static struct fetches *open_fetches(const struct scene *s, unsigned *nr_told)
{
	const struct fetches_opts opts = { .from = s->debuginfod, .told = told, .arg = nr_told };
	struct fetches *f;

	*nr_told = 0;
	assert_int_equal(fetches__open(&f, &opts), 0);
	return f;
}

static void wait_until_told(const unsigned *nr_told, unsigned nr)
{
	while (__atomic_load_n(nr_told, __ATOMIC_RELAXED) < nr)
		usleep(1000);
}

static uint32_t wait_for_fetch(struct fetches *f, const unsigned *nr_told, unsigned nr)
{
	uint32_t fetch;

	wait_until_told(nr_told, nr);
	assert_true(fetches__take(f, &fetch));
	return fetch;
}

static void each_is_asked_for_once(void **state)
{
	const unsigned char nobodys[] = { 1, 2, 3, 4 };
	struct dir *d = *state;
	unsigned char id[ID_BYTES];
	size_t len = id_of(d, id);
	struct fetches *f;
	uint32_t fetch;
	struct scene s;
	unsigned nr;
	int fd;

	assert_true(len > 0);
	open_scene(&s, d, "ok", false);
	f = open_fetches(&s, &nr);
	assert_int_equal(fetches__open_file(f, id, len), -EAGAIN);
	fetch = fetches__waited_for(f);
	assert_int_equal(fetches__open_file(f, id, len), -EAGAIN);
	assert_int_equal(fetches__waited_for(f), fetch);
	assert_int_equal(wait_for_fetch(f, &nr, 1), fetch);
	fd = fetches__open_file(f, id, len);
	assert_true(fd >= 0);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	close(fd);

	assert_int_equal(fetches__open_file(f, nobodys, sizeof(nobodys)), -EAGAIN);
	assert_int_not_equal(fetches__waited_for(f), fetch);
	assert_int_equal(wait_for_fetch(f, &nr, 2), fetches__waited_for(f));
	assert_int_equal(fetches__open_file(f, nobodys, sizeof(nobodys)), -ENOENT);
	assert_false(fetches__take(f, &fetch));
	fetches__close(f);
	close_scene(&s);
	assert_string_equal(s.notices, "");
}

static void what_is_refused_is_not_there(void **state)
{
	struct dir *d = *state;
	unsigned char id[ID_BYTES];
	size_t len = id_of(d, id);
	struct fetches *f;
	struct scene s;
	unsigned nr;

	open_scene(&s, d, "ok", false);
	f = open_fetches(&s, &nr);
	fetches__refuse(f, id, len);
	assert_int_equal(fetches__open_file(f, id, len), -EAGAIN);
	fetches__refuse(f, id, len); /* before it is there nobody can have looked at it */
	(void)wait_for_fetch(f, &nr, 1);
	assert_string_equal(s.notices, "");
	fetches__refuse(f, id, len);
	fetches__refuse(f, id, len);
	assert_int_equal(fetches__open_file(f, id, len), -ENOENT);
	fetches__close(f);
	close_scene(&s);
	assert_non_null(strstr(s.notices, "/ok has sent something else"));
	assert_null(strchr(strchr(s.notices, '\n') + 1, '\n')); /* once */
}

static int open_served(struct served *s, const struct file_identity *is, const char *id)
{
	const struct debug_place place = { .kind = PLACE_BY_SERVER,
					   .id = (const unsigned char *)id,
					   .id_len = strlen(id) };

	return served__open(s, 5, is, &place, 0);
}

/* Whoever reads the file may be anybody by then. */
static void a_file_may_have_two_build_ids(void **state)
{
	const struct file_identity unknown = {}, known = { .build_id = "own", .build_id_len = 3 };
	struct served *served;
	struct fetches *f;
	struct scene s;
	unsigned nr;

	open_scene(&s, *state, "none", false);
	f = open_fetches(&s, &nr);
	served = served__new(f);
	assert_int_equal(open_served(served, &unknown, ""), -ENODATA);
	assert_int_equal(open_served(served, &unknown, "one"), -EAGAIN);
	assert_int_equal(open_served(served, &unknown, "two"), -EAGAIN);
	assert_int_equal(open_served(served, &unknown, "three"), -ENODATA);
	assert_int_equal(open_served(served, &unknown, "one"), -EAGAIN);
	served__free(served, NULL);

	served = served__new(f);
	assert_int_equal(open_served(served, &known, "other"), -EAGAIN);
	assert_int_equal(open_served(served, &known, "one more"), -ENODATA);
	assert_int_equal(open_served(served, &known, "own"), -EAGAIN);
	served__free(served, NULL);
	fetches__close(f);
	close_scene(&s);
}

/* Each time it has been closed meanwhile, to have room for others. */
static void a_file_may_wait_so_often(void **state)
{
	const struct file_identity is = {};
	struct dir *d = *state;
	unsigned char id[2] = {};
	struct served *served;
	struct fetches *f;
	struct scene s;
	unsigned nr, nr_fetched = 0;

	open_scene(&s, d, "ok", false);
	must(sh(d, "for i in $(seq 10 42); do echo x >$(printf '%%d61' $i); done; echo x >6161"));
	f = open_fetches(&s, &nr);
	served = served__new(f);
	for (unsigned i = 0; i < SERVED_WAITS; i++) {
		assert_int_equal(open_served(served, &is, "aa"), -EAGAIN);
		assert_int_equal(open_served(served, &is, "aa"), -EAGAIN);
		assert_true(served__waits(served, 5));
		wait_until_told(&nr, ++nr_fetched);
		served__go_on(served, NULL);
		assert_false(served__waits(served, 5));
		close(open_served(served, &is, "aa"));
		for (unsigned k = 10; k < 10 + FETCHES_OPEN; k++) {
			id[0] = k / 10 << 4 | k % 10;
			id[1] = 'a';
			if (fetches__open_file(f, id, sizeof(id)) != -EAGAIN)
				continue;
			wait_until_told(&nr, ++nr_fetched);
			served__go_on(served, NULL);
		}
	}
	assert_int_equal(open_served(served, &is, "aa"), -ENOENT);
	served__free(served, NULL);
	fetches__close(f);
	close_scene(&s);
}

/* What is closed to have room is asked for again, and in the cache. */
static void only_so_many_are_open(void **state)
{
	struct dir *d = *state;
	unsigned char id[ID_BYTES] = {};
	const size_t len = 20;
	struct fetches *f;
	struct scene s;
	unsigned nr;
	char hex[2 * ID_BYTES + 1];
	int fd;

	open_scene(&s, d, "ok", false);
	f = open_fetches(&s, &nr);
	for (unsigned i = 0; i <= FETCHES_OPEN; i++) {
		id[0] = i;
		for (size_t k = 0; k < len; k++)
			snprintf(hex + 2 * k, 3, "%02x", id[k]);
		must(sh(d,
			"printf 'int x;' | cc -x c -shared -nostdlib -Wl,--build-id=0x%s -o %s -",
			hex, hex));
		assert_int_equal(fetches__open_file(f, id, len), -EAGAIN);
		(void)wait_for_fetch(f, &nr, i + 1);
	}
	fd = fetches__open_file(f, id, len);
	assert_true(fd >= 0);
	close(fd);
	id[0] = 0;
	assert_int_equal(fetches__open_file(f, id, len), -EAGAIN);
	(void)wait_for_fetch(f, &nr, FETCHES_OPEN + 2);
	fd = fetches__open_file(f, id, len);
	assert_true(fd >= 0);
	close(fd);
	fetches__close(f);
	close_scene(&s);
}

#define ON(test) cmocka_unit_test_setup_teardown(test, make_dir, remove_dir)

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON(names_and_lines_come_from_the_server),
		ON(without_a_jail_names_come_alone),
		ON(a_shared_debug_file_is_fetched_too),
		ON(what_needs_no_server_comes_meanwhile),
		ON(the_same_without_a_jail),
		ON(it_ends_while_a_file_is_waited_for),
		ON(another_file_is_not_used),
		ON(each_is_asked_for_once),
		ON(what_is_refused_is_not_there),
		ON(a_file_may_have_two_build_ids),
		ON(a_file_may_wait_so_often),
		ON(only_so_many_are_open),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
