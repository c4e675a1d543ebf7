// SPDX-License-Identifier: BSD-2-Clause
/* Whose events they are: threads, processes, CPUs, cgroups. */
#include "pmutrace_fixture.h"
#include "descriptors.h"

#include <pthread.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

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

static cpu_set_t at_start;

static int run_anywhere(void **state)
{
	return sched_setaffinity(0, sizeof(at_start), &at_start);
}

static void check_cpus_refused(const char *cpus, int expected, const char *because)
{
	struct pmutrace_target target = { .kind = PMUTRACE_SELF, .cpus = cpus };
	struct pmutrace_error why;
	struct pmutrace_events *e;

	for (int kind = PMUTRACE_SELF; kind <= PMUTRACE_CPUS; kind += PMUTRACE_CPUS) {
		target.kind = (enum pmutrace_target_kind)kind;
		assert_int_equal(pmutrace_open(&e, "page-faults", &target, NULL, &why), expected);
		assert_null(e);
		if (!strstr(why.text, because))
			fail_msg("'%s' is not in '%s'", because, why.text);
	}
}

static void cpus_that_are_not_there_are_refused(void **state)
{
	char last[64];

	snprintf(last, sizeof(last), "this machine's last CPU is %ld",
		 sysconf(_SC_NPROCESSORS_CONF) - 1);
	check_cpus_refused("99999", -EINVAL, "target.cpus: '99999', but this machine's last CPU");
	check_cpus_refused("0,99999", -EINVAL, "target.cpus");
	check_cpus_refused("0-1000000", -EINVAL, "target.cpus");
	check_cpus_refused("0-4294967295", -EINVAL, "target.cpus");
	check_cpus_refused("0-", -EINVAL, "target.cpus: '0-' is no list");
	if (sysconf(_SC_NPROCESSORS_CONF) == sysconf(_SC_NPROCESSORS_ONLN))
		check_cpus_refused("0,99999", -EINVAL, last);
}

static void need_two_cpus(void)
{
	if (!CPU_ISSET(0, &at_start) || !CPU_ISSET(1, &at_start))
		skip_because("cpus: this process may not run on CPUs 0 and 1");
}

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	assert_int_equal(sched_setaffinity(0, sizeof(set), &set), 0);
}

static uint64_t thread_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* 1000 calls, ten on one CPU, then ten on the other. */
static void call_on_both_cpus(void *arg)
{
	int ten = 10;

	for (int i = 0; i < 100; i++) {
		run_on(i % 2);
		getpids(&ten);
	}
}

/* To the kernel the event of each CPU is enabled while the thread runs on the other, too. */
static void check_both_cpus(const struct pmutrace_target *target,
			    const struct pmutrace_options *options, const char *spec)
{
	struct pmutrace_count count, part;
	struct pmutrace_events *e;
	uint64_t start_ns, sum = 0;

	need_tracefs();
	need_two_cpus();
	e = open_with(spec, target, options);
	start_ns = thread_ns();
	assert_int_equal(pmutrace_enable(e), 0);
	call_on_both_cpus(NULL);
	assert_int_equal(pmutrace_disable(e), 0);
	assert_int_equal(pmutrace_read(e, &count), 0);
	assert_in_range(count.enabled_ns, 1, thread_ns() - start_ns);
	assert_int_equal(count.state, PMUTRACE_COUNTED);
	assert_int_equal(count.raw, 1000);
	assert_int_equal(count.value, 1000);
	assert_int_equal(count.running_ns, count.enabled_ns);
	for (size_t i = 0; i < pmutrace_nr_places(e); i++) {
		assert_int_equal(pmutrace_read_place(e, i, &part), 0);
		assert_true(part.state == PMUTRACE_COUNTED || !part.raw);
		assert_int_equal(part.value, part.raw);
		sum += part.value;
	}
	assert_int_equal(sum, 1000);
	assert_int_equal(pmutrace_measure(e, call_on_both_cpus, NULL, &count), 0);
	assert_int_equal(count.value, 1000);
	assert_int_equal(count.state, PMUTRACE_COUNTED);
	pmutrace_close(e);
}

static void a_thread_on_two_cpus_counts_once(void **state)
{
	struct pmutrace_target self = { .kind = PMUTRACE_SELF, .cpus = "0-1" };

	check_both_cpus(&self, NULL, "syscalls:sys_enter_getpid");
}

