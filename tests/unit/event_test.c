// SPDX-License-Identifier: BSD-2-Clause
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "perf/event.h"

/* The list of what a test parsed; freed at the test's end. */
static struct perf_events list;

static int try(const char *text, struct buf *why)
{
	perf_events__free(&list);
	return perf_events__parse(&list, NULL, text, why);
}

static const struct perf_event_spec *parse(const char *text)
{
	struct buf why = {};

	if (try(text, &why))
		print_error("%s: %s\n", text, why.data ? why.data : "");
	assert_false(why.len);
	assert_int_equal(list.nr, 1);
	return &list.items[0];
}

static int free_list(void **state)
{
	perf_events__free(&list);
	return 0;
}

static void assert_event(const char *text, uint32_t type, uint64_t config)
{
	const struct perf_event_spec *ev = parse(text);

	assert_int_equal(ev->attr.type, type);
	assert_int_equal(ev->attr.config, config);
	assert_string_equal(ev->name, text);
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
	const struct perf_event_spec *ev = parse("cycles:u");

	assert_false(ev->attr.exclude_user);
	assert_true(ev->attr.exclude_kernel);
	assert_true(ev->attr.exclude_hv);
	assert_string_equal(ev->name, "cycles:u");
	ev = parse("cycles:k");
	assert_true(ev->attr.exclude_user);
	assert_false(ev->attr.exclude_kernel);
	ev = parse("cycles:uk");
	assert_false(ev->attr.exclude_user);
	assert_false(ev->attr.exclude_kernel);
	ev = parse("cycles:ppp");
	assert_int_equal(ev->attr.precise_ip, 3);
	assert_false(ev->attr.exclude_kernel);
	ev = parse("instructions:DI");
	assert_true(ev->attr.pinned);
	assert_true(ev->attr.exclude_idle);
	ev = parse("cycles:G");
	assert_true(ev->attr.exclude_host);
	assert_false(ev->attr.exclude_guest);
}

static void a_rate_may_follow(void **state)
{
	const struct perf_event_spec *ev = parse("cycles:u@997hz");

	assert_int_equal(ev->hz, 997);
	assert_int_equal(ev->period, 0);
	assert_string_equal(ev->name, "cycles:u");
	ev = parse("cache-misses@100k");
	assert_int_equal(ev->hz, 0);
	assert_int_equal(ev->period, 100000);
}

static void assert_refused(const char *text, const char *because)
{
	struct buf why = {};
	int err = try(text, &why);

	assert_int_equal(err, -EINVAL);
	if (!strstr(why.data, because))
		print_error("%s: %s\n", text, why.data);
	assert_non_null(strstr(why.data, because));
	buf__free(&why);
}

static void what_is_wrong_is_said(void **state)
{
	assert_refused("cycels", "did you mean cycles?");
	assert_refused("cycels:u", "did you mean cycles?");
	assert_refused("", "empty event name");
	assert_refused("cycles:z", "unknown modifier 'z'");
	assert_refused("cycles:pppp", "at most three p");
	assert_refused("cycles@0", "'@0' is no rate");
	assert_refused("cycles@fast", "no rate");
	assert_refused("L1-dcache", "unknown event");
	assert_refused("rXYZ", "unknown event");
	assert_refused("r12345678901234567", "unknown event");
	assert_refused("cs,,cs", "empty event name");
	assert_refused("{cs", "a '{' without its '}'");
	assert_refused("cs}", "a '}' without its '{'");
	assert_refused("{cs,{faults}}", "a group inside of a group");
	assert_refused("{}", "empty");
	assert_refused("{cs}faults", "a ',' is missing");
	assert_refused("cpu/event=1", "a '/' is missing");
	assert_refused("nosuchpmu/event=1/", "nosuchpmu");
	assert_refused("tracepoint:sched", "tracepoint:CATEGORY:NAME");
	assert_refused("rawtracepoint:sched_switch", "raw tracepoints");
	assert_refused("uprobe:libc:malloc", "not looked into here");
	assert_refused("kprobe:vfs_*", "no pattern");
	assert_refused("kretprobe:vfs_read+4", "a return has no offset");
}

