/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/section.h - a section of debug information, in memory or read in a part at a time.
 *
 * The sections of a large program have gigabytes, of which few are looked at. So a section is a
 * range of memory whose bytes need not be there before somebody calls `load` for them.
 */
#ifndef PMUTRACE_DWARF_SECTION_H
#define PMUTRACE_DWARF_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/* An absent section has no bytes. */
struct dwarf_section {
	const uint8_t *bytes;
	uint64_t len;
	/*
	 * Reads in a part of the section, wholly inside of it; of bytes that are there it does
	 * nothing. They stay there for the next hundreds of calls. False: they cannot be read.
	 * NULL: all bytes are there.
	 */
	bool (*load)(void *arg, uint64_t at, uint64_t len);
	void *arg;
	uint64_t base; /* of a part of a section: its offset there, added to what is loaded */
};

/* @len bytes from @at on; none if they are not all in the section. */
struct dwarf_section dwarf_section__part(const struct dwarf_section *s, uint64_t at, uint64_t len);

/* A string that ends inside of the section, or NULL. Its bytes are loaded, up to the NUL. */
const char *dwarf_section__string(const struct dwarf_section *s, uint64_t at);

/* An unsigned number of 1 to 8 bytes. False: it is not all there. */
bool dwarf_section__number(const struct dwarf_section *s, uint64_t at, unsigned nr_bytes,
			   uint64_t *v) must_check;

#endif
