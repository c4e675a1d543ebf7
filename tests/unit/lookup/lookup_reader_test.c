// SPDX-License-Identifier: BSD-2-Clause
/* What is read of a program in a jail is what is read here; answers that make no sense, and readers
 * that come to nothing, are errors with the program's name. */
#include "elf_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/log.h"
#include "jail/message.h"
#include "lookup/lookup_code.h"
#include "lookup/lookup_reader.h"

/* What a reader does with a question about that offset; at others it answers as it should. */
enum evil {
	CRASHES = 100,
	ENDS,
	HANGS,
	LACKS_MEMORY,
	SENDS_HALF,
	UNKNOWN_REPLY,
	POSITIVE_ERROR,
	HUGE_ERROR,
	ERROR_WITHOUT_WHY,
	ERROR_WITH_RECORDS,
	ERROR_WITH_NUL,
	ERROR_TOO_LONG,
	MORE_THAN_IS_THERE,
	MORE_THAN_MAY_BE,
	LESS_THAN_IS_THERE,
	BYTES_BEHIND,
	NO_RECORD,
	TOO_MANY_RECORDS,
	HALF_A_RECORD,
	TEXT_TOO_LONG,
	TEXT_WITHOUT_END,
	TEXT_WITH_NUL,
	NO_NAME,
	EMPTY_NAME,
	A_PROVIDER,
	NEGATIVE_PLACE,
	LONG_SKIP,
	UNKNOWN_FLAG,
	A_CONDITION,
	BYTES_WITHOUT_MEANING,
	WANTS_ANOTHER_PLACE,
	WANTS_LONG_ID,
	WANTS_NAME_WITH_NUL,
	WANTS_HALF_A_NAME,
	LAST_EVIL,
	WANTS_SECRET, /* a file beside that is no ELF file; and answers as it should */
};

static void send_all(int sock, const void *bytes, size_t len)
{
	if (message__send(sock, bytes, len, -1))
		_exit(1);
}

static void ask_evil(int sock, uint64_t evil)
{
	struct {
		struct lookup_request r;
		char name[8];
	} m = { .r = { .head.kind = LOOKUP_REQUEST, .place = PLACE_BY_LINK, .name_bytes = 8 },
		.name = "abcdefg" };

	if (evil != WANTS_NAME_WITH_NUL)
		m.name[7] = 'h';
	if (evil == WANTS_ANOTHER_PLACE)
		m.r.place = PLACE_ALT;
	if (evil == WANTS_LONG_ID)
		m.r.id_len = PLACE_ID_BYTES + 1;
	if (evil == WANTS_HALF_A_NAME)
		m.r.name_bytes = 16;
	send_all(sock, &m, sizeof(m));
}

/* Ends, if it gets anything but a refusal. */
static void ask_for_secret(int sock)
{
	struct {
		struct lookup_request r;
		char name[6];
	} m = { .r = { .head.kind = LOOKUP_REQUEST, .place = PLACE_BY_LINK, .name_bytes = 6 } };
	struct lookup_grant grant;
	int fd;

	memcpy(m.name, "secret", 6);
	send_all(sock, &m, sizeof(m.r) + 6);
	if (message__receive(sock, &grant, sizeof(grant), &fd) != sizeof(grant) || fd >= 0 ||
	    grant.err != -ENOEXEC)
		_exit(9);
}

