/* SPDX-License-Identifier: BSD-2-Clause */
/* perf/record_parts.h - what the decoders of perf/ share. Errors are left in the cursor. */
#ifndef PMUTRACE_PERF_RECORD_PARTS_H
#define PMUTRACE_PERF_RECORD_PARTS_H

#include "perf/record.h"
#include "perf/record_cursor.h"

/* Checks the header; the cursor then stands behind it. 0 or -EBADMSG. */
int record__take_header(struct record_cursor *c, const void *bytes, size_t len,
			struct perf_event_header *h) must_check;

/* Cuts the trailer off the end. */
void record__take_trailer(struct record_cursor *c, const struct perf_record_layout *layout,
			  uint32_t type, struct perf_record_id *id);

/* struct read_format. */
void readout__take(struct record_cursor *c, uint64_t format, struct perf_readout *out);

/* The body of a SAMPLE: all that is left must be part of it. */
void sample__take(struct record_cursor *c, const struct perf_record_layout *layout,
		  struct perf_record_id *id, struct perf_sample *out);

#endif
