// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include "base/utf8.h"
#include "tui/flametext.h"

struct fixture {
	struct profile *p;
	struct tree *t;
	struct flametext *f;
};

static void show(struct fixture *x, struct profile *p)
{
	struct tree *t;

	assert_int_equal(tree__new(&t, p, &(struct tree_opts){}), 0);
	if (!x->f)
		x->f = flametext__new();
	assert_non_null(x->f);
	assert_int_equal(flametext__set(x->f, p, t), 0);
	tree__free(x->t);
	profile__free(x->p);
	x->p = p;
	x->t = t;
}

static struct fixture begin(struct profile *p, uint32_t width, uint32_t height)
{
	struct fixture x = {};

	show(&x, p);
	assert_int_equal(flametext__resize(
				 x.f, &(struct flametext_area){ .width = width, .height = height }),
			 0);
	return x;
}

static void end(struct fixture *x)
{
	flametext__free(x->f);
	tree__free(x->t);
	profile__free(x->p);
}

/* What it looks like, a line for each row: a box is its label in its width, "]" at its right end.
 */
static void assert_looks(const struct fixture *x, const char *const *rows, size_t nr_rows)
{
	char grid[16][128], line[128];
	size_t nr, cursor = flametext__cursor(x->f);
	const struct flametext_box *boxes = flametext__boxes(x->f, &nr);

	memset(grid, ' ', sizeof(grid));
	for (size_t i = 0; i < nr; i++) {
		const struct flametext_box *b = &boxes[i];
		char *at = &grid[b->row][b->column];

		assert_true(b->row < 16 && b->column + b->width < 128);
		memset(at, '.', b->width);
		memcpy(at, b->label, b->label_len);
		if (b->cut)
			at[b->label_len] = '~';
		at[b->width - 1] = i == cursor ? '<' : ']';
	}
	for (size_t i = 0; i < nr_rows; i++) {
		size_t len = 128;

		while (len && grid[i][len - 1] == ' ')
			len--;
		snprintf(line, sizeof(line), "%.*s", (int)len, grid[i]);
		assert_string_equal(line, rows[i]);
	}
}

#define LOOKS(x, ...)                                                                              \
	do {                                                                                       \
		const char *const rows_[] = { __VA_ARGS__ };                                       \
		assert_looks(&(x), rows_, ARRAY_SIZE(rows_));                                      \
	} while (0)

/* burn: 30 % in burn_30, 60 % in burn_60, 10 % in work itself. */
static struct profile *burn_profile(void)
{
	struct profile *p = new_profile();

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "cburn", "uwork", "uburn_30", NULL), 30);
	add_row(p, 0, 1, add_stack(p, "cburn", "uwork", "uburn_60", NULL), 60);
	add_row(p, 0, 1, add_stack(p, "cburn", "uwork", NULL), 10);
	return p;
}

static void boxes_are_as_wide_as_their_shares(void **state)
{
	struct fixture x = begin(burn_profile(), 100, 8);
	const struct flametext_box *b;
	size_t nr;

	b = flametext__boxes(x.f, &nr);
	assert_int_equal(nr, 5);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(b[i].row, i);
		assert_int_equal(b[i].column, 0);
		assert_int_equal(b[i].width, 100);
		assert_int_equal(b[i].total, 100);
	}
	assert_int_equal(b[3].width, 30);
	assert_int_equal(b[4].column, 30);
	assert_int_equal(b[4].width, 60);
	assert_int_equal(b[4].total, 60);
	assert_int_equal(b[0].color, FLAMETEXT_ROOT);
	assert_int_equal(b[1].color, FLAMETEXT_COMM);
	assert_int_equal(b[4].color, FLAMETEXT_USER);
	assert_false(b[3].odd);
	assert_true(b[4].odd);
	end(&x);
}

static void the_root_is_on_top_or_at_the_bottom(void **state)
{
	struct fixture x = begin(burn_profile(), 20, 5);

	LOOKS(x, "all................<", "burn...............]", "work...............]",
	      "burn_]burn_60....]", "");
	assert_int_equal(flametext__resize(x.f, &(struct flametext_area){ 20, 5, true }), 0);
	LOOKS(x, "", "burn_]burn_60....]", "work...............]", "burn...............]",
	      "all................<");
	end(&x);
}