/* One function, "f", at 0x40. */
static void answer_evil(int sock, int file, uint64_t evil)
{
	static char long_text[LOOKUP_WHY_BYTES + 8];
	struct {
		struct lookup_record r;
		char name[8];
	} all[2] = { { .r = { .offset = 0x40, .size = 8, .more = 4, .text_bytes = { 2 } },
		       .name = "f" } };
	const void *bytes = all;
	struct lookup_record *r = &all[0].r;
	size_t len = sizeof(*r) + 2;
	struct lookup_reply reply = { .kind = LOOKUP_ANSWER, .nr = 1 };

	switch (evil) {
	case CRASHES:
		abort();
	case ENDS:
		_exit(0);
	case HANGS:
		for (;;)
			;
	case WANTS_SECRET:
		ask_for_secret(sock);
		break;
	case WANTS_ANOTHER_PLACE:
	case WANTS_LONG_ID:
	case WANTS_NAME_WITH_NUL:
	case WANTS_HALF_A_NAME:
		ask_evil(sock, evil);
		return;
	case ERROR_WITHOUT_WHY:
	case ERROR_WITH_NUL:
	case ERROR_TOO_LONG:
		memset(long_text, 'x', sizeof(long_text));
		bytes = evil == ERROR_WITH_NUL ? "no\0thing" : long_text;
		len = evil == ERROR_WITHOUT_WHY ? 0
		      : evil == ERROR_WITH_NUL	? 8
						: sizeof(long_text);
		reply.nr = 0;
		reply.err = -EINVAL;
		break;
	case LACKS_MEMORY:
		reply.err = -ENOMEM;
		reply.nr = len = 0;
		break;
	case POSITIVE_ERROR:
	case HUGE_ERROR:
	case ERROR_WITH_RECORDS:
		reply.err = evil == POSITIVE_ERROR ? 1 : evil == HUGE_ERROR ? -4096 : -EINVAL;
		reply.nr = evil == ERROR_WITH_RECORDS;
		bytes = "sentence";
		len = 8;
		break;
	case TOO_MANY_RECORDS:
		reply.nr = SYMTAB_MAX + 1;
		break;
	case NO_RECORD:
		reply.nr = 2;
		break;
	case HALF_A_RECORD:
		len = 20;
		break;
	case TEXT_TOO_LONG:
		r->text_bytes[LOOKUP_NAME] = UINT32_MAX;
		break;
	case TEXT_WITHOUT_END:
		all[0].name[1] = 'g';
		break;
	case BYTES_BEHIND:
		len++;
		break;
	case TEXT_WITH_NUL:
		r->text_bytes[LOOKUP_NAME] = 4;
		len = sizeof(*r) + 4;
		break;
	case NO_NAME:
		r->text_bytes[LOOKUP_NAME] = 0;
		len = sizeof(*r);
		break;
	case EMPTY_NAME:
		all[0].name[0] = '\0';
		r->text_bytes[LOOKUP_NAME] = 1;
		len = sizeof(*r) + 1;
		break;
	case A_PROVIDER:
		r->text_bytes[LOOKUP_PROVIDER] = 1;
		len = sizeof(*r) + 3;
		break;
	case NEGATIVE_PLACE:
		r->offset = UINT64_MAX;
		break;
	case LONG_SKIP:
		r->more = 4096;
		break;
	case UNKNOWN_FLAG:
		r->flags = 2;
		break;
	case A_CONDITION:
		r->condition = -1;
		break;
	case BYTES_WITHOUT_MEANING:
		r->unused = 1;
		break;
	default:
		break;
	}
	reply.bytes = len;
	if (evil == MORE_THAN_IS_THERE || evil == LESS_THAN_IS_THERE)
		reply.bytes += evil == MORE_THAN_IS_THERE ? 1 : -1;
	if (evil == MORE_THAN_MAY_BE)
		reply.bytes = UINT64_MAX;
	if (evil == UNKNOWN_REPLY)
		reply.kind = LOOKUP_READY;
	if (ftruncate(file, 0) || pwrite(file, bytes, len, 0) != (ssize_t)len)
		_exit(1);
	send_all(sock, &reply, sizeof(reply) - (evil == SENDS_HALF ? 8 : 0));
}

static void be_evil(int sock, int file)
{
	const struct lookup_reply ready = { .kind = LOOKUP_READY };
	static char in[MESSAGE_BYTES_MAX];
	struct lookup_asked asked;
	int fd;

	send_all(sock, &ready, sizeof(ready));
	while (message__receive(sock, in, sizeof(in), &fd) >= (int)sizeof(asked)) {
		memcpy(&asked, in, sizeof(asked));
		answer_evil(sock, file, asked.offset);
		if (fd >= 0)
			close(fd);
	}
}

