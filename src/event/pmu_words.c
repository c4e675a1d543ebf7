// SPDX-License-Identifier: BSD-2-Clause
/* Classifies a term of a PMU: field, event, config word, name, period or freq; suggests names. */
#include "event/pmu_words.h"

#include <string.h>
#include <strings.h>

#include "base/parse.h"
#include "event/pmu.h"
#include "event/pmu_sysfs.h"

static const struct {
	const char *name;
	enum pmu_word kind;
	size_t index;
} known[] = {
	{ "config", WORD_CONFIG, 0 },  { "config1", WORD_CONFIG, 1 }, { "config2", WORD_CONFIG, 2 },
	{ "config3", WORD_CONFIG, 3 }, { "name", WORD_NAME, 0 },      { "period", WORD_PERIOD, 0 },
	{ "freq", WORD_FREQ, 0 },
};

/* Of perf's own terms (util/parse-events.l) those that say how perf shall record. */
static const char *const unsupported[] = {
	"aux-action", "aux-output", "aux-sample-size", "branch_type",  "call-graph", "inherit",
	"max-stack",  "metric-id",  "no-inherit",      "no-overwrite", "nr",	     "overwrite",
	"percore",    "stack-size", "ratio-to-prev",   "time",
};

int pmu_words__read(struct pmu_words *w, const char *root, const char *pmu)
{
	struct buf type = {};
	int err = pmu_sysfs__read(root, pmu, NULL, "type", &type);

	*w = (struct pmu_words){ .pmu = pmu };
	buf__free(&type);
	if (!err)
		err = pmu__formats(root, pmu, &w->formats, &w->nr_formats);
	if (!err)
		err = pmu__events(root, pmu, &w->events, &w->nr_events);
	if (err)
		pmu_words__free(w);
	return err;
}

void pmu_words__free(struct pmu_words *w)
{
	pmu_formats__free(w->formats, w->nr_formats);
	pmu_events__free(w->events, w->nr_events);
	*w = (struct pmu_words){};
}

/* Case aside if none is spelled like that: pmu_find_alias() of tools/perf/util/pmu.c. */
static bool find_event(const struct pmu_words *w, const char *name, size_t *index)
{
	for (*index = 0; *index < w->nr_events; ++*index)
		if (!strcmp(w->events[*index].name, name))
			return true;
	for (*index = 0; *index < w->nr_events; ++*index)
		if (!strcasecmp(w->events[*index].name, name))
			return true;
	return false;
}

static bool find_field(const struct pmu_words *w, const char *name, size_t *index)
{
	for (*index = 0; *index < w->nr_formats; ++*index)
		if (!strcmp(w->formats[*index].name, name))
			return true;
	return false;
}

static bool is_raw(const struct pmu_term *t)
{
	size_t len = strlen(t->name);

	return !t->value && len >= 2 && len <= 17 && t->name[0] == 'r' &&
	       strspn(t->name + 1, "0123456789abcdefABCDEF") == len - 1;
}

enum pmu_word pmu_words__look_up(const struct pmu_words *w, const struct pmu_term *t, bool in_event,
				 size_t *index)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (strcmp(known[i].name, t->name))
			continue;
		*index = known[i].index;
		return known[i].kind;
	}
	if (!in_event && t->value && !strcmp(t->name, "event") && find_event(w, t->value, index))
		return WORD_EVENT;
	if (find_field(w, t->name, index))
		return WORD_FIELD;
	if (!in_event && !t->value && find_event(w, t->name, index))
		return WORD_EVENT;
	if (is_raw(t))
		return WORD_RAW;
	for (size_t i = 0; i < ARRAY_SIZE(unsupported); i++)
		if (!strcmp(unsupported[i], t->name))
			return WORD_UNSUPPORTED;
	return WORD_UNKNOWN;
}

int pmu_words__suggest(const struct pmu_words *w, const char *name, struct buf *out)
{
	const struct {
		const char *what;
		const char *const *items;
		size_t nr, stride;
	} lists[] = {
		{ "fields", w->nr_formats ? (const char *const *)&w->formats->name : NULL,
		  w->nr_formats, sizeof(*w->formats) },
		{ "events", w->nr_events ? (const char *const *)&w->events->name : NULL,
		  w->nr_events, sizeof(*w->events) },
		{ w->nr_formats || w->nr_events ? "always" : "terms", &known[0].name,
		  ARRAY_SIZE(known), sizeof(known[0]) },
	};
	const char *near[ARRAY_SIZE(lists)], *best;
	bool first = true;
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
		near[i] = nearest(name, lists[i].items, lists[i].nr, lists[i].stride);
	best = nearest(name, near, ARRAY_SIZE(near), sizeof(*near));
	if (best)
		err = buf__printf(out, "; did you mean %s?", best);
	for (size_t i = 0; !err && i < ARRAY_SIZE(lists); i++) {
		if (!lists[i].nr)
			continue;
		err = buf__printf(out, "%s%s: ", first && best ? " Known " : "; ", lists[i].what);
		first = false;
		if (!err)
			err = pmu__put_names(out, lists[i].items, lists[i].nr, lists[i].stride);
	}
	return err;
}
