// SPDX-License-Identifier: BSD-2-Clause
/* Events that need no sysfs: generic, cache, raw, numbers, breakpoints. */
#include "event_fixture.h"

/* Numbers as in include/uapi/linux/perf_event.h. */
static void generic_names_and_aliases(void **state)
{
	static const struct text_row rows[] = {
		{ "cycles", "0:0" },
		{ "cpu-cycles", "0:0" },
		{ "branch-misses", "0:0x5" },
		{ "ref-cycles", "0:0x9" },
		{ "cpu-clock", "1:0 ns" },
		{ "faults", "1:0x2" },
		{ "cs", "1:0x3" },
		{ "major-faults", "1:0x6" },
	};

	ASSERT_EVENTS(rows);
}

/* cache | op << 8 | result << 16: L1D 0, L1I 1, LL 2, DTLB 3, ITLB 4, BPU 5, NODE 6. */
static void cache_names(void **state)
{
	static const struct text_row rows[] = {
		{ "L1-dcache-load-misses", "3:0x10000" },
		{ "L1-dcache-loads", "3:0" },
		{ "LLC-stores", "3:0x102" },
		{ "LLC-store-misses", "3:0x10102" },
		{ "dTLB-load-misses", "3:0x10003" },
		{ "iTLB-loads", "3:0x4" },
		{ "branch-loads", "3:0x5" },
		{ "node-prefetch-misses", "3:0x10206" },
		{ "L1-icache-load-misses", "3:0x10001" },
		{ "L1-icache-prefetches", "3:0x201" },
	};

	ASSERT_EVENTS(rows);
}

/* All words of tools/perf/util/parse-events.l; operation and result in any order, or left out. */
static void cache_names_have_perfs_aliases(void **state)
{
	static const struct text_row rows[] = {
		{ "L1-data-read-miss", "3:0x10000" },
		{ "L1-data-misses-store", "3:0x10100" },
		{ "L1-data-write-Reference", "3:0x100" },
		{ "LLC-speculative-read-ops", "3:0x202" },
		{ "LLC-speculative-load-miss", "3:0x10202" },
		{ "dTLB-access", "3:0x3" },
		{ "dTLB-misses", "3:0x10003" },
		{ "node-refs-prefetch", "3:0x206" },
		{ "L1-dcache", "3:0" },
		{ "branch", "3:0x5" },
		{ "branches", "0:0x4" },
	};
	static const char *const caches[][6] = {
		{ "L1-dcache", "l1-d", "l1d", "L1-data" },
		{ "L1-icache", "l1-i", "l1i", "L1-instruction" },
		{ "LLC", "L2" },
		{ "dTLB", "d-tlb", "Data-TLB" },
		{ "iTLB", "i-tlb", "Instruction-TLB" },
		{ "branch", "branches", "bpu", "btb", "bpc" },
		{ "node" },
	};
	char name[64];

	for (size_t i = 0; i < ARRAY_SIZE(caches); i++) {
		for (size_t k = 0; caches[i][k]; k++) {
			snprintf(name, sizeof(name), "%s-load-misses", caches[i][k]);
			assert_event(name, 3, 0x10000 | i);
		}
	}
	ASSERT_EVENTS(rows);
}

/* Of 7 caches, 3 operations and 2 results what evsel__hw_cache_stat of perf has, and back. */
static void every_cache_event_has_a_name(void **state)
{
	unsigned nr = 0;
	char name[64];

	for (uint64_t config = 0; config < 0x1000000; config++) {
		if ((config & 0xff) > 7)
			config = (config & ~0xffull) + 0x100;
		if ((config >> 8 & 0xff) > 3)
			config = (config & ~0xffffull) + 0x10000;
		if (config >> 16 > 2)
			break;
		if (!perf_event__cache_name(config, name, sizeof(name)))
			continue;
		assert_event(name, PERF_TYPE_HW_CACHE, config);
		nr++;
	}
	assert_int_equal(nr, 2 * (3 + 2 + 3 + 3 + 1 + 1 + 3));
}

