/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/explained.h - what events stand for: as text for people, and as JSON.
 *
 * Text:
 *
 *	cycles:u
 *	  from              a generic hardware event of perf_event_open(2)
 *	  type              0 (generic hardware event)
 *	  config            0x0 (cycles)
 *	  exclude_kernel    1 (not in the kernel)
 *	  this process      opens
 *	  CPU 3             no: no permission for 'cycles:u' ..
 *
 * JSON:
 *
 *	{ "schema": 1, "command": "list", "version": "0.1.0",
 *	  "rows": [ { "key": { "name": "cycles:u", "kind": "explained" },
 *	              "origin": "a generic ..", "text": "clock cycles ..", "form": null,
 *	              "attr": { "type": 0, "config": 0, "exclude_kernel": 1 },
 *	              "words": { "type": "generic hardware event", "config": "cycles" },
 *	              "unit": "", "scale": 1, "hz": null, "period": null, "group": null,
 *	              "adds_to": null, "cpus": null,
 *	              "process": { "state": "opens", "why": null },
 *	              "cpu": { "number": 3, "state": "no-permission", "why": "no permission .." } }
 *	] }
 *
 * What attr does not have is 0; null: the event cannot even be made here, and process and cpu
 * (number null) have the reason. A state is null where it was not tried, or failed for a reason
 * that says nothing of the event. cpus null: any.
 */
#ifndef PMUTRACE_PRINT_EXPLAINED_H
#define PMUTRACE_PRINT_EXPLAINED_H

#include <stdbool.h>
#include <stdio.h>

#include "base/array.h"
#include "model/explained.h"

/* @color: ANSI attributes. 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__explained_table(FILE *f, const struct explanations *l, bool color) must_check;

/* 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__explained_json(FILE *f, const struct explanations *l) must_check;

#endif
