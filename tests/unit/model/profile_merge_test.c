// SPDX-License-Identifier: BSD-2-Clause
#include "profiles.h"

#include <errno.h>

#include "print/folded.h"

static char *folded(const struct profile *p, uint32_t event)
{
	return WRITTEN(print__folded(f, p, event));
}

static void one_like_another_has_its_events_and_nothing_else(void **state)
{
	struct profile *p = small_profile(), *like = profile__like(p);

	assert_non_null(like);
	assert_int_equal(like->nr_events, 2);
	assert_string_equal(like->events[1].name, "faults");
	assert_ptr_not_equal(like->events[1].name, p->events[1].name);
	assert_int_equal(like->events[0].hz, 99);
	assert_int_equal(like->events[0].samples, 0);
	assert_int_equal(like->nr_rows, 0);
	assert_int_equal(like->nr_frames, 0);
	assert_int_equal(like->by, p->by);
	assert_int_equal(like->nr_cpus, 4);
	assert_int_equal(like->duration_ns, 0);
	assert_int_equal(like->losses.seen, 0);
	profile__free(p);
	profile__free(like);
}

/* What its words point to is its own: the other one may be gone. */
static void one_like_another_outlives_it(void **state)
{
	struct profile *p = small_profile(), *like;

	p->buckets.metric = strdup("latency");
	p->buckets.unit = strdup("ns");
	like = profile__like(p);
	assert_non_null(like);
	memset((char *)p->buckets.metric, 'x', 7);
	memset((char *)p->buckets.unit, 'x', 2);
	free((char *)p->buckets.metric);
	free((char *)p->buckets.unit);
	profile__free(p);
	assert_string_equal(like->buckets.metric, "latency");
	assert_string_equal(like->buckets.unit, "ns");
	profile__free(like);
}

/* Ids of the two are different ones: rows come by what they are about. */
static void equal_rows_become_one(void **state)
{
	struct profile *p = small_profile(), *q = profile__like(p);
	uint32_t leaf, other, group;
	struct loss lost = { "stacks_full", "no room", NULL, false, 5 };
	char *text;

	/* In another order, and one of them new. */
	other = add_stack(q, "cbash", "uother", NULL);
	leaf = add_stack(q, "csh", "umain", "uwork", "uwork", "uleaf", NULL);
	assert_int_equal(profile__string(q, "/a", 2, &group), 0);
	add_row(q, 0, 7, other, 4);
	add_row(q, 0, 1, leaf, 10);
	q->rows[0].key.cgroup = group;
	q->duration_ns = 1000;
	p->events[0].enabled_ns = 50;
	p->events[0].running_ns = 30;
	q->events[0].enabled_ns = 60;
	q->events[0].running_ns = 11;
	q->events[1].enabled_ns = 7;
	q->events[1].running_ns = 5;
	p->events[0].passed_over = 3;
	q->events[0].passed_over = 4;
	p->own_ns = 100;
	q->own_ns = 23;
	q->losses.seen += 5;
	losses__add(&q->losses, &lost);
	losses__add(&p->losses, &lost);

	assert_int_equal(profile__merge(p, q), 0);
	assert_int_equal(p->nr_rows, 7);
	assert_int_equal(p->rows[0].samples, 13);
	assert_int_equal(p->rows[0].weight, 13000);
	assert_int_equal(p->rows[6].key.pid, 7);
	assert_string_equal(strtab__get(p->strings, p->rows[6].key.cgroup), "/a");
	assert_int_equal(p->events[0].samples, 24);
	assert_int_equal(p->events[0].weight, 24000);
	assert_int_equal(p->events[0].enabled_ns, 110);
	assert_int_equal(p->events[0].running_ns, 41);
	assert_int_equal(p->events[0].passed_over, 7);
	assert_int_equal(p->events[1].samples, 5);
	assert_int_equal(p->events[1].enabled_ns, 7);
	assert_int_equal(p->events[1].running_ns, 5);
	assert_int_equal(p->own_ns, 123);
	assert_int_equal(p->duration_ns, 2000001000);
	assert_int_equal(p->losses.kept, 29);
	assert_int_equal(p->losses.seen, 34);
	assert_int_equal(losses__sum(&p->losses), 10);
	text = folded(p, 0);
	assert_string_equal(text, "bash;other 4\n"
				  "sh;main;sys_read_[k] 2\n"
				  "sh;main;work 3\n"
				  "sh;main;work;work;leaf 15\n");
	free(text);
	profile__free(p);
	profile__free(q);
}

