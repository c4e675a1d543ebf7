// SPDX-License-Identifier: BSD-2-Clause
/* Reads headers of line tables. */
#include "dwarf/line_header.h"

#include <errno.h>

#include "dwarf/constants.h"

/* One column of a table of directories or files: what it is, and its form. */
struct format {
	struct {
		uint64_t content;
		struct abbrev_attr attr;
	} columns[16];
	unsigned nr;
};

static int add_dir(struct line_table *t, struct value name)
{
	int err = array__grow(&t->dirs, &t->cap_dirs, t->nr_dirs + 1);

	if (!err)
		t->dirs[t->nr_dirs++] = name;
	return err;
}

static int add_file(struct line_table *t, struct line_file file)
{
	int err = array__grow(&t->files, &t->cap_files, t->nr_files + 1);

	if (!err)
		t->files[t->nr_files++] = file;
	return err;
}

/* Of versions 2 to 4. The strings are in .debug_line: form DW_FORM_string stands for them. */
static struct value take_string(struct dwarf_cursor *c)
{
	struct value v = { cursor__offset(c), DW_FORM_string };

	cursor__skip_string(c);
	return v;
}

int line_header__define_file(struct line_table *t, struct dwarf_cursor *c)
{
	struct line_file file = { .name = take_string(c) };

	file.dir = take_leb(c);
	take_leb(c); /* when it was changed */
	take_leb(c); /* its size */
	return c->over ? 0 : add_file(t, file);
}

/* Directory 0 is where the unit was compiled, and files count from 1. */
static int read_old_tables(struct line_table *t, struct dwarf_cursor *c)
{
	int err = add_dir(t, (struct value){});

	while (!err && cursor__has(c, 1) && *c->at)
		err = add_dir(t, take_string(c));
	take_u8(c);
	if (!err)
		err = add_file(t, (struct line_file){});
	while (!err && cursor__has(c, 1) && *c->at)
		err = line_header__define_file(t, c);
	take_u8(c);
	if (err)
		return err;
	return c->over ? -EINVAL : 0;
}

static int read_format(struct dwarf_cursor *c, struct format *f)
{
	f->nr = take_u8(c);
	if (f->nr > ARRAY_SIZE(f->columns))
		return -EINVAL;
	for (unsigned i = 0; i < f->nr; i++) {
		f->columns[i].content = take_leb(c);
		/* Taken apart as an entry of .debug_info would be. */
		f->columns[i].attr = (struct abbrev_attr){ .form = take_leb(c), .attr = ATTR_NAME };
	}
	return c->over ? -EINVAL : 0;
}

static void read_entry(struct line_table *t, struct dwarf_cursor *c, const struct format *f,
		       struct line_file *file)
{
	*file = (struct line_file){};
	for (unsigned i = 0; i < f->nr; i++) {
		struct value v = value__take(c, &f->columns[i].attr, &t->bases.kind);

		if (f->columns[i].content == DW_LNCT_path)
			file->name = v;
		else if (f->columns[i].content == DW_LNCT_directory_index)
			file->dir = v.v;
	}
}

static int read_table(struct line_table *t, struct dwarf_cursor *c, bool dirs)
{
	struct line_file file;
	struct format f;
	uint64_t nr;
	int err;

	err = read_format(c, &f);
	if (err)
		return err;
	nr = take_leb(c);
	/* Each takes a byte at least. */
	if (nr && (!f.nr || nr > cursor__left(c)))
		return -EINVAL;
	for (; nr && !err; nr--) {
		read_entry(t, c, &f, &file);
		if (c->over)
			return -EINVAL;
		err = dirs ? add_dir(t, file.name) : add_file(t, file);
	}
	return err;
}

static int read_parameters(struct line_table *t, struct dwarf_cursor *c)
{
	t->min_bytes = take_u8(c);
	t->max_ops = t->bases.kind.version >= 4 ? take_u8(c) : 1;
	take_u8(c); /* whether rows are the beginnings of statements if nothing is said */
	t->line_base = take_u8(c);
	t->line_range = take_u8(c);
	t->opcode_base = take_u8(c);
	for (unsigned i = 1; i < t->opcode_base; i++)
		t->nr_operands[i] = take_u8(c);
	if (c->over || !t->opcode_base)
		return -EINVAL;
	for (unsigned op = t->opcode_base; op < 256 && t->line_range; op++) {
		t->operations[op] = (op - t->opcode_base) / t->line_range;
		t->lines[op] = t->line_base + (op - t->opcode_base) % t->line_range;
	}
	return 0;
}

int line_header__read(struct line_table *t, uint64_t at)
{
	const struct dwarf_section *s = &t->bases.sections->line;
	struct dwarf_cursor c = cursor__at(s, at, UINT64_MAX);
	struct unit_kind *kind = &t->bases.kind;
	uint64_t len;
	int err;

	if (!cursor__take_length(&c, &len, &kind->offset_bytes) || len > cursor__left(&c))
		return -EINVAL;
	t->end = cursor__offset(&c) + len;
	c = cursor__at(s, cursor__offset(&c), t->end);
	kind->version = take_number(&c, 2);
	if (kind->version < 2 || kind->version > 5)
		return -EINVAL;
	if (kind->version == 5) {
		kind->address_bytes = take_u8(&c);
		take_u8(&c); /* the size of segment selectors: there are none */
	}
	len = take_number(&c, kind->offset_bytes);
	if (c.over || len > cursor__left(&c))
		return -EINVAL;
	t->program = cursor__offset(&c) + len;
	c = cursor__at(s, cursor__offset(&c), t->program);
	err = read_parameters(t, &c);
	if (!err && kind->version < 5)
		return read_old_tables(t, &c);
	if (!err)
		err = read_table(t, &c, true);
	return err ? err : read_table(t, &c, false);
}

/* A string of the header: an inline one is in .debug_line. */
static const char *string_of(const struct line_table *t, const struct value *v)
{
	if (v->form == DW_FORM_string)
		return dwarf_section__string(&t->bases.sections->line, v->v);
	return v->form ? value__string(&t->bases, v) : NULL;
}

static int put_dir(struct buf *out, const char *dir)
{
	int err = buf__puts(out, dir);

	return !err && *dir && dir[strlen(dir) - 1] != '/' ? buf__puts(out, "/") : err;
}

int line_table__path(const struct line_table *t, uint32_t file, const char *comp_dir,
		     struct buf *out)
{
	const char *name, *dir = NULL;
	uint64_t i;
	int err = 0;

	if (file >= t->nr_files)
		return -ENOENT;
	i = t->files[file].dir;
	name = string_of(t, &t->files[file].name);
	if (!name)
		return -ENOENT;
	if (*name == '/')
		return buf__puts(out, name);
	if (i < t->nr_dirs)
		dir = string_of(t, &t->dirs[i]);
	/* Since DWARF 5 the first directory is where the unit was compiled. */
	if (!i && dir && *dir != '/')
		dir = NULL;
	if (comp_dir && (!dir || *dir != '/'))
		err = put_dir(out, comp_dir);
	if (!err && dir)
		err = put_dir(out, dir);
	return err ? err : buf__puts(out, name);
}