static void labels_are_cut_by_columns(void **state)
{
	struct profile *p = new_profile();
	struct fixture x;
	const struct flametext_box *b;
	size_t nr;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "cab", NULL), 2);	      /* 2 columns of 20: fits */
	add_row(p, 0, 1, add_stack(p, "cabc", NULL), 2);      /* not, and nothing is said */
	add_row(p, 0, 1, add_stack(p, "c関数関数", NULL), 6); /* 8 columns cut to 6: 関数… */
	add_row(p, 0, 1, add_stack(p, "clonger than that", NULL), 10);
	x = begin(p, 20, 5);
	b = flametext__boxes(x.f, &nr);
	assert_int_equal(nr, 5);
	assert_int_equal(b[1].label_len, 2);
	assert_false(b[1].cut);
	assert_int_equal(b[2].label_len, 0);
	assert_int_equal(b[2].label_width, 0);
	assert_false(b[2].cut);
	assert_int_equal(b[3].label_len, strlen("longer th"));
	assert_int_equal(b[3].label_width, 10);
	assert_true(b[3].cut);
	assert_int_equal(b[4].label_len, strlen("関数"));
	assert_int_equal(b[4].label_width, 5);
	assert_true(b[4].cut);
	end(&x);
}

/* 1 + 2 + 1 of 104 in 40 columns: none has one of its own, but all of them have 1.5. */
static void small_ones_share_a_box(void **state)
{
	struct profile *p = burn_profile();
	struct fixture x;
	const struct flametext_box *b;
	size_t nr;

	add_row(p, 0, 1, add_stack(p, "cx1", "umain", NULL), 1);
	add_row(p, 0, 1, add_stack(p, "cx2", "umain", NULL), 2);
	add_row(p, 0, 1, add_stack(p, "cx3", "umain", NULL), 1);
	x = begin(p, 40, 8);
	b = flametext__boxes(x.f, &nr);
	assert_int_equal(nr, 6);
	assert_int_equal(b[2].level, 1);
	assert_int_equal(b[2].column, 38);
	assert_int_equal(b[2].width, 2);
	assert_int_equal(b[2].total, 4);
	assert_int_equal(b[2].color, FLAMETEXT_MERGED);
	assert_string_equal(b[2].label, "…");
	assert_string_equal(tree__name(x.t, x.p, b[2].node), "x2");
	/* Its callees have no boxes; a zoom goes to the largest. */
	assert_int_equal(flametext__go(x.f, 2), 0);
	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLEE), 0);
	assert_int_equal(flametext__cursor(x.f), 2);
	assert_int_equal(flametext__zoom(x.f), 0);
	LOOKS(x, "all....................................]",
	      "x2.....................................<",
	      "main...................................]");
	end(&x);
}

static void a_function_without_a_column_is_left_out(void **state)
{
	struct profile *p = burn_profile();
	struct fixture x;
	size_t nr;

	add_row(p, 0, 1, add_stack(p, "cx1", "umain", NULL), 1);
	x = begin(p, 20, 8); /* a fifth of a column */
	flametext__boxes(x.f, &nr);
	assert_int_equal(nr, 5);
	end(&x);
}

static void a_move_goes_to_what_is_beside(void **state)
{
	struct fixture x = begin(burn_profile(), 20, 5);

	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLER), 0);
	assert_int_equal(flametext__move(x.f, FLAMETEXT_LEFT), 0);
	assert_int_equal(flametext__move(x.f, FLAMETEXT_RIGHT), 0);
	assert_int_equal(flametext__cursor(x.f), 0);
	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLEE), 0);
	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLEE), 0);
	LOOKS(x, "all................]", "burn...............]", "work...............<");
	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLEE), 0); /* the widest */
	LOOKS(x, "all................]", "burn...............]", "work...............]",
	      "burn_]burn_60....<");
	assert_int_equal(flametext__move(x.f, FLAMETEXT_RIGHT), 0);
	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLEE), 0);
	assert_int_equal(flametext__cursor(x.f), 4);
	assert_int_equal(flametext__move(x.f, FLAMETEXT_LEFT), 0);
	assert_int_equal(flametext__cursor(x.f), 3);
	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLER), 0);
	assert_int_equal(flametext__cursor(x.f), 2);
	assert_int_equal(flametext__go(x.f, 4), 0);
	assert_int_equal(flametext__cursor(x.f), 4);
	end(&x);
}

static void a_zoom_gives_it_all_the_width(void **state)
{
	struct fixture x = begin(burn_profile(), 20, 5);

	assert_false(flametext__is_zoomed(x.f));
	assert_int_equal(flametext__go(x.f, 3), 0);
	assert_int_equal(flametext__zoom(x.f), 0);
	assert_true(flametext__is_zoomed(x.f));
	LOOKS(x, "all................]", "burn...............]", "work...............]",
	      "burn_30............<");
	show(&x, burn_profile()); /* another interval */
	LOOKS(x, "all................]", "burn...............]", "work...............]",
	      "burn_30............<");
	assert_int_equal(flametext__unzoom(x.f), 0);
	LOOKS(x, "all................]", "burn...............]", "work...............]",
	      "burn_<burn_60....]");
	end(&x);
}

