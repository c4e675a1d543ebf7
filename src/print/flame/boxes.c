// SPDX-License-Identifier: BSD-2-Clause
/* The plain boxes of a flame graph: which are drawn, where, and their SVG elements. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/utf8.h"
#include "print/escape.h"
#include "print/flame/drawing.h"
#include "print/flame/label.h"

enum {
	TEXT_CELL = 662, /* hundredths of px a column, 11 px monospace */
	TEXT_MARGIN = 3,
	TEXT_COLUMNS_MIN = 3, /* less than this says nothing */
	GAP = 50,	      /* hundredths of px between neighbours */
	SLIVER = 300,	      /* narrower than that: no gap, no text, no element */
	SHADES = 8,
	/* Work for the viewer, in sixteenths of a box, which is three or four SVG elements; a
	 * sliver is a part of one. BUDGET: what the plain boxes may cost. */
	COST_BOX = 16,
	COST_SLIVER = 1,
	BUDGET = 10000 * COST_BOX,
};

/* In hundredths of px, but y in px. */
struct box {
	uint64_t left, right;
	uint32_t y;
};

/* FNV-1a: a function has its shade in every graph, whatever else is in it. */
static unsigned shade_of(const char *name)
{
	uint32_t h = 2166136261u;

	for (; *name; name++)
		h = (h ^ (unsigned char)*name) * 16777619u;
	return (h ^ h >> 15) % SHADES;
}

static const char kinds[] = {
	[FRAME_COMM] = 'c', [FRAME_USER] = 'u', [FRAME_KERNEL] = 'k',
	[FRAME_JIT] = 'j',  [FRAME_NOTE] = 'n', [FRAME_INLINED] = 'i',
};

void drawing__put_class(struct drawing *d, uint32_t frame)
{
	if (frame == TREE_NO_FRAME) {
		writer__puts(&d->w, "a0");
		return;
	}
	writer__putc(&d->w, kinds[d->p->frames[frame].kind]);
	writer__putc(&d->w, '0' + shade_of(profile__name(d->p, frame)));
}

/* Colours of ratios and of changes are two more kinds. */
enum { RATIO_KIND = ARRAY_SIZE(kinds), CHANGE_KIND, COLORS };

struct color {
	unsigned kind, shade;
};

static struct color color_of(const struct drawing *d, const struct tree_node *n)
{
	const uint32_t node = n - d->tree->nodes;

	if (d->coloring)
		return (struct color){
			RATIO_KIND,
			coloring__step(d->coloring, coloring__ratio(d->coloring, d->tree, node))
		};
	if (d->counts)
		return (struct color){ CHANGE_KIND,
				       sides__step(d->o->sides, &d->counts[node], n->frame) };
	return (struct color){ d->p->frames[n->frame].kind,
			       shade_of(profile__name(d->p, n->frame)) };
}

static void put_color(struct drawing *d, const struct color *c)
{
	writer__putc(&d->w, c->kind == RATIO_KIND    ? 'r'
			    : c->kind == CHANGE_KIND ? 'd'
						     : kinds[c->kind]);
	writer__putc(&d->w, '0' + c->shade);
}

const char *drawing__name(const struct drawing *d, uint32_t frame, size_t *len)
{
	uint32_t name = frame == TREE_NO_FRAME ? 0 : d->p->frames[frame].name;
	const char *instead = frame == TREE_NO_FRAME ? "all" : "[unknown]";

	*len = name ? strtab__len(d->p->strings, name) : strlen(instead);
	return name ? strtab__get(d->p->strings, name) : instead;
}

void drawing__put_cut(struct drawing *d, const char *s, size_t len, uint64_t px, unsigned cell)
{
	size_t columns = px * 100 / cell, used;
	size_t fits = utf8__fit(s, len, columns, &used);

	if (fits < len) {
		fits = utf8__fit(s, len, columns ? columns - 1 : 0, &used);
		escape__xml(&d->w, s, fits);
		writer__puts(&d->w, "…");
	} else {
		escape__xml(&d->w, s, len);
	}
}

