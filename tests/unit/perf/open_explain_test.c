// SPDX-License-Identifier: BSD-2-Clause
/* Events that no kernel takes, and what is told of each. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "perf/open.h"

static void check(const struct perf_event_attr *attr, const char *text)
{
	int fd = perf_open(attr, 0, -1, -1);
	struct buf why = {};

	assert_int_equal(fd, -EINVAL);
	assert_int_equal(perf_open__explain(&why, fd, attr, "EVENT", READER_PERSON), 0);
	assert_string_equal(why.data, text);
	buf__free(&why);
}

/* Kernels and machines without breakpoints cannot tell what is wrong with one. */
static bool has_breakpoints(struct perf_event_attr attr)
{
	int fd;

	attr.bp_addr = 0x1000;
	attr.bp_len = 1;
	attr.bp_type = HW_BREAKPOINT_W;
	fd = perf_open(&attr, 0, -1, -1);
	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static struct perf_event_attr breakpoint(uint64_t addr, uint64_t len)
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = PERF_TYPE_BREAKPOINT,
		.bp_addr = addr,
		.bp_len = len,
		.bp_type = HW_BREAKPOINT_W,
		.exclude_kernel = 1,
		.exclude_hv = 1,
		.disabled = 1,
	};
}

static void breakpoints_have_lengths_and_alignments(void **state)
{
	struct perf_event_attr attr = breakpoint(0x1001, 8);

	(void)state;
#if !defined(__x86_64__)
	skip(); /* others take other lengths */
#endif
	if (!has_breakpoints(attr))
		skip();
	check(&attr, "'EVENT': the address of a breakpoint is a multiple of its length, and 0x1001 "
		     "is none of 8");
	attr = breakpoint(0x1000, 3);
	check(&attr, "'EVENT': a breakpoint is 1, 2, 4 or 8 bytes long, not 3");
	attr = breakpoint(0x1000, 4);
	attr.bp_type = HW_BREAKPOINT_R;
	check(&attr, "'EVENT': this CPU cannot watch reads without writes; use :rw");
}

static void rates_have_a_limit(void **state)
{
	long most = perf_sysctl("perf_event_max_sample_rate", -1);
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = most + 1,
		.exclude_kernel = 1,
		.disabled = 1,
	};
	char text[160];

	(void)state;
	if (most < 0)
		skip();
	snprintf(text, sizeof(text),
		 "'EVENT': %ld samples each second are more than "
		 "kernel.perf_event_max_sample_rate allows (%ld)",
		 most + 1, most);
	check(&attr, text);
}

/* Ids are 16 bits wide. */
static void tracepoints_have_an_id(void **state)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_TRACEPOINT,
		.config = 999999,
		.disabled = 1,
	};

	(void)state;
	if (!perf_is_privileged())
		skip();
	check(&attr, "'EVENT': there is no tracepoint with the id 999999, or it is not for perf");
}

/* Who may do all is not told to become root. */
static void root_is_not_told_to_be_root(void **state)
{
	const struct perf_event_attr function = { .size = sizeof(function),
						  .type = PERF_TYPE_TRACEPOINT,
						  .config = 1 };
	const struct perf_event_attr clock = { .size = sizeof(clock), .type = PERF_TYPE_SOFTWARE };
	struct buf why = {};

	(void)state;
	assert_int_equal(perf_open__explain(&why, -EACCES, &clock, "EVENT", READER_PERSON), 0);
	if (perf_is_privileged()) {
		assert_null(strstr(why.data, "as root"));
		assert_non_null(strstr(why.data, "the kernel refuses 'EVENT' to root too"));
	} else {
		assert_non_null(strstr(why.data, "run as root"));
	}
	buf__free(&why);
	if (!perf_is_privileged())
		skip();
	assert_int_equal(perf_open__explain(&why, -EPERM, &function, "EVENT", READER_PERSON), 0);
	assert_non_null(strstr(why.data, "nobody trace all of its functions"));
	buf__free(&why);
}

/* What the kernel says of kprobe:schedule+3, which is no beginning of an instruction. */
static void a_kprobe_inside_of_an_instruction_is_told_as_such(void **state)
{
	const struct perf_event_attr attr = { .size = sizeof(attr), .type = PERF_TYPE_MAX };
	struct buf why = {};

	(void)state;
	assert_int_equal(
		perf_open__explain(&why, -EILSEQ, &attr, "kprobe:schedule+3", READER_PERSON), 0);
	assert_non_null(strstr(why.data, "no instruction that begins there"));
	assert_null(strstr(why.data, strerror(EILSEQ)));
	buf__free(&why);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(breakpoints_have_lengths_and_alignments),
		cmocka_unit_test(rates_have_a_limit),
		cmocka_unit_test(tracepoints_have_an_id),
		cmocka_unit_test(a_kprobe_inside_of_an_instruction_is_told_as_such),
		cmocka_unit_test(root_is_not_told_to_be_root),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
