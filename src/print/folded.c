// SPDX-License-Identifier: BSD-2-Clause
/* Writes stacks of one event or of all as folded lines; merges frames that read the same. */
#include "print/folded.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "base/strtab.h"
#include "model/folded_head.h"
#include "model/profile.h"
#include "model/tree.h"
#include "print/escape.h"
#include "print/frame_text.h"
#include "print/writer.h"

/* How each frame reads in this format, and which frames read the same. */
struct texts {
	struct strtab *strings;
	uint32_t *of_frame;   /* frame -> string */
	uint32_t *stands_for; /* frame -> first frame of that string */
};

static int fill_texts(struct texts *t, const struct profile *p)
{
	struct idmap first = {};
	struct buf b = {};
	int err = 0;

	for (size_t i = 0; i < p->nr_frames && !err; i++) {
		buf__clear(&b);
		err = escape__folded(&b, frame_text__name(p, i));
		if (!err)
			err = buf__puts(&b, frame_text__mark(p, i));
		if (!err)
			err = strtab__add(t->strings, b.data, b.len, &t->of_frame[i]);
		if (err || idmap__get(&first, t->of_frame[i], &t->stands_for[i]))
			continue;
		t->stands_for[i] = i;
		err = idmap__set(&first, t->of_frame[i], i);
	}
	idmap__free(&first);
	buf__free(&b);
	return err;
}

/* The tree of one event, beside that of all: they have the same order. */
struct event_tree {
	struct tree *tree;
	size_t next; /* node that has not been met yet */
};

/* What stands behind a stack. */
struct stack_counts {
	bool are_all;	       /* a count of each event, of its own tree; else the tree has them */
	bool are_two;	       /* how often on each side (model/overlay.h), else one */
	double scale;	       /* of the first side's */
	struct event_tree *by; /* by event, if they are all */
	size_t nr;
};

/* What a node of the tree of all has of an event. */
static uint64_t take_count(struct event_tree *c, const struct tree_node *n)
{
	const struct tree_node *own = &c->tree->nodes[c->next];

	/* Callers come first: at this depth it can be no other caller's. */
	if (c->next == c->tree->nr || own->depth != n->depth || own->frame != n->frame)
		return 0;
	c->next++;
	return own->self;
}

/* Trees of events are gone through with that of all: also where no stack ends. */
static void write_all(struct writer *w, const struct tree_node *n, struct stack_counts *counts)
{
	for (size_t i = 0; i < counts->nr; i++) {
		uint64_t count = take_count(&counts->by[i], n);

		if (!n->self)
			continue;
		writer__putc(w, ' ');
		writer__u64(w, count);
	}
}

static void write_two(struct writer *w, const struct tree *tree, size_t i, double scale)
{
	const uint64_t second = tree->self_weights[i];
	const double first = (double)(tree->nodes[i].self - second) * scale + 0.5;

	writer__putc(w, ' ');
	writer__u64(w, first < 0x1p64 ? (uint64_t)first : UINT64_MAX);
	writer__putc(w, ' ');
	writer__u64(w, second);
}

static void write_counts(struct writer *w, const struct tree *tree, size_t i,
			 struct stack_counts *counts)
{
	const struct tree_node *n = &tree->nodes[i];

	if (counts->are_all) {
		write_all(w, n, counts);
	} else if (counts->are_two && n->self) {
		write_two(w, tree, i, counts->scale);
	} else if (n->self) {
		writer__putc(w, ' ');
		writer__u64(w, n->self);
	}
}

static int write_lines(struct writer *w, const struct tree *tree, const struct texts *t,
		       struct stack_counts *counts)
{
	size_t *len_at = calloc((size_t)tree->depth + 1, sizeof(*len_at)), i;
	struct buf path = {};
	int err = len_at ? 0 : -ENOMEM;

