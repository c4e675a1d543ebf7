/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/vendor.h - events by the names in the CPU's manual, through libpfm4 (optional).
 *
 *	INST_RETIRED:ANY_P   skl::L2_RQSTS:MISS   UOPS_ISSUED:ANY:c=1:i=1:u
 *
 * NAME[:UMASK..][:MODIFIER..], case aside. libpfm4 keeps its tables in globals of its own and
 * fills them at the first call here (0.5 ms), threads one after another. It reads /proc/cpuinfo and
 * the CPUID, and the variables LIBPFM_FORCE_PMU and LIBPFM_ENCODE_INACTIVE for CPUs that are
 * elsewhere. Source: libpfm(3), pfm_get_os_event_encoding(3).
 */
#ifndef PMUTRACE_EVENT_VENDOR_H
#define PMUTRACE_EVENT_VENDOR_H

#include <linux/perf_event.h>
#include <stdbool.h>

#include "base/array.h"
#include "base/buf.h"

/**
 * vendor__encode() - an event by name
 * @attr: zeroed, or with what to keep; type, the configs and the excludes are written, the latter
 *	  from the modifiers u, k, h, mg, mh. Without these: all of them counted, guests too
 * @why:  on error a sentence, but for -ENOMEM; NULL: not wanted, looking for the nearest name
 *	  takes a while
 *
 * Return: 0; -ENOENT: no such event; -EINVAL: there is, but not with this unit mask or modifier;
 * -EOPNOTSUPP: built without libpfm4, or it has no table for this CPU; -ENOMEM.
 */
int vendor__encode(const char *name, struct perf_event_attr *attr, struct buf *why) must_check;

/* All live as long as the program. */
struct vendor_event {
	const char *pmu;	/* "skl" */
	const char *name;	/* "INST_RETIRED" */
	const char *desc;	/* a line of English, or "" */
	const char *umask;	/* "ANY_P"; NULL: it has none */
	const char *umask_desc; /* likewise */
};

/**
 * vendor__list() - every event of the PMUs found here, once for each unit mask
 * @fn: other than 0 ends it
 *
 * Return: 0; what @fn returned; -EOPNOTSUPP as above.
 */
int vendor__list(int (*fn)(void *arg, const struct vendor_event *ev), void *arg) must_check;

#endif
