// SPDX-License-Identifier: BSD-2-Clause
/* Where probes are: places of events, patterns, raw tracepoints, in a tree made by hand. */
#include "event_fixture.h"
#include "tracefs_fixture.h"

#define DEV	"sys/bus/event_source/devices/"
#define TRACEFS "sys/kernel/tracing/"

static struct fixture tree;

static int make_tree(void **state)
{
	fixture__open(&tree);
	fixture__put(&tree, "proc/mounts", "tracefs /sys/kernel/tracing tracefs rw 0 0\n");
	fixture__put(&tree, TRACEFS "events/sched/sched_switch/id", "314\n");
	fixture__put(&tree, TRACEFS "events/syscalls/sys_enter_read/id", "500\n");
	fixture__put(&tree, TRACEFS "events/raw_syscalls/sys_enter/id", "501\n");
	fixture__put(&tree, TRACEFS "kprobe_events", "");
	fixture__put(&tree, TRACEFS "uprobe_events", "");
	return 0;
}

/* The first PMU that is not of the header: its type is PERF_TYPE_MAX, as on real machines. */
static void put_pmus(void)
{
	assert_int_equal(PERF_TYPE_MAX, 6);
	fixture__put(&tree, DEV "kprobe/type", "6\n");
	fixture__put(&tree, DEV "kprobe/format/retprobe", "config:0\n");
	fixture__put(&tree, DEV "uprobe/type", "7\n");
	fixture__put(&tree, DEV "uprobe/format/retprobe", "config:0\n");
}

static int remove_tree(void **state)
{
	perf_events__free(&list);
	fixture__close(&tree);
	return 0;
}

/* All functions are at 0x1000, and cost less 4 bytes further on. */
static int function(struct lookup_reader *reader, const char *path, const char *symbol,
		    struct perf_location *out, struct buf *why)
{
	bool given = !strncmp(symbol, "0x", 2);

	*out = (struct perf_location){ .path = strdup("/usr/lib/libc.so.6"),
				       .offset = given ? 0x2000 : 0x1000,
				       .at_entry = !given,
				       .skip = given ? 0 : 4 };
	return 0;
}

static int usdt(struct lookup_reader *reader, const char *path, const char *provider,
		const char *name, struct perf_location **out, size_t *nr, struct buf *why)
{
	*nr = 2;
	*out = calloc(2, sizeof(**out));
	for (size_t i = 0; i < 2; i++)
		(*out)[i] = (struct perf_location){ .path = strdup(path),
						    .offset = 0x10 + i,
						    .counter_offset = 0x40,
						    .provider = strdup("ruby"),
						    .args = strdup(i ? "" : "-4@%edi") };
	return 0;
}

static size_t nr_functions; /* of the kernel, "f0".. */

static int kernel_functions(const char *glob, perf_function_fn *fn, perf_function_fn *no, void *arg,
			    struct buf *why)
{
	char name[32];
	int err = 0;

	if (!strcmp(glob, "zz*"))
		return buf__puts(why, "none matches 'zz*'") ? -ENOMEM : -ENOENT;
	for (size_t i = 0; i < nr_functions && !err; i++) {
		struct perf_function f = { .home = i ? "" : "ext4", .name = name };

		snprintf(name, sizeof(name), "f%zu", i);
		err = fn(&f, arg);
	}
	for (size_t i = 0; i < 2 && !err && no; i++)
		err = no(&(struct perf_function){ .home = "",
						  .name = i ? "second" : "first",
						  .why_not = "because" },
			 arg);
	return err;
}

static int functions(struct lookup_reader *reader, const char *path, const char *glob,
		     perf_function_fn *fn, void *arg, struct buf *why)
{
	int err;

	assert_string_equal(path, "libc");
	assert_string_equal(glob, "str*");
	err = fn(&(struct perf_function){ .home = "/lib/libc.so.6",
					  .name = "strcpy",
					  .offset = 0x10,
					  .at_entry = true },
		 arg);
	return err ? err
		   : fn(&(struct perf_function){ .home = "/lib/libc.so.6",
						 .name = "strlen",
						 .offset = 0x24,
						 .at_entry = true },
			arg);
}

static struct buf told;

static int tell(const struct perf_function *f, void *arg)
{
	assert_ptr_equal(arg, &told);
	return buf__printf(&told, "%s: %s\n", f->name, f->why_not);
}

