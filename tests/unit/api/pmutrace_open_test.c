// SPDX-License-Identifier: BSD-2-Clause
/* What opens, what does not and why, and what an open object says of its events. */
#include "pmutrace_fixture.h"
#include "descriptors.h"

#include <sys/wait.h>

static void what_would_read_0_without_the_kernel_is_refused(void **state)
{
	static const char *const specs[] = { "context-switches:u", "cs:u", "cpu-migrations:u",
					     "{page-faults:u,context-switches:u}" };
	struct perf_event_attr attr = { .exclude_kernel = 1 };
	struct pmutrace_options options = { .size = sizeof(options), .attr = &attr };
	struct pmutrace_events *e;
	struct pmutrace_error why;
	size_t before = nr_open();

	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		assert_int_equal(pmutrace_open(&e, specs[i], NULL, NULL, &why), -EINVAL);
		assert_null(e);
		assert_int_equal(why.code, -EINVAL);
		assert_non_null(strstr(why.text, "happens in the kernel"));
		assert_non_null(strstr(why.text, "would read 0"));
	}
	/* However it is asked for. */
	assert_int_equal(pmutrace_open(&e, "cpu-migrations", NULL, &options, &why), -EINVAL);
	assert_non_null(strstr(why.text, "cpu-migrations"));
	assert_int_equal(nr_open(), before);
}

static void the_system_calls_of_user_mode_are_not_refused(void **state)
{
	struct pmutrace_count count;
	struct pmutrace_events *e;
	int n = 5;

	need_tracefs();
	e = open_self("syscalls:sys_enter_getpid:u");
	assert_int_equal(pmutrace_measure(e, getpids, &n, &count), 0);
	assert_int_equal(count.value, 5);
	pmutrace_close(e);
}

static void one_event_that_fails_leaves_the_rest(void **state)
{
	struct perf_event_attr attrs[] = {
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
		{ .type = 4242 },
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_TASK_CLOCK },
	};
	struct pmutrace_options all = { .size = sizeof(all), .all = true };
	struct pmutrace_count counts[3];
	struct pmutrace_events *e;
	struct pmutrace_error why;
	size_t before = nr_open();

	if (pmutrace_open_attrs(&e, attrs, NULL, 3, false, NULL, NULL, &why))
		skip_because("perf: %s", why.text);
	assert_int_equal(nr_open(), before + 2);
	assert_int_equal(pmutrace_open_error(e, 0, &why), 0);
	assert_int_equal(pmutrace_open_error(e, 1, &why), -ENOENT);
	assert_non_null(strstr(why.text, "type 4242"));
	assert_int_equal(pmutrace_open_error(e, 2, NULL), 0);
	assert_int_equal(pmutrace_open_error(e, 3, &why), -ERANGE);
	assert_int_equal(pmutrace_measure(e, nothing, NULL, counts), 0);
	assert_int_equal(counts[0].state, PMUTRACE_COUNTED);
	assert_int_equal(counts[1].state, PMUTRACE_NOT_OPEN);
	assert_int_equal(counts[1].value, 0);
	assert_int_equal(counts[2].state, PMUTRACE_COUNTED);
	assert_true(counts[2].raw > 0);
	assert_int_equal(pmutrace_fd(e, 1, 0), -ENODATA);
	assert_int_equal(pmutrace_fd(e, 0, 1), -ERANGE);
	pmutrace_close(e);
	assert_int_equal(nr_open(), before);

	assert_int_equal(pmutrace_open_attrs(&e, attrs, NULL, 3, false, NULL, &all, &why), -ENOENT);
	assert_null(e);
	assert_non_null(strstr(why.text, "type 4242"));
	assert_int_equal(nr_open(), before);
}

static void nothing_opened_is_an_error(void **state)
{
	struct perf_event_attr attrs[] = { { .type = 4242, .exclude_kernel = 1, .exclude_hv = 1 },
					   { .type = 4243, .exclude_kernel = 1, .exclude_hv = 1 } };
	struct pmutrace_events *e;
	struct pmutrace_error why;

	assert_int_equal(pmutrace_open_attrs(&e, attrs, NULL, 2, false, NULL, NULL, &why), -ENOENT);
	assert_null(e);
	assert_int_equal(why.code, -ENOENT);
	assert_true(strlen(why.text) > 10);
	assert_int_equal(pmutrace_open_attrs(&e, attrs, NULL, 0, false, NULL, NULL, &why), -EINVAL);
	assert_int_equal(pmutrace_open(&e, "", NULL, NULL, &why), -EINVAL);
	assert_null(e);
}