/* A share in hundredths of a percent, rounded. */
static uint64_t share(uint64_t part, uint64_t whole)
{
	return whole ? (uint64_t)((double)part * 10000 / (double)whole + 0.5) : 0;
}

/* With two decimals, or none from 100 on; flame/point.js writes the same. */
static void put_amount(struct drawing *d, double n, bool is_change, const char *unit)
{
	const double times = fabs(n) < 100 ? 100 : 1, rounded = round(fabs(n) * times) / times;

	writer__printf(&d->w, "%s%.*f%s",
		       n < 0 && rounded ? "-"
		       : is_change	? "+"
					: "",
		       times > 1 ? 2 : 0, rounded, unit);
}

/* "A 29.18%, B 40.33%: +11.15%", and whether that is more than chance. */
static void put_sides(struct drawing *d, const struct tree_node *n)
{
	const struct svg_sides *s = d->o->sides;
	const struct sides_counts *c = &d->counts[n - d->tree->nodes];
	const double times = s->unit ? 1 : 100;
	const double a = times * sides__amount(s, c, 0), b = times * sides__amount(s, c, 1);
	const char *unit = s->unit ? s->unit : "%";

	writer__puts(&d->w, "A ");
	put_amount(d, a, false, unit);
	writer__puts(&d->w, ", B ");
	put_amount(d, b, false, unit);
	writer__puts(&d->w, ": ");
	put_amount(d, b - a, true, unit);
	if (n->frame != TREE_NO_FRAME && !sides__is_sure(s, c, n->frame))
		writer__puts(&d->w, ", cannot tell");
}

/* What the pointer shows: "main [sh]", then numbers on a line of their own. */
static void put_hover(struct drawing *d, const struct tree_node *n)
{
	const struct tree_node *root = d->tree->nodes;
	const char *name;
	size_t len;

	name = drawing__name(d, n->frame, &len);
	escape__xml(&d->w, name, len);
	if (n->frame != TREE_NO_FRAME && d->p->frames[n->frame].module) {
		uint32_t module = d->p->frames[n->frame].module;

		writer__puts(&d->w, " [");
		escape__xml(&d->w, strtab__get(d->p->strings, module),
			    strtab__len(d->p->strings, module));
		writer__putc(&d->w, ']');
	}
	writer__putc(&d->w, '\n');
	if (d->counts) {
		put_sides(d, n);
		return;
	}
	writer__grouped(&d->w, n->total);
	writer__puts(&d->w, " ");
	writer__puts(&d->w, drawing__noun(d));
	writer__puts(&d->w, "s, ");
	writer__hundredths(&d->w, share(n->total, root->total));
	writer__puts(&d->w, "% of all");
	if (n != root) {
		writer__puts(&d->w, ", ");
		writer__hundredths(&d->w, share(n->total, d->tree->nodes[n->parent].total));
		writer__puts(&d->w, "% of parent");
	}
	if (!d->coloring)
		return;
	writer__puts(&d->w, ", ");
	escape__xml(&d->w, shade__title(d->coloring->shade),
		    strlen(shade__title(d->coloring->shade)));
	writer__putc(&d->w, ' ');
	coloring__put_ratio(&d->w, coloring__ratio(d->coloring, d->tree, n - root));
}

/* Commands and notes are no functions. */
static bool is_function(const struct drawing *d, uint32_t frame)
{
	enum frame_kind kind;

	if (frame == TREE_NO_FRAME)
		return false;
	kind = d->p->frames[frame].kind;
	return kind != FRAME_COMM && kind != FRAME_NOTE;
}

static void put_label(struct drawing *d, uint32_t frame, uint64_t px, size_t columns)
{
	struct label l;
	size_t len;
	const char *name = drawing__name(d, frame, &len);

	if (!is_function(d, frame)) {
		drawing__put_cut(d, name, len, px, TEXT_CELL);
		return;
	}
	label__fit(&l, name, len, columns);
	escape__xml(&d->w, l.s, l.len);
	if (l.is_cut)
		writer__puts(&d->w, "…");
}

