// SPDX-License-Identifier: BSD-2-Clause
#include "pmutrace_fixture.h"

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

static int see_tracer(void *arg, const char *name, bool current)
{
	*(int *)arg += current ? 100 : 1;
	return 0;
}

static void one_tracer_is_current(void **state)
{
	struct pmutrace_error why;
	int seen = 0;

	need_tracefs();
	if (pmutrace_for_each_tracer(see_tracer, &seen, &why))
		skip_because("ftrace: %s", why.text);
	assert_int_equal(seen / 100, 1);
}

static void what_is_supported_is_told_with_the_reason(void **state)
{
	struct pmutrace_error why;
	size_t before = nr_fds();

	if (pmutrace_supported(NULL, &why))
		skip_because("perf: %s", why.text);
	assert_int_equal(pmutrace_supported("page-faults:u", &why), 0);
	assert_int_equal(pmutrace_supported("page-faults:u,context-switches:u", &why), -EINVAL);
	assert_true(strlen(why.text) > 10);
	assert_int_equal(pmutrace_supported("nonsense", NULL), -EINVAL);
	assert_int_equal(nr_fds(), before);
}

static void limits_are_those_of_proc(void **state)
{
	struct pmutrace_limits limits;
	struct rlimit files;
	long there = -2;
	FILE *f = fopen("/proc/sys/kernel/perf_event_max_stack", "r");

	if (!f)
		skip_because("perf: no sysctls");
	assert_int_equal(fscanf(f, "%ld", &there), 1);
	fclose(f);
	pmutrace_limits(&limits);
	assert_int_equal(limits.max_stack, there);
	assert_true(limits.max_sample_rate_hz > 0);
	assert_true(limits.mlock_kb > 0);
	assert_true(limits.max_contexts > 0);
	assert_true(limits.paranoid >= -1);
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
	size_t before = nr_fds();

	need_tracefs();
	before = nr_fds();
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
	assert_int_equal(nr_fds(), before);
}

static void the_version_is_told(void **state)
{
	assert_string_equal(pmutrace_version(), PMUTRACE_VERSION);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_generic_events_are_listed),
		cmocka_unit_test(a_list_ends_when_its_reader_says_so),
		cmocka_unit_test(pmus_have_the_types_of_sysfs),
		cmocka_unit_test(tracepoints_have_the_ids_of_tracefs),
		cmocka_unit_test(one_tracer_is_current),
		cmocka_unit_test(what_is_supported_is_told_with_the_reason),
		cmocka_unit_test(limits_are_those_of_proc),
		cmocka_unit_test(a_command_is_counted_from_its_exec_on),
		cmocka_unit_test(the_version_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
