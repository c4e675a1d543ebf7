// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/buf.h"
#include "import/folded.h"
#include "import/intake.h"
#include "import/source.h"
#include "print/folded.h"

#define PLENTY (1ull << 40)

struct text {
	struct profile *p;
	struct folded_found found;
	int err;
};

static void read_file(struct text *t, const char *path, const struct folded_opts *o)
{
	struct buf why = {};
	struct source *s;

	assert_int_equal(source__open(&s, path, &why), 0);
	t->err = import__folded(t->p, s, o, &t->found);
	source__close(s);
	buf__free(&why);
}

/* @text goes through a file: what is behind a NUL, too. */
static struct text read_bytes(const char *text, size_t len, const struct folded_opts *o)
{
	char path[] = "/tmp/import_folded_test.XXXXXX";
	struct text t = { .p = profile__new() };
	int fd = mkstemp(path);

	assert_non_null(t.p);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
	read_file(&t, path, o);
	unlink(path);
	return t;
}

static struct text read_text(const char *text)
{
	const struct folded_opts o = { .max_bytes = PLENTY };

	return read_bytes(text, strlen(text), &o);
}

static void reads_as(const struct text *t, const char *folded)
{
	char *text = WRITTEN(print__folded(f, t->p, 0));

	assert_int_equal(t->err, 0);
	assert_string_equal(text, folded);
	free(text);
}

static void stacks_are_read_as_they_were_written(void **state)
{
	static const char text[] = "node;run_[j] 1\n"
				   "sh;main;[truncated] 7\n"
				   "sh;main;f_[i];sys_read_[k] 2\n"
				   "sh;main;work 3\n"
				   "sh;main;work;work;leaf 5\n";
	struct text t = read_text(text);

	reads_as(&t, text);
	assert_int_equal(t.found.nr_stacks, 5);
	assert_int_equal(t.found.nr_bad, 0);
	assert_int_equal(t.p->losses.seen, 18);
	assert_int_equal(t.p->losses.kept, 18);
	assert_true(t.p->losses.untold);
	profile__free(t.p);
}

static void endings_tell_where_code_is_from(void **state)
{
	struct text t = read_text("sh;u;k_[k];j_[j];i_[i];[truncated];odd_[x];_[k] 1\n");
	static const struct {
		const char *name;
		enum frame_kind kind;
	} want[] = { { "sh", FRAME_COMM },	{ "u", FRAME_USER },
		     { "k", FRAME_KERNEL },	{ "j", FRAME_JIT },
		     { "i", FRAME_INLINED },	{ "[truncated]", FRAME_NOTE },
		     { "odd_[x]", FRAME_USER }, { "_[k]", FRAME_USER } };

	assert_int_equal(t.p->nr_frames, ARRAY_SIZE(want));
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		assert_string_equal(profile__name(t.p, i), want[i].name);
		assert_int_equal(t.p->frames[i].kind, want[i].kind);
	}
	profile__free(t.p);
}

static void equal_stacks_are_added_up(void **state)
{
	struct text t = read_text("sh;a 1\nsh;b 2\nsh;a 4\n");

	reads_as(&t, "sh;a 5\nsh;b 2\n");
	assert_int_equal(t.p->nr_rows, 2);
	profile__free(t.p);
}

/* Each line shares a part with the one before that is no frame, or all of it. */
static void one_name_of_several_kinds_is_several_frames(void **state)
{
	static const char text[] = "read;read;read_[k];read_[j];read_[i];read 1\n"
				   "sh;read_[k];read;read_[k] 1\n";
	struct text t = read_text(text);

	reads_as(&t, text);
	assert_int_equal(t.p->nr_frames, 6);
	profile__free(t.p);
}

/* More than are found without the profile's tables; each comes again when others took its place. */
static void many_names_are_all_told_apart(void **state)
{
	enum { NAMES = 3 * INTAKE_KNOWN };
	struct buf text = {};
	struct text t;

	for (unsigned round = 0; round < 2; round++)
		for (unsigned i = 0; i < NAMES; i++)
			assert_int_equal(buf__printf(&text, "sh;f%u;g%u %u\n", i, i % 100, 1 + i),
					 0);
	t = read_text(text.data);
	assert_int_equal(t.err, 0);
	assert_int_equal(t.p->nr_frames, 1 + NAMES + 100);
	assert_int_equal(t.p->nr_nodes, 1 + 1 + 2 * NAMES);
	assert_int_equal(t.p->nr_rows, NAMES);
	for (unsigned i = 0; i < NAMES; i++)
		assert_int_equal(t.p->rows[i].samples, 2 * (1 + i));
	profile__free(t.p);
	buf__free(&text);
}

