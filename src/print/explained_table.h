/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/explained_table.h - what events stand for, for people.
 *
 *	cycles:u
 *	  from              a generic hardware event of perf_event_open(2)
 *	  type              0 (generic hardware event)
 *	  config            0x0 (cycles)
 *	  exclude_kernel    1 (not in the kernel)
 *	  this process      opens
 *	  CPU 3             no: no permission for 'cycles:u' ..
 */
#ifndef PMUTRACE_PRINT_EXPLAINED_TABLE_H
#define PMUTRACE_PRINT_EXPLAINED_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "model/explained.h"

/* @color: ANSI attributes. 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__explained_table(FILE *f, const struct explanations *l, bool color) must_check;

#endif
