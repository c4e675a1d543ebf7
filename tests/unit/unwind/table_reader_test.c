// SPDX-License-Identifier: BSD-2-Clause
/* A table made in a jail is the one that is made here; answers that make no sense are refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "elf/elf_bytes.h"
#include "jail/jail.h"
#include "jail/message.h"
#include "unwind/table_reader.h"

/* What is wrong with an answer; of SOUND: nothing. */
enum evil {
	SOUND,
	NOTHING_THERE,
	TOO_SHORT,
	TOO_MANY_ROWS,
	TOO_MANY_SEGMENTS,
	NO_SUCH_RULE,
	PAGES_FALL,
	PAGES_END_EARLY,
	EMPTY_PAGE,
	BAD_REGISTER,
	BAD_KIND,
	BAD_PLACE_OF_FP,
	BAD_PLACE_OF_RETURN,
	BYTES_WITHOUT_MEANING,
	PAGES_BEGIN_LATE,
	PAGE_WITHOUT_ROWS,
	PAGE_TOO_LARGE,
	MORE_THAN_ASKED,
	SHORT_ANSWER,
	NR_EVILS,
};

/* Two rules, two pages, three rows. */
struct content {
	struct unwind_rule rules[2];
	uint32_t pages[3], rows[3];
};

static const struct content sound = {
	.rules = { { .cfa = UNWIND_CFA_NONE },
		   { .cfa = UNWIND_CFA_SP,
		     .cfa_off = 8,
		     .ra = UNWIND_SAVED_AT_CFA,
		     .ra_off = -8 } },
	.pages = { 0, 2, 3 },
	.rows = { UNWIND_ROW(0, 0), UNWIND_ROW(1, 16), UNWIND_ROW(1, 0) },
};

/* One page of @nr rows, all of it as it should be but for their number. */
static bool put_many(int out, uint32_t nr, struct table_answer *a)
{
	const uint32_t pages[] = { 0, nr }, row = UNWIND_ROW(1, 0);
	bool done = !ftruncate(out, 0) && !lseek(out, 0, SEEK_SET) &&
		    write(out, sound.rules, sizeof(sound.rules)) == sizeof(sound.rules) &&
		    write(out, pages, sizeof(pages)) == sizeof(pages);

	for (uint32_t i = 0; i < nr && done; i++)
		done = write(out, &row, sizeof(row)) == sizeof(row);
	a->nr_rows = nr;
	a->nr_pages = 1;
	return done;
}

enum { MANY = 1 << 16 }; /* more than a page may have */

/* @evil is told by max_rows. */
static void answer_evil(int sock, int out)
{
	struct table_question q;
	int file;

	while (message__receive(sock, &q, sizeof(q), &file) == (int)sizeof(q)) {
		const enum evil evil = q.max_rows >= MANY ? q.max_rows - MANY : q.max_rows - 3;
		struct table_answer a = {
			.nr_rules = 2, .nr_segments = 1, .nr_rows = 3, .nr_pages = 2
		};
		struct content c = sound;
		const size_t len =
			evil == NOTHING_THERE ? 0 : sizeof(c) - (evil == TOO_SHORT ? 4 : 0);

		a.nr_rows += evil == TOO_MANY_ROWS ? 1000 : 0;
		a.nr_segments = evil == TOO_MANY_SEGMENTS ? UNWIND_SEGMENTS + 1 : 1;
		if (evil == NO_SUCH_RULE)
			c.rows[1] = UNWIND_ROW(2, 16);
		if (evil == PAGES_FALL)
			c.pages[1] = 4;
		if (evil == PAGES_END_EARLY)
			c.pages[1] = 1, c.pages[2] = 2;
		if (evil == EMPTY_PAGE)
			c.pages[1] = 0;
		if (evil == BAD_REGISTER)
			c.rules[1].reg = UNWIND_REGS;
		if (evil == BAD_KIND)
			c.rules[1].cfa = UNWIND_CFA_BAD + 1;
		if (evil == BAD_PLACE_OF_FP)
			c.rules[1].fp = UNWIND_SAVED_BAD + 1;
		if (evil == BAD_PLACE_OF_RETURN)
			c.rules[1].ra = UNWIND_SAVED_BAD + 1;
		if (evil == BYTES_WITHOUT_MEANING)
			c.rules[1].by_code = 2;
		if (evil == PAGES_BEGIN_LATE)
			c.pages[0] = 1;
		if (evil == PAGE_WITHOUT_ROWS)
			c.pages[1] = 3;
		if (evil == PAGE_TOO_LARGE || evil == MORE_THAN_ASKED) {
			if (!put_many(out,
				      evil == PAGE_TOO_LARGE ? UNWIND_PAGE_ROWS + 1
							     : q.max_rows + 1,
				      &a))
				break;
		} else if (ftruncate(out, 0) || pwrite(out, &c, len, 0) != (ssize_t)len) {
			break;
		}
		if (message__send(sock, &a, sizeof(a) - (evil == SHORT_ANSWER ? 8 : 0), -1))
			break;
		close(file);
	}
}

