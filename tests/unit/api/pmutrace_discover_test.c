// SPDX-License-Identifier: BSD-2-Clause
#include "pmutrace_fixture.h"
#include "descriptors.h"

#include <limits.h>
#include <sys/resource.h>

struct seen {
	size_t hardware, software, cache, other;
	bool has_cs, has_dtlb;
};

static int see_event(void *arg, const struct pmutrace_event_name *n)
{
	struct seen *s = arg;

	assert_true(*n->name);
	if (n->type == PERF_TYPE_HARDWARE)
		s->hardware++;
	else if (n->type == PERF_TYPE_SOFTWARE)
		s->software++;
	else if (n->type == PERF_TYPE_HW_CACHE)
		s->cache++;
	else
		s->other++;
	if (!strcmp(n->name, "context-switches")) {
		assert_string_equal(n->alias, "cs");
		assert_int_equal(n->config, PERF_COUNT_SW_CONTEXT_SWITCHES);
		s->has_cs = true;
	}
	if (!strcmp(n->name, "dTLB-load-misses")) {
		assert_int_equal(n->config, 3 | 0 << 8 | 1 << 16);
		s->has_dtlb = true;
	}
	return 0;
}

static void the_generic_events_are_listed(void **state)
{
	struct seen s = {};

	assert_int_equal(pmutrace_for_each_event(see_event, &s), 0);
	assert_int_equal(s.hardware, 10);
	assert_true(s.software >= 11);
	assert_true(s.cache >= 28); /* 42 combinations, of which some make no sense */
	assert_int_equal(s.other, 0);
	assert_true(s.has_cs && s.has_dtlb);
}

/* perf list of Linux 6.18, and what the kernel's header says of each. */
static const struct pmutrace_event_name named[] = {
	{ "cpu-cycles", "cycles", "", PERF_TYPE_HARDWARE, 0 },
	{ "instructions", NULL, "", PERF_TYPE_HARDWARE, 1 },
	{ "cache-references", NULL, "", PERF_TYPE_HARDWARE, 2 },
	{ "cache-misses", NULL, "", PERF_TYPE_HARDWARE, 3 },
	{ "branch-instructions", "branches", "", PERF_TYPE_HARDWARE, 4 },
	{ "branch-misses", NULL, "", PERF_TYPE_HARDWARE, 5 },
	{ "bus-cycles", NULL, "", PERF_TYPE_HARDWARE, 6 },
	{ "stalled-cycles-frontend", "idle-cycles-frontend", "", PERF_TYPE_HARDWARE, 7 },
	{ "stalled-cycles-backend", "idle-cycles-backend", "", PERF_TYPE_HARDWARE, 8 },
	{ "ref-cycles", NULL, "", PERF_TYPE_HARDWARE, 9 },
	{ "cpu-clock", NULL, "ns", PERF_TYPE_SOFTWARE, 0 },
	{ "task-clock", NULL, "ns", PERF_TYPE_SOFTWARE, 1 },
	{ "page-faults", "faults", "", PERF_TYPE_SOFTWARE, 2 },
	{ "context-switches", "cs", "", PERF_TYPE_SOFTWARE, 3 },
	{ "cpu-migrations", "migrations", "", PERF_TYPE_SOFTWARE, 4 },
	{ "minor-faults", NULL, "", PERF_TYPE_SOFTWARE, 5 },
	{ "major-faults", NULL, "", PERF_TYPE_SOFTWARE, 6 },
	{ "alignment-faults", NULL, "", PERF_TYPE_SOFTWARE, 7 },
	{ "emulation-faults", NULL, "", PERF_TYPE_SOFTWARE, 8 },
	{ "dummy", NULL, "", PERF_TYPE_SOFTWARE, 9 },
	{ "bpf-output", NULL, "", PERF_TYPE_SOFTWARE, 10 },
	{ "cgroup-switches", NULL, "", PERF_TYPE_SOFTWARE, 11 },
};

enum { NR_NAMED = sizeof(named) / sizeof(*named) };

/* Either of two names may come first: perf's lists have them both ways. */
static bool is_called(const struct pmutrace_event_name *n, const char *name)
{
	return !name ? !n->alias : !strcmp(n->name, name) || (n->alias && !strcmp(n->alias, name));
}

