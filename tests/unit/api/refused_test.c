// SPDX-License-Identifier: BSD-2-Clause
/*
 * What kernels and PMUs refuse that are not here: the linker hands perf_event_open(2) to a kernel
 * of ours (--wrap=syscall), which answers as a real one does or opens an event that never counts.
 */
#include "pmutrace_fixture.h"
#include "descriptors.h"

#include <grp.h>
#include <linux/capability.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "machine/target.h"
#include "perf/counters.h"
#include "perf/open.h"
#include "stat/counting.h"
#include "stat/counting_why.h"

long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, ...);
long __real_perf_sysctl(const char *name, long fallback);
long __wrap_perf_sysctl(const char *name, long fallback);

/* The kernel of a test: 0, or the -errno it answers with. NULL: the one there is. */
static int (*answer)(const struct perf_event_attr *attr, int group_fd);
static uint32_t type_of[1024]; /* by descriptor */
static size_t nr_in_group[1024];
static struct perf_event_attr asked_for[16]; /* in order */
static size_t nr_asked;
static long paranoid = -1; /* -1: as it is */
static int pmu_cpu = -1;   /* where a PMU's events are: a thread elsewhere is not counted */

static long open_idle(const struct perf_event_attr *attr, int group_fd, unsigned long flags)
{
	struct perf_event_attr idle = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(idle),
		.config = PERF_COUNT_SW_DUMMY,
		.read_format = attr->read_format,
		.disabled = attr->disabled,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	int err = answer(attr, group_fd);
	long fd;

	if (nr_asked < ARRAY_SIZE(asked_for))
		asked_for[nr_asked++] = *attr;

	if (err) {
		errno = -err;
		return -1;
	}
	fd = __real_syscall(SYS_perf_event_open, &idle, 0,
			    attr->type == PERF_TYPE_HARDWARE ? pmu_cpu : -1, group_fd,
			    flags & PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0 && fd < 1024) {
		type_of[fd] = attr->type;
		nr_in_group[fd] = 1;
	}
	if (fd >= 0 && group_fd >= 0)
		nr_in_group[group_fd]++;
	return fd;
}

