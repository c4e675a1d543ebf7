// SPDX-License-Identifier: BSD-2-Clause
/* Answers for an address: its unit, its function, what is inlined there, and its line. */
#include "dwarf/dwarf.h"

#include <errno.h>
#include <stdlib.h>

#include "dwarf/constants.h"
#include "dwarf/state.h"

enum {
	HOPS_MAX = 16, /* from an entry to the one that has its name */
	OFFSET_BITS = 40,
};

/* Whole programs take less; and what garbage takes is over within seconds. */
#define WORK_AT_FIRST  (512ull << 20)
#define WORK_AN_ANSWER (64ull << 10)

static uint64_t name_key(const struct dwarf *d, uint32_t file, uint64_t at)
{
	return at >> OFFSET_BITS ? 0 : (uint64_t)(file + 1) << OFFSET_BITS | at;
}

int dwarf__open(struct dwarf **out, const struct dwarf_sections *s, const struct dwarf_opts *opts)
{
	struct dwarf *d;
	int err;

	*out = NULL;
	if (!s->info.len || !s->abbrev.len)
		return -ENOENT;
	d = calloc(1, sizeof(*d));
	if (!d)
		return -ENOMEM;
	d->opts = *opts;
	d->text = (struct text){ opts->text_low, opts->text_high };
	d->work.left = WORK_AT_FIRST;
	err = files__begin(d, s);
	if (!err)
		err = index__build(d);
	if (err) {
		dwarf__close(d);
		return err;
	}
	*out = d;
	return 0;
}

static void forget_lines(struct dwarf *d)
{
	for (size_t i = 0; i < d->nr_lines; i++) {
		if (d->lines[i])
			line_table__free(d->lines[i]);
		free(d->lines[i]);
	}
	d->nr_lines = 0;
	idmap__clear(&d->line_numbers);
}

static void forget(struct dwarf *d)
{
	files__forget(d);
	forget_lines(d);
	arena__free(&d->work.found);
	d->bytes = 0;
	d->bytes_of_one = 0;
}

/*
 * At the beginning of each answer. If one answer alone takes nearly all there is room for, it is
 * kept all the same: else each one would begin anew.
 */
static void begin_answer(struct dwarf *d)
{
	if (d->bytes > d->opts.max_bytes && d->bytes / 2 > d->bytes_of_one)
		forget(d);
	d->work.left += d->work.left < WORK_AT_FIRST ? WORK_AN_ANSWER : 0;
}

static void end_answer(struct dwarf *d)
{
	if (!d->bytes_of_one)
		d->bytes_of_one = d->bytes;
}

void dwarf__close(struct dwarf *d)
{
	if (!d)
		return;
	files__end(d);
	forget_lines(d);
	free(d->lines);
	idmap__free(&d->line_numbers);
	arena__free(&d->kept);
	free(d->silent);
	work__end(&d->work);
	free(d);
}

/* The line table of a unit, or NULL. One that is damaged is not read again. */
static int find_lines(struct dwarf *d, const struct root *root, struct line_table **out)
{
	struct line_table *t;
	uint32_t number;
	int err;

	*out = NULL;
	if (!root->has_lines)
		return 0;
	if (idmap__get(&d->line_numbers, root->stmt_list, &number)) {
		*out = d->lines[number];
		return 0;
	}
	err = array__grow(&d->lines, &d->cap_lines, d->nr_lines + 1);
	if (err)
		return err;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	err = line_table__read(t, &root->bases, root->stmt_list, &d->text, &d->work);
	if (err) {
		free(t);
		t = NULL;
	}
	if (err == -ENOMEM)
		return err;
	err = idmap__set(&d->line_numbers, root->stmt_list, d->nr_lines);
	d->lines[d->nr_lines++] = t;
	d->bytes += t ? sizeof(*t) + line_table__bytes(t) : 0;
	*out = t;
	return err;
}

static int add_frame(struct dwarf_chain *to, struct dwarf_frame frame)
{
	int err = array__grow(&to->frames, &to->cap, to->nr + 1);

	if (!err)
		to->frames[to->nr++] = frame;
	return err;
}