static const struct jail_reader evil_kind = {
	.name = "test-evil", .run = be_evil, .max_cpu_ns = 200000000, .max_wall_ns = 5000000000
};

static void end_at_once(int sock, int file)
{
	(void)sock;
	(void)file;
}

static const struct jail_reader ending_kind = { .name = "test-ending", .run = end_at_once };
static const struct jail_reader unknown_kind = { .name = "test-unknown", .run = be_evil };

static struct jail *jail;
static char notice[512];

static void keep_notice(void *arg, enum log_level level, const char *text)
{
	(void)arg;
	if (level == LOG_NOTICE)
		snprintf(notice, sizeof(notice), "%s", text);
}

static int open_jail(void **state)
{
	static const struct jail_reader *const kinds[] = { &lookup_reader_kind, &lookup_glance_kind,
							   &evil_kind, &ending_kind };

	(void)state;
	return jail__open(&jail, kinds, ARRAY_SIZE(kinds));
}

static int close_jail(void **state)
{
	(void)state;
	jail__close(jail);
	return 0;
}

/* With the bytes of both: records, texts, and in which order. */
static void assert_same(struct lookup_reader *r, const char *path, const struct lookup_question *q)
{
	struct buf here_why = {}, there_why = {};
	struct lookup_answer here, there;
	int err = lookup_reader__ask(NULL, path, q, &here, &here_why);

	assert_int_equal(lookup_reader__ask(r, path, q, &there, &there_why), err);
	if (err) {
		assert_string_equal(there_why.data, here_why.data);
	} else {
		assert_true(lookup_answer__check(&here, q));
		assert_int_equal(there.nr, here.nr);
		assert_int_equal(there.len, here.len);
		if (here.len)
			assert_memory_equal(there.bytes, here.bytes, here.len);
		lookup_answer__free(&here);
		lookup_answer__free(&there);
	}
	buf__free(&here_why);
	buf__free(&there_why);
}

static void answers_are_those_that_are_read_here(void **state)
{
	struct lookup_reader *r = lookup_reader__new(jail, &lookup_reader_kind);
	const char *const files[] = { "/proc/self/exe", "/bin/sh", "/etc/passwd", "/nowhere" };
	struct lookup_function main_at;
	struct buf why = {};

	(void)state;
	assert_int_equal(lookup__function(NULL, "/proc/self/exe", "main", &main_at, &why), 0);
	for (size_t i = 0; i < ARRAY_SIZE(files); i++) {
		const struct lookup_question questions[] = {
			{ .kind = LOOKUP_FUNCTION, .text = "main" },
			{ .kind = LOOKUP_FUNCTION, .text = "mian" },
			{ .kind = LOOKUP_FUNCTION, .text = "0x40" },
			{ .kind = LOOKUP_FUNCTIONS, .text = "*" },
			{ .kind = LOOKUP_FUNCTIONS, .text = "" },
			{ .kind = LOOKUP_NO_FUNCTION, .text = "mian*" },
			{ .kind = LOOKUP_USDT },
			{ .kind = LOOKUP_USDT, .text = "probe", .provider = "nobody" },
			{ .kind = LOOKUP_PLACE, .offset = main_at.offset },
			{ .kind = LOOKUP_PLACE, .offset = main_at.offset + 2 },
			{ .kind = LOOKUP_HAZARDS },
			{ .kind = LOOKUP_PROLOGUES },
			{ .kind = LOOKUP_EXITS, .offset = main_at.offset },
			{ .kind = LOOKUP_EXITS, .offset = 1 },
			{ .kind = LOOKUP_GO_ENTRY, .text = "main" },
			{ .kind = LOOKUP_GO_ENTRY, .text = "nothing" },
		};

		for (size_t j = 0; j < ARRAY_SIZE(questions); j++)
			assert_same(r, files[i], &questions[j]);
	}
	lookup_reader__free(r);
}

