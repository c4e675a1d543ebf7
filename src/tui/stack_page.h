/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tui/stack_page.h - the stacks of a sampled profile: a tree to unfold, or a flame graph.
 */
#ifndef PMUTRACE_TUI_STACK_PAGE_H
#define PMUTRACE_TUI_STACK_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "model/profile.h"
#include "model/scope.h"
#include "model/tree.h"
#include "tui/canvas.h"
#include "tui/flametext.h"
#include "tui/keys.h"
#include "tui/treeview.h"

/* Zero-initialise it; stack_page__free() gives the memory back. */
struct stack_page {
	bool shows_flame;
	/* From the next fill on: the innermost functions first, and below them who calls them. */
	bool is_reversed;
	uint32_t event;		       /* index into the profile's events */
	const struct profile *profile; /* borrowed */
	/* Texts shown if there is no profile, and if it has no samples; borrowed. */
	const char *missing, *empty;
	struct tree *tree;
	struct treeview *view;
	struct flametext *flame;
	size_t first; /* line of the tree on top */
	int y, height;
};

/* As funcs__fill(). */
int stack_page__fill(struct stack_page *s, const struct profile *p,
		     const struct scope *scope) must_check;
void stack_page__free(struct stack_page *s);

/*
 * Goes to the node of that frame which has the most samples, in the tree and in the flame graph,
 * which zooms to it; the tree is unfolded from there on as long as one callee has most of the
 * samples. Does nothing if no node is of that frame.
 */
int stack_page__open_at(struct stack_page *s, uint32_t frame) must_check;

/*
 * Goes to the next node whose name has @text in it, @next: behind the cursor's own; as
 * treeview__find(). 0 or -ENOMEM.
 */
int stack_page__find(struct stack_page *s, const char *text, bool next, bool *found) must_check;

/* A key or the mouse. 1: it has been handled; 0: it means nothing here; -ENOMEM. */
int stack_page__input(struct stack_page *s, const struct input *in) must_check;

/* 0 or -ENOMEM. */
int stack_page__draw(struct stack_page *s, struct canvas *c, int y, int height) must_check;

#endif
