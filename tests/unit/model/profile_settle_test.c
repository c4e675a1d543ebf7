// SPDX-License-Identifier: BSD-2-Clause
/* Frames whose names come late get them, and what is equal then is one: nothing counts twice. */
#include "profiles.h"

#include "base/strtab.h"
#include "print/folded.h"

/* A stack "sh;main;<late>;leaf" or "sh;main;<late>": the address of this number. */
static uint32_t add_late(struct profile *p, uint32_t late, const char *leaf)
{
	struct frame f = { .kind = FRAME_JIT, .late = late };
	uint32_t node = add_stack(p, "csh", "umain", NULL), frame;

	assert_int_equal(profile__string(p, "[jit+0x1000]", 12, &f.name), 0);
	assert_int_equal(profile__frame(p, &f, &frame), 0);
	assert_int_equal(profile__child(p, node, frame, &node), 0);
	if (!leaf)
		return node;
	assert_int_equal(profile__child(p, node, add_frame(p, leaf, "prog", FRAME_USER), &node), 0);
	return node;
}

static const char *names[] = { NULL, "one", "two", "one", NULL, NULL };

static const char *name_of(void *arg, uint32_t late)
{
	++*(unsigned *)arg;
	return late < ARRAY_SIZE(names) ? names[late] : NULL;
}

static void settle(struct profile *p, unsigned nr_asked)
{
	unsigned nr = 0;

	assert_int_equal(profile__settle(p, name_of, &nr), 0);
	assert_int_equal(nr, nr_asked);
}

static void assert_folded(const struct profile *p, const char *want)
{
	char *text = WRITTEN(print__folded(f, p, 0));

	assert_string_equal(text, want);
	free(text);
}

static struct profile *late_profile(void)
{
	struct profile *p = new_profile();

	add_event(p, "cycles");
	add_row(p, 0, 1, add_late(p, 1, "leaf"), 1);
	add_row(p, 0, 1, add_late(p, 2, NULL), 10);
	add_row(p, 0, 1, add_late(p, 3, "leaf"), 100);
	add_row(p, 0, 1, add_late(p, 4, NULL), 1000);
	add_row(p, 0, 1, add_late(p, 5, NULL), 10000);
	add_row(p, 0, 2, add_late(p, 3, "leaf"), 100000); /* of another process */
	return p;
}

/* Nobody has looked for a node or a row of it before. */
static void what_was_appended_is_settled(void **state)
{
	struct profile *p = late_profile(), *copy = new_profile();
	uint32_t id;

	add_event(copy, "cycles");
	for (size_t i = 1; i < strtab__nr(p->strings); i++)
		assert_int_equal(profile__string(copy, strtab__get(p->strings, i),
						 strtab__len(p->strings, i), &id),
				 0);
	for (size_t i = 0; i < p->nr_frames; i++) {
		struct frame f = p->frames[i];

		assert_int_equal(profile__string(copy, profile__name(p, i),
						 strlen(profile__name(p, i)), &f.name),
				 0);
		assert_int_equal(profile__string(copy, strtab__get(p->strings, p->frames[i].module),
						 strtab__len(p->strings, p->frames[i].module),
						 &f.module),
				 0);
		assert_int_equal(profile__frame(copy, &f, &id), 0);
	}
	for (size_t i = 1; i < p->nr_nodes; i++)
		assert_int_equal(
			profile__append_child(copy, p->nodes[i].parent, p->nodes[i].frame, &id), 0);
	for (size_t i = 0; i < p->nr_rows; i++) {
		assert_int_equal(profile__append_row(copy, &p->rows[i].key, &id), 0);
		profile__grow(copy, id, p->rows[i].samples, p->rows[i].weight);
	}
	settle(copy, 5);
	assert_folded(copy, "sh;main;[jit+0x1000]_[j] 11000\n"
			    "sh;main;one_[j];leaf 100101\n"
			    "sh;main;two_[j] 10\n");
	assert_int_equal(copy->nr_rows, 4);
	profile__free(copy);
	profile__free(p);
}

static void equal_names_are_one_row(void **state)
{
	struct profile *p = late_profile();

	assert_int_equal(p->nr_rows, 6);
	settle(p, 5);
	assert_folded(p, "sh;main;[jit+0x1000]_[j] 11000\n"
			 "sh;main;one_[j];leaf 100101\n"
			 "sh;main;two_[j] 10\n");
	assert_int_equal(p->nr_rows, 4);
	assert_int_equal(p->rows[0].samples, 101);
	assert_int_equal(p->rows[2].samples, 11000);
	assert_int_equal(p->events[0].samples, 111111);
	for (size_t i = 0; i < p->nr_frames; i++)
		assert_int_equal(p->frames[i].late, 0);
	for (size_t i = 1; i < p->nr_nodes; i++)
		assert_true(p->nodes[i].parent < i);
	profile__free(p);
}

/* What comes afterwards finds the rows, stacks and frames that there are. */
static void what_is_settled_counts_on(void **state)
{
	struct profile *p = late_profile();
	size_t nr_frames;

	settle(p, 5);
	nr_frames = p->nr_frames;
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "jone", "uleaf", NULL), 1);
	add_row(p, 0, 1, add_stack(p, "csh", "umain", "jtwo", NULL), 1);
	assert_int_equal(p->nr_rows, 4);
	assert_int_equal(p->nr_frames, nr_frames);
	assert_int_equal(p->rows[0].samples, 102);
	assert_int_equal(p->rows[1].samples, 11);
	profile__free(p);
}

