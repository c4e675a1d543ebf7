// SPDX-License-Identifier: BSD-2-Clause
/* What a reader of files gets, and what it does not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/file_opener.h"

/* A directory with an ELF file and others beside it, and an opener that knows the first. */
struct fixture {
	char dir[64], path[128];
	struct file_opener *opener;
	struct file_source source;
};

static void run_in(const struct fixture *f, const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && %s", f->dir, command);
	assert_int_equal(system(line), 0);
}

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct mapped_file m = { .pid = getpid(), .fd = -1 };

	if (!f)
		return -1;
	*state = f;
	strcpy(f->dir, "/tmp/file_opener_test.XXXXXX");
	assert_non_null(mkdtemp(f->dir));
	snprintf(f->path, sizeof(f->path), "%s/prog", f->dir);
	run_in(f, "cp /proc/self/exe prog && cp prog prog.debug && echo secret >shadow && "
		  "mkdir .debug && cp prog .debug/deep");
	f->opener = file_opener__new("/proc");
	assert_non_null(f->opener);
	f->source = file_opener__source(f->opener);
	m.path = strdup(f->path);
	assert_int_equal(file_opener__add(f->opener, 3, &m), 0);
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	run_in(f, "rm -r $PWD");
	file_opener__free(f->opener);
	free(f);
	return 0;
}

static int ask(const struct fixture *f, const struct file_request *r)
{
	return f->source.open(f->source.arg, r);
}

/* The first place that has anything; its descriptor, or -ENODATA. */
static int ask_places(const struct fixture *f, struct file_request *r)
{
	int fd;

	for (r->nr = 0; (fd = ask(f, r)) < 0 && fd != -ENODATA && r->nr < 16; r->nr++)
		;
	return fd;
}

static int ask_link(const struct fixture *f, const char *name)
{
	struct file_request r = { .kind = REQUEST_OTHER,
				  .file = 3,
				  .place = { .kind = PLACE_BY_LINK, .name = name } };

	return ask_places(f, &r);
}