static void what_a_cache_never_does_is_said(void **state)
{
	assert_refused("L1-icache-stores",
		       "'L1-icache-stores' is invalid: the L1 instruction cache "
		       "is never stored to; it has L1-icache-loads and "
		       "L1-icache-prefetches");
	assert_refused("l1i-write-miss", "the L1 instruction cache is never stored to");
	assert_refused("iTLB-stores", "the instruction TLB is never stored to; it has iTLB-loads");
	assert_refused("iTLB-misses-prefetch", "the instruction TLB is never prefetched into");
	assert_refused("branch-stores", "the branch predictor is never stored to");
	assert_refused("cs,bpu-prefetches", "the branch predictor is never prefetched into");
}

static void case_matters(void **state)
{
	assert_refused("CS", "unknown event 'CS'; did you mean cs?");
	assert_refused("Page-Faults:u", "did you mean page-faults?");
	assert_refused("CPU-CLOCK", "did you mean cpu-clock?");
	assert_refused("l1-DCACHE-loads", "did you mean L1-dcache-loads?");
	assert_refused("dtlb-loads", "did you mean dTLB-loads?");
	assert_refused("R1b0", "unknown event");
	assert_refused("cycles:U", "unknown modifier 'U'");
}

static void raw_codes_are_hex(void **state)
{
	static const struct text_row rows[] = {
		{ "r1b0", "4:0x1b0" },
		{ "rFFFFFFFFFFFFFFFF", "4:0xffffffffffffffff" },
	};

	ASSERT_EVENTS(rows);
}

static void types_and_configs_are_numbers(void **state)
{
	static const struct text_row rows[] = {
		{ "1:2", "1:0x2" },
		{ "4:0x1b0", "4:0x1b0" },
		{ "0x1:18446744073709551615", "1:0xffffffffffffffff" },
		{ "1:2u", "1:0x2 -kernel -hv '1:2:u'" },
		{ "1:0x2:u", "1:0x2 -kernel -hv" },
		{ "1:2@99hz", "1:0x2 hz=99 '1:2'" },
	};

	ASSERT_EVENTS(rows);
}

/* As perf has them: cs/config=2/ counts page faults. */
static void generic_events_take_terms(void **state)
{
	static const struct text_row rows[] = {
		{ "page-faults/name=foo/", "1:0x2 'foo'" },
		{ "cs/period=1000/", "1:0x3 period=1000" },
		{ "cycles/freq=99,name=x/u", "0:0 hz=99 -kernel -hv 'x'" },
		{ "cs/config=2/", "1:0x2" },
		{ "cs/config1=7/", "1:0x3 config1=0x7" },
		{ "task-clock/period=5/", "1:0x1 period=5 ns" },
		{ "task-clock/config=2/", "1:0x2" },
		{ "1:2/period=0x10/u", "1:0x2 period=16 -kernel -hv" },
		{ "r1a/name=x/", "4:0x1a 'x'" },
		{ "L1-dcache-loads/name=x/", "3:0 'x'" },
		{ "cs//u", "1:0x3 -kernel -hv" },
	};

	ASSERT_EVENTS(rows);
	assert_refused("cs/nam=foo/", "unknown term 'nam'; did you mean name?");
	assert_refused("cs/event=1/", "unknown term 'event'; terms: config, ");
	assert_refused("cs/period=1,freq=2/", "either 'period' or 'freq'");
	assert_refused("sched:sched_switch/name=x/", "'sched:sched_switch' takes no terms");
	assert_refused("L1-icache-stores/name=x/", "never stored to");
}