static int find_named(void *arg, const struct pmutrace_event_name *n)
{
	int *found = arg;

	for (size_t i = 0; i < NR_NAMED; i++) {
		if (n->type != named[i].type || n->config != named[i].config)
			continue;
		if (!is_called(n, named[i].name) || !is_called(n, named[i].alias))
			fail_msg("'%s' and '%s' should be '%s'", n->name, n->alias, named[i].name);
		assert_string_equal(n->unit, named[i].unit);
		found[i]++;
	}
	return 0;
}

static void hardware_and_software_events_have_perfs_names(void **state)
{
	int found[NR_NAMED] = {};

	assert_int_equal(pmutrace_for_each_event(find_named, found), 0);
	for (size_t i = 0; i < NR_NAMED; i++)
		assert_int_equal(found[i], 1);
}

static int stop_at_third(void *arg, const struct pmutrace_event_name *n)
{
	return ++*(int *)arg == 3 ? 42 : 0;
}

static void a_list_ends_when_its_reader_says_so(void **state)
{
	int calls = 0;

	assert_int_equal(pmutrace_for_each_event(stop_at_third, &calls), 42);
	assert_int_equal(calls, 3);
}

/* Against the files themselves. */
static int check_pmu(void *arg, const struct pmutrace_pmu *pmu)
{
	char path[512];
	unsigned int type = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu->name);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%u", &type), 1);
	fclose(f);
	assert_int_equal(pmu->type, type);
	++*(size_t *)arg;
	return 0;
}

static void pmus_have_the_types_of_sysfs(void **state)
{
	DIR *dir = opendir("/sys/bus/event_source/devices");
	struct pmutrace_error why;
	size_t nr = 0, expected = 0;
	struct dirent *d;

	if (!dir)
		skip_because("sysfs: no event sources");
	while ((d = readdir(dir)))
		expected += d->d_name[0] != '.';
	closedir(dir);
	assert_int_equal(pmutrace_for_each_pmu(check_pmu, &nr, &why), 0);
	assert_int_equal(nr, expected);
}

static int check_tracepoint(void *arg, const char *category, const char *name)
{
	assert_string_equal(category, "syscalls");
	assert_string_equal(name, "sys_enter_getpid");
	++*(size_t *)arg;
	return 0;
}

static void tracepoints_have_the_ids_of_tracefs(void **state)
{
	struct pmutrace_error why;
	char path[512], file[640];
	uint32_t id, there = 0;
	size_t nr = 0;
	FILE *f;

	need_tracefs();
	assert_int_equal(pmutrace_tracefs(path, sizeof(path), &why), 0);
	snprintf(file, sizeof(file), "%s/events/syscalls/sys_enter_getpid/id", path);
	f = fopen(file, "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%u", &there), 1);
	fclose(f);
	assert_int_equal(pmutrace_tracepoint_id("syscalls", "sys_enter_getpid", &id, &why), 0);
	assert_int_equal(id, there);
	assert_int_equal(pmutrace_tracepoint_id("syscalls", "sys_enter_getpidd", &id, &why),
			 -ENOENT);
	assert_non_null(strstr(why.text, "sys_enter_getpid"));
	assert_int_equal(pmutrace_tracepoint_id("../..", "x", &id, &why), -EINVAL);
	assert_int_equal(pmutrace_for_each_tracepoint("syscalls:sys_enter_getpid", check_tracepoint,
						      &nr, &why),
			 0);
	assert_int_equal(nr, 1);
	assert_int_equal(pmutrace_tracefs(path, 3, &why), -ERANGE);
	assert_string_equal(path, "");
}

/* The first line of a file of tracefs. */
static void read_line(const char *name, char *line, size_t size)
{
	struct pmutrace_error why;
	char path[512], file[640];
	FILE *f;

	assert_int_equal(pmutrace_tracefs(path, sizeof(path), &why), 0);
	snprintf(file, sizeof(file), "%s/%s", path, name);
	f = fopen(file, "r");
	assert_non_null(f);
	assert_non_null(fgets(line, (int)size, f));
	fclose(f);
	line[strcspn(line, "\n")] = '\0';
}

