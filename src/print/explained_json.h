/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/explained_json.h - what events stand for, as one JSON object.
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
#ifndef PMUTRACE_PRINT_EXPLAINED_JSON_H
#define PMUTRACE_PRINT_EXPLAINED_JSON_H

#include <stdio.h>

#include "base/array.h"
#include "model/explained.h"

/* 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__explained_json(FILE *f, const struct explanations *l) must_check;

#endif
