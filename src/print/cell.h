/* SPDX-License-Identifier: BSD-2-Clause */
/* print/cell.h - a text in so many columns of a line for people, and what marks a frame there. */
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
 * Where nobody knows how wide the reader's page is: names of templates have 10,000 letters, which
 * bury all else. Such a one is cut to the first; columns are padded to the second at most, so that
 * it moves only what is behind it. JSON, CSV and folded stacks have names whole.
 */
enum { CELL_LONG = 256, CELL_PADDED = 64 };

/* Columns that the text takes. */
size_t cell__width(const char *s);

/*
 * Puts @s and @mark. What is wider than @width is cut, the text rather than the mark, and in its
 * middle, as names differ at both ends: "boost::asi…::run_one [k]"; 0: nothing is. Returns the
 * columns it took.
 */
size_t cell__put(struct writer *w, const char *s, const char *mark, size_t width);

/* Blanks from column @used to column @width. */
void cell__pad(struct writer *w, size_t used, size_t width);

/* " [k]" for code of the kernel; "" for that of programs. */
const char *cell__mark(enum frame_kind kind);

#endif
