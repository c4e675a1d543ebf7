// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "elf/symtab.h"

static void add(struct symtab *t, uint64_t addr, uint64_t size, const char *name,
		enum sym_rank rank)
{
	assert_int_equal(symtab__add(t, addr, size, name, strlen(name), rank), 0);
}

/* NULL: nothing covers the address. */
static const char *name_at(struct symtab *t, uint64_t addr)
{
	struct sym sym;

	return symtab__find(t, addr, &sym) ? sym.name : NULL;
}

static void assert_name(struct symtab *t, uint64_t addr, const char *want)
{
	const char *got = name_at(t, addr);

	if (!want)
		assert_null(got);
	else
		assert_string_equal(got ? got : "(none)", want);
}

static void an_empty_table_names_nothing(void **state)
{
	struct symtab *t = symtab__new();

	(void)state;
	assert_int_equal(symtab__finish(t), 0);
	assert_name(t, 0, NULL);
	assert_name(t, UINT64_MAX, NULL);
	assert_int_equal(symtab__nr(t), 0);
	symtab__free(t);
}

static void a_sized_symbol_ends_where_it_says(void **state)
{
	struct symtab *t = symtab__new();

	(void)state;
	add(t, 0x200, 0x10, "late", SYM_GLOBAL);
	add(t, 0x100, 0x10, "early", SYM_GLOBAL);
	assert_int_equal(symtab__finish(t), 0);
	assert_name(t, 0xff, NULL);
	assert_name(t, 0x100, "early");
	assert_name(t, 0x10f, "early");
	assert_name(t, 0x110, NULL);
	assert_name(t, 0x1ff, NULL);
	assert_name(t, 0x200, "late");
	assert_name(t, 0x20f, "late");
	assert_name(t, 0x210, NULL);
	symtab__free(t);
}

static void an_unsized_symbol_reaches_to_the_next(void **state)
{
	struct symtab *t = symtab__new();
	struct sym sym;

	(void)state;
	add(t, 0x100, 0, "a", SYM_LOCAL);
	add(t, 0x180, 0, "b", SYM_LOCAL);
	assert_int_equal(symtab__finish(t), 0);
	assert_name(t, 0x17f, "a");
	assert_name(t, 0x180, "b");
	assert_true(symtab__find(t, UINT64_MAX, &sym));
	assert_string_equal(sym.name, "b");
	assert_int_equal(sym.size, 0);
	assert_int_equal(sym.addr, 0x180);
	symtab__free(t);
}

static void a_fence_ends_an_unsized_symbol(void **state)
{
	struct symtab *t = symtab__new();

	(void)state;
	add(t, 0x100, 0, "start", SYM_LOCAL);
	add(t, 0x140, 0, "", SYM_WEAK);
	add(t, 0x200, 8, "next", SYM_LOCAL);
	assert_int_equal(symtab__finish(t), 0);
	assert_name(t, 0x13f, "start");
	assert_name(t, 0x140, NULL);
	assert_name(t, 0x1ff, NULL);
	assert_name(t, 0x200, "next");
	symtab__free(t);
}

static void a_fence_does_not_hide_a_symbol(void **state)
{
	struct symtab *t = symtab__new();

	(void)state;
	add(t, 0x140, 0, "", SYM_GLOBAL);
	add(t, 0x140, 0, "weak", SYM_WEAK);
	add(t, 0x200, 0x20, "sized", SYM_LOCAL);
	add(t, 0x210, 0, "", SYM_GLOBAL);
	assert_int_equal(symtab__finish(t), 0);
	assert_name(t, 0x140, "weak");
	assert_name(t, 0x21f, "sized");
	symtab__free(t);
}

static void the_higher_rank_wins_then_the_first(void **state)
{
	struct symtab *t = symtab__new();

	(void)state;
	add(t, 0x100, 4, "weak", SYM_WEAK);
	add(t, 0x100, 4, "global", SYM_GLOBAL);
	add(t, 0x100, 4, "another", SYM_GLOBAL);
	add(t, 0x100, 4, "local", SYM_LOCAL);
	add(t, 0x080, 4, "first", SYM_LOCAL);
	add(t, 0x080, 4, "second", SYM_LOCAL);
	assert_int_equal(symtab__finish(t), 0);
	assert_name(t, 0x100, "global");
	assert_name(t, 0x080, "first");
	assert_int_equal(symtab__nr(t), 2);
	symtab__free(t);
}

static void the_winner_inherits_the_size_of_its_alias(void **state)
{
	struct symtab *t = symtab__new();

	(void)state;
	add(t, 0x100, 0, "global", SYM_GLOBAL);
	add(t, 0x100, 8, "local", SYM_LOCAL);
	assert_int_equal(symtab__finish(t), 0);
	assert_name(t, 0x107, "global");
	assert_name(t, 0x108, NULL);
	symtab__free(t);
}

/* memcpy is the entry of a longer local function. */
static void a_longer_alias_covers_what_lies_behind(void **state)
{
	struct symtab *t = symtab__new();
	struct sym sym;

	(void)state;
	add(t, 0x100, 0x08, "entry", SYM_GLOBAL);
	add(t, 0x100, 0x20, "body", SYM_LOCAL);
	assert_int_equal(symtab__finish(t), 0);
	assert_name(t, 0x107, "entry");
	assert_true(symtab__find(t, 0x108, &sym));
	assert_string_equal(sym.name, "body");
	assert_int_equal(sym.addr, 0x100);
	assert_int_equal(sym.size, 0x20);
	assert_name(t, 0x120, NULL);
	symtab__free(t);
}