static struct perf_event_env env_for(bool sites)
{
	return (struct perf_event_env){ .root = tree.dir,
					.sites = sites,
					.function = function,
					.usdt = usdt,
					.kernel_functions = kernel_functions,
					.functions = functions,
					.skipped = tell,
					.skipped_arg = &told };
}

static void parse_for(bool sites, const char *text)
{
	const struct perf_event_env env = env_for(sites);
	struct buf why = {};
	int err;

	perf_events__free(&list);
	err = perf_events__parse(&list, &env, text, &why);
	if (err)
		print_error("%s: %s\n", text, why.data ? why.data : "");
	assert_int_equal(err, 0);
	assert_int_equal(why.len, 0);
}

static void assert_sites_refused(const struct perf_event_env *env, const char *text,
				 const char *sentence)
{
	struct buf why = {};

	perf_events__free(&list);
	assert_int_equal(perf_events__parse(&list, env, text, &why), -EINVAL);
	assert_string_equal(why.data, sentence);
	buf__free(&why);
}

/* Both NULL, or the same. */
static void assert_text(const char *a, const char *b)
{
	assert_int_equal(!a, !b);
	if (a)
		assert_string_equal(a, b);
}

static void assert_site(size_t i, const struct perf_site *want)
{
	const struct perf_site *s = &list.items[i].site;

	assert_int_equal(s->kind, want->kind);
	assert_text(s->home, want->home);
	assert_text(s->name, want->name);
	assert_text(s->vendor, want->vendor);
	assert_text(s->args, want->args);
	assert_int_equal(s->offset, want->offset);
	assert_int_equal(s->counter_offset, want->counter_offset);
	assert_int_equal(s->at_entry, want->at_entry);
}

static char sched[] = "sched", sched_switch[] = "sched_switch", vfs_read[] = "vfs_read",
	    libc[] = "/usr/lib/libc.so.6", puts_name[] = "puts", sh[] = "/bin/sh", ruby[] = "ruby",
	    gc[] = "gc", args[] = "-4@%edi", none[] = "";

static const char all_kinds[] = "cs,sched:sched_switch,kprobe:vfs_read+0x10,kr:vfs_read,"
				"u:libc:puts,uretprobe:libc:puts,u:libc:puts+0,u:libc:puts+2,"
				"u:libc:0x2000,usdt:/bin/sh:gc";

static void assert_all_kinds(void)
{
	const struct perf_site want[] = {
		{ .kind = SITE_NONE },
		{ .kind = SITE_TRACEPOINT, .home = sched, .name = sched_switch },
		{ .kind = SITE_KPROBE, .name = vfs_read, .offset = 0x10 },
		{ .kind = SITE_KRETPROBE, .name = vfs_read },
		{ SITE_UPROBE, libc, puts_name, .offset = 0x1004, .at_entry = true },
		{ SITE_URETPROBE, libc, puts_name, .offset = 0x1004 },
		{ SITE_UPROBE, libc, puts_name, .offset = 0x1000, .at_entry = true },
		{ SITE_UPROBE, libc, puts_name, .offset = 0x1002 },
		{ SITE_UPROBE, libc, .offset = 0x2000 },
		{ SITE_USDT, sh, gc, ruby, args, 0x10, .counter_offset = 0x40 },
		{ SITE_USDT, sh, gc, ruby, none, 0x11, .counter_offset = 0x40 },
	};

	assert_int_equal(list.nr, ARRAY_SIZE(want));
	for (size_t i = 0; i < list.nr; i++)
		assert_site(i, &want[i]);
	assert_int_equal(list.items[9].part_of, 9);
	assert_int_equal(list.items[10].part_of, 9);
}

static void places_are_known_of_all_probes(void **state)
{
	put_pmus();
	parse_for(false, all_kinds);
	assert_all_kinds();
	for (size_t i = 2; i < list.nr; i++)
		assert_int_equal(list.items[i].attr.type, i < 4 ? 6 : 7);
}

static void only_places_are_looked_up_where_no_more_is_wanted(void **state)
{
	char text[4096];

	parse_for(true, all_kinds);
	assert_all_kinds();
	assert_int_equal(list.items[1].attr.type, PERF_TYPE_TRACEPOINT);
	assert_int_equal(list.items[1].attr.config, 314);
	for (size_t i = 2; i < list.nr; i++) {
		assert_int_equal(list.items[i].attr.type, PERF_TYPE_MAX);
		assert_null(list.items[i].text);
		assert_null(list.items[i].fallback);
	}
	assert_string_equal(fixture__text(tree.dir, TRACEFS "kprobe_events", text), "");
	assert_string_equal(fixture__text(tree.dir, TRACEFS "uprobe_events", text), "");
}

