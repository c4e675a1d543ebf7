/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/catalog_json.h - a catalog as one JSON object.
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
#ifndef PMUTRACE_PRINT_CATALOG_JSON_H
#define PMUTRACE_PRINT_CATALOG_JSON_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "model/catalog.h"

/* 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__catalog_json(FILE *f, const struct catalog *c, bool fields) must_check;

#endif