	for (i = 1; i < tree->nr && !err; i++) {
		const struct tree_node *n = &tree->nodes[i];
		uint32_t text = t->of_frame[n->frame];

		path.len = len_at[n->depth - 1];
		if (path.len)
			err = buf__put(&path, ";", 1);
		if (!err)
			err = buf__put(&path, strtab__get(t->strings, text),
				       strtab__len(t->strings, text));
		len_at[n->depth] = path.len;
		if (!err && n->self)
			writer__put(w, path.data, path.len);
		if (!err)
			write_counts(w, tree, i, counts);
		if (!err && n->self)
			writer__putc(w, '\n');
	}
	free(len_at);
	buf__free(&path);
	return err;
}

static int open_trees(struct stack_counts *counts, const struct profile *p,
		      const uint32_t *stands_for)
{
	int err = 0;

	counts->by = calloc(p->nr_events + 1, sizeof(*counts->by));
	if (!counts->by)
		return -ENOMEM;
	for (uint32_t i = 0; i < p->nr_events && !err; i++) {
		const struct tree_opts opts = { .event = i, .stands_for = stands_for };

		if (p->events[i].is_member)
			continue;
		err = tree__new(&counts->by[counts->nr].tree, p, &opts);
		counts->by[counts->nr].next = 1;
		counts->nr += !err;
	}
	return err;
}

static void free_trees(struct stack_counts *counts)
{
	for (size_t i = 0; i < counts->nr; i++)
		tree__free(counts->by[i].tree);
	free(counts->by);
}

static int write_head(struct writer *w, const struct profile *p)
{
	struct buf name = {};
	bool is_first = true;
	int err = 0;

	writer__puts(w, FOLDED_HEAD_BEGIN);
	for (size_t i = 0; i < p->nr_events && !err; i++) {
		if (p->events[i].is_member)
			continue;
		buf__clear(&name);
		err = escape__controls(&name, p->events[i].name);
		if (err)
			break;
		if (!is_first)
			writer__putc(w, '\t');
		is_first = false;
		writer__put(w, name.data, name.len);
	}
	writer__puts(w, FOLDED_HEAD_END "\n");
	buf__free(&name);
	return err;
}

static int open_texts(struct texts *t, const struct profile *p)
{
	*t = (struct texts){
		.strings = strtab__new(),
		.of_frame = calloc(p->nr_frames + 1, sizeof(*t->of_frame)),
		.stands_for = calloc(p->nr_frames + 1, sizeof(*t->stands_for)),
	};
	return t->strings && t->of_frame && t->stands_for ? fill_texts(t, p) : -ENOMEM;
}

/* @event: if the counts are of one. */
static int write_folded(FILE *f, const struct profile *p, uint32_t event,
			struct stack_counts counts)
{
	struct tree_opts opts = { .event = event,
				  .all_events = counts.are_all,
				  .weights = counts.are_two };
	struct writer w = { .f = f };
	struct tree *tree = NULL;
	struct texts t;
	int err = open_texts(&t, p), end;

	opts.stands_for = t.stands_for;
	if (!err)
		err = tree__new(&tree, p, &opts);
	if (!err && counts.are_all)
		err = open_trees(&counts, p, t.stands_for);
	if (!err && counts.are_all)
		err = write_head(&w, p);
	if (!err)
		err = write_lines(&w, tree, &t, &counts);
	end = tree ? writer__end(&w) : 0;
	free_trees(&counts);
	tree__free(tree);
	strtab__free(t.strings);
	free(t.of_frame);
	free(t.stands_for);
	return err ? err : end;
}

int print__folded(FILE *f, const struct profile *p, uint32_t event)
{
	return write_folded(f, p, event, (struct stack_counts){});
}

int print__folded_all(FILE *f, const struct profile *p)
{
	return write_folded(f, p, 0, (struct stack_counts){ .are_all = true });
}

int print__folded_pair(FILE *f, const struct profile *overlay, double scale)
{
	return write_folded(f, overlay, 0,
			    (struct stack_counts){ .are_two = true, .scale = scale });
}
