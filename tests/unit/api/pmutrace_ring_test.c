// SPDX-License-Identifier: BSD-2-Clause
#include "pmutrace_fixture.h"
#include "descriptors.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "perf/uapi.h"

static void each_system_call_is_a_sample(void **state)
{
	struct pmutrace_record record;
	struct pmutrace_events *e;
	struct pmutrace_ring *r;
	uint64_t id, last_ns = 0;
	int n = 50;

	need_tracefs();
	e = open_with("syscalls:sys_enter_getpid@1", NULL,
		      WITH(.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
					  PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW));
	r = open_ring(e, 0);
	assert_int_equal(pmutrace_id(e, 0, 0, &id), 0);
	assert_int_equal(pmutrace_find(e, id), 0);
	assert_int_equal(pmutrace_find(e, id + 12345), -ENOENT);
	assert_int_equal(pmutrace_enable(e), 0);
	getpids(&n);
	assert_int_equal(pmutrace_disable(e), 0);
	assert_true(pmutrace_ring_has_record(r));
	for (int i = 0; i < 50; i++) {
		assert_int_equal(pmutrace_ring_read(r, 0, &record), 0);
		assert_int_equal(record.type, PERF_RECORD_SAMPLE);
		assert_int_equal(record.event, 0);
		assert_int_equal(record.id, id);
		assert_int_equal(record.pid, getpid());
		assert_int_equal(record.tid, gettid());
		assert_true(record.time_ns > last_ns);
		last_ns = record.time_ns;
		assert_int_equal(record.sample.period, 1);
		/* common_type, .., common_pid at byte 4: events/syscalls/sys_enter_getpid/format */
		assert_true(record.sample.raw_bytes >= 16);
		assert_memory_equal((const char *)record.sample.raw + 4, &record.tid, 4);
	}
	assert_int_equal(pmutrace_ring_read(r, 0, &record), -ETIMEDOUT);
	assert_false(pmutrace_ring_has_record(r));
	close_both(r, e);
}

static void events_of_a_group_share_a_ring_and_keep_their_names(void **state)
{
	struct perf_event_attr attr = {
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TIME,
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST,
	};
	struct pmutrace_options options = { .size = sizeof(options), .attr = &attr };
	struct pmutrace_reading_value v;
	struct pmutrace_record record;
	struct pmutrace_events *e;
	struct pmutrace_ring *r;
	int n = 3;

	need_tracefs();
	e = open_with("{syscalls:sys_enter_getpid,syscalls:sys_exit_getpid}", NULL, &options);
	r = open_ring(e, 8);
	assert_int_equal(pmutrace_enable(e), 0);
	getpids(&n);
	assert_int_equal(pmutrace_disable(e), 0);
	for (int i = 0; i < 6; i++) {
		assert_int_equal(pmutrace_ring_read(r, 0, &record), 0);
		assert_int_equal(record.event, i % 2); /* enter, exit, enter, .. */
		assert_int_equal(record.sample.read.nr, 2);
		for (int k = 0; k < 2; k++) {
			assert_int_equal(pmutrace_reading_get(&record.sample.read, k, &v), 0);
			assert_int_equal(pmutrace_find(e, v.id), k);
			assert_int_equal(v.lost, 0);
			/* enter has been seen once more than exit, when it is enter's turn */
			assert_int_equal(v.value, i / 2 + (k == 0 || i % 2));
		}
		assert_int_equal(pmutrace_reading_get(&record.sample.read, 2, &v), -ENOENT);
	}
	close_both(r, e);
}

static void records_wrap_around_the_end(void **state)
{
	struct pmutrace_record record;
	struct pmutrace_events *e;
	struct pmutrace_ring *r;
	int n = 1;

	need_tracefs();
	e = open_with("syscalls:sys_enter_getpid@1", NULL,
		      WITH(.sample_type = PERF_SAMPLE_RAW | PERF_SAMPLE_CALLCHAIN));
	r = open_ring(e, 1);
	assert_int_equal(pmutrace_enable(e), 0);
	/* Several pages' worth through one page. */
	for (int i = 0; i < 500; i++) {
		getpids(&n);
		assert_int_equal(pmutrace_ring_read(r, 0, &record), 0);
		assert_int_equal(record.type, PERF_RECORD_SAMPLE);
		assert_int_equal(record.event, 0);
		assert_true(record.sample.nr_ips > 0);
	}
	assert_int_equal(pmutrace_ring_read(r, 0, &record), -ETIMEDOUT);
	assert_int_equal(pmutrace_ring_nr_lost(r), 0);
	close_both(r, e);
}

