// SPDX-License-Identifier: BSD-2-Clause
/* Names of functions that were inlined, from a library whose lines and calls are known, as the
 * namer has them and as the reader of files gives them. */
#include "elf_fixture.h"

#include <errno.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "jail/jail.h"
#include "sym/file_names.h"
#include "sym/name_reader.h"
#include "sym/namer.h"

/*
 * Each mark is an address. @third is in @second, that in @first, all in whole() and, beginning with
 * @second, in other(). The marks are taken out of the library's symbols.
 */
static const char inlined_source[] =
	"#define MARK(name) __asm__ volatile(\".globl \" #name \"\\n.hidden \" #name \"\\n\" "
	"#name \": nop\")\n"
	"#define INLINE static inline __attribute__((always_inline))\n"
	"#define APART static __attribute__((noinline, used))\n"
	"#line 100 \"/far/away/code.c\"\n"
	"INLINE void third(int i) { if (i) MARK(in_whole); else MARK(in_other); }\n"
	"INLINE void second(int i) { third(i); if (i) MARK(behind_third); }\n"
	"INLINE void first(void) {\n"
	"	second(1);\n"
	"	MARK(behind_second); }\n"
	"APART void whole(void) {\n"
	"	first();\n"
	"	MARK(behind_first); }\n"
	"APART void other(void) {\n"
	"	second(0); }\n"
	"APART void alone(void) { MARK(in_alone); }\n";

struct scene {
	struct dir *dir;
	struct mapped_files *files;
	struct procs *procs;
	struct namer *namer;
	struct proc *self;
	struct jail *jail;
	uint64_t base; /* where the library is */
	size_t len;
	char notices[1024];
};

static void keep_notice(void *arg, enum log_level level, const char *text)
{
	struct scene *s = arg;
	const size_t len = strlen(s->notices);

	if (level == LOG_NOTICE)
		snprintf(s->notices + len, sizeof(s->notices) - len, "%s\n", text);
}

static void build(const struct dir *d, const char *more)
{
	char path[96];
	FILE *f;

	snprintf(path, sizeof(path), "%s/inlined.c", d->path);
	f = fopen(path, "we");
	assert_non_null(f);
	assert_true(fputs(inlined_source, f) >= 0 && fputs(more, f) >= 0 && !fclose(f));
	must(sh(d, "cc -O2 -g -fPIC -shared -Wl,--build-id -o full.so inlined.c && "
		   "objcopy -w -N 'in_*' -N 'behind_*' full.so lib.so"));
}

