// SPDX-License-Identifier: BSD-2-Clause
/* Puts units in order of their addresses. */
#include <errno.h>
#include <stdlib.h>

#include "dwarf/constants.h"
#include "dwarf/state.h"

/* Of all units together. */
enum { UNIT_RANGES_MAX = 1 << 21 };

struct unit_ranges {
	struct cover_range *all;
	size_t nr, cap;
};

/* Where units overlap the shorter range counts: that of a unit with less of other ones' code. */
static int add_range(struct unit_ranges *r, uint64_t low, uint64_t high, uint32_t unit)
{
	int err;

	if (r->nr == UNIT_RANGES_MAX)
		return -E2BIG;
	err = array__grow(&r->all, &r->cap, r->nr + 1);
	if (!err)
		r->all[r->nr++] =
			(struct cover_range){ low, high, UINT64_MAX - (high - low), unit };
	return err;
}

static int add_unit(struct dwarf *d, uint32_t unit, struct unit_ranges *to, bool *has_addresses)
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
	ranges__begin(&ranges, &root.bases, &d->text, &die);
	while (!err && ranges__next(&ranges, &low, &high))
		err = work__take(&d->work, 1) ? add_range(to, low, high, unit) : -E2BIG;
	abbrevs__free(&abbrevs);
	return err;
}

/* One unit's part of .debug_aranges. False: damaged. */
static int add_set(struct dwarf *d, struct dwarf_cursor *c, const bool *has_addresses,
		   struct unit_ranges *to)
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

static int add_aranges(struct dwarf *d, const bool *has_addresses, struct unit_ranges *to)
{
	const struct dwarf_section *s = &d->files[FILE_MAIN]->sections.aranges;
	struct dwarf_cursor c = cursor__at(s, 0, s->len);
	int err = 0;

	while (!err && cursor__left(&c) && !c.over)
		err = add_set(d, &c, has_addresses, to);
	return err;
}

int index__build(struct dwarf *d)
{
	const struct info_file *f = d->files[FILE_MAIN];
	bool *has_addresses = calloc(f->nr + 1, sizeof(*has_addresses));
	struct unit_ranges ranges = {};
	int err = has_addresses ? 0 : -ENOMEM;

	for (size_t i = 0; i < f->nr && err != -ENOMEM; i++)
		err = add_unit(d, i, &ranges, &has_addresses[i]);
	if (err != -ENOMEM)
		err = add_aranges(d, has_addresses, &ranges);
	if (err != -ENOMEM)
		err = cover__build(&d->cover, ranges.all, ranges.nr);
	free(ranges.all);
	free(has_addresses);
	return err;
}
