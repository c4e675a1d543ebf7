// SPDX-License-Identifier: BSD-2-Clause
/* Reads the words of report --by, and says what the files do not have of them. */
#include "cmd/report_by.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/why.h"
#include "cmd/outputs.h"
#include "cmd/results.h"
#include "model/profile.h"
#include "print/count_table.h"

enum { BY_STACK = BY_KSTACK | BY_USTACK };

/* What a word needs of the files; those of a profile --by come first. */
static const struct word {
	const char *name;
	unsigned by;
	bool is_function;
} words[] = {
	{ "comm", BY_COMM, false },	{ "pid", BY_PID, false },
	{ "tid", BY_TID, false },	{ "cpu", BY_CPU, false },
	{ "cgroup", BY_CGROUP, false }, { "stack", BY_STACK, false },
	{ "function", BY_STACK, true },
};

static bool has(const struct profile *p, const struct word *w)
{
	return p->by & w->by;
}

static const struct word *find_word(const char *s, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].name) == len && !strncmp(words[i].name, s, len))
			return &words[i];
	return NULL;
}

/* " comm pid": all words, or those that @p has. */
static int put_words(struct buf *b, const struct profile *p)
{
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(words) && !err; i++)
		if (!p || has(p, &words[i]))
			err = buf__printf(b, " %s", words[i].name);
	return err;
}

static int refuse_word(const char *s, size_t len, struct buf *why)
{
	int err = buf__printf(why, "--by: unknown key '%.*s'; known:", (int)len, s);

	if (!err)
		err = put_words(why, NULL);
	return err ? err : -EINVAL;
}

int report_by__parse(struct regroup_opts *o, const char *text, struct buf *why)
{
	*o = (struct regroup_opts){};
	for (const char *s = text;; s++) {
		size_t len = strcspn(s, ",");
		const struct word *w = find_word(s, len);

		if (!w)
			return refuse_word(s, len, why);
		if (w->is_function)
			o->by_function = true;
		else
			o->by |= w->by;
		s += len;
		if (!*s)
			return 0;
	}
}

int report_by__check(const struct regroup_opts *o, const struct outputs *outputs, struct buf *why)
{
	for (size_t i = 0; i < outputs->nr; i++) {
		enum format format = outputs->items[i].format;

		if (format == FORMAT_PMUT && o->by_function)
			return why__refuse(
				why, -EINVAL,
				"--by function: a capture has stacks: add stack instead");
		if (format__is(format, FORMAT_OF_STACKS) && !(o->by & (BY_STACK | BY_COMM)))
			return why__refuse(why, -EINVAL, "%s is of stacks: add stack to --by",
					   format__name(format));
	}
	return 0;
}

static int refuse_key(const struct word *w, const struct profile *p, struct buf *why)
{
	int err = buf__printf(why, "--by %s: the files do not tell; they have", w->name);

	if (!err)
		err = put_words(why, p);
	if (!err && w->by == BY_COMM)
		err = buf__puts(why, "; a capture of profile --by comm does");
	else if (!err && w->by != BY_STACK)
		err = buf__printf(why, "; a capture of profile --by comm,%s does", w->name);
	return err ? err : -EPROTO;
}

int report_by__apply(struct profile **out, const struct profile *p, const struct regroup_opts *o,
		     struct buf *why)
{
	struct regroup_opts known = *o;

	*out = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		const struct word *w = &words[i];
		const bool is_wanted = w->is_function ? o->by_function : o->by & w->by;

		if (is_wanted && !has(p, w))
			return refuse_key(w, p, why);
	}
	/* Of kernel and user frames those that there are. */
	known.by &= p->by;
	return regroup__new(out, p, &known);
}

int report_by__write(FILE *f, const struct profile *p, unsigned rows)
{
	const struct count_table_opts table = {
		.noun = "sample",
		.rows = rows,
		.width = results__width(f),
		.color = results__color(f),
	};

	return print__count_table(f, p, &table);
}
