// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sym/space.h"

static void add(struct space *s, uint64_t start, uint64_t end, uint64_t since, uint32_t binary)
{
	const struct mapping m = {
		.start = start, .end = end, .since_ns = since, .binary = binary
	};

	assert_int_equal(space__add(s, &m), 0);
}

/* Binary id of the mapping at an address and time, -1 for none. */
static int at(const struct space *s, uint64_t addr, uint64_t time)
{
	const struct mapping *m = space__find(s, addr, time);

	return m ? (int)m->binary : -1;
}

static void ends_are_exclusive(void **state)
{
	struct space *s = space__new();

	add(s, 0x1000, 0x2000, 0, 1);
	add(s, 0x2000, 0x3000, 0, 2);
	assert_int_equal(at(s, 0xfff, 9), -1);
	assert_int_equal(at(s, 0x1000, 9), 1);
	assert_int_equal(at(s, 0x1fff, 9), 1);
	assert_int_equal(at(s, 0x2000, 9), 2);
	assert_int_equal(at(s, 0x3000, 9), -1);
	space__release(s);
}

/* A library is unloaded and another put over the middle of its place at time 50. */
static void a_new_mapping_hides_the_old_from_then_on(void **state)
{
	struct space *s = space__new();
	const struct mapping *rest;

	add(s, 0x1000, 0x9000, 10, 1);
	add(s, 0x3000, 0x5000, 50, 2);
	assert_int_equal(at(s, 0x4000, 60), 2);
	assert_int_equal(at(s, 0x4000, 50), 2);
	assert_int_equal(at(s, 0x4000, 49), 1);
	assert_int_equal(at(s, 0x2000, 60), 1);
	assert_int_equal(at(s, 0x8000, 60), 1);
	assert_int_equal(space__nr(s), 3);
	rest = space__find(s, 0x5000, 60);
	assert_int_equal(rest->start, 0x5000);
	assert_int_equal(rest->offset, 0x4000); /* still the same bytes of the file */
	space__release(s);
}

static void one_mapping_may_hide_several(void **state)
{
	struct space *s = space__new();

	add(s, 0x1000, 0x2000, 0, 1);
	add(s, 0x2000, 0x3000, 0, 2);
	add(s, 0x5000, 0x6000, 0, 3);
	add(s, 0x1800, 0x5800, 7, 4);
	assert_int_equal(at(s, 0x17ff, 9), 1);
	assert_int_equal(at(s, 0x1800, 9), 4);
	assert_int_equal(at(s, 0x57ff, 9), 4);
	assert_int_equal(at(s, 0x5800, 9), 3);
	assert_int_equal(at(s, 0x2800, 6), 2);
	space__release(s);
}

static void a_shared_space_is_copied_before_it_changes(void **state)
{
	struct space *parent = space__new(), *child;

	add(parent, 0x1000, 0x2000, 0, 1);
	child = space__share(parent);
	assert_int_equal(space__own(&child), 0);
	add(child, 0x1000, 0x2000, 5, 2);
	assert_int_equal(at(child, 0x1000, 9), 2);
	assert_int_equal(at(parent, 0x1000, 9), 1);
	space__release(child);
	space__release(parent);
}

static void an_earlier_time_than_all_takes_the_present(void **state)
{
	struct space *s = space__new();

	add(s, 0x1000, 0x2000, 100, 1);
	assert_int_equal(at(s, 0x1000, 50), 1);
	space__release(s);
}

/* Three files one after the other at one place, and what of them is asked for late. */
static void each_generation_is_found_by_its_time(void **state)
{
	struct space *s = space__new();

	add(s, 0x1000, 0x3000, 10, 1);
	add(s, 0x1000, 0x3000, 20, 2);
	add(s, 0x2000, 0x4000, 30, 3);
	assert_int_equal(at(s, 0x1000, 15), 1);
	assert_int_equal(at(s, 0x2fff, 15), 1);
	assert_int_equal(at(s, 0x2fff, 20), 2);
	assert_int_equal(at(s, 0x2fff, 29), 2);
	assert_int_equal(at(s, 0x2fff, 30), 3);
	assert_int_equal(at(s, 0x1000, 40), 2);
	/* Behind the end of the first, and before what is there now: nothing of that time is known.
	 */
	assert_int_equal(at(s, 0x3000, 15), 3);
	add(s, 0x1000, 0x5000, 40, 4);
	assert_int_equal(at(s, 0x3000, 15), 4);
	assert_int_equal(at(s, 0x3fff, 35), 3);
	assert_int_equal(at(s, 0x4000, 35), 4);
	assert_int_equal(space__changed_ns(s), 40);
	assert_int_equal(space__replaced(s), 4);
	space__release(s);
}

