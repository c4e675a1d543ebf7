// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>
#include <malloc.h>

#include "collide.h"
#include "hits.h"

static void rows_of_one_key_are_one_row(void **state)
{
	struct profile *p = new_profile();
	struct row_key key = { .pid = 1 };

	add_event(p, "cycles");
	key.stack = add_stack(p, "csh", "umain", NULL);
	assert_int_equal(profile__add(p, &key, 2, 200, NULL), 0);
	assert_int_equal(profile__add(p, &key, 3, 300, NULL), 0);
	key.pid = 2;
	assert_int_equal(profile__add(p, &key, 4, 400, NULL), 0);
	assert_int_equal(p->nr_rows, 2);
	assert_int_equal(p->rows[0].samples, 5);
	assert_int_equal(p->rows[0].weight, 500);
	assert_int_equal(p->rows[1].samples, 4);
	assert_int_equal(p->events[0].samples, 9);
	assert_int_equal(p->events[0].weight, 900);
	profile__free(p);
}

static void every_part_of_the_key_counts(void **state)
{
	struct profile *p = new_profile();
	struct row_key key = {};
	uint32_t *const parts[] = { &key.event, &key.pid,    &key.tid,
				    &key.cpu,	&key.cgroup, &key.stack };

	add_event(p, "a");
	add_event(p, "b");
	assert_int_equal(profile__add(p, &key, 1, 1, NULL), 0);
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		*parts[i] = 1;
		assert_int_equal(profile__add(p, &key, 1, 1, NULL), 0);
		*parts[i] = 0;
	}
	assert_int_equal(p->nr_rows, 7);
	profile__free(p);
}

static void a_path_is_stored_once(void **state)
{
	struct profile *p = new_profile();
	uint32_t a = add_stack(p, "csh", "umain", "uwork", NULL);
	uint32_t b = add_stack(p, "csh", "umain", "uidle", NULL);
	uint32_t frames[3];

	assert_int_equal(add_stack(p, "csh", "umain", "uwork", NULL), a);
	assert_int_not_equal(a, b);
	assert_int_equal(p->nr_nodes, 5); /* root, sh, main, work, idle */
	for (size_t i = 1; i < p->nr_nodes; i++)
		assert_true(p->nodes[i].parent < i);
	assert_int_equal(profile__stack(p, a, frames, 3), 3);
	assert_string_equal(profile__name(p, frames[0]), "sh");
	assert_string_equal(profile__name(p, frames[1]), "main");
	assert_string_equal(profile__name(p, frames[2]), "work");
	profile__free(p);
}

static void a_stack_is_cut_to_the_space_for_it(void **state)
{
	struct profile *p = new_profile();
	uint32_t frames[2] = { 77, 77 }, node = add_stack(p, "csh", "umain", "uwork", NULL);

	assert_int_equal(profile__stack(p, node, frames, 1), 3);
	assert_string_equal(profile__name(p, frames[0]), "sh");
	assert_int_equal(frames[1], 77);
	assert_int_equal(profile__stack(p, node, NULL, 0), 3);
	assert_int_equal(profile__stack(p, 0, NULL, 0), 0);
	profile__free(p);
}

static void frames_differ_by_name_module_and_kind(void **state)
{
	struct profile *p = new_profile();
	uint32_t f = add_frame(p, "read", "a.so", FRAME_USER);

	assert_int_equal(add_frame(p, "read", "a.so", FRAME_USER), f);
	assert_int_not_equal(add_frame(p, "read", "b.so", FRAME_USER), f);
	assert_int_not_equal(add_frame(p, "read", "a.so", FRAME_KERNEL), f);
	assert_int_not_equal(add_frame(p, "write", "a.so", FRAME_USER), f);
	assert_int_equal(p->nr_frames, 4);
	profile__free(p);
}