static void what_found_no_room_is_told(void **state)
{
	struct pmutrace_record record;
	struct pmutrace_count count;
	struct pmutrace_events *e;
	struct pmutrace_ring *r;
	size_t samples;
	int n = 1000;

	need_tracefs();
	e = open_with("syscalls:sys_enter_getpid@1", NULL, WITH(.sample_type = PERF_SAMPLE_RAW));
	r = open_ring(e, 1);
	assert_int_equal(pmutrace_enable(e), 0);
	getpids(&n);
	samples = count_records(r, PERF_RECORD_SAMPLE);
	n = 1;
	getpids(&n); /* brings the LOST record */
	assert_int_equal(pmutrace_disable(e), 0);
	assert_int_equal(pmutrace_ring_read(r, 0, &record), 0);
	assert_int_equal(record.type, PERF_RECORD_LOST);
	assert_int_equal(record.lost.nr, 1000 - samples);
	assert_int_equal(record.event, 0);
	assert_int_equal(pmutrace_ring_nr_lost(r), 1000 - samples);
	assert_int_equal(pmutrace_ring_read(r, 0, &record), 0);
	assert_int_equal(record.type, PERF_RECORD_SAMPLE);
	/* The counter has missed nothing, and knows what the ring missed (Linux 6.0). */
	assert_int_equal(pmutrace_read(e, &count), 0);
	assert_int_equal(count.value, 1001);
	assert_true(count.lost == 1000 - samples || count.lost == 0);
	close_both(r, e);
}

static bool go_to(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

static void getpids_on_both(void *arg)
{
	for (int cpu = 0; cpu < 2; cpu++) {
		if (!go_to(cpu))
			skip_because("cpus: none 0 and 1");
		getpids(arg);
	}
}

/* A thread on two CPUs: a buffer each, both of one page. What either loses is in the sums. */
static void losses_of_all_buffers_are_told(void **state)
{
	struct pmutrace_target both = { .kind = PMUTRACE_SELF, .cpus = "0,1" };
	struct pmutrace_count count;
	struct pmutrace_events *e;
	struct pmutrace_error why;
	struct pmutrace_ring *r;
	size_t samples;
	cpu_set_t before;
	int n = 1000;

	need_tracefs();
	sched_getaffinity(0, sizeof(before), &before);
	if (!go_to(1) || !go_to(0))
		skip_because("cpus: none 0 and 1");
	if (pmutrace_open(&e, "syscalls:sys_enter_getpid@1", &both,
			  WITH(.sample_type = PERF_SAMPLE_RAW), &why))
		skip_because("perf: %s", why.text);
	r = open_ring(e, 1);
	assert_int_equal(pmutrace_enable(e), 0);
	getpids_on_both(&n);
	assert_int_equal(pmutrace_read(e, &count), 0);
	assert_int_equal(count.value, 2000);
	if (count.lost) { /* Linux 6.0 */
		/* Of what a function does only what is lost in it: both rings are full. */
		assert_int_equal(pmutrace_measure(e, nothing, NULL, &count), 0);
		assert_int_equal(count.lost, 0);
		n = 20;
		assert_int_equal(pmutrace_measure(e, getpids_on_both, &n, &count), 0);
		assert_int_equal(count.lost, 40);
	}
	samples = count_records(r, PERF_RECORD_SAMPLE);
	n = 1;
	getpids_on_both(&n); /* bring the LOST records */
	assert_int_equal(pmutrace_disable(e), 0);
	assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), 2);
	assert_int_equal(pmutrace_read(e, &count), 0);
	assert_int_equal(pmutrace_ring_nr_lost(r), count.value - samples - 2);
	assert_true(count.lost == pmutrace_ring_nr_lost(r) || count.lost == 0);
	/* A pause is one of both. */
	assert_int_equal(pmutrace_ring_pause(r), 0);
	assert_int_equal(pmutrace_enable(e), 0);
	getpids_on_both(&n);
	assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), 0);
	assert_int_equal(pmutrace_ring_resume(r), 0);
	getpids_on_both(&n);
	assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), 2);
	close_both(r, e);
	sched_setaffinity(0, sizeof(before), &before);
}