/* Of what was mapped before the fork a child's samples of before its own changes may be. */
static void a_copied_space_has_its_past(void **state)
{
	struct space *parent = space__new(), *child;

	add(parent, 0x1000, 0x2000, 10, 1);
	add(parent, 0x1000, 0x2000, 20, 2);
	child = space__share(parent);
	assert_int_equal(space__own(&child), 0);
	assert_ptr_not_equal(child, parent);
	add(child, 0x5000, 0x6000, 30, 3);
	assert_int_equal(at(child, 0x1000, 15), 1);
	assert_int_equal(at(child, 0x1000, 25), 2);
	assert_int_equal(space__changed_ns(child), 30);
	assert_int_equal(space__changed_ns(parent), 20);
	space__release(child);
	space__release(parent);
}

/* /proc says it again each time that it is asked. */
static void what_is_there_already_changes_nothing(void **state)
{
	struct space *s = space__new();
	const struct mapping *m;
	const struct mapping rest = {
		.start = 0x2000, .end = 0x3000, .offset = 0x1000, .since_ns = 99, .binary = 1
	};
	const struct mapping shifted = {
		.start = 0x2000, .end = 0x3000, .offset = 0x5000, .since_ns = 50, .binary = 1
	};

	add(s, 0x1000, 0x3000, 10, 1);
	add(s, 0x1000, 0x3000, 40, 1);
	assert_int_equal(space__add(s, &rest), 0);
	assert_int_equal(space__changes(s), 1);
	assert_int_equal(space__changed_ns(s), 10);
	m = space__find(s, 0x2000, 99);
	assert_int_equal(m->since_ns, 10);
	assert_int_equal(m->start, 0x1000);
	/* More than it, and other code of the same file, do. */
	add(s, 0x1000, 0x4000, 45, 1);
	assert_int_equal(at(s, 0x3000, 46), 1);
	assert_int_equal(space__replaced(s), 0);
	assert_int_equal(space__add(s, &shifted), 0);
	assert_int_equal(space__replaced(s), 1);
	assert_int_equal(space__find(s, 0x2000, 50)->offset, 0x5000);
	assert_int_equal(space__find(s, 0x2000, 49)->offset, 0);
	assert_int_equal(space__changes(s), 3);
	space__release(s);
}

static void kinds_are_told_by_the_kernels_names(void **state)
{
	assert_int_equal(mapping__kind("/usr/bin/cat"), MAPPING_FILE);
	assert_int_equal(mapping__kind("[vdso]"), MAPPING_VDSO);
	assert_int_equal(mapping__kind("[vsyscall]"), MAPPING_VSYSCALL);
	assert_int_equal(mapping__kind("//anon"), MAPPING_ANON);
	assert_int_equal(mapping__kind(""), MAPPING_ANON);
	assert_int_equal(mapping__kind("[heap]"), MAPPING_ANON);
	assert_int_equal(mapping__kind("/memfd:jit (deleted)"), MAPPING_ANON);
	assert_int_equal(mapping__kind("/dev/zero (deleted)"), MAPPING_ANON);
}

static void see(struct space *s, uint64_t start, uint64_t end, uint64_t offset, uint32_t binary,
		uint64_t now)
{
	const struct mapping m = { .start = start, .end = end, .offset = offset, .binary = binary };

	assert_int_equal(space__see(s, &m, now), 0);
}

/* What was mapped at 50 is where the map says at 90 that it is: that is when it came. */
static void what_is_seen_again_changes_nothing(void **state)
{
	struct space *s = space__new();
	unsigned changes;

	add(s, 0x1000, 0x9000, 10, 1);
	add(s, 0x3000, 0x5000, 50, 2);
	changes = space__changes(s);
	see(s, 0x1000, 0x3000, 0, 1, 90);
	see(s, 0x3000, 0x5000, 0, 2, 90);
	see(s, 0x5000, 0x9000, 0x4000, 1, 90);
	see(s, 0x6000, 0x7000, 0x5000, 1, 90); /* a part, as after munmap of the rest */
	assert_int_equal(space__changes(s), changes);
	assert_int_equal(space__nr(s), 3);
	assert_int_equal(at(s, 0x4000, 49), 1);
	assert_int_equal(at(s, 0x4000, 50), 2);
	space__release(s);
}