static void a_name_that_was_there_already_is_the_same_frame(void **state)
{
	struct profile *p = late_profile();

	add_row(p, 0, 1, add_stack(p, "csh", "umain", "jtwo", NULL), 5);
	settle(p, 5);
	assert_folded(p, "sh;main;[jit+0x1000]_[j] 11000\n"
			 "sh;main;one_[j];leaf 100101\n"
			 "sh;main;two_[j] 15\n");
	profile__free(p);
}

static void values_are_joined(void **state)
{
	const struct profile_metric bytes = { .name = "bytes", .unit = "", .is_signed = true };
	const struct profile_value small = { .sum = 30, .min = -10, .max = 25 },
				   large = { .sum = 70, .min = 7, .max = 50 };
	struct profile *p = new_profile();
	struct row_key key = {};

	add_event(p, "cycles");
	assert_int_equal(profile__metric(p, &bytes), 0);
	key.stack = add_late(p, 1, NULL);
	assert_int_equal(profile__add(p, &key, 2, 2, &small), 0);
	key.stack = add_late(p, 2, NULL);
	assert_int_equal(profile__add(p, &key, 1, 1, &small), 0);
	key.stack = add_late(p, 3, NULL);
	assert_int_equal(profile__add(p, &key, 3, 3, &large), 0);
	settle(p, 3);
	assert_int_equal(p->nr_rows, 2);
	assert_int_equal(p->rows[0].samples, 5);
	assert_int_equal(p->values[0].sum, 100);
	assert_int_equal(p->values[0].min, -10);
	assert_int_equal(p->values[0].max, 50);
	assert_int_equal(p->rows[1].samples, 1);
	assert_int_equal(p->values[1].sum, 30);
	profile__free(p);
}

/* It stays sealed, and what it counts stays in it. */
static void a_sealed_one_takes_no_new_names(void **state)
{
	struct profile *p = late_profile();

	add_row(p, 0, 1, add_stack(p, "csh", "umain", "jtwo", NULL), 5);
	profile__seal(p, PROFILE_NOTHING);
	settle(p, 5);
	assert_folded(p, "sh;main;[jit+0x1000]_[j] 11000\n"
			 "sh;main;[jit+0x1000]_[j];leaf 100101\n"
			 "sh;main;two_[j] 15\n");
	assert_int_equal(p->sealed, PROFILE_NOTHING);
	profile__free(p);
}

static void one_without_late_frames_stays_as_it_is(void **state)
{
	struct profile *p = small_profile();
	char *before = WRITTEN(print__folded(f, p, 0));
	size_t nr_rows = p->nr_rows, nr_nodes = p->nr_nodes;

	settle(p, 0);
	assert_folded(p, before);
	assert_int_equal(p->nr_rows, nr_rows);
	assert_int_equal(p->nr_nodes, nr_nodes);
	free(before);
	profile__free(p);
}

/* Many, in an order of their own: sums are those of a table by name. */
/* Of rows that become one the latest; of others their own. */
static void exemplars_stay_with_their_rows(void **state)
{
	struct profile *p = late_profile();
	uint64_t nr = 0;

	for (uint32_t i = 0; i < p->nr_rows; i++)
		assert_int_equal(profile__exemplify(
					 p, i,
					 &(struct profile_exemplar){ .time_ns = 100 - i,
								     .value = p->rows[i].samples }),
				 0);
	settle(p, 5);
	/* "one" was row 0 and row 2; what has no name was row 3 and row 4. */
	for (uint32_t i = 0; i < p->nr_rows; i++) {
		const struct profile_exemplar *e = profile__exemplar(p, i);
		const uint64_t samples = p->rows[i].samples;

		assert_non_null(e);
		assert_int_equal(e->value, samples == 101 ? 1 : samples == 11000 ? 1000 : samples);
		nr++;
	}
	assert_int_equal(nr, 4);
	profile__free(p);
}

static void many_keep_their_sums(void **state)
{
	enum { NR = 20000, NAMES = 3 };
	struct profile *p = new_profile();
	uint64_t want[NAMES] = {}, all = 0;
	char text[128];

	add_event(p, "cycles");
	for (uint32_t i = 0; i < NR; i++) {
		uint32_t late = 1 + i * 7919u % NR;

		add_row(p, 0, 1, add_late(p, late, NULL), i);
		want[late == 1 || late == 3 ? 1 : late == 2 ? 2 : 0] += i;
		all += i;
	}
	settle(p, NR);
	snprintf(text, sizeof(text),
		 "sh;main;[jit+0x1000]_[j] %llu\nsh;main;one_[j] %llu\nsh;main;two_[j] %llu\n",
		 (unsigned long long)want[0], (unsigned long long)want[1],
		 (unsigned long long)want[2]);
	assert_folded(p, text);
	assert_int_equal(p->events[0].samples, all);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_appended_is_settled),
		cmocka_unit_test(equal_names_are_one_row),
		cmocka_unit_test(what_is_settled_counts_on),
		cmocka_unit_test(a_name_that_was_there_already_is_the_same_frame),
		cmocka_unit_test(values_are_joined),
		cmocka_unit_test(a_sealed_one_takes_no_new_names),
		cmocka_unit_test(one_without_late_frames_stays_as_it_is),
		cmocka_unit_test(exemplars_stay_with_their_rows),
		cmocka_unit_test(many_keep_their_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