__attribute__((noinline, used)) static void probed_here(void)
{
	__asm__ volatile("nop\n\tnop");
}

static void call_probed(void *arg)
{
	for (int i = 0; i < *(int *)arg; i++)
		probed_here();
}

static void spin_ns(uint64_t ns)
{
	uint64_t end = thread_ns() + ns;

	while (thread_ns() < end)
		;
}

/* An event of a PMU, which may be one that is shared out by time: of a thread on two CPUs. */
static struct pmutrace_events *open_probe(const char *rest)
{
	struct pmutrace_target self = { .kind = PMUTRACE_SELF, .cpus = "0-1" };
	char path[3000] = "", spec[4096];
	struct pmutrace_events *e;
	struct pmutrace_error why;

	need_two_cpus();
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	snprintf(spec, sizeof(spec), "uprobe:%s:probed_here%s", path, rest);
	if (pmutrace_open(&e, spec, &self, NULL, &why))
		skip_because("uprobes: %s", why.text);
	return e;
}

/* What it was there for before is no time in which it was not counted. */
static void a_short_look_is_not_scaled_by_what_was_before(void **state)
{
	struct pmutrace_events *e = open_probe("");
	struct pmutrace_count count;
	int ten = 10;

	run_on(0);
	assert_int_equal(pmutrace_enable(e), 0);
	spin_ns(50000000);
	assert_int_equal(pmutrace_measure(e, call_probed, &ten, &count), 0);
	assert_int_equal(count.raw, 10);
	assert_int_equal(count.state, PMUTRACE_COUNTED);
	assert_int_equal(count.value, 10);
	pmutrace_close(e);
}

/* So many overflows, then it stands still: while it does there is nothing to count. */
static void what_stopped_by_itself_is_not_scaled(void **state)
{
	struct pmutrace_events *e = open_probe("@1");
	struct pmutrace_count count;
	struct pmutrace_error why;
	int ten = 10;

	run_on(0);
	assert_int_equal(pmutrace_enable(e), 0);
	assert_int_equal(pmutrace_refresh(e, 0, 3, &why), 0);
	call_probed(&ten);
	spin_ns(20000000);
	assert_int_equal(pmutrace_read(e, &count), 0);
	assert_int_equal(count.raw, 3);
	assert_int_equal(count.state, PMUTRACE_COUNTED);
	assert_int_equal(count.value, 3);
	pmutrace_close(e);
}

/* Rings ask for a place on each CPU, without a word in the target. */
static void samples_of_a_thread_that_inherits_count_once(void **state)
{
	struct pmutrace_options inherit = { .size = sizeof(inherit), .inherit = true };

	check_both_cpus(NULL, &inherit, "syscalls:sys_enter_getpid@1000000");
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
	before = nr_open();
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
	assert_int_equal(nr_open(), before);
}

static void what_is_no_cgroup_is_told(void **state)
{
	struct pmutrace_target target = { .kind = PMUTRACE_CGROUP, .cgroup = "/proc" };
	struct pmutrace_error why;
	struct pmutrace_events *e;
	size_t before = nr_open();

	if (geteuid())
		skip_because("root: cgroups of others");
	assert_int_equal(pmutrace_open(&e, "page-faults", &target, NULL, &why), -EBADF);
	assert_non_null(strstr(why.text, "'/proc' is no cgroup"));
	assert_int_equal(nr_open(), before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_is_all_its_threads_and_those_to_come),
		cmocka_unit_test(places_are_told_and_add_up),
		cmocka_unit_test(a_thread_on_a_list_of_cpus_has_a_place_for_each),
		cmocka_unit_test(cpus_that_are_not_there_are_refused),
		cmocka_unit_test_teardown(a_thread_on_two_cpus_counts_once, run_anywhere),
		cmocka_unit_test_teardown(a_short_look_is_not_scaled_by_what_was_before,
					  run_anywhere),
		cmocka_unit_test_teardown(what_stopped_by_itself_is_not_scaled, run_anywhere),
		cmocka_unit_test_teardown(samples_of_a_thread_that_inherits_count_once,
					  run_anywhere),
		cmocka_unit_test(a_cgroup_is_its_tasks_and_no_others),
		cmocka_unit_test(what_is_no_cgroup_is_told),
	};

	sched_getaffinity(0, sizeof(at_start), &at_start);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
