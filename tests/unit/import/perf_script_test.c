// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>
#include <unistd.h>

#include "base/buf.h"
#include "import/folded.h"
#include "import/intake.h"
#include "import/perf_script.h"
#include "import/source.h"
#include "print/folded.h"

#define PLENTY (1ull << 40)

struct read {
	struct profile *p;
	struct perf_script_found found;
	int err;
};

/* @text goes through a file: what is behind a NUL, too. */
static struct source *source_of(const char *text, size_t len)
{
	char path[] = "/tmp/perf_script_test.XXXXXX";
	struct buf why = {};
	struct source *s;
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
	assert_int_equal(source__open(&s, path, &why), 0);
	unlink(path);
	return s;
}

static void read_more(struct read *t, const char *text, size_t len, uint64_t max_bytes)
{
	const struct perf_script_opts o = { .max_bytes = max_bytes };
	struct source *s = source_of(text, len);

	t->err = import__perf_script(t->p, s, &o, &t->found);
	source__close(s);
}

static struct read read_bytes(const char *text, size_t len, uint64_t max_bytes)
{
	struct read t = { .p = profile__new() };

	assert_non_null(t.p);
	read_more(&t, text, len, max_bytes);
	assert_int_equal(t.err, 0);
	return t;
}

static struct read read_text(const char *text)
{
	return read_bytes(text, strlen(text), PLENTY);
}

static void event_reads_as(const struct profile *p, uint32_t event, const char *folded)
{
	char *text = WRITTEN(print__folded(f, p, event));

	assert_string_equal(text, folded);
	free(text);
}

static void text_reads_as(const char *text, const char *folded)
{
	struct read t = read_text(text);

	event_reads_as(t.p, 0, folded);
	assert_int_equal(t.found.nr_bad, 0);
	profile__free(t.p);
}

/* What perf 6.1 printed. */
static const char two_samples[] =
	"python3 30297 73307.670903:    1003009 cpu-clock: \n"
	"\tffffffff8225fd19 pvm_irq_enable+0x19 ([kernel.kallsyms])\n"
	"\tffffffff81000c82 asm_exc_page_fault+0x22 ([kernel.kallsyms])\n"
	"\t            623e _dl_init_paths+0xce (/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2)\n"
	"\n"
	"sh 30298 73307.671888:    1003011 cpu-clock: \n"
	"\t            3033 [unknown] (/usr/bin/env)\n"
	"\n";

static void a_sample_is_a_line_and_its_frames(void **state)
{
	struct read t = read_text(two_samples);
	static const struct {
		const char *name, *module;
		enum frame_kind kind;
	} want[] = { { "python3", "", FRAME_COMM },
		     { "_dl_init_paths", "ld-linux-x86-64.so.2", FRAME_USER },
		     { "asm_exc_page_fault", "kernel", FRAME_KERNEL },
		     { "pvm_irq_enable", "kernel", FRAME_KERNEL } };
	uint32_t frames[ARRAY_SIZE(want)];

	assert_int_equal(t.p->nr_rows, 2);
	assert_int_equal(profile__stack(t.p, t.p->rows[0].key.stack, frames, ARRAY_SIZE(want)),
			 ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct frame *f = &t.p->frames[frames[i]];

		assert_string_equal(profile__name(t.p, frames[i]), want[i].name);
		assert_string_equal(strtab__get(t.p->strings, f->module), want[i].module);
		assert_int_equal(f->kind, want[i].kind);
	}
	assert_int_equal(t.found.nr_samples, 2);
	assert_int_equal(t.found.nr_bad, 0);
	assert_int_equal(t.p->losses.seen, 2);
	assert_int_equal(t.p->losses.kept, 2);
	assert_true(t.p->losses.untold);
	profile__free(t.p);
}