/* Numbers of include/uapi/linux/hw_breakpoint.h: R 1, W 2, X 4. */
static void breakpoints(void **state)
{
	static const struct text_row rows[] = {
		{ "mem:0x1000/8:w", "5:0 access=2 config1=0x1000 config2=0x8" },
		{ "mem:4096", "5:0 access=3 config1=0x1000 config2=0x4" },
		/* of sizeof(long) bytes */
		{ "mem:0x1000:x:u", "5:0 access=4 config1=0x1000 config2=0x8 -kernel -hv" },
		{ "mem:0x1000/2:rw:u@3", "5:0 access=3 config1=0x1000 config2=0x2 period=3 -kernel "
					 "-hv 'mem:0x1000/2:rw:u'" },
		{ "mem:0x1000:u", "5:0 access=3 config1=0x1000 config2=0x4 -kernel -hv" },
	};

	ASSERT_EVENTS(rows);
	assert_refused("mem:", "mem:0xADDRESS");
	assert_refused("mem:0x10zz", "no address");
	assert_refused("mem:0x1000/9", "no length");
	assert_refused("mem:0x1000/", "no length");
	assert_refused("mem:0x1000/16", "no length");
	assert_refused("mem:0x1000/0", "no length");
	assert_refused("mem:0x1000/4:x", "leave out '/4'");
	assert_refused("mem:0x1000:rwx", "no access");
	assert_refused("mem:jiffies", "not looked up here");
}

/* perf's own: letters of access, then modifiers, with or without a ':'. */
static void breakpoints_take_modifiers_right_behind_the_access(void **state)
{
	static const struct text_row rows[] = {
		{ "mem:0x1000/8:rwu",
		  "5:0 access=3 config1=0x1000 config2=0x8 -kernel -hv 'mem:0x1000/8:rw:u'" },
		{ "mem:0x1000/8:wru",
		  "5:0 access=3 config1=0x1000 config2=0x8 -kernel -hv 'mem:0x1000/8:wr:u'" },
		{ "mem:0x1000/8u",
		  "5:0 access=3 config1=0x1000 config2=0x8 -kernel -hv 'mem:0x1000/8:u'" },
		{ "mem:0x1000/8:u", "5:0 access=3 config1=0x1000 config2=0x8 -kernel -hv" },
		{ "mem:0x1000u",
		  "5:0 access=3 config1=0x1000 config2=0x4 -kernel -hv 'mem:0x1000:u'" },
		{ "mem:0x1000:wku",
		  "5:0 access=2 config1=0x1000 config2=0x4 -hv 'mem:0x1000:w:ku'" },
	};

	ASSERT_EVENTS(rows);
	assert_refused("mem:0x1000:wq", "unknown modifier 'q'");
	assert_refused("mem:0x1000:ww", "no access");
	assert_refused("mem:0x1000u/8", "no address");
}

/* Intel SDM volume 3, "Debug Registers": R/W and LEN fields of DR7, and alignment. */
static void breakpoints_that_the_cpu_cannot_set(void **state)
{
	assert_int_equal(parse("mem:0x1001/1:w")->attr.bp_addr, 0x1001);
	assert_int_equal(parse("mem:0x1001:x")->attr.bp_addr, 0x1001);
#ifdef __x86_64__
	assert_refused("mem:0x1001", "0x1001 is no multiple of 4, and this CPU watches only "
				     "aligned bytes; write /1");
	assert_refused("mem:0x1004/8:w", "write /4");
	assert_refused("mem:0x1000/3", "one of 1 2 4 8");
	assert_refused("mem:0x1000:r", "write :rw");
#endif
#ifdef __aarch64__
	assert_int_equal(parse("mem:0x1001/3:w")->attr.bp_len, 3);
	assert_int_equal(parse("mem:0x1000:r")->attr.bp_type, 1);
#endif
}

