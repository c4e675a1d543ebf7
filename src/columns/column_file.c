// SPDX-License-Identifier: BSD-2-Clause
/* The user's columns and sets, as a file has them. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "columns/column_defs_state.h"

#define BLANKS " \t\r"

struct reader {
	struct column_defs *d;
	bool in_set; /* the last one */
	const char *file;
	unsigned line;
	struct buf *why;
};

/*
 * "FILE:LINE: 'WORD' WHAT". Words are names that have the form of one: what is no configuration is
 * not shown, since who runs us with another's rights (sudo) may not be allowed to read it.
 */
static int wrong(struct reader *r, const char *word, const char *what)
{
	return why__refuse(r->why, -EINVAL, "%s:%u: '%s' %s", r->file, r->line, word, what);
}

static int wrong_line(struct reader *r, const char *what)
{
	return why__refuse(r->why, -EINVAL, "%s:%u: %s", r->file, r->line, what);
}

static int twice(struct reader *r, const char *word, unsigned line)
{
	return why__refuse(r->why, -EINVAL, "%s:%u: '%s' is in line %u already", r->file, r->line,
			   word, line);
}

static int keep(struct reader *r, const char *s, size_t len, const char **out)
{
	uint32_t id;
	int err = strtab__add(r->d->texts, s, len, &id);

	if (!err)
		*out = strtab__get(r->d->texts, id);
	return err;
}

/* A name at the beginning, and what is behind it and blanks. */
static int take_name(struct reader *r, const char **at, const char **name)
{
	size_t len = formula__name(*at);
	int err;

	if (!len || len >= FORMULA_NAME)
		return wrong_line(r, "a name is missing here, or is too long");
	err = keep(r, *at, len, name);
	*at += len;
	*at += strspn(*at, BLANKS);
	return err;
}

/* What events there are is not known here: any name may be one. */
static int any_event(void *arg, struct formula *f, const char *event, struct buf *why)
{
	return formula__put_value(f, COLUMN_EVENTS, why);
}

static int any_name(void *arg, struct formula *f, const char *name, bool quoted, struct buf *why)
{
	return formula__put_value(f, COLUMN_EVENTS, why);
}

static int check_formula(struct reader *r, const char *formula)
{
	const struct formula_names names = { any_name, NULL };
	struct formula f = {};
	struct buf what = {};
	int err = formula__parse(&f, formula, &names, &what);

	if (err == -EINVAL)
		err = wrong_line(r, what.data);
	formula__free(&f);
	buf__free(&what);
	return err;
}

static int read_column(struct reader *r, const char *name, const char *formula)
{
	struct column_defs *d = r->d;
	const struct column_def *old = column_defs__column(d, name);
	struct column_def *c;
	int err;

	if (column_value__of(name) >= 0)
		return wrong(r, name, "is what every row has: choose another name");
	if (column_defs__set(d, name))
		return wrong(r, name, "is the name of a set");
	if (old && old->line)
		return twice(r, name, old->line);
	err = check_formula(r, formula);
	if (!err)
		err = array__grow(&d->columns, &d->cap_columns, d->nr_columns + 1);
	if (err)
		return err;
	c = &d->columns[d->nr_columns++];
	*c = (struct column_def){ .name = name, .title = name, .line = r->line };
	c->form = strchr(formula, '/') ? COLUMN_RATIO : COLUMN_COUNT;
	return keep(r, formula, strlen(formula), &c->formula);
}

static int begin_set(struct reader *r, const char *at)
{
	struct column_defs *d = r->d;
	const struct column_set *old;
	const char *name;
	int err;

	at += strspn(at, BLANKS);
	err = take_name(r, &at, &name);
	if (err)
		return err;
	if (strcmp(at, "]"))
		return wrong_line(r, "[NAME] begins a set, with nothing behind it");
	if (column_defs__column(d, name))
		return wrong(r, name, "is the name of a column");
	old = column_defs__set(d, name);
	if (old && old->line)
		return twice(r, name, old->line);
	err = array__grow(&d->sets, &d->cap_sets, d->nr_sets + 1);
	if (err)
		return err;
	d->sets[d->nr_sets++] = (struct column_set){ .name = name, .line = r->line };
	r->in_set = true;
	return 0;
}