/* Around what is known, and over it where that is something else by now. */
static void what_is_seen_anew_hides_no_past(void **state)
{
	struct space *s = space__new();

	add(s, 0x3000, 0x5000, 50, 2);
	see(s, 0x1000, 0x4000, 0, 1, 90);
	see(s, 0x4000, 0x9000, 0x1000, 2, 90);
	assert_int_equal(at(s, 0x2000, 5), 1); /* there before anybody looked */
	assert_int_equal(at(s, 0x8000, 5), 2);
	assert_int_equal(at(s, 0x3800, 89), 2);
	assert_int_equal(at(s, 0x3800, 90), 1);
	assert_int_equal(at(s, 0x4800, 60), 2);
	see(s, 0x4000, 0x5000, 0x8000, 2, 95); /* the same file, but another place in it */
	assert_int_equal(space__find(s, 0x4000, 94)->offset, 0x1000);
	assert_int_equal(space__find(s, 0x4000, 95)->offset, 0x8000);
	space__release(s);
}

/* It was seen before its record was there. */
static void a_record_tells_since_when(void **state)
{
	struct space *s = space__new();

	add(s, 0x1000, 0x2000, 10, 1);
	see(s, 0x1000, 0x2000, 0, 2, 90);
	assert_int_equal(at(s, 0x1000, 89), 1);
	add(s, 0x1000, 0x2000, 70, 2);
	assert_int_equal(at(s, 0x1000, 69), 1);
	assert_int_equal(at(s, 0x1000, 70), 2);
	assert_int_equal(space__nr(s), 1);
	space__release(s);
}

/* A parent's map of 20 tells nothing of what its child has mapped there at 50. */
static void what_came_after_a_look_stays(void **state)
{
	struct space *s = space__new();

	add(s, 0x1000, 0x2000, 10, 1);
	add(s, 0x1000, 0x2000, 50, 2);
	see(s, 0x1000, 0x3000, 0, 3, 20);
	assert_int_equal(at(s, 0x1000, 20), 1);
	assert_int_equal(at(s, 0x1000, 49), 1);
	assert_int_equal(at(s, 0x1000, 60), 2);
	assert_int_equal(at(s, 0x2000, 60), 3);
	space__release(s);
}

/* A program that maps two files in turn for hours, and one that maps at ever another place. */
static void a_busy_program_takes_no_more_room(void **state)
{
	struct space *s = space__new();
	uint64_t n = 5 * SPACE_PAST;

	(void)state;
	for (uint64_t i = 1; i <= n; i++)
		add(s, 0x1000, 0x2000, i * 10, i & 1 ? 1 : 2);
	assert_int_equal(space__nr(s), 1);
	assert_int_equal(at(s, 0x1000, n * 10), 2);
	assert_int_equal(at(s, 0x1000, n * 10 - 1), 1);
	assert_int_equal(at(s, 0x1000, (n - SPACE_PAST / 4) * 10 + 15), 1);
	/* Of what was before all that is remembered the present one has to do. */
	assert_int_equal(at(s, 0x1000, (n - SPACE_PAST - 1) * 10), 2);

	for (uint64_t i = 0; i < SPACE_NOW + 100; i++) {
		uint64_t start = 0x100000000 + i * 0x2000;

		add(s, start, start + 0x1000, n * 10 + i, 3);
		assert_true(space__nr(s) <= SPACE_NOW);
		assert_int_equal(at(s, start, n * 10 + i), 3);
	}
	assert_in_range(space__nr(s), 1, 101);
	space__release(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ends_are_exclusive),
		cmocka_unit_test(a_new_mapping_hides_the_old_from_then_on),
		cmocka_unit_test(one_mapping_may_hide_several),
		cmocka_unit_test(a_shared_space_is_copied_before_it_changes),
		cmocka_unit_test(an_earlier_time_than_all_takes_the_present),
		cmocka_unit_test(each_generation_is_found_by_its_time),
		cmocka_unit_test(a_copied_space_has_its_past),
		cmocka_unit_test(what_is_there_already_changes_nothing),
		cmocka_unit_test(what_is_seen_again_changes_nothing),
		cmocka_unit_test(what_is_seen_anew_hides_no_past),
		cmocka_unit_test(a_record_tells_since_when),
		cmocka_unit_test(what_came_after_a_look_stays),
		cmocka_unit_test(a_busy_program_takes_no_more_room),
		cmocka_unit_test(kinds_are_told_by_the_kernels_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
