/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/count_plan.h - what is to be counted, as people write it -> what a counting session and a
 * collector need: probes, keys, filter, what is measured at each hit.
 *
 * Does not know: targets, the session itself, formats.
 */
#ifndef PMUTRACE_PLAN_COUNT_PLAN_H
#define PMUTRACE_PLAN_COUNT_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "collect/collector.h"
#include "event/event.h"
#include "model/buckets.h"
#include "plan/rowkeys.h"
#include "plan/skipped.h"
#include "probe/count.h"

struct count_plan_opts {
	char *const *words; /* probes, or patterns of them: event/event.h */
	size_t nr_words;
	const char *by;	     /* "comm,arg0"; NULL: "probe" */
	const char *filter;  /* plan/filter.h; NULL: none */
	const char *measure; /* a field; NULL: nothing */
	bool buckets;	     /* count the measure in buckets, instead of sum, min and max */
	const char *linear;  /* "LO,HI,STEP": of the buckets; NULL: powers of two */
	size_t max_probes;   /* that a pattern may stand for */
	bool force;	     /* return probes that may break programs: plan/returns.h */
	struct lookup_reader *reader; /* of programs' files: lookup/lookup_reader.h; or NULL */
};

struct count_plan {
	struct perf_events events; /* each probe's, with their sites */
	struct count_probe *probes;
	size_t nr_probes;
	struct filter_cfg *filters; /* of each probe; NULL: none */
	struct rowkeys key;
	struct rowprobe *rowprobes; /* by number */
	size_t nr_rowprobes;
	struct profile_event *words; /* one for each word */
	size_t nr_words;
	struct profile_metric metric;
	bool has_metric;
	struct buckets buckets;
	enum buckets_kind bucket_kind;
	struct skipped skipped;
	struct perf_event_env env;
};

/**
 * count_plan__plan() - parse and check everything, before any probe is opened
 * @out:  zero-initialised; count_plan__free() it in any case
 * @opts: borrowed while *out lives
 * @why:  on error a sentence
 *
 * Return: 0; -EINVAL: the words are wrong; another -errno.
 */
int count_plan__plan(struct count_plan *out, const struct count_plan_opts *opts,
		     struct buf *why) must_check;
void count_plan__free(struct count_plan *t);

/* A function that the kernel refused later: count_opts.skipped, with the plan as its argument. */
void count_plan__skip(void *plan, const struct perf_event_spec *event, int err);

/* Fills in what the plan decides. Borrows from it. */
void count_plan__put(const struct count_plan *t, struct count_opts *hits,
		     struct collector_opts *opts);

#endif