static void names_that_begin_alike_are_different(void **state)
{
	struct text t = read_text("sh;ab;c 1\nsh;abc 2\nsh;ab 4\nsh;ab;c 8\nsh;ab;cd;e 16\n"
				  "s;ab;c 32\nsh 64\nsh;ab;c;d 128\n");

	reads_as(&t, "s;ab;c 32\nsh 64\nsh;ab 4\nsh;ab;c 9\nsh;ab;c;d 128\nsh;ab;cd;e 16\n"
		     "sh;abc 2\n");
	profile__free(t.p);
}

static void names_may_have_blanks_and_lines_carriage_returns(void **state)
{
	struct text t = read_text("sh;operator new(unsigned long);f g  3\r\n\r\n\nsh;x   4  \n");

	reads_as(&t, "sh;operator new(unsigned long);f g 3\nsh;x 4\n");
	assert_int_equal(t.found.nr_stacks, 2);
	profile__free(t.p);
}

static void the_last_line_needs_no_end(void **state)
{
	struct text t = read_text("sh;a 1\nsh;b 2");

	reads_as(&t, "sh;a 1\nsh;b 2\n");
	profile__free(t.p);
}

static void frames_without_a_name_are_unknown(void **state)
{
	struct text t = read_text("sh;;a 1\n;b 2\n");

	reads_as(&t, "[unknown];b 2\nsh;[unknown];a 1\n");
	profile__free(t.p);
}

static void what_is_no_stack_is_counted(void **state)
{
	struct text t = read_text("sh;a 1\n"
				  "# a remark\n"
				  "12\n"
				  " 12\n"
				  "sh;a -3\n"
				  "sh;a 1x\n"
				  "sh;a 1.\n"
				  "sh;a .5\n"
				  "sh;a 1.5.5\n"
				  "sh;a 99999999999999999999\n"
				  "sh;a\n"
				  "sh;b 2\n");

	reads_as(&t, "sh;a 1\nsh;b 2\n");
	assert_int_equal(t.found.nr_bad, 10);
	assert_int_equal(t.found.first_bad, 2);
	assert_int_equal(t.found.nr_stacks, 2);
	profile__free(t.p);
}

static void sums_do_not_overflow(void **state)
{
	struct text t = read_text("sh;a 900000000000000000\nsh;b 900000000000000000\nsh;c 5\n");

	reads_as(&t, "sh;a 900000000000000000\nsh;c 5\n");
	assert_int_equal(t.found.nr_bad, 1);
	assert_int_equal(t.p->losses.kept, 900000000000000005);
	profile__free(t.p);
}

static void decimals_are_rounded_and_told(void **state)
{
	struct text t = read_text("sh;a 1.4\nsh;b 1.5\nsh;c 0.25\nsh;d 3\n");

	reads_as(&t, "sh;a 1\nsh;b 2\nsh;d 3\n");
	assert_int_equal(t.found.nr_rounded, 3);
	profile__free(t.p);
}

static void two_counts_are_noticed(void **state)
{
	struct text two = read_text("sh;a 1 2\nsh;b 3 4\n"), one = read_text("sh;a 1 2\nsh;b 4\n");

	assert_int_equal(two.found.nr_two, two.found.nr_stacks);
	assert_int_not_equal(one.found.nr_two, one.found.nr_stacks);
	profile__free(two.p);
	profile__free(one.p);
}

static void a_nul_ends_no_name(void **state)
{
	const struct folded_opts o = { .max_bytes = PLENTY };
	struct text t = read_bytes("sh;a\0b;c 7\n", 11, &o);

	reads_as(&t, "sh;a?b;c 7\n");
	profile__free(t.p);
}

static void a_command_may_be_given_from_outside(void **state)
{
	const struct folded_opts o = { .comm = "x.folded", .max_bytes = PLENTY };
	struct text t = read_bytes("main;a 1\nmain_[k] 2\n", 20, &o);

	reads_as(&t, "x.folded;main;a 1\nx.folded;main_[k] 2\n");
	profile__free(t.p);
}

static void several_files_are_one_profile(void **state)
{
	const struct folded_opts o = { .max_bytes = PLENTY };
	struct text t = read_text("sh;a 1\nsh;b 2\n");
	char path[] = "/tmp/import_folded_test.XXXXXX";
	int fd = mkstemp(path);

	assert_int_equal(write(fd, "sh;b 3\nsh;c 4\n", 14), 14);
	close(fd);
	read_file(&t, path, &o);
	unlink(path);
	reads_as(&t, "sh;a 1\nsh;b 5\nsh;c 4\n");
	assert_int_equal(t.p->nr_events, 1);
	assert_int_equal(t.p->losses.kept, 10);
	assert_int_equal(t.p->losses.seen, 10);
	profile__free(t.p);
}