/* The number that perf prints by itself is the thread's. */
static void a_sample_counts_once_and_weighs_its_period(void **state)
{
	struct read t = read_text(two_samples);

	assert_int_equal(t.p->nr_events, 1);
	assert_string_equal(t.p->events[0].name, "cpu-clock");
	assert_string_equal(t.p->events[0].unit, "ns");
	assert_int_equal(t.p->events[0].samples, 2);
	assert_int_equal(t.p->events[0].weight, 2006020);
	assert_int_equal(t.p->rows[0].weight, 1003009);
	assert_int_equal(t.p->by, BY_COMM | BY_TID | BY_KSTACK | BY_USTACK);
	assert_int_equal(t.p->rows[1].key.tid, 30298);
	assert_int_equal(t.p->rows[1].key.pid, 0);
	profile__free(t.p);
}

/* Every choice of columns that tells a sample from other lines; all are of the same one. */
static void columns_are_those_that_are_there(void **state)
{
	static const struct {
		const char *line;
		unsigned by;
		uint64_t weight;
		const char *event;
	} want[] = {
		{ "sh 12 [003] 5.000001:  7 ev:u: ", BY_TID | BY_CPU, 7, "ev:u" },
		{ "sh      10/12      [003] 5.000001:  7 ev: ", BY_PID | BY_TID | BY_CPU, 7, "ev" },
		{ "              sh      10/12      5.000001: ev: ", BY_PID | BY_TID, 0, "ev" },
		{ "sh 12 U     5.000001: ev:", BY_TID, 0, "ev" },
		{ "sh 12 [003] KH    5.000001: ev:", BY_TID | BY_CPU, 0, "ev" },
		{ "sh 12 5.000000001:          7 ev: ", BY_TID, 7, "ev" },
		{ "sh  5.000001:          7 ev: ", 0, 7, "ev" },
		{ "sh [003] 5.000001: ev: ", BY_CPU, 0, "ev" },
		{ "sh 12 5.000001: ", BY_TID, 0, "samples" },
		{ "sh 12 5.000001:     7 ", BY_TID, 7, "samples" },
		{ "sh 12    ev: ", BY_TID, 0, "ev" },
		{ "sh 12          7 ev: ", BY_TID, 7, "ev" },
		{ "sh 10/12 [003]          7 ev: ", BY_PID | BY_TID | BY_CPU, 7, "ev" },
		{ "sh 12 5.1: 18446744073709551615 ev: ", BY_TID, UINT64_MAX, "ev" },
		{ "sh 12 5.1: 7 cpu/event=0x3c,umask=0x1/uk: ", BY_TID, 7,
		  "cpu/event=0x3c,umask=0x1/uk" },
		{ "sh 12 5.1: 7 an event: ", BY_TID, 7, "an event" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const bool fits = want[i].weight <= INTAKE_MAX;
		struct buf b = {};
		struct read t;

		assert_int_equal(buf__printf(&b, "%s\n\t  12 f (/x)\n\n", want[i].line), 0);
		t = read_text(b.data);
		assert_int_equal(t.found.nr_bad, !fits);
		if (fits) {
			const struct row *row = t.p->rows;

			assert_int_equal(t.p->nr_rows, 1);
			assert_int_equal(t.p->by & (BY_PID | BY_TID | BY_CPU), want[i].by);
			assert_int_equal(row->key.pid, want[i].by & BY_PID ? 10 : 0);
			assert_int_equal(row->key.tid, want[i].by & BY_TID ? 12 : 0);
			assert_int_equal(row->key.cpu, want[i].by & BY_CPU ? 3 : 0);
			assert_int_equal(row->weight, want[i].weight);
			assert_string_equal(t.p->events[0].name, want[i].event);
			event_reads_as(t.p, 0, "sh;f 1\n");
		}
		profile__free(t.p);
		buf__free(&b);
	}
}

static void commands_may_look_like_something_else(void **state)
{
	static const char *const comms[] = {
		"nginx: worker", "kworker/1:0H-kb", "a 12 b", "foo 12",	   "[003]", "12",
		":-1",		 "x (y) z",	    "1.5:",   "a: 1.5: b",
	};

	for (size_t i = 0; i < ARRAY_SIZE(comms); i++) {
		struct buf text = {}, want = {};

		assert_int_equal(
			buf__printf(&text, "%s 42 [000] 5.1: 9 e: \n\t 1 f (/x)\n", comms[i]), 0);
		assert_int_equal(buf__printf(&want, "%s;f 1\n", comms[i]), 0);
		text_reads_as(text.data, want.data);
		buf__free(&text);
		buf__free(&want);
	}
}

static void threads_that_perf_does_not_know_are_none(void **state)
{
	struct read t = read_text("swapper    -1/-1    5.1: 9 e: \n\n:-1 -1 5.1: 9 e: \n\n");

	event_reads_as(t.p, 0, ":-1 1\nswapper 1\n");
	assert_int_equal(t.p->rows[0].key.tid, 0);
	assert_int_equal(t.p->rows[0].key.pid, 0);
	profile__free(t.p);
}

static void frames_are_named_as_in_profiles_of_our_own(void **state)
{
	static const struct {
		const char *line, *name, *module;
		enum frame_kind kind;
	} want[] = {
		{ "12 foo(int, char)+0x1f (/usr/lib/x.so)", "foo(int, char)", "x.so", FRAME_USER },
		{ "12 foo (/usr/lib/x.so (deleted))", "foo", "x.so", FRAME_USER },
		{ "12 foo (/usr/lib/x.so+0x12)", "foo", "x.so", FRAME_USER },
		{ "12 foo (/opt/a (b)/c d.so)", "foo", "c d.so", FRAME_USER },
		{ "12 (anonymous namespace)::f()+0x1 (/x)", "(anonymous namespace)::f()", "x",
		  FRAME_USER },
		{ "12 f<void (*)(int)>(char) (/x)", "f<void (*)(int)>(char)", "x", FRAME_USER },
		{ "12 A::operator()(int) const (/x)", "A::operator()(int) const", "x", FRAME_USER },
		{ "12 operator++0x4 (/x)", "operator+", "x", FRAME_USER },
		{ "12 Lapp/Main;::run+0x8 (/tmp/perf-123.map)", "Lapp/Main;::run", "jit",
		  FRAME_JIT },
		{ "12 f (/tmp/jitted-12-3.so)", "f", "jit", FRAME_JIT },
		{ "12 f (/tmp/perf-123.maps)", "f", "perf-123.maps", FRAME_USER },
		{ "12 f (/tmp/perf-.map)", "f", "perf-.map", FRAME_USER },
		{ "12 [unknown] (/tmp/perf-123.map)", "[jit]", "jit", FRAME_JIT },
		{ "12 [unknown] (//anon)", "[jit]", "jit", FRAME_JIT },
		{ "12 [unknown] ([heap])", "[jit]", "jit", FRAME_JIT },
		{ "12 [unknown] (/usr/lib/libfoo.so)", "[libfoo.so]", "libfoo.so", FRAME_USER },
		{ "12 [unknown] ([unknown])", "[unknown]", "", FRAME_USER },
		{ "12 [unknown]", "[unknown]", "", FRAME_USER },
		{ "12", "[unknown]", "", FRAME_USER },
		{ "12 (/usr/lib/libfoo.so)", "[libfoo.so]", "libfoo.so", FRAME_USER },
		{ "12 foo(int)", "foo(int)", "", FRAME_USER },
		{ "12 inner (inlined)", "inner", "", FRAME_INLINED },
		{ "12 inner(int) (inlined)", "inner(int)", "", FRAME_INLINED },
		{ "12 [unknown] ([vdso])", "[vdso]", "[vdso]", FRAME_USER },
		{ "12 clock_gettime+0x1 ([vdso])", "clock_gettime", "[vdso]", FRAME_USER },
		{ "ffffffffff600000 [unknown] ([vsyscall])", "[vsyscall]", "[vsyscall]",
		  FRAME_USER },
		{ "ffffffff81000000 f ([kernel.kallsyms])", "f", "kernel", FRAME_KERNEL },
		{ "ffffffff81000000 f ([kernel.kallsyms]_text)", "f", "kernel", FRAME_KERNEL },
		{ "ffffffff81000000 f ([guest.kernel.kallsyms])", "f", "kernel", FRAME_KERNEL },
		{ "ffffffff81000000 f (/usr/lib/debug/boot/vmlinux-6.1)", "f", "kernel",
		  FRAME_KERNEL },
		{ "ffffffffc0000000 f ([ext4])", "f", "ext4", FRAME_KERNEL },
		{ "ffffffffc0000000 [unknown] ([ext4])", "[ext4]", "ext4", FRAME_KERNEL },
		{ "ffffffffc0000000 f (/lib/modules/6.1/kernel/fs/xfs.ko.xz)", "f", "xfs",
		  FRAME_KERNEL },
		{ "ffffffffc0000000 bpf_prog_6deef7357e7b4530_x (bpf_prog_6deef7357e7b4530_x)",
		  "bpf_prog_6deef7357e7b4530_x", "bpf", FRAME_KERNEL },
		{ "ffffffff81000000 [unknown] ([unknown])", "[kernel]", "kernel", FRAME_KERNEL },
		{ "ffffffff81000000 f", "f", "kernel", FRAME_KERNEL },
		{ "2f746f6f722f0068 [unknown] ([unknown])", "[unknown]", "", FRAME_USER },
	};

	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		const struct frame *f;
		struct buf b = {};
		struct read t;

		assert_int_equal(buf__printf(&b, "sh 1 5.1: 9 e: \n\t%s\n\n", want[i].line), 0);
		t = read_text(b.data);
		assert_int_equal(t.p->nr_frames, 2);
		f = &t.p->frames[t.p->nodes[t.p->rows[0].key.stack].frame];
		assert_string_equal(strtab__get(t.p->strings, f->name), want[i].name);
		assert_string_equal(strtab__get(t.p->strings, f->module), want[i].module);
		assert_int_equal(f->kind, want[i].kind);
		profile__free(t.p);
		buf__free(&b);
	}
}