/* The same events as those that were made at once. */
static void events_of_places_are_made_later(void **state)
{
	struct perf_event_env env = env_for(true);
	struct perf_events at_once;
	struct buf why = {};

	put_pmus();
	parse_for(false, all_kinds);
	at_once = list;
	list = (struct perf_events){};
	parse_for(true, all_kinds);
	for (size_t i = 0; i < 2 * list.nr; i++) {
		struct perf_event_spec *ev = &list.items[i % list.nr],
				       *want = &at_once.items[i % list.nr];
		struct perf_event_attr attr;
		char *text = ev->text;

		assert_int_equal(perf_event__make(ev, &env, &why), 0);
		/* The second time there is nothing left to do. */
		if (text)
			assert_ptr_equal(ev->text, text);
		assert_text(ev->text, want->text);
		attr = ev->attr;
		assert_ptr_equal((void *)(uintptr_t)attr.config1, ev->text);
		attr.config1 = want->attr.config1;
		assert_memory_equal(&attr, &want->attr, sizeof(attr));
	}
	assert_int_equal(list.items[3].attr.config, 1);
	assert_int_equal(list.items[9].attr.config, 0x40ull << 32);
	assert_int_equal(why.len, 0);
	perf_events__free(&at_once);
}

/* No kernel answers below this tree: only what was written is looked at. */
static void assert_written(const char *spec, const char *file, const char *line)
{
	struct perf_event_env env = env_for(true);
	struct buf why = {};
	char text[4096];

	parse_for(true, spec);
	assert_int_not_equal(perf_event__make(&list.items[0], &env, &why), 0);
	assert_non_null(strstr(fixture__text(tree.dir, file, text), line));
	assert_null(list.items[0].fallback);
	buf__free(&why);
}

static void without_pmus_events_are_made_in_tracefs(void **state)
{
	assert_written("k:vfs_read+16", TRACEFS "kprobe_events", " vfs_read+0x10\n");
	assert_written("ur:libc:puts", TRACEFS "uprobe_events", " /usr/lib/libc.so.6:0x1004\n");
	assert_written("usdt:/bin/sh:gc", TRACEFS "uprobe_events", " /bin/sh:0x10(0x40)\n");
}

static int tracepoint_symbol(const char *symbol, uint64_t *addr, struct buf *why)
{
	*addr = 1;
	return strcmp(symbol, "__tracepoint_pelt_cfs_tp") ? -ENOENT : 0;
}

static void raw_tracepoints_are_places(void **state)
{
	static const struct perf_site want = { .kind = SITE_RAW_TRACEPOINT, .name = sched_switch };
	struct perf_event_env env = env_for(true);
	struct buf why = {};

	parse_for(true, "rawtracepoint:sched_switch,rt:sched_switch");
	for (size_t i = 0; i < 2; i++) {
		assert_site(i, &want);
		assert_int_equal(list.items[i].attr.type, PERF_TYPE_MAX);
		assert_int_equal(perf_event__make(&list.items[i], &env, &why), 0);
	}
	assert_string_equal(list.items[1].name, "rt:sched_switch");
	assert_sites_refused(&env, "rt:sched_swich",
			     "unknown raw tracepoint 'sched_swich'; did you mean sched_switch?");
	assert_sites_refused(&env, "rt:pelt_cfs_tp",
			     "unknown raw tracepoint 'pelt_cfs_tp'; 'pmutrace list' shows the "
			     "tracepoints");
	assert_sites_refused(&env, "rt:sys_enter_read",
			     "'sys_enter_read' is no raw tracepoint, those of system calls are "
			     "sys_enter and sys_exit; or write syscalls:sys_enter_read");
	assert_sites_refused(&env, "rt:sched:sched_switch",
			     "'rt:sched:sched_switch': write rt:NAME, one tracepoint without its "
			     "category");
	assert_sites_refused(&env, "rt:sched_*",
			     "'rt:sched_*': write rt:NAME, one tracepoint without its category");
	env.kernel_address = tracepoint_symbol;
	perf_events__free(&list);
	assert_int_equal(perf_events__parse(&list, &env, "rt:pelt_cfs_tp", &why), 0);
	env.root = "/nonexistent";
	assert_int_equal(perf_events__parse(&list, &env, "rt:who_knows", &why), 0);
	assert_int_equal(list.nr, 2);
	assert_int_equal(why.len, 0);
}

