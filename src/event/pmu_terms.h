/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/pmu_terms.h - PMU/TERMS/: what of perf_event_attr the terms stand for.
 *
 * A term is, in the order of looking it up:
 *
 *	config=V config1=V config2=V config3=V	a whole word
 *	name=TEXT period=V freq=HZ		as with perf
 *	event=EVENT	the same as EVENT alone
 *	FIELD=V		bits that the PMU's format/FIELD names; without a value 1, for one bit only
 *	EVENT		one of the PMU's events/EVENT, which is terms again, with unit and scale
 *	rHEX		config
 *
 * Values are decimal or 0x hex; case matters in all names but EVENT, as with perf. Whole words are
 * set first, then the event, then what else is written: that is laid over the event's terms, field
 * by field, and of two terms for one field the latter counts (perf ORs them). An event with a term
 * FIELD=? needs that one from the user.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events},
 * tools/perf/Documentation/perf-list.txt.
 */
#ifndef PMUTRACE_EVENT_PMU_TERMS_H
#define PMUTRACE_EVENT_PMU_TERMS_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/pmu_syntax.h"
#include "event/pmu_words.h"

struct pmu_terms {
	uint64_t config[PMU_CONFIGS]; /* config, config1, config2, config3 */
	uint64_t period, hz;	      /* at most one of the two is not 0 */
	double scale;		      /* count * scale is in @unit; 1 without an event */
	char unit[24];		      /* "" without one */
	char event[128];	      /* EVENT among the terms, or "" */
	char name[128];		      /* name=TEXT, or "" */
	unsigned whole;		      /* bit i: config[i] was given as a whole word */
	size_t bad, bad_len;	      /* on -EINVAL: which of the bytes it is about */
};

/**
 * pmu__parse_terms() - the terms for one PMU
 * @pmu:   its name, as in struct pmu
 * @terms: what is between the slashes, @len bytes; may be empty
 * @why:   on -EINVAL and -ENOENT a sentence
 *
 * Return: 0; -EINVAL; -ENOENT: no such PMU; another -errno: its files cannot be read.
 */
int pmu__parse_terms(const char *root, const char *pmu, const char *terms, size_t len,
		     struct pmu_terms *out, struct buf *why) must_check;

/* The same with files that were read before. 0, -EINVAL or -ENOMEM. */
int pmu_terms__parse(struct pmu_terms *out, const struct pmu_words *words, const char *terms,
		     size_t len, struct buf *why) must_check;

#endif
