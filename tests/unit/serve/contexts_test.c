// SPDX-License-Identifier: BSD-2-Clause
/* Processes of a made-up /proc: their memory is a file, with a header at 0x1000. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "import/context_reader.h"
#include "jail/jail.h"
#include "model/profile.h"
#include "serve/contexts.h"

static char root[] = "/tmp/contexts_test.XXXXXX";
static struct jail *jail;

static void write_at(const char *path, uint64_t at, const void *bytes, size_t len)
{
	const int fd = open(path, O_WRONLY | O_CREAT, 0644);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, len, (off_t)at), len);
	close(fd);
}

static const char *path_of(uint32_t pid, const char *name)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/%u/%s", root, pid, name);
	return path;
}

static void write_text(uint32_t pid, const char *name, const char *text)
{
	(void)unlink(path_of(pid, name));
	write_at(path_of(pid, name), 0, text, strlen(text));
}

/* A process that began at some tick, and says nothing. Its name is chosen to mislead. */
static void make_process(uint32_t pid, unsigned began)
{
	char text[256];

	snprintf(text, sizeof(text), "%s/%u", root, pid);
	(void)mkdir(text, 0755);
	snprintf(text, sizeof(text),
		 "%u (a) S 99 (b)) R 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 %u 9 9 9\n", pid,
		 began);
	write_text(pid, "stat", text);
	write_text(pid, "maps", "1000-2000 rw-p 00000000 00:01 5    /memfd:other (deleted)\n");
	write_text(pid, "mem", "");
}

/* Its service, of at most 60 characters, as published at some time in a mapping of that name. */
static void say_in(uint32_t pid, const char *name, const char *service, uint64_t published_ns)
{
	struct {
		char signature[8];
		uint32_t version, bytes;
		uint64_t published_ns, payload;
	} h = { "OTEL_CTX", 2, 0, published_ns, 0x3000 };
	char payload[128], maps[256];
	const int n = (int)strlen(service);

	h.bytes =
		snprintf(payload, sizeof(payload), "\x0a%c\x0a%c\x0a\x0cservice.name\x12%c\x0a%c%s",
			 n + 20, n + 18, n + 2, n, service);
	write_at(path_of(pid, "mem"), 0x3000, payload, h.bytes);
	write_at(path_of(pid, "mem"), 0x1000, &h, sizeof(h));
	snprintf(maps, sizeof(maps),
		 "400-800 r-xp 00000000 00:01 5    /bin/x\n"
		 "1000-2000 rw-p 00000000 00:01 5    %s\n"
		 "5000-6000 rw-p 00000000 00:00 0\n",
		 name);
	write_text(pid, "maps", maps);
}

static void say(uint32_t pid, const char *service, uint64_t published_ns)
{
	say_in(pid, "/memfd:OTEL_CTX (deleted)", service, published_ns);
}

/* A window with samples of two processes. */
static void look_for(struct contexts *c, uint32_t a, uint32_t b, uint64_t wait_ns)
{
	const struct profile_event event = { .name = "cycles", .unit = "" };
	struct profile *p = profile__new();
	struct row_key key = { .pid = a };
	uint32_t id;

	assert_int_equal(profile__event(p, &event, &id), 0);
	assert_int_equal(profile__add(p, &key, 1, 1, NULL), 0);
	key.pid = b;
	if (b)
		assert_int_equal(profile__add(p, &key, 1, 1, NULL), 0);
	p->by = BY_PID;
	assert_int_equal(contexts__look(c, p, wait_ns), 0);
	profile__free(p);
}

/* All are answered. */
static void look(struct contexts *c, uint32_t a, uint32_t b)
{
	look_for(c, a, b, 60000000000);
}

static const char *service_of(const struct contexts *c, uint32_t pid)
{
	const struct process_context *says = contexts__of(c, pid);

	return says ? says->values[CONTEXT_SERVICE_NAME] : "-";
}

static struct contexts *open_contexts(void)
{
	struct contexts *c;

	assert_int_equal(contexts__open(&c, jail, root), 0);
	return c;
}

