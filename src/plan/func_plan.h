/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/func_plan.h - what calls are to be measured, as people write it -> what a session of
 * probe/func.h and a collector need: probes in pairs, keys, filter, events.
 *
 * Does not know: targets, the session itself, formats.
 */
#ifndef PMUTRACE_PLAN_FUNC_PLAN_H
#define PMUTRACE_PLAN_FUNC_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "collect/collector.h"
#include "event/event.h"
#include "model/buckets.h"
#include "plan/returns.h"
#include "plan/rowkeys.h"
#include "plan/skipped.h"
#include "probe/func.h"

struct func_plan_opts {
	const struct perf_event_env *env; /* looks up symbols; `sites` and on are set here */
	char *const *words;		  /* functions: plan/function_words.h */
	size_t nr_words;
	const char *from, *to;		  /* or two probes instead: event/event.h; NULL: none */
	const char *match;		  /* a field of both that pairs them; NULL: by task */
	const struct perf_events *events; /* counted for each call: plan/func_events.h */
	bool default_events;		  /* not asked for: dropped where they cannot be known */
	const char *by;			  /* "func,arg0"; NULL: "func" */
	const char *filter;		  /* plan/filter.h; NULL: none */
	const char *buckets;		  /* histogram of "time", "cycles", ..; NULL: none */
	const char *linear;		  /* "LO,HI,STEP": of the buckets; NULL: powers of two */
	size_t max_probes;		  /* that a pattern may stand for */
	struct returns_opts returns;	  /* of programs' functions */
};

/* What can be known of a call. */
enum func_known {
	FUNC_KNOWS_ALL,
	FUNC_KNOWS_SELF_TIME, /* time, and how much of it is its own */
	FUNC_KNOWS_TIME,
};

struct func_plan {
	struct perf_events entries, leaves; /* each function's, by the same index */
	struct func_probe *functions;
	size_t nr_functions;
	struct filter_cfg *filters; /* of each function; NULL: none */
	struct rowkeys key;
	struct returns returns;	    /* of functions whose exits are probed */
	struct rowprobe *rowprobes; /* by the functions' numbers */
	size_t nr_rowprobes;
	struct profile_event *words;
	size_t nr_words;
	struct func_event events[FUNC_EVENTS];
	size_t nr_events;
	struct profile_metric metrics[FUNC_VALUES_MAX];
	size_t nr_metrics;
	struct buf pair;	      /* "FROM -> TO" */
	struct buf self[FUNC_EVENTS]; /* "cycles:self" */
	struct buckets buckets;
	enum buckets_kind bucket_kind;
	size_t bucket_of;
	enum func_known known;
	struct skipped skipped;
	struct perf_event_env env;
};

/**
 * func_plan__make() - parse and check everything, before any probe is opened
 * @out:  zero-initialised; func_plan__free() it in any case
 * @opts: borrowed while *out lives
 * @why:  on error a sentence
 *
 * Return: 0; -EINVAL: the words are wrong; another -errno.
 */
int func_plan__make(struct func_plan *out, const struct func_plan_opts *opts,
		    struct buf *why) must_check;
void func_plan__free(struct func_plan *p);

/* Fills in what the plan decides: functions, events, keys. Borrows from it. */
void func_plan__put(const struct func_plan *p, struct func_opts *calls,
		    struct collector_opts *opts);

#endif