static void places_of_probes_too(void **state)
{
	const struct lookup_question all = { .kind = LOOKUP_USDT };
	const struct lookup_question one = { .kind = LOOKUP_USDT,
					     .text = "two",
					     .provider = "shop" };
	const struct lookup_question none = { .kind = LOOKUP_USDT, .text = "tow" };
	struct lookup_reader *r = lookup_reader__new(jail, &lookup_reader_kind);
	struct usdt_probe *probes;
	struct dir *d = *state;
	struct buf why = {};
	size_t nr;

	/* A note as <sys/sdt.h> writes it, for each of three places. */
	must(sh(d, "for p in one two two; do printf '.text\\n nop\\n990: nop\\n'; printf '%%s\\n' "
		   "'.pushsection .note.stapsdt,\"\",\"note\"' '.balign 4' "
		   "'.4byte 992f-991f, 994f-993f, 3' '991: .asciz \"stapsdt\"' '992: .balign 4' "
		   "'993: .8byte 990b, 0, 0' '.asciz \"shop\"' \".asciz \\\"$p\\\"\" "
		   "'.asciz \"-4@%%edi\"' '994: .balign 4' '.popsection'; done > p.s && "
		   "cc -shared -nostdlib -o lib.so p.s"));
	assert_same(r, d->lib, &all);
	assert_same(r, d->lib, &one);
	assert_same(r, d->lib, &none);
	assert_int_equal(usdt__find(r, d->lib, NULL, "two", &probes, &nr, &why), 0);
	assert_int_equal(nr, 2);
	for (size_t i = 0; i < nr; i++) {
		assert_string_equal(probes[i].provider, "shop");
		assert_string_equal(probes[i].name, "two");
		assert_string_equal(probes[i].args, "-4@%edi");
	}
	assert_int_equal(probes[1].offset, probes[0].offset + 2);
	free(probes);
	lookup_reader__free(r);
}

/* It cannot open them itself. */
static void a_debug_file_is_handed_in(void **state)
{
	struct lookup_reader *r = lookup_reader__new(jail, &lookup_reader_kind);
	struct lookup_function full, found;
	struct dir *d = *state;
	struct buf why = {};

	assert_int_equal(lookup__function(NULL, d->lib, "hidden", &full, &why), 0);
	must(sh(d, "objcopy --only-keep-debug lib.so lib.debug && strip lib.so && "
		   "objcopy --add-gnu-debuglink=lib.debug lib.so"));
	assert_int_equal(lookup__function(r, d->lib, "hidden", &found, &why), 0);
	assert_int_equal(found.offset, full.offset);
	assert_int_equal(found.size, full.size);
	/* With another in its place, the file itself has changed as well. */
	must(sh(d, "echo no > lib.debug && touch lib.so"));
	assert_int_equal(lookup__function(r, d->lib, "hidden", &found, &why), -ENOENT);
	buf__free(&why);
	lookup_reader__free(r);
}

/* The same path, another file: nothing of the old one is told. */
static void a_file_that_has_changed_is_read_again(void **state)
{
	struct lookup_reader *r = lookup_reader__new(jail, &lookup_reader_kind);
	struct lookup_function found;
	struct dir *d = *state;
	struct buf why = {};

	must(sh(d, "printf '.globl aa\\n.type aa,@function\\naa: ret\\n.size aa, 1\\n' > a.s && "
		   "sed s/aa/bb/ a.s > b.s && sed -i s/aa/bb/g b.s && "
		   "cc -shared -nostdlib -o lib.so a.s && cc -shared -nostdlib -o b.so b.s"));
	assert_int_equal(lookup__function(r, d->lib, "aa", &found, &why), 0);
	must(sh(d, "mv b.so lib.so"));
	assert_int_equal(lookup__function(r, d->lib, "bb", &found, &why), 0);
	assert_int_equal(lookup__function(r, d->lib, "aa", &found, &why), -ENOENT);
	buf__free(&why);
	lookup_reader__free(r);
}

