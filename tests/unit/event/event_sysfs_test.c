// SPDX-License-Identifier: BSD-2-Clause
/* Events of PMUs, tracepoints and probes, in a tree of sysfs and tracefs made by hand. */
#include <sys/stat.h>

#include "event_fixture.h"

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
	(*out)[0] = (struct perf_location){ .path = strdup(path),
					    .offset = 0x10,
					    .counter_offset = 0x40 };
	(*out)[1] = (struct perf_location){ .path = strdup(path),
					    .offset = 0x20,
					    .counter_offset = 0x40 };
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

/* Case aside only for the names of PMUs' events: cpu/MEM-LOADS/ and MEM-LOADS with perf too. */
static void names_of_pmu_events_in_any_case(void **state)
{
	const struct perf_event_env env = { .root = *state };
	struct buf why = {};

	parse_below(*state, "cpu/MEM-LOADS/,Mem-Loads");
	assert_int_equal(list.items[0].attr.config, 0x1cd);
	assert_int_equal(list.items[1].attr.config, 0x1cd);
	assert_int_equal(perf_events__parse(&list, &env, "cs,cpu/Event=1/", &why), -EINVAL);
	assert_non_null(strstr(why.data,
			       "in 'cs,cpu/Event=1/', column 8: unknown term 'Event'; did "
			       "you mean event?"));
	buf__clear(&why);
	assert_int_equal(perf_events__parse(&list, &env, "cpu:u", &why), -EINVAL);
	assert_string_equal(why.data, "in 'cpu:u', column 1: 'cpu' is a PMU, no event; write "
				      "cpu/TERMS/");
	buf__clear(&why);
	assert_int_equal(perf_events__parse(&list, &env, "cpu/mem-loads=1=2/", &why), -EINVAL);
	assert_string_equal(why.data, "in 'cpu/mem-loads=1=2/', column 5: 'mem-loads' is an event, "
				      "which has no value; write cpu/mem-loads/");
	buf__free(&why);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(pmus_in_sysfs, make_root, remove_root),
		cmocka_unit_test_setup_teardown(names_of_pmu_events_in_any_case, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(several_pmus_are_one_event, make_root, remove_root),
		cmocka_unit_test_setup_teardown(tracepoints_by_name_and_glob, make_root,
						remove_root),
		cmocka_unit_test_setup_teardown(probes_through_their_pmus, make_root, remove_root),
		cmocka_unit_test_setup_teardown(usdt_probes_in_several_places_are_one_event,
						make_root, remove_root),
	};

	return cmocka_run_group_tests(tests, NULL, free_list);
}
