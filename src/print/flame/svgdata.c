// SPDX-License-Identifier: BSD-2-Clause
/*
 * Writes the tree for flame/draw.js, as JSON:
 *
 *	{ "title": "...", "icicle": false, "noun": "sample", "tree": "0(1(2:5,3:7))",
 *	  "classes": "a0c3...", "module": [0, 0, ...], "names": ["all", "bash", ...],
 *	  "modules": ["", ...] }
 *
 * A node of the tree is the index of its name, its own samples behind a colon unless
 * they are 0, and its children in parentheses. names, module and classes (two
 * characters each) go by that index.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "print/escape.h"
#include "print/flame/drawing.h"

/* Numbers in order of first appearance, from 0. */
struct numbering {
	uint32_t *number; /* by id */
	uint32_t *ids;	  /* by number */
	uint32_t nr;
};

enum { UNNUMBERED = UINT32_MAX };

static int numbering__init(struct numbering *n, size_t ids)
{
	n->nr = 0;
	n->number = malloc((ids + 1) * sizeof(*n->number));
	n->ids = malloc((ids + 1) * sizeof(*n->ids));
	if (!n->number || !n->ids)
		return -ENOMEM;
	memset(n->number, 0xff, (ids + 1) * sizeof(*n->number));
	return 0;
}

static void numbering__free(struct numbering *n)
{
	free(n->number);
	free(n->ids);
}

static uint32_t number_of(struct numbering *n, uint32_t id)
{
	if (n->number[id] == UNNUMBERED) {
		n->ids[n->nr] = id;
		n->number[id] = n->nr++;
	}
	return n->number[id];
}

static void put_tree(struct drawing *d, struct numbering *frames)
{
	const struct tree *t = d->tree;
	uint32_t depth = 0;

	for (size_t i = 0; i < t->nr; i++) {
		const struct tree_node *n = &t->nodes[i];

		if (n->depth > depth) {
			writer__putc(&d->w, '(');
		} else if (i) {
			for (; depth > n->depth; depth--)
				writer__putc(&d->w, ')');
			writer__putc(&d->w, ',');
		}
		depth = n->depth;
		/* 0 is the root's. */
		writer__u64(&d->w, i ? number_of(frames, n->frame) + 1 : 0);
		if (n->self) {
			writer__putc(&d->w, ':');
			writer__u64(&d->w, n->self);
		}
	}
	for (; depth; depth--)
		writer__putc(&d->w, ')');
}

static void put_frames(struct drawing *d, const struct numbering *frames, struct numbering *modules)
{
	size_t len;
	uint32_t i;

	writer__puts(&d->w, "\",\n\"classes\":\"");
	drawing__put_class(d, TREE_NO_FRAME);
	for (i = 0; i < frames->nr; i++)
		drawing__put_class(d, frames->ids[i]);
	writer__puts(&d->w, "\",\n\"module\":[0");
	number_of(modules, 0);
	for (i = 0; i < frames->nr; i++) {
		writer__putc(&d->w, ',');
		writer__u64(&d->w, number_of(modules, d->p->frames[frames->ids[i]].module));
	}
	writer__puts(&d->w, "],\n\"names\":[\"all\"");
	for (i = 0; i < frames->nr; i++) {
		const char *name = drawing__name(d, frames->ids[i], &len);

		writer__puts(&d->w, ",\n\"");
		escape__json(&d->w, name, len);
		writer__putc(&d->w, '"');
	}
	writer__puts(&d->w, "],\n\"modules\":[");
	for (i = 0; i < modules->nr; i++) {
		writer__puts(&d->w, i ? ",\"" : "\"");
		escape__json(&d->w, strtab__get(d->p->strings, modules->ids[i]),
			     strtab__len(d->p->strings, modules->ids[i]));
		writer__putc(&d->w, '"');
	}
	writer__puts(&d->w, "]}");
}

int drawing__put_data(struct drawing *d)
{
	struct numbering frames = {}, modules = {};
	int err = numbering__init(&frames, d->p->nr_frames);

	if (!err)
		err = numbering__init(&modules, strtab__nr(d->p->strings));
	if (!err) {
		writer__puts(&d->w, "{\"title\":\"");
		escape__json(&d->w, d->title, strlen(d->title));
		writer__puts(&d->w, "\",\"icicle\":");
		writer__puts(&d->w, d->o->icicle ? "true" : "false");
		writer__puts(&d->w, ",\"noun\":\"");
		writer__puts(&d->w, drawing__noun(d));
		writer__puts(&d->w, "\"");
		writer__puts(&d->w, ",\n\"tree\":\"");
		put_tree(d, &frames);
		put_frames(d, &frames, &modules);
	}
	numbering__free(&frames);
	numbering__free(&modules);
	return err;
}