static const struct jail_reader evil_reader = { .name = "test-evil", .run = answer_evil };
static const struct jail_reader *const readers[] = { &table_reader, &evil_reader };

static int open_jail(void **state)
{
	struct jail *j;

	if (jail__open(&j, readers, 2))
		return -1;
	*state = j;
	return 0;
}

static int close_jail(void **state)
{
	jail__close(*state);
	return 0;
}

static void assert_same(const struct unwind_table *a, const struct unwind_rules *a_rules,
			const struct unwind_table *b, const struct unwind_rules *b_rules)
{
	assert_int_equal(a->nr_rows, b->nr_rows);
	assert_int_equal(a->nr_pages, b->nr_pages);
	assert_int_equal(a->base, b->base);
	assert_int_equal(a->nr_segments, b->nr_segments);
	assert_memory_equal(a->segments, b->segments, sizeof(a->segments));
	assert_memory_equal(a->pages, b->pages, ((size_t)a->nr_pages + 1) * sizeof(*a->pages));
	for (uint32_t i = 0; i < a->nr_rows; i++) {
		assert_int_equal(UNWIND_ROW_OFFSET(a->rows[i]), UNWIND_ROW_OFFSET(b->rows[i]));
		assert_memory_equal(&a_rules->all[UNWIND_ROW_RULE(a->rows[i])],
				    &b_rules->all[UNWIND_ROW_RULE(b->rows[i])],
				    sizeof(struct unwind_rule));
	}
}

/* This program, after a file whose rules have other numbers. */
static void the_table_is_the_same(void **state)
{
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct unwind_rules rules = {}, here_rules = {};
	const struct unwind_rule other = { .cfa = UNWIND_CFA_FP, .cfa_off = 12345 };
	struct unwind_table made, again, here;
	struct elf_from from;
	struct jailed *r;
	uint32_t number;

	assert_int_equal(unwind_rules__add(&rules, &other, &number), 0);
	assert_int_equal(jailed__open(&r, *state, &table_reader), 0);
	assert_int_equal(table_reader__build(r, fd, &made, &rules, 1 << 20), 0);
	assert_int_equal(table_reader__build(r, fd, &again, &rules, 1 << 20), 0);
	elf_version(EV_CURRENT);
	assert_true(elf_from__open(&from, fd, NULL));
	assert_int_equal(unwind_table__build(&here, &from, &here_rules, 1 << 20), 0);
	assert_true(here.nr_rows > 100);
	assert_same(&made, &rules, &here, &here_rules);
	assert_same(&again, &rules, &here, &here_rules);
	elf_from__close(&from);
	close(fd);
	unwind_table__free(&made);
	unwind_table__free(&again);
	unwind_table__free(&here);
	unwind_rules__free(&rules);
	unwind_rules__free(&here_rules);
	jailed__close(r);
}

static void what_is_no_program_has_none(void **state)
{
	const int fd = open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
	struct unwind_rules rules = {};
	struct unwind_table t;
	struct jailed *r;

	assert_int_equal(jailed__open(&r, *state, &table_reader), 0);
	assert_int_equal(table_reader__build(r, fd, &t, &rules, 1 << 20), 0);
	assert_int_equal(t.nr_rows, 0);
	close(fd);
	jailed__close(r);
}

static void a_table_too_large_is_refused(void **state)
{
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct unwind_rules rules = {};
	struct unwind_table t;
	struct jailed *r;

	assert_int_equal(jailed__open(&r, *state, &table_reader), 0);
	assert_int_equal(table_reader__build(r, fd, &t, &rules, 10), -E2BIG);
	close(fd);
	jailed__close(r);
}

static void answers_that_make_no_sense_are_refused(void **state)
{
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct unwind_rules rules = {};
	struct unwind_table t;
	struct jailed *r;

	assert_int_equal(jailed__open(&r, *state, &evil_reader), 0);
	for (int evil = SOUND; evil < NR_EVILS; evil++) {
		const size_t max_rows = (evil == PAGE_TOO_LARGE ? MANY : 3) + evil;
		const int err = table_reader__build(r, fd, &t, &rules, max_rows);

		if (err != (evil == SOUND ? 0 : -EBADMSG))
			print_error("evil %d: %d\n", evil, err);
		assert_int_equal(err, evil == SOUND ? 0 : -EBADMSG);
		if (evil == SOUND)
			assert_int_equal(unwind_table__find(&t, 20), UNWIND_ROW_RULE(t.rows[1]));
		unwind_table__free(&t);
	}
	unwind_rules__free(&rules);
	close(fd);
	jailed__close(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_is_the_same),
		cmocka_unit_test(what_is_no_program_has_none),
		cmocka_unit_test(a_table_too_large_is_refused),
		cmocka_unit_test(answers_that_make_no_sense_are_refused),
	};

	return cmocka_run_group_tests(tests, open_jail, close_jail);
}
