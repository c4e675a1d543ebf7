// SPDX-License-Identifier: BSD-2-Clause
#include "pmutrace_fixture.h"

#include <linux/hw_breakpoint.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
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

	if (pmutrace_open_attrs(&e, &attr, NULL, 1, false, NULL, NULL, &why))
		skip_because("breakpoints: %s", why.text);
	assert_int_equal(strncmp(pmutrace_label(e, 0), "breakpoint 0x", 13), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pmutrace_measure(e, store, &n, &count), 0);
		assert_int_equal(count.value, 1);
	}
	pmutrace_close(e);
}

static void sleep_often(void *arg)
{
	struct timespec ms = { 0, 1000000 };

	for (int i = 0; i < *(int *)arg; i++)
		nanosleep(&ms, NULL);
}

static void sleeps_are_context_switches(void **state)
{
	struct pmutrace_events *e = open_self("context-switches");
	struct pmutrace_count count;
	int n = 10;

	assert_int_equal(pmutrace_measure(e, sleep_often, &n, &count), 0);
	assert_true(count.value >= 10);
	assert_true(count.value < 1000);
	pmutrace_close(e);
}

static void what_would_read_0_without_the_kernel_is_refused(void **state)
{
	static const char *const specs[] = { "context-switches:u", "cs:u", "cpu-migrations:u",
					     "{page-faults:u,context-switches:u}" };
	struct perf_event_attr attr = { .exclude_kernel = 1 };
	struct pmutrace_options options = { .size = sizeof(options), .attr = &attr };
	struct pmutrace_events *e;
	struct pmutrace_error why;
	size_t before = nr_fds();

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
	assert_int_equal(nr_fds(), before);
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
	size_t before = nr_fds();

	if (pmutrace_open_attrs(&e, attrs, NULL, 3, false, NULL, NULL, &why))
		skip_because("perf: %s", why.text);
	assert_int_equal(nr_fds(), before + 2);
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
	assert_int_equal(nr_fds(), before);

	assert_int_equal(pmutrace_open_attrs(&e, attrs, NULL, 3, false, NULL, &all, &why), -ENOENT);
	assert_null(e);
	assert_non_null(strstr(why.text, "type 4242"));
	assert_int_equal(nr_fds(), before);
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
	size_t before = nr_fds();

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
	assert_int_equal(nr_fds(), before);
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

struct helper {
	pthread_barrier_t ready, go, done;
	int n;
};

static void *help(void *arg)
{
	struct helper *h = arg;

	pthread_barrier_wait(&h->ready);
	pthread_barrier_wait(&h->go);
	getpids(&h->n);
	pthread_barrier_wait(&h->done);
	return NULL;
}

static void *call_now(void *arg)
{
	getpids(arg);
	return NULL;
}

static void a_process_is_all_its_threads_and_those_to_come(void **state)
{
	struct pmutrace_target process = { .kind = PMUTRACE_PROCESS };
	struct pmutrace_options inherit = { .size = sizeof(inherit), .inherit = true };
	struct pmutrace_count all, mine;
	struct pmutrace_events *e, *self;
	struct helper h = { .n = 11 };
	pthread_t there, later;
	int n = 5;

	need_tracefs();
	pthread_barrier_init(&h.ready, NULL, 2);
	pthread_barrier_init(&h.go, NULL, 2);
	pthread_barrier_init(&h.done, NULL, 2);
	assert_int_equal(pthread_create(&there, NULL, help, &h), 0);
	pthread_barrier_wait(&h.ready);

	e = open_with("syscalls:sys_enter_getpid", &process, &inherit);
	self = open_self("syscalls:sys_enter_getpid");
	assert_true(pmutrace_nr_places(e) >= 2);
	assert_int_equal(pmutrace_enable(e), 0);
	assert_int_equal(pmutrace_enable(self), 0);
	getpids(&n);
	pthread_barrier_wait(&h.go);
	pthread_barrier_wait(&h.done);
	assert_int_equal(pthread_create(&later, NULL, call_now, &n), 0);
	pthread_join(later, NULL);
	pthread_join(there, NULL);
	assert_int_equal(pmutrace_read(e, &all), 0);
	assert_int_equal(pmutrace_read(self, &mine), 0);
	assert_int_equal(all.value, 5 + 11 + 5);
	assert_int_equal(mine.value, 5);
	pmutrace_close(e);
	pmutrace_close(self);
}

static void places_are_told_and_add_up(void **state)
{
	struct pmutrace_target cpus = { .kind = PMUTRACE_CPUS };
	struct pmutrace_events *e = open_with("cpu-clock", &cpus, NULL);
	size_t nr = pmutrace_nr_places(e);
	struct pmutrace_place place;
	struct pmutrace_count one, sum;
	uint64_t value = 0;

	assert_int_equal(nr, sysconf(_SC_NPROCESSORS_ONLN));
	assert_int_equal(pmutrace_enable(e), 0);
	usleep(2000);
	assert_int_equal(pmutrace_disable(e), 0);
	for (size_t i = 0; i < nr; i++) {
		assert_int_equal(pmutrace_place(e, i, &place), 0);
		assert_int_equal(place.pid, -1);
		assert_true(place.cpu >= 0);
		assert_int_equal(pmutrace_read_place(e, i, &one), 0);
		value += one.value;
	}
	assert_int_equal(pmutrace_place(e, nr, &place), -ERANGE);
	assert_int_equal(pmutrace_read_place(e, nr, &one), -ERANGE);
	assert_int_equal(pmutrace_read(e, &sum), 0);
	assert_int_equal(sum.value, value);
	assert_true(value > 0);
	pmutrace_close(e);
}

static void a_thread_on_a_list_of_cpus_has_a_place_for_each(void **state)
{
	struct pmutrace_target self = { .kind = PMUTRACE_SELF, .cpus = "0" };
	struct pmutrace_events *e = open_with("page-faults", &self, NULL);
	struct pmutrace_place place;

	assert_int_equal(pmutrace_nr_places(e), 1);
	assert_int_equal(pmutrace_place(e, 0, &place), 0);
	assert_int_equal(place.pid, 0);
	assert_int_equal(place.cpu, 0);
	pmutrace_close(e);
}

/* Mount point of cgroup2, or a skipped test. */
static void find_cgroup2(char *path, size_t size)
{
	FILE *f = fopen("/proc/mounts", "r");
	char line[1024], type[64] = "";

	assert_non_null(f);
	assert_true(size >= 1024);
	while (strcmp(type, "cgroup2") && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %1023s %63s", path, type) != 2)
			type[0] = '\0';
	fclose(f);
	if (strcmp(type, "cgroup2"))
		skip_because("cgroup: no cgroup2 is mounted");
}

/* A child that waits for its input to end, then calls n times. */
static pid_t start_caller(int n, int *go)
{
	int ends[2];
	char c;
	pid_t pid;

	assert_int_equal(pipe(ends), 0);
	pid = fork();
	if (!pid) {
		close(ends[1]);
		while (read(ends[0], &c, 1) > 0)
			;
		getpids(&n);
		_exit(0);
	}
	close(ends[0]);
	*go = ends[1];
	return pid;
}

static void a_cgroup_is_its_tasks_and_no_others(void **state)
{
	char mount_point[1024], name[64], path[2048];
	struct pmutrace_target target = { .kind = PMUTRACE_CGROUP, .cgroup = name };
	struct pmutrace_count count;
	struct pmutrace_error why;
	struct pmutrace_events *e;
	size_t before;
	int go, n = 40, err;
	pid_t pid;
	FILE *f;

	need_tracefs();
	find_cgroup2(mount_point, sizeof(mount_point));
	before = nr_fds();
	snprintf(name, sizeof(name), "pmutrace-test-%d", getpid());
	snprintf(path, sizeof(path), "%s/%s/cgroup.procs", mount_point, name);
	*strrchr(path, '/') = '\0';
	if (mkdir(path, 0755))
		skip_because("cgroup: mkdir %s: %s", path, strerror(errno));
	pid = start_caller(25, &go);
	err = pmutrace_open(&e, "syscalls:sys_enter_getpid", &target, NULL, &why);
	path[strlen(path)] = '/';
	f = fopen(path, "w");
	if (f) {
		fprintf(f, "%d", (int)pid);
		fclose(f);
	}
	if (!err)
		err = pmutrace_enable(e);
	getpids(&n);
	close(go);
	waitpid(pid, NULL, 0);
	if (!err)
		err = pmutrace_read(e, &count);
	*strrchr(path, '/') = '\0';
	rmdir(path);
	if (err)
		fail_msg("%s", why.text);
	assert_int_equal(count.value, 25);
	pmutrace_close(e);
	assert_int_equal(nr_fds(), before);
}

static void what_is_no_cgroup_is_told(void **state)
{
	struct pmutrace_target target = { .kind = PMUTRACE_CGROUP, .cgroup = "/proc" };
	struct pmutrace_error why;
	struct pmutrace_events *e;
	size_t before = nr_fds();

	if (geteuid())
		skip_because("root: cgroups of others");
	assert_int_equal(pmutrace_open(&e, "page-faults", &target, NULL, &why), -EBADF);
	assert_non_null(strstr(why.text, "'/proc' is no cgroup"));
	assert_int_equal(nr_fds(), before);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(system_calls_are_counted_exactly),
		cmocka_unit_test(the_overhead_is_subtracted_and_told),
		cmocka_unit_test(fresh_pages_are_page_faults),
		cmocka_unit_test(stores_hit_a_breakpoint),
		cmocka_unit_test(execution_breakpoints_count_calls),
		cmocka_unit_test(sleeps_are_context_switches),
		cmocka_unit_test(what_would_read_0_without_the_kernel_is_refused),
		cmocka_unit_test(the_system_calls_of_user_mode_are_not_refused),
		cmocka_unit_test(groups_are_read_at_once_and_labelled),
		cmocka_unit_test(a_clock_at_the_end_of_a_group_counts_each_time),
		cmocka_unit_test(values_stand_still_while_disabled_and_are_reset),
		cmocka_unit_test(measuring_goes_on_after_other_controls),
		cmocka_unit_test(scaling_is_exact),
		cmocka_unit_test(one_event_that_fails_leaves_the_rest),
		cmocka_unit_test(nothing_opened_is_an_error),
		cmocka_unit_test(failing_opens_leak_nothing),
		cmocka_unit_test(labels_are_made_from_attrs),
		cmocka_unit_test(members_of_groups_keep_what_they_exclude),
		cmocka_unit_test(units_and_ids_are_told),
		cmocka_unit_test(the_affinity_is_left_alone),
		cmocka_unit_test(a_process_is_all_its_threads_and_those_to_come),
		cmocka_unit_test(places_are_told_and_add_up),
		cmocka_unit_test(a_thread_on_a_list_of_cpus_has_a_place_for_each),
		cmocka_unit_test(a_cgroup_is_its_tasks_and_no_others),
		cmocka_unit_test(what_is_no_cgroup_is_told),
		cmocka_unit_test(a_filter_chooses),
		cmocka_unit_test(a_multiplexed_hardware_event_is_scaled),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
