/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/folded_head.h - the line before folded stacks that end in a count of each event.
 *
 *	# counts of<TAB>cpu-clock<TAB>page-faults<TAB>of each stack
 *	sh;main;work 12 0
 *
 * It does not end in a number: readers of stacks with one count pass it over.
 */
#ifndef PMUTRACE_MODEL_FOLDED_HEAD_H
#define PMUTRACE_MODEL_FOLDED_HEAD_H

#define FOLDED_HEAD_BEGIN "# counts of\t"
#define FOLDED_HEAD_END	  "\tof each stack"

#endif
