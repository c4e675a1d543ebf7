// SPDX-License-Identifier: BSD-2-Clause
/* Writes a profile's strings, frames and stacks as the columns of Firefox Profiler. */
#include "print/firefox_tables.h"

#include <errno.h>
#include <stdlib.h>

#include "base/idmap.h"
#include "base/strtab.h"
#include "model/profile.h"
#include "print/json.h"

enum { RESOURCE_LIBRARY = 1 }; /* resourceTypes of src/profile-logic/data-structures.ts */

struct firefox_tables {
	struct json *j;
	const struct profile *p;
	int64_t *resources; /* of each frame; -1: none */
	uint32_t *modules;  /* string of each resource */
	size_t nr_modules, cap_modules;
};

static int add_module(struct firefox_tables *x, uint32_t module)
{
	int err = array__grow(&x->modules, &x->cap_modules, x->nr_modules + 1);

	if (!err)
		x->modules[x->nr_modules++] = module;
	return err;
}

/* A resource for each binary. */
static int find_resources(struct firefox_tables *x)
{
	const struct profile *p = x->p;
	struct idmap known = {};
	int err = 0;

	x->resources = calloc(p->nr_frames + 1, sizeof(*x->resources));
	if (!x->resources)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_frames && !err; i++) {
		uint32_t module = p->frames[i].module;

		uint32_t id = x->nr_modules;

		x->resources[i] = -1;
		if (!*strtab__get(p->strings, module))
			continue;
		if (!idmap__get(&known, module, &id)) {
			err = add_module(x, module);
			if (!err)
				err = idmap__set(&known, module, id);
		}
		x->resources[i] = id;
	}
	idmap__free(&known);
	return err;
}

void columns__open(struct json *j, const char *key, size_t nr)
{
	json__line(j);
	json__open(j, key);
	json__u64(j, "length", nr);
}

static void put_nulls(struct json *j, const char *key, size_t nr)
{
	json__open_array(j, key);
	for (size_t i = 0; i < nr; i++)
		json__null(j, NULL);
	json__close_array(j);
}

static void put_same(struct json *j, const char *key, size_t nr, int64_t n)
{
	json__open_array(j, key);
	for (size_t i = 0; i < nr; i++)
		json__i64(j, NULL, n);
	json__close_array(j);
}

static void put_falses(struct json *j, const char *key, size_t nr)
{
	json__open_array(j, key);
	for (size_t i = 0; i < nr; i++)
		json__bool(j, NULL, false);
	json__close_array(j);
}

/* Tables without rows. */
void columns__put_empty(struct json *j, const char *key, const char *const *columns, size_t nr)
{
	columns__open(j, key, 0);
	for (size_t i = 0; i < nr; i++)
		put_nulls(j, columns[i], 0);
	json__close(j);
}

static void put_empty_tables(struct json *j)
{
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize" };
	static const char *const sources[] = { "id",	      "filename",     "startLine",
					       "startColumn", "sourceMapURL", "content" };
	static const char *const locations[] = { "source", "line", "column" };

	columns__put_empty(j, "nativeSymbols", symbols, ARRAY_SIZE(symbols));
	columns__put_empty(j, "sources", sources, ARRAY_SIZE(sources));
	columns__put_empty(j, "sourceLocationTable", locations, ARRAY_SIZE(locations));
}

/* The profile's, with the same ids; behind them what names are that are empty. */
static void put_strings(struct firefox_tables *x)
{
	const struct strtab *strings = x->p->strings;
	struct json *j = x->j;

	json__line(j);
	json__open_array(j, "stringArray");
	for (uint32_t i = 0; i < strtab__nr(strings); i++)
		json__string(j, NULL, strtab__get(strings, i));
	json__string(j, NULL, "[unknown]");
	json__close_array(j);
}

static void put_functions(struct firefox_tables *x)
{
	const struct profile *p = x->p;
	struct json *j = x->j;
	size_t nr = p->nr_frames;

	columns__open(j, "funcTable", nr);
	json__open_array(j, "name");
	for (size_t i = 0; i < nr; i++)
		json__u64(j, NULL,
			  *profile__name(p, i) ? p->frames[i].name : strtab__nr(p->strings));
	json__close_array(j);
	put_falses(j, "isJS", nr);
	put_falses(j, "relevantForJS", nr);
	json__open_array(j, "resource");
	for (size_t i = 0; i < nr; i++)
		json__i64(j, NULL, x->resources[i]);
	json__close_array(j);
	put_nulls(j, "source", nr);
	put_nulls(j, "lineNumber", nr);
	put_nulls(j, "columnNumber", nr);
	put_nulls(j, "originalLocation", nr);
	json__close(j);
}

/* One of each function: nothing is known of places in them. */
static void put_frames(struct firefox_tables *x)
{
	const struct frame *frames = x->p->frames;
	size_t nr = x->p->nr_frames;
	struct json *j = x->j;

	columns__open(j, "frameTable", nr);
	json__open_array(j, "func");
	for (size_t i = 0; i < nr; i++)
		json__u64(j, NULL, i);
	json__close_array(j);
	json__open_array(j, "category");
	for (size_t i = 0; i < nr; i++)
		json__u64(j, NULL, frames[i].kind);
	json__close_array(j);
	json__open_array(j, "inlineDepth");
	for (size_t i = 0; i < nr; i++)
		json__u64(j, NULL, frames[i].kind == FRAME_INLINED);
	json__close_array(j);
	put_same(j, "subcategory", nr, 0);
	put_same(j, "address", nr, -1);
	put_nulls(j, "nativeSymbol", nr);
	put_nulls(j, "innerWindowID", nr);
	put_nulls(j, "line", nr);
	put_nulls(j, "column", nr);
	put_nulls(j, "originalLocation", nr);
	json__close(j);
}

/* All nodes but the root. How far before it its caller stands; 0: it has none. */
static void put_stacks(struct firefox_tables *x)
{
	const struct stack_node *nodes = x->p->nodes;
	size_t nr = x->p->nr_nodes;
	struct json *j = x->j;

	columns__open(j, "stackTable", nr ? nr - 1 : 0);
	json__open_array(j, "frame");
	for (size_t i = 1; i < nr; i++)
		json__u64(j, NULL, nodes[i].frame);
	json__close_array(j);
	json__open_array(j, "prefixOffset");
	for (size_t i = 1; i < nr; i++)
		json__u64(j, NULL, nodes[i].parent ? i - nodes[i].parent : 0);
	json__close_array(j);
	json__close(j);
}

static void put_resources(struct firefox_tables *x)
{
	struct json *j = x->j;

	columns__open(j, "resourceTable", x->nr_modules);
	json__open_array(j, "name");
	for (size_t i = 0; i < x->nr_modules; i++)
		json__u64(j, NULL, x->modules[i]);
	json__close_array(j);
	put_same(j, "type", x->nr_modules, RESOURCE_LIBRARY);
	put_nulls(j, "lib", x->nr_modules);
	put_nulls(j, "host", x->nr_modules);
	json__close(j);
}

int firefox_tables__put(struct json *j, const struct profile *p)
{
	struct firefox_tables x = { .j = j, .p = p };
	int err = find_resources(&x);

	if (err)
		goto out_free;
	json__line(j);
	json__open(j, "shared");
	put_strings(&x);
	put_functions(&x);
	put_frames(&x);
	put_stacks(&x);
	put_resources(&x);
	put_empty_tables(j);
	json__close(j);
out_free:
	free(x.resources);
	free(x.modules);
	return err;
}
