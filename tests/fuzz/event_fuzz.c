// SPDX-License-Identifier: BSD-2-Clause
/* Event names and option values as people type them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/parse.h"
#include "event/event.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct perf_event_env nowhere = { .root = "/nonexistent" };

/* Any function is there. */
static int function(struct lookup_reader *reader, const char *path, const char *symbol,
		    struct perf_location *out, struct buf *why)
{
	*out = (struct perf_location){
		.path = strdup(path), .offset = 0x1000, .at_entry = true, .skip = 4
	};
	return out->path ? 0 : -ENOMEM;
}

static int usdt(struct lookup_reader *reader, const char *path, const char *provider,
		const char *name, struct perf_location **out, size_t *nr, struct buf *why)
{
	*nr = 2;
	*out = calloc(2, sizeof(**out));
	for (size_t i = 0; *out && i < 2; i++)
		(*out)[i] = (struct perf_location){ .path = strdup(path),
						    .offset = i,
						    .provider = strdup("p"),
						    .args = strdup("-4@%edi") };
	return *out ? 0 : -ENOMEM;
}

static const struct perf_function matches[] = {
	{ .home = "", .name = "first" },
	{ .home = "ext4", .name = "second" },
	{ .home = "", .name = "third", .why_not = "it is fuzzed" },
};

static int kernel_functions(const char *glob, perf_function_fn *fn, perf_function_fn *skip,
			    void *arg, struct buf *why)
{
	int err = 0;

	for (size_t i = 0; i < 3 && !err; i++)
		err = (matches[i].why_not ? skip : fn)(&matches[i], arg);
	return err;
}

static int functions(struct lookup_reader *reader, const char *path, const char *glob,
		     perf_function_fn *fn, void *arg, struct buf *why)
{
	const struct perf_function f = { .home = path, .name = "first", .at_entry = true };
	const struct perf_function g = { .home = path, .name = "second", .offset = 16 };
	int err = fn(&f, arg);

	return err ? err : fn(&g, arg);
}

/* Every place that can be named is there. */
static const struct perf_event_env everywhere = {
	.root = "/nonexistent",
	.sites = true,
	.function = function,
	.usdt = usdt,
	.kernel_functions = kernel_functions,
	.functions = functions,
};

static void check_site(const struct perf_event_spec *ev)
{
	const struct perf_site *s = &ev->site;
	bool is_user = s->kind == SITE_UPROBE || s->kind == SITE_URETPROBE || s->kind == SITE_USDT;

	if (ev->text || ev->fallback || (is_user && !s->home) ||
	    (s->kind != SITE_NONE && !is_user && !s->name) ||
	    (s->kind == SITE_USDT) != (s->args && s->vendor))
		abort();
	if (s->kind > SITE_TRACEPOINT && ev->attr.type != PERF_TYPE_MAX)
		abort();
}

static void check_name(const struct perf_event_spec *ev, const struct perf_event_env *env,
		       const char *name)
{
	struct perf_events again = {};
	struct buf why = {};

	if (perf_events__parse(&again, env, name, &why) || !again.nr)
		abort();
	if (again.nr != 1 && ev->site.kind != SITE_USDT)
		abort();
	if (memcmp(&again.items[0].attr, &ev->attr, sizeof(ev->attr)) ||
	    again.items[0].site.kind != ev->site.kind)
		abort();
	perf_events__free(&again);
	buf__free(&why);
}

/*
 * What is printed of an event is the same event again. Of a group only the leader is pinned; a
 * symbol's version ("f@V") reads as a rate.
 */
static void check_names(const struct perf_events *events, const struct perf_event_env *env)
{
	for (size_t i = 0; i < events->nr; i++)
		if (!events->items[i].named && events->items[i].group < 0 &&
		    !strchr(events->items[i].name, '@'))
			check_name(&events->items[i], env, events->items[i].name);
}

/* Failing is fine; failing without a reason is not. */
static void try_events(const char *text, const struct perf_event_env *env)
{
	struct perf_events events = {};
	struct buf why = {};

	if (!perf_events__parse(&events, env, text, &why))
		check_names(&events, env);
	else if (!why.len)
		abort();
	for (size_t i = 0; env->sites && i < events.nr; i++)
		check_site(&events.items[i]);
	perf_events__free(&events);
	buf__free(&why);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	size_t nr_list;
	struct glob glob;
	uint32_t *list;
	uint64_t v;
	char *text = strndup((const char *)data, size);

	if (!text)
		abort();
	try_events(text, &nowhere);
	try_events(text, &everywhere);
	if (!parse__list(text, 4096, &list, &nr_list))
		free(list);
	if (parse__count(text, 1, UINT64_MAX, &v) || parse__time(text, 1, &v))
		v = 0;
	if (!glob__compile(&glob, text) && !strpbrk(text, "*?") && !glob__matches(&glob, text))
		abort();
	free(text);
	return 0;
}
