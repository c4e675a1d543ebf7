/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/section.h - a section of debug information, in memory or read in a part at a time.
 *
 * The sections of a large program have gigabytes, of which few are looked at. So a section need not
 * be in memory: whoever reads it asks for the bytes around a place, and gets as many of them as are
 * together.
 */
#ifndef PMUTRACE_DWARF_SECTION_H
#define PMUTRACE_DWARF_SECTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/* Bytes that section.window() has together at least, if the section does not end before. */
enum { DWARF_WINDOW_MIN = 64 };

/* An absent section has no bytes. */
struct dwarf_section {
	const uint8_t *bytes; /* all of them; or NULL, and the functions below are there */
	uint64_t len;
	/*
	 * Bytes of the section from @at on, which is inside of it, and in *len how many. They stay
	 * there for the next thousands of calls. NULL: they cannot be read.
	 */
	const uint8_t *(*window)(void *arg, uint64_t at, uint64_t *len);
	/*
	 * The string at @at, as a whole. It stays there for the next three that are asked for.
	 * NULL: it has no end within @max bytes and the section, or cannot be read.
	 */
	const char *(*string)(void *arg, uint64_t at, uint64_t max);
	void *arg;
	uint64_t
		base; /* of a part of a section: its offset there, which windows are asked for by */
};

/* @len bytes from @at on; none if they are not all in the section. */
struct dwarf_section dwarf_section__part(const struct dwarf_section *s, uint64_t at, uint64_t len);

/* A string that ends inside of the section, or NULL. It stays there for the next three calls. */
const char *dwarf_section__string(const struct dwarf_section *s, uint64_t at);

/* An unsigned number of 1 to 8 bytes. False: it is not all there. */
bool dwarf_section__number(const struct dwarf_section *s, uint64_t at, unsigned nr_bytes,
			   uint64_t *v) must_check;

#endif
