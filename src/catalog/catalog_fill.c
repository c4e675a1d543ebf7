// SPDX-License-Identifier: BSD-2-Clause
/* Fills a catalog with all kinds that are wanted; notes those that could not be read. */
#include "catalog/catalog_fill.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "catalog/catalog_try.h"
#include "event/event.h"
#include "event/vendor.h"
#include "perf/open.h"

static int add_generic(struct catalog *c, const struct catalog_fill_opts *o,
		       struct catalog_entry *e, uint32_t type, uint64_t config)
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
				err = add_generic(c, o, &e, PERF_TYPE_HW_CACHE, config);
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
			err = add_generic(c, o, &e, g->type, g->config);
	}
	if (!err && kinds & 1u << CATALOG_CACHE)
		err = add_caches(c, o);
	return err;
}

struct vendor_filling {
	struct catalog *c;
	struct buf name, text;
};

static int add_vendor(void *arg, const struct vendor_event *v)
{
	struct vendor_filling *f = arg;
	struct catalog_entry e = { .kind = CATALOG_VENDOR, .group = v->pmu };
	bool more = v->umask && v->umask_desc && *v->umask_desc;
	int err;

	/* Generic ones under libpfm4's own names: they are listed as what they are. */
	if (!strcmp(v->pmu, "perf") || !strcmp(v->pmu, "perf_raw"))
		return 0;
	buf__clear(&f->name);
	buf__clear(&f->text);
	err = buf__printf(&f->name, "%s::%s%s%s", v->pmu, v->name, v->umask ? ":" : "",
			  v->umask ? v->umask : "");
	if (!err)
		err = buf__printf(&f->text, "%s%s%s", v->desc, more ? ": " : "",
				  more ? v->umask_desc : "");
	e.name = f->name.data;
	e.text = f->text.data;
	return err ? err : catalog__add(f->c, &e);
}

int catalog_fill__vendor(struct catalog *c)
{
	struct vendor_filling f = { .c = c };
	int err = vendor__list(add_vendor, &f);

	buf__free(&f.name);
	buf__free(&f.text);
	return err == -EOPNOTSUPP ? 0 : err;
}

#define BIT(kind) (1u << (kind))

/*
 * What to do about a kind that could not be read: @refused tells it, and the others are there; an
 * error if that is NULL. @what: the name of the kind; @own: why, or empty; freed here.
 */
static int take_refusal(const char *what, int err, struct buf *own, struct buf *refused,
			struct buf *why)
{
	if (err && err != -ENOMEM) {
		int full = own->len ? 0 : buf__puts(own, strerror(-err));

		if (!full && !refused)
			full = buf__puts(why, own->data);
		else if (!full)
			full = buf__printf(refused, "%sno %s: %s", refused->len ? "; " : "", what,
					   own->data);
		err = full ? full : refused ? 0 : err;
	}
	buf__free(own);
	return err;
}

static int fill_tracepoints(struct catalog *c, const struct catalog_fill_opts *o,
			    const struct catalog_wanted *w, struct buf *refused, struct buf *why)
{
	struct buf own = {};
	int err = catalog_fill__tracepoints(c, o->root, w->fields, &own);

	/* To callers -EINVAL means that the user typed something wrong. */
	if (err == -EINVAL)
		err = -EIO;
	return take_refusal("tracepoints", err, &own, refused, why);
}

static int fill_functions(struct catalog *c, struct buf *refused, struct buf *why)
{
	struct buf own = {};
	int err = catalog_fill__kernel_functions(c, &own);

	return take_refusal("functions of the kernel", err, &own, refused, why);
}

int catalog_fill__wanted(struct catalog *c, const struct catalog_fill_opts *o,
			 const struct catalog_wanted *w, struct buf *refused, struct buf *why)
{
	int err = catalog_fill__generic(c, o, w->kinds);

	if (!err && w->kinds & BIT(CATALOG_PMU))
		err = catalog_fill__pmus(c, o);
	if (!err && w->kinds & BIT(CATALOG_SYNTAX))
		err = catalog_fill__syntax(c, o);
	if (!err && w->kinds & BIT(CATALOG_VENDOR))
		err = catalog_fill__vendor(c);
	if (!err && w->kinds & BIT(CATALOG_TRACEPOINT))
		err = fill_tracepoints(c, o, w, refused, why);
	if (!err && w->kinds & BIT(CATALOG_KPROBE))
		err = fill_functions(c, refused, why);
	if (!err && w->kinds & BIT(CATALOG_UPROBE))
		err = catalog_fill__functions(c, w->functions, w->reader, why);
	if (!err && w->kinds & BIT(CATALOG_USDT))
		err = catalog_fill__usdt(c, w->usdt, w->reader, why);
	return err;
}
