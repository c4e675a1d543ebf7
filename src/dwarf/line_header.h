/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dwarf/line_header.h - headers of line tables: parameters of the program, directories and files.
 *
 * Source: DWARF 5, section 6.2.4; DWARF 4, section 6.2.4.
 */
#ifndef PMUTRACE_DWARF_LINE_HEADER_H
#define PMUTRACE_DWARF_LINE_HEADER_H

#include "dwarf/lines.h"

/* Fills in all but the marks. 0; -EINVAL; -ENOMEM: what was read is to be freed as well. */
int line_header__read(struct line_table *t, uint64_t at) must_check;

/* DW_LNE_define_file, from behind its opcode. 0 or -ENOMEM. */
int line_header__define_file(struct line_table *t, struct dwarf_cursor *c) must_check;

#endif
