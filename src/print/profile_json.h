/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/profile_json.h - a profile as one JSON object; an interval (at_ns) is one on one line.
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
 * passed_over what was counted and is in no sample, in the event's unit; only if there is any
 * rows        most samples first; a key has the parts the run kept; stacks are outermost
 *             first, without the command; values are samples, weights the sum of their
 *             periods; an event without samples is absent from both
 * incomplete  samples kept with a part missing, by reason
 *
 * What counts hits of probes has no weights, value and raw are the hits, which have no unit,
 * enabled_ns and running_ns are null but for events that overflow, and there may be more:
 *
 *	{ ..., "time_ns": 5000000000, "units": { "ret": "" },
 *	  "rows": [ { "key": { "fd": 3, "sk": "0xffff888004b5c000" }, "values": { "e": 3 },
 *	              "metrics": { "ret": { "sum": 7, "avg": 2.333, "min": 1, "max": 4 } },
 *	              "hist": [ { "from": 1, "to": 1, "count": 2 },
 *	                        { "from": 4, "to": 7, "count": 1 } ] } ], ... }
 *
 * time_ns     end of the interval, since the start; only with intervals
 * units       of all that is measured beside the samples: "ns", ""; only if something is
 * metrics     over the samples of the row; avg to three decimals
 * hist        which values the samples of the row had: ranges with samples, lowest first, both
 *             ends inclusive; null: there is no such end
 * exemplar    of a range, or of a row without hist: one of the samples; only where they are kept:
 *             { "value": 5, "time_ns": 1700000000000000000, "pid": 42, "tid": 42, "comm": "a" },
 *             time_ns since 1970
 *
 * With metrics or a histogram each row is of one event. "net", beside the units, is what has been
 * taken off of each metric for each sample, for what probes cost themselves: { "time": 1200 }.
 */
#ifndef PMUTRACE_PRINT_PROFILE_JSON_H
#define PMUTRACE_PRINT_PROFILE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

struct json;
struct losses;
struct profile;
struct profile_event;

struct json_opts {
	const char *command; /* the subcommand's name */
	bool weights;	     /* samples stand for periods: what is counted are those */
	uint64_t at_ns;	     /* end of the interval, since the start; 0: there are none */
	const uint64_t *net; /* of each metric: taken off for each sample; NULL: nothing was */
	bool own_cost;	     /* own_bpf_ns: CPU time of the programs, where it was measured */
};

/*
 * The same as JSON lines, for programs that read row by row: the first line is that object without
 * its rows, with their number, "nr_rows"; then each row is an object on a line of its own. In an
 * interval (at_ns) rows have its time_ns, too.
 */
int print__json_lines(FILE *f, const struct profile *p, const struct json_opts *o) must_check;

/* Both: 0, -ENOMEM, or another -errno (@f did not take it all). */
int print__json(FILE *f, const struct profile *p, const struct json_opts *o) must_check;

/* An element of "events"; @weights: json_opts. */
void profile_json__event(struct json *j, const struct profile_event *e, bool weights);

/* "seen" to "incomplete". */
void profile_json__losses(struct json *j, const struct losses *l);

#endif