static void what_is_published_is_known_from_window_to_window(void **state)
{
	struct contexts *c = open_contexts();

	make_process(10, 100);
	make_process(11, 100);
	say(10, "shop", 5);
	look(c, 10, 11);
	assert_string_equal(service_of(c, 10), "shop");
	assert_string_equal(service_of(c, 11), "-");
	assert_string_equal(service_of(c, 12), "-");
	assert_int_equal(contexts__counts(c).offering, 1);
	/* Changed, and so it says by another time; by the same one nobody looks. */
	say(10, "mall", 5);
	look(c, 10, 0);
	assert_string_equal(service_of(c, 10), "shop");
	say(10, "mall", 6);
	look(c, 10, 0);
	assert_string_equal(service_of(c, 10), "mall");
	/* While it is being changed it is what it was. */
	say(10, "bank", 0);
	look(c, 10, 0);
	assert_string_equal(service_of(c, 10), "mall");
	say(10, "bank", 8);
	look(c, 10, 0);
	assert_string_equal(service_of(c, 10), "bank");
	contexts__close(c);
}

/* By prctl(2) alone, and in addition: few kernels give names to memory. */
static void in_mappings_of_any_of_its_names(void **state)
{
	struct contexts *c = open_contexts();

	make_process(10, 100);
	make_process(11, 100);
	say_in(10, "[anon:OTEL_CTX]", "shop", 5);
	say_in(11, "[anon_shmem:OTEL_CTX]", "mall", 5);
	look(c, 10, 11);
	assert_string_equal(service_of(c, 10), "shop");
	assert_string_equal(service_of(c, 11), "mall");
	contexts__close(c);
}

static void who_ends_has_said_what_it_has(void **state)
{
	struct contexts *c = open_contexts();

	make_process(10, 100);
	say(10, "shop", 5);
	look(c, 10, 0);
	/* Nobody has waited for it yet: it has no memory any more. */
	write_text(10, "stat", "10 (a) Z 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 100 9 9\n");
	write_text(10, "maps", "");
	look(c, 10, 0);
	assert_string_equal(service_of(c, 10), "shop");
	assert_int_equal(unlink(path_of(10, "stat")), 0);
	assert_int_equal(unlink(path_of(10, "maps")), 0);
	look(c, 10, 0);
	assert_string_equal(service_of(c, 10), "shop");
	/* Its number is another process's, which says nothing. */
	make_process(10, 200);
	look(c, 10, 0);
	assert_string_equal(service_of(c, 10), "-");
	/* And another's, which says something, though the last one said nothing. */
	make_process(10, 300);
	say(10, "mall", 5);
	look(c, 10, 0);
	assert_string_equal(service_of(c, 10), "mall");
	contexts__close(c);
}

/* exec(2): the same process, without the mapping. */
static void who_takes_it_back_says_nothing(void **state)
{
	struct contexts *c = open_contexts();

	make_process(10, 100);
	say(10, "shop", 5);
	look(c, 10, 0);
	write_text(10, "maps", "400-800 r-xp 00000000 00:01 5    /bin/y\n");
	look(c, 10, 0);
	assert_string_equal(service_of(c, 10), "-");
	contexts__close(c);
}

/* Looked at in windows 1, 2, 4 and 8: a look after that would find it. */
static void who_says_nothing_is_asked_ever_less_often(void **state)
{
	struct contexts *c = open_contexts();

	make_process(10, 100);
	for (int i = 1; i <= 4; i++)
		look(c, 10, 0);
	say(10, "shop", 5);
	for (int i = 5; i <= 7; i++) {
		look(c, 10, 0);
		assert_string_equal(service_of(c, 10), "-");
	}
	look(c, 10, 0);
	assert_string_equal(service_of(c, 10), "shop");
	contexts__close(c);
}

static void garbage_is_counted(void **state)
{
	struct contexts *c = open_contexts();

	make_process(10, 100);
	say(10, "shop", 5);
	write_at(path_of(10, "mem"), 0x3000, "\xff\xff\xff", 3);
	make_process(11, 100);
	say(11, "mall", 5);
	look(c, 10, 11);
	assert_string_equal(service_of(c, 10), "-");
	assert_string_equal(service_of(c, 11), "mall");
	assert_int_equal(contexts__counts(c).unreadable, 1);
	contexts__close(c);
}

/* A process that never comes to an end of what it has mapped; a descriptor that keeps it so. */
static int make_hanging(uint32_t pid)
{
	int fd;

	make_process(pid, 100);
	assert_int_equal(unlink(path_of(pid, "maps")), 0);
	assert_int_equal(mkfifo(path_of(pid, "maps"), 0644), 0);
	fd = open(path_of(pid, "maps"), O_RDWR);
	assert_true(fd >= 0);
	return fd;
}