struct tracers {
	char all[1024];
	const char *current;
	size_t nr, nr_current;
};

static int see_tracer(void *arg, const char *name, bool current)
{
	struct tracers *t = arg;
	char *next = strchr(t->all, ' ');

	if (next)
		*next = '\0';
	assert_string_equal(name, t->all);
	memmove(t->all, next ? next + 1 : "", strlen(next ? next + 1 : "") + 1);
	assert_int_equal(current, !strcmp(name, t->current));
	t->nr++;
	t->nr_current += current;
	return 0;
}

static void tracers_are_those_of_tracefs(void **state)
{
	struct pmutrace_error why;
	struct tracers t = {};
	char current[64];

	need_tracefs();
	if (geteuid())
		skip_because("root: files of tracefs");
	read_line("available_tracers", t.all, sizeof(t.all));
	read_line("current_tracer", current, sizeof(current));
	t.current = current;
	assert_int_equal(pmutrace_for_each_tracer(see_tracer, &t, &why), 0);
	assert_true(t.nr >= 1);
	assert_int_equal(t.nr_current, 1);
	assert_int_equal(strspn(t.all, " "), strlen(t.all)); /* none was left out */
}

/* As mount(8) has it; the first of the type. */
static bool find_mount(const char *type, char *where, size_t size)
{
	char line[4096], fields[2][1024];
	FILE *f = fopen("/proc/mounts", "r");
	bool found = false;

	assert_non_null(f);
	while (!found && fgets(line, sizeof(line), f))
		found = sscanf(line, "%*s %1023s %1023s", fields[0], fields[1]) == 2 &&
			!strcmp(fields[1], type);
	fclose(f);
	if (found)
		snprintf(where, size, "%s", fields[0]);
	return found;
}

static void mounts_are_those_of_proc(void **state)
{
	struct pmutrace_error why;
	char path[1024], there[1024];

	need_tracefs();
	assert_true(find_mount("tracefs", there, sizeof(there)));
	assert_int_equal(pmutrace_tracefs(path, sizeof(path), &why), 0);
	assert_string_equal(path, there);
	if (find_mount("debugfs", there, sizeof(there))) {
		assert_int_equal(pmutrace_debugfs(path, sizeof(path), &why), 0);
		assert_string_equal(path, there);
		assert_int_equal(pmutrace_debugfs(path, 1, &why), -ERANGE);
	} else {
		assert_int_equal(pmutrace_debugfs(path, sizeof(path), &why), -ENOENT);
		assert_non_null(strstr(why.text, "mount"));
	}
}

static int see_pmu(void *arg, const struct pmutrace_pmu *pmu)
{
	return 0;
}

static int see_tracepoint(void *arg, const char *category, const char *name)
{
	return 0;
}

static int see_any_tracer(void *arg, const char *name, bool current)
{
	return 0;
}

/* With and without errors. */
static void looking_leaks_no_descriptors(void **state)
{
	struct pmutrace_error why;
	size_t before = nr_open();
	struct pmutrace_limits limits;
	char path[512];
	uint32_t id;

	for (int round = 0; round < 3; round++) {
		(void)!pmutrace_for_each_pmu(see_pmu, NULL, &why);
		(void)!pmutrace_for_each_tracepoint("syscalls:*getpid", see_tracepoint, NULL, &why);
		(void)!pmutrace_for_each_tracepoint("[", see_tracepoint, NULL, &why);
		(void)!pmutrace_for_each_tracer(see_any_tracer, NULL, &why);
		(void)!pmutrace_tracepoint_id("syscalls", "sys_enter_getpid", &id, &why);
		(void)!pmutrace_tracepoint_id("no", "such", &id, &why);
		(void)!pmutrace_tracefs(path, 1, &why);
		(void)!pmutrace_debugfs(path, sizeof(path), &why);
		pmutrace_limits(&limits);
	}
	assert_int_equal(nr_open(), before);
}

