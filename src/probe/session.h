/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/session.h - what all sessions are that count in tables and are drained: probe/sample.h
 * samples events, probe/count.h counts hits of probes, probe/func.h measures calls of functions,
 * probe/top.h charges counters to tasks. Each opens one with its own options; the rest is here.
 *
 * Life: open (loads, attaches, everything still off) - session__start() - any number of polls and
 * flushes - session__stop() - a last poll - session__close(). A killed process leaves nothing
 * behind: closing its events and links detaches the programs.
 *
 * Rows are shown as they appear (rows_reader.stack), counts when the memory that holds them is
 * drained (rows_reader.count): while running when it is half full, at a flush, and at the end.
 */
#ifndef PMUTRACE_PROBE_SESSION_H
#define PMUTRACE_PROBE_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "model/loss.h"
#include "model/unwind_check.h"
#include "object/rows.h"

struct object;
struct unwind_maps;

struct session;

/* What a kind of session does in its own way. NULL, but for object and close: nothing to do. */
struct session_fns {
	/* Its BPF objects, one after the other; NULL: there are no more. */
	struct object *(*object)(const struct session *s, size_t i);
	/* Before programs are turned on; after it; and after they are turned off. */
	int (*start)(struct session *s);
	int (*started)(struct session *s);
	int (*stop)(struct session *s);
	/* Before a poll, and before a flush: what has to be looked at while programs run. */
	int (*before_poll)(struct session *s);
	int (*before_flush)(struct session *s);
	/* Until programs that are running now have ended; NULL: grace__wait(). */
	int (*wait)(struct session *s);
	/* What is not in its objects' tables: at a flush and after stop, and how much up to now. */
	int (*rest)(struct session *s, const struct rows_reader *reader);
	uint64_t (*rest_seen)(const struct session *s);
	/* Hits that the kernel has kept from an object's programs since they were loaded. */
	uint64_t (*missed)(const struct session *s, const struct object *o);
	void (*losses)(const struct session *s, struct losses *out);
	void (*tell)(const struct session *s);
	int (*times)(const struct session *s, uint32_t source, uint64_t *enabled_ns,
		     uint64_t *running_ns);
	uint64_t (*passed_over)(const struct session *s, uint32_t source);
	void (*check)(const struct session *s, struct unwind_check *check);
	void (*close)(struct session *s);
};

/* The first member of each kind's session. */
struct session {
	const struct session_fns *fns;
	bool stopped;
	bool is_measured; /* by the kernel, while @run_time, a descriptor, is open */
	int run_time;
	uint64_t run_ns; /* as told last */
};

int session__start(struct session *s) must_check;

/* Ends counting; what was counted can still be polled. */
int session__stop(struct session *s) must_check;

/* Shows new stacks, and drains what is more than half full, or everything after stop. */
int session__poll(struct session *s, const struct rows_reader *reader) must_check;

/* All that was counted up to now, while it goes on. Takes 5 to 40 ms. 0 or -errno. */
int session__flush(struct session *s, const struct rows_reader *reader) must_check;

/* A flush without a look at what is under way: to make room. 0 or -errno. */
int session__drain(struct session *s, const struct rows_reader *reader) must_check;

/*
 * Instead of a poll, for those who need no stack before its count: whether a session__drain() is
 * due. Remembers how quickly the tables fill, for session__patience_ms().
 */
bool session__is_half_full(struct session *s);

/* When the next poll is due: soon while the tables fill quickly. */
unsigned session__patience_ms(const struct session *s);

/* Where rules for unwinding go; NULL: stacks are taken by frame pointer, or not at all. */
struct unwind_maps *session__unwind(const struct session *s);

/* Up to now. */
uint64_t session__seen(const struct session *s);

/* Of what polls and flushes have handed out: what was seen, and lost by reason. */
void session__losses(const struct session *s, struct losses *out);

/*
 * Has the kernel measure the programs of a session that do not measure themselves; of the only one
 * of this process (object/run_time.h). 0 or -errno with @why.
 */
int session__measure_cost(struct session *s, struct buf *why) must_check;

/* CPU time that its programs took up to now, ns; 0: nobody measures it. */
uint64_t session__own_ns(struct session *s);

/* Notices at the end. */
void session__tell(const struct session *s);

/*
 * Time that the event or probe that key->stack.source names was enabled and on a counter, summed
 * over its CPUs, ns, up to the last flush or the end; both 0 of others. 0 or -errno.
 */
int session__times(const struct session *s, uint32_t source, uint64_t *enabled_ns,
		   uint64_t *running_ns) must_check;

/* What samples passed over by the kernel stand for, in the event's unit. */
uint64_t session__passed_over(const struct session *s, uint32_t source);

/* What programs have compared themselves, of kernel stacks: into @check->kernel. */
void session__check(const struct session *s, struct unwind_check *check);

void session__close(struct session *s);

/* For sessions: a loss of which there is none is not told; the tables' losses, by their texts. */
void session__add_loss(struct losses *l, struct loss loss, uint64_t n);
void session__add_losses(struct losses *l, const struct loss *texts, const uint64_t *lost,
			 size_t nr);
void session__tell_dropped(uint64_t children);

#endif
