/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/pmu_words.h - the words that terms for one PMU are made of, and what each of them is.
 */
#ifndef PMUTRACE_EVENT_PMU_WORDS_H
#define PMUTRACE_EVENT_PMU_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/pmu_events.h"
#include "event/pmu_syntax.h"

struct pmu_words {
	const char *pmu; /* borrowed */
	struct pmu_format *formats;
	size_t nr_formats;
	struct pmu_event *events;
	size_t nr_events;
};

/* 0; -ENOENT: no such PMU; another -errno. @root: "" or a fixture tree. */
int pmu_words__read(struct pmu_words *w, const char *root, const char *pmu) must_check;
void pmu_words__free(struct pmu_words *w);

enum pmu_word {
	WORD_CONFIG, /* index: of the config word */
	WORD_RAW,    /* rHEX */
	WORD_FIELD,  /* index: in formats */
	WORD_EVENT,  /* index: in events */
	WORD_NAME,
	WORD_PERIOD,
	WORD_FREQ,
	WORD_UNSUPPORTED, /* perf's, not ours */
	WORD_UNKNOWN,
};

/* What a term is. @in_event: it is one of an event's; events name no events in turn. */
enum pmu_word pmu_words__look_up(const struct pmu_words *w, const struct pmu_term *t, bool in_event,
				 size_t *index);

/* Appends what may have been meant with @name, and what there is. 0 or -ENOMEM. */
int pmu_words__suggest(const struct pmu_words *w, const char *name, struct buf *out) must_check;

#endif
