// SPDX-License-Identifier: BSD-2-Clause
#include "pmutrace_fixture.h"
#include "../../prog/breakpoint.h"

#include <sys/ioctl.h>

#include <linux/hw_breakpoint.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

static volatile uint64_t watched;

static void system_calls_are_counted_exactly(void **state)
{
	int numbers[] = { 0, 1, 7, 1000 };
	struct pmutrace_count count;
	struct pmutrace_events *e;

	need_tracefs();
	e = open_self("syscalls:sys_enter_getpid");
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		assert_int_equal(pmutrace_measure(e, getpids, &numbers[i], &count), 0);
		assert_int_equal(count.value, numbers[i]);
		assert_int_equal(count.state, PMUTRACE_COUNTED);
		assert_string_equal(count.label, "syscalls:sys_enter_getpid");
	}
	pmutrace_close(e);
}

/* read(2), which ends each measurement, is the one call too many. */
static void the_overhead_is_subtracted_and_told(void **state)
{
	struct pmutrace_count count;
	struct pmutrace_events *e;
	int n = 12;

	need_tracefs();
	e = open_self("raw_syscalls:sys_enter");
	assert_int_equal(pmutrace_measure(e, getpids, &n, &count), 0);
	assert_int_equal(count.overhead, 1);
	assert_int_equal(count.raw, 13);
	assert_int_equal(count.value, 12);
	assert_int_equal(pmutrace_measure(e, nothing, NULL, &count), 0);
	assert_int_equal(count.value, 0);
	pmutrace_close(e);
}

struct pages {
	char *at;
	size_t nr, bytes;
};

static PLAIN void touch(void *arg)
{
	struct pages *p = arg;

	for (size_t i = 0; i < p->nr; i++)
		p->at[i * p->bytes] = 1;
}

static void fresh_pages_are_page_faults(void **state)
{
	struct pages p = { .nr = 57, .bytes = (size_t)sysconf(_SC_PAGESIZE) };
	struct pmutrace_events *e = open_self("page-faults,minor-faults,major-faults");
	struct pmutrace_count counts[3];
	size_t len = p.nr * p.bytes;

	p.at = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(p.at, MAP_FAILED);
	madvise(p.at, len, MADV_NOHUGEPAGE);
	assert_int_equal(pmutrace_measure(e, touch, &p, counts), 0);
	assert_int_equal(counts[0].value, 57);
	assert_int_equal(counts[1].value, 57);
	assert_int_equal(counts[2].value, 0);
	/* They are there now. */
	assert_int_equal(pmutrace_measure(e, touch, &p, counts), 0);
	assert_int_equal(counts[0].value, 0);
	munmap(p.at, len);
	pmutrace_close(e);
}

static PLAIN void store(void *arg)
{
	for (int i = 0; i < *(int *)arg; i++)
		watched = (uint64_t)i;
}

static void stores_hit_a_breakpoint(void **state)
{
	struct pmutrace_count count;
	struct pmutrace_error why;
	struct pmutrace_events *e;
	char spec[64];
	int n = 7, err;

	if (!stores_that_hit())
		skip_because("breakpoints: this machine tells of none");
	snprintf(spec, sizeof(spec), "mem:0x%lx/8:w:u", (unsigned long)&watched);
	err = pmutrace_open(&e, spec, NULL, NULL, &why);
	if (err)
		skip_because("breakpoints: %s", why.text);
	assert_int_equal(pmutrace_measure(e, store, &n, &count), 0);
	assert_int_equal(count.value, 7);
	pmutrace_close(e);
}

static void execution_breakpoints_count_calls(void **state)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.bp_type = HW_BREAKPOINT_X,
		.bp_addr = (uintptr_t)store,
		.bp_len = sizeof(long),
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct pmutrace_count count;
	struct pmutrace_error why;
	struct pmutrace_events *e;
	int n = 3;

	if (!stores_that_hit())
		skip_because("breakpoints: this machine tells of none");
	if (pmutrace_open_attrs(&e, &attr, NULL, 1, false, NULL, NULL, &why))
		skip_because("breakpoints: %s", why.text);
	assert_int_equal(strncmp(pmutrace_label(e, 0), "breakpoint 0x", 13), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pmutrace_measure(e, store, &n, &count), 0);
		assert_int_equal(count.value, 1);
	}
	pmutrace_close(e);
}

static long own_switches(void)
{
	struct rusage u;

	assert_int_equal(getrusage(RUSAGE_THREAD, &u), 0);
	return u.ru_nvcsw + u.ru_nivcsw;
}

