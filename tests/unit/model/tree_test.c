// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "model/tree.h"

static struct tree *build(const struct profile *p, struct tree_opts o)
{
	struct tree *t;

	o.weights = true;
	assert_int_equal(tree__new(&t, p, &o), 0);
	return t;
}

static void assert_node(const struct profile *p, const struct tree *t, size_t i, const char *name,
			uint32_t depth, uint64_t self, uint64_t total, uint32_t end)
{
	const struct tree_node *n = &t->nodes[i];

	assert_true(i < t->nr);
	if (i)
		assert_string_equal(profile__name(p, n->frame), name);
	else
		assert_int_equal(n->frame, TREE_NO_FRAME);
	assert_int_equal(n->depth, depth);
	assert_int_equal(n->self, self);
	assert_int_equal(n->total, total);
	assert_int_equal(n->end, end);
	assert_int_equal(t->self_weights[i], self * 1000);
}

static void is_preorder_with_children_by_name(void **state)
{
	struct profile *p = small_profile();
	struct tree *t = build(p, (struct tree_opts){ .event = 0 });

	assert_int_equal(t->nr, 7);
	assert_int_equal(t->depth, 5);
	assert_node(p, t, 0, NULL, 0, 0, 10, 7);
	assert_node(p, t, 1, "sh", 1, 0, 10, 7);
	assert_node(p, t, 2, "main", 2, 0, 10, 7);
	assert_node(p, t, 3, "sys_read", 3, 2, 2, 4);
	assert_node(p, t, 4, "work", 3, 3, 8, 7);
	assert_node(p, t, 5, "work", 4, 0, 5, 7);
	assert_node(p, t, 6, "leaf", 5, 5, 5, 7);
	tree__free(t);
	profile__free(p);
}

static void leaves_out_what_the_event_did_not_hit(void **state)
{
	struct profile *p = small_profile();
	struct tree *t = build(p, (struct tree_opts){ .event = 1 });

	assert_int_equal(t->nr, 6);
	assert_node(p, t, 0, NULL, 0, 0, 5, 6);
	assert_node(p, t, 1, "node", 1, 0, 1, 3);
	assert_node(p, t, 2, "run", 2, 1, 1, 3);
	assert_node(p, t, 3, "sh", 1, 0, 4, 6);
	assert_node(p, t, 5, "sys_read", 3, 4, 4, 6);
	tree__free(t);
	profile__free(p);
}

static void reversed_it_merges_from_the_leaf(void **state)
{
	struct profile *p = small_profile();
	struct tree *t = build(p, (struct tree_opts){ .event = 0, .reverse = true });

	/* leaf;work;work;main;sh 5, sys_read;main;sh 2, work;main;sh 3 */
	assert_int_equal(t->nr, 1 + 5 + 3 + 3);
	assert_node(p, t, 0, NULL, 0, 0, 10, 12);
	assert_node(p, t, 1, "leaf", 1, 0, 5, 6);
	assert_node(p, t, 5, "sh", 5, 5, 5, 6);
	assert_node(p, t, 6, "sys_read", 1, 0, 2, 9);
	assert_node(p, t, 9, "work", 1, 0, 3, 12);
	assert_node(p, t, 11, "sh", 3, 3, 3, 12);
	tree__free(t);
	profile__free(p);
}

static void frames_that_stand_for_another_are_merged(void **state)
{
	struct profile *p = new_profile();
	uint32_t a, b, sh, n, stands_for[3] = { 0, 1, 1 };

	add_event(p, "cycles");
	sh = add_stack(p, "csh", NULL);
	a = add_frame(p, "f", "liba.so", FRAME_USER);
	b = add_frame(p, "f", "libb.so", FRAME_USER);
	assert_int_equal(b, 2);
	assert_int_equal(profile__child(p, sh, a, &n), 0);
	add_row(p, 0, 1, n, 2);
	assert_int_equal(profile__child(p, sh, b, &n), 0);
	add_row(p, 0, 1, n, 3);

	struct tree *apart = build(p, (struct tree_opts){ .event = 0 });
	struct tree *merged = build(p, (struct tree_opts){ .stands_for = stands_for });

	assert_int_equal(apart->nr, 4);
	assert_int_equal(merged->nr, 3);
	assert_node(p, merged, 2, "f", 2, 5, 5, 3);
	tree__free(apart);
	tree__free(merged);
	profile__free(p);
}

