/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/header.h - the lines above the table: the machine, how busy it is and was, which events are
 * counted and for how much of the time, what was lost (of the samples that are shown, too), what
 * looking costs.
 */
#ifndef PMUTRACE_TUI_HEADER_H
#define PMUTRACE_TUI_HEADER_H

#include "base/array.h"
#include "tui/canvas.h"
#include "tui/meters.h"
#include "tui/view.h"

enum { HEADER_SMALL_HEIGHT = 16 }; /* of a page: a lower one has a shorter header */

struct header_cpu {
	struct history busy; /* share of the interval */
	struct history ipc;
};

/* Zero-initialise it; header__free() gives the memory back. */
struct header {
	struct header_cpu *cpus, all;
	size_t nr_cpus, cap_cpus;
	struct live_rows rows;
	bool has_ipc;
};

/* Adds an interval to the histories: to be called once for each. 0 or -ENOMEM. */
int header__update(struct header *h, const struct view_data *d) must_check;
/* Empties the histories: the next interval does not follow the last one. */
void header__forget(struct header *h);
/* Draws it from the first line on. Returns how many lines it took. */
int header__draw(const struct header *h, const struct view_data *d, struct canvas *c);
void header__free(struct header *h);

#endif
