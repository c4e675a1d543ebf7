// SPDX-License-Identifier: BSD-2-Clause
/* Puts units in order of their addresses. */
#include <errno.h>
#include <stdlib.h>

#include "dwarf/constants.h"
#include "dwarf/state.h"

/* Of all units together. */
enum { UNIT_RANGES_MAX = 1 << 21 };

/* Where units overlap the shorter range counts: that of a unit with less of other ones' code. */
static int add_range(struct cover_ranges *r, uint64_t low, uint64_t high, uint32_t unit)
{
	const struct cover_range range = { low, high, UINT64_MAX - (high - low), unit };

	return r->nr == UNIT_RANGES_MAX ? -E2BIG : cover_ranges__add(r, range);
}

/* *is_silent: it may have functions, and does not say where. */
static int add_unit(struct dwarf *d, uint32_t unit, struct cover_ranges *to, bool *has_addresses,
		    bool *is_silent)
{
	const struct info_file *f = d->files[FILE_MAIN];
	struct abbrevs abbrevs;
	struct ranges ranges;
	struct root root;
	uint64_t low, high;
	struct die die;
	int err;

	if (f->units[unit].type == DW_UT_type)
		return 0;
	err = unit__read_root(f, &f->units[unit], &d->work, &abbrevs, &die, &root);
	if (err)
		return err;
	*has_addresses = root.has_addresses;
	*is_silent = !root.has_addresses && !root.dwo_name.form && die.abbrev->children &&
		     die.abbrev->tag == DW_TAG_compile_unit;
	ranges__begin(&ranges, &root.bases, &d->text, &die);
	while (!err && ranges__next(&ranges, &low, &high))
		err = work__take(&d->work, 1) ? add_range(to, low, high, unit) : -E2BIG;
	abbrevs__free(&abbrevs);
	return err;
}

/* One unit's part of .debug_aranges. False: damaged. */
static int add_set(struct dwarf *d, struct dwarf_cursor *c, const bool *has_addresses,
		   bool *has_aranges, struct cover_ranges *to)
{
	const struct info_file *f = d->files[FILE_MAIN];
	uint64_t start = cursor__offset(c), len, at, low, bytes;
	uint8_t offset_bytes, address_bytes;
	const struct unit *u;
	struct dwarf_cursor set;
	int err = 0;

	if (!cursor__take_length(c, &len, &offset_bytes) || len > cursor__left(c))
		return -EINVAL;
	set = cursor__at(c->section, cursor__offset(c), cursor__offset(c) + len);
	cursor__skip(c, len);
	take_number(&set, 2); /* version */
	at = take_number(&set, offset_bytes);
	address_bytes = take_u8(&set);
	take_u8(&set); /* the size of segment selectors: there are none */
	if (set.over || (address_bytes != 4 && address_bytes != 8))
		return 0;
	u = info_file__unit(f, at + (offset_bytes == 8 ? 24 : 12));
	if (!u || u->at != at || has_addresses[u - f->units])
		return 0;
	has_aranges[u - f->units] = true;
	/* Pairs begin where an address and a length could be one behind the other. */
	bytes = (cursor__offset(&set) - start) % (2 * address_bytes);
	cursor__skip(&set, bytes ? 2 * address_bytes - bytes : 0);
	while (!err && cursor__left(&set) && work__take(&d->work, 1)) {
		low = take_number(&set, address_bytes);
		bytes = take_number(&set, address_bytes);
		if (set.over || !bytes || low < d->text.low || low >= d->text.high)
			continue;
		err = add_range(to, low, low + bytes < low ? UINT64_MAX : low + bytes,
				u - f->units);
	}
	return err;
}

static int add_aranges(struct dwarf *d, const bool *has_addresses, bool *has_aranges,
		       struct cover_ranges *to)
{
	const struct dwarf_section *s = &d->files[FILE_MAIN]->sections.aranges;
	struct dwarf_cursor c = cursor__at(s, 0, s->len);
	int err = 0;

	while (!err && cursor__left(&c) && !c.over)
		err = add_set(d, &c, has_addresses, has_aranges, to);
	return err;
}

static int add_silent(struct dwarf *d, uint32_t unit)
{
	int err = array__grow(&d->silent, &d->cap_silent, d->nr_silent + 1);

	if (!err)
		d->silent[d->nr_silent++] = unit;
	return err;
}

/* What is known of each unit: of all of them, one behind the other. */
struct known {
	bool *has_addresses, *is_silent, *has_aranges;
};

static int build(struct dwarf *d, const struct known *k, struct cover_ranges *ranges)
{
	const size_t nr = d->files[FILE_MAIN]->nr;
	int err = 0;

	for (size_t i = 0; i < nr && err != -ENOMEM; i++)
		err = add_unit(d, i, ranges, &k->has_addresses[i], &k->is_silent[i]);
	if (err != -ENOMEM)
		err = add_aranges(d, k->has_addresses, k->has_aranges, ranges);
	for (size_t i = 0; i < nr && err != -ENOMEM; i++)
		if (k->is_silent[i] && !k->has_aranges[i])
			err = add_silent(d, i);
	return err == -ENOMEM ? err : cover__build(&d->cover, ranges, &d->kept);
}

int index__build(struct dwarf *d)
{
	const size_t nr = d->files[FILE_MAIN]->nr;
	bool *of_units = calloc(3, nr + 1);
	struct cover_ranges ranges = {};
	int err = -ENOMEM;

	if (of_units) {
		const struct known k = { of_units, of_units + nr, of_units + 2 * nr };

		err = build(d, &k, &ranges);
	}
	cover_ranges__free(&ranges);
	free(of_units);
	return err;
}

/* What is not known for lack of work or room is left out. */
static int add_functions(struct dwarf *d, uint32_t unit, struct cover_ranges *to)
{
	struct info_file *f = d->files[FILE_MAIN];
	struct unit *u = &f->units[unit];
	const struct cover *c;
	struct dwarf_function *none;
	int err = unit__look(f, u, &d->bytes);

	if (!err) /* no function is there: all of them are read to find that out */
		err = unit_functions__find(f, u, &d->text, UINT64_MAX, &d->work, &d->bytes, &none);
	if (err && err != -ENOENT)
		return err;
	c = &u->facts->functions.cover;
	err = 0;
	for (size_t i = 0; i + 1 < c->nr && !err; i++)
		if (c->ids[i] != COVER_NONE)
			err = add_range(to, c->starts[i], c->starts[i + 1], unit);
	return err;
}

int index__read_silent(struct dwarf *d)
{
	struct cover_ranges ranges = {};
	int err = 0;

	d->silent_are_read = true;
	for (size_t i = 0; i < d->nr_silent && err != -ENOMEM; i++)
		err = add_functions(d, d->silent[i], &ranges);
	if (err != -ENOMEM)
		err = cover__build(&d->silent_cover, &ranges, &d->kept);
	cover_ranges__free(&ranges);
	return err;
}
