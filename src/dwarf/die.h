/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/die.h - entries of .debug_info (DIEs), and what the values of their attributes mean.
 *
 * Knows: forms of DWARF 2 to 5, and GNU's of DWARF 4.
 * Source: DWARF 5, section 7.5.
 */
#ifndef PMUTRACE_DWARF_DIE_H
#define PMUTRACE_DWARF_DIE_H

#include "dwarf/abbrevs.h"
#include "dwarf/dwarf.h"

/* As it is written: an index is not looked up yet. An inline string is its place in the section. */
struct value {
	uint64_t v;
	uint16_t form;
};

struct die {
	uint64_t at;		       /* offset in the section */
	const struct abbrev *abbrev;   /* NULL: the end of a row of siblings */
	struct value values[NR_ATTRS]; /* of those that it has */
};

static inline bool die__has(const struct die *die, enum attr attr)
{
	return die->abbrev->has & 1u << attr;
}

/* The value at the cursor, as an attribute of an entry is written. */
struct value value__take(struct dwarf_cursor *c, const struct abbrev_attr *attr,
			 const struct unit_kind *kind);

/* Reads the entry at the cursor, which is behind its attributes then. False: damaged. */
bool die__read(struct die *out, struct dwarf_cursor *c, const struct abbrevs *abbrevs) must_check;

/* The same of an entry at @at whose abbreviation's code was read: of its attributes. */
bool die__read_values(struct die *out, struct dwarf_cursor *c, const struct abbrevs *abbrevs,
		      const struct abbrev *abbrev, uint64_t at) must_check;

/* Passes over the attributes of an entry whose abbreviation was read. */
void die__skip(struct dwarf_cursor *c, const struct abbrevs *abbrevs, const struct abbrev *abbrev);

/*
 * The offset of the next sibling, where the entry has children and tells; or 0. It lies behind the
 * cursor: no loop comes of it.
 */
uint64_t die__sibling(const struct die *die, const struct dwarf_cursor *c, uint64_t unit_at);

/* What the values of a unit's entries are relative to. */
struct bases {
	const struct dwarf_sections *sections;
	const struct dwarf_section *addresses; /* .debug_addr: the program's, for a .dwo as well */
	struct unit_kind kind;
	bool split;	      /* a unit of a .dwo */
	uint64_t unit_at;     /* where references within the unit begin */
	uint64_t str_offsets; /* bases of the unit in these sections */
	uint64_t addr;
	uint64_t rnglists;
	uint64_t ranges;
	uint64_t low_pc; /* what offsets in lists of ranges are added to */
};

/* The i-th address of .debug_addr. */
bool bases__address(const struct bases *b, uint64_t i, uint64_t *addr) must_check;

/* False: the value is none of this kind, or leads nowhere. */
bool value__address(const struct bases *b, const struct value *v, uint64_t *addr) must_check;
const char *value__string(const struct bases *b, const struct value *v); /* or NULL */

/* An entry that is referred to. @in_alt: it is in the file that several share (dwz -m). */
bool value__reference(const struct bases *b, const struct value *v, uint64_t *at,
		      bool *in_alt) must_check;

#endif
