// SPDX-License-Identifier: BSD-2-Clause
/*
 * mappings - what a process maps for execution while it runs: its libraries, those of dlopen too.
 *
 *	cc mappings.c $(pkg-config --cflags --libs pmutrace) && ./a.out COMMAND ARGS
 */
#include <inttypes.h>
#include <pmutrace.h>
#include <stdio.h>

static int fail(const struct pmutrace_error *why)
{
	fprintf(stderr, "%s\n", why->text);
	return 1;
}

int main(int argc, char **argv)
{
	/* A dummy counts nothing: it is there for its records. */
	struct perf_event_attr attr = {
		.mmap = 1,
		.mmap2 = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	struct pmutrace_options options = {
		.size = sizeof(options),
		.inherit = true,
		.enable_on_exec = true,
		.attr = &attr,
	};
	struct pmutrace_target target = { .kind = PMUTRACE_THREAD };
	struct pmutrace_command *command;
	struct pmutrace_record record;
	struct pmutrace_events *e;
	struct pmutrace_error why;
	struct pmutrace_ring *ring;
	int err;

	if (argc < 2)
		return 2;
	if (pmutrace_command_start(&command, argv + 1, &why))
		return fail(&why);
	target.pid = pmutrace_command_pid(command);
	if (pmutrace_open(&e, "dummy", &target, &options, &why) ||
	    pmutrace_ring_open(&ring, e, 0, &why) || pmutrace_command_release(command, &why))
		return fail(&why);

	/* Ends with -ESHUTDOWN: the command has ended, and all records were read. */
	while (!(err = pmutrace_ring_read(ring, -1, &record)))
		if (record.type == PERF_RECORD_MMAP2)
			printf("%" PRIu32 " %#" PRIx64 " +%#" PRIx64 " %s\n", record.pid,
			       record.mmap.start, record.mmap.bytes, record.mmap.path);

	printf("lost %" PRIu64 ", exit status %d\n", pmutrace_ring_nr_lost(ring),
	       pmutrace_command_wait(command));
	pmutrace_ring_close(ring);
	pmutrace_close(e);
	pmutrace_command_free(command);
	return 0;
}
