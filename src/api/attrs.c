// SPDX-License-Identifier: BSD-2-Clause
/* Events by attr: their labels, and their place in the list. */
#include <string.h>

#include "api/parts.h"

/* The kernel's name for it, or numbers. */
static int name_attr(const struct perf_event_attr *a, struct buf *out)
{
	static const char *const types[] = {
		[PERF_TYPE_HARDWARE] = "hardware",
		[PERF_TYPE_SOFTWARE] = "software",
		[PERF_TYPE_TRACEPOINT] = "tracepoint",
		[PERF_TYPE_HW_CACHE] = "cache",
		[PERF_TYPE_RAW] = "raw",
		[PERF_TYPE_BREAKPOINT] = "breakpoint",
	};
	const struct perf_event_name *n;
	char cache[64];

	for (size_t i = 0; (n = perf_event__name(i)); i++)
		if (n->type == a->type && n->config == a->config)
			return buf__puts(out, n->name);
	if (a->type == PERF_TYPE_HW_CACHE &&
	    perf_event__cache_name(a->config, cache, sizeof(cache)))
		return buf__puts(out, cache);
	if (a->type == PERF_TYPE_BREAKPOINT)
		return buf__printf(out, "breakpoint 0x%llx", (unsigned long long)a->bp_addr);
	if (a->type < ARRAY_SIZE(types))
		return buf__printf(out, "%s 0x%llx", types[a->type], (unsigned long long)a->config);
	return buf__printf(out, "type %u 0x%llx", a->type, (unsigned long long)a->config);
}

int events__add_attr(struct pmutrace_events *e, const struct perf_event_attr *attr,
		     const char *label, bool group)
{
	struct buf name = {};
	struct perf_event_spec *spec;
	size_t size = attr->size && attr->size < sizeof(*attr) ? attr->size : sizeof(*attr);
	int err = array__grow(&e->list.items, &e->list.cap, e->list.nr + 1);

	if (!err)
		err = label ? buf__puts(&name, label) : name_attr(attr, &name);
	if (err) {
		buf__free(&name);
		return err;
	}
	spec = &e->list.items[e->list.nr];
	*spec = (struct perf_event_spec){
		.name = name.data,
		.scale = 1,
		.group = group ? 0 : EVENT_NO_GROUP,
		.part_of = (uint32_t)e->list.nr,
	};
	memcpy(&spec->attr, attr, size);
	spec->attr.size = sizeof(spec->attr);
	e->list.nr++;
	e->list.nr_groups = group;
	return 0;
}