static void put_box(struct drawing *d, const struct tree_node *n, const struct box *b)
{
	uint64_t px = (b->right - b->left) / 100, columns;

	writer__puts(&d->w, "<g class=\"");
	if (d->coloring || d->counts || n->frame != TREE_NO_FRAME) {
		const struct color c = color_of(d, n);

		put_color(d, &c);
	} else {
		drawing__put_class(d, n->frame);
	}
	writer__puts(&d->w, "\"><title>");
	put_hover(d, n);
	writer__puts(&d->w, "</title><rect x=\"");
	writer__hundredths(&d->w, b->left);
	writer__puts(&d->w, "\" y=\"");
	writer__u64(&d->w, b->y);
	writer__puts(&d->w, "\" width=\"");
	/* Without samples the root has no width. */
	writer__hundredths(&d->w, b->right - b->left > GAP ? b->right - b->left - GAP : 0);
	writer__puts(&d->w, "\" height=\"15\"/>");
	columns = px > 2 * TEXT_MARGIN ? (px - 2 * TEXT_MARGIN) * 100 / TEXT_CELL : 0;
	if (columns >= TEXT_COLUMNS_MIN) {
		writer__puts(&d->w, "<text x=\"");
		writer__hundredths(&d->w, b->left + TEXT_MARGIN * 100);
		writer__puts(&d->w, "\" y=\"");
		writer__u64(&d->w, b->y + DRAW_BASELINE);
		writer__puts(&d->w, "\">");
		put_label(d, n->frame, px - 2 * TEXT_MARGIN, columns);
		writer__puts(&d->w, "</text>");
	}
	writer__puts(&d->w, "</g>\n");
}

/*
 * Thousands of boxes may be too thin to point at. They have no element of their own but
 * share one for each colour, and neighbours within one px are one: browsers take a
 * second for ten thousand elements.
 */
struct slivers {
	struct buf paths[COLORS][SHADES];
};

/* Appends @n, with two digits at least; printf is too slow here. */
static char *put_digits(char *at, uint64_t n)
{
	if (n >= 100)
		at = put_digits(at, n / 100);
	*at++ = '0' + n / 10 % 10;
	*at++ = '0' + n % 10;
	return at;
}

/* Hundredths as a number of SVG: 1234 is "12.34", 7 is ".07". */
static char *put_fixed(char *at, uint64_t n)
{
	if (n >= 100)
		at = put_digits(at, n / 100);
	*at++ = '.';
	return put_digits(at, n % 100);
}

/* "M12.34 0567h.89v15h-.89z" */
static int add_sliver(struct slivers *s, const struct color *c, const struct box *b)
{
	uint64_t width = b->right > b->left ? b->right - b->left : 1;
	char text[80], *at = text;

	*at++ = 'M';
	at = put_fixed(at, b->left);
	*at++ = ' ';
	at = put_digits(at, b->y);
	*at++ = 'h';
	at = put_fixed(at, width);
	at = mempcpy(at, "v15h-", 5);
	at = put_fixed(at, width);
	*at++ = 'z';
	return buf__put(&s->paths[c->kind][c->shade], text, at - text);
}

static void put_slivers(struct slivers *s, struct drawing *d)
{
	for (unsigned kind = 0; kind < COLORS; kind++) {
		for (unsigned shade = 0; shade < SHADES; shade++) {
			const struct color color = { kind, shade };
			struct buf *path = &s->paths[kind][shade];

			if (path->len) {
				writer__puts(&d->w, "<path class=\"");
				put_color(d, &color);
				writer__puts(&d->w, "\" d=\"");
				writer__put(&d->w, path->data, path->len);
				writer__puts(&d->w, "\"/>\n");
			}
			buf__free(path);
		}
	}
}

static struct box place(const struct drawing *d, const struct tree_node *n, uint64_t start)
{
	uint64_t all = d->tree->nodes[0].total;
	double scale = 100.0 * (d->width - 2 * DRAW_PAD) / (double)(all ? all : 1);
	uint32_t row = d->o->icicle ? n->depth : d->levels - 1 - n->depth;

	/* Both edges are rounded, so that neighbours meet. */
	return (struct box){
		.left = DRAW_PAD * 100 + (uint64_t)((double)start * scale + 0.5),
		.right = DRAW_PAD * 100 + (uint64_t)((double)(start + n->total) * scale + 0.5),
		.y = DRAW_TOP + row * DRAW_ROW,
	};
}

