/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live/endings.h - which tasks have ended in an interval.
 *
 * Pieces of tasks' runs come from many CPUs in any order; their times tell which was the last. An
 * id that is alive after its end was reused: by another task, or, with execve() in another thread
 * than the first, by that thread, which takes over the id of the first.
 *
 * A process has ended when its last thread has, also if its parent has not waited for it yet.
 *
 * Life: endings__add() for all pieces of one drain of the tables, in any order; endings__settle();
 * another drain, whose pieces are all later; endings__of(); endings__clear() for the next interval.
 */
#ifndef PMUTRACE_LIVE_ENDINGS_H
#define PMUTRACE_LIVE_ENDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/idmap.h"
#include "model/live.h"

/* What a task was last seen to do, in a part of the interval. */
struct ending_piece {
	uint32_t tgid, tid; /* as struct live_task has them */
	uint64_t alive_ns;  /* CLOCK_MONOTONIC; 0: it was not */
	uint64_t ended_ns;  /* it ended; 0: it did not */
	bool with_process;  /* and its process with it */
};

struct ending {
	uint64_t alive_ns, ended_ns; /* the last time; 0: none */
};

/* Zero-initialise it; endings__free() gives the memory back. */
struct endings {
	struct ending_piece *pieces; /* not settled */
	size_t nr_pieces, cap_pieces;
	struct ending *items; /* of ids that ended at all: few */
	size_t nr, cap;
	struct idmap threads, processes; /* id -> index into items */
};

/* 0 or -ENOMEM. */
int endings__add(struct endings *e, const struct ending_piece *piece) must_check;

/* 0 or -ENOMEM. */
int endings__settle(struct endings *e) must_check;

/* Which flags of enum live_end a task has. */
unsigned endings__of(const struct endings *e, const struct live_task *t);

void endings__clear(struct endings *e);
void endings__free(struct endings *e);

#endif
