/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/session.h - what every session is that counts in tables and is drained: sampler__session()
 * samples, count__session() counts hits of probes, func__session() measures calls of functions.
 *
 * Life: open - start - any number of polls and flushes - stop - poll once more - close. The rows
 * that a poll or a flush hands out are those of probe/sample.h.
 */
#ifndef PMUTRACE_PROBE_SESSION_H
#define PMUTRACE_PROBE_SESSION_H

#include <stdint.h>

#include "base/array.h"
#include "model/loss.h"

struct sampler_fns;

struct session_fns {
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
struct session {
	const struct session_fns *fns;
	void *impl;
};

void session__close(struct session *s);

/* For sessions: a loss of which there is none is not told. */
void session__add_loss(struct losses *l, struct loss loss, uint64_t n);
void session__tell_dropped(uint64_t children);

#endif