/* A stack of more frames than are kept ends in a note; the next one is not spoilt by it. */
static void what_is_too_deep_is_cut_and_told(void **state)
{
	const struct folded_opts o = { .max_bytes = PLENTY };
	struct buf text = {};
	uint32_t depth = 0;
	struct text t;

	for (unsigned stack = 0; stack < 2; stack++) {
		for (unsigned i = 0; i < INTAKE_FRAMES + 10 - stack; i++)
			assert_int_equal(buf__printf(&text, "%sf", i ? ";" : ""), 0);
		assert_int_equal(buf__puts(&text, " 3\n"), 0);
	}
	assert_int_equal(buf__puts(&text, "f;g 1\n"), 0);
	t = read_bytes(text.data, text.len, &o);
	assert_int_equal(t.err, 0);
	assert_int_equal(t.p->nr_rows, 2);
	assert_int_equal(t.p->rows[0].samples, 6);
	for (uint32_t n = t.p->rows[0].key.stack; n; n = t.p->nodes[n].parent)
		depth++;
	assert_int_equal(depth, INTAKE_FRAMES + 1);
	assert_string_equal(profile__name(t.p, t.p->nodes[t.p->rows[0].key.stack].frame),
			    "[truncated]");
	assert_int_equal(t.p->losses.nr, 1);
	assert_string_equal(t.p->losses.by[0].name, "stack_too_deep");
	assert_true(t.p->losses.by[0].flaw);
	assert_int_equal(t.p->losses.by[0].n, 6);
	buf__free(&text);
	profile__free(t.p);
}

/* What was there before counts on; what is new is a loss. */
static void what_has_no_room_is_lost_and_told(void **state)
{
	const struct folded_opts o = { .max_bytes = 4 << 20 };
	struct buf text = {};
	uint64_t kept = 0;
	struct text t;

	for (unsigned i = 0; i < 200000; i++)
		assert_int_equal(buf__printf(&text, "sh;function_number_%u 2\n", i), 0);
	assert_int_equal(buf__puts(&text, "sh;function_number_0 5\n"), 0);
	t = read_bytes(text.data, text.len, &o);
	assert_int_equal(t.err, 0);
	for (size_t i = 0; i < t.p->nr_rows; i++)
		kept += t.p->rows[i].samples;
	assert_int_equal(t.p->rows[0].samples, 7);
	assert_int_equal(t.p->losses.seen, 400005);
	assert_int_equal(t.p->losses.kept, kept);
	assert_int_equal(losses__sum(&t.p->losses), 400005 - kept);
	assert_true(kept > 1000 && kept < 200000);
	assert_true(profile__bytes(t.p, 0) <= o.max_bytes);
	buf__free(&text);
	profile__free(t.p);
}

/* A few lines may take as much as many do. */
static void long_names_find_no_more_room_than_short_ones(void **state)
{
	enum { LINES = 60, NAME = 1 << 20 };
	const struct folded_opts o = { .max_bytes = 24 << 20 };
	char *name = malloc(NAME + 1);
	struct buf text = {};
	struct text t;

	assert_non_null(name);
	memset(name, 'n', NAME);
	name[NAME] = '\0';
	for (unsigned i = 0; i < LINES; i++)
		assert_int_equal(buf__printf(&text, "sh;%s%u 1\n", name, i), 0);
	t = read_bytes(text.data, text.len, &o);
	assert_int_equal(t.err, 0);
	assert_int_equal(t.p->losses.kept, t.p->nr_rows);
	assert_int_equal(losses__sum(&t.p->losses), LINES - t.p->nr_rows);
	assert_true(t.p->nr_rows > 2 && t.p->nr_rows < 40);
	buf__free(&text);
	profile__free(t.p);
	free(name);
}

static char *all_of(const struct profile *p)
{
	return WRITTEN(print__folded_all(f, p));
}

