// SPDX-License-Identifier: BSD-2-Clause
/* Event names and option values as people type them. */
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/parse.h"
#include "perf/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct perf_event_env nowhere = { .root = "/nonexistent" };

static void check_name(const struct perf_event_spec *ev, const char *name)
{
	struct perf_events again = {};
	struct buf why = {};

	if (perf_events__parse(&again, &nowhere, name, &why) || again.nr != 1)
		abort();
	if (memcmp(&again.items[0].attr, &ev->attr, sizeof(ev->attr)))
		abort();
	perf_events__free(&again);
	buf__free(&why);
}

/* What is printed of an event is the same event again. Of a group only the leader is pinned. */
static void check_names(const struct perf_events *events)
{
	for (size_t i = 0; i < events->nr; i++)
		if (!events->items[i].named && events->items[i].group < 0)
			check_name(&events->items[i], events->items[i].name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_events events = {};
	size_t nr_list;
	struct buf why = {};
	struct glob glob;
	uint32_t *list;
	uint64_t v;
	char *text = strndup((const char *)data, size);

	if (!text)
		abort();
	/* Failing is fine; failing without a reason is not. */
	if (perf_events__parse(&events, &nowhere, text, &why)) {
		if (!why.len)
			abort();
	} else {
		check_names(&events);
	}
	if (!parse__list(text, 4096, &list, &nr_list))
		free(list);
	if (parse__count(text, 1, UINT64_MAX, &v) || parse__time(text, 1, &v))
		v = 0;
	if (!glob__compile(&glob, text) && !strpbrk(text, "*?") && !glob__matches(&glob, text))
		abort();
	perf_events__free(&events);
	buf__free(&why);
	free(text);
	return 0;
}
