// SPDX-License-Identifier: BSD-2-Clause
/* Names that are read in a jail are those that are read here; answers that make no sense, and
 * readers that come to nothing, cost the names of one file. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "jail/message.h"
#include "sym/name_reader.h"
#include "sym/name_wire.h"

/* What a reader does at the file with that number; at others it answers "NUMBER". */
enum evil {
	CRASHES = 100,
	ENDS,
	HANGS,
	ANSWERS_NOTHING,
	ANSWERS_FOR_OTHERS,
	SENDS_HALF,
	NAME_TOO_LONG,
	NAME_WITH_NUL,
	INLINED_WITHOUT_NUL,
	INLINED_TOO_FEW,
	UNKNOWN_OUTERMOST,
	AGAIN_FOR_NOTHING,
	UNKNOWN_REPLY,
	LINES_CUT,
	LINES_OF_NOTHING,
	PATH_WITH_NUL,
	BUILD_ID_TOO_LONG,
	ERROR_BEYOND_MESSAGE,
	LONG_THAT_IS_NOT_THERE,
	LONG_BEYOND_LIMIT,
	UNKNOWN_REQUEST,
	UNKNOWN_PLACE,
	REQUEST_WITH_LONG_NAME,
	LAST_EVIL,
};

struct reply {
	struct name_reply head;
	struct name_answer answer;
	char text[64];
};

struct wish {
	struct name_reply head;
	struct name_request request;
	char text[8];
};

static void send_all(int sock, const void *bytes, size_t len)
{
	if (message__send(sock, bytes, len, -1))
		_exit(1);
}

static void ask_evil(int sock, uint32_t evil)
{
	struct wish w = { .head.kind = NAME_REQUEST };

	w.request.kind = evil == UNKNOWN_REQUEST ? REQUEST_KINDS : REQUEST_OTHER;
	w.request.place = evil == UNKNOWN_PLACE ? PLACE_KINDS : PLACE_BY_LINK;
	w.request.file = evil;
	w.request.name_bytes = evil == REQUEST_WITH_LONG_NAME ? 1000000 : 4;
	w.request.has_name = 1;
	send_all(sock, &w, sizeof(w));
}

static void answer_evil(int sock, uint32_t evil)
{
	struct reply r = { .head = { NAME_ANSWERS, 1, {} }, .answer.named = 1 };
	size_t len = sizeof(r);

	switch (evil) {
	case CRASHES:
		abort();
	case ENDS:
		_exit(0);
	case HANGS:
		for (;;)
			;
	case ANSWERS_NOTHING:
		r.head.nr = 0;
		break;
	case ANSWERS_FOR_OTHERS:
		r.head.nr = 1000;
		break;
	case SENDS_HALF:
		len = sizeof(r.head) + 8;
		break;
	case NAME_TOO_LONG:
		r.answer.name_bytes = sizeof(r.text) + 1;
		memset(r.text, 'x', sizeof(r.text));
		break;
	case NAME_WITH_NUL:
		r.answer.name_bytes = 8;
		break;
	case INLINED_WITHOUT_NUL:
		memset(r.text, 'x', sizeof(r.text));
		r.answer.inlined_bytes = 8;
		break;
	case INLINED_TOO_FEW:
		r.answer.inlined_bytes = 1;
		r.answer.nr_inlined = 4000000000u;
		break;
	case UNKNOWN_OUTERMOST:
		r.answer.what = OUTERMOST_IF_ALONE + 1;
		break;
	case AGAIN_FOR_NOTHING:
		r.answer.err = -EAGAIN;
		break;
	case UNKNOWN_REPLY:
		r.head.kind = NAME_LOG + 1;
		break;
	case LINES_CUT:
		r.answer.lines_bytes = 11;
		break;
	case LINES_OF_NOTHING: /* one would do */
		r.answer.lines_bytes = 24;
		break;
	case PATH_WITH_NUL:
		r.answer.lines_bytes = 14;
		r.text[8] = 2;
		break;
	case BUILD_ID_TOO_LONG:
		r.answer.build_id_len = 21;
		break;
	case ERROR_BEYOND_MESSAGE: /* where the next answer would be */
		r.head.nr = 2;
		r.answer.err = -ENOMEM;
		r.answer.name_bytes = 1 << 30;
		break;
	case LONG_THAT_IS_NOT_THERE:
		r.answer.is_long = 1;
		r.answer.name_bytes = 100000;
		break;
	case LONG_BEYOND_LIMIT:
		r.answer.is_long = 1;
		r.answer.name_bytes = r.answer.inlined_bytes = 0x80000000u;
		break;
	case UNKNOWN_REQUEST:
	case UNKNOWN_PLACE:
	case REQUEST_WITH_LONG_NAME:
		ask_evil(sock, evil);
		return;
	default:
		r.answer.name_bytes = snprintf(r.text, sizeof(r.text), "%u", evil);
		len = sizeof(r) - sizeof(r.text) + r.answer.name_bytes;
	}
	send_all(sock, &r, len);
}

