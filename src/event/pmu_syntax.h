/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/pmu_syntax.h - the two small languages of a PMU's files: fields and terms.
 *
 *	config:0-7,32-35		a field: where the bits of a value go (format/NAME)
 *	event=0x3c,umask=0x1,inv	terms (events/NAME, and what people type)
 *
 * Knows no files and no names.
 * Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-{format,events}.
 */
#ifndef PMUTRACE_EVENT_PMU_SYNTAX_H
#define PMUTRACE_EVENT_PMU_SYNTAX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"

enum { PMU_CONFIGS = 4 }; /* config, config1, config2, config3 */

struct pmu_field {
	unsigned word; /* 0: config .. 3: config3 */
	uint64_t bits; /* of that word; never 0 */
};

/* 0; -EINVAL: malformed; -EOPNOTSUPP: it lies in a word that is not known here. */
int pmu_field__parse(struct pmu_field *f, const char *text) must_check;

unsigned pmu_field__width(const struct pmu_field *f); /* in bits */

/*
 * Puts a value there: its lowest bit into the field's lowest, whatever the order in the text.
 * 0; -ERANGE: wider than the field.
 */
int pmu_field__set(const struct pmu_field *f, uint64_t value,
		   uint64_t words[PMU_CONFIGS]) must_check;

struct pmu_term {
	const char *name;
	const char *value; /* NULL: none */
};

/**
 * pmu_term__next() - cut off the first of a list of terms
 * @text: NUL-terminated; written to. Points behind the term afterwards, or to NULL at the end
 * @t:	  points into @text
 *
 * A value may be in quotes, 'a,b' or "a,b"; they are taken away.
 *
 * Return: 0; -EINVAL: an empty term, no name, or a quote that is not closed; not to go on then.
 */
int pmu_term__next(char **text, struct pmu_term *t) must_check;

#endif
