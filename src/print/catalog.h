/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/catalog.h - what can be measured here: as text for people and for grep, and as JSON.
 *
 * Text: a line each, the name first.
 *
 *	cycles                    hardware    not-supported  clock cycles .. (also cpu-cycles)
 *	sched:sched_switch        tracepoint
 *
 * On a terminal a headline for each kind instead of its column. With fields, a line for each field:
 *
 *	sched:sched_switch        prev_comm             offset 8    size 16  char[]
 *
 * JSON:
 *
 *	{ "schema": 1, "command": "list", "version": "0.1.0",
 *	  "rows": [ { "key": { "name": "cycles", "kind": "hardware" }, "alias": "cpu-cycles",
 *	              "group": null, "text": "clock cycles ..", "encoding": "type=0 config=0x0",
 *	              "unit": "", "state": "opens" } ],
 *	  "omitted": { "kprobe": 53817 } }
 *
 * state is opens, not-supported or no-permission, or null where it was not tried. With fields, rows
 * of tracepoints have "fields": [ { "name", "type", "offset", "size", "signed", "common" } ].
 */
#ifndef PMUTRACE_PRINT_CATALOG_H
#define PMUTRACE_PRINT_CATALOG_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "model/catalog.h"

struct catalog_table_opts {
	bool headlines; /* for people: grouped, the kind above instead of in each line */
	bool color;	/* ANSI attributes */
	bool fields;
};

/* In the catalog's order. 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__catalog_table(FILE *f, const struct catalog *c,
			 const struct catalog_table_opts *o) must_check;

/* 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__catalog_json(FILE *f, const struct catalog *c, bool fields) must_check;

#endif