/* The same text is two frames if it is of two halves of all addresses. */
static void a_text_is_what_its_address_makes_of_it(void **state)
{
	text_reads_as("sh 1 5.1: 9 e: \n\tffffffff81000000 [unknown] ([unknown])\n"
		      "\t              12 [unknown] ([unknown])\n\n",
		      "sh;[unknown];[kernel]_[k] 1\n");
}

static void a_semicolon_in_a_name_ends_no_frame(void **state)
{
	text_reads_as("sh 1 5.1: 9 e: \n\t 12 La/B;::c (/x)\n\n", "sh;La/B:::c 1\n");
}

static void samples_without_stacks_are_a_line(void **state)
{
	text_reads_as("         python3 30365 5.1:    1003009 cpu-clock:  ffffffff8225fd19 "
		      "pvm_irq_enable+0x19 ([kernel.kallsyms])\n"
		      "         python3 30365 5.2:    1003009 cpu-clock:      7f7167eb1ed0 "
		      "operator new(unsigned long)+0x0 (/usr/lib/libc++.so)\n"
		      "              sh 30365 5.3:    1003009 cpu-clock:                 0 "
		      "[unknown] ([unknown])\n",
		      "python3;operator new(unsigned long) 1\npython3;pvm_irq_enable_[k] 1\n"
		      "sh;[unknown] 1\n");
	text_reads_as("              sh 30365 5.1:    1003009      7f7167eb1ed0 f (/x)\n",
		      "sh;f 1\n");
	text_reads_as("              sh 30365 5.1:      7f7167eb1ed0 f (/x)\n", "sh;f 1\n");
	text_reads_as("              sh 30365          1 e:      7f7167eb1ed0 f (/x)\n",
		      "sh;f 1\n");
}

