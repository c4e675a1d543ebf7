// SPDX-License-Identifier: BSD-2-Clause
/* A tree and a flame graph of the same stacks: passes keys on, draws one of them. */
#include "tui/stack_page.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SHARE_WIDTH = 7,
	LEAD_WIDTH = 1 + SHARE_WIDTH + 1 + SHARE_WIDTH + 2, /* in front of the stacks */
	MARK_WIDTH = 2,
	NAME_WIDTH = 30, /* left for names, however deep the stacks are */
};

void stack_page__free(struct stack_page *s)
{
	treeview__free(s->view);
	flametext__free(s->flame);
	tree__free(s->tree);
	*s = (struct stack_page){};
}

int stack_page__fill(struct stack_page *s, const struct profile *p, const struct scope *scope)
{
	const struct tree_opts opts = {
		.event = s->event,
		.reverse = s->is_reversed,
		.scope = scope,
	};
	struct tree *tree = NULL;
	int err = p && p->nr_events ? tree__new(&tree, p, &opts) : 0;

	if (!s->view)
		s->view = treeview__new();
	if (!s->flame)
		s->flame = flametext__new();
	if (!err && !(s->view && s->flame))
		err = -ENOMEM;
	if (!err)
		err = treeview__set(s->view, tree ? p : NULL, tree);
	if (!err)
		err = flametext__set(s->flame, tree ? p : NULL, tree);
	if (err) {
		tree__free(tree);
		return err;
	}
	tree__free(s->tree);
	s->tree = tree;
	s->profile = p;
	return 0;
}

/* The node of that frame with the most samples, of recursive calls the outermost; 0: none. */
static uint32_t hottest_of(const struct tree *t, uint32_t frame)
{
	uint32_t hottest = 0;

	for (uint32_t i = 1; i < t->nr; i++)
		if (t->nodes[i].frame == frame &&
		    (!hottest || t->nodes[i].total > t->nodes[hottest].total))
			hottest = i;
	return hottest;
}

int stack_page__open_at(struct stack_page *s, uint32_t frame)
{
	uint32_t node = s->tree ? hottest_of(s->tree, frame) : 0;
	int err;

	if (!node)
		return 0;
	err = flametext__focus(s->flame, node);
	if (!err)
		err = treeview__show(s->view, node);
	return err ? err : treeview__unfold_hottest(s->view);
}

int stack_page__find(struct stack_page *s, const char *text, bool next, bool *found)
{
	const struct treeview_line *lines;
	size_t nr;
	int err = 0;

	*found = false;
	if (s->shows_flame)
		err = treeview__show(s->view, flametext__node(s->flame));
	if (!err)
		err = treeview__find(s->view, text, !next, found);
	if (err || !*found)
		return err;
	lines = treeview__lines(s->view, &nr);
	return flametext__show(s->flame, lines[treeview__cursor(s->view)].node);
}

static long page(const struct stack_page *s)
{
	return s->height > 2 ? s->height - 1 : 1;
}

static int act_on_tree(struct stack_page *s, enum action action)
{
	struct treeview *v = s->view;

	switch (action) {
	case ACTION_UP:
		return treeview__move(v, -1);
	case ACTION_DOWN:
		return treeview__move(v, 1);
	case ACTION_PAGE_UP:
		return treeview__move(v, -page(s));
	case ACTION_PAGE_DOWN:
		return treeview__move(v, page(s));
	case ACTION_FIRST:
		return treeview__go(v, 0);
	case ACTION_LAST:
		return treeview__go(v, SIZE_MAX);
	case ACTION_LEFT:
		return treeview__fold(v);
	case ACTION_RIGHT:
		return treeview__unfold(v);
	case ACTION_ENTER:
	case ACTION_TAG:
		return treeview__toggle(v);
	case ACTION_UNFOLD:
		return treeview__unfold_below(v);
	case ACTION_FOLD:
		return treeview__fold_all(v);
	default:
		return -ENOENT;
	}
}

/* Moves so many levels towards callees, or towards callers if negative. Stops at either end. */
static int move_in_flame(struct stack_page *s, long levels)
{
	enum flametext_move move = levels < 0 ? FLAMETEXT_CALLER : FLAMETEXT_CALLEE;
	int err = 0;

	for (long i = labs(levels); i > 0 && !err; i--)
		err = flametext__move(s->flame, move);
	return err;
}

/* To the innermost of the widest callees; stacks may be thousands of levels deep. */
static int go_to_last(struct stack_page *s)
{
	uint32_t at = flametext__node(s->flame), widest;

	do {
		widest = 0;
		for (uint32_t c = at + 1; c < s->tree->nodes[at].end; c = s->tree->nodes[c].end)
			if (!widest || s->tree->nodes[c].total > s->tree->nodes[widest].total)
				widest = c;
		at = widest ? widest : at;
	} while (widest);
	return flametext__show(s->flame, at);
}