/* *arg: how often this thread was switched out meanwhile. */
static void sleep_often(void *arg)
{
	struct timespec ms = { 0, 1000000 };
	long before = own_switches(), *switches = arg;

	for (int i = 0; i < 10; i++)
		nanosleep(&ms, NULL);
	*switches = own_switches() - before;
}

static void sleeps_are_context_switches(void **state)
{
	struct pmutrace_events *e = open_self("context-switches");
	struct pmutrace_count count;
	long switches = 0;

	/* A sleep may be over before the thread has left the CPU, if that is taken away. */
	for (int i = 0; i < 3 && switches < 10; i++) {
		assert_int_equal(pmutrace_measure(e, sleep_often, &switches, &count), 0);
		assert_in_range(count.value, switches, switches + 2);
	}
	assert_true(count.value >= 10);
	assert_true(count.value < 1000);
	pmutrace_close(e);
}

static void groups_are_read_at_once_and_labelled(void **state)
{
	struct pmutrace_events *e;
	struct pmutrace_count counts[3];
	uint64_t words[16];
	int n = 4;

	need_tracefs();
	e = open_self("{page-faults,syscalls:sys_enter_getpid,syscalls:sys_exit_getpid}");
	assert_int_equal(pmutrace_nr_events(e), 3);
	assert_int_equal(pmutrace_nr_places(e), 1);
	assert_int_equal(pmutrace_measure(e, getpids, &n, counts), 0);
	assert_string_equal(counts[0].label, "page-faults");
	assert_string_equal(counts[1].label, "syscalls:sys_enter_getpid");
	assert_string_equal(counts[2].label, "syscalls:sys_exit_getpid");
	assert_int_equal(counts[1].value, 4);
	assert_int_equal(counts[2].value, 4);
	/* One set of times: they were on counters together. */
	assert_int_equal(counts[0].enabled_ns, counts[2].enabled_ns);
	assert_int_equal(counts[0].running_ns, counts[2].running_ns);
	/* The leader's descriptor reads all three. */
	assert_int_equal(read(pmutrace_fd(e, 0, 0), words, sizeof(words)), 6 * 8);
	assert_int_equal(words[0], 3);
	pmutrace_close(e);
}

/* Linux 6.18 stops counting it when members are disabled and enabled one by one. */
static void a_clock_at_the_end_of_a_group_counts_each_time(void **state)
{
	struct pmutrace_events *e = open_self("{page-faults,context-switches,task-clock}");
	struct pmutrace_count counts[3];
	uint64_t before = 0;

	for (int round = 0; round < 4; round++) {
		assert_int_equal(pmutrace_enable(e), 0);
		for (volatile int i = 0; i < 100000; i++)
			;
		assert_int_equal(pmutrace_disable(e), 0);
		assert_int_equal(pmutrace_read(e, counts), 0);
		assert_true(counts[2].value > before);
		before = counts[2].value;
	}
	pmutrace_close(e);
}

static void values_stand_still_while_disabled_and_are_reset(void **state)
{
	struct pmutrace_count first, second;
	struct pmutrace_events *e;
	int n = 9;

	need_tracefs();
	e = open_self("syscalls:sys_enter_getpid");
	getpids(&n);
	assert_int_equal(pmutrace_read(e, &first), 0);
	assert_int_equal(first.state, PMUTRACE_NOT_COUNTED); /* never enabled */
	assert_int_equal(first.value, 0);
	assert_int_equal(pmutrace_enable(e), 0);
	getpids(&n);
	assert_int_equal(pmutrace_disable(e), 0);
	getpids(&n);
	assert_int_equal(pmutrace_read(e, &first), 0);
	assert_int_equal(first.value, 9);
	assert_int_equal(first.state, PMUTRACE_COUNTED);
	assert_true(first.enabled_ns > 0);
	assert_int_equal(first.enabled_ns, first.running_ns);
	assert_int_equal(pmutrace_reset(e), 0);
	assert_int_equal(pmutrace_read(e, &second), 0);
	assert_int_equal(second.value, 0);
	assert_int_equal(second.enabled_ns, first.enabled_ns); /* so does the kernel */
	pmutrace_close(e);
}

static void measuring_goes_on_after_other_controls(void **state)
{
	struct pmutrace_count count;
	struct pmutrace_events *e;
	int n = 6;

	need_tracefs();
	e = open_self("syscalls:sys_enter_getpid");
	for (int round = 0; round < 4; round++) {
		if (round == 1)
			assert_int_equal(pmutrace_disable(e), 0);
		if (round == 2)
			assert_int_equal(pmutrace_reset(e), 0);
		if (round == 3)
			assert_int_equal(pmutrace_enable(e), 0);
		assert_int_equal(pmutrace_measure(e, getpids, &n, &count), 0);
		assert_int_equal(count.value, 6);
	}
	pmutrace_close(e);
}

