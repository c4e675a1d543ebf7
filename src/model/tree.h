/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/tree.h - the stacks of one event as one tree, ready to draw.
 *
 * Nodes are in preorder, the children of a node sorted by name: a drawing is one
 * forward loop and a subtree is the range [i, nodes[i].end). Nodes without samples of
 * the event are left out. Node 0 is the root, "all"; it has no frame.
 *
 *	for (i = 0; i < t->nr; i = wide(&t->nodes[i]) ? i + 1 : t->nodes[i].end)
 *		draw(&t->nodes[i]);
 *
 * Knows: struct profile. Does not know: how a tree is drawn.
 */
#ifndef PMUTRACE_MODEL_TREE_H
#define PMUTRACE_MODEL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct profile;
struct scope;

enum { TREE_NO_FRAME = UINT32_MAX };

struct tree_node {
	uint32_t frame;	 /* id in the profile; TREE_NO_FRAME for the root */
	uint32_t parent; /* index; the root's is 0 */
	uint32_t end;	 /* index of the first node behind this subtree */
	uint32_t depth;	 /* 0 for the root */
	uint64_t self;	 /* samples that ended here */
	uint64_t total;	 /* samples of the subtree */
};

struct tree {
	struct tree_node *nodes;
	size_t nr;		/* at least 1 */
	uint32_t depth;		/* of the deepest node */
	uint64_t *self_weights; /* by node: of the samples that ended there; NULL: not asked for */
	uint64_t *counted;	/* tree_opts.counted; NULL: not asked for */
};

struct tree_opts {
	uint32_t event;	 /* index into the profile's events */
	bool all_events; /* samples of all of them instead */
	bool reverse;	 /* merge from the innermost frame: "who calls this?" */
	bool weights;	 /* self_weights are wanted */
	/*
	 * Events of which the weights of each subtree are wanted: tree.counted[node * nr_counted +
	 * i], of rows with the same stacks. Borrowed.
	 */
	const uint32_t *counted;
	size_t nr_counted;
	const struct scope *scope; /* rows that are looked at; NULL: all. Borrowed */
	/*
	 * For each frame of the profile the frame that stands for it, or NULL: lets a
	 * caller merge frames that look the same in his format. Borrowed.
	 */
	const uint32_t *stands_for;
};

/**
 * tree__new() - build the tree of one event
 * @out: the tree, for tree__free(); NULL on error
 * @p:   borrowed, only while building
 *
 * The root's total is the sum of the samples of the event's rows in the scope.
 *
 * Return: 0, -EINVAL (no such event) or -ENOMEM.
 */
int tree__new(struct tree **out, const struct profile *p, const struct tree_opts *opts) must_check;
void tree__free(struct tree *t);

/* What a node is called: "all", the frame's name, "[unknown]" where that is empty. */
const char *tree__name(const struct tree *t, const struct profile *p, uint32_t node);

#endif