static int ask_evil_about(struct lookup_reader *r, const char *path, uint64_t evil, struct buf *why)
{
	const struct lookup_question q = { .kind = LOOKUP_FUNCTIONS, .text = "*", .offset = evil };
	struct lookup_answer a;
	int err = lookup_reader__ask(r, path, &q, &a, why);

	if (!err) {
		assert_int_equal(a.nr, 1);
		lookup_answer__free(&a);
	}
	return err;
}

/* The path is what sentences call it, and nothing is there. */
static int ask_open(struct lookup_reader *r, const char *path, uint64_t evil, struct prologues *out,
		    struct buf *why)
{
	const struct lookup_question q = { .kind = LOOKUP_FUNCTIONS, .text = "*", .offset = evil };
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct lookup_answer a;
	int err;

	assert_true(fd >= 0);
	buf__clear(why);
	if (out)
		return lookup__prologues(r, fd, "/its/name", out, why);
	err = lookup_reader__ask_open(r, fd, "/its/name", &q, &a, why);
	if (!err)
		lookup_answer__free(&a);
	return err;
}

/* Our own test program was built with frame pointers. */
static void an_open_file_is_glanced_at(void **state)
{
	struct lookup_reader *r = lookup_reader__new(jail, &lookup_glance_kind);
	struct lookup_reader *here = lookup_reader__new(NULL, NULL);
	struct prologues there = {}, p = {};
	struct buf why = {};

	(void)state;
	assert_int_equal(ask_open(r, "/proc/self/exe", 0, &there, &why), 0);
	assert_int_equal(ask_open(here, "/proc/self/exe", 0, &p, &why), 0);
	assert_memory_equal(&there, &p, sizeof(p));
	assert_in_range(p.kept, p.functions / 2, p.functions);
	assert_int_equal(ask_open(r, "/etc/passwd", 0, &p, &why), -ENOEXEC);
	assert_int_equal(p.functions, 0);
	assert_non_null(strstr(why.data, "/its/name"));
	buf__free(&why);
	lookup_reader__free(here);
	lookup_reader__free(r);
}

static void for_a_file_that_nobody_named_nothing_is_handed_in(void **state)
{
	struct lookup_reader *r = lookup_reader__new(jail, &evil_kind);
	struct dir *d = *state;
	struct buf why = {};

	must(sh(d, "cp lib.so secret"));
	assert_int_equal(ask_open(r, d->lib, 0, NULL, &why), 0);
	assert_int_equal(ask_open(r, d->lib, WANTS_SECRET, NULL, &why), -EIO);
	assert_string_equal(why.data, "cannot read /its/name: its reader's answer makes no sense");
	assert_int_equal(ask_open(r, d->lib, CRASHES, NULL, &why), -EIO);
	assert_string_equal(why.data, "cannot read /its/name: its reader crashed (Aborted)");
	buf__free(&why);
	lookup_reader__free(r);
}

/* It is written to by everybody: whose it is says nothing. */
static void without_a_jail_nobody_glances_at_a_strangers_file(void **state)
{
	struct lookup_reader *r = lookup_reader__new(NULL, NULL);
	struct dir *d = *state;
	struct prologues p;
	struct buf why = {};

	assert_int_equal(ask_open(r, d->lib, 0, NULL, &why), 0);
	must(chmod(d->lib, 0777));
	assert_int_equal(ask_open(r, d->lib, 0, NULL, &why), -EACCES);
	assert_non_null(strstr(why.data, "/its/name is a stranger's"));
	assert_int_equal(ask_open(r, d->lib, 0, &p, &why), -EACCES);
	buf__free(&why);
	lookup_reader__free(r);
}

static int ask_evil_reader(struct lookup_reader *r, uint64_t evil, struct buf *why)
{
	return ask_evil_about(r, "/bin/sh", evil, why);
}

