// SPDX-License-Identifier: BSD-2-Clause
/*
 * What the kernel kept from programs between start and stop. It counts from when they are loaded,
 * and other programs may keep hits from them before anything is measured.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <bpf/libbpf.h>

#include "object/bpf.h"
#include "probe/func_session.h"
#include "probe/count_session.h"

enum { PROGRAM = 3, CLONE = 4, PROGRAMS };

/* A kernel of the test's own. */
static uint64_t missed_by[PROGRAMS], missed_by_links;
static volatile __u32 *on;
static unsigned nr_waits;

uint64_t __wrap_bpf__missed(int prog_fd);
uint64_t __wrap_sites__missed(const struct sites *s);
int __wrap_bpf_program__fd(const struct bpf_program *program);
int __wrap_grace__wait(void);
uint64_t __wrap_targets__dropped(const struct bpf_object *obj);

uint64_t __wrap_bpf__missed(int prog_fd)
{
	return missed_by[prog_fd];
}

uint64_t __wrap_sites__missed(const struct sites *s)
{
	return missed_by_links;
}

int __wrap_bpf_program__fd(const struct bpf_program *program)
{
	return PROGRAM;
}

uint64_t __wrap_targets__dropped(const struct bpf_object *obj)
{
	return 0;
}

/* Programs that have seen the switch on are waited for when it is off. */
int __wrap_grace__wait(void)
{
	assert_int_equal(*on, 0);
	nr_waits++;
	return 0;
}

static void set_missed(uint64_t program, uint64_t clone, uint64_t links)
{
	missed_by[PROGRAM] = program;
	missed_by[CLONE] = clone;
	missed_by_links = links;
}

static void hits_are_lost_from_the_start_on(void **state)
{
	int clones[] = { CLONE };
	struct count_bpf__bss bss = {};
	struct count_bpf skel = { .bss = &bss };
	struct hook hook = { .skel = &skel,
			     .clones = clones,
			     .nr_clones = 1,
			     .object.on = (uint32_t *)&bss.control.on },
		    *hooks[] = { &hook };
	struct count h = { .session.fns = &count__fns, .hooks = hooks, .nr_hooks = 1 };
	struct count_stats stats;

	on = &bss.control.on;
	nr_waits = 0;
	set_missed(1000, 200, 30);
	assert_int_equal(session__start(&h.session), 0);
	assert_int_equal(*on, 1);
	set_missed(1001, 202, 34);
	assert_int_equal(session__stop(&h.session), 0);
	assert_int_equal(nr_waits, 1);
	set_missed(5000, 5000, 5000);
	count__stats(&h.session, &stats);
	assert_int_equal(stats.lost[COUNT_LOST_MISSED], 1 + 2 + 4);
	assert_int_equal(stats.seen, 1 + 2 + 4);
	assert_int_equal(stats.missed_by_any, 0);
}

/* Of some tasks' hits only: whose those were is not known, and none is told as lost. */
static void of_chosen_ones_they_are_not_called_lost(void **state)
{
	struct count_bpf__bss bss = {};
	struct count_bpf skel = { .bss = &bss };
	struct hook hook = { .skel = &skel, .object.on = (uint32_t *)&bss.control.on },
		    *hooks[] = { &hook };
	struct count h = {
		.session.fns = &count__fns, .hooks = hooks, .nr_hooks = 1, .selects = true
	};
	struct count_stats stats;

	on = &bss.control.on;
	set_missed(1000, 0, 0);
	assert_int_equal(session__start(&h.session), 0);
	set_missed(1007, 0, 0);
	assert_int_equal(session__stop(&h.session), 0);
	count__stats(&h.session, &stats);
	assert_int_equal(stats.missed_by_any, 7);
	assert_int_equal(stats.lost[COUNT_LOST_MISSED], 0);
	assert_int_equal(stats.seen, 0);
}

static void calls_are_missed_from_the_start_on(void **state)
{
	static const struct func_probe function;
	struct func_bpf__bss bss = {};
	struct func_bpf skel = { .bss = &bss };
	struct pair pair = { .skel = &skel,
			     .functions = &function,
			     .object.on = (uint32_t *)&bss.control.on,
			     .entry = (struct bpf_program *)&function },
		    *pairs[] = { &pair };
	struct func c = { .session.fns = &func__fns, .pairs = pairs, .nr_pairs = 1 };
	struct func_stats stats;

	on = &bss.control.on;
	nr_waits = 0;
	set_missed(1000, 0, 20);
	assert_int_equal(session__start(&c.session), 0);
	assert_int_equal(*on, 1);
	set_missed(1003, 0, 22);
	assert_int_equal(session__stop(&c.session), 0);
	assert_int_equal(nr_waits, 1);
	func__stats(&c.session, &stats);
	assert_int_equal(stats.missed, 3 + 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hits_are_lost_from_the_start_on),
		cmocka_unit_test(of_chosen_ones_they_are_not_called_lost),
		cmocka_unit_test(calls_are_missed_from_the_start_on),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
