// SPDX-License-Identifier: BSD-2-Clause
/* Adds, copies and sorts entries; matches patterns; the names of kinds and states. */
#include "model/catalog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/strtab.h"

static const struct {
	const char *name;
	const char *others[3]; /* also understood; those of `perf list` among them */
} kinds[CATALOG_NR] = {
	[CATALOG_HARDWARE] = { "hardware", { "hw" } },
	[CATALOG_SOFTWARE] = { "software", { "sw" } },
	[CATALOG_CACHE] = { "cache", { "hwcache" } },
	[CATALOG_PMU] = { "pmu", { "pmus" } },
	[CATALOG_SYNTAX] = { "syntax", { "raw" } },
	[CATALOG_VENDOR] = { "vendor", { "libpfm4" } },
	[CATALOG_TRACEPOINT] = { "tracepoint", { "tracepoints" } },
	[CATALOG_KPROBE] = { "kprobe", { "kprobes" } },
	[CATALOG_UPROBE] = { "uprobe", { "uprobes" } },
	[CATALOG_USDT] = { "usdt" },
};

const char *catalog_kind__name(enum catalog_kind kind)
{
	return kind < CATALOG_NR ? kinds[kind].name : "unknown";
}

static bool is_word(const char *known, const char *word, size_t len)
{
	return known && strlen(known) == len && !strncmp(known, word, len);
}

bool catalog_kind__parse(const char *word, size_t len, enum catalog_kind *out)
{
	for (unsigned i = 0; i < CATALOG_NR; i++) {
		bool found = is_word(kinds[i].name, word, len);

		for (size_t k = 0; k < ARRAY_SIZE(kinds[i].others) && !found; k++)
			found = is_word(kinds[i].others[k], word, len);
		if (!found)
			continue;
		*out = i;
		return true;
	}
	return false;
}

const char *catalog_state__name(enum catalog_state state)
{
	switch (state) {
	case CATALOG_OPENS:
		return "opens";
	case CATALOG_NOT_SUPPORTED:
		return "not-supported";
	case CATALOG_NO_PERMISSION:
		return "no-permission";
	case CATALOG_UNKNOWN:
		break;
	}
	return NULL;
}

int catalog_pattern__compile(struct catalog_pattern *p, const char *text)
{
	int err;

	*p = (struct catalog_pattern){ .text = text };
	if (!text || !strpbrk(text, "*?"))
		return 0;
	p->has_glob = true;
	err = glob__compile(&p->glob, text);
	for (int c = 'a'; c <= 'z'; c++) {
		uint64_t both = p->glob.accepts[c] | p->glob.accepts[c - 'a' + 'A'];

		p->glob.accepts[c] = p->glob.accepts[c - 'a' + 'A'] = both;
	}
	return err;
}

/* EVENT of "PMU/EVENT/". */
static bool matches_event_of_pmu(const struct catalog_pattern *p, const char *name)
{
	size_t len = strlen(name);
	const char *slash = strchr(name, '/');
	char event[128];

	if (!slash || name[len - 1] != '/' || slash == name + len - 1)
		return false;
	len = name + len - 1 - (slash + 1);
	if (len >= sizeof(event))
		return false;
	memcpy(event, slash + 1, len);
	event[len] = '\0';
	return glob__matches(&p->glob, event);
}

bool catalog_pattern__matches(const struct catalog_pattern *p, const char *name)
{
	if (!p->text)
		return true;
	if (!p->has_glob)
		return *p->text && strcasestr(name, p->text);
	for (const char *part = name; part; part = strchr(part, ':')) {
		part += *part == ':';
		if (glob__matches(&p->glob, part))
			return true;
	}
	return matches_event_of_pmu(p, name);
}

int catalog__init(struct catalog *c, const struct catalog_pattern *pattern)
{
	*c = (struct catalog){ .pattern = *pattern, .strings = strtab__new() };
	return c->strings ? 0 : -ENOMEM;
}

void catalog__free(struct catalog *c)
{
	strtab__free(c->strings);
	free(c->items);
	free(c->fields);
	*c = (struct catalog){};
}

/* NULL stays NULL. */
static int copy(struct catalog *c, const char **s)
{
	uint32_t id;
	int err = *s ? strtab__add(c->strings, *s, strlen(*s), &id) : 0;

	if (!err && *s)
		*s = strtab__get(c->strings, id);
	return err;
}

int catalog__put(struct catalog *c, const struct catalog_entry *e)
{
	struct catalog_entry entry = *e;
	const char **strings[] = { &entry.name, &entry.alias,	 &entry.group,
				   &entry.text, &entry.encoding, &entry.unit };
	int err;

	if (!entry.unit)
		entry.unit = "";
	entry.first_field = c->nr_fields;
	entry.nr_fields = 0;
	err = array__grow(&c->items, &c->cap, c->nr + 1);
	for (size_t i = 0; i < ARRAY_SIZE(strings) && !err; i++)
		err = copy(c, strings[i]);
	if (!err)
		c->items[c->nr++] = entry;
	return err;
}

int catalog__add(struct catalog *c, const struct catalog_entry *e)
{
	if (!catalog_pattern__matches(&c->pattern, e->name) &&
	    !(e->alias && catalog_pattern__matches(&c->pattern, e->alias)))
		return 0;
	return catalog__put(c, e);
}

int catalog__add_field(struct catalog *c, const struct catalog_field *f)
{
	struct catalog_field field = *f;
	int err = array__grow(&c->fields, &c->cap_fields, c->nr_fields + 1);

	if (!err)
		err = copy(c, &field.name);
	if (!err)
		err = copy(c, &field.type);
	if (err)
		return err;
	c->fields[c->nr_fields++] = field;
	c->items[c->nr - 1].nr_fields++;
	return 0;
}

static int by_kind_and_name(const void *a, const void *b)
{
	const struct catalog_entry *x = a, *y = b;
	int order = (x->kind > y->kind) - (x->kind < y->kind);

	if (!order)
		order = strcmp(x->name, y->name);
	if (!order && x->encoding && y->encoding)
		order = strcmp(x->encoding, y->encoding);
	return order;
}

void catalog__sort(struct catalog *c)
{
	if (c->nr)
		qsort(c->items, c->nr, sizeof(*c->items), by_kind_and_name);
}