/* A link's name is the stranger's choice, and not all that lies beside his file is his. */
static void what_is_no_elf_file_is_not_handed_in(void **state)
{
	struct lookup_reader *r = lookup_reader__new(jail, &evil_kind);
	struct dir *d = *state;
	struct buf why = {};

	must(sh(d, "echo of somebody else >secret"));
	assert_int_equal(ask_evil_about(r, d->lib, WANTS_SECRET, &why), 0);
	buf__free(&why);
	lookup_reader__free(r);
}

static void answers_that_make_no_sense_are_refused(void **state)
{
	struct lookup_reader *r = lookup_reader__new(jail, &evil_kind);
	struct buf why = {};

	(void)state;
	for (uint64_t evil = SENDS_HALF; evil < LAST_EVIL; evil++) {
		int err;

		buf__clear(&why);
		err = ask_evil_reader(r, evil, &why);
		if (err != -EIO)
			print_error("evil %d: %d\n", (int)evil, err);
		assert_int_equal(err, -EIO);
		assert_string_equal(why.data,
				    "cannot read /bin/sh: its reader's answer makes no sense");
		/* The next one has another reader. */
		assert_int_equal(ask_evil_reader(r, 0, &why), 0);
	}
	buf__free(&why);
	lookup_reader__free(r);
}

/* Of kinds whose answers have other shapes: what a list of functions may be is nothing to them. */
static void an_answer_to_another_question_is_refused(void **state)
{
	struct lookup_reader *r = lookup_reader__new(jail, &evil_kind);
	struct buf why = {};

	(void)state;
	for (enum lookup_kind kind = 0; kind < LOOKUP_KINDS; kind++) {
		const struct lookup_question q = { .kind = kind, .text = "*" };
		struct lookup_answer a;

		buf__clear(&why);
		if (kind != LOOKUP_FUNCTIONS)
			assert_int_equal(lookup_reader__ask(r, "/bin/sh", &q, &a, &why), -EIO);
	}
	buf__free(&why);
	lookup_reader__free(r);
}

/* A record of an answer to @kind, behind @first if there is one: is that sound? */
static bool is_sound(enum lookup_kind kind, const struct lookup_record *first,
		     const struct lookup_record *record, const char *provider)
{
	const struct lookup_question q = {
		.kind = kind,
		.text = kind == LOOKUP_USDT ? "n" : NULL,
		.provider = provider,
	};
	struct lookup_record r = *record;
	struct lookup_answer a = { .nr = first ? 2 : 1 };
	char bytes[256];

	if (first)
		memcpy(bytes, first, sizeof(*first));
	a.len = first ? sizeof(*first) : 0;
	if (kind == LOOKUP_USDT)
		r.text_bytes[LOOKUP_NAME] = r.text_bytes[LOOKUP_PROVIDER] =
			r.text_bytes[LOOKUP_ARGS] = 2;
	memcpy(bytes + a.len, &r, sizeof(r));
	a.len += sizeof(r);
	if (kind == LOOKUP_USDT) {
		memcpy(bytes + a.len, "n\0p\0a", 6);
		a.len += 6;
	}
	a.bytes = bytes;
	return lookup_answer__check(&a, &q);
}

#define SOUND(kind, first, ...)                                                                    \
	assert_true(is_sound(kind, first, &(struct lookup_record){ __VA_ARGS__ }, NULL))
#define WRONG(kind, first, ...)                                                                    \
	assert_false(is_sound(kind, first, &(struct lookup_record){ __VA_ARGS__ }, NULL))

