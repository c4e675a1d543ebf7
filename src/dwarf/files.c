// SPDX-License-Identifier: BSD-2-Clause
/* Sets of sections that refer to each other, and split units, opened when they are wanted. */
#include <errno.h>
#include <stdlib.h>

#include "dwarf/constants.h"
#include "dwarf/package.h"
#include "dwarf/state.h"

/* More than compilers are called for a program. */
enum { FILES_MAX = 1 << 20 };

static int add_file(struct dwarf *d, struct info_file **out)
{
	int err = array__grow(&d->files, &d->cap_files, d->nr_files + 1);

	if (err)
		return err;
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	d->files[d->nr_files++] = *out;
	return 0;
}

int files__begin(struct dwarf *d, const struct dwarf_sections *s)
{
	struct info_file *f;
	int err;

	err = add_file(d, &f);
	if (err)
		return err;
	f->sections = *s;
	f->ready = true;
	err = info_file__read_units(f);
	if (!err)
		err = add_file(d, &f);
	if (err)
		return err;
	f->sections.info = s->alt_info;
	f->sections.abbrev = s->alt_abbrev;
	f->sections.str = s->alt_str;
	f->sections.line_str = s->alt_line_str;
	f->ready = true;
	return info_file__read_units(f);
}

static void close_split(struct dwarf *d, struct info_file *f)
{
	if (f->opened)
		d->opts.close_split(d->opts.arg, &f->from);
	f->opened = f->ready = false;
	info_file__free(f);
}

void files__forget(struct dwarf *d)
{
	for (size_t i = 0; i < d->nr_files; i++)
		if (d->files[i]->split)
			close_split(d, d->files[i]);
		else
			info_file__forget(d->files[i]);
}

void files__end(struct dwarf *d)
{
	files__forget(d);
	for (size_t i = 0; i < d->nr_files; i++) {
		info_file__free(d->files[i]);
		free(d->files[i]);
	}
	free(d->files);
	d->files = NULL;
	d->nr_files = 0;
}

static int open_split(struct dwarf *d, struct info_file *f)
{
	const struct root *s = &f->skeleton;
	const char *name, *dir;
	int err;

	if (d->opts.package && package__find(d->opts.package, s->dwo_id, &f->from))
		return 0;
	if (!d->opts.open_split)
		return -ENOENT;
	name = value__string(&s->bases, &s->dwo_name);
	dir = s->comp_dir.form ? value__string(&s->bases, &s->comp_dir) : NULL;
	if (!name)
		return -ENOENT;
	err = d->opts.open_split(d->opts.arg, dir, name, s->dwo_id, &f->from);
	f->opened = !err;
	/* It is in memory as a whole. */
	if (!err)
		d->bytes += f->from.info.len + f->from.abbrev.len + f->from.str.len +
			    f->from.str_offsets.len + f->from.rnglists.len;
	return err;
}

static int make_ready(struct dwarf *d, struct info_file *f)
{
	const struct dwarf_sections *program = &d->files[FILE_MAIN]->sections;
	int err = open_split(d, f);

	if (err)
		return err;
	f->sections = (struct dwarf_sections){ .info = f->from.info,
					       .abbrev = f->from.abbrev,
					       .str = f->from.str,
					       .str_offsets = f->from.str_offsets,
					       .rnglists = f->from.rnglists,
					       .line = program->line,
					       .line_str = program->line_str,
					       .addr = program->addr,
					       .ranges = program->ranges };
	err = info_file__read_units(f);
	d->bytes += f->cap * sizeof(*f->units);
	f->ready = !err;
	if (err)
		close_split(d, f);
	return err;
}

int files__reopen(struct dwarf *d, uint32_t file_nr)
{
	struct info_file *f = d->files[file_nr];

	return f->ready ? 0 : make_ready(d, f);
}

/* The unit of a file that belongs to a skeleton: it has the same id. */
static struct unit *unit_of(struct dwarf *d, struct info_file *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		struct unit *u = &f->units[i];

		if (u->type == DW_UT_split_type || unit__look(f, u, &d->bytes))
			continue;
		if (u->kind.version >= 5 ? u->dwo_id == f->skeleton.dwo_id
					 : u->facts->root.dwo_id == f->skeleton.dwo_id)
			return u;
	}
	return NULL;
}

static int find_split(struct dwarf *d, uint32_t unit_nr, struct unit *skeleton, struct unit **u)
{
	struct info_file *f;
	int err;

	if (!skeleton->split) {
		if (d->nr_files == FILES_MAX)
			return -ENOSPC;
		err = add_file(d, &f);
		if (err)
			return err;
		f->split = true;
		f->skeleton = skeleton->facts->root;
		f->skeleton_unit = unit_nr;
		skeleton->split = d->nr_files - 1;
	}
	err = files__reopen(d, skeleton->split);
	if (err)
		return err;
	*u = unit_of(d, d->files[skeleton->split]);
	return *u ? 0 : -ENOENT;
}

int files__split(struct dwarf *d, uint32_t unit_nr, uint32_t *file_nr, struct unit **u)
{
	struct unit *skeleton = &d->files[FILE_MAIN]->units[unit_nr];
	int err;

	if (!skeleton->facts->root.dwo_name.form || !skeleton->facts->root.has_dwo_id)
		return 0;
	if (skeleton->split_missing)
		return -ENOENT;
	err = find_split(d, unit_nr, skeleton, u);
	if (err && err != -ENOMEM)
		skeleton->split_missing = true;
	if (!err)
		*file_nr = skeleton->split;
	return err;
}