/* The set whose lines these are; NULL: none has begun. */
static struct column_set *this_set(const struct reader *r)
{
	return r->in_set ? &r->d->sets[r->d->nr_sets - 1] : NULL;
}

static int read_events(struct reader *r, const char *text)
{
	struct column_set *set = this_set(r);

	if (!set)
		return wrong(r, "events", "is for sets: [NAME] begins one");
	if (set->events)
		return wrong(r, set->name, "has its events already");
	if (!*text)
		return wrong(r, set->name, "gets no events here: leave the line out");
	return keep(r, text, strlen(text), &set->events);
}

static int read_words(struct reader *r, const char *at)
{
	struct column_set *set = this_set(r);
	int err = 0;

	if (!set)
		return wrong_line(
			r, "a line in no set that defines nothing: NAME = FORMULA, or [SET]");
	while (*at && !err) {
		size_t len = strcspn(at, BLANKS);

		err = array__grow(&set->words, &set->cap, set->nr + 1);
		if (!err)
			err = keep(r, at, len, &set->words[set->nr]);
		set->nr += !err;
		at += len;
		at += strspn(at, BLANKS);
	}
	return err;
}

/* Without comment and blanks around it. */
static int read_line(struct reader *r, const char *at)
{
	size_t len = formula__name(at);
	const char *equals = at + len + strspn(at + len, BLANKS), *name;
	int err;

	if (!*at)
		return 0;
	if (*at == '[')
		return begin_set(r, at + 1);
	if (!len || *equals != '=')
		return read_words(r, at);
	err = take_name(r, &at, &name);
	if (err)
		return err;
	at++;
	at += strspn(at, BLANKS);
	return strcmp(name, "events") ? read_column(r, name, at) : read_events(r, at);
}

static int check_bytes(struct reader *r, const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)line[i] < ' ' && !(line[i] && strchr(BLANKS, line[i])))
			return wrong_line(r, "there is a control character");
	return 0;
}

/* A comment begins with the line or behind a blank. */
static size_t without_comment(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (line[i] == '#' && (!i || strchr(BLANKS, line[i - 1])))
			len = i;
	while (len && strchr(BLANKS, line[len - 1]))
		len--;
	return len;
}

/* Checks that need the whole file. */
static int check_all(struct reader *r)
{
	const struct column_defs *d = r->d;
	int err = 0;

	for (size_t i = 0; i < d->nr_columns && !err; i++) {
		const struct column_choice c = { .def = &d->columns[i] };
		struct formula f = {};
		struct buf what = {};

		r->line = c.def->line;
		err = column_defs__compile(d, &c, any_event, NULL, &f, &what);
		if (err == -EINVAL)
			err = wrong_line(r, what.data);
		formula__free(&f);
		buf__free(&what);
	}
	for (size_t i = 0; i < d->nr_sets && !err; i++) {
		r->line = d->sets[i].line;
		if (!d->sets[i].nr)
			err = wrong(r, d->sets[i].name, "is a set without columns");
	}
	return err;
}

int column_defs__read(struct column_defs *d, const char *file, const char *text, size_t len,
		      struct buf *why)
{
	struct reader r = { .d = d, .file = file, .why = why };
	struct buf line = {};
	int err = 0;

	for (size_t at = 0; at < len && !err; at++) {
		const char *end = memchr(text + at, '\n', len - at);
		size_t nr = end ? (size_t)(end - text) - at : len - at, blanks;

		r.line++;
		err = check_bytes(&r, text + at, nr);
		buf__clear(&line);
		if (!err)
			err = buf__put(&line, text + at, without_comment(text + at, nr));
		blanks = err || !line.len ? 0 : strspn(line.data, BLANKS);
		if (!err && line.len)
			err = read_line(&r, line.data + blanks);
		at += nr;
	}
	buf__free(&line);
	return err ? err : check_all(&r);
}