/* Nothing was asked for: still it is known whose a record is, where and when. */
static void samples_tell_whose_they_are_and_when(void **state)
{
	const uint64_t always = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_IDENTIFIER;
	struct pmutrace_events *e;
	struct pmutrace_record record;
	struct pmutrace_ring *r;
	struct timespec t;
	uint64_t ns;
	int n = 1;

	need_tracefs();
	e = open_with("syscalls:sys_enter_getpid@1", NULL,
		      WITH(.use_clockid = 1, .clockid = CLOCK_MONOTONIC));
	r = open_ring(e, 8);
	clock_gettime(CLOCK_MONOTONIC, &t);
	assert_int_equal(pmutrace_enable(e), 0);
	getpids(&n);
	assert_int_equal(pmutrace_ring_read(r, 1000, &record), 0);
	assert_int_equal(record.has & always, always);
	assert_int_equal(record.pid, getpid());
	assert_int_equal(record.tid, gettid());
	ns = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
	assert_in_range(record.time_ns, ns, ns + 1000000000);
	assert_int_equal(record.sample.has & PERF_SAMPLE_IP, PERF_SAMPLE_IP);
	close_both(r, e);
	/* What is asked for is not more, but for these. */
	e = open_with("dummy@1", NULL, WITH(.sample_type = PERF_SAMPLE_CPU));
	assert_int_equal(pmutrace_attr(e, 0)->sample_type, PERF_SAMPLE_CPU | always);
	pmutrace_close(e);
}

static void a_paused_ring_takes_nothing(void **state)
{
	struct pmutrace_events *e;
	struct pmutrace_ring *r;
	int n = 5;

	need_tracefs();
	e = open_with("syscalls:sys_enter_getpid@1", NULL, WITH(.sample_type = PERF_SAMPLE_TID));
	r = open_ring(e, 8);
	assert_int_equal(pmutrace_enable(e), 0);
	assert_int_equal(pmutrace_ring_pause(r), 0);
	getpids(&n);
	assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), 0);
	assert_int_equal(pmutrace_ring_resume(r), 0);
	getpids(&n);
	assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), 5);
	close_both(r, e);
}

static void output_goes_to_the_ring_of_another(void **state)
{
	struct pmutrace_events *from, *to, *two;
	struct pmutrace_target cpu0 = { .kind = PMUTRACE_CPUS, .cpus = "0" };
	struct pmutrace_error why;
	struct pmutrace_ring *r;
	int n = 4;

	need_tracefs();
	to = open_with("dummy@1", NULL, WITH(.sample_type = PERF_SAMPLE_TID));
	from = open_with("syscalls:sys_enter_getpid@1", NULL, WITH(.sample_type = PERF_SAMPLE_TID));
	r = open_ring(to, 8);
	assert_int_equal(pmutrace_set_output(from, 0, to, 0, &why), 0);
	assert_int_equal(pmutrace_enable(from), 0);
	getpids(&n);
	for (int i = 0; i < 4; i++) {
		struct pmutrace_record record;

		assert_int_equal(pmutrace_ring_read(r, 0, &record), 0);
		assert_int_equal(record.event, PMUTRACE_NO_EVENT); /* not one of this ring's */
		assert_int_equal(record.tid, gettid());
	}
	assert_int_equal(pmutrace_set_output(from, 0, NULL, 0, &why), 0);
	getpids(&n);
	assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), 0);

	two = open_with("dummy@1", &cpu0, WITH(.sample_type = PERF_SAMPLE_TID));
	assert_int_equal(pmutrace_set_output(from, 0, two, 0, &why), -EINVAL);
	assert_non_null(strstr(why.text, "one CPU or thread"));
	assert_int_equal(pmutrace_set_output(from, 1, to, 0, &why), -ERANGE);
	pmutrace_close(two);
	pmutrace_close(from);
	close_both(r, to);
}

