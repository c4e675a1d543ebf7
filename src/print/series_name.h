/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/series_name.h - an event's name where databases of profiles want one: they join names by
 * ':' to tell types apart, and ask for them in queries. "cycles:u" is "cycles_u" there.
 */
#ifndef PMUTRACE_PRINT_SERIES_NAME_H
#define PMUTRACE_PRINT_SERIES_NAME_H

#include "base/array.h"
#include "base/buf.h"

/* Appends the name with '_' for what is not a letter, a digit or '_'; it begins with no digit. 0 or
 * -ENOMEM. */
int series_name__put(struct buf *out, const char *name) must_check;

#endif
