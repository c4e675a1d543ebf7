// SPDX-License-Identifier: BSD-2-Clause
/* Programs that are under way are waited for: one that takes a millisecond, on another CPU. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <pthread.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"
#include "base/clock.h"
#include "object/grace.h"

#define skip_because(...) (printf("# SKIP " __VA_ARGS__), puts(""), skip())

static bool has_membarrier;

long __real_syscall(long nr, ...);
long __wrap_syscall(long nr, ...);

/* Kernels with nohz_full refuse it. */
long __wrap_syscall(long nr, ...)
{
	long a[6];
	va_list args;

	va_start(args, nr);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (nr == SYS_membarrier && !has_membarrier) {
		errno = EINVAL;
		return -1;
	}
	return __real_syscall(nr, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/*
 * A program that runs again and again in a thread: odd while it is under way. The kernel does
 * not leave it for another thread of its CPU, so it is seen so only from a second CPU.
 */
static struct run {
	int prog_fd, map_fd, cpu;
	uint64_t *sequence;
	volatile bool ends;
	pthread_t thread;
} run;

/* Adds one to the map's value, asks 20000 times for the time, and adds one again. */
static int load(int map_fd)
{
	const struct bpf_insn insns[] = {
		{ .code = BPF_LD | BPF_DW | BPF_IMM,
		  .dst_reg = BPF_REG_7,
		  .src_reg = BPF_PSEUDO_MAP_VALUE,
		  .imm = map_fd },
		{},
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
		{ .code = BPF_STX | BPF_DW | BPF_ATOMIC,
		  .dst_reg = BPF_REG_7,
		  .src_reg = BPF_REG_1,
		  .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_6, .imm = 20000 },
		{ .code = BPF_JMP | BPF_CALL, .imm = BPF_FUNC_ktime_get_ns },
		{ .code = BPF_ALU64 | BPF_SUB | BPF_K, .dst_reg = BPF_REG_6, .imm = 1 },
		{ .code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_6, .off = -3 },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = 1 },
		{ .code = BPF_STX | BPF_DW | BPF_ATOMIC,
		  .dst_reg = BPF_REG_7,
		  .src_reg = BPF_REG_1,
		  .imm = BPF_ADD },
		{ .code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0 },
		{ .code = BPF_JMP | BPF_EXIT },
	};

	return bpf_prog_load(BPF_PROG_TYPE_RAW_TRACEPOINT, "test", "GPL", insns, ARRAY_SIZE(insns),
			     NULL);
}

static int stay_on(int cpu)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(cpu, &cpus);
	return sched_setaffinity(0, sizeof(cpus), &cpus);
}

static void *run_often(void *arg)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);

	if (stay_on(run.cpu))
		run.ends = true;
	while (!run.ends)
		if (bpf_prog_test_run_opts(run.prog_fd, &opts))
			return NULL;
	return NULL;
}

static cpu_set_t allowed;

/* We on the first CPU that we may use, the program on the second. -1: there is only one. */
static int share_cpus(void)
{
	int cpus[2], nr = 0;

	if (sched_getaffinity(0, sizeof(allowed), &allowed))
		return -1;
	for (int cpu = 0; cpu < CPU_SETSIZE && nr < 2; cpu++)
		if (CPU_ISSET(cpu, &allowed))
			cpus[nr++] = cpu;
	if (nr < 2 || stay_on(cpus[0]))
		return -1;
	return cpus[1];
}

static int start(void **state)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);

	run = (struct run){ .prog_fd = -1, .sequence = MAP_FAILED };
	run.map_fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "test", 4, 8, 1, &opts);
	if (run.map_fd >= 0)
		run.prog_fd = load(run.map_fd);
	run.cpu = share_cpus();
	if (run.prog_fd < 0 || run.cpu < 0)
		return 0;
	run.sequence = mmap(NULL, 4096, PROT_READ, MAP_SHARED, run.map_fd, 0);
	return run.sequence == MAP_FAILED || pthread_create(&run.thread, NULL, run_often, NULL);
}

static int end(void **state)
{
	run.ends = true;
	if (run.sequence != MAP_FAILED) {
		pthread_join(run.thread, NULL);
		munmap(run.sequence, 4096);
	}
	if (run.map_fd >= 0)
		close(run.map_fd);
	if (run.prog_fd >= 0)
		close(run.prog_fd);
	return sched_setaffinity(0, sizeof(allowed), &allowed);
}

static uint64_t look(void)
{
	return __atomic_load_n(run.sequence, __ATOMIC_ACQUIRE);
}

/* Waits until the program is under way. False: nobody saw it so. */
static bool is_under_way(uint64_t *at)
{
	const uint64_t until_ns = clock__now_ns() + 5000000000;

	do
		*at = look();
	while (!(*at & 1) && clock__now_ns() < until_ns);
	return *at & 1;
}

static void assert_waited_for(void)
{
	if (run.prog_fd < 0)
		skip_because("caps: BPF is not permitted");
	if (run.cpu < 0)
		skip_because("one-cpu: no program is under way while we look");
	for (unsigned i = 0; i < 20; i++) {
		uint64_t at;

		assert_true(is_under_way(&at));
		assert_int_equal(grace__wait(), 0);
		assert_true(look() > at);
	}
}

static void programs_are_waited_for(void **state)
{
	has_membarrier = true;
	assert_waited_for();
}

static void without_the_system_call_for_it_they_are_too(void **state)
{
	has_membarrier = false;
	assert_waited_for();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(programs_are_waited_for, start, end),
		cmocka_unit_test_setup_teardown(without_the_system_call_for_it_they_are_too, start,
						end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
