// SPDX-License-Identifier: BSD-2-Clause
/* Refreshing, and other periods. */
#include "pmutrace_fixture.h"
#include "../../prog/breakpoint.h"

#include <sys/mman.h>

/* Each getpid() of ours is a sample. */
static struct pmutrace_events *open_getpids(struct pmutrace_ring **r)
{
	struct pmutrace_events *e;

	need_tracefs();
	e = open_with("syscalls:sys_enter_getpid@1", NULL, WITH(.sample_type = PERF_SAMPLE_TID));
	*r = open_ring(e, 8);
	return e;
}

static void refresh_gives_so_many_overflows(void **state)
{
	struct pmutrace_events *e;
	struct pmutrace_count count;
	struct pmutrace_error why;
	struct pmutrace_ring *r;
	int n = 20;

	e = open_getpids(&r);
	assert_int_equal(pmutrace_refresh(e, 0, 3, &why), 0);
	getpids(&n);
	assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), 3);
	assert_int_equal(pmutrace_read(e, &count), 0);
	assert_int_equal(count.value, 3);
	assert_int_equal(pmutrace_refresh(e, 0, 0, &why), -EINVAL);
	assert_int_equal(pmutrace_refresh(e, 1, 1, &why), -ERANGE);
	close_both(r, e);

	e = open_self("page-faults");
	assert_int_equal(pmutrace_refresh(e, 0, 1, &why), -EINVAL);
	assert_non_null(strstr(why.text, "sample_period"));
	pmutrace_close(e);
}

static PLAIN void touch_fresh_pages(size_t nr)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *at =
		mmap(NULL, nr * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	madvise(at, nr * page, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < nr; i++)
		at[i * page] = 1;
	munmap(at, nr * page);
}

static void an_event_can_be_refreshed_again(void **state)
{
	struct pmutrace_events *e = open_self("page-faults@1");
	struct pmutrace_ring *r = open_ring(e, 8);
	struct pmutrace_error why;

	for (unsigned int round = 2; round < 5; round++) {
		assert_int_equal(pmutrace_refresh(e, 0, round, &why), 0);
		touch_fresh_pages(20);
		assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), round);
	}
	close_both(r, e);
}

/* Linux 6.16 and later let a tracepoint and a breakpoint count nothing any more. */
static void a_tracepoint_can_be_refreshed_again(void **state)
{
	struct pmutrace_count count;
	struct pmutrace_events *e;
	struct pmutrace_error why;
	struct pmutrace_ring *r;
	int n = 20;

	need_tracefs();
	e = open_self("syscalls:sys_enter_getpid@1");
	r = open_ring(e, 8);
	for (unsigned int round = 2; round < 5; round++) {
		assert_int_equal(pmutrace_refresh(e, 0, round, &why), 0);
		getpids(&n);
		assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), round);
	}
	assert_int_equal(pmutrace_enable(e), 0);
	getpids(&n);
	assert_int_equal(pmutrace_read(e, &count), 0);
	assert_int_equal(count.value, 2 + 3 + 4 + 20);
	/* With the period that was set last: every fourth. */
	assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), 20);
	assert_int_equal(pmutrace_set_period(e, 0, 4, &why), 0);
	assert_int_equal(pmutrace_disable(e), 0);
	assert_int_equal(pmutrace_refresh(e, 0, 2, &why), 0);
	getpids(&n);
	assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), 2);
	close_both(r, e);
}

/* Where it cannot be made to count it is not said that it does. */
static void a_tracepoint_of_another_task_is_refreshed_once(void **state)
{
	struct pmutrace_target other = { .kind = PMUTRACE_THREAD, .pid = getppid() };
	struct pmutrace_events *e;
	struct pmutrace_error why;

	need_tracefs();
	e = open_with("syscalls:sys_enter_getpid@1", &other, NULL);
	assert_int_equal(pmutrace_refresh(e, 0, 2, &why), 0);
	assert_int_equal(pmutrace_refresh(e, 0, 2, &why), -EOPNOTSUPP);
	assert_non_null(strstr(why.text, "open it anew"));
	assert_int_equal(pmutrace_enable(e), -EOPNOTSUPP);
	pmutrace_close(e);
	e = open_with("page-faults@1", &other, NULL);
	assert_int_equal(pmutrace_refresh(e, 0, 2, &why), 0);
	assert_int_equal(pmutrace_refresh(e, 0, 2, &why), 0);
	pmutrace_close(e);
}

static void a_breakpoint_can_be_refreshed_again(void **state)
{
	static volatile long watched;
	struct pmutrace_events *e;
	struct pmutrace_error why;
	struct pmutrace_ring *r;
	char spec[64];
	int err;

	if (!stores_that_hit())
		skip_because("breakpoints: this machine tells of none");
	snprintf(spec, sizeof(spec), "mem:%p/8:wu@1", (void *)&watched);
	err = pmutrace_supported(spec, &why);
	if (err)
		skip_because("breakpoints: %s", why.text);
	e = open_self(spec);
	r = open_ring(e, 8);
	for (unsigned int round = 2; round < 5; round++) {
		assert_int_equal(pmutrace_refresh(e, 0, round, &why), 0);
		for (int i = 0; i < 20; i++)
			watched++;
		assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), round);
	}
	close_both(r, e);
}

static void the_period_can_be_changed(void **state)
{
	struct pmutrace_events *e;
	struct pmutrace_error why;
	struct pmutrace_ring *r;
	int n = 100;

	e = open_getpids(&r);
	assert_int_equal(pmutrace_set_period(e, 0, 10, &why), 0);
	assert_int_equal(pmutrace_enable(e), 0);
	getpids(&n);
	assert_int_equal(pmutrace_disable(e), 0);
	assert_in_range(count_records(r, PERF_RECORD_SAMPLE), 9, 11);
	assert_int_equal(pmutrace_set_period(e, 0, 0, &why), -EINVAL);
	assert_non_null(strstr(why.text, "period of 0"));
	close_both(r, e);
	e = open_self("page-faults");
	assert_int_equal(pmutrace_set_period(e, 0, 10, &why), -EINVAL);
	pmutrace_close(e);
}

/* What starts it again is its period: the one that it has by then. */
static void a_refreshed_event_has_its_new_period(void **state)
{
	struct pmutrace_count count;
	struct pmutrace_events *e;
	struct pmutrace_error why;
	struct pmutrace_ring *r;
	int n = 100;

	e = open_getpids(&r);
	assert_int_equal(pmutrace_refresh(e, 0, 1, &why), 0);
	getpids(&n);
	assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), 1);
	assert_int_equal(pmutrace_set_period(e, 0, 5, &why), 0);
	assert_int_equal(pmutrace_disable(e), 0);
	assert_int_equal(pmutrace_refresh(e, 0, 3, &why), 0);
	getpids(&n);
	assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), 3);
	/* It stops at the third overflow: two whole periods behind the first one at least. */
	assert_int_equal(pmutrace_read(e, &count), 0);
	assert_in_range(count.value, 1 + 2 * 5, 1 + 3 * 5);
	close_both(r, e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refresh_gives_so_many_overflows),
		cmocka_unit_test(an_event_can_be_refreshed_again),
		cmocka_unit_test(a_tracepoint_can_be_refreshed_again),
		cmocka_unit_test(a_tracepoint_of_another_task_is_refreshed_once),
		cmocka_unit_test(a_breakpoint_can_be_refreshed_again),
		cmocka_unit_test(the_period_can_be_changed),
		cmocka_unit_test(a_refreshed_event_has_its_new_period),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
