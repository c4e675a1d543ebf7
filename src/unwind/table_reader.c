// SPDX-License-Identifier: BSD-2-Clause
/* Both ends: a file's table is made there, and written to memory; here it is read and checked. */
#include "unwind/table_reader.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allowance.h"
#include "elf/elf_bytes.h"
#include "jail/message.h"

static uint64_t file_bytes(const struct table_answer *a)
{
	return (uint64_t)a->nr_rules * sizeof(struct unwind_rule) +
	       ((uint64_t)a->nr_pages + 1 + a->nr_rows) * sizeof(uint32_t);
}

static bool write_all(int fd, const void *bytes, size_t len)
{
	for (const char *at = bytes; len;) {
		const ssize_t n = write(fd, at, len);

		if (n <= 0)
			return false;
		at += n;
		len -= n;
	}
	return true;
}

static int put(int fd, const struct unwind_table *t, const struct unwind_rules *rules)
{
	if (ftruncate(fd, 0) || lseek(fd, 0, SEEK_SET) ||
	    !write_all(fd, rules->all, rules->nr * sizeof(*rules->all)) ||
	    !write_all(fd, t->pages, ((size_t)t->nr_pages + 1) * sizeof(*t->pages)) ||
	    !write_all(fd, t->rows, (size_t)t->nr_rows * sizeof(*t->rows)))
		return -ENOMEM;
	return 0;
}

/* @out: the file for what is long. */
static struct table_answer build(const struct table_question *q, int file, struct allowance *run,
				 int out)
{
	struct unwind_rules rules = {};
	struct unwind_table t = {};
	struct table_answer a = {};
	struct elf_from from;

	if (elf_from__open(&from, file, run))
		a.err = unwind_table__build(&t, &from, &rules, q->max_rows);
	elf_from__close(&from);
	if (!a.err && t.nr_rows) {
		a.err = put(out, &t, &rules);
		a.nr_rules = rules.nr;
		a.nr_segments = t.nr_segments;
		a.nr_rows = t.nr_rows;
		a.nr_pages = t.nr_pages;
		a.base = t.base;
		memcpy(a.segments, t.segments, sizeof(a.segments));
	}
	unwind_table__free(&t);
	unwind_rules__free(&rules);
	return a;
}

static void run(int sock, int out)
{
	struct allowance allowance;
	struct table_question q;
	int file;

	elf_version(EV_CURRENT);
	allowance__init(&allowance, 0, 0);
	while (message__receive(sock, &q, sizeof(q), &file) == (int)sizeof(q)) {
		const struct table_answer a = build(&q, file, &allowance, out);

		if (file >= 0)
			close(file);
		if (message__send(sock, &a, sizeof(a), -1))
			break;
	}
}

const struct jail_reader table_reader = { .name = "unwind-reader", .run = run };

static bool is_sound_rule(const struct unwind_rule *r)
{
	return r->cfa <= UNWIND_CFA_BAD && r->fp <= UNWIND_SAVED_BAD && r->ra <= UNWIND_SAVED_BAD &&
	       r->reg < UNWIND_REGS && r->by_code <= 1;
}

/* Their numbers among all rules, by their numbers in the file. */
static int take_rules(int fd, const struct table_answer *a, struct unwind_rules *rules,
		      uint32_t *numbers)
{
	struct unwind_rule rule;
	int err = 0;

	for (uint32_t i = 0; i < a->nr_rules && !err; i++) {
		if (pread(fd, &rule, sizeof(rule), (off_t)i * sizeof(rule)) != sizeof(rule) ||
		    !is_sound_rule(&rule))
			return -EBADMSG;
		err = unwind_rules__add(rules, &rule, &numbers[i]);
	}
	return err;
}

static bool take_pages(int fd, const struct table_answer *a, struct unwind_table *t)
{
	const size_t bytes = ((size_t)a->nr_pages + 1) * sizeof(*t->pages);

	if (pread(fd, t->pages, bytes, (off_t)a->nr_rules * sizeof(struct unwind_rule)) !=
	    (ssize_t)bytes)
		return false;
	for (uint32_t i = 0; i < a->nr_pages; i++)
		if (t->pages[i] >= t->pages[i + 1] ||
		    t->pages[i + 1] - t->pages[i] > UNWIND_PAGE_ROWS)
			return false;
	return !t->pages[0] && t->pages[a->nr_pages] == a->nr_rows;
}

static bool take_rows(int fd, const struct table_answer *a, const uint32_t *numbers,
		      struct unwind_table *t)
{
	const size_t bytes = (size_t)a->nr_rows * sizeof(*t->rows);

	if (pread(fd, t->rows, bytes, (off_t)(file_bytes(a) - bytes)) != (ssize_t)bytes)
		return false;
	for (uint32_t i = 0; i < a->nr_rows; i++) {
		const uint32_t rule = UNWIND_ROW_RULE(t->rows[i]);

		if (rule >= a->nr_rules)
			return false;
		t->rows[i] = UNWIND_ROW(numbers[rule], UNWIND_ROW_OFFSET(t->rows[i]));
	}
	return true;
}

static bool is_sound(const struct table_answer *a, int fd, size_t max_rows)
{
	struct stat st;

	return a->nr_rows <= max_rows && a->nr_pages && a->nr_pages <= a->nr_rows && a->nr_rules &&
	       a->nr_rules <= UNWIND_RULES_MAX && a->nr_segments <= UNWIND_SEGMENTS &&
	       !fstat(fd, &st) && (uint64_t)st.st_size == file_bytes(a);
}

static int take_table(const struct table_answer *a, int fd, struct unwind_table *t,
		      struct unwind_rules *rules)
{
	uint32_t *numbers = calloc(a->nr_rules, sizeof(*numbers));
	int err = -ENOMEM;

	*t = (struct unwind_table){
		.nr_segments = a->nr_segments,
		.base = a->base,
		.nr_rows = a->nr_rows,
		.nr_pages = a->nr_pages,
		.pages = calloc((size_t)a->nr_pages + 1, sizeof(*t->pages)),
		.rows = calloc(a->nr_rows, sizeof(*t->rows)),
	};
	memcpy(t->segments, a->segments, sizeof(t->segments));
	if (numbers && t->pages && t->rows)
		err = take_rules(fd, a, rules, numbers);
	if (!err && !(take_pages(fd, a, t) && take_rows(fd, a, numbers, t)))
		err = -EBADMSG;
	free(numbers);
	if (err)
		unwind_table__free(t);
	return err;
}

int table_reader__build(struct jailed *reader, int file, struct unwind_table *out,
			struct unwind_rules *rules, size_t max_rows)
{
	const struct table_question q = { .max_rows = max_rows };
	const int fd = jailed__file(reader);
	struct table_answer a;
	int n, err = jailed__send(reader, &q, sizeof(q), file);

	*out = (struct unwind_table){};
	if (err)
		return err;
	n = jailed__receive(reader, &a, sizeof(a));
	if (n < 0)
		return n;
	if (n != sizeof(a))
		err = -EBADMSG;
	else if (a.err) /* it is out of memory: it has less than we have */
		err = -E2BIG;
	else if (a.nr_rows)
		err = is_sound(&a, fd, max_rows) ? take_table(&a, fd, out, rules) : -EBADMSG;
	return err;
}
