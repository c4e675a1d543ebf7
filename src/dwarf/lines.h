/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/lines.h - line tables: the line of an address, and the names of source files.
 *
 * A line program is run once when its table is made. Kept is the state of its machine at every few
 * rows, by address; to find a row, the program is run again from there. That takes a thirtieth of
 * the memory of all rows.
 * Source: DWARF 5, section 6.2.
 */
#ifndef PMUTRACE_DWARF_LINES_H
#define PMUTRACE_DWARF_LINES_H

#include "base/buf.h"
#include "dwarf/cursor.h"
#include "dwarf/die.h"
#include "dwarf/ranges.h"

struct work;

/* What a row of the table says, and all that a line program changes. */
struct line_state {
	uint64_t addr;
	uint32_t file, line;
	uint8_t op_index; /* in a VLIW instruction */
	bool ends;	  /* the row ends a sequence: nothing is known from addr on */
};

/* The state at a row, and where the program goes on behind it. */
struct line_mark {
	struct line_state row;
	uint64_t next;
};

struct line_file {
	struct value name; /* form 0: there is no such file */
	uint64_t dir;
};

struct line_table {
	struct bases bases;
	uint64_t program, end;	    /* offsets */
	uint8_t min_bytes, max_ops; /* of an instruction */
	int8_t line_base;
	uint8_t line_range;
	uint8_t opcode_base;
	uint8_t nr_operands[256]; /* of standard opcodes */
	uint8_t operations[256];  /* that special opcodes advance by; none of a damaged table */
	int16_t lines[256];	  /* the same of lines */
	struct line_file *files;
	struct value *dirs;
	size_t nr_files, cap_files, nr_dirs, cap_dirs;
	struct line_mark *marks; /* by address */
	size_t nr_marks;
};

/* Memory for the marks of one table, and to sort them: it serves the next one, too. */
struct line_scratch {
	struct line_mark *all, *spare;
	size_t nr, cap, cap_spare;
};

/**
 * line_table__read() - run a line program
 * @bases: of a unit that refers to it, for strings and the size of addresses; copied
 * @at:    offset in .debug_line
 * @work:  rows that may be made; what was found before it ran out is there
 *
 * Return: 0 (a damaged program ends where it is damaged); -EINVAL: no line table; -ENOMEM. To be
 * freed after 0 only.
 */
int line_table__read(struct line_table *out, const struct bases *bases, uint64_t at,
		     const struct text *text, struct work *work) must_check;
void line_table__free(struct line_table *t);
void line_scratch__free(struct line_scratch *s);

/* The row of an address. False: there is none. */
bool line_table__find(const struct line_table *t, uint64_t addr, struct line_state *row);

/*
 * Appends the path of a file. @comp_dir: of the unit, or NULL.
 * 0; -ENOENT: there is no such file; -ENOMEM.
 */
int line_table__path(const struct line_table *t, uint32_t file, const char *comp_dir,
		     struct buf *out) must_check;

/* Memory that it takes. */
size_t line_table__bytes(const struct line_table *t);

#endif