/* Stacks come in any order, and grow after their siblings have come. */
static void siblings_are_sorted_with_all_below_them(void **state)
{
	struct profile *p = new_profile();
	struct tree *t;

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "uc", "ux", NULL), 1);
	add_row(p, 0, 1, add_stack(p, "csh", "ua", NULL), 2);
	add_row(p, 0, 1, add_stack(p, "csh", "ub", "uc", NULL), 4);
	add_row(p, 0, 1, add_stack(p, "cmake", "ub", NULL), 8);
	add_row(p, 0, 1, add_stack(p, "csh", "uc", "ua", "ua", NULL), 16);
	add_row(p, 0, 1, add_stack(p, "csh", "ub", "ua", NULL), 32);
	add_row(p, 0, 1, add_stack(p, "csh", "ua", "uz", NULL), 0);
	t = build(p, (struct tree_opts){ .event = 0 });
	assert_int_equal(t->nr, 12);
	assert_node(p, t, 0, NULL, 0, 0, 63, 12);
	assert_node(p, t, 1, "make", 1, 0, 8, 3);
	assert_node(p, t, 2, "b", 2, 8, 8, 3);
	assert_node(p, t, 3, "sh", 1, 0, 55, 12);
	assert_node(p, t, 4, "a", 2, 2, 2, 5);
	assert_node(p, t, 5, "b", 2, 0, 36, 8);
	assert_node(p, t, 6, "a", 3, 32, 32, 7);
	assert_node(p, t, 7, "c", 3, 4, 4, 8);
	assert_node(p, t, 8, "c", 2, 0, 17, 12);
	assert_node(p, t, 9, "a", 3, 0, 16, 11);
	assert_node(p, t, 10, "a", 4, 16, 16, 11);
	assert_node(p, t, 11, "x", 3, 1, 1, 12);
	assert_int_equal(t->nodes[10].parent, 9);
	assert_int_equal(t->nodes[11].parent, 8);
	tree__free(t);
	profile__free(p);
}

static void no_samples_leave_the_root(void **state)
{
	struct profile *p = new_profile();
	struct tree *t;

	add_event(p, "cycles");
	t = build(p, (struct tree_opts){ .event = 0 });
	assert_int_equal(t->nr, 1);
	assert_node(p, t, 0, NULL, 0, 0, 0, 1);
	tree__free(t);
	assert_int_equal(tree__new(&t, p, &(struct tree_opts){ .event = 1 }), -EINVAL);
	assert_null(t);
	profile__free(p);
}

static void ten_thousand_frames_deep_is_no_recursion(void **state)
{
	struct profile *p = new_profile();
	uint32_t f = add_frame(p, "f", "", FRAME_USER), n = add_stack(p, "csh", NULL);
	struct tree *t;

	add_event(p, "cycles");
	for (int i = 0; i < 10000; i++)
		assert_int_equal(profile__child(p, n, f, &n), 0);
	add_row(p, 0, 1, n, 1);
	t = build(p, (struct tree_opts){ .event = 0 });
	assert_int_equal(t->nr, 10002);
	assert_int_equal(t->depth, 10001);
	assert_int_equal(t->nodes[10001].self, 1);
	tree__free(t);
	profile__free(p);
}

/* Weights of events by subtree, also of those without samples; reversed it is who calls. */
static void counts_of_other_events_add_up(void **state)
{
	const uint32_t events[] = { 1, 0 };
	struct tree_opts o = { .event = 0, .counted = events, .nr_counted = 2 };
	static const struct {
		const char *name;
		uint64_t instructions, cycles;
	} forward[] = { { "all", 2500, 2500 },	{ "sh", 2500, 2500 },	{ "idle", 0, 0 },
			{ "main", 2500, 2500 }, { "fast", 2000, 1000 }, { "slow", 500, 1000 } },
	  reversed[] = { { "all", 2500, 2500 }, { "fast", 2000, 1000 }, { "main", 2000, 1000 },
			 { "sh", 2000, 1000 },	{ "idle", 0, 0 },	{ "sh", 0, 0 },
			 { "main", 0, 500 },	{ "sh", 0, 500 },	{ "slow", 500, 1000 } };
	struct profile *p = grouped_profile();
	struct tree *t;

	assert_int_equal(tree__new(&t, p, &o), 0);
	assert_int_equal(t->nr, ARRAY_SIZE(forward));
	for (size_t i = 0; i < t->nr; i++) {
		assert_string_equal(tree__name(t, p, i), forward[i].name);
		assert_int_equal(t->counted[2 * i], forward[i].instructions);
		assert_int_equal(t->counted[2 * i + 1], forward[i].cycles);
	}
	tree__free(t);
	o.reverse = true;
	assert_int_equal(tree__new(&t, p, &o), 0);
	for (size_t i = 0; i < ARRAY_SIZE(reversed); i++) {
		assert_string_equal(tree__name(t, p, i), reversed[i].name);
		assert_int_equal(t->counted[2 * i], reversed[i].instructions);
		assert_int_equal(t->counted[2 * i + 1], reversed[i].cycles);
	}
	tree__free(t);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(is_preorder_with_children_by_name),
		cmocka_unit_test(leaves_out_what_the_event_did_not_hit),
		cmocka_unit_test(reversed_it_merges_from_the_leaf),
		cmocka_unit_test(frames_that_stand_for_another_are_merged),
		cmocka_unit_test(siblings_are_sorted_with_all_below_them),
		cmocka_unit_test(no_samples_leave_the_root),
		cmocka_unit_test(ten_thousand_frames_deep_is_no_recursion),
		cmocka_unit_test(counts_of_other_events_add_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
