// SPDX-License-Identifier: BSD-2-Clause
/* Counters of this thread, which nothing but the test makes count. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <grp.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "descriptors.h"

#include "perf/counters.h"
#include "perf/open.h"

static const struct counter_place here = { .pid = 0, .cpu = -1, .cgroup_fd = -1 };

struct fixture {
	struct perf_events events;
	struct counters *counters;
	struct buf why;
	int err;
};

static void open_at(struct fixture *f, const char *events, const struct counter_place *places,
		    size_t nr, bool inherit)
{
	struct counters_opts opts = {
		.events = &f->events, .places = places, .nr_places = nr, .inherit = inherit
	};

	*f = (struct fixture){};
	assert_int_equal(perf_events__parse(&f->events, NULL, events, &f->why), 0);
	f->err = counters__open(&f->counters, &opts, &f->why);
}

static void open_here(struct fixture *f, const char *events)
{
	open_at(f, events, &here, 1, false);
	assert_int_equal(f->err, 0);
}

static void close_all(struct fixture *f)
{
	counters__close(f->counters);
	perf_events__free(&f->events);
	buf__free(&f->why);
}

static void touch_pages(size_t n)
{
	size_t size = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, n * size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	assert_true(p != MAP_FAILED);
	madvise(p, n * size, MADV_NOHUGEPAGE);
	for (size_t i = 0; i < n; i++)
		((volatile char *)p)[i * size] = 1;
	munmap(p, n * size);
}

/* Page tables, and in a build with sanitizers their shadow of an eighth, have pages of their own.
 */
static void assert_faults(uint64_t n, uint64_t pages)
{
	assert_in_range(n, pages, pages + pages / 8 + 8);
}

static void pages_touched_are_faults_counted(void **state)
{
	struct counter_value v[2];
	struct fixture f;

	(void)state;
	open_here(&f, "page-faults,minor-faults");
	touch_pages(100); /* not enabled yet */
	assert_int_equal(counters__enable(f.counters), 0);
	touch_pages(321);
	assert_int_equal(counters__disable(f.counters), 0);
	touch_pages(100);
	assert_int_equal(counters__read(f.counters, 0, v), 0);
	assert_faults(v[0].value, 321);
	assert_faults(v[1].value, 321);
	assert_int_equal(v[0].enabled_ns, v[0].running_ns);
	assert_true(v[0].enabled_ns > 0);
	assert_int_equal(counters__reset(f.counters), 0);
	assert_int_equal(counters__read(f.counters, 0, v), 0);
	assert_int_equal(v[0].value, 0);
	close_all(&f);
}

static void a_group_has_one_time(void **state)
{
	struct counter_value v[3];
	struct fixture f;

	(void)state;
	open_here(&f, "{page-faults,minor-faults,major-faults}");
	assert_int_equal(counters__enable(f.counters), 0);
	touch_pages(50);
	assert_int_equal(counters__read(f.counters, 0, v), 0);
	assert_faults(v[0].value, 50);
	assert_int_equal(v[0].value, v[1].value + v[2].value);
	assert_int_equal(v[0].enabled_ns, v[1].enabled_ns);
	assert_int_equal(v[0].enabled_ns, v[2].enabled_ns);
	close_all(&f);
}

static void nothing_that_opens_is_an_error_with_a_reason(void **state)
{
	static const struct counter_place gone = { .pid = 0x3fffffff, .cpu = -1, .cgroup_fd = -1 };
	size_t before = nr_open();
	struct fixture f;

	(void)state;
	open_at(&f, "page-faults,minor-faults", &gone, 1, false);
	assert_int_equal(f.err, -ESRCH);
	assert_null(f.counters);
	assert_true(f.why.len > 0);
	close_all(&f);
	assert_int_equal(nr_open(), before);
}

static void a_place_that_is_gone_is_skipped(void **state)
{
	static const struct counter_place places[] = {
		{ .pid = 0x3fffffff, .cpu = -1, .cgroup_fd = -1 },
		{ .pid = 0, .cpu = -1, .cgroup_fd = -1 },
	};
	struct counter_value v[1] = { { .value = 77 } };
	struct fixture f;

	(void)state;
	open_at(&f, "page-faults", places, 2, false);
	assert_int_equal(f.err, 0);
	assert_false(counters__is_open(f.counters, 0, 0));
	assert_true(counters__is_open(f.counters, 0, 1));
	assert_int_equal(counters__error(f.counters, 0), 0);
	assert_int_equal(counters__read(f.counters, 0, v), 0);
	assert_int_equal(v[0].value, 77);
	close_all(&f);
}

