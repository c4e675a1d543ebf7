/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/top_table.h - an interval of a live view for people without a screen.
 *
 *	2026-11-21 19:03:12  1.00s  2 CPUs 37.5% busy  own 0.2%
 *	multiplexed: cycles 50%, instructions 50%
 *	     PID    %CPU     IPC  SWITCH  COMMAND
 *	    4711    98.7    2.41      12  make
 *	    4712     1.3       -       3  cc1 (exited)
 *
 * What was lost, and which event is not counted and why, is between the first line and the
 * headings.
 */
#ifndef PMUTRACE_PRINT_TOP_TABLE_H
#define PMUTRACE_PRINT_TOP_TABLE_H

#include <stdio.h>

#include "base/array.h"
#include "print/top_page.h"

/* 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__top_table(FILE *f, const struct top_page *p) must_check;

#endif
