// SPDX-License-Identifier: BSD-2-Clause
/* The functions of a file that match a pattern. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/suggest.h"
#include "elf/demangle.h"
#include "elf/entry.h"
#include "lookup/file_lookup.h"
#include "lookup/pattern.h"

struct match {
	struct lookup_function f;
	uint8_t rank;
};

struct matches {
	struct match *items;
	size_t nr, cap;
	struct buf name, readable; /* of the one being looked at */
};

static int compare(const struct match *x, const struct match *y)
{
	int order = strcmp(x->f.name, y->f.name);

	return order ? order : (x->f.offset > y->f.offset) - (x->f.offset < y->f.offset);
}

/* By name and offset; of equal ones, first the one that is not marked as an alias. */
static int by_name(const void *a, const void *b)
{
	const struct match *x = a, *y = b;
	int order = compare(x, y);

	return order ? order : x->f.is_alias - y->f.is_alias;
}

/* The best known name first, as in elf/elf_symbols.c: "malloc", not "__libc_malloc". */
static int by_offset(const void *a, const void *b)
{
	const struct match *x = a, *y = b;
	bool x_underscore = *x->f.name == '_', y_underscore = *y->f.name == '_';

	if (x->f.offset != y->f.offset)
		return x->f.offset < y->f.offset ? -1 : 1;
	if (x->rank != y->rank)
		return x->rank > y->rank ? -1 : 1;
	if (x_underscore != y_underscore)
		return x_underscore ? 1 : -1;
	return strcmp(x->f.name, y->f.name);
}

/* 1: it does; 0: it does not; -ENOMEM. */
static int matches_pattern(struct matches *m, const struct pattern *p)
{
	int err;

	if (pattern__matches(p, m->name.data))
		return 1;
	buf__clear(&m->readable);
	err = demangle(&m->readable, m->name.data);
	return err ? err : pattern__matches(p, m->readable.data);
}

static int add_matches(struct matches *m, const struct pattern *p, struct elf_names *names)
{
	uint32_t id;
	size_t i;
	int err;

	for (i = 0; i < names->nr; i++) {
		const struct elf_name *item = &names->items[i];

		if (item->kind != ELF_NAME_FUNCTION)
			continue;
		buf__clear(&m->name);
		err = elf_names__put(names, item, &m->name);
		if (!err)
			err = matches_pattern(m, p);
		if (!err)
			continue;
		if (err > 0)
			err = strtab__add(names->strings, m->name.data, m->name.len, &id);
		if (!err)
			err = array__grow(&m->items, &m->cap, m->nr + 1);
		if (err)
			return err;
		m->items[m->nr++] = (struct match){
			.f = {
				.name = strtab__get(names->strings, id),
				.offset = item->offset,
				.size = item->size,
			},
			.rank = item->rank,
		};
	}
	return 0;
}

static void mark_aliases(struct matches *m)
{
	size_t i;

	if (m->nr)
		qsort(m->items, m->nr, sizeof(*m->items), by_offset);
	for (i = 1; i < m->nr; i++)
		m->items[i].f.is_alias = m->items[i].f.offset == m->items[i - 1].f.offset;
}

static int call_each(const struct matches *m, const struct elf_image *img, lookup_function_fn *fn,
		     void *arg)
{
	size_t i;
	int err;

	for (i = 0; i < m->nr; i++) {
		struct lookup_function *f = &m->items[i].f;

		if (i && !compare(&m->items[i], &m->items[i - 1]))
			continue;
		f->skip = entry__skip(img, f->offset, f->size);
		err = fn(f, arg);
		if (err)
			return err;
	}
	return 0;
}

int file_lookup__each_function(struct file_lookup *f, const char *glob, lookup_function_fn *fn,
			       void *arg, struct buf *why)
{
	struct matches m = {};
	struct pattern p;
	int err = pattern__compile(&p, glob, why);

	if (!err)
		err = file_lookup__read_names(f);
	if (err)
		return err;
	err = add_matches(&m, &p, &f->names);
	if (!err) {
		mark_aliases(&m);
		if (m.nr)
			qsort(m.items, m.nr, sizeof(*m.items), by_name);
		err = call_each(&m, &f->img, fn, arg);
	}
	free(m.items);
	buf__free(&m.name);
	buf__free(&m.readable);
	return err;
}

static int keep_name(const struct lookup_function *f, void *arg)
{
	uint32_t id;

	return strtab__add(arg, f->name, strlen(f->name), &id);
}

int file_lookup__explain_no_function(struct file_lookup *f, const char *glob, struct buf *why)
{
	struct strtab *t = strtab__new();
	int err = t ? buf__printf(why, "no function in %s matches '%s'", f->path, glob) : -ENOMEM;

	if (!err)
		err = file_lookup__each_function(f, "*", keep_name, t, why);
	if (!err)
		err = strtab__nr(t) > 1 ? suggest_of(why, glob, t)
					: buf__puts(why, ": it has no symbols");
	strtab__free(t);
	return err ? err : -ENOENT;
}