static void data_before_the_only_frame_is_none(void **state)
{
	/* -F addr */
	text_reads_as("sh 1 5.1:   1 faults:     558a52cca5c0 data+0x0 (/usr/bin/ls) "
		      "ffffffff81775b9a elf_load+0x28a ([kernel.kallsyms])\n",
		      "sh;elf_load_[k] 1\n");
	/* perf mem */
	text_reads_as(
		"sh 1 5.1: 1 cpu/mem-loads/:     558a52cca5c0         1e05080021 |OP LOAD|LVL "
		"L1 hit|SNP None   7      7f7167eb1ed0 f(a b)+0x2 (/x)\n",
		"sh;f(a b) 1\n");
}

static void data_of_an_event_is_no_frame(void **state)
{
	text_reads_as(
		"perf 6 [000] 5.1: sched:sched_switch: prev_comm=a: b prev_pid=6 ==> "
		"next_comm=migration/0 next_pid=18\n\tffffffff813a50f1 __schedule+0x4 (k)\n\n",
		"perf;__schedule_[k] 1\n");
	text_reads_as("perf 6 [000] 5.1: raw_syscalls:sys_enter: NR 16 (7, 2400, 0)\n\n",
		      "perf 1\n");
	text_reads_as("perf 6 [000] 5.1: sched:x: add 12\nsh 7 [000] 5.2: sched:x: fd: 0x1\n",
		      "perf 1\nsh 1\n");
	/* -F addr */
	text_reads_as("sh 6 5.1:  1 faults:      7f7167eb1ed0 \n\t 12 f (/x)\n\n", "sh;f 1\n");
	text_reads_as("sh 6 5.1:  1 faults:      7f7167eb1ed0 \n\t 12 f (/x)\n\t 13 g (/x)\n\n",
		      "sh;g;f 1\n");
}