static void be_evil(int sock, int file)
{
	const struct name_reply ready = { .kind = NAME_READY };
	struct name_question q[NAME_BATCH];
	struct name_setup setup;
	int n;

	if (message__receive(sock, &setup, sizeof(setup), NULL) != sizeof(setup))
		return;
	send_all(sock, &ready, sizeof(ready));
	while ((n = message__receive(sock, q, sizeof(q), NULL)) > 0)
		for (uint32_t i = 0; i < n / sizeof(q[0]); i++) {
			if (pwrite(file, &i, sizeof(i), 0) != sizeof(i))
				return;
			answer_evil(sock, q[i].file);
		}
}

static const struct jail_reader evil_kind = {
	.name = "test-evil", .run = be_evil, .max_cpu_ns = 200000000, .max_wall_ns = 5000000000
};

static void end_at_once(int sock, int file)
{
}

static const struct jail_reader ending_kind = { .name = "test-ending", .run = end_at_once };

struct fixture {
	struct jail *jail;
	struct file_opener *opener;
	struct name_reader *reader;
	struct file_answer answers[NAME_BATCH * 2];
	char notices[4096];
	unsigned nr_notices;
};

static void keep_notice(void *arg, enum log_level level, const char *text)
{
	struct fixture *f = arg;
	const size_t len = strlen(f->notices);

	if (level != LOG_NOTICE)
		return;
	f->nr_notices++;
	snprintf(f->notices + len, sizeof(f->notices) - len, "%s\n", text);
}

static void add_file(struct fixture *f, uint32_t id, const char *path)
{
	struct mapped_file m = { .pid = getpid(), .fd = -1 };

	m.path = strdup(path);
	assert_int_equal(file_opener__add(f->opener, id, &m), 0);
}

static void open_reader(struct fixture *f, const struct jail_reader *kind)
{
	const struct file_names_opts opts = { .demangle = true };

	assert_int_equal(name_reader__open(&f->reader, f->jail, kind, &opts, f->opener), 0);
}

static int set_up(void **state)
{
	static const struct jail_reader *const kinds[] = { &name_reader_kind, &evil_kind,
							   &ending_kind };
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f || jail__open(&f->jail, kinds, ARRAY_SIZE(kinds)))
		return -1;
	f->opener = file_opener__new("/proc");
	log__set_sink(keep_notice, f);
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	log__set_sink(NULL, NULL);
	name_reader__close(f->reader);
	jail__close(f->jail);
	file_opener__free(f->opener);
	for (size_t i = 0; i < ARRAY_SIZE(f->answers); i++)
		file_answer__free(&f->answers[i]);
	free(f);
	return 0;
}

static void ask(struct fixture *f, const uint32_t *files, size_t nr)
{
	struct file_asked asked[NAME_BATCH * 2];

	for (size_t i = 0; i < nr; i++)
		asked[i] = (struct file_asked){
			{ .kind = NAME_IN_FILE, .file = files[i], .at = 0x1000 }, &f->answers[i]
		};
	name_reader__ask(f->reader, asked, nr);
}

static void assert_number(const struct file_answer *a, uint32_t number)
{
	char want[16];

	snprintf(want, sizeof(want), "%u", number);
	assert_true(a->named);
	assert_string_equal(a->name.data, want);
}

/* Addresses all over the C library, against what reading it in this process says. */
static void names_are_those_that_are_read_here(void **state)
{
	enum { STEP = 0x1357, END = 0x180000 };
	const struct file_names_opts opts = { .demangle = true };
	struct file_answer here = { .fd = -1 };
	struct fixture *f = *state;
	struct file_source source = file_opener__source(f->opener);
	struct file_names *names = file_names__new(&opts, &source);
	unsigned nr_named = 0;
	Dl_info libc;

	assert_true(dladdr((void *)(uintptr_t)strtol, &libc));
	add_file(f, 0, libc.dli_fname);
	assert_int_equal(file_names__add(names, 0, file_opener__identity(f->opener, 0)), 0);
	open_reader(f, &name_reader_kind);
	for (uint64_t at = 0; at < END; at += STEP) {
		const struct file_asked one = { { .kind = NAME_IN_FILE, .at = at },
						&f->answers[0] };
		const struct file_answer *there = one.a;

		name_reader__ask(f->reader, &one, 1);
		file_names__ask(names, &one.q, &here);
		assert_int_equal(there->named, here.named);
		assert_int_equal(there->vaddr, here.vaddr);
		assert_int_equal(there->what, here.what);
		assert_int_equal(there->in_function, here.in_function);
		assert_int_equal(there->function, here.function);
		if (here.named)
			assert_string_equal(there->name.data, here.name.data);
		nr_named += here.named;
	}
	assert_true(nr_named > 50);
	assert_true(name_reader__cpu_ns(f->reader) > 0);
	assert_int_equal(f->nr_notices, 0);
	file_answer__free(&here);
	file_names__free(names);
}

