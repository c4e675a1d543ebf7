/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/profile_thrift.h - profile --max-overhead: what is measured less of, in which order.
 *
 *	rate	half of it, down to 1 Hz, up to six times
 *	keys	user stacks, then those of the kernel
 *	events	from the last one on
 *	pause
 */
#ifndef PMUTRACE_CMD_PROFILE_THRIFT_H
#define PMUTRACE_CMD_PROFILE_THRIFT_H

#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"
#include "cmd/run.h"
#include "event/event.h"
#include "probe/sample.h"
#include "run/overhead.h"

/* What there is to do without. */
struct profile_thrift {
	const struct perf_event_spec *events; /* that are sampled */
	size_t nr_events;
	unsigned by; /* enum by */
};

/* Opens the run's budget, of @percent, as typed. 0; -EINVAL with r->why; -ENOMEM. */
int profile_thrift__open(const struct profile_thrift *t, const char *percent,
			 struct run *r) must_check;

/*
 * Has the run's collector measure what its budget leaves, and tells. What is not sampled then is
 * missing, as what is lost is. 0 or -errno.
 */
int profile_thrift__heed(const struct profile_thrift *t, struct run *r) must_check;

/* For other samplers: adds the steps that these allow. */
void profile_thrift__add(const struct profile_thrift *t, struct overhead *o);

/* What the steps that are taken leave; @text: that as a sentence. 0 or -ENOMEM. */
int profile_thrift__now(const struct profile_thrift *t, const struct overhead *o,
			struct sampler_thrift *out, struct buf *text) must_check;

#endif
