/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/trigger.h - what is to be counted, as people write it -> what a counting session and a
 * collector need: probes, keys, filter, what is measured at each hit.
 *
 * Does not know: targets, the session itself, formats.
 */
#ifndef PMUTRACE_PLAN_TRIGGER_H
#define PMUTRACE_PLAN_TRIGGER_H

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
#include "probe/hits.h"

struct trigger_opts {
	char *const *words; /* probes, or patterns of them: event/event.h */
	size_t nr_words;
	const char *by;	     /* "comm,arg0"; NULL: "probe" */
	const char *filter;  /* plan/filter.h; NULL: none */
	const char *measure; /* a field; NULL: nothing */
	bool buckets;	     /* count the measure in buckets, instead of sum, min and max */
	const char *linear;  /* "LO,HI,STEP": of the buckets; NULL: powers of two */
	size_t max_probes;   /* that a pattern may stand for */
	bool force;	     /* return probes that may break programs: plan/returns.h */
};

struct trigger {
	struct perf_events events; /* each probe's, with their sites */
	struct hits_probe *probes;
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
 * trigger__plan() - parse and check everything, before any probe is opened
 * @out:  zero-initialised; trigger__free() it in any case
 * @opts: borrowed while *out lives
 * @why:  on error a sentence
 *
 * Return: 0; -EINVAL: the words are wrong; another -errno.
 */
int trigger__plan(struct trigger *out, const struct trigger_opts *opts, struct buf *why) must_check;
void trigger__free(struct trigger *t);

/* A function that the kernel refused later: hits_opts.skipped, with the trigger as its argument. */
void trigger__skip(void *trigger, const struct perf_event_spec *event, int err);

/* Fills in what the trigger decides. Borrows from it. */
void trigger__put(const struct trigger *t, struct hits_opts *hits, struct collector_opts *opts);

#endif
