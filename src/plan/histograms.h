/* SPDX-License-Identifier: BSD-2-Clause */
/* plan/histograms.h - --hist and --lhist: into which buckets what is measured is counted. */
#ifndef PMUTRACE_PLAN_HISTOGRAMS_H
#define PMUTRACE_PLAN_HISTOGRAMS_H

#include "base/array.h"
#include "base/buf.h"
#include "buckets.wire.h"
#include "model/buckets.h"
#include "plan/rowkeys.h"

/* "LO,HI,STEP". 0; -EINVAL or -ENOMEM with @why. */
int histograms__parse(struct buckets *b, const char *text, struct buf *why) must_check;

/* The bucket is the last of a row's fields, as its word is the last of the hit's. 0 or -ENOMEM. */
int histograms__add_field(struct rowkeys *key, const struct buckets *b) must_check;

/* The same buckets as programs know them. */
struct buckets_linear histograms__linear(const struct buckets *b);

#endif
