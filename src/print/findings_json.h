/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/findings_json.h - findings as one JSON object.
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
#ifndef PMUTRACE_PRINT_FINDINGS_JSON_H
#define PMUTRACE_PRINT_FINDINGS_JSON_H

#include <stdio.h>

#include "base/array.h"
#include "model/findings.h"

/* @command: the subcommand's name. 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__findings_json(FILE *f, const struct findings *found, const char *command) must_check;

#endif