/* Its reader is ended, and another one is there for the others. */
static void who_hangs_holds_up_nobody(void **state)
{
	struct contexts *c = open_contexts();
	const int fd = make_hanging(10);

	make_process(11, 100);
	say(11, "mall", 5);
	look(c, 10, 11);
	assert_string_equal(service_of(c, 11), "mall");
	assert_string_equal(service_of(c, 10), "-");
	assert_int_equal(contexts__counts(c).unreadable, 1);
	close(fd);
	contexts__close(c);
}

/* Who does not wait knows it in a later window, also when it has been asked once alone. */
static void who_does_not_wait_knows_later(void **state)
{
	struct contexts *c = open_contexts();
	const int fd = make_hanging(10);

	make_process(11, 100);
	say(11, "mall", 5);
	look_for(c, 10, 11, 0);
	assert_string_equal(service_of(c, 11), "-");
	for (int i = 0; i < 1000 && *service_of(c, 11) == '-'; i++) {
		usleep(10000);
		look_for(c, 12, 13, 0);
	}
	assert_string_equal(service_of(c, 11), "mall");
	/* An answer of a process whose number is another's by then is nobody's. */
	say(11, "bank", 6);
	make_process(14, 100);
	look_for(c, 14, 11, 0);
	make_process(11, 200);
	look(c, 11, 0);
	assert_string_equal(service_of(c, 11), "-");
	close(fd);
	contexts__close(c);
}

/* More than are asked at a time: the others have their turn, and none keeps what was another's. */
static void all_have_their_turn(void **state)
{
	enum { FIRST = 100, NR = CONTEXT_ASKED + 50 };
	const struct profile_event event = { .name = "cycles", .unit = "" };
	struct contexts *c = open_contexts();
	struct profile *p = profile__new();
	unsigned nr_known = 0;
	uint32_t id;

	assert_int_equal(profile__event(p, &event, &id), 0);
	for (uint32_t i = 0; i < NR; i++) {
		const struct row_key key = { .pid = FIRST + i };

		make_process(FIRST + i, 100);
		say(FIRST + i, "shop", 5);
		assert_int_equal(profile__add(p, &key, 1, 1, NULL), 0);
	}
	p->by = BY_PID;
	assert_int_equal(contexts__look(c, p, 60000000000), 0);
	assert_int_equal(contexts__counts(c).offering, CONTEXT_ASKED);
	make_process(FIRST + 7, 200);
	assert_int_equal(contexts__look(c, p, 60000000000), 0);
	for (uint32_t i = 0; i < NR; i++)
		nr_known += *service_of(c, FIRST + i) == 's';
	assert_int_equal(nr_known, NR - 1);
	assert_string_equal(service_of(c, FIRST + 7), "-");
	profile__free(p);
	contexts__close(c);
}

/* Nobody waits for who hangs. */
static void who_closes_does_not_wait(void **state)
{
	struct contexts *c = open_contexts();
	const int fd = make_hanging(10);

	look_for(c, 10, 0, 0);
	contexts__close(c);
	close(fd);
}

static int set_up(void **state)
{
	static const struct jail_reader *const readers[] = { &context_reader_kind };

	(void)state;
	return mkdtemp(root) && !chmod(root, 0755) ? jail__open(&jail, readers, 1) : -1;
}

static int tear_down(void **state)
{
	char command[64];

	(void)state;
	jail__close(jail);
	snprintf(command, sizeof(command), "rm -r %s", root);
	return system(command);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_published_is_known_from_window_to_window),
		cmocka_unit_test(in_mappings_of_any_of_its_names),
		cmocka_unit_test(who_ends_has_said_what_it_has),
		cmocka_unit_test(who_takes_it_back_says_nothing),
		cmocka_unit_test(who_says_nothing_is_asked_ever_less_often),
		cmocka_unit_test(garbage_is_counted),
		cmocka_unit_test(who_hangs_holds_up_nobody),
		cmocka_unit_test(who_does_not_wait_knows_later),
		cmocka_unit_test(all_have_their_turn),
		cmocka_unit_test(who_closes_does_not_wait),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