static void scaling_is_exact(void **state)
{
	assert_int_equal(pmutrace_scale(100, 3000, 1000), 300);
	assert_int_equal(pmutrace_scale(7, 3, 2), 11); /* 10.5, rounded up */
	assert_int_equal(pmutrace_scale(5, 0, 0), 0);
	/* Beyond what a double holds: 2^53 + 1. */
	assert_int_equal(pmutrace_scale((1ull << 53) + 1, 1000, 1000), (1ull << 53) + 1);
	assert_int_equal(pmutrace_scale((1ull << 53) + 1, 3, 1), 3 * ((1ull << 53) + 1));
	assert_int_equal(pmutrace_scale(UINT64_MAX, 2, 1), UINT64_MAX);
}

/* The event is exchanged for a pipe, from which the next reading comes; its end for us. */
static int feed(struct pmutrace_events *e, size_t event)
{
	int ends[2], fd = pmutrace_fd(e, event, 0);

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[0], fd), fd);
	close(ends[0]);
	return ends[1];
}

/* As perf_event_open(2) has it: value and times; of a group the number, times, values. */
static void what_was_counted_for_a_part_of_the_time_is_scaled(void **state)
{
	const uint64_t one[] = { 25, 4000000, 1000000 }, never[] = { 0, 4000000, 0 },
		       group[] = { 2, 3000, 2000, 10, (1ull << 53) + 1 };
	struct pmutrace_events *e = open_self("page-faults,{dummy,minor-faults}");
	struct pmutrace_count counts[3];
	int single = feed(e, 0), grouped = feed(e, 1);

	assert_int_equal(write(single, one, sizeof(one)), sizeof(one));
	assert_int_equal(write(grouped, group, sizeof(group)), sizeof(group));
	assert_int_equal(pmutrace_read(e, counts), 0);
	assert_int_equal(counts[0].state, PMUTRACE_MULTIPLEXED);
	assert_int_equal(counts[0].value, 100);
	assert_int_equal(counts[0].raw, 25);
	assert_int_equal(counts[0].enabled_ns, 4000000);
	assert_int_equal(counts[0].running_ns, 1000000);
	assert_int_equal(counts[1].state, PMUTRACE_MULTIPLEXED);
	assert_int_equal(counts[1].value, 15);
	assert_int_equal(counts[2].raw, 9007199254740993);
	assert_int_equal(counts[2].value, 13510798882111490); /* 1.5 times, rounded up */
	assert_int_equal(counts[2].running_ns, 2000);

	/* Never on a counter; and pinned, but thrown off it: the end of the file. */
	assert_int_equal(write(single, never, sizeof(never)), sizeof(never));
	close(grouped);
	assert_int_equal(pmutrace_read(e, counts), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(counts[i].state, PMUTRACE_NOT_COUNTED);
		assert_int_equal(counts[i].value, 0);
	}
	assert_int_equal(counts[0].enabled_ns, 4000000);

	/* Less than a reading. */
	assert_int_equal(write(single, one, 8), 8);
	assert_int_equal(pmutrace_read(e, counts), -EBADMSG);
	close(single);
	pmutrace_close(e);
}

static void the_affinity_is_left_alone(void **state)
{
	struct pmutrace_events *e = open_self("{task-clock,page-faults}");
	struct pmutrace_count counts[2];
	cpu_set_t before, after;

	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	assert_int_equal(pmutrace_measure(e, nothing, NULL, counts), 0);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
	pmutrace_close(e);
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
}

static void a_filter_chooses(void **state)
{
	struct pmutrace_count counts[2];
	struct pmutrace_events *e;
	struct pmutrace_error why;

	need_tracefs();
	e = open_self("syscalls:sys_enter_close,page-faults");
	assert_int_equal(pmutrace_set_filter(e, 0, "fd > 100000", &why), 0);
	assert_int_equal(pmutrace_enable(e), 0);
	for (int i = 0; i < 20; i++)
		syscall(SYS_close, 99990 + i); /* 9 of these are above */
	assert_int_equal(pmutrace_disable(e), 0);
	assert_int_equal(pmutrace_read(e, counts), 0);
	assert_int_equal(counts[0].value, 9);
	assert_int_equal(pmutrace_set_filter(e, 0, "fd > 5", &why), -EEXIST);
	assert_int_equal(pmutrace_set_filter(e, 1, "fd > 1", &why), -EINVAL);
	assert_int_equal(pmutrace_set_filter(e, 2, "fd > 1", &why), -ERANGE);
	pmutrace_close(e);
	e = open_self("syscalls:sys_enter_close");
	assert_int_equal(pmutrace_set_filter(e, 0, "nosuchfield == 1", &why), -EINVAL);
	assert_non_null(strstr(why.text, "nosuchfield"));
	pmutrace_close(e);
}