/* One place has a ring of its own, which it keeps; that the other can go is no success. */
static void output_of_some_places_is_an_error(void **state)
{
	struct pmutrace_target both = { .kind = PMUTRACE_SELF, .cpus = "0,1" };
	struct pmutrace_events *from, *to;
	struct pmutrace_error why;
	struct pmutrace_ring *r;
	void *own;

	if (pmutrace_open(&from, "dummy@1", &both, NULL, &why))
		skip_because("cpus: %s", why.text);
	to = open_with("dummy@1", &both, NULL);
	r = open_ring(to, 1);
	own = mmap(NULL, 2 * (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_WRITE, MAP_SHARED,
		   pmutrace_fd(from, 0, 0), 0);
	assert_true(own != MAP_FAILED);
	assert_int_equal(pmutrace_set_output(from, 0, to, 0, &why), -EINVAL);
	assert_non_null(strstr(why.text, "keep it"));
	munmap(own, 2 * (size_t)sysconf(_SC_PAGESIZE));
	assert_int_equal(pmutrace_set_output(from, 0, to, 0, &why), 0);
	pmutrace_close(from);
	close_both(r, to);
}

static void *cancel_later(void *arg)
{
	usleep(20000);
	pmutrace_ring_cancel(arg);
	return NULL;
}

static void waiting_ends_by_timeout_and_by_cancel(void **state)
{
	struct pmutrace_events *e = open_with("dummy@1", NULL, NULL);
	struct pmutrace_ring *r = open_ring(e, 1);
	struct pmutrace_record record;
	pthread_t thread;

	assert_int_equal(pmutrace_ring_read(r, 0, &record), -ETIMEDOUT);
	assert_int_equal(pmutrace_ring_read(r, 5, &record), -ETIMEDOUT);
	assert_int_equal(pthread_create(&thread, NULL, cancel_later, r), 0);
	assert_int_equal(pmutrace_ring_read(r, -1, &record), -ECANCELED);
	pthread_join(thread, NULL);
	/* Beforehand, and however often: the next wait ends, the one after does not. */
	pmutrace_ring_cancel(r);
	pmutrace_ring_cancel(r);
	assert_int_equal(pmutrace_ring_read(r, -1, &record), -ECANCELED);
	assert_int_equal(pmutrace_ring_read(r, 0, &record), -ETIMEDOUT);
	close_both(r, e);
}

static void the_last_records_come_before_the_end(void **state)
{
	struct pmutrace_target child = { .kind = PMUTRACE_THREAD };
	struct pmutrace_record record;
	struct pmutrace_events *e;
	struct pmutrace_ring *r;
	int go[2], err, comms = 0, exits = 0;
	char c;

	assert_int_equal(pipe(go), 0);
	child.pid = fork();
	if (!child.pid) {
		close(go[1]);
		while (read(go[0], &c, 1) > 0)
			;
		for (int i = 0; i < 20; i++) {
			char name[16];

			snprintf(name, sizeof(name), "name-%d", i);
			prctl(PR_SET_NAME, name);
		}
		_exit(0);
	}
	close(go[0]);
	e = open_with("dummy", &child, WITH(.comm = 1, .task = 1, .sample_type = PERF_SAMPLE_TID));
	r = open_ring(e, 8);
	assert_int_equal(pmutrace_enable(e), 0);
	close(go[1]);
	/* It has ended, and the descriptor says so, before anything was read. */
	waitpid(child.pid, NULL, 0);
	{
		struct pollfd p = { .fd = pmutrace_ring_fd(r, 0), .events = POLLIN };

		assert_int_equal(poll(&p, 1, 1000), 1);
		assert_true(p.revents & POLLHUP);
	}
	while (!(err = pmutrace_ring_read(r, 1000, &record))) {
		char name[16];

		if (record.type == PERF_RECORD_COMM) {
			snprintf(name, sizeof(name), "name-%d", comms++);
			assert_string_equal(record.comm.name, name);
			assert_false(record.comm.exec);
			assert_int_equal(record.comm.pid, child.pid);
			assert_int_equal(record.pid, child.pid);
		}
		exits += record.type == PERF_RECORD_EXIT;
	}
	assert_int_equal(err, -ESHUTDOWN);
	assert_int_equal(comms, 20);
	assert_int_equal(exits, 1);
	assert_int_equal(pmutrace_ring_read(r, -1, &record), -ESHUTDOWN); /* and stays so */
	assert_int_equal(pmutrace_ring_fd(r, 1), -ENOENT);
	close_both(r, e);
}

static void *map_a_page(void *arg)
{
	void *at = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*(void **)arg = at;
	munmap(at, 4096);
	return NULL;
}

/* Events that inherit are on every CPU: the rings of all are one. */
static void threads_to_come_write_to_the_ring_too(void **state)
{
	struct pmutrace_target process = { .kind = PMUTRACE_PROCESS };
	struct perf_event_attr attr = { .mmap = 1, .mmap2 = 1, .sample_type = PERF_SAMPLE_TID };
	struct pmutrace_options options = { .size = sizeof(options),
					    .inherit = true,
					    .attr = &attr };
	struct pmutrace_record record;
	struct pmutrace_events *e;
	struct pmutrace_ring *r;
	void *mapped[3] = {};
	int found[3] = {};
	pthread_t thread;

	e = open_with("dummy", &process, &options);
	assert_true(pmutrace_nr_places(e) >= (size_t)sysconf(_SC_NPROCESSORS_ONLN));
	r = open_ring(e, 8);
	assert_int_equal(pmutrace_enable(e), 0);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(pthread_create(&thread, NULL, map_a_page, &mapped[i]), 0);
		pthread_join(thread, NULL);
	}
	assert_int_equal(pmutrace_disable(e), 0);
	while (!pmutrace_ring_read(r, 0, &record)) {
		if (record.type != PERF_RECORD_MMAP2)
			continue;
		assert_int_equal(record.event, 0);
		assert_int_equal(record.mmap.pid, getpid());
		for (int i = 0; i < 3; i++)
			if (record.mmap.start == (uintptr_t)mapped[i] && record.mmap.bytes == 4096)
				found[i]++;
	}
	for (int i = 0; i < 3; i++)
		assert_true(found[i] >= 1); /* an address may come again */
	close_both(r, e);
}