static void records_are_looked_at_by_kind(void **state)
{
	const struct lookup_record entry = { .offset = 0x40, .flags = LOOKUP_CALLS };

	(void)state;
	SOUND(LOOKUP_FUNCTION, NULL, .offset = 1, .size = UINT64_MAX, .more = 4);
	WRONG(LOOKUP_FUNCTION, &entry, .offset = 1);
	WRONG(LOOKUP_FUNCTION, NULL, .flags = LOOKUP_IS_ALIAS);
	WRONG(LOOKUP_FUNCTION, NULL, .text_bytes = { 1 });
	SOUND(LOOKUP_HAZARDS, NULL, .flags = 7, .more = 1);
	WRONG(LOOKUP_HAZARDS, NULL, .flags = 8);
	WRONG(LOOKUP_HAZARDS, NULL, .more = 2);
	WRONG(LOOKUP_HAZARDS, NULL, .offset = 1);
	WRONG(LOOKUP_HAZARDS, NULL, .size = 1);
	WRONG(LOOKUP_HAZARDS, NULL, .condition = 1);
	SOUND(LOOKUP_PROLOGUES, NULL, .size = 16);
	SOUND(LOOKUP_PROLOGUES, NULL, .size = 256, .more = 256);
	WRONG(LOOKUP_PROLOGUES, NULL, .size = 15);
	WRONG(LOOKUP_PROLOGUES, NULL, .size = 257);
	WRONG(LOOKUP_PROLOGUES, NULL, .size = 255, .more = 256);
	WRONG(LOOKUP_PROLOGUES, NULL, .size = 16, .flags = 1);
	WRONG(LOOKUP_PROLOGUES, NULL, .size = 16, .offset = 1);
	WRONG(LOOKUP_PROLOGUES, NULL, .size = 16, .condition = 1);
	WRONG(LOOKUP_PROLOGUES, NULL, .size = 16, .text_bytes = { 1 });
	WRONG(LOOKUP_PROLOGUES, &entry, .size = 16);
	SOUND(LOOKUP_EXITS, &entry, .offset = 1, .condition = 15, .flags = LOOKUP_JUMP);
	SOUND(LOOKUP_EXITS, &entry, .offset = 1, .condition = -1, .flags = LOOKUP_UNSURE);
	WRONG(LOOKUP_EXITS, NULL, .offset = 1);
	WRONG(LOOKUP_EXITS, &entry, .offset = 1, .condition = 16);
	WRONG(LOOKUP_EXITS, &entry, .offset = 1, .condition = -2);
	WRONG(LOOKUP_EXITS, &entry, .offset = 1, .flags = 4);
	WRONG(LOOKUP_EXITS, &entry, .offset = 1, .more = 1);
	WRONG(LOOKUP_EXITS, &entry, .offset = 1, .size = 1);
	WRONG(LOOKUP_EXITS, &entry, .offset = 1ull << 63);
	SOUND(LOOKUP_GO_ENTRY, NULL, .offset = 1);
	WRONG(LOOKUP_GO_ENTRY, &entry, .offset = 1);
	WRONG(LOOKUP_GO_ENTRY, NULL, .flags = 1);
	SOUND(LOOKUP_USDT, NULL, .offset = 1, .more = 2);
	WRONG(LOOKUP_USDT, NULL, .offset = 1, .more = UINT64_MAX);
	WRONG(LOOKUP_USDT, NULL, .offset = 1, .flags = 1);
	WRONG(LOOKUP_USDT, NULL, .offset = 1, .size = 1);
	assert_true(is_sound(LOOKUP_USDT, NULL, &(struct lookup_record){}, "p"));
	assert_false(is_sound(LOOKUP_USDT, NULL, &(struct lookup_record){}, "q"));
	WRONG(LOOKUP_PLACE, NULL, .offset = 1);
	WRONG(LOOKUP_NO_FUNCTION, NULL, .offset = 1);
	WRONG(LOOKUP_KINDS, NULL, .offset = 1);
}

static void assert_ends(struct lookup_reader *r, enum evil evil, const char *how)
{
	struct buf why = {}, want = {};

	must(buf__printf(&want, "cannot read /bin/sh: %s", how));
	assert_int_equal(ask_evil_reader(r, evil, &why), -EIO);
	assert_string_equal(why.data, want.data);
	buf__clear(&why);
	assert_int_equal(ask_evil_reader(r, 0, &why), 0);
	buf__free(&want);
	buf__free(&why);
}

