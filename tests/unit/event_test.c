// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "perf/event.h"

static struct perf_event_spec parse(const char *text)
{
	struct perf_event_spec ev;
	struct buf why = {};

	assert_int_equal(perf_event__parse(&ev, text, &why), 0);
	buf__free(&why);
	return ev;
}

static void assert_event(const char *text, uint32_t type, uint64_t config)
{
	struct perf_event_spec ev = parse(text);

	assert_int_equal(ev.attr.type, type);
	assert_int_equal(ev.attr.config, config);
}

/* Numbers as in include/uapi/linux/perf_event.h. */
static void generic_names_and_aliases(void **state)
{
	assert_event("cycles", 0, 0);
	assert_event("cpu-cycles", 0, 0);
	assert_event("branch-misses", 0, 5);
	assert_event("ref-cycles", 0, 9);
	assert_event("cpu-clock", 1, 0);
	assert_event("faults", 1, 2);
	assert_event("cs", 1, 3);
	assert_event("major-faults", 1, 6);
}

/* cache | op << 8 | result << 16: L1D 0, L1I 1, LL 2, DTLB 3, ITLB 4, BPU 5, NODE 6. */
static void cache_names(void **state)
{
	assert_event("L1-dcache-load-misses", 3, 0x10000);
	assert_event("L1-dcache-loads", 3, 0x00000);
	assert_event("LLC-stores", 3, 0x00102);
	assert_event("LLC-store-misses", 3, 0x10102);
	assert_event("dTLB-load-misses", 3, 0x10003);
	assert_event("iTLB-loads", 3, 0x00004);
	assert_event("branch-loads", 3, 0x00005);
	assert_event("node-prefetch-misses", 3, 0x10206);
	assert_event("L1-icache-load-misses", 3, 0x10001);
}

static void raw_codes_are_hex(void **state)
{
	assert_event("r1b0", 4, 0x1b0);
	assert_event("rFFFFFFFFFFFFFFFF", 4, UINT64_MAX);
}

static void modifiers_exclude_what_they_do_not_name(void **state)
{
	struct perf_event_spec ev = parse("cycles:u");

	assert_false(ev.attr.exclude_user);
	assert_true(ev.attr.exclude_kernel);
	assert_true(ev.attr.exclude_hv);
	assert_string_equal(ev.name, "cycles:u");
	ev = parse("cycles:k");
	assert_true(ev.attr.exclude_user);
	assert_false(ev.attr.exclude_kernel);
	ev = parse("cycles:uk");
	assert_false(ev.attr.exclude_user);
	assert_false(ev.attr.exclude_kernel);
	ev = parse("cycles:ppp");
	assert_int_equal(ev.attr.precise_ip, 3);
	assert_false(ev.attr.exclude_kernel);
	ev = parse("instructions:DI");
	assert_true(ev.attr.pinned);
	assert_true(ev.attr.exclude_idle);
	ev = parse("cycles:G");
	assert_true(ev.attr.exclude_host);
	assert_false(ev.attr.exclude_guest);
}

static void a_rate_may_follow(void **state)
{
	struct perf_event_spec ev = parse("cycles:u@997hz");

	assert_int_equal(ev.hz, 997);
	assert_int_equal(ev.period, 0);
	assert_string_equal(ev.name, "cycles:u");
	ev = parse("cache-misses@100k");
	assert_int_equal(ev.hz, 0);
	assert_int_equal(ev.period, 100000);
}

static void assert_refused(const char *text, const char *because)
{
	struct perf_event_spec ev;
	struct buf why = {};

	assert_int_equal(perf_event__parse(&ev, text, &why), -EINVAL);
	assert_non_null(strstr(why.data, because));
	buf__free(&why);
}

static void what_is_wrong_is_said(void **state)
{
	assert_refused("cycels", "did you mean cycles?");
	assert_refused("", "empty event name");
	assert_refused("cycles:z", "unknown modifier 'z'");
	assert_refused("cycles@0", "'@0' is no rate");
	assert_refused("cycles@fast", "no rate");
	assert_refused("sched:sched_switch", "cannot sample 'sched:sched_switch'");
	assert_refused("L1-dcache", "unknown event");
	assert_refused("rXYZ", "unknown event");
	assert_refused("r12345678901234567", "unknown event");
}

static void lists_keep_their_order(void **state)
{
	struct perf_event_spec *evs = NULL;
	size_t nr = 0, cap = 0;
	struct buf why = {};

	assert_int_equal(perf_event__parse_list(&evs, &nr, &cap, "cycles,faults:u@7", &why), 0);
	assert_int_equal(perf_event__parse_list(&evs, &nr, &cap, "cs", &why), 0);
	assert_int_equal(nr, 3);
	assert_string_equal(evs[1].name, "faults:u");
	assert_int_equal(evs[1].period, 7);
	assert_string_equal(evs[2].name, "cs");
	assert_int_equal(perf_event__parse_list(&evs, &nr, &cap, "cs,,cs", &why), -EINVAL);
	free(evs);
	buf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic_names_and_aliases),
		cmocka_unit_test(cache_names),
		cmocka_unit_test(raw_codes_are_hex),
		cmocka_unit_test(modifiers_exclude_what_they_do_not_name),
		cmocka_unit_test(a_rate_may_follow),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(lists_keep_their_order),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
