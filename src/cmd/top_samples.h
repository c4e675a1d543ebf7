/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/top_samples.h - where the screen's functions and stacks come from, while somebody looks.
 */
#ifndef PMUTRACE_CMD_TOP_SAMPLES_H
#define PMUTRACE_CMD_TOP_SAMPLES_H

#include "base/array.h"
#include "base/buf.h"
#include "cmd/top_run.h"
#include "live/top_stacks.h"
#include "machine/target.h"

/* Zero-initialise it; top_samples__close() gives all back, and it may be opened again. */
struct top_samples {
	struct top_stacks *funcs; /* NULL: closed */
	struct target target;
};

/*
 * Of a recording: the samples of the interval that is in the models, of the tasks that the run is
 * about; good until the next interval. *out NULL: it was not sampled. 0; -EINVAL with @why: the
 * options ask for cgroups, by which recorded samples are not told apart; -ENOMEM.
 */
int top_samples__recorded(struct top_run *r, const struct profile **out,
			  struct buf *why) must_check;

/*
 * What is sampled and how often, as -e and -F say: r->sampled, for as long as the run. Unless this
 * was done before it is done when samples are first taken. 0; -EINVAL or another -errno with @why.
 */
int top_samples__choose(struct top_run *r, struct buf *why) must_check;

/* Takes samples of the run's tasks from now on. 0 or -errno, with @why a sentence. */
int top_samples__open(struct top_samples *s, struct top_run *r, struct buf *why) must_check;
void top_samples__close(struct top_samples *s);

#endif
