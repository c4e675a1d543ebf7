/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/probe_metrics_state.h - what the parts of metrics of probes share: probe_metrics.c has
 * lines started and reads what they write, probe_rows.c adds their rows up, probe_metrics_put.c
 * writes them as families. For nobody else.
 */
#ifndef PMUTRACE_SERVE_PROBE_METRICS_STATE_H
#define PMUTRACE_SERVE_PROBE_METRICS_STATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/buckets.h"
#include "serve/members.h"
#include "serve/probe_metrics.h"
#include "serve/probe_starter.h"

struct strtab;

enum {
	PROBE_FIELDS = 24,
	PROBE_KEYS = 16,
	PROBE_LOSSES = 32,
	LABEL_BYTES = 256, /* of a value of a key */
};

/* Between the values of keys in a member's name; no value has it. */
#define KEY_END "\037"

/* What is added up beside hits: "time", "bytes", "cycles:self". */
struct probe_field {
	char *name;
	bool is_time; /* in nanoseconds */
};

struct probe_loss {
	char *reason;
	uint64_t n;
};

/*
 * A line. A member's values are its hits, the sum of each field, of signed ones in two's
 * complement, and the number of hits in each bucket: probe_metric__bucket().
 */
struct probe_metric {
	char *name, *text, *hist;
	struct buckets range;
	uint32_t index, configuration;
	bool stays; /* while lines are set */

	struct probe_process process; /* rows and errors -1: there is none */
	struct buf rest;	      /* of what it has written: a line without its end */
	struct buf said;	      /* why it does not count, or what it said last */
	struct buf told;	      /* of that, what was logged; until it counts */
	bool is_up;
	uint64_t started_ns, retry_ns, patience_ns, down_ns;
	uint64_t missed_ns, nr_ended;
	uint64_t own_ns; /* of its programs, as far as it has told */

	/* What its first interval tells. */
	bool is_known, is_func;
	char *keys[PROBE_KEYS]; /* names of labels; in the order of a member's name */
	size_t nr_keys;
	struct probe_field fields[PROBE_FIELDS];
	size_t nr_fields;
	size_t nr_buckets;		  /* 0: there is no histogram */
	size_t first_bucket, last_bucket; /* of those that have had hits */

	struct members members;
	uint64_t seen;
	bool is_seen_known;
	struct probe_loss losses[PROBE_LOSSES];
	size_t nr_losses;
	double updated_s; /* since 1970; 0: it was not yet */

	/* The interval that is being read. */
	size_t rows_left;
	uint64_t interval_ns;
	struct strtab *names;
	struct metric_use *uses; /* of its rows; their values are in @values, one after the other */
	size_t nr_uses, cap_uses;
	uint64_t *values;
	size_t cap_values;
	struct exemplar *exemplars; /* likewise, as many of each use as it has */
	size_t nr_exemplars, cap_exemplars;
};

struct probe_metrics {
	struct probe_starter *starter;
	struct probe_metric **items;
	size_t nr, cap;
	bool own_cost;
	size_t limit;	      /* so many of them are to count */
	uint64_t own_gone_ns; /* of lines that there are no more */
	int epoll;
};

static inline size_t probe_metric__bucket(const struct probe_metric *m, size_t bucket)
{
	return 1 + m->nr_fields + bucket;
}

/* Numbers of exemplars: of a row's hits, and of those of a bucket. */
enum { EXEMPLAR_OF_HITS };

static inline uint32_t probe_metric__exemplar(size_t bucket)
{
	return EXEMPLAR_OF_HITS + 1 + bucket;
}

/* Values less than all buckets, or above all, are in the first, and in the last one. */
static inline struct bucket probe_metric__range(const struct probe_metric *m, size_t bucket)
{
	return buckets__range(&m->range, (int64_t)bucket - 1);
}

/*
 * Takes a line of what `pmutrace -f jsonl` writes: an interval's head, or one of its rows. @now_ns:
 * of the clock of members. 0; -EINVAL: it is none of these, or cannot be shown as a metric, with a
 * sentence in m->said; -ENOMEM.
 */
int probe_metric__take_line(struct probe_metric *m, const char *line, size_t len,
			    uint64_t now_ns) must_check;

/* Forgets the interval that is being read: there will be no more of it. */
void probe_metric__drop_interval(struct probe_metric *m);

#endif