/* Two dummies that tell of mappings, each its own way. */
static struct pmutrace_events *open_mappers(size_t nr, bool second_has_build_ids)
{
	struct perf_event_attr attrs[2] = {};
	struct pmutrace_events *e;
	struct pmutrace_error why;
	int err;

	for (size_t i = 0; i < 2; i++)
		attrs[i] = (struct perf_event_attr){ .type = PERF_TYPE_SOFTWARE,
						     .config = PERF_COUNT_SW_DUMMY,
						     .mmap = 1,
						     .mmap2 = 1,
						     .sample_type = PERF_SAMPLE_TID };
	perf_attr__set_build_id(&attrs[1], second_has_build_ids);
	err = pmutrace_open_attrs(&e, attrs, NULL, nr, false, NULL, NULL, &why);
	if (err)
		skip_because("perf: %s", why.text);
	if (pmutrace_open_error(e, nr - 1, NULL) == -EINVAL) {
		pmutrace_close(e);
		skip_because("kernel: no build-ids in records (Linux 5.12)");
	}
	return e;
}

/* Whether a build-id or a device is in it nobody knows, if it may be of either kind. */
static void strangers_are_not_read_when_layouts_differ(void **state)
{
	for (int differ = 0; differ <= 1; differ++) {
		struct pmutrace_events *to = open_mappers(2, differ),
				       *from = open_mappers(1, false);
		int own = 0, strange = 0, bad = 0, err;
		struct pmutrace_record record;
		struct pmutrace_error why;
		struct pmutrace_ring *r;
		void *mapped;

		r = open_ring(to, 8);
		assert_int_equal(pmutrace_set_output(from, 0, to, 0, &why), 0);
		assert_int_equal(pmutrace_enable(to), 0);
		assert_int_equal(pmutrace_enable(from), 0);
		map_a_page(&mapped);
		assert_int_equal(pmutrace_disable(from), 0);
		assert_int_equal(pmutrace_disable(to), 0);
		while ((err = pmutrace_ring_read(r, 0, &record)) != -ETIMEDOUT) {
			if (err == -EBADMSG)
				bad++;
			else if (record.event == PMUTRACE_NO_EVENT)
				strange++;
			else
				own++;
		}
		assert_true(own >= 2);
		assert_int_equal(own, 2 * (strange + bad));
		assert_int_equal(differ ? strange : bad, 0);
		pmutrace_close(from);
		close_both(r, to);
	}
}

