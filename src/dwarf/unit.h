/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/unit.h - units of .debug_info: their headers, and what their root entries say.
 *
 * Source: DWARF 5, sections 3.1 and 7.5.1.
 */
#ifndef PMUTRACE_DWARF_UNIT_H
#define PMUTRACE_DWARF_UNIT_H

#include "base/idmap.h"
#include "dwarf/die.h"
#include "dwarf/functions.h"
#include "dwarf/lines.h"
#include "dwarf/ranges.h"

/*
 * Work that may still be done, in entries: the answer to one address must not keep us busy, and no
 * more must all addresses together. Each entry that is looked at takes one. And memory for it.
 */
struct work {
	uint64_t left;
	struct arena found; /* until it is all forgotten */
	struct functions_scratch functions;
	struct line_scratch lines;
};

static inline bool work__take(struct work *w, uint64_t nr)
{
	if (w->left < nr)
		return false;
	w->left -= nr;
	return true;
}

static inline void work__end(struct work *w)
{
	arena__free(&w->found);
	functions_scratch__free(&w->functions);
	line_scratch__free(&w->lines);
}

/* What the root entry of a unit says. */
struct root {
	struct bases bases;
	struct value name, comp_dir, dwo_name; /* form 0: it has none */
	uint64_t stmt_list;
	uint64_t dwo_id;
	uint64_t ranges_base; /* of a skeleton: for its split unit's entries, not for its own */
	bool has_lines, has_dwo_id;
	bool has_addresses; /* it says which ones */
};

/* What was found out about a unit. */
struct unit_facts {
	const struct abbrevs *abbrevs; /* the file's */
	struct root root;
	struct unit_functions functions;
};

struct unit {
	uint64_t at;   /* offset of its header */
	uint64_t dies; /* of its root entry */
	uint64_t end;
	uint64_t abbrevs_at;
	uint64_t dwo_id; /* of the header */
	struct unit_kind kind;
	uint8_t type;
	bool split_missing;
	uint32_t split;		  /* number of the file that has its entries; 0: not looked for */
	struct unit_facts *facts; /* NULL: not looked at */
};

/* A set of sections that refer to each other: the program's, the alternate file's, a .dwo's. */
struct info_file {
	struct dwarf_sections sections;
	struct unit *units; /* by offset */
	size_t nr, cap;
	struct idmap abbrev_numbers; /* by offset in .debug_abbrev and kind */
	struct abbrevs **abbrevs;
	size_t nr_abbrevs, cap_abbrevs;
	bool split;
	/* Of a split unit: what its skeleton says, and where that is. */
	struct root skeleton;
	uint32_t skeleton_unit;
	struct dwarf_split from;
	bool opened; /* by open_split() */
	bool ready;  /* the units are there */
};

/* Reads the headers of all units. 0 (garbage has none) or -ENOMEM. */
int info_file__read_units(struct info_file *f) must_check;

/* Forgets what was found out: all but the units. */
void info_file__forget(struct info_file *f);
void info_file__free(struct info_file *f);

/* The unit that has the entry at an offset, or NULL. */
struct unit *info_file__unit(const struct info_file *f, uint64_t at);

/*
 * Reads the root entry with what of the abbreviations it takes: for a look at a unit that nothing
 * else is wanted of. *die is the entry; its abbreviation is not to be used afterwards but for
 * die__has(), up to abbrevs__free(@abbrevs). 0; -EINVAL; -ENOENT; -EFBIG; -ENOMEM.
 */
int unit__read_root(const struct info_file *f, const struct unit *u, struct work *work,
		    struct abbrevs *abbrevs, struct die *die, struct root *root) must_check;

/* Makes u->facts; *bytes grows by the memory that they take. 0 or -errno, also as before. */
int unit__look(struct info_file *f, struct unit *u, size_t *bytes) must_check;

#endif
