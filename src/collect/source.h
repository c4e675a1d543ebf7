/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/source.h - what a collector drains: a session that samples, counts hits, or measures
 * calls.
 */
#ifndef PMUTRACE_COLLECT_SOURCE_H
#define PMUTRACE_COLLECT_SOURCE_H

#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/loss.h"
#include "probe/calls.h"
#include "probe/hits.h"
#include "probe/sample.h"

struct source_fns {
	int (*start)(void *session);
	int (*stop)(void *session);
	int (*poll)(void *session, const struct sampler_fns *fns);
	int (*flush)(void *session, const struct sampler_fns *fns);
	unsigned (*patience_ms)(const void *session);
	uint64_t (*seen)(const void *session);
	/* After stop: what was seen and lost, by reason. */
	void (*losses)(const void *session, struct losses *out);
	/* CPU time that its programs took for that, ns; NULL: never measured. */
	uint64_t (*own_ns)(const void *session);
	void (*tell)(const void *session); /* notices at the end; NULL: none */
	/* Of the event or probe that key->stack.source names, ns. 0 or -errno. */
	int (*times)(const void *session, uint32_t source, uint64_t *enabled_ns,
		     uint64_t *running_ns);
	/* What samples passed over by the kernel stand for, in the event's unit; NULL: unknown. */
	uint64_t (*passed_over)(const void *session, uint32_t source);
	void (*close)(void *session);
};

/* Zero: there is none. */
struct source {
	const struct source_fns *fns;
	void *session;
};

/* 0 or -errno with @why. */
int source__open_sampler(struct source *s, const struct sampler_opts *opts,
			 struct buf *why) must_check;
int source__open_hits(struct source *s, const struct hits_opts *opts, struct buf *why) must_check;
int source__open_calls(struct source *s, const struct calls_opts *opts, struct buf *why) must_check;
void source__close(struct source *s);

#endif