static int act_on_flame(struct stack_page *s, enum action action)
{
	struct flametext *f = s->flame;
	uint32_t first;
	long all = flametext__levels(f, &first);

	switch (action) {
	case ACTION_UP:
		return move_in_flame(s, -1);
	case ACTION_DOWN:
		return move_in_flame(s, 1);
	case ACTION_PAGE_UP:
		return move_in_flame(s, -page(s));
	case ACTION_PAGE_DOWN:
		return move_in_flame(s, page(s));
	case ACTION_FIRST:
		return flametext__is_zoomed(f) ? move_in_flame(s, -all) : flametext__show(f, 0);
	case ACTION_LAST:
		return go_to_last(s);
	case ACTION_LEFT:
		return flametext__move(f, FLAMETEXT_LEFT);
	case ACTION_RIGHT:
		return flametext__move(f, FLAMETEXT_RIGHT);
	case ACTION_ENTER:
	case ACTION_TAG:
		return flametext__zoom(f);
	case ACTION_BACK:
		return flametext__is_zoomed(f) ? flametext__unzoom(f) : -ENOENT;
	default:
		return -ENOENT;
	}
}

static int click(struct stack_page *s, const struct input *in)
{
	const struct flametext_box *box;
	size_t nr;
	int y = in->y - s->y - 1;

	if (y < 0 || y >= s->height - 1)
		return 0;
	if (!s->shows_flame)
		return treeview__go(s->view, s->first + y);
	box = flametext__boxes(s->flame, &nr);
	for (size_t i = 0; i < nr; i++)
		if ((int)box[i].row == y && in->x >= (int)box[i].column &&
		    in->x < (int)(box[i].column + box[i].width))
			return flametext__go(s->flame, i);
	return 0;
}

static int wheel(struct stack_page *s, long lines)
{
	return s->shows_flame ? move_in_flame(s, lines) : treeview__move(s->view, lines);
}

int stack_page__input(struct stack_page *s, const struct input *in)
{
	enum action action = keys__find(in->code);
	int err;

	if (in->code == INPUT_CLICK)
		err = click(s, in);
	else if (in->code == INPUT_WHEEL_UP || in->code == INPUT_WHEEL_DOWN)
		err = wheel(s, in->code == INPUT_WHEEL_UP ? -3 : 3);
	else if (action == ACTION_FLAME)
		err = (s->shows_flame = !s->shows_flame, 0);
	else
		err = s->shows_flame ? act_on_flame(s, action) : act_on_tree(s, action);
	return err == -ENOENT ? 0 : err ? err : 1;
}

static double share_of(const struct stack_page *s, uint64_t samples)
{
	uint64_t all = s->tree->nodes[0].total;

	return all ? 100.0 * samples / all : 0;
}

/* By how many columns names may be indented at most. */
static int room(const struct canvas *c)
{
	int width = c->width - LEAD_WIDTH - MARK_WIDTH - NAME_WIDTH;

	return width > 0 ? width : 0;
}

/* The level that is not indented: 0, or if indents do not fit the least one on the page. */
static uint32_t first_level(const struct treeview_line *lines, size_t nr, const struct canvas *c)
{
	uint32_t least = UINT32_MAX, most = 0;

	for (size_t i = 0; i < nr; i++) {
		least = lines[i].depth < least ? lines[i].depth : least;
		most = lines[i].depth > most ? lines[i].depth : most;
	}
	return nr && 2 * most > (uint32_t)room(c) ? least : 0;
}

static void draw_line(const struct stack_page *s, const struct treeview_line *line, uint32_t level,
		      struct canvas *c, int y)
{
	const struct tree_node *node = &s->tree->nodes[line->node];
	const char *mark = line->fold == TREEVIEW_FOLDED     ? "+ "
			   : line->fold == TREEVIEW_UNFOLDED ? "- "
							     : "  ";
	int indent = 2 * (line->depth - level), x = 1;
	char text[24];

	snprintf(text, sizeof(text), "%.1f", share_of(s, node->total));
	canvas__put_right(c, x, y, SHARE_WIDTH, STYLE_PLAIN, text);
	x += SHARE_WIDTH + 1;
	snprintf(text, sizeof(text), "%.1f", share_of(s, node->self));
	/* Reversed, all samples are their innermost function's own: what ends there is a stack. */
	canvas__put_right(c, x, y, SHARE_WIDTH, STYLE_PLAIN, s->is_reversed ? "" : text);
	x = LEAD_WIDTH + (indent < room(c) ? indent : room(c));
	x += canvas__put(c, x, y, MARK_WIDTH, STYLE_STRONG, mark);
	canvas__put(c, x, y, c->width - x, STYLE_PLAIN,
		    tree__name(s->tree, s->profile, line->node));
}