static void strings_are_made_valid_on_the_way_in(void **state)
{
	struct profile *p = new_profile();
	uint32_t id;

	assert_int_equal(profile__string(p, "a\xff", 2, &id), 0);
	assert_string_equal(strtab__get(p->strings, id), "a\xef\xbf\xbd");
	assert_int_equal(profile__string(p, "comm\0rest", 9, &id), 0);
	assert_string_equal(strtab__get(p->strings, id), "comm");
	assert_int_equal(profile__string(p, "", 0, &id), 0);
	assert_int_equal(id, 0);
	profile__free(p);
}

static void an_event_keeps_its_own_copy_of_its_name(void **state)
{
	struct profile *p = new_profile();
	char name[] = "cycles";

	add_event(p, name);
	name[0] = 'X';
	assert_string_equal(p->events[0].name, "cycles");
	assert_int_equal(p->events[0].hz, 99);
	profile__free(p);
}

static void a_hundred_thousand_rows_are_found_again(void **state)
{
	struct profile *p = new_profile();
	struct row_key key = {};

	add_event(p, "cycles");
	for (int round = 0; round < 2; round++) {
		for (uint32_t i = 0; i < 100000; i++) {
			key.pid = i;
			assert_int_equal(profile__add(p, &key, 1, 1, NULL), 0);
		}
	}
	assert_int_equal(p->nr_rows, 100000);
	assert_int_equal(p->rows[54321].samples, 2);
	assert_int_equal(p->events[0].samples, 200000);
	profile__free(p);
	profile__free(NULL);
}

/* A thread and a CPU that cancel the hash of the process. */
static void rows_that_were_chosen_do_not_share_a_hash(void **state)
{
	struct profile *p = new_profile();
	unsigned from = cpu_ms();

	add_event(p, "cycles");
	for (uint32_t i = 0; i < MANY_KEYS; i++) {
		struct row_key key = { .pid = i };

		key.tid = hash_u64(i) >> 32;
		key.cpu = hash_u64(i);
		assert_int_equal(profile__add(p, &key, 1, 1, NULL), 0);
	}
	assert_int_equal(p->nr_rows, MANY_KEYS);
	assert_true(cpu_ms() - from < QUICK_MS);
	profile__free(p);
}

static void assert_value(const struct profile *p, size_t row, size_t metric,
			 struct profile_value expected)
{
	const struct profile_value *v = &p->values[row * p->nr_metrics + metric];

	assert_int_equal(v->sum, expected.sum);
	assert_int_equal(v->min, expected.min);
	assert_int_equal(v->max, expected.max);
}

/* The same bits: -2 is least as a signed number, and most as an unsigned one. */
static void values_of_a_row_are_merged(void **state)
{
	struct profile *p = new_hits(BY_PID, "kprobe:a");
	struct row_key key = { .pid = 1 };
	struct profile_value v[2] = { { 10, 3, 7 }, { 10, 3, 7 } };
	char name[] = "ret";

	add_metric(p, name, "ns", true);
	add_metric(p, "bytes", "", false);
	name[0] = 'X';
	assert_string_equal(p->metrics[0].name, "ret");
	assert_string_equal(p->metrics[0].unit, "ns");
	assert_int_equal(profile__add(p, &key, 2, 2, v), 0);
	key.pid = 2;
	assert_int_equal(profile__add(p, &key, 2, 2, v), 0);
	v[0] = v[1] = (struct profile_value){ -2, -2, -2 };
	assert_int_equal(profile__add(p, &key, 1, 1, v), 0);
	/* Values of no samples are none. */
	v[0] = v[1] = (struct profile_value){ 99, -99, 99 };
	assert_int_equal(profile__add(p, &key, 0, 0, v), 0);
	assert_int_equal(p->nr_rows, 2);
	assert_value(p, 0, 0, (struct profile_value){ 10, 3, 7 });
	assert_value(p, 0, 1, (struct profile_value){ 10, 3, 7 });
	assert_value(p, 1, 0, (struct profile_value){ 8, -2, 7 });
	assert_value(p, 1, 1, (struct profile_value){ 8, 3, -2 });
	profile__free(p);
}