static void assert_is(int fd, const struct fixture *f, const char *name)
{
	struct stat got, want;
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", f->dir, name);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &got), 0);
	assert_int_equal(stat(path, &want), 0);
	assert_int_equal(got.st_ino, want.st_ino);
	assert_int_equal(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	close(fd);
}

static void a_mapped_file_is_found_by_its_path(void **state)
{
	const struct fixture *f = *state;
	struct file_request r = { .kind = REQUEST_MAPPED, .file = 3 };

	assert_is(ask_places(f, &r), f, "prog");
	assert_string_equal(file_opener__path(f->opener, 3), f->path);
}

static void a_file_that_was_not_told_of_is_not_there(void **state)
{
	const struct fixture *f = *state;

	for (uint32_t file = 0; file < 10; file++) {
		struct file_request r = { .kind = REQUEST_MAPPED, .file = file };

		if (file == 3)
			continue;
		assert_int_equal(ask_places(f, &r), -ENODATA);
		r.kind = REQUEST_OTHER;
		r.place = (struct debug_place){ .kind = PLACE_BY_LINK, .name = "prog.debug" };
		assert_int_equal(ask_places(f, &r), -ENODATA);
		assert_null(file_opener__identity(f->opener, file));
	}
}

static void what_a_process_maps_but_is_no_elf_file_stays_closed(void **state)
{
	const struct fixture *f = *state;
	struct mapped_file m = { .pid = getpid(), .fd = -1 };
	struct file_request r = { .kind = REQUEST_MAPPED, .file = 4 };
	char path[160];

	snprintf(path, sizeof(path), "%s/shadow", f->dir);
	m.path = strdup(path);
	m.fd = open(path, O_PATH | O_CLOEXEC);
	assert_int_equal(file_opener__add(f->opener, 4, &m), 0);
	assert_int_equal(ask_places(f, &r), -ENODATA);
}

static void a_debug_link_leads_to_elf_files_beside_it(void **state)
{
	const struct fixture *f = *state;

	assert_is(ask_link(f, "prog.debug"), f, "prog.debug");
	assert_is(ask_link(f, "deep"), f, ".debug/deep");
	/* A file of root's beside it is not a stranger's to choose. */
	assert_int_equal(ask_link(f, "shadow"), -ENODATA);
}

static void a_debug_link_leads_nowhere_else(void **state)
{
	static const char *const names[] = {
		"", "../../bin/sh", "/bin/sh", ".debug/deep", "./prog.debug", ".", "..", NULL
	};
	const struct fixture *f = *state;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		assert_int_equal(ask_link(f, names[i]), -ENODATA);
}

static void no_request_that_makes_no_sense_is_answered(void **state)
{
	static const unsigned char id[2 * PLACE_ID_BYTES];
	const struct fixture *f = *state;
	struct file_request r = { .kind = REQUEST_OTHER, .file = 3 };

	for (int kind = 0; kind < PLACE_KINDS; kind++) {
		r.place = (struct debug_place){ .kind = kind };
		assert_int_equal(ask_places(f, &r), -ENODATA);
	}
	r.place = (struct debug_place){ .kind = PLACE_BY_ID, .id = id, .id_len = sizeof(id) };
	assert_int_equal(ask_places(f, &r), -ENODATA);
	r.place.id_len = 1;
	assert_int_equal(ask_places(f, &r), -ENODATA);
	r = (struct file_request){ .kind = REQUEST_MAPPED, .file = 3, .nr = 1000 };
	assert_int_equal(ask(f, &r), -ENODATA);
	r = (struct file_request){ .kind = REQUEST_KINDS };
	assert_int_equal(ask(f, &r), -EINVAL);
}

static void a_dump_is_the_one_that_its_process_maps(void **state)
{
	const struct fixture *f = *state;
	struct file_request r = { .kind = REQUEST_DUMP, .life = 7 };
	char path[160], command[64];

	snprintf(command, sizeof(command), "echo dump >jit-%d.dump", getpid());
	run_in(f, command);
	snprintf(path, sizeof(path), "%s/jit-%d.dump", f->dir, getpid());
	assert_int_equal(ask(f, &r), -ENOENT);
	assert_int_equal(file_opener__dump(f->opener, getpid(), 7, "/etc/passwd"), 0);
	assert_int_equal(file_opener__dump(f->opener, getpid(), 7, "/tmp/jit-1.dump"), 0);
	assert_int_equal(ask(f, &r), -ENOENT);
	assert_int_equal(file_opener__dump(f->opener, getpid(), 7, path), 1);
	assert_int_equal(file_opener__dump(f->opener, getpid(), 7, path), 0);
	assert_is(ask(f, &r), f, strrchr(path, '/') + 1);
	r.life = 8;
	assert_int_equal(ask(f, &r), -ENOENT);
	file_opener__end_life(f->opener, 7);
	r.life = 7;
	assert_int_equal(ask(f, &r), -ENOENT);
}

static void of_a_process_that_is_gone_no_map_is_opened(void **state)
{
	const struct fixture *f = *state;
	const struct file_request r = { .kind = REQUEST_MAP, .pid = 0x7fffffff };

	assert_int_equal(ask(f, &r), -ESRCH);
}

#define WITH_FILES(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FILES(a_mapped_file_is_found_by_its_path),
		WITH_FILES(a_file_that_was_not_told_of_is_not_there),
		WITH_FILES(what_a_process_maps_but_is_no_elf_file_stays_closed),
		WITH_FILES(a_debug_link_leads_to_elf_files_beside_it),
		WITH_FILES(a_debug_link_leads_nowhere_else),
		WITH_FILES(no_request_that_makes_no_sense_is_answered),
		WITH_FILES(a_dump_is_the_one_that_its_process_maps),
		WITH_FILES(of_a_process_that_is_gone_no_map_is_opened),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