static void lists_keep_their_order(void **state)
{
	struct buf why = {};

	assert_int_equal(try("cycles,faults:u@7", &why), 0);
	assert_int_equal(perf_events__parse(&list, NULL, "cs", &why), 0);
	assert_int_equal(list.nr, 3);
	assert_string_equal(list.items[1].name, "faults:u");
	assert_int_equal(list.items[1].period, 7);
	assert_string_equal(list.items[2].name, "cs");
	assert_int_equal(list.items[2].group, EVENT_NO_GROUP);
	assert_int_equal(list.items[2].part_of, 2);
	buf__free(&why);
}

/* Only the leader may be pinned; modifiers behind the brace are for all. */
static void groups_share_modifiers(void **state)
{
	struct buf why = {};

	assert_int_equal(try("cs,{cycles,instructions:k}:uD,{faults}", &why), 0);
	assert_int_equal(list.nr, 4);
	assert_int_equal(list.nr_groups, 2);
	assert_int_equal(list.items[0].group, EVENT_NO_GROUP);
	assert_int_equal(list.items[1].group, 0);
	assert_int_equal(list.items[2].group, 0);
	assert_int_equal(list.items[3].group, 1);
	assert_true(list.items[1].attr.pinned);
	assert_false(list.items[2].attr.pinned);
	assert_true(list.items[1].attr.exclude_kernel);
	assert_true(list.items[2].attr.exclude_kernel);
	assert_string_equal(list.items[1].name, "cycles:uD");
	buf__free(&why);
}

static void the_most_precise_is_asked_for(void **state)
{
	assert_true(parse("cycles:P")->most_precise);
	assert_int_equal(parse("cycles:P")->attr.precise_ip, 3);
	assert_false(parse("cycles:pp")->most_precise);
	/* Software events have no skid; with a level BPF programs do not attach to them. */
	assert_int_equal(parse("cpu-clock:pp")->attr.precise_ip, 0);
}