/* In a child, and as somebody who may not look at process 1. True if @fn says so. */
static bool in_child(bool (*fn)(void))
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		if (!getuid() && (setgroups(0, NULL) || setresuid(65534, 65534, 65534)))
			_exit(2);
		_exit(!fn());
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return !status;
}

/* Errors of a part of the places: that of each is kept, in whatever order they come. */
static bool is_refused(size_t init, size_t own)
{
	struct counter_place places[2] = { here, here };
	struct counters_opts opts = { .places = places, .nr_places = 2, .user_only = true };
	struct counter_value v[1] = { { .value = 77 } };
	struct fixture f = {};
	bool ok;

	places[init].pid = 1;
	opts.events = &f.events;
	ok = !perf_events__parse(&f.events, NULL, "page-faults:u", &f.why) &&
	     !counters__open(&f.counters, &opts, &f.why) && counters__error(f.counters, 0) == 0 &&
	     counters__error_at(f.counters, 0, init) == -EACCES &&
	     counters__error_at(f.counters, 0, own) == 0 &&
	     counters__fd(f.counters, 0, init) == -ENODATA &&
	     !counters__read(f.counters, init, v) && v[0].value == 77;
	close_all(&f);
	return ok;
}

static bool are_refused(void)
{
	return is_refused(0, 1) && is_refused(1, 0);
}

static void a_place_that_is_refused_is_told(void **state)
{
	struct stat st;

	(void)state;
	if (stat("/proc/1", &st) || st.st_uid || perf_sysctl("perf_event_paranoid", 4) > 2)
		skip();
	assert_true(in_child(are_refused));
}

/* An event of a PMU that counts for CPUs, and a task. */
static void an_event_for_cpus_says_so(void **state)
{
	struct counters_opts opts = { .places = &here, .nr_places = 1 };
	struct fixture f = {};

	(void)state;
	assert_int_equal(perf_events__parse(&f.events, NULL, "page-faults", &f.why), 0);
	f.events.items[0].for_cpus = true;
	f.events.items[0].cpus = calloc(1, sizeof(*f.events.items[0].cpus));
	f.events.items[0].nr_cpus = 1;
	opts.events = &f.events;
	assert_int_equal(counters__open(&f.counters, &opts, &f.why), -ESRCH);
	assert_string_equal(f.why.data,
			    "'page-faults' counts for CPUs, not for tasks: use -a or -C");
	buf__clear(&f.why);
	opts.reader = READER_PROGRAM;
	assert_int_equal(counters__open(&f.counters, &opts, &f.why), -ESRCH);
	assert_string_equal(f.why.data, "'page-faults' counts for CPUs, not for tasks: open it on "
					"a target of kind PMUTRACE_CPUS");
	close_all(&f);
}

static bool says(const struct counters_opts *opts, struct fixture *f, const char *text)
{
	bool ok;

	buf__clear(&f->why);
	ok = counters__open(&f->counters, opts, &f->why) == -EMFILE && strstr(f->why.data, text);
	if (!ok)
		print_message("'%s' should say '%s'\n", f->why.data ? f->why.data : "", text);
	return ok;
}

static bool limits_are_told(void)
{
	const struct rlimit limit = { 40, 40 };
	struct counter_place places[30];
	struct counters_opts opts = { .places = places, .nr_places = 1, .spare_fds = 60 };
	struct fixture f = {};
	bool ok;

	for (size_t i = 0; i < ARRAY_SIZE(places); i++)
		places[i] = here;
	opts.events = &f.events;
	ok = !setrlimit(RLIMIT_NOFILE, &limit) &&
	     !perf_events__parse(&f.events, NULL, "page-faults:u", &f.why) &&
	     says(&opts, &f, "1 event in 1 place (CPUs or tasks) needs 1 open file,") &&
	     says(&opts, &f, "; the limit is 40: raise it with ulimit -n ");
	opts.nr_places = ARRAY_SIZE(places);
	opts.spare_fds = 0;
	ok = ok && !perf_events__parse(&f.events, NULL, "minor-faults:u", &f.why) &&
	     says(&opts, &f, "2 events in 30 places (CPUs or tasks) need 60 open files,");
	close_all(&f);
	return ok;
}

