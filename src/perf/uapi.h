/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/uapi.h - linux/perf_event.h, and what headers of older kernels lack of it.
 *
 * We build against headers from 5.10 on. There most of these names are enumerators, which no
 * #ifdef can see; a macro of the same name and value does no harm. Behind each: the kernel that
 * brought it. Source: include/uapi/linux/perf_event.h.
 */
#ifndef PMUTRACE_PERF_UAPI_H
#define PMUTRACE_PERF_UAPI_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifndef PERF_SAMPLE_DATA_PAGE_SIZE
#define PERF_SAMPLE_DATA_PAGE_SIZE (1U << 22) /* 5.11 */
#endif
#ifndef PERF_SAMPLE_CODE_PAGE_SIZE
#define PERF_SAMPLE_CODE_PAGE_SIZE (1U << 23) /* 5.11 */
#endif
#ifndef PERF_SAMPLE_WEIGHT_STRUCT
#define PERF_SAMPLE_WEIGHT_STRUCT (1U << 24) /* 5.12 */
#endif

#ifndef PERF_SAMPLE_BRANCH_COUNTERS
#define PERF_SAMPLE_BRANCH_COUNTERS (1U << 19) /* 6.8 */
#endif

#ifndef PERF_FORMAT_LOST
#define PERF_FORMAT_LOST (1U << 4) /* 6.0 */
#endif

#ifndef PERF_RECORD_AUX_OUTPUT_HW_ID
#define PERF_RECORD_AUX_OUTPUT_HW_ID 21 /* 5.16 */
#endif
#ifndef PERF_RECORD_CALLCHAIN_DEFERRED
#define PERF_RECORD_CALLCHAIN_DEFERRED 22 /* 6.19 */
#endif

#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14) /* 5.12 */
#endif

/* attr.build_id, by its place among the flags behind read_format, bit 34 of 64: 5.12 */
static inline void perf_attr__set_build_id(struct perf_event_attr *attr, int on)
{
	char *flags = (char *)attr + offsetof(struct perf_event_attr, read_format) + 8;
	const char bit = 1 << 2; /* of byte 4: all that there is support for is little-endian */

	flags[4] = on ? flags[4] | bit : flags[4] & ~bit;
}

static inline int perf_attr__build_id(const struct perf_event_attr *attr)
{
	uint64_t flags;

	memcpy(&flags, (const char *)attr + offsetof(struct perf_event_attr, read_format) + 8,
	       sizeof(flags));
	return flags >> 34 & 1;
}

#endif