static void each_event_is_one_of_the_profile(void **state)
{
	struct read t = read_text("sh 1 5.1: 9 cpu-clock:uhpppH: \n\t 12 f (/x)\n\n"
				  "sh 1 5.1: 3 faults: \n\t 12 f (/x)\n\n"
				  "sh 1 5.1: 8 cpu-clock:uhpppH: \n\t 12 f (/x)\n\n"
				  "sh 1 5.1: cpu-clocks: \n\n");

	assert_int_equal(t.p->nr_events, 3);
	assert_string_equal(t.p->events[0].name, "cpu-clock:uhpppH");
	assert_string_equal(t.p->events[0].unit, "ns");
	assert_int_equal(t.p->events[0].samples, 2);
	assert_int_equal(t.p->events[0].weight, 17);
	assert_string_equal(t.p->events[1].name, "faults");
	assert_string_equal(t.p->events[1].unit, "");
	assert_int_equal(t.p->events[1].weight, 3);
	assert_string_equal(t.p->events[2].unit, "");
	event_reads_as(t.p, 1, "sh;f 1\n");
	profile__free(t.p);
}

static void files_of_all_kinds_are_one_profile(void **state)
{
	const struct folded_opts o = { .max_bytes = PLENTY };
	struct folded_found found;
	struct read t = read_text("sh 1 5.1: 9 e: \n\t 12 f (/x)\n\n");
	struct source *s = source_of("sh;f 7\n", 7);

	assert_int_equal(import__folded(t.p, s, &o, &found), 0);
	source__close(s);
	read_more(&t, "sh 1 5.1: 9 g: \n\nsh 1 5.1: 2 e: \n\t 12 f (/x)\n\n", 46, PLENTY);
	assert_int_equal(t.err, 0);
	assert_int_equal(t.p->nr_events, 3);
	event_reads_as(t.p, 0, "sh;f 2\n");
	event_reads_as(t.p, 1, "sh;f 7\n");
	event_reads_as(t.p, 2, "sh 1\n");
	assert_int_equal(t.p->losses.seen, 10);
	assert_int_equal(t.p->losses.kept, 10);
	profile__free(t.p);
}

static void other_lines_of_perf_are_no_samples(void **state)
{
	text_reads_as(
		"# ========\n# captured on    : Thu Nov 26 11:46:01 2026\n"
		"# event : name = cpu-clock, , id = { 1, 2 }, type = 1\n#\n\n"
		"swapper     0 [000]     0.000000: PERF_RECORD_MMAP -1/0: [0xff(0x12) @ 0xff]: x "
		"[kernel.kallsyms]_text\n"
		"kthreadd     0 [000]     0.000000: PERF_RECORD_COMM: kthreadd:2/2\n"
		"kthreadd     0 [000] PERF_RECORD_FORK(1:1):(0:0)\n"
		"kthreadd     0 [000] PERF_RECORD_COMM: kthreadd:2/2\n"
		"sh 1 5.1: 9 e: \n\t 12 f (/x)\n\n"
		"sh     1 [000]     5.100000: PERF_RECORD_COMM exec: x:1/1\n",
		"sh;f 1\n");
}

