/* SPDX-License-Identifier: BSD-2-Clause */
/* api/record.h - a record's bytes -> what users of the public library see. */
#ifndef PMUTRACE_API_RECORD_H
#define PMUTRACE_API_RECORD_H

#include "base/array.h"
#include "perf/record.h"
#include "pmutrace.h"

/* A record of which nothing is known but its bytes. */
void record__clear(struct pmutrace_record *out, const void *bytes, size_t len);

/* As pmutrace_decode(). */
int record__take(const struct perf_record_layout *layout, const void *bytes, size_t len,
		 struct pmutrace_record *out) must_check;

#endif
