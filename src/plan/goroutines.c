// SPDX-License-Identifier: BSD-2-Clause
/* Functions of Go's scheduler -> probes on them. */
#include "plan/goroutines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lookup/lookup_code.h"

static const struct {
	const char *name;
	bool on, optional;
} functions[] = {
	{ "runtime.execute", true, false },
	{ "runtime.schedule", false, false },
	{ "runtime.coroswitch_m", false, true },
};

static int add(struct goroutines *g, const char *path, uint64_t offset, bool on,
	       const struct perf_event_env *env, struct buf *why)
{
	struct buf text = {};
	int err = buf__printf(&text, "uprobe:%s:0x%llx", path, (unsigned long long)offset);

	if (!err)
		err = perf_events__parse(&g->events, env, text.data, why);
	if (!err)
		err = array__grow(&g->switches, &g->cap, g->nr + 1);
	if (!err)
		g->switches[g->nr++] = (struct func_switch){ .on = on };
	buf__free(&text);
	return err;
}

static bool has_file(const struct goroutines *g, const char *path)
{
	for (size_t i = 0; i < g->events.nr; i++)
		if (g->events.items[i].site.home && !strcmp(g->events.items[i].site.home, path))
			return true;
	return false;
}

int goroutines__add(struct goroutines *g, const char *path, const struct perf_event_env *env,
		    struct buf *why)
{
	int err = 0;

	if (has_file(g, path))
		return 0;
	for (size_t i = 0; i < ARRAY_SIZE(functions) && !err; i++) {
		bool is_there;
		uint64_t at;

		err = lookup__go_entry(env->reader_of_files, path, functions[i].name, &at,
				       &is_there, why);
		if (err || (!is_there && functions[i].optional))
			continue;
		if (!is_there)
			return buf__printf(why,
					   "-e: '%s' has no symbol %s, where Go's scheduler could "
					   "be followed; without -e the time of calls is known",
					   path, functions[i].name)
				       ? -ENOMEM
				       : -EINVAL;
		err = add(g, path, at, functions[i].on, env, why);
	}
	return err;
}

void goroutines__finish(struct goroutines *g)
{
	for (size_t i = 0; i < g->nr; i++)
		g->switches[i].event = &g->events.items[i];
}

void goroutines__free(struct goroutines *g)
{
	perf_events__free(&g->events);
	free(g->switches);
	*g = (struct goroutines){};
}