/* Callers are told from what is zoomed to, lead back by a zoom of their own, and count as they do.
 */
static void callers_stand_above_a_zoom(void **state)
{
	struct fixture x = begin(burn_profile(), 20, 5);
	const struct flametext_box *b;
	size_t nr;

	assert_int_equal(flametext__focus(x.f, 3), 0);
	LOOKS(x, "all................]", "burn...............]", "work...............]",
	      "burn_30............<");
	b = flametext__boxes(x.f, &nr);
	assert_int_equal(nr, 4);
	assert_true(b[0].is_above && b[1].is_above && b[2].is_above && !b[3].is_above);
	assert_int_equal(b[2].total, x.t->nodes[2].total);
	assert_int_equal(b[2].level, 2);
	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLER), 0);
	assert_int_equal(flametext__zoom(x.f), 0);
	LOOKS(x, "all................]", "burn...............]", "work...............<",
	      "burn_]burn_60....]");
	b = flametext__boxes(x.f, &nr);
	assert_true(b[1].is_above && !b[2].is_above);
	end(&x);
}

/* Six levels in three rows: one above it and one below, also when there are rows only later. */
static void a_focus_is_in_the_middle(void **state)
{
	struct profile *p = new_profile();
	struct fixture x = {};
	const struct flametext_area rows = { .width = 8, .height = 3 };

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "cc", "ud", "ue", "uf", "ug", NULL), 1);
	show(&x, p);
	assert_int_equal(flametext__focus(x.f, 3), 0);
	assert_int_equal(flametext__resize(x.f, &rows), 0);
	LOOKS(x, "d......]", "e......<", "f......]");
	assert_int_equal(flametext__focus(x.f, 5), 0);
	LOOKS(x, "e......]", "f......]", "g......<");
	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLER), 0);
	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLER), 0);
	LOOKS(x, "e......<", "f......]", "g......]");
	end(&x);
}

/* Nodes are all, burn, work, burn_30, burn_70. */
static void a_node_is_shown_in_its_box(void **state)
{
	struct fixture x = begin(burn_profile(), 20, 5);
	uint32_t last = x.t->nr - 1;

	assert_int_equal(flametext__show(x.f, 2), 0);
	LOOKS(x, "all................]", "burn...............]", "work...............<");
	assert_int_equal(flametext__node(x.f), 2);
	assert_int_equal(flametext__zoom(x.f), 0);
	assert_int_equal(flametext__show(x.f, 3), 0);
	assert_true(flametext__is_zoomed(x.f)); /* it is in there */
	LOOKS(x, "all................]", "burn...............]", "work...............]",
	      "burn_<burn_60....]");
	assert_int_equal(flametext__zoom(x.f), 0);
	assert_int_equal(flametext__show(x.f, last), 0);
	assert_false(flametext__is_zoomed(x.f));
	assert_int_equal(flametext__node(x.f), last);
	end(&x);
}

/* The next of them is found from there on. */
static void of_a_merged_box_the_node_is_known(void **state)
{
	struct profile *p = burn_profile();
	struct fixture x;

	for (const char *const *comm = (const char *const[]){ "cx1", "cx2", "cx3", NULL }; *comm;
	     comm++)
		add_row(p, 0, 1, add_stack(p, *comm, "umain", NULL), 1);
	x = begin(p, 40, 8);
	for (uint32_t n = x.t->nr - 6; n < x.t->nr; n += 2) {
		assert_int_equal(flametext__show(x.f, n), 0);
		assert_int_equal(flametext__cursor(x.f), 2);
		assert_int_equal(flametext__node(x.f), n);
	}
	end(&x);
}

static void what_is_gone_leaves_the_cursor_to_its_caller(void **state)
{
	struct fixture x = begin(burn_profile(), 20, 5);
	struct profile *p = new_profile();

	assert_int_equal(flametext__go(x.f, 3), 0);
	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "cburn", "uwork", "uburn_60", NULL), 1);
	show(&x, p);
	LOOKS(x, "all................]", "burn...............]", "work...............<",
	      "burn_60............]");
	show(&x, burn_profile());
	LOOKS(x, "all................]", "burn...............]", "work...............]",
	      "burn_<burn_60....]");
	end(&x);
}

/* Four levels, two rows. */
static void rows_follow_the_cursor(void **state)
{
	struct fixture x = begin(burn_profile(), 20, 2);
	uint32_t first;

	LOOKS(x, "all................<", "burn...............]");
	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLEE), 0);
	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLEE), 0);
	LOOKS(x, "burn...............]", "work...............<");
	assert_int_equal(flametext__levels(x.f, &first), 4);
	assert_int_equal(first, 1);
	assert_int_equal(flametext__resize(x.f, &(struct flametext_area){ 20, 3, true }), 0);
	LOOKS(x, "burn_]burn_60....]", "work...............<", "burn...............]");
	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLER), 0);
	assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLER), 0);
	LOOKS(x, "work...............]", "burn...............]", "all................<");
	end(&x);
}