static void into_an_empty_one_is_a_copy(void **state)
{
	struct profile *p = small_profile(), *q = profile__like(p);
	char *a, *b;

	assert_int_equal(profile__merge(q, p), 0);
	for (uint32_t event = 0; event < 2; event++) {
		a = folded(p, event);
		b = folded(q, event);
		assert_string_equal(a, b);
		free(a);
		free(b);
	}
	assert_int_equal(q->nr_rows, p->nr_rows);
	profile__free(p);
	profile__free(q);
}

static bool is_of_pid(void *arg, const struct profile *p, const struct row *row)
{
	const uint32_t *pid = arg;

	return row->key.pid == *pid;
}

static void some_rows_alone(void **state)
{
	const struct loss lost = { "lost", "without a reason", NULL, false, 5 };
	struct profile *p = small_profile(), *q = profile__like(p);
	uint32_t pid = 2;
	char *text;

	losses__add(&p->losses, &lost);
	p->losses.seen += 5;
	assert_int_equal(profile__merge_some(q, p, is_of_pid, &pid), 0);
	text = folded(q, 0);
	assert_string_equal(text, "sh;main;work;work;leaf 2\n");
	free(text);
	assert_int_equal(q->nr_rows, 1);
	assert_int_equal(q->events[0].samples, 2);
	assert_int_equal(q->events[1].samples, 0);
	assert_int_equal(q->duration_ns, p->duration_ns);
	assert_int_equal(q->losses.kept, 2);
	assert_int_equal(q->losses.seen, 7);
	assert_int_equal(losses__sum(&q->losses), 5);
	profile__free(p);
	profile__free(q);
}

static void what_does_not_fit_is_refused(void **state)
{
	struct profile *p = small_profile(), *q = new_profile();

	assert_int_equal(profile__merge(p, q), -EINVAL); /* no events */
	add_event(q, "cycles");
	add_event(q, "faults");
	assert_int_equal(profile__merge(p, q), 0);
	assert_int_equal(profile__field(q, "arg0", FIELD_UNSIGNED), 0);
	assert_int_equal(profile__merge(p, q), -EINVAL);
	profile__free(p);
	profile__free(q);
}

/* Whoever gets a part is not told of the rest: "run" of "node" is of process 9 alone. */
static void a_part_has_no_names_of_the_rest(void **state)
{
	struct profile *p = small_profile(), *q = profile__like(p);
	uint32_t pid = 2, id;

	assert_int_equal(profile__merge_some(q, p, is_of_pid, &pid), 0);
	assert_int_equal(q->nr_rows, 1);
	assert_int_equal(q->nr_nodes, 6); /* the root, sh, main, work, work, leaf */
	assert_int_equal(q->nr_frames, 4);
	assert_true(strtab__find(q->strings, "leaf", 4, &id));
	assert_false(strtab__find(q->strings, "run", 3, &id));
	assert_false(strtab__find(q->strings, "sys_read", 8, &id));
	profile__free(p);
	profile__free(q);
}

static void a_copy_has_what_its_rows_are_of(void **state)
{
	const struct loss lost = { "lost", "without a reason", NULL, false, 5 };
	struct profile *p = small_profile(), *copy;
	const struct profile_event before = p->events[0];
	char *text, *of_copy;
	uint32_t id;

	losses__add(&p->losses, &lost);
	p->losses.seen += 5;
	add_stack(p, "csh", "umain", "unobody", NULL);
	assert_int_equal(profile__copy(&copy, p), 0);
	text = folded(p, 0);
	of_copy = folded(copy, 0);
	assert_string_equal(of_copy, text);
	assert_int_equal(copy->nr_rows, p->nr_rows);
	assert_int_equal(copy->nr_nodes, p->nr_nodes - 1);
	assert_false(strtab__find(copy->strings, "nobody", 6, &id));
	assert_int_equal(copy->events[0].samples, before.samples);
	assert_int_equal(copy->events[0].weight, before.weight);
	assert_int_equal(copy->events[0].enabled_ns, before.enabled_ns);
	assert_int_equal(copy->duration_ns, p->duration_ns);
	assert_int_equal(copy->losses.seen, p->losses.seen);
	assert_int_equal(copy->losses.kept, p->losses.kept);
	assert_int_equal(losses__sum(&copy->losses), 5);
	free(text);
	free(of_copy);
	assert_int_equal(profile__field(p, "arg0", FIELD_UNSIGNED), 0);
	profile__free(copy);
	assert_int_equal(profile__copy(&copy, p), -EINVAL);
	assert_null(copy);
	profile__free(p);
}

