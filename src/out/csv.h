/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * out/csv.h - a profile's rows as comma-separated values.
 *
 *	comm,pid,stack,cycles:u,weight cycles:u
 *	bash,42,main;run,3,3000000
 *
 * The columns are those of the rows in out/json.h: the parts of the key that the run
 * kept, then samples and weight of each event; the field of an event without samples is
 * empty. Quoted as RFC 4180 says; lines end in LF. The stack is one field, outermost
 * first, written as in out/folded.h but without suffixes.
 */
#ifndef PMUTRACE_OUT_CSV_H
#define PMUTRACE_OUT_CSV_H

#include <stdio.h>

#include "base/array.h"

struct profile;

/* 0, -ENOMEM, or another -errno (@f did not take it all). */
int out__csv(FILE *f, const struct profile *p) must_check;

#endif
