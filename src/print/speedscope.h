/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/speedscope.h - a profile for https://www.speedscope.app: one file, all events.
 *
 *	{ "$schema": "https://www.speedscope.app/file-format-schema.json",
 *	  "exporter": "pmutrace 0.1.0", "name": "pmutrace profile · nothing lost",
 *	  "activeProfileIndex": 0,
 *	  "shared": { "frames": [ { "name": "sh" }, { "name": "main", "file": "sh" } ] },
 *	  "profiles": [ { "type": "sampled", "name": "cpu-clock (2 samples, nothing lost)",
 *	                  "unit": "nanoseconds", "startValue": 0, "endValue": 20000000,
 *	                  "samples": [[0, 1]], "weights": [20000000] } ] }
 *
 * A profile is an event, a sample one stack of it with all that it weighs: there are no times, and
 * the order, which speedscope calls the time's, is that of names. Frames read as in
 * print/frame_text.h; "file" is the binary's, where it is known.
 *
 * The format has no place for losses. They are known of the whole run, in samples, and not by
 * event: a frame that stood for them would be given a weight that nobody measured, and would change
 * every share. So how many they are is in the names of the profiles, which are always on the
 * screen, and why in that of the file, the window's title. Stacks that are incomplete have their
 * pseudo frames, as in every format.
 *
 * Source: the file-format-schema.json of speedscope 1.25.0.
 */
#ifndef PMUTRACE_PRINT_SPEEDSCOPE_H
#define PMUTRACE_PRINT_SPEEDSCOPE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

struct profile;

struct speedscope_opts {
	const char *command; /* the subcommand's name */
	const char *title;   /* NULL: of the command; borrowed; any bytes */
	const char *noun;    /* what was counted: "hit"; NULL: "sample" */
	uint32_t event;	     /* index into the profile's events: which one is shown first */
	bool weights;	     /* of events that have any; else stacks weigh their samples */
};

/* 0, -EINVAL (no such event), -ENOMEM, or another -errno (@f did not take it all). */
int print__speedscope(FILE *f, const struct profile *p, const struct speedscope_opts *o) must_check;

#endif