static void a_label_inside_a_function_is_dropped(void **state)
{
	struct symtab *t = symtab__new();

	(void)state;
	add(t, 0x100, 0x40, "function", SYM_LOCAL);
	add(t, 0x110, 0, "label", SYM_GLOBAL);
	assert_int_equal(symtab__finish(t), 0);
	assert_name(t, 0x110, "function");
	assert_name(t, 0x13f, "function");
	assert_name(t, 0x140, NULL);
	symtab__free(t);
}

static void a_function_goes_on_behind_one_inside_of_it(void **state)
{
	struct symtab *t = symtab__new();
	struct sym sym;

	(void)state;
	add(t, 0x100, 0x100, "outer", SYM_GLOBAL);
	add(t, 0x140, 0x10, "inner", SYM_LOCAL);
	assert_int_equal(symtab__finish(t), 0);
	assert_name(t, 0x13f, "outer");
	assert_name(t, 0x140, "inner");
	assert_name(t, 0x14f, "inner");
	assert_true(symtab__find(t, 0x150, &sym));
	assert_string_equal(sym.name, "outer");
	assert_int_equal(sym.addr, 0x100);
	assert_int_equal(sym.size, 0x100);
	assert_name(t, 0x1ff, "outer");
	assert_name(t, 0x200, NULL);
	symtab__free(t);
}

static void addresses_at_the_very_end_do_not_wrap(void **state)
{
	struct symtab *t = symtab__new();

	(void)state;
	add(t, UINT64_MAX - 3, 100, "last", SYM_LOCAL);
	add(t, 0, 4, "first", SYM_LOCAL);
	assert_int_equal(symtab__finish(t), 0);
	assert_name(t, 3, "first");
	assert_name(t, 4, NULL);
	assert_name(t, UINT64_MAX - 1, "last");
	symtab__free(t);
}

static void names_are_copied_byte_by_byte(void **state)
{
	struct symtab *t = symtab__new();
	char name[] = "name\0behind";
	struct sym sym;

	(void)state;
	assert_int_equal(symtab__add(t, 0x10, 1, name, sizeof(name) - 1, SYM_LOCAL), 0);
	memset(name, 'x', sizeof(name));
	assert_int_equal(symtab__finish(t), 0);
	assert_true(symtab__find(t, 0x10, &sym));
	assert_memory_equal(sym.name, "name\0behind\0", 12);
	symtab__free(t);
}

struct model_sym {
	uint64_t addr, size;
	char name[8];
};

/* What the header promises, the slow way: the strongest of all that cover the address. */
static const char *slow_find(const struct model_sym *syms, size_t nr, uint64_t addr)
{
	const struct model_sym *best = NULL;
	size_t i;

	for (i = 0; i < nr; i++) {
		if (addr < syms[i].addr || addr - syms[i].addr >= syms[i].size)
			continue;
		if (!best || syms[i].addr > best->addr)
			best = &syms[i];
	}
	return best ? best->name : NULL;
}

static void compare_with_slow_find(void)
{
	struct model_sym syms[60];
	struct symtab *t = symtab__new();
	size_t i, j;

	for (i = 0; i < 60; i++) {
		syms[i].addr = rand() % 500;
		syms[i].size = 1 + rand() % (i % 7 ? 20 : 200);
		snprintf(syms[i].name, sizeof(syms[i].name), "s%zu", i);
		/* Equal starts are another matter, tested above. */
		for (j = 0; j < i; j++)
			if (syms[j].addr == syms[i].addr)
				syms[i].addr = 1000 + 10 * i;
		add(t, syms[i].addr, syms[i].size, syms[i].name, SYM_LOCAL);
	}
	assert_int_equal(symtab__finish(t), 0);
	for (i = 0; i < 2000; i++)
		assert_name(t, i, slow_find(syms, 60, i));
	symtab__free(t);
}

static void random_overlaps_agree_with_a_linear_search(void **state)
{
	int i;

	(void)state;
	srand(1);
	for (i = 0; i < 200; i++)
		compare_with_slow_find();
}

static void many_unsorted_symbols_are_all_found(void **state)
{
	struct symtab *t = symtab__new();
	uint64_t i, key;
	struct sym sym;
	char name[32];

	(void)state;
	/* An odd multiplier visits every slot once, in no order. */
	for (i = 0; i < 65536; i++) {
		key = (i * 40503) & 0xffff;
		snprintf(name, sizeof(name), "f%llu", (unsigned long long)key);
		add(t, 0xffffffff00000000ull + key * 16, 16, name, SYM_GLOBAL);
	}
	assert_int_equal(symtab__finish(t), 0);
	assert_int_equal(symtab__nr(t), 65536);
	for (i = 0; i < 65536; i++) {
		assert_true(symtab__find(t, 0xffffffff00000000ull + i * 16 + 15, &sym));
		assert_int_equal(strtoull(sym.name + 1, NULL, 10), i);
	}
	symtab__free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_table_names_nothing),
		cmocka_unit_test(a_sized_symbol_ends_where_it_says),
		cmocka_unit_test(an_unsized_symbol_reaches_to_the_next),
		cmocka_unit_test(a_fence_ends_an_unsized_symbol),
		cmocka_unit_test(a_fence_does_not_hide_a_symbol),
		cmocka_unit_test(the_higher_rank_wins_then_the_first),
		cmocka_unit_test(the_winner_inherits_the_size_of_its_alias),
		cmocka_unit_test(a_longer_alias_covers_what_lies_behind),
		cmocka_unit_test(a_label_inside_a_function_is_dropped),
		cmocka_unit_test(a_function_goes_on_behind_one_inside_of_it),
		cmocka_unit_test(addresses_at_the_very_end_do_not_wrap),
		cmocka_unit_test(names_are_copied_byte_by_byte),
		cmocka_unit_test(random_overlaps_agree_with_a_linear_search),
		cmocka_unit_test(many_unsorted_symbols_are_all_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