/* What counts on is known, and nothing else is taken. */
static void a_sealed_profile_counts_on(void **state)
{
	struct profile *p = new_hits(BY_PID, "kprobe:a");
	const uint64_t known[] = { 1 }, other[] = { 2 };
	struct frame f = { .kind = FRAME_USER };
	struct row_key key = { .pid = 1 };
	uint32_t id, tuple;

	add_field(p, "fd", FIELD_UNSIGNED);
	key.stack = add_stack(p, "csh", "umain", NULL);
	assert_int_equal(profile__tuple(p, known, &key.fields), 0);
	assert_int_equal(profile__add(p, &key, 2, 2, NULL), 0);

	profile__seal(p, PROFILE_NO_STACKS);
	assert_int_equal(add_stack(p, "csh", "umain", NULL), key.stack);
	assert_int_equal(profile__string(p, "main", 4, &f.name), 0);
	assert_int_equal(profile__string(p, "other", 5, &id), -ENOSPC);
	assert_int_equal(profile__child(p, key.stack, 0, &id), -ENOSPC);
	f.kind = FRAME_KERNEL;
	assert_int_equal(profile__frame(p, &f, &id), -ENOSPC);
	key.pid = 2;
	assert_int_equal(profile__add(p, &key, 3, 3, NULL), 0);

	profile__seal(p, PROFILE_NOTHING);
	assert_int_equal(profile__tuple(p, other, &id), -ENOSPC);
	assert_int_equal(profile__tuple(p, known, &tuple), 0);
	assert_int_equal(tuple, key.fields);
	assert_int_equal(profile__add(p, &key, 4, 4, NULL), 0);
	key.pid = 3;
	assert_int_equal(profile__add(p, &key, 5, 5, NULL), -ENOSPC);
	assert_int_equal(p->nr_rows, 2);
	assert_int_equal(p->rows[0].samples, 2);
	assert_int_equal(p->rows[1].samples, 7);
	assert_int_equal(p->events[0].samples, 9);
	profile__free(p);
}

/* In any order with what is looked up; a node has more children than a list takes. */
static void what_was_appended_is_found(void **state)
{
	enum { EACH = 9 };
	struct profile *p = new_profile();
	struct row_key key = { .pid = 7 };
	uint32_t node, id, frames[EACH];

	add_event(p, "cycles");
	node = add_stack(p, "csh", NULL);
	for (uint32_t i = 0; i < EACH; i++)
		frames[i] = add_frame(p, (const char[]){ (char)('a' + i), 0 }, "", FRAME_USER);
	for (uint32_t i = 0; i < EACH; i++) {
		assert_int_equal(profile__append_child(p, node, frames[i], &id), 0);
		assert_int_equal(id, node + 1 + i);
		key.stack = id;
		assert_int_equal(profile__append_row(p, &key, &id), 0);
		assert_int_equal(id, i);
		profile__grow(p, id, 1, 10);
	}
	assert_int_equal(profile__append_child(p, node + EACH, frames[0], &id), 0);
	for (uint32_t i = EACH; i-- > 0;) {
		assert_int_equal(profile__child(p, node, frames[i], &key.stack), 0);
		assert_int_equal(key.stack, node + 1 + i);
		assert_int_equal(profile__add(p, &key, 1, 10, NULL), 0);
		assert_int_equal(p->rows[i].samples, 2);
	}
	assert_int_equal(profile__child(p, node + EACH, frames[0], &id), 0);
	assert_int_equal(id, node + EACH + 1);
	assert_int_equal(profile__child(p, node + EACH, frames[1], &id), 0);
	assert_int_equal(id, node + EACH + 2);
	assert_int_equal(p->nr_rows, EACH);
	assert_int_equal(p->events[0].samples, 2 * EACH);

	profile__seal(p, PROFILE_NO_STACKS);
	assert_int_equal(profile__append_child(p, node, frames[0], &id), -ENOSPC);
	assert_int_equal(profile__append_row(p, &key, &id), 0);
	profile__seal(p, PROFILE_NOTHING);
	assert_int_equal(profile__append_row(p, &key, &id), -ENOSPC);
	profile__free(p);
}

