/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/top_csv.h - an interval of a live view as comma-separated values, a line for each row.
 *
 *	at_ns,duration_ns,pid,comm,exited,cpu,ipc
 *	1795287792000000000,1000000000,42,bash,0,98.7,1.25
 *	1795287792000000000,1000000000,43,cc1,1,1.3,-
 *
 * The fields of print/top_json.h, "-" where a value is not known. Quoted as RFC 4180 says; lines
 * end in LF.
 */
#ifndef PMUTRACE_PRINT_TOP_CSV_H
#define PMUTRACE_PRINT_TOP_CSV_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "print/top_page.h"

/* @header: a line with the names first. 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__top_csv(FILE *f, const struct top_page *p, bool header) must_check;

#endif