static void a_pattern_is_an_event_for_each_function(void **state)
{
	static char f0[] = "f0", f1[] = "f1", ext4[] = "ext4", lib[] = "/lib/libc.so.6",
		    strcpy_name[] = "strcpy", strlen_name[] = "strlen";
	const struct perf_site want[] = {
		{ SITE_KPROBE, ext4, .name = f0 },
		{ SITE_KPROBE, .name = f1 },
		{ SITE_UPROBE, lib, strcpy_name, .offset = 0x10, .at_entry = true },
		{ SITE_UPROBE, lib, strlen_name, .offset = 0x24, .at_entry = true },
		{ SITE_URETPROBE, lib, strcpy_name, .offset = 0x10 },
		{ SITE_URETPROBE, lib, strlen_name, .offset = 0x24 },
	};
	static const char *const names[] = {
		"kprobe:f0",
		"kprobe:f1",
		"uprobe:libc:strcpy",
		"uprobe:libc:strlen",
		"uretprobe:libc:strcpy",
		"uretprobe:libc:strlen",
	};

	nr_functions = 2;
	buf__clear(&told);
	parse_for(true, "k:f*,uprobe:libc:str*,ur:libc:str*");
	assert_int_equal(list.nr, ARRAY_SIZE(want));
	for (size_t i = 0; i < list.nr; i++) {
		assert_site(i, &want[i]);
		assert_string_equal(list.items[i].name, names[i]);
		assert_int_equal(list.items[i].part_of, i);
		assert_int_equal(list.items[i].attr.type, PERF_TYPE_MAX);
	}
	assert_string_equal(told.data, "first: because\nsecond: because\n");
	parse_for(true, "kr:f?");
	assert_string_equal(list.items[1].name, "kretprobe:f1");
	assert_int_equal(list.items[1].site.kind, SITE_KRETPROBE);
}

static void what_is_wrong_with_a_pattern_is_said(void **state)
{
	struct perf_event_env env = env_for(true);

	nr_functions = 0;
	assert_sites_refused(&env, "k:zz*", "none matches 'zz*'");
	assert_sites_refused(&env, "k:f*",
			     "'k:f*': none of the 2 functions that match can be probed (first: "
			     "because); write another pattern");
	env.kernel_functions = NULL;
	assert_sites_refused(&env, "k:f*", "'k:f*': patterns are not looked up here");
	assert_sites_refused(&env, "k:f*+1",
			     "'k:f*+1': an offset goes with one function, not with a pattern");
	assert_sites_refused(&env, "u:libc:s*+0",
			     "'u:libc:s*+0': an offset goes with one function, not with a pattern");
	env = env_for(false);
	assert_sites_refused(&env, "k:f*", "'k:f*': one function of the kernel, no pattern");
}

static void too_many_functions_are_refused_with_their_number(void **state)
{
	struct perf_event_env env = env_for(true);

	nr_functions = 1000;
	parse_for(true, "k:f*");
	assert_int_equal(list.nr, 1000);
	nr_functions = 1234;
	assert_sites_refused(&env, "k:f*",
			     "'k:f*' is 1234 functions, and no more than 1000 are probed at once; "
			     "write a pattern for fewer, or allow them with --max-probes 1234");
	env.max_sites = 1;
	assert_sites_refused(&env, "u:libc:str*",
			     "'u:libc:str*' is 2 functions, and no more than 1 are probed at once; "
			     "write a pattern for fewer, or allow them with --max-probes 2");
	env.max_sites = 1234;
	perf_events__free(&list);
	assert_int_equal(perf_events__parse(&list, &env, "k:f*", &(struct buf){}), 0);
	assert_int_equal(list.nr, 1234);
}

static int free_all(void **state)
{
	buf__free(&told);
	return free_list(state);
}

#define IN_TREE(test) cmocka_unit_test_setup_teardown(test, make_tree, remove_tree)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_TREE(places_are_known_of_all_probes),
		IN_TREE(only_places_are_looked_up_where_no_more_is_wanted),
		IN_TREE(events_of_places_are_made_later),
		IN_TREE(without_pmus_events_are_made_in_tracefs),
		IN_TREE(raw_tracepoints_are_places),
		IN_TREE(a_pattern_is_an_event_for_each_function),
		IN_TREE(what_is_wrong_with_a_pattern_is_said),
		IN_TREE(too_many_functions_are_refused_with_their_number),
	};

	return cmocka_run_group_tests(tests, NULL, free_all);
}
