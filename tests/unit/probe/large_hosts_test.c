// SPDX-License-Identifier: BSD-2-Clause
/*
 * What sessions ask the kernel for on hosts of up to 512 CPUs: descriptors, memory of maps, and
 * calls until they are open. Machine and kernel are the test's own.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sys/resource.h>

#define FAKE_OBJECTS	 16384
#define FAKE_ENTRIES	 4608
#define FAKE_VALUE_BYTES 256

#include "descriptors.h"
#include "fake_sessions.h"
#include "machine/cpus.h"
#include "probe/top_keys.h"

enum { LEAST = 128, LARGE = 256, LARGEST = 512, EVENTS = 16, TASK_EVENTS = 8 };

static uint32_t nr_cpus = LEAST;

int __wrap_cpus__possible(const char *root, uint32_t *nr);
int __wrap_cpus__online(const char *root, uint32_t **cpus, size_t *nr);
int __wrap_cpus__are_online(const char *root, bool *online, size_t nr);

int __wrap_cpus__possible(const char *root, uint32_t *nr)
{
	*nr = nr_cpus;
	return 0;
}

int __wrap_cpus__online(const char *root, uint32_t **cpus, size_t *nr)
{
	*cpus = calloc(nr_cpus, sizeof(**cpus));
	assert_non_null(*cpus);
	for (*nr = 0; *nr < nr_cpus; ++*nr)
		(*cpus)[*nr] = *nr;
	return 0;
}

int __wrap_cpus__are_online(const char *root, bool *online, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		online[i] = i < nr_cpus;
	return 0;
}

/* Of a session that is open. */
struct needs {
	unsigned events, descriptors, calls;
	uint64_t map_bytes; /* of arrays, all of it from the start */
};

static uint64_t bytes_of_arrays(void)
{
	uint64_t bytes = 0;

	for (int fd = 0; fd < FAKE_OBJECTS; fd++) {
		const struct fake_object *o = fake_object(fd, FAKE_MAP);

		if (o && fake_is_array(o))
			bytes += o->map.max_entries * fake_stride(o);
	}
	return bytes;
}

typedef int opener(struct life *l);

static int open_profile(struct life *l)
{
	static const char *const software[] = { "page-faults",	   "minor-faults",
						"major-faults",	   "context-switches",
						"cpu-migrations",  "alignment-faults",
						"emulation-faults" };
	struct target all = {};
	struct buf text = {};
	int err;

	assert_int_equal(buf__puts(&text, "cpu-clock@99hz"), 0);
	for (unsigned i = 1; i < EVENTS; i++)
		assert_int_equal(buf__printf(&text, ",%s@99hz", software[i % ARRAY_SIZE(software)]),
				 0);
	life__parse(l, text.data);
	buf__free(&text);
	assert_int_equal(l->events.nr, EVENTS);
	assert_int_equal(target__finish(&all, &l->why), 0);
	err = sampler__open(&l->session,
			    &(struct sampler_opts){ .events = l->events.items,
						    .nr_events = EVENTS,
						    .target = &all,
						    .by = BY_KSTACK | BY_USTACK,
						    .unwind_bytes = 64 << 20,
						    .max_stack = 512 },
			    &l->why);
	target__free(&all);
	return err;
}

/* As `export --by cgroup` does, on a host with 1 TB and 20,000 threads. */
static uint64_t keys_of_tasks(void)
{
	return top_keys__default(&(struct top_machine){ .nr_cpus = nr_cpus,
							.nr_places = nr_cpus,
							.nr_tasks = 20000,
							.memory_bytes = 1ull << 40 },
				 TOP_VALUES + TASK_EVENTS);
}

static int open_tasks(struct life *l)
{
	const struct perf_event_spec *list[TASK_EVENTS];

	life__parse(l, "page-faults,minor-faults,major-faults,cpu-migrations,alignment-faults,"
		       "emulation-faults,page-faults:u,page-faults:k");
	assert_int_equal(l->events.nr, TASK_EVENTS);
	for (size_t i = 0; i < TASK_EVENTS; i++)
		list[i] = &l->events.items[i];
	return top__open(&l->session,
			 &(struct top_opts){ .events = list,
					     .nr_events = TASK_EVENTS,
					     .by = BY_CGROUP,
					     .max_keys = keys_of_tasks() },
			 &l->why);
}

