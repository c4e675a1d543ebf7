/* SPDX-License-Identifier: BSD-2-Clause */
/* print/csvfield.h - one field of a line of comma-separated values (RFC 4180). */
#ifndef PMUTRACE_PRINT_CSVFIELD_H
#define PMUTRACE_PRINT_CSVFIELD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "print/writer.h"

/* @first: no comma before it; set to false. Quoted where it has to be. */
void csv_field__put(struct writer *w, bool *first, const char *s);
void csv_field__number(struct writer *w, bool *first, uint64_t n);

/* What base/visible.h does not show becomes '?'. @b is scratch, cleared first. 0 or -ENOMEM. */
int csv_field__name(struct writer *w, bool *first, const char *s, struct buf *b) must_check;

#endif
