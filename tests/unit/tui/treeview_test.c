// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include "tui/treeview.h"

struct fixture {
	struct profile *p;
	struct tree *t;
	struct treeview *v;
};

/* Of event 0; the tree and profile before are gone, as after a refresh. */
static void show(struct fixture *x, struct profile *p)
{
	struct tree *t;

	assert_int_equal(tree__new(&t, p, &(struct tree_opts){}), 0);
	if (!x->v)
		x->v = treeview__new();
	assert_non_null(x->v);
	assert_int_equal(treeview__set(x->v, p, t), 0);
	tree__free(x->t);
	profile__free(x->p);
	x->p = p;
	x->t = t;
}

static void end(struct fixture *x)
{
	treeview__free(x->v);
	tree__free(x->t);
	profile__free(x->p);
}

/*
 * "all 10|-sh 10|-main 10|+work 8<": a line for each, its fold (+, -, or nothing for a leaf) and
 * "<" at the cursor; depths must be those of the tree.
 */
static void assert_lines(const struct fixture *x, const char *expected)
{
	char text[1024] = "";
	size_t nr, len = 0;
	const struct treeview_line *lines = treeview__lines(x->v, &nr);

	for (size_t i = 0; i < nr; i++) {
		const struct tree_node *n = &x->t->nodes[lines[i].node];

		assert_int_equal(lines[i].depth, n->depth);
		len += snprintf(text + len, sizeof(text) - len, "%s%s%s %d%s", i ? "|" : "",
				lines[i].fold == TREEVIEW_FOLDED     ? "+"
				: lines[i].fold == TREEVIEW_UNFOLDED ? "-"
								     : "",
				tree__name(x->t, x->p, lines[i].node), (int)n->total,
				i == treeview__cursor(x->v) ? "<" : "");
		assert_true(len < sizeof(text));
	}
	assert_string_equal(text, expected);
}

static void the_root_is_unfolded_at_first(void **state)
{
	struct fixture x = {};

	show(&x, small_profile());
	assert_lines(&x, "-all 10<|+sh 10");
	end(&x);
}

static void callees_stand_below_the_largest_first(void **state)
{
	struct fixture x = {};

	show(&x, small_profile());
	assert_int_equal(treeview__unfold_below(x.v), 0);
	assert_lines(&x, "-all 10<|-sh 10|-main 10|-work 8|-work 5|leaf 5|sys_read 2");
	assert_int_equal(treeview__fold_all(x.v), 0);
	assert_lines(&x, "-all 10<|+sh 10");
	end(&x);
}

static void keys_fold_and_unfold(void **state)
{
	struct fixture x = {};

	show(&x, small_profile());
	assert_int_equal(treeview__unfold(x.v), 0); /* it is: to the first below */
	assert_lines(&x, "-all 10|+sh 10<");
	assert_int_equal(treeview__unfold(x.v), 0);
	assert_lines(&x, "-all 10|-sh 10<|+main 10");
	assert_int_equal(treeview__move(x.v, 1), 0);
	assert_int_equal(treeview__toggle(x.v), 0);
	assert_lines(&x, "-all 10|-sh 10|-main 10<|+work 8|sys_read 2");
	assert_int_equal(treeview__go(x.v, 99), 0);
	assert_int_equal(treeview__toggle(x.v), 0); /* a leaf */
	assert_int_equal(treeview__unfold(x.v), 0);
	assert_lines(&x, "-all 10|-sh 10|-main 10|+work 8|sys_read 2<");
	assert_int_equal(treeview__fold(x.v), 0); /* to the caller */
	assert_lines(&x, "-all 10|-sh 10|-main 10<|+work 8|sys_read 2");
	assert_int_equal(treeview__fold(x.v), 0);
	assert_int_equal(treeview__fold(x.v), 0);
	assert_int_equal(treeview__fold(x.v), 0);
	assert_lines(&x, "-all 10|+sh 10<");
	assert_int_equal(treeview__move(x.v, -99), 0);
	assert_int_equal(treeview__toggle(x.v), 0);
	assert_lines(&x, "+all 10<");
	end(&x);
}

static void the_hottest_path_ends_where_it_parts(void **state)
{
	struct profile *p = small_profile();
	struct fixture x = {};

	/* main now has 8 in work, 8 in sys_read and 2 in exit: no callee has most of it. */
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "ksys_read", NULL), 6);
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "uexit", NULL), 2);
	add_row(p, 0, 1, add_stack(p, "cls", "umain", NULL), 1);
	show(&x, p);
	assert_int_equal(treeview__unfold_hottest(x.v), 0);
	assert_lines(&x, "-all 19|-sh 18|-main 18<|sys_read 8|+work 8|exit 2|+ls 1");
	assert_int_equal(treeview__move(x.v, 2), 0);
	assert_int_equal(treeview__unfold_hottest(x.v), 0);
	assert_lines(&x, "-all 19|-sh 18|-main 18|sys_read 8|-work 8|-work 5|leaf 5<|exit 2|+ls 1");
	end(&x);
}