/* The loader's word of where a function is. */
static void a_function_has_its_name(void **state)
{
	struct fixture *f = *state;
	struct file_asked one = { { .kind = NAME_IN_FILE, .file = 5 }, &f->answers[0] };
	Dl_info at;

	assert_true(dladdr((void *)(uintptr_t)qsort, &at));
	add_file(f, 5, at.dli_fname);
	open_reader(f, &name_reader_kind);
	one.q.at = (uintptr_t)at.dli_saddr - (uintptr_t)at.dli_fbase;
	name_reader__ask(f->reader, &one, 1);
	assert_int_equal(f->answers[0].vaddr, one.q.at);
	assert_true(f->answers[0].named);
	assert_non_null(strstr(f->answers[0].name.data, "qsort"));
}

static void a_file_is_handed_on(void **state)
{
	struct fixture *f = *state;
	struct file_asked both[] = {
		{ { .kind = REOPEN_FILE, .file = 1 }, &f->answers[0] },
		{ { .kind = REOPEN_FILE, .file = 2 }, &f->answers[1] },
	};
	struct stat want, got;
	Dl_info libc;

	assert_true(dladdr((void *)(uintptr_t)strtol, &libc));
	add_file(f, 1, "/proc/self/exe");
	add_file(f, 2, libc.dli_fname);
	open_reader(f, &name_reader_kind);
	name_reader__ask(f->reader, both, 2);
	for (int i = 0; i < 2; i++) {
		assert_true(f->answers[i].fd >= 0);
		assert_int_equal(stat(i ? libc.dli_fname : "/proc/self/exe", &want), 0);
		assert_int_equal(fstat(f->answers[i].fd, &got), 0);
		assert_int_equal(got.st_ino, want.st_ino);
		close(f->answers[i].fd);
	}
}

/* Answers longer than a message: a symbol of 100,000 characters. */
static void a_long_name_is_whole(void **state)
{
	enum { LEN = 100000 };
	char dir[] = "/tmp/name_reader_test.XXXXXX", path[64], command[256], *name;
	struct fixture *f = *state;
	struct file_asked one = { { .kind = NAME_IN_FILE, .file = 9 }, &f->answers[0] };
	unsigned long long at;
	FILE *out;

	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/a.s", dir);
	name = malloc(LEN + 1);
	memset(name, 'y', LEN);
	name[LEN] = '\0';
	out = fopen(path, "w");
	assert_non_null(out);
	fprintf(out,
		"\t.text\n\t.globl %s\n\t.type %s, %%function\n%s:\n\t.zero 64\n\t.size %s, 64\n",
		name, name, name, name);
	fclose(out);
	snprintf(command, sizeof(command),
		 "cd %s && cc -c -o a.o a.s && ld -shared -o a.so a.o && nm a.so | grep yyy | cut "
		 "-d' ' -f1 >at",
		 dir);
	assert_int_equal(system(command), 0);
	snprintf(path, sizeof(path), "%s/at", dir);
	out = fopen(path, "r");
	assert_non_null(out);
	assert_int_equal(fscanf(out, "%llx", &at), 1);
	fclose(out);
	snprintf(path, sizeof(path), "%s/a.so", dir);
	add_file(f, 9, path);
	open_reader(f, &name_reader_kind);
	one.q.at = at;
	name_reader__ask(f->reader, &one, 1);
	assert_true(one.a->named);
	assert_string_equal(one.a->name.data, name);
	free(name);
	snprintf(command, sizeof(command), "rm -r %s", dir);
	assert_int_equal(system(command), 0);
}