/* Six words, as syscall(2) itself takes them whatever there are. */
long __wrap_syscall(long nr, ...)
{
	long a[6];
	va_list args;

	va_start(args, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (nr == SYS_perf_event_open && answer)
		return open_idle((const struct perf_event_attr *)a[0], (int)a[3],
				 (unsigned long)a[4]);
	return __real_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

long __wrap_perf_sysctl(const char *name, long fallback)
{
	if (paranoid >= 0 && !strcmp(name, "perf_event_paranoid"))
		return paranoid;
	return __real_perf_sysctl(name, fallback);
}

static int back_to_the_real_one(void **state)
{
	answer = NULL;
	nr_asked = 0;
	paranoid = pmu_cpu = -1;
	return 0;
}

/* From here to the end of the test. What it opens instead takes a permission, too. */
static void run_on(int (*kernel)(const struct perf_event_attr *attr, int group_fd))
{
	struct pmutrace_error why;

	answer = NULL;
	if (pmutrace_supported("dummy:u", &why))
		skip_because("perf: %s", why.text);
	answer = kernel;
}

static int takes_all(const struct perf_event_attr *attr, int group_fd)
{
	return 0;
}

/* Of each member of a group, not of its leader alone. */
static void what_events_exclude_gets_to_the_kernel(void **state)
{
	struct pmutrace_events *e;

	run_on(takes_all);
	e = open_self("{cycles,instructions:u,branches:k,branch-misses:I},cache-misses:u");
	assert_int_equal(nr_asked, 5);
	for (size_t i = 0; i < 5; i++) {
		assert_int_equal(asked_for[i].exclude_kernel, i == 1 || i == 4);
		assert_int_equal(asked_for[i].exclude_hv, i == 1 || i == 2 || i == 4);
		assert_int_equal(asked_for[i].exclude_user, i == 2);
		assert_int_equal(asked_for[i].exclude_idle, i == 3);
	}
	pmutrace_close(e);
}

/* ---- A PMU whose counters others have: a thread's event is enabled, and does not run -----------
 */

static cpu_set_t at_start;

static void stay_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static int run_anywhere(void **state)
{
	sched_setaffinity(0, sizeof(at_start), &at_start);
	return back_to_the_real_one(state);
}

static uint64_t time_ns(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/*
 * Of the thread's own time. To an event it is there for about so long or, where a hypervisor takes
 * some of it, for longer.
 */
static void burn(uint64_t ns)
{
	uint64_t start_ns = time_ns(CLOCK_THREAD_CPUTIME_ID);

	while (time_ns(CLOCK_THREAD_CPUTIME_ID) - start_ns < ns)
		;
}

static void lend_the_pmu(void)
{
	if (sched_getaffinity(0, sizeof(at_start), &at_start) || !CPU_ISSET(0, &at_start) ||
	    !CPU_ISSET(1, &at_start))
		skip_because("cpus: this process may not run on CPUs 0 and 1");
	stay_on(0);
	pmu_cpu = 1;
	run_on(takes_all);
}

/* What was not counted is known by the time that the thread was there, without the pause. */
static void a_pause_is_not_in_the_time_on_a_cpu(void **state)
{
	const struct pmutrace_target here = { .kind = PMUTRACE_SELF, .cpus = "0" };
	uint64_t start_ns, pause_ns;
	struct pmutrace_count count;
	struct pmutrace_events *e;

	lend_the_pmu();
	e = open_with("cycles", &here, NULL);
	start_ns = time_ns(CLOCK_MONOTONIC);
	assert_int_equal(pmutrace_enable(e), 0);
	burn(5000000);
	assert_int_equal(pmutrace_disable(e), 0);
	pause_ns = time_ns(CLOCK_MONOTONIC);
	burn(20000000);
	pause_ns = time_ns(CLOCK_MONOTONIC) - pause_ns;
	assert_int_equal(pmutrace_enable(e), 0);
	burn(10000000);
	assert_int_equal(pmutrace_disable(e), 0);
	assert_int_equal(pmutrace_read(e, &count), 0);
	assert_in_range(count.enabled_ns, 14000000, time_ns(CLOCK_MONOTONIC) - start_ns - pause_ns);
	assert_int_equal(count.running_ns, 0);
	assert_int_equal(count.state, PMUTRACE_NOT_COUNTED);
	pmutrace_close(e);
}

static void a_run_has_the_time_on_its_cpus(void **state)
{
	struct perf_events events = {};
	struct target target = {};
	const struct counting_opts opts = { .events = &events, .target = &target };
	const struct event_count *cycles;
	struct counting *c;
	struct buf why = {};
	uint64_t start_ns;
	char tid[16];

	lend_the_pmu();
	snprintf(tid, sizeof(tid), "%d", gettid());
	assert_int_equal(perf_events__parse(&events, NULL, "cycles", &why), 0);
	assert_int_equal(target__add_tids(&target, tid, &why), 0);
	assert_int_equal(target__add_cpus(&target, "0", &why), 0);
	assert_int_equal(target__finish(&target, &why), 0);
	assert_int_equal(counting__open(&c, &opts, &why), 0);
	start_ns = time_ns(CLOCK_MONOTONIC);
	assert_int_equal(counting__start(c), 0);
	burn(5000000);
	assert_int_equal(counting__stop(c), 0);
	assert_int_equal(counting__read(c, false), 0);
	cycles = counting__counts(c)->totals;
	assert_in_range(cycles->enabled_ns, 4500000, time_ns(CLOCK_MONOTONIC) - start_ns);
	assert_int_equal(cycles->running_ns, 0);
	counting__close(c);
	target__free(&target);
	perf_events__free(&events);
	buf__free(&why);
}

/* ---- Precise addresses: x86_pmu_hw_config() and its like --------------------------------------
 */

static unsigned most_precise;
static int too_precise;

static int is_imprecise(const struct perf_event_attr *attr, int group_fd)
{
	return attr->precise_ip > most_precise ? too_precise : 0;
}

static const int too_precise_errors[] = { -EOPNOTSUPP, -EINVAL, -ENOENT };

/* Down to what the PMU has, and told; whatever is said to what it has not. */
static void the_most_precise_is_found_step_by_step(void **state)
{
	run_on(is_imprecise);
	for (size_t i = 0; i < ARRAY_SIZE(too_precise_errors); i++) {
		too_precise = too_precise_errors[i];
		for (most_precise = 0; most_precise <= 3; most_precise++) {
			struct pmutrace_events *e = open_self("cycles:P,instructions:u,r1a:uP");

			assert_int_equal(pmutrace_attr(e, 0)->precise_ip, most_precise);
			assert_int_equal(pmutrace_attr(e, 1)->precise_ip, 0);
			assert_int_equal(pmutrace_attr(e, 2)->precise_ip, most_precise);
			assert_string_equal(pmutrace_label(e, 0), "cycles:P");
			pmutrace_close(e);
		}
	}
}

/* All four: another library made 0 and 1 of 2 and 3. */
static void each_level_gets_to_the_kernel(void **state)
{
	struct pmutrace_events *e;

	run_on(takes_all);
	e = open_self("cycles,cycles:p,cycles:pp,cycles:ppp,cycles:P");
	assert_int_equal(nr_asked, 5);
	for (unsigned int i = 0; i < 5; i++)
		assert_int_equal(asked_for[i].precise_ip, i < 4 ? i : 3);
	pmutrace_close(e);
}

/* A level that is asked for is that or nothing. */
static void a_level_the_pmu_has_not_is_refused(void **state)
{
	size_t before = nr_open();
	struct pmutrace_events *e;
	struct pmutrace_error why;

	run_on(is_imprecise);
	most_precise = 1;
	for (size_t i = 0; i < ARRAY_SIZE(too_precise_errors); i++) {
		too_precise = too_precise_errors[i];
		assert_int_equal(pmutrace_open(&e, "cycles:pp", NULL, NULL, &why), too_precise);
		assert_string_equal(why.text, "'cycles:pp': this CPU tells no addresses that "
					      "precise for it; leave out the p");
		e = open_self("cycles:p");
		assert_int_equal(pmutrace_attr(e, 0)->precise_ip, 1);
		pmutrace_close(e);
		/* The others are left as they are. */
		e = open_self("instructions,cycles:ppp");
		assert_int_equal(pmutrace_open_error(e, 0, &why), 0);
		assert_int_equal(pmutrace_open_error(e, 1, &why), too_precise);
		assert_non_null(strstr(why.text, "leave out the p"));
		pmutrace_close(e);
	}
	assert_int_equal(nr_open(), before);
}

static int has_no_such_event(const struct perf_event_attr *attr, int group_fd)
{
	return -ENOENT;
}

/* Not for want of precision. */
static void an_event_that_is_nowhere_is_told_as_such(void **state)
{
	struct pmutrace_events *e;
	struct pmutrace_error why;

	run_on(has_no_such_event);
	assert_int_equal(pmutrace_open(&e, "cycles:P", NULL, NULL, &why), -ENOENT);
	assert_non_null(strstr(why.text, "this machine cannot count 'cycles:P'"));
	assert_int_equal(pmutrace_open(&e, "cycles:pp", NULL, NULL, &why), -ENOENT);
	assert_non_null(strstr(why.text, "this machine cannot count 'cycles:pp'"));
}

static int does_not_sample(const struct perf_event_attr *attr, int group_fd)
{
	return attr->sample_period ? -EOPNOTSUPP : 0;
}

static int does_not_inherit(const struct perf_event_attr *attr, int group_fd)
{
	return attr->inherit ? -EINVAL : 0;
}

static int has_no_raw_events(const struct perf_event_attr *attr, int group_fd)
{
	return attr->type == PERF_TYPE_RAW ? -EINVAL : 0;
}

static int has_no_files_left(const struct perf_event_attr *attr, int group_fd)
{
	return attr->type == PERF_TYPE_RAW ? -EMFILE : 0;
}

/* A program has no command line: nothing in a sentence begins with a '-', or is of pmutrace(1). */
static void assert_told(const char *spec, const struct pmutrace_options *options, int expected,
			const char *text)
{
	struct pmutrace_error why;
	struct pmutrace_events *e;

	assert_int_equal(pmutrace_open(&e, spec, NULL, options, &why), expected);
	if (!strstr(why.text, text))
		fail_msg("'%s' should say '%s'", why.text, text);
	assert_null(strstr(why.text, " -"));
	assert_null(strstr(why.text, "'pmutrace "));
}

static void programs_are_told_of_fields_and_functions(void **state)
{
	struct pmutrace_options inherit = { .size = sizeof(inherit), .inherit = true };

	run_on(does_not_sample);
	assert_told("cycles@1000", NULL, -EOPNOTSUPP, "leave out its rate: @.. in the spec");
	run_on(does_not_inherit);
	assert_told("cycles", &inherit, -EINVAL, "leave out options.inherit");
	run_on(has_no_raw_events);
	assert_told("r1b0", NULL, -EINVAL, "pmutrace_for_each_pmu_event() lists");
	run_on(has_no_files_left);
	assert_told("r1b0", NULL, -EMFILE, "raise the hard limit of RLIMIT_NOFILE to");
	assert_told("qwertyuiop", NULL, -EINVAL, "pmutrace_for_each_event(), ");
	assert_told("", NULL, -EINVAL, "pmutrace_for_each_event(), ");
}

/* ---- Groups -----------------------------------------------------------------------------------
 */

/* perf_event_open(): "Can't group CPU events of different PMUs" */
static int keeps_pmus_apart(const struct perf_event_attr *attr, int group_fd)
{
	return group_fd >= 0 && type_of[group_fd] != attr->type ? -EINVAL : 0;
}

/* validate_group() of a PMU with two counters. */
static int has_two_counters(const struct perf_event_attr *attr, int group_fd)
{
	return group_fd >= 0 && nr_in_group[group_fd] >= 2 ? -EINVAL : 0;
}

/* What the commands say of it. */
static void assert_command_says(const char *spec, size_t event, int err, const char *text)
{
	const struct counter_place here = { .cpu = -1, .cgroup_fd = -1 };
	struct perf_events events = {};
	struct counters_opts opts = { .events = &events, .places = &here, .nr_places = 1 };
	struct counting_why w = { .events = &events };
	struct counters *c;
	struct buf why = {};

	assert_int_equal(perf_events__parse(&events, NULL, spec, &why), 0);
	assert_int_equal(counters__open(&c, &opts, &why), 0);
	w.counters = c;
	assert_int_equal(counters__error(c, event), err);
	assert_int_equal(counting_why__nowhere(&w, event, &why), 0);
	if (!strstr(why.data, text))
		fail_msg("'%s' should say '%s'", why.data, text);
	counters__close(c);
	perf_events__free(&events);
	buf__free(&why);
}

static void members_of_two_pmus_are_no_group(void **state)
{
	size_t before = nr_open();
	struct pmutrace_options all = { .size = sizeof(all), .all = true };
	struct pmutrace_count counts[3];
	struct pmutrace_events *e;
	struct pmutrace_error why;

	run_on(keeps_pmus_apart);
	e = open_self("{cycles,r1b0,instructions}");
	assert_int_equal(pmutrace_open_error(e, 0, &why), 0);
	assert_int_equal(pmutrace_open_error(e, 1, &why), -EXDEV);
	assert_string_equal(why.text, "'r1b0' does not go with the others of its group: it is of "
				      "another PMU, or needs the same counter; leave it out of "
				      "the group");
	assert_int_equal(pmutrace_open_error(e, 2, &why), 0);
	/* The values of the two others are theirs. */
	assert_int_equal(pmutrace_measure(e, nothing, NULL, counts), 0);
	assert_int_equal(counts[0].state, PMUTRACE_COUNTED);
	assert_int_equal(counts[1].state, PMUTRACE_NOT_OPEN);
	assert_int_equal(counts[2].state, PMUTRACE_COUNTED);
	pmutrace_close(e);
	assert_int_equal(pmutrace_open(&e, "{cycles,r1b0}", NULL, &all, &why), -EXDEV);
	assert_non_null(strstr(why.text, "another PMU"));
	assert_command_says("{cycles,r1b0}", 1, -EXDEV,
			    "does not go with the others of its group: it is of another PMU");
	assert_int_equal(nr_open(), before);
}

/* Whole or not at all: two of three would be another group. */
static void a_group_that_is_too_large_is_left_out_whole(void **state)
{
	size_t before = nr_open();
	struct pmutrace_events *e;
	struct pmutrace_error why;

	run_on(has_two_counters);
	assert_int_equal(pmutrace_open(&e, "{cycles,instructions,branches}", NULL, NULL, &why),
			 -ENOSPC);
	assert_string_equal(why.text, "the group of 'cycles' needs more counters than the PMU has, "
				      "which are enough for the first 2; make it smaller");
	e = open_self("{cycles,instructions,branches},branch-misses");
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pmutrace_open_error(e, i, NULL), -ENOSPC);
	assert_int_equal(pmutrace_open_error(e, 3, NULL), 0);
	pmutrace_close(e);
	e = open_self("{cycles,instructions},branches");
	for (size_t i = 0; i < 3; i++)
		assert_int_equal(pmutrace_open_error(e, i, NULL), 0);
	pmutrace_close(e);
	assert_command_says("{cycles,instructions,branches}", 2, -ENOSPC,
			    "its group of 3 needs more counters than the PMU has, which are "
			    "enough for the first 2");
	assert_int_equal(nr_open(), before);
}

/* ---- Permissions ------------------------------------------------------------------------------
 */

/* Debian's and Ubuntu's perf_paranoid_any(): it is the first question, whatever is to be opened. */
static int permits_nothing(const struct perf_event_attr *attr, int group_fd)
{
	return -EACCES;
}

/* In a child that is nobody and has the capabilities of @mask. True if @fn says so. */
static bool as_nobody(bool (*fn)(void), uint64_t mask)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[2] = {
		{ .effective = (uint32_t)mask, .permitted = (uint32_t)mask },
		{ .effective = (uint32_t)(mask >> 32), .permitted = (uint32_t)(mask >> 32) },
	};
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (!getuid() &&
		    (prctl(PR_SET_KEEPCAPS, 1) || setgroups(0, NULL) ||
		     setresuid(65534, 65534, 65534) || syscall(SYS_capset, &head, caps)))
			_exit(2);
		_exit(!fn());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return !status;
}

static bool says(const char *text)
{
	struct pmutrace_options user_only = { .size = sizeof(user_only), .user_only = true };
	const struct pmutrace_options *both[] = { NULL, &user_only };
	struct pmutrace_events *e;
	struct pmutrace_error why;

	for (size_t i = 0; i < 2; i++) {
		int err = pmutrace_open(&e, "page-faults", NULL, both[i], &why);

		if (err == -EACCES && !strcmp(why.text, text))
			continue;
		print_message("%d: '%s' should be '%s'\n", err, why.text, text);
		return false;
	}
	return true;
}

static bool levels_above_2_are_told(void)
{
	bool ok;

	paranoid = 3;
	ok = says("no permission for 'page-faults': kernel.perf_event_paranoid is 3, and above 2 "
		  "everything needs CAP_SYS_ADMIN (Debian, Ubuntu); run as root, or set it to 2");
	paranoid = 4;
	return ok && says("no permission for 'page-faults': kernel.perf_event_paranoid is 4, and "
			  "above 2 everything needs CAP_SYS_ADMIN (Debian, Ubuntu); run as root, "
			  "or set it to 2");
}

static bool level_2_is_told(void)
{
	paranoid = 2;
	return says("no permission for 'page-faults' (kernel.perf_event_paranoid is 2): run as "
		    "root, or with CAP_PERFMON");
}

static void levels_of_debian_and_ubuntu_are_told(void **state)
{
	answer = permits_nothing;
	assert_true(as_nobody(levels_above_2_are_told, 0));
	assert_true(as_nobody(level_2_is_told, 0));
}

/* Nor is its owner told that root was refused, too. */
static void cap_perfmon_does_not_help_there(void **state)
{
	if (geteuid())
		skip_because("root: hands out a capability");
	answer = permits_nothing;
	assert_true(as_nobody(levels_above_2_are_told, 1ull << 38)); /* CAP_PERFMON: 5.8 */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, back_to_the_real_one)
	const struct CMUnitTest tests[] = {
		TEST(what_events_exclude_gets_to_the_kernel),
		cmocka_unit_test_teardown(a_pause_is_not_in_the_time_on_a_cpu, run_anywhere),
		cmocka_unit_test_teardown(a_run_has_the_time_on_its_cpus, run_anywhere),
		TEST(the_most_precise_is_found_step_by_step),
		TEST(each_level_gets_to_the_kernel),
		TEST(a_level_the_pmu_has_not_is_refused),
		TEST(an_event_that_is_nowhere_is_told_as_such),
		TEST(programs_are_told_of_fields_and_functions),
		TEST(members_of_two_pmus_are_no_group),
		TEST(a_group_that_is_too_large_is_left_out_whole),
		TEST(levels_of_debian_and_ubuntu_are_told),
		TEST(cap_perfmon_does_not_help_there),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