/* What a table shows where the kernel's part is left out is an event again, the same for u. */
static void the_name_for_user_space_alone_is_an_event_too(void **state)
{
	static const char *const events[][2] = {
		{ "cycles", "cycles:u" },
		{ "cycles:pp", "cycles:ppu" },
		{ "cycles:ukp", "cycles:pu" },
		{ "cycles:u", "cycles:u" },
		{ "{cycles:p}:G", "cycles:pGu" },
		{ "1:2", "1:2:u" },
		{ "cs/period=3/", "cs/period=3/u" },
		{ "cs/period=3/I", "cs/period=3/Iu" },
		{ "mem:0x1000", "mem:0x1000:u" },
		{ "mem:0x1000/8", "mem:0x1000/8:u" },
		{ "mem:0x1000/8:rw", "mem:0x1000/8:rw:u" },
		{ "mem:0x1000:rwI", "mem:0x1000:rw:Iu" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		struct buf name = {}, why = {};
		struct perf_event_attr attr;

		assert_int_equal(try(events[i][0], &why), 0);
		assert_int_equal(perf_event__put_user_name(&list.items[0], &name), 0);
		assert_string_equal(name.data, events[i][1]);
		attr = list.items[0].attr;
		attr.exclude_kernel = attr.exclude_hv = 1;
		assert_memory_equal(&parse(name.data)->attr, &attr, sizeof(attr));
		assert_string_equal(list.items[0].name, name.data);
		buf__free(&name);
	}
}

static int jiffies_at(const char *symbol, uint64_t *addr, struct buf *why)
{
	if (strcmp(symbol, "jiffies"))
		return buf__puts(why, "no such symbol") ? -ENOMEM : -ENOENT;
	*addr = 0xffffffff82000000;
	return 0;
}

static void breakpoints_on_symbols_of_the_kernel(void **state)
{
	const struct perf_event_env env = { .root = "", .kernel_address = jiffies_at };
	struct buf why = {};

	perf_events__free(&list);
	assert_int_equal(perf_events__parse(&list, &env, "mem:jiffies/8:w", &why), 0);
	assert_int_equal(list.items[0].attr.bp_addr, 0xffffffff82000000);
	assert_int_equal(perf_events__parse(&list, &env, "mem:jiffie", &why), -EINVAL);
	buf__free(&why);
}

static void modifiers_and_bare_names(void **state)
{
	static const struct {
		const char *event, *bare, *modifiers;
	} names[] = {
		{ "cycles", "cycles", "" },
		{ "cycles:u", "cycles", "u" },
		{ "cpu/event=1/", "cpu/event=1/", "" },
		{ "cpu/event=1/k", "cpu/event=1/", "k" },
		{ "cpu/event=1/:uk", "cpu/event=1/", "uk" },
		{ "sched:sched_switch", "sched:sched_switch", "" },
		{ "mem:0x1000/8:w", "mem:0x1000/8:w", "" },
		{ "", "", "" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		assert_string_equal(perf_event__modifiers(names[i].event), names[i].modifiers);
		assert_true(perf_event__is_bare_name(names[i].event, names[i].bare));
	}
	assert_false(perf_event__is_bare_name("sched:sched_switch", "sched"));
	assert_false(perf_event__is_bare_name("cycles:u", "cycle"));
	assert_false(perf_event__is_bare_name("cycles:u", "cycles:"));
	assert_false(perf_event__is_bare_name("cycles:u", ""));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic_names_and_aliases),
		cmocka_unit_test(cache_names),
		cmocka_unit_test(cache_names_have_perfs_aliases),
		cmocka_unit_test(every_cache_event_has_a_name),
		cmocka_unit_test(what_a_cache_never_does_is_said),
		cmocka_unit_test(case_matters),
		cmocka_unit_test(raw_codes_are_hex),
		cmocka_unit_test(types_and_configs_are_numbers),
		cmocka_unit_test(generic_events_take_terms),
		cmocka_unit_test(breakpoints),
		cmocka_unit_test(breakpoints_take_modifiers_right_behind_the_access),
		cmocka_unit_test(breakpoints_that_the_cpu_cannot_set),
		cmocka_unit_test(the_name_for_user_space_alone_is_an_event_too),
		cmocka_unit_test(breakpoints_on_symbols_of_the_kernel),
		cmocka_unit_test(modifiers_and_bare_names),
	};

	return cmocka_run_group_tests(tests, NULL, free_list);
}