static void open_scene(struct scene *s, struct dir *d, const struct namer_opts *with)
{
	int fd = open(d->lib, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *at;

	*s = (struct scene){ .dir = d, .jail = with->jail };
	log__set_sink(keep_notice, s);
	assert_true(fd >= 0 && !fstat(fd, &st));
	s->len = st.st_size;
	at = mmap(NULL, s->len, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	assert_true(at != MAP_FAILED);
	close(fd);
	s->base = (uintptr_t)at;
	s->files = mapped_files__new("/proc");
	s->procs = procs__new("/proc", s->files);
	assert_int_equal(namer__open(&s->namer, s->procs, s->files, with), 0);
	assert_int_equal(procs__find(s->procs, getpid(), clock__now_ns(), &s->self), 0);
}

static void close_scene(struct scene *s)
{
	namer__close(s->namer);
	procs__free(s->procs);
	mapped_files__free(s->files);
	munmap((void *)(uintptr_t)s->base, s->len);
	log__set_sink(NULL, NULL);
}

/* An offset in this library's first segments is an address. */
static uint64_t at(const struct scene *s, const char *mark)
{
	return s->base + nm_address(s->dir, "full.so", mark);
}

static struct sym_frame *frame_of(struct scene *s, uint64_t addr)
{
	struct sym_frame *frame = NULL;
	enum outermost what;
	size_t nr;
	int err = namer__user(s->namer, s->self, clock__now_ns(), addr, false, &frame, &what);

	if (err == -EAGAIN) {
		assert_true(namer__wait(s->namer, UINT64_MAX));
		assert_int_equal(namer__take(s->namer, &nr), 0);
		err = namer__user(s->namer, s->self, clock__now_ns(), addr, false, &frame, &what);
	}
	assert_int_equal(err, 0);
	return frame;
}

/* "innermost_[i];..;outermost" */
static void assert_chain(struct scene *s, const char *mark, const char *want)
{
	struct sym_frame *frame = frame_of(s, at(s, mark));
	char chain[512] = "";

	for (; frame; frame = namer__around(s->namer, frame)) {
		const size_t len = strlen(chain);

		snprintf(chain + len, sizeof(chain) - len, "%s%s%s", len ? ";" : "", frame->name,
			 frame->kind == SYM_INLINED ? "_[i]" : "");
		assert_true(frame->named);
		assert_string_equal(frame->module, "lib.so");
	}
	assert_string_equal(chain, want);
}

static const struct namer_opts inlines = { .kallsyms = "/dev/null", .inlines = true };

static void the_innermost_comes_first(void **state)
{
	struct scene s;

	build(*state, "");
	open_scene(&s, *state, &inlines);
	assert_chain(&s, "in_whole", "third_[i];second_[i];first_[i];whole");
	assert_chain(&s, "behind_third", "second_[i];first_[i];whole");
	assert_chain(&s, "behind_second", "first_[i];whole");
	assert_chain(&s, "behind_first", "whole");
	assert_chain(&s, "in_other", "third_[i];second_[i];other");
	assert_chain(&s, "in_alone", "alone");
	close_scene(&s);
}

/* Of an outer function the line where the inner one was called. */
static void each_has_its_line(void **state)
{
	struct namer_opts opts = inlines;
	struct scene s;

	build(*state, "");
	opts.lines = true;
	open_scene(&s, *state, &opts);
	assert_chain(&s, "in_whole",
		     "third (code.c:100)_[i];second (code.c:101)_[i];first (code.c:103)_[i];"
		     "whole (code.c:106)");
	assert_chain(&s, "behind_first", "whole (code.c:107)");
	assert_chain(&s, "in_other",
		     "third (code.c:100)_[i];second (code.c:101)_[i];other (code.c:109)");
	close_scene(&s);
}

static void lines_alone_are_those_of_functions(void **state)
{
	const struct namer_opts opts = { .kallsyms = "/dev/null", .lines = true };
	struct scene s;

	build(*state, "");
	open_scene(&s, *state, &opts);
	assert_chain(&s, "in_whole", "whole (code.c:106)");
	assert_chain(&s, "in_alone", "alone (code.c:110)");
	close_scene(&s);
}

static void without_either_functions_are_named(void **state)
{
	const struct namer_opts opts = { .kallsyms = "/dev/null" };
	struct scene s;

	build(*state, "");
	open_scene(&s, *state, &opts);
	assert_chain(&s, "in_whole", "whole");
	close_scene(&s);
}

static void debug_information_names_what_has_no_symbol(void **state)
{
	struct scene s;

	build(*state, "");
	must(sh(*state, "objcopy --strip-all --keep-section='.debug*' lib.so"));
	open_scene(&s, *state, &inlines);
	assert_chain(&s, "behind_second", "first_[i];whole");
	assert_chain(&s, "in_alone", "alone");
	close_scene(&s);
}

static void without_debug_information_functions_are_named(void **state)
{
	struct scene s;

	build(*state, "");
	must(sh(*state, "strip -g lib.so"));
	open_scene(&s, *state, &inlines);
	assert_chain(&s, "in_whole", "whole");
	assert_string_equal(s.notices, "");
	close_scene(&s);
}

/* An address is asked for once; the same function at another address is the same frame. */
static void frames_are_made_once(void **state)
{
	struct sym_frame *third, *second;
	uint64_t changes;
	struct scene s;

	build(*state, "");
	open_scene(&s, *state, &inlines);
	third = frame_of(&s, at(&s, "in_whole"));
	third->cookie = 6;
	namer__around(s.namer, third)->cookie = 7;
	changes = namer__nr_changes(s.namer);
	assert_int_equal(frame_of(&s, at(&s, "in_whole"))->cookie, 6);
	assert_int_equal(namer__nr_changes(s.namer), changes);
	assert_int_equal(frame_of(&s, at(&s, "behind_third"))->cookie, 7);
	assert_true(namer__nr_changes(s.namer) > changes);
	/* Inlined into another function it is another one. */
	second = namer__around(s.namer, frame_of(&s, at(&s, "in_other")));
	assert_string_equal(second->name, "second");
	assert_int_equal(second->cookie, UINT32_MAX);
	close_scene(&s);
}

/* Of a hundred functions in each other the outer 64 are told, and the function they are in. */
static void a_chain_has_an_end(void **state)
{
	char more[8192] = "INLINE void f100(void) { MARK(in_deep); }\n", name[16];
	struct sym_frame *frame;
	struct scene s;

	for (int i = 99; i; i--)
		snprintf(more + strlen(more), sizeof(more) - strlen(more),
			 "INLINE void f%d(void) { f%d(); }\n", i, i + 1);
	strcat(more, "APART void deep(void) { f1(); }\n");
	build(*state, more);
	open_scene(&s, *state, &inlines);
	frame = frame_of(&s, at(&s, "in_deep"));
	for (int i = 64; i; i--, frame = namer__around(s.namer, frame)) {
		snprintf(name, sizeof(name), "f%d", i);
		assert_string_equal(frame->name, name);
	}
	assert_string_equal(frame->name, "deep");
	assert_null(namer__around(s.namer, frame));
	close_scene(&s);
}

/* More than is ever unpacked, and hardly any bytes when packed. */
static void fill_debug_information(const struct dir *d)
{
	must(sh(d, "truncate -s 160M zeros && objcopy --add-section .debug_addr=zeros lib.so"));
}

static void pack_debug_information(const struct dir *d)
{
	must(sh(d, "objcopy --compress-debug-sections=zlib lib.so"));
}

static unsigned nr_lines(const char *text)
{
	unsigned nr = 0;

	for (; *text; text++)
		nr += *text == '\n';
	return nr;
}

static void assert_told_once(struct dir *d, struct jail *jail)
{
	struct namer_opts opts = inlines;
	struct scene s;

	opts.jail = jail;
	open_scene(&s, d, &opts);
	assert_chain(&s, "in_whole", "whole");
	assert_chain(&s, "in_alone", "alone");
	assert_chain(&s, "in_other", "other");
	assert_int_equal(nr_lines(s.notices), 1);
	assert_non_null(strstr(s.notices, d->lib));
	assert_non_null(strstr(s.notices, "--decompress-debug-sections"));
	close_scene(&s);
}

static void what_has_no_room_is_told_once(void **state)
{
	build(*state, "");
	fill_debug_information(*state);
	pack_debug_information(*state);
	assert_told_once(*state, NULL);
}

static void so_it_is_by_a_reader_in_a_jail(void **state)
{
	static const struct jail_reader *const kinds[] = { &name_reader_kind };
	struct jail *jail;

	build(*state, "");
	fill_debug_information(*state);
	pack_debug_information(*state);
	assert_int_equal(jail__open(&jail, kinds, ARRAY_SIZE(kinds)), 0);
	assert_told_once(*state, jail);
	jail__close(jail);
}

/* As the notice says. */
static void as_it_is_it_has_room(void **state)
{
	struct scene s;

	build(*state, "");
	fill_debug_information(*state);
	open_scene(&s, *state, &inlines);
	assert_chain(&s, "in_whole", "third_[i];second_[i];first_[i];whole");
	assert_string_equal(s.notices, "");
	close_scene(&s);
}

/* It has no code, and so no offsets. */
static void a_debug_file_alone_is_asked_by_address(void **state)
{
	const struct file_names_opts opts = { .inlines = true };
	struct file_opener *opener = file_opener__new("/proc");
	struct file_source from = file_opener__source(opener);
	struct file_names *names = file_names__new(&opts, &from);
	const struct dir *d = *state;
	struct mapped_file m = { .pid = getpid(), .fd = -1 };
	struct file_answer a = { .fd = -1 };
	struct file_question q = { .kind = NAME_IN_FILE };

	build(d, "");
	must(sh(d, "objcopy --only-keep-debug lib.so 0.so"));
	assert_true(asprintf(&m.path, "%s/0.so", d->path) > 0);
	assert_int_equal(file_opener__add(opener, 0, &m), 0);
	assert_int_equal(file_names__add(names, 0, file_opener__identity(opener, 0)), 0);
	q.vaddr = nm_address(d, "full.so", "in_whole");
	q.at = q.vaddr + 0x1000;
	file_names__ask(names, &q, &a);
	assert_int_equal(a.err, 0);
	assert_true(a.named);
	assert_string_equal(a.name.data, "whole");
	assert_int_equal(a.nr_inlined, 3);
	assert_int_equal(a.vaddr, q.vaddr);
	/* Where that is not known, or is of no file, nothing is. */
	q.at = q.vaddr;
	for (int i = 0; i < 2; i++) {
		q.vaddr = i ? 1ull << 40 : 0;
		file_names__ask(names, &q, &a);
		assert_int_equal(a.err, 0);
		assert_false(a.named);
		assert_int_equal(a.nr_inlined, 0);
	}
	file_answer__free(&a);
	file_names__free(names);
	file_opener__free(opener);
}

/* Two files in turn, with room for one: the first is read again some times, then no more. */
static void files_in_turn_are_read_some_times(void **state)
{
	const struct file_names_opts opts = { .inlines = true, .debug_bytes = 4 };
	struct file_opener *opener = file_opener__new("/proc");
	struct file_source from = file_opener__source(opener);
	struct file_names *names = file_names__new(&opts, &from);
	const struct dir *d = *state;
	struct file_answer a = { .fd = -1 };
	struct file_question q = { .kind = NAME_IN_FILE };
	unsigned nr_read[2] = {};
	char path[96];

	build(d, "");
	must(sh(d, "cp lib.so 0.so && cp lib.so 1.so"));
	for (unsigned i = 0; i < 2; i++) {
		struct mapped_file m = { .pid = getpid(), .fd = -1 };

		snprintf(path, sizeof(path), "%s/%u.so", d->path, i);
		m.path = strdup(path);
		assert_int_equal(file_opener__add(opener, i, &m), 0);
		assert_int_equal(file_names__add(names, i, file_opener__identity(opener, i)), 0);
	}
	q.at = nm_address(d, "full.so", "in_whole");
	for (unsigned turn = 0; turn < 40; turn++) {
		q.file = turn % 2;
		file_names__ask(names, &q, &a);
		assert_int_equal(a.err, 0);
		assert_string_equal(a.name.data, "whole");
		assert_true(a.nr_inlined == 0 || a.nr_inlined == 3);
		nr_read[q.file] += a.nr_inlined > 0;
	}
	/* From then on nobody takes the room away from the second one. */
	assert_true(nr_read[0] > 2 && nr_read[0] < 15);
	assert_int_equal(nr_read[1], 20);
	file_answer__free(&a);
	file_names__free(names);
	file_opener__free(opener);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_DIR(the_innermost_comes_first),
		IN_DIR(each_has_its_line),
		IN_DIR(lines_alone_are_those_of_functions),
		IN_DIR(without_either_functions_are_named),
		IN_DIR(debug_information_names_what_has_no_symbol),
		IN_DIR(without_debug_information_functions_are_named),
		IN_DIR(frames_are_made_once),
		IN_DIR(a_chain_has_an_end),
		IN_DIR(what_has_no_room_is_told_once),
		IN_DIR(so_it_is_by_a_reader_in_a_jail),
		IN_DIR(as_it_is_it_has_room),
		IN_DIR(a_debug_file_alone_is_asked_by_address),
		IN_DIR(files_in_turn_are_read_some_times),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