/* Whether it was cut off there is not told. */
static void the_end_of_a_sample_needs_no_empty_line(void **state)
{
	text_reads_as("sh 1 5.1: 9 e: \n\t 12 f (/x)", "sh;f 1\n");
	text_reads_as(
		"sh 1 5.1: 9 e: \n\t 12 f (/x)\nsh 1 5.1: 9 e: \nsh 1 5.1: 9 e: \n\t 12 g (/x)\n",
		"sh 1\nsh;f 1\nsh;g 1\n");
	text_reads_as("sh 1 5.1: 9 e: \r\n\t 12 f (/x)\r\n\r\n", "sh;f 1\n");
}

static void lines_of_source_code_are_left_out(void **state)
{
	text_reads_as("sh 1 5.1: 9 e: \n\t 12 f+0x1 (/x)\n  f.c:12\n\t 13 g (/x)\n"
		      "  [kernel.kallsyms][ffffffff8225fd19]\n\n",
		      "sh;g;f 1\n");
}

static void tabs_may_have_become_blanks(void **state)
{
	text_reads_as("sh 1 5.1: 9 e: \n                      12 f+0x1 (/x)\n        13 g (/x)\n\n",
		      "sh;g;f 1\n");
}

/* Frames of a sample that is not known, or some of whose frames are not, are left out with it. */
static void what_is_of_no_sample_is_counted(void **state)
{
	struct read t = read_text("\t 12 cut (/x)\n\t 13 off (/x)\n\n" /* line 1 */
				  "sh 1 5.1: 9 e: \n\t 12 f (/x)\n\n"
				  "what is this\n\t 12 odd (/x)\n\n" /* line 7 */
				  "sh 1 5.1: 9 e: \n\t 12 f (/x)\n\todd (/x)\n\t 13 g (/x)\n\n"
				  "sh 1 5.1: 9 e: \n\t 12 f (/x)\n\n"
				  "              sh 1 5.1: 9 e:                12 f (/x)\n"
				  "[ perf record: Woken up 1 times to write data ]\n");

	event_reads_as(t.p, 0, "sh;f 3\n");
	assert_int_equal(t.found.nr_samples, 3);
	assert_int_equal(t.found.nr_bad, 4);
	assert_int_equal(t.found.first_bad, 1);
	profile__free(t.p);
}

static void sums_do_not_overflow(void **state)
{
	struct read t = read_text("sh 1 5.1: 900000000000000000 e: \n\n"
				  "sh 1 5.1: 900000000000000000 e: \n\n"
				  "sh 1 5.1: 99999999999999999999 e: \n\n"
				  "sh 1 5.1: 1 e: \n\n");

	assert_int_equal(t.p->events[0].weight, 900000000000000001);
	assert_int_equal(t.found.nr_samples, 3);
	assert_int_equal(t.found.nr_bad, 1);
	profile__free(t.p);
}

static void a_nul_ends_no_name(void **state)
{
	struct read t = read_bytes("sh 1 5.1: 9 e: \n\t 12 f\0g (/x)\n", 30, PLENTY);

	event_reads_as(t.p, 0, "sh;f?g 1\n");
	profile__free(t.p);
}

static void a_line_that_is_too_long_spoils_its_sample_alone(void **state)
{
	char *name = malloc(SOURCE_LINE_BYTES + 1);
	struct buf b = {};
	struct read t;

	assert_non_null(name);
	memset(name, 'n', SOURCE_LINE_BYTES);
	name[SOURCE_LINE_BYTES] = '\0';
	assert_int_equal(
		buf__printf(&b,
			    "sh 1 5.1: 9 e: \n\t 12 f (/x)\n\t 12 %s (/x)\n\t 12 g (/x)\n\n"
			    "sh 1 5.1: 9 e: \n\t 12 f (/x)\n\n",
			    name),
		0);
	t = read_bytes(b.data, b.len, PLENTY);
	event_reads_as(t.p, 0, "sh;f 1\n");
	assert_int_equal(t.found.nr_bad, 1);
	assert_int_equal(t.found.first_bad, 3);
	profile__free(t.p);
	buf__free(&b);
	free(name);
}