static void what_is_not_given_is_refused(void **state)
{
	struct pmutrace_error why;
	struct pmutrace_events *e;

	assert_int_equal(pmutrace_open(&e, NULL, NULL, NULL, &why), -EINVAL);
	assert_null(e);
	assert_string_equal(why.text, "spec is NULL: it is to name events");
	assert_int_equal(pmutrace_open_attrs(&e, NULL, NULL, 1, false, NULL, NULL, &why), -EINVAL);
	assert_null(e);
	e = open_self("page-faults:u");
	assert_int_equal(pmutrace_set_filter(e, 0, NULL, &why), -EINVAL);
	pmutrace_close(e);
}

/* A program that was built with a later header: what is 0 there may be asked of us. */
static void members_of_later_headers_must_be_0(void **state)
{
	struct {
		struct pmutrace_options known;
		uint64_t later;
	} options = { .known.size = sizeof(options) };
	struct {
		struct perf_event_attr known;
		uint64_t later;
	} attr = { .known = { .type = PERF_TYPE_SOFTWARE,
			      .size = sizeof(attr),
			      .config = PERF_COUNT_SW_DUMMY,
			      .exclude_kernel = 1,
			      .exclude_hv = 1 } };
	struct pmutrace_options with_attr = { .size = sizeof(with_attr), .attr = &attr.known };
	struct pmutrace_error why;
	struct pmutrace_events *e;

	pmutrace_close(open_with("dummy:u", NULL, &options.known));
	options.later = (uint64_t)1 << 56;
	assert_int_equal(pmutrace_open(&e, "dummy:u", NULL, &options.known, &why), -E2BIG);
	assert_null(e);
	assert_non_null(strstr(why.text, "options sets members that version"));

	pmutrace_close(open_with("dummy:u", NULL, &with_attr));
	assert_int_equal(pmutrace_open_attrs(&e, &attr.known, NULL, 1, false, NULL, NULL, &why), 0);
	pmutrace_close(e);
	attr.later = 1;
	assert_int_equal(pmutrace_open(&e, "dummy:u", NULL, &with_attr, &why), -E2BIG);
	assert_non_null(strstr(why.text, "perf_event_attr sets members that version"));
	assert_int_equal(pmutrace_open_attrs(&e, &attr.known, NULL, 1, false, NULL, NULL, &why),
			 -E2BIG);
	assert_null(e);
}

/* A group is whole or it is not; its leader alone would be something else. */
static void failing_opens_leak_nothing(void **state)
{
	struct perf_event_attr group[] = {
		{ .type = PERF_TYPE_SOFTWARE,
		  .config = PERF_COUNT_SW_PAGE_FAULTS,
		  .exclude_kernel = 1,
		  .exclude_hv = 1 },
		{ .type = 4242, .exclude_kernel = 1, .exclude_hv = 1 },
	};
	struct pmutrace_target dead = { .kind = PMUTRACE_THREAD },
			       bad_cpus = { .kind = PMUTRACE_CPUS, .cpus = "zero" },
			       no_cgroup = { .kind = PMUTRACE_CGROUP, .cgroup = "no/such/cgroup" },
			       no_kind = { .kind = (enum pmutrace_target_kind)99 };
	struct pmutrace_options all = { .size = sizeof(all), .all = true }, no_size = { .size = 0 };
	struct pmutrace_events *e;
	struct pmutrace_error why;
	size_t before = nr_open();

	dead.pid = fork();
	if (!dead.pid)
		_exit(0);
	waitpid(dead.pid, NULL, 0);
	assert_int_equal(pmutrace_open(&e, "page-faults:u", &dead, NULL, &why), -ESRCH);
	assert_null(e);
	dead.kind = PMUTRACE_PROCESS;
	assert_int_equal(pmutrace_open(&e, "page-faults:u", &dead, NULL, &why), -ESRCH);
	assert_non_null(strstr(why.text, "no process"));
	assert_int_equal(pmutrace_open(&e, "page-faults:u", &bad_cpus, NULL, &why), -EINVAL);
	assert_non_null(strstr(why.text, "'zero'"));
	assert_true(pmutrace_open(&e, "page-faults:u", &no_cgroup, NULL, &why) < 0);
	assert_int_equal(pmutrace_open(&e, "page-faults:u", &no_kind, NULL, &why), -EINVAL);
	assert_int_equal(pmutrace_open(&e, "page-faults:u", NULL, &no_size, &why), -EINVAL);
	assert_int_equal(pmutrace_open(&e, "page-faults:u,no-such-event", NULL, NULL, &why),
			 -EINVAL);
	assert_non_null(strstr(why.text, "no-such-event"));
	assert_int_equal(pmutrace_open(&e, "page-faults:u", NULL, &no_size, NULL), -EINVAL);
	assert_int_equal(pmutrace_open_attrs(&e, group, NULL, 2, true, NULL, &all, &why), -ENOENT);
	assert_null(e);
	assert_int_equal(nr_open(), before);
}

