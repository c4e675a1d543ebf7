/* SPDX-License-Identifier: BSD-2-Clause */
/* api/ring.h - what those who open and those who read rings share. */
#ifndef PMUTRACE_API_RING_H
#define PMUTRACE_API_RING_H

#include <poll.h>

#include "api/parts.h"
#include "perf/mapring.h"
#include "perf/record.h"

struct buffer {
	struct mapring *ring;
	int cpu, place; /* place: where the event that owns it is open */
};

struct pmutrace_ring {
	struct pmutrace_events *events;
	struct perf_record_layout *layouts; /* by column */
	size_t owner;			    /* column whose layout tells ids */
	struct buffer *buffers;
	size_t nr_buffers, cap_buffers;
	struct pollfd *polls; /* [0]: cancel; then the events that write: -1 once they ended */
	size_t nr_writers, nr_left, cap_polls;
	size_t next; /* buffer to look at first */
	int cancel_fd;
};

#endif
