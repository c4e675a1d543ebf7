// SPDX-License-Identifier: BSD-2-Clause
/* What is given with an opening gets to every event, and to the kernel. */
#include "pmutrace_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <time.h>

#include "base/array.h"

/* All in one call: none can come too late, wherever its event is in the list. */
static void options_are_those_of_all_events(void **state)
{
	struct perf_event_attr attr = {
		.exclude_idle = 1, .exclude_hv = 1, .clockid = CLOCK_BOOTTIME, .use_clockid = 1
	};
	struct pmutrace_options options = { .size = sizeof(options), .attr = &attr };
	struct pmutrace_events *e =
		open_with("dummy,{page-faults:u,minor-faults},major-faults:I", NULL, &options);

	for (size_t i = 0; i < 4; i++) {
		const struct perf_event_attr *a = pmutrace_attr(e, i);

		assert_int_equal(a->exclude_idle, 1);
		assert_int_equal(a->exclude_hv, 1);
		assert_int_equal(a->use_clockid, 1);
		assert_int_equal(a->clockid, CLOCK_BOOTTIME);
		assert_int_equal(a->exclude_kernel, i == 1); /* its own stays its own */
	}
	pmutrace_close(e);
}

static void *call_in_thread(void *arg)
{
	getpids(arg);
	return NULL;
}

/* The last one says so, and the first one counts so. */
static void what_one_attr_inherits_all_inherit(void **state)
{
	struct perf_event_attr attrs[] = {
		{ .type = PERF_TYPE_TRACEPOINT },
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .inherit = 1 },
	};
	struct pmutrace_count counts[2];
	struct pmutrace_events *e;
	struct pmutrace_error why;
	int n = 12, err;
	pthread_t t;
	uint32_t id;

	need_tracefs();
	assert_int_equal(pmutrace_tracepoint_id("syscalls", "sys_enter_getpid", &id, &why), 0);
	attrs[0].config = id;
	err = pmutrace_open_attrs(&e, attrs, NULL, 2, false, NULL, NULL, &why);
	if (err == -EACCES || err == -EPERM)
		skip_because("perf: %s", why.text);
	assert_int_equal(err, 0);
	assert_int_equal(pmutrace_enable(e), 0);
	assert_int_equal(pthread_create(&t, NULL, call_in_thread, &n), 0);
	pthread_join(t, NULL);
	assert_int_equal(pmutrace_read(e, counts), 0);
	assert_int_equal(counts[0].value, 12);
	pmutrace_close(e);
}

/* The word of flags behind read_format. */
static uint64_t *flags_of(struct perf_event_attr *attr)
{
	return (uint64_t *)((char *)attr + offsetof(struct perf_event_attr, read_format) + 8);
}

static int open_plainly(const struct perf_event_attr *attr)
{
	int fd = (int)syscall(SYS_perf_event_open, attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd < 0 ? -errno : 0;
}

/* Those that the header has no names for, too: later kernels know more of them. */
static void every_flag_the_kernel_takes_is_passed_on(void **state)
{
	struct pmutrace_error why;
	size_t nr_taken = 0;

	if (pmutrace_supported("dummy", &why))
		skip_because("perf: %s", why.text);
	for (unsigned int bit = 0; bit < 64; bit++) {
		struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
						.size = sizeof(attr),
						.config = PERF_COUNT_SW_DUMMY };
		struct pmutrace_options options = { .size = sizeof(options), .attr = &attr };
		struct perf_event_attr opened;
		struct pmutrace_events *e;
		int err;

		*flags_of(&attr) = 1ull << bit;
		err = open_plainly(&attr);
		assert_int_equal(pmutrace_open(&e, "dummy", NULL, &options, &why), err);
		if (err)
			continue;
		opened = *pmutrace_attr(e, 0);
		assert_int_equal(*flags_of(&opened) >> bit & 1, 1);
		pmutrace_close(e);
		nr_taken++;
	}
	assert_true(nr_taken >= 29); /* those of Linux 5.10 that a dummy may have alone */
}