static void a_head_tells_events_whose_counts_follow(void **state)
{
	static const char text[] = "# counts of\tcpu-clock\tpage faults 1\tof each stack\n"
				   "sh;main 0 7\n"
				   "sh;main;work 3 0\n"
				   "sh;main;work 3 2 10\n";
	struct text t = read_text(text);
	char *all = all_of(t.p);

	assert_int_equal(t.err, 0);
	assert_string_equal(all, "# counts of\tcpu-clock\tpage faults 1\tof each stack\n"
				 "sh;main 0 7\n"
				 "sh;main;work 3 0\n"
				 "sh;main;work 3 2 10\n");
	assert_int_equal(t.found.nr_stacks, 3);
	assert_int_equal(t.found.nr_two, 0);
	assert_int_equal(t.p->nr_events, 2);
	assert_int_equal(t.p->events[0].samples, 5);
	assert_int_equal(t.p->events[1].samples, 17);
	assert_int_equal(t.p->losses.kept, 22);
	free(all);
	profile__free(t.p);
}

static void lines_behind_a_head_need_all_counts(void **state)
{
	struct text t = read_text("# counts of\ta\tb\tof each stack\n"
				  "sh;main 3\n"
				  "sh;main x 3\n"
				  "1 2\n"
				  "sh;main 1 2\n"
				  "# counts of\tof each stack\n"
				  "# counts of\ta\tof each stac\n");

	assert_int_equal(t.err, 0);
	assert_int_equal(t.found.nr_stacks, 1);
	assert_int_equal(t.found.nr_bad, 5);
	assert_int_equal(t.found.first_bad, 2);
	assert_int_equal(t.p->losses.kept, 3);
	profile__free(t.p);
}

/* As of intervals, one behind the other. */
static void another_head_tells_other_events(void **state)
{
	struct text t = read_text("sh;main 1\n"
				  "# counts of\ta\tb\tof each stack\nsh;main 2 3\n"
				  "# counts of\tb\tof each stack\nsh;main 4\n");
	char *all = all_of(t.p);

	assert_string_equal(all, "# counts of\tsamples\ta\tb\tof each stack\nsh;main 1 2 7\n");
	free(all);
	profile__free(t.p);
}

static void sums_of_several_counts_do_not_overflow(void **state)
{
	struct text t = read_text("# counts of\ta\tb\tof each stack\n"
				  "sh 600000000000000000 600000000000000000\n"
				  "sh 400000000000000000 600000000000000000\n"
				  "sh 0 1\n");

	assert_int_equal(t.found.nr_bad, 2);
	assert_true(t.p->losses.kept == INTAKE_MAX);
	profile__free(t.p);
}

/* A line that names more events than there can be is no head: its names take no memory. */
static void a_head_of_too_many_events_is_none(void **state)
{
	struct buf line = {};
	struct text t;

	assert_int_equal(buf__puts(&line, "# counts of"), 0);
	for (int i = 0; i < 1025; i++)
		assert_int_equal(buf__printf(&line, "\te%d", i), 0);
	assert_int_equal(buf__puts(&line, "\tof each stack\nsh;main 3\n"), 0);
	t = read_text(line.data);
	assert_int_equal(t.p->nr_events, 1);
	assert_string_equal(t.p->events[0].name, "samples");
	reads_as(&t, "sh;main 3\n");
	profile__free(t.p);
	buf__free(&line);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(stacks_are_read_as_they_were_written),
		cmocka_unit_test(endings_tell_where_code_is_from),
		cmocka_unit_test(equal_stacks_are_added_up),
		cmocka_unit_test(one_name_of_several_kinds_is_several_frames),
		cmocka_unit_test(many_names_are_all_told_apart),
		cmocka_unit_test(names_that_begin_alike_are_different),
		cmocka_unit_test(names_may_have_blanks_and_lines_carriage_returns),
		cmocka_unit_test(the_last_line_needs_no_end),
		cmocka_unit_test(frames_without_a_name_are_unknown),
		cmocka_unit_test(what_is_no_stack_is_counted),
		cmocka_unit_test(sums_do_not_overflow),
		cmocka_unit_test(decimals_are_rounded_and_told),
		cmocka_unit_test(two_counts_are_noticed),
		cmocka_unit_test(a_nul_ends_no_name),
		cmocka_unit_test(a_command_may_be_given_from_outside),
		cmocka_unit_test(several_files_are_one_profile),
		cmocka_unit_test(what_is_too_deep_is_cut_and_told),
		cmocka_unit_test(what_has_no_room_is_lost_and_told),
		cmocka_unit_test(a_head_tells_events_whose_counts_follow),
		cmocka_unit_test(lines_behind_a_head_need_all_counts),
		cmocka_unit_test(another_head_tells_other_events),
		cmocka_unit_test(sums_of_several_counts_do_not_overflow),
		cmocka_unit_test(long_names_find_no_more_room_than_short_ones),
		cmocka_unit_test(a_head_of_too_many_events_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
