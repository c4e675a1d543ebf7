/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/dwarf.h - where an address comes from: its line, and the functions inlined there.
 *
 * Knows: .debug_info of DWARF 2 to 5, 32 and 64 bit, little-endian; line tables; units that share
 *   entries through an alternate file (dwz); units whose entries are in a .dwo or a .dwp file.
 * Does not know: files, ELF, demangling, types, variables.
 * Source: DWARF 5; for GNU's extensions of DWARF 4 the GCC wiki, "DebugFission".
 *
 * The bytes are a stranger's. Whatever they say, an answer takes bounded memory and time; garbage
 * costs names and lines, nothing else.
 *
 * Units, functions and scopes are looked at when an address in them is first asked for. What was
 * found out is kept up to a bound, and then found out again.
 */
#ifndef PMUTRACE_DWARF_DWARF_H
#define PMUTRACE_DWARF_DWARF_H

#include "base/buf.h"
#include "dwarf/section.h"

struct dwarf;

/* All borrowed until dwarf__close(). */
struct dwarf_sections {
	struct dwarf_section info, abbrev, line, str, line_str, str_offsets, addr, ranges, rnglists,
		aranges;
	struct dwarf_section alt_info, alt_abbrev, alt_str, alt_line_str; /* .gnu_debugaltlink */
};

/* The sections of a split unit: .debug_*.dwo. */
struct dwarf_split {
	struct dwarf_section info, abbrev, line, str, str_offsets, rnglists;
	void *token; /* the caller's */
};

/* A package of split units. Its index is .debug_cu_index. */
struct dwarf_package {
	struct dwarf_section index;
	struct dwarf_split sections;
};

struct dwarf_opts {
	/* Where the program has code; what begins elsewhere was left out by the linker. */
	uint64_t text_low, text_high;
	/* Memory for what was found out: exceeded by what one answer takes. */
	size_t max_bytes;
	const struct dwarf_package *package; /* or NULL; borrowed */
	/*
	 * Finds the .dwo file of a unit. 0, or -errno: the unit has no functions then. NULL: there
	 * are none. What is found is given to close_split() at the latest by dwarf__close().
	 */
	int (*open_split)(void *arg, const char *comp_dir, const char *name, uint64_t id,
			  struct dwarf_split *out);
	void (*close_split)(void *arg, struct dwarf_split *split);
	void *arg;
};

/**
 * dwarf__open() - find out which units there are, and which addresses they have
 *
 * Return: 0; -ENOENT: there is no debug information; -ENOMEM.
 */
int dwarf__open(struct dwarf **out, const struct dwarf_sections *s,
		const struct dwarf_opts *opts) must_check;
void dwarf__close(struct dwarf *d);

/* One function that an address is in. */
struct dwarf_frame {
	uint64_t name; /* for dwarf__name(); equal ones are equal functions. 0: not known */
	uint64_t path; /* for dwarf__path(); equal ones are equal files. 0: not known */
	uint32_t line; /* 0: not known */
	bool inlined;  /* into the next frame */
};

/* Zero-initialise it; used again and again. */
struct dwarf_chain {
	struct dwarf_frame *frames; /* the innermost first */
	size_t nr, cap;
};

/**
 * dwarf__find() - the functions that an address is in, and their lines
 *
 * The line of the innermost function is the address's own, that of an outer one where the next
 * inner one was called. A function may be unknown where a line is known: one frame then.
 *
 * Return: 0; -ENOENT: nothing is known of the address; -ENOMEM.
 */
int dwarf__find(struct dwarf *d, uint64_t addr, struct dwarf_chain *out) must_check;

/*
 * The name that the linker knows, or if the function has none, its plain name; NULL: it has none.
 * Until the next call of a function here.
 */
const char *dwarf__name(struct dwarf *d, uint64_t name);

/* The line at which the function of this name begins; 0: not known. */
uint32_t dwarf__start_line(struct dwarf *d, uint64_t name);

/* Appends the path of a source file: absolute if the unit says where it was compiled. 0; -ENOENT;
 * -ENOMEM. */
int dwarf__path(struct dwarf *d, uint64_t path, struct buf *out) must_check;

/* Memory that it takes now, without the sections. */
size_t dwarf__bytes(const struct dwarf *d);

#endif
