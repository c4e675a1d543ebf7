// SPDX-License-Identifier: BSD-2-Clause
/* Equal frames are one; what tells them apart. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>

#include "sym/frames.h"

static int set_up(void **state)
{
	static struct frames f;

	*state = &f;
	return frames__reset(&f);
}

static int tear_down(void **state)
{
	frames__free(*state);
	return 0;
}

static uint32_t add(struct frames *f, const char *name, const char *module, enum sym_kind kind)
{
	uint32_t id;

	assert_int_equal(frames__add(f, name, module, kind, &id), 0);
	return id;
}

static uint32_t add_inlined(struct frames *f, const char *name, uint32_t around)
{
	uint32_t id;

	assert_int_equal(frames__add_inlined(f, name, around, &id), 0);
	return id;
}

static void a_frame_is_its_name_module_and_kind(void **state)
{
	struct frames *f = *state;
	const uint32_t id = add(f, "run", "a.so", SYM_USER);

	assert_int_equal(add(f, "run", "a.so", SYM_USER), id);
	assert_int_not_equal(add(f, "walk", "a.so", SYM_USER), id);
	assert_int_not_equal(add(f, "run", "b.so", SYM_USER), id);
	assert_int_not_equal(add(f, "run", "a.so", SYM_JIT), id);
	assert_int_equal(f->items[id].around, FRAME_NOT_INLINED);
	assert_true(f->items[id].named);
}

static void an_inlined_one_also_what_it_is_in(void **state)
{
	struct frames *f = *state;
	const uint32_t one = add(f, "one", "a.so", SYM_USER), two = add(f, "two", "b.so", SYM_USER);
	const uint32_t in_one = add_inlined(f, "run", one), in_two = add_inlined(f, "run", two);
	const uint32_t deeper = add_inlined(f, "run", in_one);

	assert_int_not_equal(in_one, in_two);
	assert_int_not_equal(in_one, deeper);
	assert_int_equal(add_inlined(f, "run", one), in_one);
	assert_int_equal(add_inlined(f, "run", in_one), deeper);
	assert_int_not_equal(add(f, "run", "a.so", SYM_USER), in_one);
	assert_int_equal(f->items[deeper].around, in_one);
	assert_int_equal(f->items[in_one].around, one);
	assert_int_equal(f->items[deeper].kind, SYM_INLINED);
	assert_string_equal(f->items[deeper].module, "a.so");
	assert_string_equal(f->items[in_two].module, "b.so");
}

static void an_address_without_a_name_is_no_name(void **state)
{
	struct frames *f = *state;
	uint32_t at, function, again;

	assert_int_equal(frames__add_address(f, "a.so", 0x1234, SYM_USER, &at), 0);
	assert_int_equal(frames__add_function(f, "a.so", 0x1230, SYM_USER, &function), 0);
	assert_int_equal(frames__add_function(f, "a.so", 0x1230, SYM_USER, &again), 0);
	assert_string_equal(f->items[at].name, "[a.so+0x1234]");
	assert_string_equal(f->items[function].name, "[a.so fn 0x1230]");
	assert_false(f->items[at].named || f->items[function].named);
	assert_int_equal(again, function);
	assert_string_equal(f->items[f->unknown].name, "[unknown]");
}

static void late_ones_are_told_apart(void **state)
{
	struct frames *f = *state;
	uint32_t one, two, plain;

	assert_int_equal(frames__add_late(f, "jit", 0x10, 5, &one), 0);
	assert_int_equal(frames__add_late(f, "jit", 0x10, 6, &two), 0);
	assert_int_equal(frames__add_address(f, "jit", 0x10, SYM_JIT, &plain), 0);
	assert_true(one != two && one != plain && two != plain);
	assert_int_equal(f->items[one].late, 5);
	assert_int_equal(f->items[two].late, 6);
	assert_int_equal(f->items[plain].late, 0);
	assert_string_equal(f->items[one].name, "[jit+0x10]");
}

static void cookies_are_forgotten(void **state)
{
	struct frames *f = *state;
	const uint32_t id = add(f, "run", "a.so", SYM_USER), in = add_inlined(f, "walk", id);

	f->items[id].cookie = 1;
	f->items[in].cookie = 2;
	assert_int_equal(add(f, "run", "a.so", SYM_USER), id);
	assert_int_equal(f->items[id].cookie, 1);
	frames__forget_cookies(f);
	assert_int_equal(f->items[id].cookie, UINT32_MAX);
	assert_int_equal(f->items[in].cookie, UINT32_MAX);
}

/* Names are the table's own; with what they take more it is larger, and empty when reset. */
static void many_are_kept_until_it_is_reset(void **state)
{
	enum { MANY = 5000 };
	struct frames *f = *state;
	const size_t empty = frames__bytes(f), nr = f->nr;
	uint32_t around = f->unknown;
	char name[16];

	for (unsigned i = 0; i < MANY; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		around = add_inlined(f, name, around);
	}
	assert_int_equal(f->nr, nr + MANY);
	for (unsigned i = MANY; i--; around = f->items[around].around) {
		snprintf(name, sizeof(name), "f%u", i);
		assert_string_equal(f->items[around].name, name);
	}
	assert_int_equal(around, f->unknown);
	assert_true(frames__bytes(f) > empty + MANY * sizeof(struct sym_frame));
	assert_int_equal(frames__reset(f), 0);
	assert_int_equal(f->nr, nr);
}

#define WITH_FRAMES(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FRAMES(a_frame_is_its_name_module_and_kind),
		WITH_FRAMES(an_inlined_one_also_what_it_is_in),
		WITH_FRAMES(an_address_without_a_name_is_no_name),
		WITH_FRAMES(late_ones_are_told_apart),
		WITH_FRAMES(cookies_are_forgotten),
		WITH_FRAMES(many_are_kept_until_it_is_reset),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