static void what_is_supported_is_told_with_the_reason(void **state)
{
	struct pmutrace_error why;
	size_t before = nr_open();

	if (pmutrace_supported(NULL, &why))
		skip_because("perf: %s", why.text);
	assert_int_equal(pmutrace_supported("page-faults:u", &why), 0);
	assert_int_equal(pmutrace_supported("page-faults:u,context-switches:u", &why), -EINVAL);
	assert_true(strlen(why.text) > 10);
	assert_int_equal(pmutrace_supported("nonsense", NULL), -EINVAL);
	assert_int_equal(nr_open(), before);
}

static long sysctl_of(const char *name, long absent)
{
	char path[128];
	long v = -2;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	f = fopen(path, "r");
	if (!f)
		return absent;
	assert_int_equal(fscanf(f, "%ld", &v), 1);
	fclose(f);
	return v;
}

static void limits_are_those_of_proc(void **state)
{
	struct pmutrace_limits limits;
	struct rlimit files;

	pmutrace_limits(&limits);
	assert_int_equal(limits.paranoid, sysctl_of("perf_event_paranoid", LONG_MIN));
	assert_int_equal(limits.max_sample_rate_hz, sysctl_of("perf_event_max_sample_rate", -1));
	assert_int_equal(limits.mlock_kb, sysctl_of("perf_event_mlock_kb", -1));
	assert_int_equal(limits.max_stack, sysctl_of("perf_event_max_stack", -1));
	assert_int_equal(limits.max_contexts, sysctl_of("perf_event_max_contexts_per_stack", -1));
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &files), 0);
	assert_int_equal(limits.open_files, (long)files.rlim_max);
}

static void a_command_is_counted_from_its_exec_on(void **state)
{
	char *argv[] = { "sh", "-c", "exit 7", NULL }, *none[] = { NULL };
	char *unknown[] = { "/no/such/command", NULL };
	struct pmutrace_options options = { .size = sizeof(options),
					    .inherit = true,
					    .enable_on_exec = true };
	struct pmutrace_target target = { .kind = PMUTRACE_THREAD };
	struct pmutrace_command *c;
	struct pmutrace_count count;
	struct pmutrace_events *e;
	struct pmutrace_error why;
	size_t before = nr_open();

	need_tracefs();
	before = nr_open();
	assert_int_equal(pmutrace_command_start(&c, argv, &why), 0);
	target.pid = pmutrace_command_pid(c);
	e = open_with("syscalls:sys_enter_exit_group", &target, &options);
	assert_int_equal(pmutrace_command_release(c, &why), 0);
	assert_true(pmutrace_command_fd(c) >= 0);
	assert_int_equal(pmutrace_command_wait(c), 7);
	assert_int_equal(pmutrace_read(e, &count), 0);
	assert_int_equal(count.value, 1);
	pmutrace_close(e);
	pmutrace_command_free(c);

	assert_int_equal(pmutrace_command_start(&c, unknown, &why), 0);
	assert_int_equal(pmutrace_command_release(c, &why), -ENOENT);
	assert_non_null(strstr(why.text, "/no/such/command"));
	pmutrace_command_free(c);
	assert_int_equal(pmutrace_command_start(&c, none, &why), -EINVAL);
	assert_null(c);
	pmutrace_command_free(NULL);
	assert_int_equal(nr_open(), before);
}

static void the_version_is_told(void **state)
{
	assert_string_equal(pmutrace_version(), PMUTRACE_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generic_events_are_listed),
		cmocka_unit_test(hardware_and_software_events_have_perfs_names),
		cmocka_unit_test(a_list_ends_when_its_reader_says_so),
		cmocka_unit_test(pmus_have_the_types_of_sysfs),
		cmocka_unit_test(tracepoints_have_the_ids_of_tracefs),
		cmocka_unit_test(tracers_are_those_of_tracefs),
		cmocka_unit_test(mounts_are_those_of_proc),
		cmocka_unit_test(looking_leaks_no_descriptors),
		cmocka_unit_test(what_is_supported_is_told_with_the_reason),
		cmocka_unit_test(limits_are_those_of_proc),
		cmocka_unit_test(a_command_is_counted_from_its_exec_on),
		cmocka_unit_test(the_version_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
