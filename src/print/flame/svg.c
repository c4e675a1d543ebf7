// SPDX-License-Identifier: BSD-2-Clause
/* Writes the SVG document of a flame graph: style, head, legend, boxes, data, script. */
#include "print/flame/svg.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/utf8.h"
#include "flame_css.h"
#include "flame_js.h"
#include "print/escape.h"
#include "print/flame/drawing.h"
#include "print/lossline.h"

enum {
	WIDTH_MIN = 400,
	EVENT_Y = 45,
	LOSS_Y = 62,
	TITLE_CELL = 960, /* hundredths of px: mean width of a letter in that font */
};

static void put_text(struct drawing *d, const char *class, unsigned y, const char *s, size_t len,
		     unsigned room, unsigned cell)
{
	writer__printf(&d->w, "<text class=\"%s\" x=\"%d\" y=\"%u\">", class, DRAW_PAD, y);
	drawing__put_cut(d, s, len, room, cell);
	writer__puts(&d->w, "<title>");
	escape__xml(&d->w, s, len);
	writer__puts(&d->w, "</title></text>\n");
}

/* "cycles:u · 1,041 samples · 5.00 s · 99 Hz · 8 CPUs · innermost first" */
static int describe_event(struct buf *b, const struct drawing *d)
{
	const struct profile_event *e = d->event;
	int err;

	if (d->counts)
		return buf__printf(b,
				   "%s · %s · %s · widths: both sides together%s · grey: "
				   "the same, or nobody can tell",
				   e->name, d->o->sides->names[0], d->o->sides->names[1],
				   d->o->sides->unit ? "" : ", by their shares");
	err = buf__printf(b, "%s · %" PRIu64 " %ss", e->name, d->tree->nodes[0].total,
			  drawing__noun(d));

	if (!err && d->p->duration_ns)
		err = buf__printf(b, " · %.2f s", (double)d->p->duration_ns / 1e9);
	if (!err && e->hz)
		err = buf__printf(b, " · %" PRIu64 " Hz", e->hz);
	else if (!err && e->period)
		err = buf__printf(b, " · one sample in %" PRIu64 "%s%s", e->period,
				  *e->unit ? " " : "", e->unit);
	if (!err && d->p->nr_cpus)
		err = buf__printf(b, " · %u CPU%s", d->p->nr_cpus, d->p->nr_cpus == 1 ? "" : "s");
	if (!err && e->passed_over)
		err = buf__printf(b, " · %" PRIu64 "%s%s in no sample", e->passed_over,
				  *e->unit ? " " : "", e->unit);
	if (!err && d->o->reverse)
		err = buf__puts(b, " · innermost frame first");
	return err;
}

/* Of the plain boxes; the script says how many it draws. */
static void put_cut_note(struct drawing *d)
{
	writer__printf(&d->w,
		       "<text class=\"cut\" x=\"%u\" y=\"%d\" text-anchor=\"end\">first %u of ",
		       d->width - DRAW_PAD, EVENT_Y, d->levels);
	writer__grouped(&d->w, d->tree->depth + 1);
	writer__puts(&d->w, " levels</text>\n");
}

static int put_head(struct drawing *d)
{
	unsigned room = d->width - 2 * DRAW_PAD;
	struct buf b = {};
	int err;

	writer__puts(&d->w, "<g class=\"head\">\n");
	put_text(d, "title", DRAW_TITLE_Y, d->title, strlen(d->title),
		 room > 760 ? room - 360 : room, TITLE_CELL);
	err = describe_event(&b, d);
	if (!err)
		put_text(d, "event", EVENT_Y, b.data, b.len, room, DRAW_SMALL_CELL);
	buf__clear(&b);
	if (!err)
		err = print__losses_of(&b, drawing__noun(d), &d->p->losses);
	if (!err)
		put_text(d, losses__sum(&d->p->losses) ? "lost" : "kept", LOSS_Y, b.data, b.len,
			 room, DRAW_SMALL_CELL);
	drawing__put_legend(d);
	if (d->cut)
		put_cut_note(d);
	writer__puts(&d->w, "</g>\n");
	buf__free(&b);
	return err;
}

/*
 * The tree for flame/draw.js, as JSON:
 *
 *	{ "title": "...", "icicle": false, "noun": "sample", "tree": "0(1(2:5,3:7))",
 *	  "classes": "a0c3...", "module": [0, 0, ...], "names": ["all", "bash", ...],
 *	  "modules": ["", ...] }
 *
 * A node of the tree is the index of its name, its own samples behind a colon unless they are 0,
 * with "ratio": { "name": "IPC" } behind "~" the step of its colour, a digit, and its ratio, unless
 * that is not known, and its children in parentheses. Of two sides, "sides": { "names": ["A: ..",
 * "B: .."], "scale": [0.01, 0.005], "unit": "%" } and "sure": "0120..", a node has A's samples
 * behind the colon and B's behind "/", and a digit for each name tells what is sure: 1 more in B, 2
 * less, 0 neither. names, module and classes (two characters each) go by that index, which is the
 * order of first appearance.
 */
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

static void put_self(struct drawing *d, uint32_t node)
{
	const uint64_t *self = d->counts ? d->counts[node].self : &d->tree->nodes[node].self;

	if (!self[0] && !(d->counts && self[1]))
		return;
	writer__putc(&d->w, ':');
	writer__u64(&d->w, self[0]);
	if (d->counts)
		writer__printf(&d->w, "/%" PRIu64, self[1]);
}

