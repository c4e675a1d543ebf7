/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/findings.h - what doctor finds: as text for people, by area, and as JSON.
 *
 * Text:
 *
 *	tracing
 *	  missing  tracefs   not mounted
 *	           cost      tracepoints cannot be looked up by name
 *	           fix       sudo mount -t tracefs tracefs /sys/kernel/tracing
 *
 *	2 ok, 0 limited, 1 missing, 0 unknown: pmutrace profile can run
 *
 * JSON:
 *
 *	{ "schema": 1, "command": "doctor", "version": "0.1.0",
 *	  "rows": [ { "key": { "name": "tracefs", "area": "tracing" }, "state": "missing",
 *	              "found": "not mounted", "cost": "tracepoints cannot be looked up by name",
 *	              "fix": "sudo mount -t tracefs tracefs /sys/kernel/tracing" } ],
 *	  "ready": true }
 *
 * A key has a "subject" too where there are several of one name (a file, a PMU). cost and fix are
 * null where it is ok; all others have both.
 */
#ifndef PMUTRACE_PRINT_FINDINGS_H
#define PMUTRACE_PRINT_FINDINGS_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "model/findings.h"

struct findings_table_opts {
	unsigned width; /* columns of the terminal; 0: not one, nothing is wrapped */
	bool color;	/* ANSI attributes */
	bool brief;	/* without what is ok */
};

/*
 * A fix is never broken into lines: it is there to be copied. 0, -ENOMEM, or another -errno (@f did
 * not take it all).
 */
int print__findings_table(FILE *f, const struct findings *found,
			  const struct findings_table_opts *o) must_check;

/* @command: the subcommand's name. 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__findings_json(FILE *f, const struct findings *found, const char *command) must_check;

#endif
