/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/state.h - what a reader of debug information keeps: its files, and the units by address.
 */
#ifndef PMUTRACE_DWARF_STATE_H
#define PMUTRACE_DWARF_STATE_H

#include "dwarf/cover.h"
#include "dwarf/lines.h"
#include "dwarf/unit.h"

/* Numbers of files; those of split units follow. */
enum { FILE_MAIN, FILE_ALT, FILE_SPLIT };

struct dwarf {
	struct dwarf_opts opts;
	struct text text;
	struct work work;
	struct info_file **files;
	size_t nr_files, cap_files;
	struct arena kept;  /* for the covers */
	struct cover cover; /* units of FILE_MAIN by address */
	/* The same of units that do not say which addresses they have: their functions do. */
	struct cover silent_cover;
	uint32_t *silent; /* numbers of these units */
	size_t nr_silent, cap_silent;
	bool silent_are_read;
	struct line_table **lines;
	size_t nr_lines, cap_lines;
	struct idmap line_numbers; /* by offset in .debug_line */
	size_t bytes;		   /* of what was found out and can be found out again */
	size_t bytes_of_one;	   /* after the first answer since it was forgotten; 0: none yet */
};

/* The units of the program and of the alternate file. 0 or -ENOMEM; files__end() in any case. */
int files__begin(struct dwarf *d, const struct dwarf_sections *s) must_check;
void files__end(struct dwarf *d);

/* Forgets what was found out, and closes split units. */
void files__forget(struct dwarf *d);

/*
 * Where the entries of a unit are that was looked at: *u becomes its split unit if it has one, and
 * was looked at as well. 0; -ENOENT: it cannot be found; another -errno.
 */
int files__split(struct dwarf *d, uint32_t unit_nr, uint32_t *file_nr, struct unit **u) must_check;

/* Makes a file ready that may have been closed meanwhile. 0 or -errno. */
int files__reopen(struct dwarf *d, uint32_t file_nr) must_check;

/*
 * Units by address: as their root entries say; where they do not, as .debug_aranges says. 0 or
 * -ENOMEM; garbage has no addresses.
 */
int index__build(struct dwarf *d) must_check;

/*
 * Reads the functions of units that say nothing about their addresses, for an address that no other
 * unit has: once. 0 or -ENOMEM.
 */
int index__read_silent(struct dwarf *d) must_check;

#endif