static void a_reader_that_comes_to_nothing_is_replaced(void **state)
{
	struct lookup_reader *r = lookup_reader__new(jail, &evil_kind);

	(void)state;
	assert_ends(r, CRASHES, "its reader crashed (Aborted)");
	assert_ends(r, ENDS, "its reader ended with status 0");
	assert_ends(r, HANGS, "it took more than 0.2 s of CPU time");
	assert_ends(r, LACKS_MEMORY, "its reader needs more memory than it may have");
	lookup_reader__free(r);
}

/* The one below our own warden. */
static pid_t find_reader(void)
{
	char cmd[128];
	int pid = 0;
	FILE *f;

	snprintf(cmd, sizeof(cmd), "pgrep -P \"$(pgrep -P %d -x jail-warden)\" -x lookup-reader",
		 (int)getpid());
	f = popen(cmd, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &pid), 1);
	pclose(f);
	return pid;
}

static void one_that_is_killed_while_idle_is_no_error(void **state)
{
	struct lookup_reader *r = lookup_reader__new(jail, &lookup_reader_kind);
	struct lookup_function found;
	struct buf why = {};

	(void)state;
	assert_int_equal(lookup__function(r, "/proc/self/exe", "main", &found, &why), 0);
	assert_int_equal(kill(find_reader(), SIGKILL), 0);
	usleep(100000);
	assert_int_equal(lookup__function(r, "/proc/self/exe", "main", &found, &why), 0);
	lookup_reader__rest(r);
	assert_int_equal(lookup__function(r, "/proc/self/exe", "main", &found, &why), 0);
	lookup_reader__free(r);
}

static void assert_read_here(const struct jail_reader *kind)
{
	struct lookup_reader *r = lookup_reader__new(jail, kind);
	struct lookup_function found;
	struct buf why = {};

	notice[0] = '\0';
	log__set_sink(keep_notice, NULL);
	assert_int_equal(lookup__function(r, "/proc/self/exe", "main", &found, &why), 0);
	log__set_sink(NULL, NULL);
	assert_non_null(strstr(notice, "a process that is not confined"));
	assert_int_equal(lookup__function(r, "/bin/sh", "nothing", &found, &why), -ENOENT);
	assert_int_equal(lookup__function(r, "/proc/self/exe", "main", &found, &why), 0);
	buf__free(&why);
	lookup_reader__free(r);
}

static void where_nobody_can_be_jailed_it_is_read_here(void **state)
{
	(void)state;
	assert_read_here(&unknown_kind);
	assert_read_here(&ending_kind);
}

static void a_name_that_is_too_long_is_told(void **state)
{
	struct lookup_reader *r = lookup_reader__new(jail, &lookup_reader_kind);
	static char name[MESSAGE_BYTES_MAX + 1];
	struct lookup_function found;
	struct buf why = {};

	(void)state;
	memset(name, 'a', sizeof(name) - 1);
	assert_int_equal(lookup__function(r, "/bin/sh", name, &found, &why), -ENAMETOOLONG);
	assert_non_null(strstr(why.data, "is too long for a name"));
	buf__free(&why);
	lookup_reader__free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(answers_are_those_that_are_read_here),
		IN_DIR(places_of_probes_too),
		IN_DIR(a_debug_file_is_handed_in),
		IN_DIR(what_is_no_elf_file_is_not_handed_in),
		cmocka_unit_test(an_open_file_is_glanced_at),
		IN_DIR(for_a_file_that_nobody_named_nothing_is_handed_in),
		IN_DIR(without_a_jail_nobody_glances_at_a_strangers_file),
		IN_DIR(a_file_that_has_changed_is_read_again),
		cmocka_unit_test(answers_that_make_no_sense_are_refused),
		cmocka_unit_test(an_answer_to_another_question_is_refused),
		cmocka_unit_test(records_are_looked_at_by_kind),
		cmocka_unit_test(a_reader_that_comes_to_nothing_is_replaced),
		cmocka_unit_test(one_that_is_killed_while_idle_is_no_error),
		cmocka_unit_test(where_nobody_can_be_jailed_it_is_read_here),
		cmocka_unit_test(a_name_that_is_too_long_is_told),
	};

	return cmocka_run_group_tests(tests, open_jail, close_jail);
}
