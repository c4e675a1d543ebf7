/* SPDX-License-Identifier: BSD-2-Clause */
/* print/cell.h - text cut and padded to columns of a terminal, and the marks of frames. */
#ifndef PMUTRACE_PRINT_CELL_H
#define PMUTRACE_PRINT_CELL_H

#include <stddef.h>

#include "model/profile.h"
#include "print/writer.h"

/* ANSI attributes of a terminal. */
#define CELL_BOLD   "\033[1m"
#define CELL_DIM    "\033[2m"
#define CELL_KERNEL "\033[36m"
#define CELL_PLAIN  "\033[0m"

/*
 * For text that does not go to a terminal, whose width is unknown: names of C++ templates can have
 * 10,000 letters. CELL_LONG: they are cut to this many columns. CELL_PADDED: columns are padded to
 * this at most, so that a longer name shifts only its own line. JSON, CSV and folded stacks have
 * names whole.
 */
enum { CELL_LONG = 256, CELL_PADDED = 64 };

/* Columns of a terminal that a text takes; one of @len bytes. */
size_t cell__width(const char *s);
size_t cell__columns(const char *s, size_t len);

/*
 * Puts @s and @mark. If both are wider than @width (0: no limit), @s is cut in its middle, as names
 * differ at both ends: "boost::asi…::run_one [k]". Returns the columns it took.
 */
size_t cell__put(struct writer *w, const char *s, const char *mark, size_t width);

/* Blanks from column @used to column @width. */
void cell__pad(struct writer *w, size_t used, size_t width);

/* " [k]" for code of the kernel, " [j]": of a JIT; " [command]"; "" for code of programs. */
const char *cell__mark(enum frame_kind kind);

#endif