static void labels_are_made_from_attrs(void **state)
{
	struct perf_event_attr attrs[] = {
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CONTEXT_SWITCHES },
		{ .type = PERF_TYPE_HARDWARE, .config = PERF_COUNT_HW_BRANCH_MISSES },
		{ .type = PERF_TYPE_HW_CACHE, .config = 3 | 0 << 8 | 1 << 16 },
		{ .type = PERF_TYPE_RAW, .config = 0x1b0 },
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_PAGE_FAULTS },
	};
	const char *labels[] = { NULL, NULL, NULL, NULL, "mine" };
	struct pmutrace_events *e;
	struct pmutrace_error why;

	if (pmutrace_open_attrs(&e, attrs, labels, 5, false, NULL, NULL, &why))
		skip_because("perf: %s", why.text);
	assert_string_equal(pmutrace_label(e, 0), "context-switches");
	assert_string_equal(pmutrace_label(e, 1), "branch-misses");
	assert_string_equal(pmutrace_label(e, 2), "dTLB-load-misses");
	assert_string_equal(pmutrace_label(e, 3), "raw 0x1b0");
	assert_string_equal(pmutrace_label(e, 4), "mine");
	assert_null(pmutrace_label(e, 5));
	assert_null(pmutrace_attr(e, 5));
	pmutrace_close(e);
}

/* Of each member, not only the leader: what the caller excluded stays excluded. */
static void members_of_groups_keep_what_they_exclude(void **state)
{
	struct perf_event_attr attrs[] = {
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY },
		{ .type = PERF_TYPE_SOFTWARE,
		  .config = PERF_COUNT_SW_PAGE_FAULTS,
		  .exclude_kernel = 1,
		  .exclude_hv = 1 },
	};
	struct pmutrace_events *e;
	struct pmutrace_error why;

	if (pmutrace_open_attrs(&e, attrs, NULL, 2, true, NULL, NULL, &why))
		skip_because("perf: %s", why.text);
	assert_int_equal(pmutrace_attr(e, 0)->exclude_kernel, 0);
	assert_int_equal(pmutrace_attr(e, 1)->exclude_kernel, 1);
	assert_int_equal(pmutrace_attr(e, 1)->exclude_hv, 1);
	pmutrace_close(e);
}

static void units_and_ids_are_told(void **state)
{
	struct pmutrace_events *e = open_self("task-clock,page-faults");
	uint64_t a, b;
	double scale;

	assert_string_equal(pmutrace_unit(e, 0, &scale), "ns");
	assert_true(scale == 1);
	assert_string_equal(pmutrace_unit(e, 1, NULL), "");
	assert_int_equal(pmutrace_id(e, 0, 0, &a), 0);
	assert_int_equal(pmutrace_id(e, 1, 0, &b), 0);
	assert_true(a && b && a != b);
	assert_int_equal(pmutrace_id(e, 2, 0, &a), -ERANGE);
	pmutrace_close(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_would_read_0_without_the_kernel_is_refused),
		cmocka_unit_test(the_system_calls_of_user_mode_are_not_refused),
		cmocka_unit_test(one_event_that_fails_leaves_the_rest),
		cmocka_unit_test(nothing_opened_is_an_error),
		cmocka_unit_test(what_is_not_given_is_refused),
		cmocka_unit_test(members_of_later_headers_must_be_0),
		cmocka_unit_test(failing_opens_leak_nothing),
		cmocka_unit_test(labels_are_made_from_attrs),
		cmocka_unit_test(members_of_groups_keep_what_they_exclude),
		cmocka_unit_test(units_and_ids_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
