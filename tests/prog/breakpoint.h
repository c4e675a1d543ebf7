/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * breakpoint.h - does this machine tell of breakpoints? Some virtual machines let them be set, and
 * none is ever hit.
 *
 * For the program of that name, and for unit tests: asks the kernel itself, by perf_event_open(2).
 */
#ifndef TESTS_PROG_BREAKPOINT_H
#define TESTS_PROG_BREAKPOINT_H

#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of 7 stores of this thread, how many hit a breakpoint; -1: none can be set. */
static inline int stores_that_hit(void)
{
	static volatile uint64_t watched;
	struct perf_event_attr attr = {
		.type = PERF_TYPE_BREAKPOINT,
		.size = sizeof(attr),
		.bp_type = HW_BREAKPOINT_W,
		.bp_addr = (uintptr_t)&watched,
		.bp_len = HW_BREAKPOINT_LEN_8,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	const int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	uint64_t hits = 0;
	ssize_t n;

	if (fd < 0)
		return -1;
	for (uint64_t i = 0; i < 7; i++)
		watched = i;
	n = read(fd, &hits, sizeof(hits));
	close(fd);
	return n == sizeof(hits) ? (int)hits : -1;
}

#endif