/* One stack of 4 frames too many, one that has exactly as many as are kept, two of another kind. */
static void what_is_too_deep_is_cut_and_told(void **state)
{
	static const unsigned depths[] = { INTAKE_FRAMES + 3, INTAKE_FRAMES - 1,
					   3 * INTAKE_FRAMES + 3, 1 };
	const struct profile *p;
	uint32_t depth = 0;
	struct buf b = {};
	struct read t;

	for (size_t i = 0; i < ARRAY_SIZE(depths); i++) {
		assert_int_equal(buf__puts(&b, "sh 1 5.1: 9 e: \n"), 0);
		for (unsigned f = depths[i]; f--;)
			assert_int_equal(buf__printf(&b, "\t 12 f%u (/x)\n", f), 0);
		assert_int_equal(buf__puts(&b, "\n"), 0);
	}
	t = read_bytes(b.data, b.len, PLENTY);
	p = t.p;
	assert_int_equal(p->nr_rows, 3); /* the first and the third are one */
	assert_int_equal(p->rows[0].samples, 2);
	for (uint32_t n = p->rows[0].key.stack; n; n = p->nodes[n].parent)
		depth++;
	assert_int_equal(depth, INTAKE_FRAMES + 1);
	assert_string_equal(profile__name(p, p->nodes[p->rows[0].key.stack].frame), "[truncated]");
	assert_string_equal(profile__name(p, p->nodes[p->nodes[p->rows[0].key.stack].parent].frame),
			    "f4094");
	assert_string_equal(profile__name(p, p->nodes[p->rows[1].key.stack].frame), "f4094");
	assert_int_equal(p->losses.nr, 1);
	assert_string_equal(p->losses.by[0].name, "stack_too_deep");
	assert_int_equal(p->losses.by[0].n, 2);
	buf__free(&b);
	profile__free(t.p);
}

static void what_has_no_room_is_lost_and_told(void **state)
{
	const uint64_t max_bytes = 4 << 20;
	struct buf b = {};
	uint64_t kept = 0;
	struct read t;

	for (unsigned i = 0; i < 100000; i++)
		assert_int_equal(buf__printf(&b, "sh 1 5.1: 9 e: \n\t 12 function_%u (/x)\n\n", i),
				 0);
	assert_int_equal(buf__puts(&b, "sh 1 5.1: 9 e: \n\t 13 function_0+0x1 (/x)\n\n"
				       "sh 1 5.1: 9 new: \n\t 13 function_0 (/x)\n\n"
				       "new 1 5.1: 9 e: \n\t 13 function_0 (/x)\n\n"),
			 0);
	t = read_bytes(b.data, b.len, max_bytes);
	for (size_t i = 0; i < t.p->nr_rows; i++)
		kept += t.p->rows[i].samples;
	assert_int_equal(t.p->rows[0].samples, 2);
	assert_int_equal(t.p->nr_events, 1);
	assert_int_equal(t.p->losses.seen, 100003);
	assert_int_equal(t.p->losses.kept, kept);
	assert_int_equal(losses__sum(&t.p->losses), 100003 - kept);
	assert_true(kept > 1000 && kept < 90000);
	assert_true(profile__bytes(t.p, 0) <= max_bytes);
	buf__free(&b);
	profile__free(t.p);
}

static void there_is_an_end_to_events(void **state)
{
	struct buf b = {};
	struct read t;

	for (unsigned i = 0; i < INTAKE_EVENTS + 5; i++)
		assert_int_equal(buf__printf(&b, "sh 1 5.1: 9 e%u: \n\n", i), 0);
	t = read_bytes(b.data, b.len, PLENTY);
	assert_int_equal(t.p->nr_events, INTAKE_EVENTS);
	assert_int_equal(losses__sum(&t.p->losses), 5);
	buf__free(&b);
	profile__free(t.p);
}