/* A row of boxes during the walk, which comes to them from left to right. */
struct level {
	uint64_t free_at;   /* samples: left edge of the next box */
	struct box sliver;  /* the last one, or neighbours of at most 1 px in all; right 0: none */
	struct color color; /* of the slivers */
	uint32_t cost;	    /* of its elements, see BUDGET */
};

/* Walks over the boxes that are wide enough, those of one level from left to right. */
static int each_box(struct drawing *d, struct level *levels,
		    int (*visit)(struct drawing *d, struct level *l, const struct tree_node *n,
				 const struct box *b, void *arg),
		    void *arg)
{
	const struct tree *t = d->tree;
	int err = 0;
	size_t i = 0;

	while (i < t->nr && !err) {
		const struct tree_node *n = &t->nodes[i];
		struct level *l = &levels[n->depth];
		uint64_t start = l->free_at;
		struct box box = place(d, n, start);

		l[0].free_at = start + n->total;
		l[1].free_at = start;
		if (i && (n->total < d->least || n->depth >= d->levels)) {
			i = n->end;
			continue;
		}
		err = visit(d, l, n, &box, arg);
		i++;
	}
	return err;
}

static bool is_sliver(const struct box *b, const struct tree_node *n)
{
	return n->depth && b->right - b->left < SLIVER;
}

/* Adds @b to the level's slivers. False: it does not meet them, or they would be too wide. */
static bool join_sliver(struct level *l, const struct box *b)
{
	if (b->left != l->sliver.right || b->right - l->sliver.left > 100)
		return false;
	l->sliver.right = b->right;
	return true;
}

static int count_box(struct drawing *d, struct level *l, const struct tree_node *n,
		     const struct box *b, void *arg)
{
	if (!is_sliver(b, n)) {
		l->cost += COST_BOX;
	} else if (!join_sliver(l, b)) {
		l->cost += COST_SLIVER;
		l->sliver = *b;
	}
	return 0;
}

int drawing__measure(struct drawing *d)
{
	uint64_t tenths = (uint64_t)(d->width - 2 * DRAW_PAD) * 10;
	uint64_t samples = d->tree->nodes[0].total, cost = 0;
	struct level *levels = calloc((size_t)d->tree->depth + 2, sizeof(*levels));
	int err;

	if (!levels)
		return -ENOMEM;
	d->least = samples / tenths + (samples % tenths != 0);
	d->levels = d->tree->depth + 1;
	err = each_box(d, levels, count_box, NULL);
	for (d->levels = 0; d->levels <= d->tree->depth; d->levels++) {
		cost += levels[d->levels].cost;
		if (!levels[d->levels].cost)
			break;
		d->cut = d->levels && (cost > BUDGET || d->levels == DRAW_CAP);
		if (d->cut)
			break;
	}
	free(levels);
	return err;
}

static int flush_sliver(struct level *l, struct slivers *s)
{
	int err = 0;

	if (l->sliver.right)
		err = add_sliver(s, &l->color, &l->sliver);
	l->sliver.right = 0;
	return err;
}

static int draw_box(struct drawing *d, struct level *l, const struct tree_node *n,
		    const struct box *b, void *slivers)
{
	int err;

	if (!is_sliver(b, n)) {
		put_box(d, n, b);
		return 0;
	}
	if (join_sliver(l, b))
		return 0;
	err = flush_sliver(l, slivers);
	l->sliver = *b;
	l->color = color_of(d, n);
	return err;
}

int drawing__put_boxes(struct drawing *d)
{
	struct level *levels = calloc((size_t)d->tree->depth + 2, sizeof(*levels));
	struct slivers slivers = {};
	int err = levels ? each_box(d, levels, draw_box, &slivers) : -ENOMEM;

	for (uint32_t depth = 0; levels && depth < d->levels && !err; depth++)
		err = flush_sliver(&levels[depth], &slivers);
	put_slivers(&slivers, d);
	free(levels);
	return err;
}
