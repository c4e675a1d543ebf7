// SPDX-License-Identifier: BSD-2-Clause
/* Writes one event's stacks as folded lines; merges frames that read the same. */
#include "print/folded.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "base/strtab.h"
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

/* Behind a stack: how often it was seen, or how often on each side (model/overlay.h). */
struct numbers {
	bool are_two;
	double scale; /* of the first side's */
};

static void put_numbers(struct writer *w, const struct tree *tree, size_t i,
			const struct numbers *numbers)
{
	const uint64_t self = tree->nodes[i].self;
	const uint64_t second = numbers->are_two ? tree->self_weights[i] : self;
	const double first = (double)(self - second) * numbers->scale + 0.5;

	if (numbers->are_two) {
		writer__u64(w, first < 0x1p64 ? (uint64_t)first : UINT64_MAX);
		writer__putc(w, ' ');
	}
	writer__u64(w, second);
	writer__putc(w, '\n');
}

static int write_lines(FILE *f, const struct tree *tree, const struct texts *t,
		       const struct numbers *numbers)
{
	size_t *len_at = calloc((size_t)tree->depth + 1, sizeof(*len_at)), i;
	struct writer w = { .f = f };
	struct buf path = {};
	int err = len_at ? 0 : -ENOMEM, end;

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
		if (err || !n->self)
			continue;
		writer__put(&w, path.data, path.len);
		writer__putc(&w, ' ');
		put_numbers(&w, tree, i, numbers);
	}
	end = writer__end(&w);
	free(len_at);
	buf__free(&path);
	return err ? err : end;
}

static int write_stacks(FILE *f, const struct profile *p, uint32_t event,
			const struct numbers *numbers)
{
	struct tree_opts opts = { .event = event, .weights = numbers->are_two };
	struct tree *tree = NULL;
	struct texts t = {
		.strings = strtab__new(),
		.of_frame = calloc(p->nr_frames + 1, sizeof(*t.of_frame)),
		.stands_for = calloc(p->nr_frames + 1, sizeof(*t.stands_for)),
	};
	int err = -ENOMEM;

	if (!t.strings || !t.of_frame || !t.stands_for)
		goto out_free;
	err = fill_texts(&t, p);
	if (err)
		goto out_free;
	opts.stands_for = t.stands_for;
	err = tree__new(&tree, p, &opts);
	if (!err)
		err = write_lines(f, tree, &t, numbers);
out_free:
	tree__free(tree);
	strtab__free(t.strings);
	free(t.of_frame);
	free(t.stands_for);
	return err;
}

int print__folded(FILE *f, const struct profile *p, uint32_t event)
{
	const struct numbers numbers = {};

	return write_stacks(f, p, event, &numbers);
}

int print__folded_pair(FILE *f, const struct profile *overlay, double scale)
{
	const struct numbers numbers = { .are_two = true, .scale = scale };

	return write_stacks(f, overlay, 0, &numbers);
}
