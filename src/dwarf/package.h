/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/package.h - the part of a package (.dwp) that belongs to one unit.
 *
 * Source: DWARF 5, section 7.3.5; for version 2 the GCC wiki, "DebugFissionDWP".
 */
#ifndef PMUTRACE_DWARF_PACKAGE_H
#define PMUTRACE_DWARF_PACKAGE_H

#include "dwarf/dwarf.h"

/* The sections of the unit with the id. False: it has none, or the index is damaged. */
bool package__find(const struct dwarf_package *p, uint64_t id, struct dwarf_split *out) must_check;

#endif
