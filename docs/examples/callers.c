// SPDX-License-Identifier: BSD-2-Clause
/*
 * callers - who calls getpid(2) here: samples of a tracepoint with their call chains.
 *
 *	cc -fno-omit-frame-pointer callers.c $(pkg-config --cflags --libs pmutrace) && ./a.out
 */
#include <inttypes.h>
#include <pmutrace.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define NOINLINE __attribute__((noinline))

/* libc's syscall() makes no frame, so that its caller is missing in a chain of frame pointers. */
static NOINLINE void ask(void)
{
	syscall(SYS_getpid);
	__asm__ volatile(""); /* no tail call */
}

static NOINLINE void handle_request(void)
{
	ask();
	__asm__ volatile("");
}

int main(void)
{
	struct perf_event_attr attr = {
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
		.exclude_callchain_kernel = 1,
	};
	struct pmutrace_options options = { .size = sizeof(options), .attr = &attr };
	struct pmutrace_record record;
	struct pmutrace_events *e;
	struct pmutrace_error why;
	struct pmutrace_ring *ring;

	/* "@1": a sample each time. */
	if (pmutrace_open(&e, "syscalls:sys_enter_getpid@1", NULL, &options, &why) ||
	    pmutrace_ring_open(&ring, e, 0, &why)) {
		fprintf(stderr, "%s\n", why.text);
		return 1;
	}
	pmutrace_enable(e);
	for (int i = 0; i < 3; i++)
		handle_request();
	pmutrace_disable(e);

	printf("handle_request is at %#" PRIxPTR "\n", (uintptr_t)handle_request);
	while (!pmutrace_ring_read(ring, 0, &record)) {
		if (record.type != PERF_RECORD_SAMPLE)
			continue;
		printf("%s by %" PRIu32 ":", pmutrace_label(e, (size_t)record.event), record.tid);
		for (size_t i = 0; i < record.sample.nr_ips; i++)
			if (record.sample.ips[i] < PERF_CONTEXT_MAX)
				printf(" %#" PRIx64, record.sample.ips[i]);
		printf("\n");
	}
	pmutrace_ring_close(ring);
	pmutrace_close(e);
	return 0;
}
