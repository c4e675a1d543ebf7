// SPDX-License-Identifier: BSD-2-Clause
/* Programs that run are looked at by somebody else: what the doctor makes of the answers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <unistd.h>

#include "base/clock.h"
#include "doctor_machine.h"
#include "jail/message.h"

/* Gets the question first, and then does what its kind does. */
static void take_question(int sock)
{
	const struct lookup_reply ready = { .kind = LOOKUP_READY };
	static char in[MESSAGE_BYTES_MAX];
	int fd;

	if (message__send(sock, &ready, sizeof(ready), -1) ||
	    message__receive(sock, in, sizeof(in), &fd) < 0)
		_exit(1);
}

static void crash(int sock, int file)
{
	(void)file;
	take_question(sock);
	abort();
}

static void hang(int sock, int file)
{
	(void)file;
	take_question(sock);
	for (;;)
		pause();
}

/* One record: @functions looked at, @kept keep a frame pointer. */
static void answer(int sock, int file, uint64_t functions, uint64_t kept)
{
	const struct lookup_record r = { .size = functions, .more = kept };
	const struct lookup_reply reply = { .kind = LOOKUP_ANSWER, .nr = 1, .bytes = sizeof(r) };

	take_question(sock);
	if (pwrite(file, &r, sizeof(r), 0) != sizeof(r) ||
	    message__send(sock, &reply, sizeof(reply), -1))
		_exit(1);
	pause();
}

static void lie(int sock, int file)
{
	answer(sock, file, 16, UINT64_MAX);
}

static void say_80_percent(int sock, int file)
{
	answer(sock, file, 100, 80);
}

static void say_81_percent(int sock, int file)
{
	answer(sock, file, 100, 81);
}

static const struct jail_reader crashing = { .name = "test-crash", .run = crash };
static const struct jail_reader hanging = { .name = "test-hang",
					    .run = hang,
					    .max_wall_ns = 200000000 };
static const struct jail_reader lying = { .name = "test-lie", .run = lie };
static const struct jail_reader most = { .name = "test-81", .run = say_81_percent };
static const struct jail_reader some = { .name = "test-80", .run = say_80_percent };

static struct jail *jail;

static int open_jail(void **state)
{
	static const struct jail_reader *const kinds[] = {
		&lookup_glance_kind, &crashing, &hanging, &lying, &most, &some
	};

	(void)state;
	return jail__open(&jail, kinds, ARRAY_SIZE(kinds));
}

static int close_jail(void **state)
{
	(void)state;
	jail__close(jail);
	return 0;
}

static void use_reader(struct machine *m, const struct jail_reader *kind)
{
	m->glances = lookup_reader__new(jail, kind);
	assert_non_null(m->glances);
}

/* Our own test program was built with frame pointers; process 7 runs it, 8 a text. */
static void the_code_of_running_processes_is_looked_at(void **state)
{
	struct machine *m = *state;
	char exe[512], cmd[1200], root[128];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	assert_true(n > 0);
	exe[n] = '\0';
	put(m, "/proc/7/root/bin/with space", "");
	put(m, "/proc/7/root/bin/text", "no code at all");
	snprintf(root, sizeof(root), "%s/proc/7/root", m->root);
	snprintf(cmd, sizeof(cmd), "cp '%s' '%s/bin/with space'", exe, root);
	assert_int_equal(system(cmd), 0);
	put(m, "/proc/7/maps",
	    "1000-2000 r-xp 00000000 fe:00 11 /bin/with space\n"
	    "3000-4000 r-xp 00002000 fe:00 11 /bin/with space\n"
	    "5000-6000 rw-p 00000000 fe:00 12 /bin/data\n"
	    "6000-7000 r-xp 00000000 fe:00 13 /bin/gone (deleted)\n"
	    "7000-8000 r-xp 00000000 fe:00 14 /bin/text\n");
	put(m, "/proc/8/maps", "1000-2000 r-xp 00000000 fe:00 11 /bin/with space\n");
	use_reader(m, &lookup_glance_kind);
	examine(m);
	assert_sane(m);
	assert_string_equal(find(m, "frame-pointers")->subject, "/bin/with space");
	assert_non_null(strstr(find(m, "frame-pointers")->found, "keep one"));
	assert_non_null(strstr(find(m, "frame-pointers")->found, "in 2 processes"));
	/* The text is passed over. */
	assert_string_equal(m->f.items[m->f.nr - 1].subject, "/bin/with space");
}

/* Process 7 runs one file. */
static void run_a_file(struct machine *m)
{
	put(m, "/proc/7/root/bin/prog", "who reads that is a test's");
	put(m, "/proc/7/maps", "1000-2000 r-xp 00000000 fe:00 11 /bin/prog\n");
}

static void assert_unknown(struct machine *m, const struct jail_reader *kind, const char *found)
{
	run_a_file(m);
	use_reader(m, kind);
	examine(m);
	assert_sane(m);
	assert_state(m, "frame-pointers", "unknown");
	assert_string_equal(find(m, "frame-pointers")->subject, "/bin/prog");
	assert_string_equal(find(m, "frame-pointers")->found, found);
}

static void a_file_that_crashes_its_reader_is_told(void **state)
{
	assert_unknown(*state, &crashing,
		       "cannot read /bin/prog: its reader crashed (Aborted) (in 1 process)");
}

static void a_file_that_its_reader_hangs_at_is_told(void **state)
{
	const uint64_t since_ns = clock__now_ns();

	assert_unknown(*state, &hanging,
		       "cannot read /bin/prog: it took more than 0.2 s (in 1 process)");
	assert_in_range((clock__now_ns() - since_ns) / 1000000, 200, 3000);
}

static void an_answer_that_makes_no_sense_is_told(void **state)
{
	assert_unknown(*state, &lying,
		       "cannot read /bin/prog: its reader's answer makes no sense (in 1 process)");
}

static void more_than_80_percent_are_most(void **state)
{
	struct machine *m = *state;

	run_a_file(m);
	use_reader(m, &most);
	examine(m);
	assert_state(m, "frame-pointers", "ok");
	assert_string_equal(find(m, "frame-pointers")->found,
			    "81 of 100 functions looked at keep one (in 1 process)");
}

static void no_more_than_80_percent_are_not(void **state)
{
	struct machine *m = *state;

	run_a_file(m);
	use_reader(m, &some);
	examine(m);
	assert_sane(m);
	assert_state(m, "frame-pointers", "limited");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		CASE(the_code_of_running_processes_is_looked_at),
		CASE(a_file_that_crashes_its_reader_is_told),
		CASE(a_file_that_its_reader_hangs_at_is_told),
		CASE(an_answer_that_makes_no_sense_is_told),
		CASE(more_than_80_percent_are_most),
		CASE(no_more_than_80_percent_are_not),
	};

	return cmocka_run_group_tests(tests, open_jail, close_jail);
}
