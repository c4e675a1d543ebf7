// SPDX-License-Identifier: BSD-2-Clause
/* Looks up units in .debug_cu_index: a hash table of ids, and a table of offsets and sizes. */
#include "dwarf/package.h"

#include "dwarf/constants.h"
#include "dwarf/cursor.h"

enum { HEADER_BYTES = 16 };

struct index {
	const struct dwarf_section *s;
	uint32_t nr_columns, nr_units, nr_slots;
	uint64_t rows, columns, offsets, sizes; /* where they begin */
};

static bool read_index(const struct dwarf_section *s, struct index *x)
{
	struct dwarf_cursor c = cursor__at(s, 0, s->len);
	uint64_t version = take_number(&c, 4);

	/* Since DWARF 5 the version has two bytes, and two zeros follow. */
	if (version != 2 && version != 5)
		return false;
	x->s = s;
	x->nr_columns = take_number(&c, 4);
	x->nr_units = take_number(&c, 4);
	x->nr_slots = take_number(&c, 4);
	if (c.over || !x->nr_slots || x->nr_slots & (x->nr_slots - 1) || x->nr_columns > 16)
		return false;
	x->rows = HEADER_BYTES + 8ull * x->nr_slots;
	x->columns = x->rows + 4ull * x->nr_slots;
	x->offsets = x->columns + 4ull * x->nr_columns;
	x->sizes = x->offsets + 4ull * x->nr_columns * x->nr_units;
	return true;
}

/* The row of an id, from 0. */
static bool find_row(const struct index *x, uint64_t id, uint32_t *row)
{
	const uint64_t mask = x->nr_slots - 1, step = ((id >> 32) & mask) | 1;
	uint64_t slot = id & mask, other, number;

	for (uint32_t tries = 0; tries < x->nr_slots; tries++, slot = (slot + step) & mask) {
		if (!dwarf_section__number(x->s, HEADER_BYTES + 8 * slot, 8, &other) ||
		    !dwarf_section__number(x->s, x->rows + 4 * slot, 4, &number) || !number)
			return false;
		if (other == id && number <= x->nr_units) {
			*row = number - 1;
			return true;
		}
	}
	return false;
}

/* The section of @whole that a column stands for. */
static struct dwarf_section *section_of(struct dwarf_split *whole, uint64_t column)
{
	switch (column) {
	case DW_SECT_INFO:
		return &whole->info;
	case DW_SECT_ABBREV:
		return &whole->abbrev;
	case DW_SECT_LINE:
		return &whole->line;
	case DW_SECT_STR_OFFSETS:
		return &whole->str_offsets;
	case DW_SECT_RNGLISTS:
		return &whole->rnglists;
	default:
		return NULL;
	}
}

bool package__find(const struct dwarf_package *p, uint64_t id, struct dwarf_split *out)
{
	uint64_t column, at, len;
	struct dwarf_section *part;
	struct index x;
	uint32_t row;

	if (!read_index(&p->index, &x) || !find_row(&x, id, &row))
		return false;
	*out = p->sections;
	for (uint32_t i = 0; i < x.nr_columns; i++) {
		const uint64_t cell = 4 * ((uint64_t)row * x.nr_columns + i);

		if (!dwarf_section__number(x.s, x.columns + 4ull * i, 4, &column) ||
		    !dwarf_section__number(x.s, x.offsets + cell, 4, &at) ||
		    !dwarf_section__number(x.s, x.sizes + cell, 4, &len))
			return false;
		part = section_of(out, column);
		if (part)
			*part = dwarf_section__part(part, at, len);
	}
	return true;
}
