/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * out/json.h - a profile as one JSON object.
 *
 *	{ "schema": 1, "command": "profile", "version": "0.1.0", "duration_ns": 5000000000,
 *	  "events": [ { "event": "cycles:u", "unit": "", "state": "counted", "value": 123,
 *	                "raw": 123, "enabled_ns": 1, "running_ns": 1 } ],
 *	  "rows": [ { "key": { "comm": "bash", "pid": 42, "stack": ["main", "run"] },
 *	              "values": { "cycles:u": 3 }, "weights": { "cycles:u": 3000000 } } ],
 *	  "seen": 1000, "kept": 998, "losses": { "stacks_full": 2 }, "incomplete": { "cut": 1 } }
 *
 * state       counted; multiplexed (on a counter for a part of the time); not-counted
 *             (never on a counter: value is null)
 * value       the weight scaled to the whole enabled time; raw is as counted
 * rows        most samples first; a key has the parts the run kept; stacks are outermost
 *             first, without the command; values are samples, weights the sum of their
 *             periods; an event without samples is absent from both
 * incomplete  samples kept with a part missing, by reason
 */
#ifndef PMUTRACE_OUT_JSON_H
#define PMUTRACE_OUT_JSON_H

#include <stdio.h>

#include "base/array.h"

struct profile;

/* @command: the subcommand's name. 0, -ENOMEM, or another -errno (@f did not take it all). */
int out__json(FILE *f, const struct profile *p, const char *command) must_check;

#endif
