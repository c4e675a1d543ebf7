// SPDX-License-Identifier: BSD-2-Clause
/* All kinds that somebody asks for, in one go. */
#include <errno.h>
#include <string.h>

#include "catalog/catalog_fill.h"

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
		err = catalog_fill__functions(c, w->functions, why);
	if (!err && w->kinds & BIT(CATALOG_USDT))
		err = catalog_fill__usdt(c, w->usdt, why);
	return err;
}