/* Where the only ring of this process is mapped. */
static char *ring_address(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	unsigned long start = 0;
	char line[512];

	assert_non_null(f);
	while (fgets(line, sizeof(line), f))
		if (strstr(line, "perf_event"))
			sscanf(line, "%lx", &start);
	fclose(f);
	assert_int_not_equal(start, 0);
	return (char *)start;
}

/* The kernel lets us write no data, but how far it has written. */
static void a_corrupt_ring_is_dropped_and_goes_on(void **state)
{
	struct perf_event_mmap_page *page;
	struct pmutrace_record record;
	struct pmutrace_events *e;
	struct pmutrace_ring *r;
	int n = 3, err, bad = 0;

	need_tracefs();
	e = open_with("syscalls:sys_enter_getpid@1", NULL, WITH(.sample_type = PERF_SAMPLE_TID));
	r = open_ring(e, 1);
	page = (struct perf_event_mmap_page *)ring_address();
	assert_int_equal(pmutrace_enable(e), 0);
	getpids(&n);
	page->data_head += 1 << 20;
	assert_int_equal(pmutrace_ring_read(r, 0, &record), -EBADMSG);
	assert_int_equal(pmutrace_ring_read(r, 0, &record), -ETIMEDOUT);
	/* The kernel writes its own again. */
	getpids(&n);
	while ((err = pmutrace_ring_read(r, 0, &record)) != -ETIMEDOUT)
		bad += err == -EBADMSG;
	assert_true(bad <= 1);
	getpids(&n);
	assert_int_equal(count_records(r, PERF_RECORD_SAMPLE), 3);
	close_both(r, e);
}

static void errors_of_rings_are_explained_and_leak_nothing(void **state)
{
	struct pmutrace_events *e = open_self("page-faults"), *s, *clocks;
	struct perf_event_attr attrs[] = {
		{ .type = PERF_TYPE_SOFTWARE,
		  .config = PERF_COUNT_SW_DUMMY,
		  .sample_period = 1,
		  .use_clockid = 1,
		  .clockid = CLOCK_MONOTONIC },
		{ .type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_DUMMY, .sample_period = 1 },
	};
	struct pmutrace_error why;
	struct pmutrace_ring *r;
	size_t before = nr_open();

	assert_int_equal(pmutrace_ring_open(&r, e, 8, &why), -EINVAL);
	assert_null(r);
	assert_non_null(strstr(why.text, "none of the events writes records"));
	s = open_with("dummy@1", NULL, NULL);
	assert_int_equal(pmutrace_ring_open(&r, s, 3, &why), -EINVAL);
	assert_non_null(strstr(why.text, "power of two"));
	assert_true(pmutrace_ring_open(&r, s, SIZE_MAX / 2 + 1, &why) < 0);
	pmutrace_close(s);
	assert_int_equal(pmutrace_open_attrs(&clocks, attrs, NULL, 2, false, NULL, NULL, &why), 0);
	assert_int_equal(pmutrace_ring_open(&r, clocks, 8, &why), -EINVAL);
	assert_non_null(strstr(why.text, "clock"));
	pmutrace_close(clocks);
	pmutrace_ring_close(NULL);
	assert_int_equal(nr_open(), before);
	pmutrace_close(e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_system_call_is_a_sample),
		cmocka_unit_test(events_of_a_group_share_a_ring_and_keep_their_names),
		cmocka_unit_test(records_wrap_around_the_end),
		cmocka_unit_test(what_found_no_room_is_told),
		cmocka_unit_test(losses_of_all_buffers_are_told),
		cmocka_unit_test(samples_tell_whose_they_are_and_when),
		cmocka_unit_test(a_paused_ring_takes_nothing),
		cmocka_unit_test(output_goes_to_the_ring_of_another),
		cmocka_unit_test(output_of_some_places_is_an_error),
		cmocka_unit_test(waiting_ends_by_timeout_and_by_cancel),
		cmocka_unit_test(the_last_records_come_before_the_end),
		cmocka_unit_test(threads_to_come_write_to_the_ring_too),
		cmocka_unit_test(strangers_are_not_read_when_layouts_differ),
		cmocka_unit_test(a_corrupt_ring_is_dropped_and_goes_on),
		cmocka_unit_test(errors_of_rings_are_explained_and_leak_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