static void a_multiplexed_hardware_event_is_scaled(void **state)
{
	struct pmutrace_count counts[24];
	struct pmutrace_events *e;
	struct pmutrace_error why;
	struct perf_event_attr attrs[24] = {};
	bool any = false;

	for (int i = 0; i < 24; i++)
		attrs[i] = (struct perf_event_attr){ .type = PERF_TYPE_HARDWARE,
						     .config = PERF_COUNT_HW_BRANCH_INSTRUCTIONS,
						     .exclude_kernel = 1,
						     .exclude_hv = 1 };
	if (pmutrace_open_attrs(&e, attrs, NULL, 24, false, NULL, NULL, &why))
		skip_because("pmu: %s", why.text);
	assert_int_equal(pmutrace_enable(e), 0);
	for (volatile int i = 0; i < 100000000; i++)
		;
	assert_int_equal(pmutrace_disable(e), 0);
	assert_int_equal(pmutrace_read(e, counts), 0);
	for (int i = 0; i < 24; i++) {
		if (counts[i].state != PMUTRACE_MULTIPLEXED)
			continue;
		any = true;
		assert_true(counts[i].running_ns < counts[i].enabled_ns);
		assert_int_equal(
			counts[i].value,
			pmutrace_scale(counts[i].raw, counts[i].enabled_ns, counts[i].running_ns));
	}
	assert_true(any);
	pmutrace_close(e);
}

/* As the kernel tells them of each descriptor; in a sum over places there are several. */
static void counts_have_the_ids_of_their_events(void **state)
{
	struct pmutrace_target cpus = { .kind = PMUTRACE_CPUS };
	struct pmutrace_events *e = open_self("{page-faults,dummy},task-clock");
	struct pmutrace_count counts[3], measured[3];
	uint64_t id;

	assert_int_equal(pmutrace_read(e, counts), 0);
	assert_int_equal(pmutrace_measure(e, nothing, NULL, measured), 0);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(ioctl(pmutrace_fd(e, i, 0), PERF_EVENT_IOC_ID, &id), 0);
		assert_int_equal(counts[i].id, id);
		assert_int_equal(measured[i].id, id);
		assert_int_equal(pmutrace_find(e, id), i);
	}
	pmutrace_close(e);
	e = open_self("task-clock");
	assert_int_equal(ioctl(pmutrace_fd(e, 0, 0), PERF_EVENT_IOC_ID, &id), 0);
	assert_int_equal(pmutrace_measure(e, nothing, NULL, measured), 0);
	assert_int_equal(measured[0].id, id);
	pmutrace_close(e);
	e = open_with("cpu-clock", &cpus, NULL);
	if (pmutrace_nr_places(e) > 1) {
		assert_int_equal(pmutrace_read(e, counts), 0);
		assert_int_equal(counts[0].id, 0);
	}
	assert_int_equal(pmutrace_read_place(e, 0, counts), 0);
	assert_int_equal(ioctl(pmutrace_fd(e, 0, 0), PERF_EVENT_IOC_ID, &id), 0);
	assert_int_equal(counts[0].id, id);
	pmutrace_close(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_calls_are_counted_exactly),
		cmocka_unit_test(the_overhead_is_subtracted_and_told),
		cmocka_unit_test(fresh_pages_are_page_faults),
		cmocka_unit_test(stores_hit_a_breakpoint),
		cmocka_unit_test(execution_breakpoints_count_calls),
		cmocka_unit_test(sleeps_are_context_switches),
		cmocka_unit_test(groups_are_read_at_once_and_labelled),
		cmocka_unit_test(a_clock_at_the_end_of_a_group_counts_each_time),
		cmocka_unit_test(values_stand_still_while_disabled_and_are_reset),
		cmocka_unit_test(measuring_goes_on_after_other_controls),
		cmocka_unit_test(scaling_is_exact),
		cmocka_unit_test(what_was_counted_for_a_part_of_the_time_is_scaled),
		cmocka_unit_test(the_affinity_is_left_alone),
		cmocka_unit_test(a_filter_chooses),
		cmocka_unit_test(a_multiplexed_hardware_event_is_scaled),
		cmocka_unit_test(counts_have_the_ids_of_their_events),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