static void without_a_tree_or_an_area_there_are_no_boxes(void **state)
{
	struct fixture x = { .f = flametext__new() };
	size_t nr;

	for (int i = 0; i < 3; i++) {
		flametext__boxes(x.f, &nr);
		assert_int_equal(nr, 0);
		assert_int_equal(flametext__move(x.f, FLAMETEXT_CALLEE), 0);
		assert_int_equal(flametext__zoom(x.f), 0);
		assert_int_equal(flametext__unzoom(x.f), 0);
		assert_int_equal(flametext__go(x.f, 0), 0);
		assert_int_equal(flametext__show(x.f, 0), 0);
		assert_int_equal(flametext__node(x.f), 0);
		if (i == 0)
			show(&x, burn_profile()); /* no area */
		else
			assert_int_equal(flametext__set(x.f, NULL, NULL), 0);
		if (i == 1)
			assert_int_equal(
				flametext__resize(x.f, &(struct flametext_area){ 20, 5, false }),
				0);
	}
	end(&x);
}

static uint32_t next(uint32_t *seed, uint32_t below)
{
	*seed = *seed * 1103515245 + 12345;
	return (*seed >> 16) % below;
}

static struct profile *random_profile(uint32_t seed)
{
	struct profile *p = new_profile();
	uint32_t frames[8];

	add_event(p, "cycles");
	for (uint32_t i = 0; i < ARRAY_SIZE(frames); i++) {
		char name[8] = { 'a' + i };

		frames[i] = add_frame(p, name, "prog", FRAME_USER);
	}
	for (int i = 0; i < 300; i++) {
		uint32_t node = add_stack(p, "csh", NULL), depth = next(&seed, 7);

		while (depth--)
			assert_int_equal(profile__child(p, node, frames[next(&seed, 8)], &node), 0);
		add_row(p, 0, 1, node, 1 + next(&seed, 1 << next(&seed, 10)));
	}
	return p;
}

/* The box a level above that it stands in; NULL: none. */
static const struct flametext_box *caller_of(const struct flametext_box *boxes, size_t nr,
					     const struct flametext_box *b)
{
	for (size_t i = 0; i < nr; i++)
		if (boxes[i].level + 1 == b->level && b->first > boxes[i].first &&
		    b->end <= boxes[i].end)
			return &boxes[i];
	return NULL;
}

static void nothing_overlaps_and_all_is_within_its_caller(void **state)
{
	static const uint32_t widths[] = { 1, 7, 40, 80, 250 };

	for (uint32_t seed = 0; seed < 40; seed++) {
		uint32_t width = widths[seed % ARRAY_SIZE(widths)];
		struct fixture x = begin(random_profile(seed), width, 20);
		size_t nr;
		const struct flametext_box *boxes = flametext__boxes(x.f, &nr);

		assert_true(nr > 0);
		assert_int_equal(boxes[0].width, width);
		for (size_t i = 1; i < nr; i++) {
			const struct flametext_box *b = &boxes[i], *above;
			double exact = (double)b->total * width / (double)x.t->nodes[0].total;

			assert_true(b->width >= 1);
			assert_true(b->label_width <= b->width);
			assert_true(b->width > exact - 1 && b->width < exact + 1);
			if (b->level == b[-1].level)
				assert_true(b->column >= b[-1].column + b[-1].width);
			above = caller_of(boxes, nr, b);
			assert_non_null(above);
			assert_true(b->column >= above->column);
			assert_true(b->column + b->width <= above->column + above->width);
		}
		end(&x);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(boxes_are_as_wide_as_their_shares),
		cmocka_unit_test(the_root_is_on_top_or_at_the_bottom),
		cmocka_unit_test(labels_are_cut_by_columns),
		cmocka_unit_test(small_ones_share_a_box),
		cmocka_unit_test(a_function_without_a_column_is_left_out),
		cmocka_unit_test(a_move_goes_to_what_is_beside),
		cmocka_unit_test(a_zoom_gives_it_all_the_width),
		cmocka_unit_test(callers_stand_above_a_zoom),
		cmocka_unit_test(a_focus_is_in_the_middle),
		cmocka_unit_test(a_node_is_shown_in_its_box),
		cmocka_unit_test(of_a_merged_box_the_node_is_known),
		cmocka_unit_test(what_is_gone_leaves_the_cursor_to_its_caller),
		cmocka_unit_test(rows_follow_the_cursor),
		cmocka_unit_test(without_a_tree_or_an_area_there_are_no_boxes),
		cmocka_unit_test(nothing_overlaps_and_all_is_within_its_caller),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
