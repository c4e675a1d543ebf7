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

static int at_0x1139(struct lookup_reader *reader, const char *path, const char *symbol,
		     struct perf_location *out, struct buf *why)
{
	*out = (struct perf_location){ .path = strdup(path), .offset = 0x1139 };
	return 0;
}

static int two_places(struct lookup_reader *reader, const char *path, const char *provider,
		      const char *name, struct perf_location **out, size_t *nr, struct buf *why)
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

static struct perf_event_env env_below(const char *root)
{
	return (struct perf_event_env){ .root = root, .function = at_0x1139, .usdt = two_places };
}

static void assert_below(const char *root, const char *spec, const char *is)
{
	const struct perf_event_env env = env_below(root);

	rows_env = &env;
	assert_rows(put_events, &(struct text_row){ spec, is }, 1);
	rows_env = NULL;
}

static void pmus_in_sysfs(void **state)
{
	assert_below(*state, "cpu/event=0x3c,umask=0x1/u,mem-loads:pp,cs",
		     "4:0x13c -kernel -hv 'cpu/event=0x3c,umask=0x1/u', "
		     "4:0x1cd precise=2 'mem-loads:pp', 1:0x3 'cs'");
}

/* Case aside only for the names of PMUs' events: cpu/MEM-LOADS/ and MEM-LOADS with perf too. */
static void names_of_pmu_events_in_any_case(void **state)
{
	const struct perf_event_env env = { .root = *state };
	struct buf why = {};

	assert_below(*state, "cpu/MEM-LOADS/,Mem-Loads",
		     "4:0x1cd 'cpu/MEM-LOADS/', 4:0x1cd 'Mem-Loads'");
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
	assert_below(*state, "cs,uncore_imc/reads/",
		     "1:0x3 'cs', "
		     "12:0x4 *6.104e-05 MiB cpu=0 cpu=18 for-cpus 'uncore_imc/reads/', "
		     "13:0x5 cpu=0 cpu=18 for-cpus part-of=1 'uncore_imc/reads/'");
}

static void tracepoints_by_name_and_glob(void **state)
{
	struct buf why = {};

	assert_below(*state, "sched:sched_switch:u,t:skb:kfree_skb",
		     "2:0x13a -kernel -hv 'sched:sched_switch:u', "
		     "2:0x190 'skb:kfree_skb'");
	assert_below(*state, "sched:*",
		     "2:0x13a 'sched:sched_switch', "
		     "2:0x13b 'sched:sched_wakeup'");
	assert_int_equal(perf_events__set_filter(&list, "prev_pid > 0", &why), 0);
	assert_string_equal(list.items[1].filter, "prev_pid > 0");
	assert_below(*state, "cs", "1:0x3");
	assert_int_equal(perf_events__set_filter(&list, "prev_pid > 0", &why), -EINVAL);
	buf__free(&why);
}

static void probes_through_their_pmus(void **state)
{
	assert_below(*state,
		     "kprobe:vfs_read+0x10,kr:vfs_read,uprobe:/bin/sh:main+2,ur:/bin/sh:main",
		     "6:0 text=vfs_read config2=0x10 'kprobe:vfs_read+0x10', "
		     "6:0x1 text=vfs_read 'kr:vfs_read', "
		     "7:0 text=/bin/sh config2=0x113b 'uprobe:/bin/sh:main+2', "
		     "7:0x1 text=/bin/sh config2=0x1139 'ur:/bin/sh:main'");
}

static void usdt_probes_in_several_places_are_one_event(void **state)
{
	assert_below(*state, "usdt:/bin/ruby:ruby:gc__begin",
		     "7:0x4000000000 text=/bin/ruby config2=0x10, "
		     "7:0x4000000000 text=/bin/ruby config2=0x20 "
		     "part-of=0");
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