static struct needs needs_of(opener *open_it, uint32_t cpus)
{
	struct life l = {};
	struct needs n;
	unsigned before;

	fake_reset();
	nr_cpus = cpus;
	before = nr_open();
	if (open_it(&l))
		fail_msg("%u CPUs: %s", cpus, l.why.data);
	n = (struct needs){ .events = fake_seen.nr_of[FAKE_OPEN],
			    .descriptors = nr_open() - before,
			    .calls = fake_seen.nr_calls,
			    .map_bytes = bytes_of_arrays() };
	life__close(&l);
	assert_int_equal(nr_open(), before);
	return n;
}

static void show(const char *what, uint32_t cpus, const struct needs *n)
{
	print_message("%s on %u CPUs: %u descriptors, %u calls, %.1f MB\n", what, cpus,
		      n->descriptors, n->calls, n->map_bytes / 1e6);
}

/* Twice the CPUs take twice as much, beside what does not depend on them. */
static void assert_linear(opener *open_it, const char *what, unsigned events,
			  uint64_t bytes_of_a_cpu)
{
	const struct needs a = needs_of(open_it, LEAST), b = needs_of(open_it, LARGE),
			   c = needs_of(open_it, LARGEST);

	show(what, LEAST, &a);
	show(what, LARGE, &b);
	show(what, LARGEST, &c);
	assert_in_range(c.events, events * LARGEST, events * LARGEST + 16);
	assert_int_equal(b.descriptors - a.descriptors, events * (LARGE - LEAST));
	assert_int_equal(c.descriptors - b.descriptors, events * (LARGEST - LARGE));
	/* But for one more of a few CPUs. */
	assert_in_range(c.calls - b.calls, 2 * (b.calls - a.calls) - LARGE,
			2 * (b.calls - a.calls) + LARGE);
	/* What all CPUs share is less for each. */
	assert_in_range(c.map_bytes - b.map_bytes, 1, 2 * (b.map_bytes - a.map_bytes));
	assert_in_range(c.map_bytes, 1, bytes_of_a_cpu * LARGEST + (200 << 20));
}

/*
 * 16 x 99 / 2 stacks of 64 words have room for 1,024 on each CPU, twice: 512 KiB, and 4 slots of 32
 * bytes for each: 1.25 MiB.
 */
static void a_profile_is_linear_in_cpus(void **state)
{
	(void)state;
	assert_linear(open_profile, "profile, 16 events", EVENTS, 1400 << 10);
}

/* Each CPU has room for 512 groups, or for twice the tasks there are for each, whatever is more. */
static void metrics_of_tasks_are_linear_in_cpus(void **state)
{
	(void)state;
	assert_linear(open_tasks, "export --by cgroup, 8 events", TASK_EVENTS, 1400 << 10);
}

/* Shells have 1,024, services of systemd may have 524,288. */
static void descriptors_are_within_what_doctor_asks_for(void **state)
{
	enum { OTHERS = 64, OF_SYSTEMD = 524288 };
	const struct needs n = needs_of(open_profile, LARGEST);

	(void)state;
	assert_in_range(n.descriptors, 1025, (EVENTS + 1) * LARGEST + OTHERS);
	assert_in_range(n.descriptors, 1025, OF_SYSTEMD / 32);
}

/* What the arithmetic says of tables is what the maps are made for. */
static void memory_of_tasks_is_what_was_computed(void **state)
{
	const struct needs n = needs_of(open_tasks, LARGEST);
	const uint64_t tables = top_keys__bytes(keys_of_tasks(), LARGEST, TOP_VALUES + TASK_EVENTS);

	(void)state;
	assert_in_range(n.map_bytes, tables, tables + (4 << 20));
	assert_in_range(n.map_bytes, 1, (1ull << 40) / 32);
}

static bool has_room(void)
{
	struct rlimit limit;

	return !getrlimit(RLIMIT_NOFILE, &limit) && limit.rlim_max >= 10000;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_is_linear_in_cpus),
		cmocka_unit_test(metrics_of_tasks_are_linear_in_cpus),
		cmocka_unit_test(descriptors_are_within_what_doctor_asks_for),
		cmocka_unit_test(memory_of_tasks_is_what_was_computed),
	};

	if (!has_room()) {
		puts("1..0 # SKIP files: the limit of open files is below 10,000");
		return 0;
	}
	return cmocka_run_group_tests(tests, fake_sessions__set_up, fake_sessions__tear_down);
}
