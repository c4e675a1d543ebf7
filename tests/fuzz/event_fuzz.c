// SPDX-License-Identifier: BSD-2-Clause
/* Event names and option values as people type them. */
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/parse.h"
#include "perf/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct perf_event_env nowhere = { .root = "/nonexistent" };
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
	if (perf_events__parse(&events, &nowhere, text, &why) && !why.len)
		abort();
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