static void what_begins_anew_has_the_stacks_it_had(void **state)
{
	struct profile *p = small_profile();
	const size_t nr_nodes = p->nr_nodes, nr_frames = p->nr_frames;
	const uint32_t stack = add_stack(p, "csh", "umain", "uwork", NULL);
	char *text;

	profile__begin_anew(p);
	assert_int_equal(p->nr_rows, 0);
	assert_int_equal(p->events[0].samples, 0);
	assert_int_equal(p->events[0].weight, 0);
	assert_int_equal(p->events[0].enabled_ns, 0);
	assert_int_equal(p->events[0].hz, 99);
	assert_int_equal(p->duration_ns, 0);
	assert_int_equal(p->losses.seen, 0);
	assert_int_equal(p->losses.kept, 0);
	assert_int_equal(add_stack(p, "csh", "umain", "uwork", NULL), stack);
	assert_int_equal(p->nr_nodes, nr_nodes);
	assert_int_equal(p->nr_frames, nr_frames);
	add_row(p, 0, 1, stack, 4);
	add_row(p, 0, 1, stack, 5);
	assert_int_equal(p->nr_rows, 1);
	assert_int_equal(p->events[0].samples, 9);
	text = folded(p, 0);
	assert_string_equal(text, "sh;main;work 9\n");
	free(text);
	profile__free(p);
}

static uint32_t user_frame(struct profile *p, const char *name, enum frame_kind kind)
{
	return add_frame(p, name, "prog", kind);
}

/*
 *	sh;main;[work];old_[i];leaf 1	-> sh;main;work;one_[i];two_[i];leaf
 *	sh;main;[work] 2		-> sh;main;work;one_[i];two_[i]
 *	sh;main;old_[i] 4		-> as it was: nothing stands for main
 */
static void frames_get_others_in_their_place(void **state)
{
	struct profile *p = new_profile(), *q;
	struct frame_chain chains[8] = {};
	uint32_t ids[3], node, main_node, old, work;
	char *text;

	add_event(p, "cycles");
	main_node = add_stack(p, "csh", "umain", NULL);
	work = user_frame(p, "[work]", FRAME_USER);
	old = user_frame(p, "old", FRAME_INLINED);
	assert_int_equal(profile__child(p, main_node, work, &node), 0);
	add_row(p, 0, 1, node, 2);
	assert_int_equal(profile__child(p, node, old, &node), 0);
	assert_int_equal(profile__child(p, node, user_frame(p, "leaf", FRAME_USER), &node), 0);
	add_row(p, 0, 1, node, 1);
	assert_int_equal(profile__child(p, main_node, old, &node), 0);
	add_row(p, 0, 1, node, 4);

	q = profile__like(p);
	assert_non_null(q);
	ids[0] = user_frame(q, "work", FRAME_USER);
	ids[1] = user_frame(q, "one", FRAME_INLINED);
	ids[2] = user_frame(q, "two", FRAME_INLINED);
	chains[work] = (struct frame_chain){ 0, 3 };
	assert_int_equal(profile__merge_renamed(q, p, chains, ids), 0);
	text = folded(q, 0);
	assert_string_equal(text, "sh;main;old_[i] 4\n"
				  "sh;main;work;one_[i];two_[i] 2\n"
				  "sh;main;work;one_[i];two_[i];leaf 1\n");
	free(text);
	assert_int_equal(q->losses.kept, 7);
	profile__free(p);
	profile__free(q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_like_another_has_its_events_and_nothing_else),
		cmocka_unit_test(one_like_another_outlives_it),
		cmocka_unit_test(equal_rows_become_one),
		cmocka_unit_test(into_an_empty_one_is_a_copy),
		cmocka_unit_test(some_rows_alone),
		cmocka_unit_test(what_does_not_fit_is_refused),
		cmocka_unit_test(a_copy_has_what_its_rows_are_of),
		cmocka_unit_test(what_begins_anew_has_the_stacks_it_had),
		cmocka_unit_test(frames_get_others_in_their_place),
		cmocka_unit_test(a_part_has_no_names_of_the_rest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