static void put_side_names(struct drawing *d)
{
	const struct svg_sides *s = d->o->sides;

	writer__puts(&d->w, ",\"sides\":{\"names\":[\"");
	escape__json(&d->w, s->names[0], strlen(s->names[0]));
	writer__puts(&d->w, "\",\"");
	escape__json(&d->w, s->names[1], strlen(s->names[1]));
	writer__printf(&d->w, "\"],\"scale\":[%.17g,%.17g],\"unit\":\"%s\"}", s->scale[0],
		       s->scale[1], s->unit ? s->unit : "%");
}

/* By name, as classes are. */
static void put_sure(struct drawing *d, const struct numbering *frames)
{
	writer__puts(&d->w, "\",\n\"sure\":\"0");
	for (uint32_t i = 0; i < frames->nr; i++)
		writer__putc(&d->w, d->o->sides->sure[frames->ids[i]] > 0   ? '1'
				    : d->o->sides->sure[frames->ids[i]] < 0 ? '2'
									    : '0');
}

static void put_ratio(struct drawing *d, uint32_t node)
{
	const double ratio = coloring__ratio(d->coloring, d->tree, node);

	if (isnan(ratio))
		return;
	writer__putc(&d->w, '~');
	writer__putc(&d->w, '0' + coloring__step(d->coloring, ratio));
	coloring__put_ratio(&d->w, ratio);
}

static void put_ratio_name(struct drawing *d)
{
	const char *name = shade__title(d->coloring->shade);

	writer__puts(&d->w, ",\"ratio\":{\"name\":\"");
	escape__json(&d->w, name, strlen(name));
	writer__puts(&d->w, "\"}");
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
		put_self(d, i);
		if (d->coloring)
			put_ratio(d, i);
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

static int put_data(struct drawing *d)
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
		if (d->coloring)
			put_ratio_name(d);
		if (d->counts)
			put_side_names(d);
		writer__puts(&d->w, ",\n\"tree\":\"");
		put_tree(d, &frames);
		if (d->counts)
			put_sure(d, &frames);
		put_frames(d, &frames, &modules);
	}
	numbering__free(&frames);
	numbering__free(&modules);
	return err;
}

static int put_document(struct drawing *d)
{
	unsigned height = DRAW_TOP + d->levels * DRAW_ROW + DRAW_PAD;
	int err;

	writer__printf(&d->w,
		       "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		       "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" "
		       "viewBox=\"0 0 %u %u\">\n<title>",
		       d->width, height, d->width, height);
	escape__xml(&d->w, d->title, strlen(d->title));
	writer__puts(&d->w, "</title>\n");
	writer__puts(&d->w, "<style><![CDATA[\n");
	writer__put(&d->w, flame_css, sizeof(flame_css) - 1);
	writer__puts(&d->w, "]]></style>\n"
			    "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
	err = put_head(d);
	writer__puts(&d->w, "<g class=\"graph\">\n");
	if (!err)
		err = drawing__put_boxes(d);
	writer__puts(&d->w, "</g>\n<script type=\"application/json\" class=\"data\"><![CDATA[");
	if (!err)
		err = put_data(d);
	writer__puts(&d->w, "]]></script>\n<script><![CDATA[\n");
	writer__put(&d->w, flame_js, sizeof(flame_js) - 1);
	writer__puts(&d->w, "]]></script>\n</svg>\n");
	return err;
}

/* The title as given, made valid. */
static int choose_title(struct buf *b, const struct svg_opts *o, const struct profile_event *e)
{
	if (o->title)
		return utf8__put_valid(b, o->title, strlen(o->title));
	return buf__printf(b, "Flame graph of %s", e->name);
}

int print__svg(FILE *f, const struct profile *p, const struct svg_opts *o)
{
	struct tree_opts opts = { .event = o->event, .reverse = o->reverse };
	struct drawing d = { .w = { .f = f }, .p = p, .o = o };
	struct sides_counts *counts = NULL;
	const uint32_t overlaid = 0;
	struct coloring coloring;
	struct buf title = {};
	struct tree *tree;
	int err, end;

	if (o->shade)
		opts.nr_counted = shade__events(o->shade, &opts.counted);
	if (o->sides) {
		opts.weights = true;
		opts.counted = &overlaid;
		opts.nr_counted = 1;
	}
	err = tree__new(&tree, p, &opts);
	if (!err && o->shade) {
		err = coloring__init(&coloring, o->shade, tree);
		d.coloring = &coloring;
	}
	if (!err && o->sides)
		err = sides__weigh(&counts, tree, o->sides);
	if (err) {
		tree__free(tree);
		free(counts);
		return err;
	}
	d.counts = counts;
	d.tree = tree;
	d.event = &p->events[o->event];
	d.width = o->width ? o->width : SVG_WIDTH;
	if (d.width < WIDTH_MIN)
		d.width = WIDTH_MIN;
	err = choose_title(&title, o, d.event);
	if (!err) {
		d.title = title.data;
		err = drawing__measure(&d);
	}
	if (!err)
		err = put_document(&d);
	end = writer__end(&d.w);
	buf__free(&title);
	tree__free(tree);
	free(counts);
	return err ? err : end;
}