/* A place in the unit's files. */
static void set_place(struct dwarf_frame *frame, uint32_t unit, uint32_t file, uint32_t line)
{
	frame->path = (uint64_t)(unit + 1) << 32 | file;
	frame->line = line;
}

/* The function, and what is inlined at the address: each frame's place is known before its name. */
static int add_functions(struct dwarf *d, uint32_t file_nr, struct unit *u, uint64_t addr,
			 uint32_t unit_nr, struct dwarf_frame place, struct dwarf_chain *out)
{
	struct info_file *file = d->files[file_nr];
	const struct inlined_call *call;
	struct dwarf_function *fn;
	uint32_t i;
	int err;

	err = unit_functions__find(file, u, &d->text, addr, &d->work, &d->bytes, &fn);
	if (!err)
		err = unit_function__read_calls(file, u, &d->text, fn, &d->work, &d->bytes);
	if (err)
		return err;
	i = fn->calls ? cover__find(&fn->calls->cover, addr) : COVER_NONE;
	for (; i != COVER_NONE && !err; i = call->parent) {
		call = &fn->calls->all[i];
		place.name = name_key(d, call->in_alt ? FILE_ALT : file_nr, call->function);
		place.inlined = true;
		err = add_frame(out, place);
		set_place(&place, unit_nr, call->call_file, call->call_line);
	}
	place.name = name_key(d, file_nr, fn->at);
	place.inlined = false;
	return err ? err : add_frame(out, place);
}

/* The number of the unit, or COVER_NONE. 0 or -ENOMEM. */
static int find_unit(struct dwarf *d, uint64_t addr, uint32_t *unit_nr)
{
	int err = 0;

	*unit_nr = cover__find(&d->cover, addr);
	if (*unit_nr != COVER_NONE || !d->nr_silent)
		return 0;
	if (!d->silent_are_read)
		err = index__read_silent(d);
	if (!err)
		*unit_nr = cover__find(&d->silent_cover, addr);
	return err;
}

static int find(struct dwarf *d, uint64_t addr, struct dwarf_chain *out)
{
	uint32_t unit_nr, file_nr = FILE_MAIN;
	struct dwarf_frame place = {};
	struct line_state row;
	struct line_table *lines;
	struct unit *u;
	int err = find_unit(d, addr, &unit_nr);

	out->nr = 0;
	if (err || unit_nr == COVER_NONE)
		return err ? err : -ENOENT;
	u = &d->files[FILE_MAIN]->units[unit_nr];
	err = unit__look(d->files[FILE_MAIN], u, &d->bytes);
	if (!err)
		err = find_lines(d, &u->facts->root, &lines);
	if (err)
		return err;
	if (lines && line_table__find(lines, addr, &row))
		set_place(&place, unit_nr, row.file, row.line);
	err = files__split(d, unit_nr, &file_nr, &u);
	if (!err)
		err = add_functions(d, file_nr, u, addr, unit_nr, place, out);
	if (err && err != -ENOMEM)
		err = 0;
	if (!err && !out->nr && place.path)
		err = add_frame(out, place);
	return err || out->nr ? err : -ENOENT;
}

int dwarf__find(struct dwarf *d, uint64_t addr, struct dwarf_chain *out)
{
	int err;

	begin_answer(d);
	err = find(d, addr, out);
	/* There may be less memory than was allowed: once more with what the others took. */
	if (err == -ENOMEM && d->bytes) {
		forget(d);
		err = find(d, addr, out);
	}
	end_answer(d);
	return err && err != -ENOMEM ? -ENOENT : err;
}

/* The entry at an offset, and what its unit's values are relative to. */
static bool read_at(struct dwarf *d, uint32_t file_nr, uint64_t at, struct die *die,
		    const struct bases **bases)
{
	struct info_file *file = d->files[file_nr];
	struct unit *u = info_file__unit(file, at);
	struct dwarf_cursor c;

	if (!u || unit__look(file, u, &d->bytes))
		return false;
	c = cursor__at(&file->sections.info, at, u->end);
	*bases = &u->facts->root.bases;
	return die__read(die, &c, u->facts->abbrevs) && die->abbrev;
}