static void every_field_is_passed_on(void **state)
{
	const struct perf_event_attr given = {
		.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
			       PERF_SAMPLE_STACK_USER | PERF_SAMPLE_REGS_INTR,
		.sample_regs_user = 1,
		.sample_regs_intr = 2,
		.sample_stack_user = 64,
		.sample_max_stack = 7,
		.wakeup_events = 3,
		.read_format = PERF_FORMAT_ID,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
	struct pmutrace_options options = { .size = sizeof(options), .attr = &given };
	struct pmutrace_events *e = open_with("dummy@5,page-faults@97hz", NULL, &options);

	for (size_t i = 0; i < 2; i++) {
		const struct perf_event_attr *a = pmutrace_attr(e, i);

		assert_int_equal(a->sample_type & given.sample_type, given.sample_type);
		assert_int_equal(a->sample_regs_user, 1);
		assert_int_equal(a->sample_regs_intr, 2);
		assert_int_equal(a->sample_stack_user, 64);
		assert_int_equal(a->sample_max_stack, 7);
		assert_int_equal(a->wakeup_events, 3);
		assert_int_equal(a->watermark, 0);
		assert_int_equal(a->read_format & PERF_FORMAT_ID, PERF_FORMAT_ID);
		assert_int_equal(a->clockid, CLOCK_MONOTONIC);
		assert_int_equal(a->freq, i);
		assert_int_equal(a->sample_period, i ? 97 : 5);
	}
	pmutrace_close(e);
}

static void descriptors_are_closed_by_exec(void **state)
{
	struct pmutrace_events *e = open_with("dummy@1,{page-faults,dummy}", NULL, NULL);
	struct pmutrace_error why;
	struct pmutrace_ring *r;
	size_t nr = 0;

	if (pmutrace_ring_open(&r, e, 1, &why))
		fail_msg("%s", why.text);
	for (size_t i = 0; i < 3; i++)
		assert_true(fcntl(pmutrace_fd(e, i, 0), F_GETFD) & FD_CLOEXEC);
	for (int fd; (fd = pmutrace_ring_fd(r, nr)) >= 0; nr++)
		assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
	assert_true(nr > 0);
	pmutrace_ring_close(r);
	pmutrace_close(e);
}

/* Not those of one that stands for all: the second event ran for a part of the time. */
static void each_event_has_its_own_times(void **state)
{
	struct pmutrace_events *e = open_self("task-clock,page-faults");
	struct pmutrace_count counts[2];
	uint64_t before;

	assert_int_equal(pmutrace_enable(e), 0);
	assert_int_equal(ioctl(pmutrace_fd(e, 1, 0), PERF_EVENT_IOC_DISABLE, 0), 0);
	assert_int_equal(pmutrace_read(e, counts), 0);
	before = counts[1].enabled_ns;
	assert_true(before > 0);
	for (volatile int i = 0; i < 1000000; i++)
		;
	assert_int_equal(pmutrace_read(e, counts), 0);
	assert_int_equal(counts[1].enabled_ns, before);
	assert_int_equal(counts[1].running_ns, before);
	assert_true(counts[0].enabled_ns > before + 100000);
	/* Nor is a value scaled by the times of another. */
	assert_int_equal(counts[0].value, counts[0].raw);
	assert_int_equal(counts[0].state, PMUTRACE_COUNTED);
	pmutrace_close(e);
}

/* The event is exchanged for a pipe: it cannot be read, and takes no ioctl of perf. */
static void errors_of_reads_and_controls_are_returned(void **state)
{
	struct pmutrace_events *e = open_self("page-faults,dummy");
	struct pmutrace_count counts[2];
	struct pmutrace_error why;
	int ends[2];

	assert_int_equal(pipe(ends), 0);
	assert_int_equal(dup2(ends[1], pmutrace_fd(e, 1, 0)), pmutrace_fd(e, 1, 0));
	assert_int_equal(pmutrace_read(e, counts), -EBADF);
	assert_int_equal(pmutrace_read_place(e, 0, counts), -EBADF);
	assert_int_equal(pmutrace_enable(e), -ENOTTY);
	assert_int_equal(pmutrace_disable(e), -ENOTTY);
	assert_int_equal(pmutrace_reset(e), -ENOTTY);
	assert_int_equal(pmutrace_measure(e, nothing, NULL, counts), -ENOTTY);
	assert_true(pmutrace_set_filter(e, 1, "x == 1", &why) < 0);
	assert_true(strlen(why.text) > 10);
	pmutrace_close(e);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(options_are_those_of_all_events),
		cmocka_unit_test(what_one_attr_inherits_all_inherit),
		cmocka_unit_test(every_flag_the_kernel_takes_is_passed_on),
		cmocka_unit_test(every_field_is_passed_on),
		cmocka_unit_test(descriptors_are_closed_by_exec),
		cmocka_unit_test(each_event_has_its_own_times),
		cmocka_unit_test(errors_of_reads_and_controls_are_returned),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
