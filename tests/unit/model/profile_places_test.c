// SPDX-License-Identifier: BSD-2-Clause
/* Frames of one function at several places, and what is left when places do not matter. */
#include "profiles.h"

#include <errno.h>

#include "model/regroup.h"
#include "print/csv.h"
#include "print/folded.h"

static uint32_t string(struct profile *p, const char *s)
{
	uint32_t id;

	assert_int_equal(profile__string(p, s, strlen(s), &id), 0);
	return id;
}

/* A frame "work" of a program, at an address, or without a place where that is 0. */
static uint32_t frame_at(struct profile *p, uint64_t addr, uint32_t line)
{
	struct frame f = { .name = string(p, "work"),
			   .module = string(p, "prog"),
			   .kind = FRAME_USER };
	const struct code_place at = { .path = string(p, "/usr/bin/prog"),
				       .build_id = string(p, "0123"),
				       .addr = addr,
				       .offset = addr - 0x400000,
				       .source = string(p, "/src/work.c"),
				       .line = line,
				       .start_line = 7 };
	uint32_t id;

	if (addr)
		assert_int_equal(profile__place(p, &at, &f.place), 0);
	assert_int_equal(profile__frame(p, &f, &id), 0);
	return id;
}

static uint32_t stack_at(struct profile *p, uint64_t addr, uint32_t line)
{
	uint32_t node = add_stack(p, "csh", "umain", NULL);

	assert_int_equal(profile__child(p, node, frame_at(p, addr, line), &node), 0);
	return node;
}

static void places_tell_frames_apart(void **state)
{
	struct profile *p = new_profile();
	const uint32_t one = frame_at(p, 0x401000, 10), two = frame_at(p, 0x401004, 11);
	struct code_place at;

	assert_true(profile__has_places(p));
	assert_int_not_equal(one, two);
	assert_int_not_equal(one, frame_at(p, 0, 0));
	assert_int_equal(one, frame_at(p, 0x401000, 10));
	assert_int_not_equal(one, frame_at(p, 0x401000, 12)); /* another line: another version */
	assert_int_equal(p->places.nr, 3);

	assert_true(profile__place_of(p, two, &at));
	assert_string_equal(strtab__get(p->strings, at.path), "/usr/bin/prog");
	assert_string_equal(strtab__get(p->strings, at.build_id), "0123");
	assert_string_equal(strtab__get(p->strings, at.source), "/src/work.c");
	assert_true(at.addr == 0x401004 && at.offset == 0x1004);
	assert_true(at.line == 11 && at.start_line == 7);
	assert_false(profile__place_of(p, frame_at(p, 0, 0), &at));
	profile__free(p);
}

static void a_sealed_profile_takes_no_new_place(void **state)
{
	struct profile *p = new_profile();
	struct code_place at = { .addr = 1 };
	uint32_t id, again;

	assert_int_equal(profile__place(p, &at, &id), 0);
	profile__seal(p, PROFILE_NO_STACKS);
	assert_int_equal(profile__place(p, &at, &again), 0);
	assert_int_equal(id, again);
	at.addr = 2;
	assert_int_equal(profile__place(p, &at, &again), -ENOSPC);
	profile__free(p);
}

/* 1 and 10 in the first window, 100 in the second one. */
static struct profile *windowed(void)
{
	struct profile *p = new_profile();

	add_event(p, "cycles");
	add_row(p, 0, 1, stack_at(p, 0x401000, 10), 1);
	add_row(p, 0, 1, stack_at(p, 0x401004, 11), 10);
	assert_int_equal(profile__close_window(p, 1000), 0);
	add_row(p, 0, 1, stack_at(p, 0x401004, 11), 100);
	add_row(p, 0, 2, stack_at(p, 0x401004, 11), 1000); /* of another process */
	assert_int_equal(profile__close_window(p, 2000), 0);
	return p;
}

static void without_places_equal_stacks_are_one(void **state)
{
	struct profile *p = windowed(), *plain;
	char *text;

	assert_int_equal(p->nr_rows, 3);
	assert_int_equal(profile__without_places(&plain, p), 0);
	assert_false(profile__has_places(plain));
	assert_int_equal(plain->nr_rows, 2);
	assert_int_equal(plain->rows[0].samples, 111);
	assert_int_equal(plain->rows[1].samples, 1000);
	assert_int_equal(plain->nr_nodes, 4); /* the root, sh, main, work */
	assert_int_equal(plain->losses.kept, 1111);
	assert_int_equal(plain->losses.seen, 1111);
	assert_int_equal(plain->events[0].samples, 1111);

	assert_int_equal(plain->windows.nr, 2);
	for (size_t w = 0, at = 0; w < 2; w++) {
		uint64_t samples = 0;

		for (; at < plain->windows.items[w].end_entries; at++)
			samples += plain->windows.entries[at].samples;
		assert_int_equal(samples, w ? 1100 : 11);
	}
	text = WRITTEN(print__folded(f, plain, 0));
	assert_string_equal(text, "sh;main;work 1111\n");
	free(text);
	assert_int_equal(p->nr_rows, 3); /* it is a copy */
	profile__free(plain);
	profile__free(p);
}

static void places_are_merged_and_joined(void **state)
{
	struct profile *one = windowed(), *two = windowed(), *all = profile__like(one);
	struct code_place at;
	uint32_t frame;

	string(all, "so that ids differ");
	assert_int_equal(profile__merge(all, one), 0);
	assert_int_equal(profile__join(all, two), 0);
	assert_int_equal(all->nr_rows, 3);
	assert_int_equal(all->places.nr, 2);
	frame = all->nodes[all->rows[1].key.stack].frame;
	assert_true(profile__place_of(all, frame, &at));
	assert_true(at.addr == 0x401004 && at.line == 11);
	assert_string_equal(strtab__get(all->strings, at.source), "/src/work.c");
	assert_int_equal(all->rows[1].samples, 220);
	profile__free(one);
	profile__free(two);
	profile__free(all);
}

/* Whole stacks keep them; sums by function have none, or it would be there once for each place. */
static void other_keys_keep_places_of_stacks(void **state)
{
	struct regroup_opts o = { .by = BY_USTACK };
	struct profile *p = new_profile(), *q;
	struct code_place at;
	char *text;

	add_event(p, "cycles");
	add_row(p, 0, 1, stack_at(p, 0x401000, 10), 1);
	add_row(p, 0, 2, stack_at(p, 0x401000, 10), 2);
	add_row(p, 0, 2, stack_at(p, 0x401004, 11), 4);
	assert_int_equal(regroup__new(&q, p, &o), 0);
	assert_int_equal(q->nr_rows, 2);
	assert_int_equal(q->rows[0].samples, 3);
	assert_true(profile__place_of(q, q->nodes[q->rows[0].key.stack].frame, &at));
	assert_int_equal(at.addr, 0x401000);
	assert_string_equal(strtab__get(q->strings, at.source), "/src/work.c");
	profile__free(q);
	o.by_function = true;
	assert_int_equal(regroup__new(&q, p, &o), 0);
	assert_false(profile__has_places(q));
	text = WRITTEN(print__csv(f, q, &(struct csv_opts){}));
	assert_string_equal(text, "function,stack,cycles\nwork,main;work,7\n");
	free(text);
	profile__free(q);
	profile__free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_tell_frames_apart),
		cmocka_unit_test(a_sealed_profile_takes_no_new_place),
		cmocka_unit_test(without_places_equal_stacks_are_one),
		cmocka_unit_test(places_are_merged_and_joined),
		cmocka_unit_test(other_keys_keep_places_of_stacks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