static size_t malloced(void)
{
	const struct mallinfo2 m = mallinfo2();

	return m.uordblks + m.hblkhd;
}

/* Rows, nodes and strings of their own, and tuples: as the allocator counts what they take. */
static void its_memory_is_what_the_allocator_says(void **state)
{
	enum { PAGES = 64 << 10 }; /* each table takes whole ones */
	const size_t before = malloced();
	struct profile *p = new_hits(BY_PID, "kprobe:a");
	size_t told, taken = 0;

	add_field(p, "fd", FIELD_UNSIGNED);
	for (uint64_t i = 0; i < 200000; i++) {
		struct frame f = { .kind = FRAME_USER };
		struct row_key key = { .pid = i };
		char name[32];
		uint32_t frame;

		told = profile__bytes(p, 0);
		snprintf(name, sizeof(name), "f%llu", (unsigned long long)i / 2);
		assert_int_equal(profile__string(p, name, strlen(name), &f.name), 0);
		assert_int_equal(profile__frame(p, &f, &frame), 0);
		assert_int_equal(profile__child(p, 0, frame, &key.stack), 0);
		assert_int_equal(profile__tuple(p, &i, &key.fields), 0);
		assert_int_equal(profile__add(p, &key, 1, 1, NULL), 0);
		taken = malloced() - before;
		/* Also while tables move to a larger place: before, it is told already. */
		assert_true(taken <= told + PAGES);
	}
	/* It does not tell of twice as much either: what comes next is a table that doubles. */
	if (malloced() > before) /* with sanitizers nobody knows */
		assert_true(profile__bytes(p, 0) < 2 * taken);
	assert_true(profile__bytes(p, 25) >= profile__bytes(p, 0));
	profile__free(p);
}

/* What finds them is told before it is there. */
static void memory_of_what_was_appended_is_told(void **state)
{
	enum { NR = 300000, PAGES = 64 << 10 };
	const size_t before = malloced();
	struct profile *p = new_profile();
	struct row_key key = { .pid = 1 };
	uint32_t frame, id;
	size_t told;

	add_event(p, "cycles");
	frame = add_frame(p, "f", "", FRAME_USER);
	for (uint32_t i = 0; i < NR; i++) {
		assert_int_equal(profile__append_child(p, key.stack, frame, &key.stack), 0);
		assert_int_equal(profile__append_row(p, &key, &id), 0);
	}
	told = profile__bytes(p, 0);
	assert_true(malloced() - before <= told + PAGES);
	assert_int_equal(profile__child(p, 0, frame, &key.stack), 0);
	assert_int_equal(profile__row(p, &key, &id), 0);
	assert_int_equal(id, 0);
	assert_true(malloced() - before <= told + told / 8);
	assert_true(profile__bytes(p, 0) <= told + told / 4);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_one_key_are_one_row),
		cmocka_unit_test(every_part_of_the_key_counts),
		cmocka_unit_test(a_path_is_stored_once),
		cmocka_unit_test(a_stack_is_cut_to_the_space_for_it),
		cmocka_unit_test(frames_differ_by_name_module_and_kind),
		cmocka_unit_test(strings_are_made_valid_on_the_way_in),
		cmocka_unit_test(an_event_keeps_its_own_copy_of_its_name),
		cmocka_unit_test(values_of_a_row_are_merged),
		cmocka_unit_test(a_sealed_profile_counts_on),
		cmocka_unit_test(what_was_appended_is_found),
		cmocka_unit_test(memory_of_what_was_appended_is_told),
		cmocka_unit_test(its_memory_is_what_the_allocator_says),
		cmocka_unit_test(rows_that_were_chosen_do_not_share_a_hash),
		cmocka_unit_test(a_hundred_thousand_rows_are_found_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