/* In the middle of others, which all get their names; and it is not read again. */
static void evil_files_lose_their_names_alone(void **state)
{
	struct fixture *f = *state;
	uint32_t files[NAME_BATCH + 10];
	char path[32];

	for (uint32_t i = 0; i < ARRAY_SIZE(files); i++)
		add_file(f, i, "/nonexistent/good");
	open_reader(f, &evil_kind);
	for (uint32_t evil = CRASHES; evil < LAST_EVIL; evil++) {
		snprintf(path, sizeof(path), "/nonexistent/evil%u", evil);
		add_file(f, evil, path);
		for (uint32_t i = 0; i < ARRAY_SIZE(files); i++)
			files[i] = i;
		files[17] = evil;
		f->nr_notices = 0;
		f->notices[0] = '\0';
		for (int round = 0; round < 2; round++) {
			ask(f, files, ARRAY_SIZE(files));
			for (uint32_t i = 0; i < ARRAY_SIZE(files); i++) {
				if (i != 17) {
					assert_number(&f->answers[i], i);
					continue;
				}
				assert_false(f->answers[i].named);
				assert_int_equal(f->answers[i].vaddr, 0x1000);
				assert_int_equal(f->answers[i].nr_inlined, 0);
			}
		}
		assert_int_equal(f->nr_notices, 1);
		assert_non_null(strstr(f->notices, path));
	}
}

/* Its unwind rules are another reader's. */
static void a_file_without_names_is_handed_on(void **state)
{
	struct mapped_file m = { .pid = getpid(), .fd = -1 };
	struct fixture *f = *state;
	struct file_asked one = { { .kind = NAME_IN_FILE, .file = CRASHES }, &f->answers[0] };
	struct stat want, got;

	m.path = strdup("/nonexistent/evil");
	m.fd = open("/proc/self/exe", O_PATH | O_CLOEXEC);
	assert_int_equal(file_opener__add(f->opener, CRASHES, &m), 0);
	open_reader(f, &evil_kind);
	name_reader__ask(f->reader, &one, 1);
	assert_int_equal(f->nr_notices, 1);
	one.q.kind = REOPEN_FILE;
	name_reader__ask(f->reader, &one, 1);
	assert_true(one.a->fd >= 0);
	assert_int_equal(stat("/proc/self/exe", &want), 0);
	assert_int_equal(fstat(one.a->fd, &got), 0);
	assert_int_equal(got.st_ino, want.st_ino);
	close(one.a->fd);
	assert_int_equal(f->nr_notices, 1);
}

/* What is killed while it has nothing to do takes no file's names away. */
static void one_that_ends_idle_is_nobodys_fault(void **state)
{
	struct fixture *f = *state;
	const uint32_t file = 3;
	char command[128];

	add_file(f, 3, "/nonexistent/good");
	open_reader(f, &evil_kind);
	for (int i = 0; i < 4; i++) {
		ask(f, &file, 1);
		assert_number(&f->answers[0], 3);
		snprintf(command, sizeof(command),
			 "pkill -KILL -P $(pgrep -P %d -x jail-warden) -x test-evil", getpid());
		assert_int_equal(system(command), 0);
	}
	ask(f, &file, 1);
	assert_number(&f->answers[0], 3);
	assert_int_equal(f->nr_notices, 0);
}

/* Each question is a process of its own, and is told. */
static void code_made_at_run_time_is_told_by_its_process(void **state)
{
	struct fixture *f = *state;
	struct file_asked one = { { .kind = NAME_OF_CODE, .file = CRASHES, .pid = 42, .life = 7 },
				  &f->answers[0] };

	open_reader(f, &evil_kind);
	name_reader__ask(f->reader, &one, 1);
	name_reader__ask(f->reader, &one, 1);
	assert_false(one.a->named);
	assert_int_equal(f->nr_notices, 1);
	assert_non_null(strstr(f->notices, "process 42"));
}

static void a_reader_that_cannot_be_caged_is_an_error(void **state)
{
	const struct file_names_opts opts = {};
	struct fixture *f = *state;

	assert_int_equal(name_reader__open(&f->reader, f->jail, &ending_kind, &opts, f->opener),
			 -EPIPE);
	assert_null(f->reader);
}

#define IN_JAIL(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_JAIL(names_are_those_that_are_read_here),
		IN_JAIL(a_function_has_its_name),
		IN_JAIL(a_file_is_handed_on),
		IN_JAIL(a_long_name_is_whole),
		IN_JAIL(evil_files_lose_their_names_alone),
		IN_JAIL(a_file_without_names_is_handed_on),
		IN_JAIL(one_that_ends_idle_is_nobodys_fault),
		IN_JAIL(code_made_at_run_time_is_told_by_its_process),
		IN_JAIL(a_reader_that_cannot_be_caged_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