/* More texts than are remembered at once, all of two functions. */
static void offsets_make_no_frames(void **state)
{
	enum { SAMPLES = 200000 };
	struct buf b = {};
	struct read t;

	for (unsigned i = 0; i < SAMPLES; i++)
		assert_int_equal(buf__printf(&b,
					     "sh 1 5.1: 9 e: \n\t 1 f+0x%x (/a/long/path/to/x)\n"
					     "\t 2 g+0x%x (/a/long/path/to/x)\n\n",
					     i, i),
				 0);
	t = read_bytes(b.data, b.len, PLENTY);
	event_reads_as(t.p, 0, "sh;g;f 200000\n");
	assert_int_equal(t.p->nr_frames, 3);
	buf__free(&b);
	profile__free(t.p);
}

static bool is_it(const char *text)
{
	return perf_script__is_it(text, strlen(text));
}

static void its_texts_are_told_from_others(void **state)
{
	assert_true(is_it(two_samples));
	assert_true(is_it("# ========\n#\n\nsh 1 5.1: 9 e: \n\n"));
	assert_true(is_it("\t 12 cut\n\nsh 1 5.1: 9 e: \n"));
	assert_true(is_it("sh 1 9 e: \n\t 12 f (/x)\n"));
	assert_true(is_it("sh 5.1: \n\t 12 f (/x)\n"));
	assert_true(is_it("sh 1 9 e:                12 f (/x)\n"));
	assert_true(is_it("[ perf record: Woken up 1 times ]\nsh 1 5.1: 9 e: \n\t 12 f"));
	assert_true(is_it("sh 1 5.1: PERF_RECORD_COMM: x\nsh 1 5.1: 9 e: \n\t"));

	assert_true(is_it("# ========\n# captured on    : Thu Nov 26 11:46:01 2026\n# event"));

	assert_false(is_it(""));
	assert_false(is_it("\n\n"));
	assert_false(is_it("# ========\n"));
	assert_false(is_it("sh 1 5.1: 9 e: "));
	assert_false(is_it("sh;main;work 12\n"));
	assert_false(is_it("nginx: worker;main;a 7\n"));
	assert_false(is_it("nginx 12 a: b;main;a 7\nnginx 12 a: b;main;a 7\n"));
	assert_false(is_it("sh 1 9 e: \nsh;main;work 12\n"));
	assert_false(is_it("\t 12 f (/x)\n\t 13 g (/x)\n"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_is_a_line_and_its_frames),
		cmocka_unit_test(a_sample_counts_once_and_weighs_its_period),
		cmocka_unit_test(columns_are_those_that_are_there),
		cmocka_unit_test(commands_may_look_like_something_else),
		cmocka_unit_test(threads_that_perf_does_not_know_are_none),
		cmocka_unit_test(frames_are_named_as_in_profiles_of_our_own),
		cmocka_unit_test(a_text_is_what_its_address_makes_of_it),
		cmocka_unit_test(a_semicolon_in_a_name_ends_no_frame),
		cmocka_unit_test(samples_without_stacks_are_a_line),
		cmocka_unit_test(data_before_the_only_frame_is_none),
		cmocka_unit_test(data_of_an_event_is_no_frame),
		cmocka_unit_test(each_event_is_one_of_the_profile),
		cmocka_unit_test(files_of_all_kinds_are_one_profile),
		cmocka_unit_test(other_lines_of_perf_are_no_samples),
		cmocka_unit_test(the_end_of_a_sample_needs_no_empty_line),
		cmocka_unit_test(lines_of_source_code_are_left_out),
		cmocka_unit_test(tabs_may_have_become_blanks),
		cmocka_unit_test(what_is_of_no_sample_is_counted),
		cmocka_unit_test(sums_do_not_overflow),
		cmocka_unit_test(a_nul_ends_no_name),
		cmocka_unit_test(a_line_that_is_too_long_spoils_its_sample_alone),
		cmocka_unit_test(what_is_too_deep_is_cut_and_told),
		cmocka_unit_test(what_has_no_room_is_lost_and_told),
		cmocka_unit_test(there_is_an_end_to_events),
		cmocka_unit_test(offsets_make_no_frames),
		cmocka_unit_test(its_texts_are_told_from_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
