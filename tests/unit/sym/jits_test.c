// SPDX-License-Identifier: BSD-2-Clause
/* When files of processes are looked at: every 100 ms, once at their end, and never again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sym/jits.h"

enum { LIFE = 3, PID = 100, LOOK_AGAIN_US = 150000 };

struct fixture {
	char root[32]; /* a /proc of our own, where 100 is the only process */
	struct file_opener *opener;
	struct jits *jits;
};

static void put_map(const struct fixture *f, const char *process, const char *text)
{
	char command[256];

	snprintf(command, sizeof(command),
		 "mkdir -p %s/%s/root/tmp; printf '%s' >%s/%s/root/tmp/perf-100.map", f->root,
		 process, text, f->root, process);
	assert_int_equal(system(command), 0);
}

static int make(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	struct file_source source;

	snprintf(f->root, sizeof(f->root), "/tmp/jits_test.XXXXXX");
	assert_non_null(mkdtemp(f->root));
	put_map(f, "100", "1000 10 first\n");
	f->opener = file_opener__new(f->root);
	assert_non_null(f->opener);
	source = file_opener__source(f->opener);
	f->jits = jits__new(&source, NULL);
	*state = f;
	return f->jits ? 0 : -1;
}

static int clean(void **state)
{
	struct fixture *f = *state;
	char command[64];

	jits__free(f->jits);
	file_opener__free(f->opener);
	snprintf(command, sizeof(command), "rm -r %s", f->root);
	assert_int_equal(system(command), 0);
	free(f);
	return 0;
}

static const char *name_of(const struct fixture *f, uint64_t addr)
{
	struct sym sym;
	uint32_t number;
	int found = jits__find(f->jits, PID, LIFE, addr, &sym, &number);

	assert_true(found >= 0);
	return found ? sym.name : "";
}

static void end_process(const struct fixture *f)
{
	char was[64], is[64];

	snprintf(was, sizeof(was), "%s/100", f->root);
	snprintf(is, sizeof(is), "%s/gone", f->root);
	assert_int_equal(rename(was, is), 0);
}

static void a_map_is_read_on_now_and_then(void **state)
{
	struct fixture *f = *state;
	struct sym sym;

	assert_string_equal(name_of(f, 0x1004), "first");
	assert_string_equal(name_of(f, 0x2004), "");
	put_map(f, "100", "1000 10 first\n2000 10 second\n");
	assert_false(jits__known(f->jits, LIFE, 0x2004, &sym));
	usleep(LOOK_AGAIN_US);
	assert_string_equal(name_of(f, 0x2004), "second");
	assert_true(jits__known(f->jits, LIFE, 0x2004, &sym));
}

static void or_when_that_is_asked_for(void **state)
{
	struct fixture *f = *state;
	struct sym sym;

	assert_string_equal(name_of(f, 0x2004), "");
	put_map(f, "100", "1000 10 first\n2000 10 second\n");
	assert_int_equal(jits__look(f->jits, PID, LIFE), 0);
	assert_true(jits__known(f->jits, LIFE, 0x2004, &sym));
	assert_string_equal(sym.name, "second");
}

/* The map that it has left is read; one that comes to its place belongs to somebody else. */
static void one_that_is_gone_is_looked_at_once(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(name_of(f, 0x2004), "");
	put_map(f, "100", "1000 10 first\n2000 10 second\n");
	end_process(f);
	usleep(LOOK_AGAIN_US);
	assert_string_equal(name_of(f, 0x2004), "second");
	put_map(f, "gone", "1000 10 first\n2000 10 second\n3000 10 third\n");
	put_map(f, "100", "1000 10 first\n2000 10 second\n3000 10 third\n");
	usleep(LOOK_AGAIN_US);
	assert_string_equal(name_of(f, 0x3004), "");
	assert_int_equal(jits__look(f->jits, PID, LIFE), 0);
	assert_string_equal(name_of(f, 0x3004), "");
}

static void of_one_that_was_gone_before_nothing_is_read(void **state)
{
	struct fixture *f = *state;

	end_process(f);
	assert_string_equal(name_of(f, 0x1004), "");
	put_map(f, "100", "1000 10 first\n");
	usleep(LOOK_AGAIN_US);
	assert_string_equal(name_of(f, 0x1004), "");
}

/* Whatever a link in the place of its folder or of its map leads to, outside of its root. */
static void links_lead_nowhere(void **state)
{
	struct fixture *f = *state;
	char command[256];

	snprintf(command, sizeof(command),
		 "cd %s; mv 100/root/tmp other; ln -s %s/other 100/root/tmp", f->root, f->root);
	assert_int_equal(system(command), 0);
	assert_string_equal(name_of(f, 0x1004), "");
	snprintf(command, sizeof(command),
		 "cd %s/100/root; rm tmp; mkdir tmp; ln -s ../../../other/perf-100.map tmp",
		 f->root);
	assert_int_equal(system(command), 0);
	usleep(LOOK_AGAIN_US);
	assert_string_equal(name_of(f, 0x1004), "");
}

#define WITH_PROC(test) cmocka_unit_test_setup_teardown(test, make, clean)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_PROC(a_map_is_read_on_now_and_then),
		WITH_PROC(or_when_that_is_asked_for),
		WITH_PROC(one_that_is_gone_is_looked_at_once),
		WITH_PROC(of_one_that_was_gone_before_nothing_is_read),
		WITH_PROC(links_lead_nowhere),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