/* Numbers of include/uapi/linux/hw_breakpoint.h: R 1, W 2, X 4. */
static void breakpoints(void **state)
{
	const struct perf_event_spec *ev = parse("mem:0x1000/8:w");

	assert_int_equal(ev->attr.type, PERF_TYPE_BREAKPOINT);
	assert_int_equal(ev->attr.bp_addr, 0x1000);
	assert_int_equal(ev->attr.bp_len, 8);
	assert_int_equal(ev->attr.bp_type, 2);
	ev = parse("mem:4096");
	assert_int_equal(ev->attr.bp_addr, 4096);
	assert_int_equal(ev->attr.bp_len, 4);
	assert_int_equal(ev->attr.bp_type, 3);
	ev = parse("mem:0x1000:x:u");
	assert_int_equal(ev->attr.bp_type, 4);
	assert_int_equal(ev->attr.bp_len, sizeof(long));
	assert_true(ev->attr.exclude_kernel);
	ev = parse("mem:0x1000/2:rw:u@3");
	assert_int_equal(ev->attr.bp_type, 3);
	assert_int_equal(ev->period, 3);
	assert_string_equal(ev->name, "mem:0x1000/2:rw:u");
	ev = parse("mem:0x1000:u");
	assert_int_equal(ev->attr.bp_type, 3);
	assert_true(ev->attr.exclude_kernel);
	assert_refused("mem:", "mem:0xADDRESS");
	assert_refused("mem:0x10zz", "no address");
	assert_refused("mem:0x1000/9", "no length");
	assert_refused("mem:0x1000/4:x", "leave out '/4'");
	assert_refused("mem:0x1000:rwx", "no access");
	assert_refused("mem:jiffies", "not looked up here");
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

/* A tree of sysfs and tracefs made by hand. */
static void put_file(const char *root, const char *name, const char *text)
{
	char path[512];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", root, name);
	for (char *p = path + 1; (p = strchr(p, '/')); p++) {
		*p = '\0';
		mkdir(path, 0777);
		*p = '/';
	}
	f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

static int make_root(void **state)
{
#define DEV "sys/bus/event_source/devices/"
	char *root = strdup("/tmp/event_test.XXXXXX");

	assert_non_null(mkdtemp(root));
	put_file(root, DEV "cpu/type", "4\n");
	put_file(root, DEV "cpu/format/event", "config:0-7\n");
	put_file(root, DEV "cpu/format/umask", "config:8-15\n");
	put_file(root, DEV "cpu/events/mem-loads", "event=0xcd,umask=0x1\n");
	put_file(root, DEV "uncore_imc_0/type", "12\n");
	put_file(root, DEV "uncore_imc_0/cpumask", "0,18\n");
	put_file(root, DEV "uncore_imc_0/format/event", "config:0-7\n");
	put_file(root, DEV "uncore_imc_0/events/reads", "event=0x4\n");
	put_file(root, DEV "uncore_imc_0/events/reads.scale", "6.1035e-5\n");
	put_file(root, DEV "uncore_imc_0/events/reads.unit", "MiB\n");
	put_file(root, DEV "uncore_imc_1/type", "13\n");
	put_file(root, DEV "uncore_imc_1/cpumask", "0,18\n");
	put_file(root, DEV "uncore_imc_1/format/event", "config:0-7\n");
	put_file(root, DEV "uncore_imc_1/events/reads", "event=0x5\n");
	put_file(root, DEV "kprobe/type", "6\n");
	put_file(root, DEV "kprobe/format/retprobe", "config:0\n");
	put_file(root, DEV "uprobe/type", "7\n");
	put_file(root, DEV "uprobe/format/retprobe", "config:0\n");
	put_file(root, DEV "uprobe/format/ref_ctr_offset", "config:32-63\n");
	put_file(root, "proc/mounts", "tracefs /sys/kernel/tracing tracefs rw 0 0\n");
	put_file(root, "sys/kernel/tracing/events/sched/sched_switch/id", "314\n");
	put_file(root, "sys/kernel/tracing/events/sched/sched_wakeup/id", "315\n");
	put_file(root, "sys/kernel/tracing/events/skb/kfree_skb/id", "400\n");
#undef DEV
	*state = root;
	return 0;
}

static int remove_root(void **state)
{
	char command[64];

	snprintf(command, sizeof(command), "rm -rf %s", (char *)*state);
	free(*state);
	perf_events__free(&list);
	return system(command);
}

static int at_0x1139(const char *path, const char *symbol, struct perf_location *out,
		     struct buf *why)
{
	*out = (struct perf_location){ .path = strdup(path), .offset = 0x1139 };
	return 0;
}

static int two_places(const char *path, const char *provider, const char *name,
		      struct perf_location **out, size_t *nr, struct buf *why)
{
	assert_string_equal(provider, "ruby");
	*out = calloc(2, sizeof(**out));
	(*out)[0] = (struct perf_location){ strdup(path), 0x10, 0x40 };
	(*out)[1] = (struct perf_location){ strdup(path), 0x20, 0x40 };
	*nr = 2;
	return 0;
}

static void parse_below(const char *root, const char *text)
{
	const struct perf_event_env env = { .root = root,
					    .function = at_0x1139,
					    .usdt = two_places };
	struct buf why = {};
	int err;

	perf_events__free(&list);
	err = perf_events__parse(&list, &env, text, &why);
	if (err)
		print_error("%s: %s\n", text, why.data ? why.data : "");
	assert_int_equal(err, 0);
}

static void pmus_in_sysfs(void **state)
{
	parse_below(*state, "cpu/event=0x3c,umask=0x1/u,mem-loads:pp,cs");
	assert_int_equal(list.nr, 3);
	assert_int_equal(list.items[0].attr.type, 4);
	assert_int_equal(list.items[0].attr.config, 0x13c);
	assert_true(list.items[0].attr.exclude_kernel);
	assert_int_equal(list.items[1].attr.config, 0x1cd);
	assert_int_equal(list.items[1].attr.precise_ip, 2);
	assert_string_equal(list.items[0].name, "cpu/event=0x3c,umask=0x1/u");
}

static void several_pmus_are_one_event(void **state)
{
	parse_below(*state, "cs,uncore_imc/reads/");
	assert_int_equal(list.nr, 3);
	assert_int_equal(list.items[1].attr.type, 12);
	assert_int_equal(list.items[1].attr.config, 4);
	assert_int_equal(list.items[2].attr.type, 13);
	assert_int_equal(list.items[2].attr.config, 5);
	assert_int_equal(list.items[1].part_of, 1);
	assert_int_equal(list.items[2].part_of, 1);
	assert_true(list.items[1].for_cpus);
	assert_int_equal(list.items[1].nr_cpus, 2);
	assert_int_equal(list.items[1].cpus[1], 18);
	assert_true(list.items[1].scale > 6.1e-5 && list.items[1].scale < 6.11e-5);
	assert_string_equal(list.items[1].unit, "MiB");
}

static void tracepoints_by_name_and_glob(void **state)
{
	struct buf why = {};

	parse_below(*state, "sched:sched_switch:u,t:skb:kfree_skb");
	assert_int_equal(list.items[0].attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(list.items[0].attr.config, 314);
	assert_true(list.items[0].attr.exclude_kernel);
	assert_int_equal(list.items[1].attr.config, 400);
	parse_below(*state, "sched:*");
	assert_int_equal(list.nr, 2);
	assert_string_equal(list.items[0].name, "sched:sched_switch");
	assert_string_equal(list.items[1].name, "sched:sched_wakeup");
	assert_int_equal(list.items[1].part_of, 1);
	assert_int_equal(perf_events__set_filter(&list, "prev_pid > 0", &why), 0);
	assert_string_equal(list.items[1].filter, "prev_pid > 0");
	parse_below(*state, "cs");
	assert_int_equal(perf_events__set_filter(&list, "prev_pid > 0", &why), -EINVAL);
	buf__free(&why);
}

static void probes_through_their_pmus(void **state)
{
	parse_below(*state,
		    "kprobe:vfs_read+0x10,kr:vfs_read,uprobe:/bin/sh:main+2,ur:/bin/sh:main");
	assert_int_equal(list.nr, 4);
	assert_int_equal(list.items[0].attr.type, 6);
	assert_string_equal((char *)(uintptr_t)list.items[0].attr.config1, "vfs_read");
	assert_int_equal(list.items[0].attr.config2, 0x10);
	assert_int_equal(list.items[1].attr.config, 1);
	assert_int_equal(list.items[2].attr.type, 7);
	assert_string_equal((char *)(uintptr_t)list.items[2].attr.config1, "/bin/sh");
	assert_int_equal(list.items[2].attr.config2, 0x113b);
	assert_int_equal(list.items[3].attr.config, 1);
	assert_int_equal(list.items[3].attr.config2, 0x1139);
}

static void usdt_probes_in_several_places_are_one_event(void **state)
{
	parse_below(*state, "usdt:/bin/ruby:ruby:gc__begin");
	assert_int_equal(list.nr, 2);
	assert_int_equal(list.items[0].attr.type, 7);
	assert_int_equal(list.items[0].attr.config, 0x40ull << 32);
	assert_int_equal(list.items[1].attr.config2, 0x20);
	assert_int_equal(list.items[1].part_of, 0);
}

/* All of `perf list`'s 42, there and back. */
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
	assert_int_equal(nr, 42);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(generic_names_and_aliases),
		cmocka_unit_test(cache_names),
		cmocka_unit_test(every_cache_event_has_a_name),
		cmocka_unit_test(raw_codes_are_hex),
		cmocka_unit_test(modifiers_exclude_what_they_do_not_name),
		cmocka_unit_test(the_most_precise_is_asked_for),
		cmocka_unit_test(a_rate_may_follow),
		cmocka_unit_test(what_is_wrong_is_said),
		cmocka_unit_test(lists_keep_their_order),
		cmocka_unit_test(groups_share_modifiers),
		cmocka_unit_test(breakpoints),
		cmocka_unit_test(breakpoints_on_symbols_of_the_kernel),
		cmocka_unit_test_setup_teardown(pmus_in_sysfs, make_root, remove_root),
		cmocka_unit_test_setup_teardown(several_pmus_are_one_event, make_root, remove_root),
		cmocka_unit_test_setup_teardown(tracepoints_by_name_and_glob, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(probes_through_their_pmus, make_root, remove_root),
		cmocka_unit_test_setup_teardown(usdt_probes_in_several_places_are_one_event,
						make_root, remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, free_list);
}