static void draw_titles(const struct stack_page *s, uint32_t level, struct canvas *c)
{
	int x = 1;

	canvas__put_right(c, x, s->y, SHARE_WIDTH, STYLE_SORTED, "TOTAL%");
	canvas__put_right(c, x + SHARE_WIDTH + 1, s->y, SHARE_WIDTH, STYLE_TITLE,
			  s->is_reversed ? "" : "SELF%");
	x = LEAD_WIDTH + MARK_WIDTH;
	x += canvas__put(c, x, s->y, c->width, STYLE_TITLE,
			 s->is_reversed ? "CALLED BY" : "STACKS");
	if (level)
		canvas__printf(c, x, s->y, c->width, STYLE_TITLE, "  from level %" PRIu32 " on",
			       level);
}

static void draw_tree(struct stack_page *s, struct canvas *c)
{
	size_t nr, at = treeview__cursor(s->view), rows = page(s), seen;
	const struct treeview_line *lines = treeview__lines(s->view, &nr);
	uint32_t level;

	s->first = canvas__scroll(s->first, at, rows, nr);
	seen = nr - s->first < rows ? nr - s->first : rows;
	level = first_level(lines + s->first, seen, c);
	draw_titles(s, level, c);
	for (size_t i = 0; i < seen; i++)
		draw_line(s, &lines[s->first + i], level, c, s->y + 1 + (int)i);
	if (!nr)
		return;
	c->cursor_x = 0;
	c->cursor_y = s->y + 1 + (int)(at - s->first);
	canvas__paint(c, 0, c->cursor_y, c->width, STYLE_SELECTED);
}

static enum style style_of(const struct flametext_box *box)
{
	if (box->is_above)
		return STYLE_DIM;
	switch (box->color) {
	case FLAMETEXT_KERNEL:
		return box->odd ? STYLE_BOX_KERNEL_ODD : STYLE_BOX_KERNEL;
	case FLAMETEXT_USER:
	case FLAMETEXT_JIT:
	case FLAMETEXT_INLINED:
		return box->odd ? STYLE_BOX_USER_ODD : STYLE_BOX_USER;
	default:
		return box->odd ? STYLE_BOX_ODD : STYLE_BOX;
	}
}

static void draw_box(const struct stack_page *s, const struct flametext_box *box, bool is_cursor,
		     struct canvas *c)
{
	int x = box->column, y = s->y + 1 + (int)box->row;
	char text[4096]; /* of a thousand columns */

	snprintf(text, sizeof(text), "%.*s%s", (int)box->label_len, box->label,
		 !box->cut     ? ""
		 : c->is_ascii ? "~"
			       : "…");
	canvas__put(c, x, y, box->width, STYLE_PLAIN, text);
	/* An edge at the right tells neighbours apart on terminals without colours. */
	if (box->label_width < box->width)
		canvas__put(c, x + (int)box->width - 1, y, 1, STYLE_PLAIN, c->is_ascii ? "|" : "▕");
	canvas__paint(c, x, y, box->width, is_cursor ? STYLE_SELECTED : style_of(box));
	if (!is_cursor)
		return;
	c->cursor_x = x;
	c->cursor_y = y;
	canvas__printf(c, 1, s->y, c->width - 1, STYLE_TITLE, "%.1f%%  %" PRIu64 " samples  %s",
		       share_of(s, box->total), box->total,
		       tree__name(s->tree, s->profile, box->node));
}

static int draw_flame(struct stack_page *s, struct canvas *c)
{
	const struct flametext_area area = { .width = c->width, .height = page(s) };
	const struct flametext_box *boxes;
	size_t nr;
	int err = flametext__resize(s->flame, &area);

	if (err)
		return err;
	boxes = flametext__boxes(s->flame, &nr);
	for (size_t i = 0; i < nr; i++)
		draw_box(s, &boxes[i], i == flametext__cursor(s->flame), c);
	return 0;
}

int stack_page__draw(struct stack_page *s, struct canvas *c, int y, int height)
{
	s->y = y;
	s->height = height;
	canvas__paint(c, 0, y, c->width, STYLE_TITLE);
	if (!s->tree || !s->tree->nodes[0].total) {
		canvas__put(c, 1, y + 1, c->width, STYLE_DIM, s->profile ? s->empty : s->missing);
		return 0;
	}
	if (s->shows_flame)
		return draw_flame(s, c);
	draw_tree(s, c);
	return 0;
}