/* Another profile: other ids, other frames, other sizes. */
static void what_is_unfolded_and_the_cursor_stay(void **state)
{
	struct profile *p = new_profile();
	struct fixture x = {};

	show(&x, small_profile());
	assert_int_equal(treeview__unfold_hottest(x.v), 0);
	assert_lines(&x, "-all 10|-sh 10|-main 10|-work 8|-work 5|leaf 5<|sys_read 2");

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "cbash", "umain", NULL), 7);
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "ksys_read", NULL), 4);
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "uwork", "uwork", "uleaf", NULL), 1);
	show(&x, p);
	assert_lines(&x, "-all 12|+bash 7|-sh 5|-main 5|sys_read 4|-work 1|-work 1|leaf 1<");

	/* Gone for an interval. */
	p = new_profile();
	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "ksys_read", NULL), 4);
	show(&x, p);
	assert_lines(&x, "-all 4|-sh 4|-main 4<|sys_read 4");
	show(&x, small_profile());
	assert_lines(&x, "-all 10|-sh 10|-main 10|-work 8|-work 5|leaf 5<|sys_read 2");
	end(&x);
}

/* Of the same name, but of another module or kind. */
static void functions_of_one_name_are_not_one(void **state)
{
	struct profile *p = new_profile();
	struct fixture x = {};

	add_event(p, "cycles");
	add_row(p, 0, 1, add_stack(p, "csh", "uread", "ua", NULL), 2);
	add_row(p, 0, 1, add_stack(p, "csh", "kread", "kb", NULL), 1);
	show(&x, p);
	assert_int_equal(treeview__unfold(x.v), 0);
	assert_int_equal(treeview__unfold(x.v), 0);
	assert_int_equal(treeview__unfold(x.v), 0);
	assert_int_equal(treeview__unfold(x.v), 0);
	assert_lines(&x, "-all 3|-sh 3|-read 2<|a 2|+read 1");
	end(&x);
}

static void what_is_found_is_unfolded(void **state)
{
	struct fixture x = {};
	bool found;

	show(&x, small_profile());
	assert_int_equal(treeview__find(x.v, "WORK", true, &found), 0);
	assert_true(found);
	assert_lines(&x, "-all 10|-sh 10|-main 10|+work 8<|sys_read 2");
	assert_int_equal(treeview__find(x.v, "work", true, &found), 0); /* still typing */
	assert_lines(&x, "-all 10|-sh 10|-main 10|+work 8<|sys_read 2");
	assert_int_equal(treeview__find(x.v, "work", false, &found), 0);
	assert_lines(&x, "-all 10|-sh 10|-main 10|-work 8|+work 5<|sys_read 2");
	assert_int_equal(treeview__find(x.v, "work", false, &found), 0); /* the first again */
	assert_lines(&x, "-all 10|-sh 10|-main 10|-work 8<|+work 5|sys_read 2");
	assert_int_equal(treeview__find(x.v, "nothing", false, &found), 0);
	assert_false(found);
	assert_lines(&x, "-all 10|-sh 10|-main 10|-work 8<|+work 5|sys_read 2");
	end(&x);
}

/* Nodes are all, sh, main, sys_read, work, work, leaf. */
static void what_is_shown_is_unfolded(void **state)
{
	struct fixture x = {};

	show(&x, small_profile());
	assert_int_equal(treeview__show(x.v, 3), 0);
	assert_lines(&x, "-all 10|-sh 10|-main 10|+work 8|sys_read 2<");
	assert_int_equal(treeview__show(x.v, 5), 0);
	assert_lines(&x, "-all 10|-sh 10|-main 10|-work 8|+work 5<|sys_read 2");
	assert_int_equal(treeview__show(x.v, 0), 0);
	assert_lines(&x, "-all 10<|-sh 10|-main 10|-work 8|+work 5|sys_read 2");
	end(&x);
}

static void without_a_tree_there_are_no_lines(void **state)
{
	struct fixture x = { .v = treeview__new() };
	bool found;

	for (int i = 0; i < 2; i++) {
		size_t nr;

		treeview__lines(x.v, &nr);
		assert_int_equal(nr, 0);
		assert_int_equal(treeview__move(x.v, 1), 0);
		assert_int_equal(treeview__move(x.v, -1), 0);
		assert_int_equal(treeview__show(x.v, 1), 0);
		assert_int_equal(treeview__toggle(x.v), 0);
		assert_int_equal(treeview__fold(x.v), 0);
		assert_int_equal(treeview__unfold(x.v), 0);
		assert_int_equal(treeview__fold_all(x.v), 0);
		assert_int_equal(treeview__unfold_below(x.v), 0);
		assert_int_equal(treeview__unfold_hottest(x.v), 0);
		assert_int_equal(treeview__find(x.v, "", true, &found), 0);
		assert_false(found);
		show(&x, small_profile());
		assert_int_equal(treeview__set(x.v, NULL, NULL), 0);
	}
	end(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_root_is_unfolded_at_first),
		cmocka_unit_test(callees_stand_below_the_largest_first),
		cmocka_unit_test(keys_fold_and_unfold),
		cmocka_unit_test(the_hottest_path_ends_where_it_parts),
		cmocka_unit_test(what_is_unfolded_and_the_cursor_stay),
		cmocka_unit_test(functions_of_one_name_are_not_one),
		cmocka_unit_test(what_is_found_is_unfolded),
		cmocka_unit_test(what_is_shown_is_unfolded),
		cmocka_unit_test(without_a_tree_there_are_no_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