static void too_few_descriptors_are_told(void **state)
{
	(void)state;
	assert_true(in_child(limits_are_told));
}

static void descriptors_are_closed(void **state)
{
	size_t before = nr_open();
	struct fixture f;

	(void)state;
	open_here(&f, "page-faults,{minor-faults,major-faults}");
	assert_int_equal(nr_open(), before + 3);
	close_all(&f);
	assert_int_equal(nr_open(), before);
}

static void *touch_in_thread(void *arg)
{
	touch_pages(200);
	return arg;
}

static uint64_t faults_with_a_thread(bool inherit)
{
	struct counter_value v[1];
	struct fixture f;
	pthread_t thread;

	open_at(&f, "page-faults", &here, 1, inherit);
	assert_int_equal(f.err, 0);
	assert_int_equal(counters__enable(f.counters), 0);
	assert_int_equal(pthread_create(&thread, NULL, touch_in_thread, NULL), 0);
	pthread_join(thread, NULL);
	assert_int_equal(counters__read(f.counters, 0, v), 0);
	close_all(&f);
	return v[0].value;
}

static void threads_count_only_if_inherited(void **state)
{
	(void)state;
	assert_in_range(faults_with_a_thread(true), 200, 320);
	assert_in_range(faults_with_a_thread(false), 0, 120);
}

static void open_inherited_group(struct fixture *f)
{
	open_at(f, "{page-faults,minor-faults}", &here, 1, true);
	assert_int_equal(f->err, 0);
	assert_int_equal(counters__enable(f->counters), 0);
}

static void groups_are_inherited_too(void **state)
{
	struct counter_value v[2];
	struct fixture f;
	pthread_t thread;

	(void)state;
	open_inherited_group(&f);
	assert_int_equal(pthread_create(&thread, NULL, touch_in_thread, NULL), 0);
	pthread_join(thread, NULL);
	assert_int_equal(counters__read(f.counters, 0, v), 0);
	assert_in_range(v[0].value, 200, 320);
	assert_in_range(v[1].value, 200, 320);
	close_all(&f);
}

enum { MANY_THREADS = 3000 };

static void *touch_a_page(void *arg)
{
	touch_pages(1);
	return arg;
}

static void *start_threads(void *arg)
{
	pthread_t thread;

	for (int i = 0; i < MANY_THREADS; i++) {
		pthread_create(&thread, NULL, touch_a_page, NULL);
		pthread_join(thread, NULL);
	}
	return arg;
}

/* A thread gets and loses its copies of a group one by one. */
static void a_group_is_read_while_threads_begin_and_end(void **state)
{
	struct counter_value v[2];
	struct fixture f;
	pthread_t starter;

	(void)state;
	open_inherited_group(&f);
	assert_int_equal(pthread_create(&starter, NULL, start_threads, NULL), 0);
	do
		assert_int_equal(counters__read(f.counters, 0, v), 0);
	while (pthread_tryjoin_np(starter, NULL) == EBUSY);
	assert_int_equal(counters__read(f.counters, 0, v), 0);
	assert_true(v[0].value >= MANY_THREADS);
	assert_true(v[1].value >= MANY_THREADS);
	close_all(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_touched_are_faults_counted),
		cmocka_unit_test(a_group_has_one_time),
		cmocka_unit_test(nothing_that_opens_is_an_error_with_a_reason),
		cmocka_unit_test(a_place_that_is_gone_is_skipped),
		cmocka_unit_test(a_place_that_is_refused_is_told),
		cmocka_unit_test(an_event_for_cpus_says_so),
		cmocka_unit_test(too_few_descriptors_are_told),
		cmocka_unit_test(descriptors_are_closed),
		cmocka_unit_test(threads_count_only_if_inherited),
		cmocka_unit_test(groups_are_inherited_too),
		cmocka_unit_test(a_group_is_read_while_threads_begin_and_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
