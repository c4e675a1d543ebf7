// SPDX-License-Identifier: BSD-2-Clause
/* Hardware, software and cache events: every kernel knows their names. */
#include <stdio.h>

#include "catalog/catalog_fill.h"
#include "event/event.h"

static int add(struct catalog *c, const struct catalog_fill_opts *o, struct catalog_entry *e,
	       uint32_t type, uint64_t config)
{
	struct perf_event_attr attr = { .size = sizeof(attr), .type = type, .config = config };
	char encoding[64];

	snprintf(encoding, sizeof(encoding), "type=%u config=0x%llx", type,
		 (unsigned long long)config);
	e->encoding = encoding;
	if (o->try)
		e->state = catalog_try_own(&attr);
	return catalog__add(c, e);
}

/* "data reads of the first level that missed" of the three parts of a cache's config. */
static void describe_cache(uint64_t config, char *text, size_t size)
{
	static const char *const caches[] = {
		"the first level's data cache", "the first level's instruction cache",
		"the last level cache",		"the TLB of data",
		"the TLB of instructions",	"the branch predictor",
		"the memory of its own node",
	};
	static const char *const ops[] = { "reads", "writes", "prefetches" };

	snprintf(text, size, "%s %s %s", ops[config >> 8 & 0xff],
		 config >> 16 ? "that missed" : "of", caches[config & 0xff]);
}

static int add_caches(struct catalog *c, const struct catalog_fill_opts *o)
{
	char name[64], text[128];
	int err = 0;

	for (uint64_t cache = 0; cache < PERF_COUNT_HW_CACHE_MAX && !err; cache++) {
		for (uint64_t op = 0; op < PERF_COUNT_HW_CACHE_OP_MAX && !err; op++) {
			for (uint64_t result = 0; result < PERF_COUNT_HW_CACHE_RESULT_MAX && !err;
			     result++) {
				uint64_t config = cache | op << 8 | result << 16;
				struct catalog_entry e = { .kind = CATALOG_CACHE };

				if (!perf_event__cache_name(config, name, sizeof(name)))
					continue;
				describe_cache(config, text, sizeof(text));
				e.name = name;
				e.text = text;
				err = add(c, o, &e, PERF_TYPE_HW_CACHE, config);
			}
		}
	}
	return err;
}

int catalog_fill__generic(struct catalog *c, const struct catalog_fill_opts *o, unsigned kinds)
{
	const struct perf_event_name *g;
	int err = 0;

	for (size_t i = 0; (g = perf_event__name(i)) && !err; i++) {
		struct catalog_entry e = {
			.kind = g->type == PERF_TYPE_HARDWARE ? CATALOG_HARDWARE : CATALOG_SOFTWARE,
			.name = g->name,
			.alias = g->alias,
			.text = g->text,
			.unit = g->unit,
		};

		if (kinds & 1u << e.kind)
			err = add(c, o, &e, g->type, g->config);
	}
	if (!err && kinds & 1u << CATALOG_CACHE)
		err = add_caches(c, o);
	return err;
}