/* To the entry that another one is of: its abstract origin, or else what it specifies. */
static bool to_origin(const struct die *die, const struct bases *bases, uint32_t *file_nr,
		      uint64_t *at)
{
	bool in_alt;

	if (!die__has(die, ATTR_ORIGIN) ||
	    !value__reference(bases, &die->values[ATTR_ORIGIN], at, &in_alt))
		return false;
	*file_nr = in_alt ? FILE_ALT : *file_nr;
	return true;
}

/* Follows an entry's origins up to a name of the linker's; otherwise the first plain one counts. */
static const char *find_name(struct dwarf *d, uint32_t file_nr, uint64_t at)
{
	const char *plain = NULL, *linkage;
	const struct bases *bases;
	struct die die;

	for (int hops = 0; hops < HOPS_MAX && read_at(d, file_nr, at, &die, &bases); hops++) {
		linkage = NULL;
		if (die__has(&die, ATTR_LINKAGE_NAME))
			linkage = value__string(bases, &die.values[ATTR_LINKAGE_NAME]);
		if (linkage && *linkage)
			return linkage;
		if (!plain && die__has(&die, ATTR_NAME))
			plain = value__string(bases, &die.values[ATTR_NAME]);
		if (!to_origin(&die, bases, &file_nr, &at))
			break;
	}
	return plain && *plain ? plain : NULL;
}

/* The same of the line of its definition: the first one counts. */
static uint32_t find_start_line(struct dwarf *d, uint32_t file_nr, uint64_t at)
{
	const struct bases *bases;
	struct die die;

	for (int hops = 0; hops < HOPS_MAX && read_at(d, file_nr, at, &die, &bases); hops++) {
		if (die__has(&die, ATTR_DECL_LINE))
			return die.values[ATTR_DECL_LINE].v;
		if (!to_origin(&die, bases, &file_nr, &at))
			break;
	}
	return 0;
}

uint32_t dwarf__start_line(struct dwarf *d, uint64_t name)
{
	const uint64_t at = name & ((1ull << OFFSET_BITS) - 1);
	const uint64_t file_nr = (name >> OFFSET_BITS) - 1;
	uint32_t line;

	begin_answer(d);
	if (file_nr >= d->nr_files || files__reopen(d, file_nr))
		return 0;
	line = find_start_line(d, file_nr, at);
	end_answer(d);
	return line;
}

const char *dwarf__name(struct dwarf *d, uint64_t name)
{
	const uint64_t at = name & ((1ull << OFFSET_BITS) - 1);
	const uint64_t file_nr = (name >> OFFSET_BITS) - 1;
	const char *found;

	begin_answer(d);
	if (file_nr >= d->nr_files || files__reopen(d, file_nr))
		return NULL;
	found = find_name(d, file_nr, at);
	end_answer(d);
	return found;
}

int dwarf__path(struct dwarf *d, uint64_t path, struct buf *out)
{
	struct info_file *file = d->files[FILE_MAIN];
	const uint64_t unit_nr = (path >> 32) - 1;
	const char *comp_dir = NULL;
	struct line_table *lines;
	struct root *root;
	int err;

	if (unit_nr >= file->nr)
		return -ENOENT;
	begin_answer(d);
	err = unit__look(file, &file->units[unit_nr], &d->bytes);
	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	root = &file->units[unit_nr].facts->root;
	err = find_lines(d, root, &lines);
	if (err || !lines)
		return err ? err : -ENOENT;
	if (root->comp_dir.form)
		comp_dir = value__string(&root->bases, &root->comp_dir);
	err = line_table__path(lines, path, comp_dir, out);
	end_answer(d);
	return err;
}

size_t dwarf__bytes(const struct dwarf *d)
{
	return d->bytes + cover__bytes(&d->cover) + cover__bytes(&d->silent_cover) +
	       d->cap_silent * sizeof(*d->silent) +
	       d->files[FILE_MAIN]->cap * sizeof(*d->files[FILE_MAIN]->units);
}
