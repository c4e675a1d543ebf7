// SPDX-License-Identifier: BSD-2-Clause
/* proc_stat(5): "cpuN user nice system idle iowait irq softirq steal guest guest_nice". */
#include <errno.h>

#include "machine/cputime.h"
#include "tracefs_fixture.h"

static void takes_each_cpu_by_its_number(void **state)
{
	struct cputime cpus[4];
	struct fixture f;
	int fd;

	(void)state;
	fixture__open(&f);
	fixture__put(&f, "proc/stat",
		     "cpu  99 99 99 99 99 99 99 99 0 0\n"
		     "cpu0 1 2 3 400 50 6 7 8 0 0\n"
		     "cpu2 10 0 0 90 0 0 0 0 10 0\n"
		     "cpu9 1 1 1 1 1 1 1 1 1 1\n"
		     "intr 5 cpu1 1 1 1 1 1 1 1 1\n");
	fd = cputime__open(f.dir);
	assert_true(fd >= 0);
	assert_int_equal(cputime__read(fd, cpus, 4), 0);
	assert_int_equal(cputime__read(fd, cpus, 4), 0); /* from its beginning */
	close(fd);
	assert_true(cpus[0].online);
	assert_int_equal(cpus[0].busy_ns, 19 * 10000000ull);
	assert_int_equal(cpus[0].task_ns, 6 * 10000000ull); /* without interrupts */
	assert_int_equal(cpus[0].idle_ns, 450 * 10000000ull);
	assert_int_equal(cpus[0].stolen_ns, 8 * 10000000ull);
	assert_false(cpus[1].online); /* no line: offline */
	assert_int_equal(cpus[1].idle_ns, 0);
	assert_int_equal(cpus[2].busy_ns, 10 * 10000000ull);
	fixture__close(&f);
}

static void says_when_there_is_none(void **state)
{
	(void)state;
	assert_int_equal(cputime__open("/nowhere"), -ENOENT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_each_cpu_by_its_number),
		cmocka_unit_test(says_when_there_is_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
