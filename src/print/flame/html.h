/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/flame/html.h - a profile as one page for a browser: flame graphs, functions, time.
 *
 * One self-contained file: no network (its policy forbids it), no fonts, no files beside it. The
 * document says without scripts what was measured and what was lost; everything else its scripts
 * draw (flame/html_*.js) from the profile, which is in it as flame/html_data.h has it: all events,
 * processes, threads and cgroups that were told apart, and windows of time, if there are any.
 */
#ifndef PMUTRACE_PRINT_FLAME_HTML_H
#define PMUTRACE_PRINT_FLAME_HTML_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

struct profile;
struct shade;

struct html_opts {
	const char *command;	   /* the subcommand's name */
	const char *title;	   /* NULL: of the command; borrowed; any bytes */
	const char *noun;	   /* what was counted: "hit"; NULL: "sample"; plain letters */
	uint32_t event;		   /* shown first: index into the profile's events */
	bool reverse;		   /* callers are shown first */
	bool icicle;		   /* or the icicle */
	bool weights;		   /* what samples stand for is known, and can be shown instead */
	const struct shade *shade; /* colours frames at first; NULL: kinds and names do */
	/*
	 * Of a comparison (model/overlay.h): what both sides are called, and by frame whether it is
	 * sure that its function is more in B (1) or less (-1). NULL: it is none.
	 */
	const char *const *sides;
	const int8_t *sure;
};

/* 0, -EINVAL (no such event), -ENOMEM, or another -errno (@f did not take it all). */
int print__html(FILE *f, const struct profile *p, const struct html_opts *o) must_check;

#endif
