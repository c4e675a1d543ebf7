/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/mapring.h - the ring of records that the kernel shares for one perf event.
 *
 * Reads records in order, one at a time, without copying those that lie in one piece.
 * Knows nothing of what is in them (perf/record.h) but the losses they tell. One thread reads a
 * ring; mapring__cancel() alone may be called from others.
 * Source: perf_event_open(2), "MMAP layout"; kernel/events/ring_buffer.c.
 */
#ifndef PMUTRACE_PERF_MAPRING_H
#define PMUTRACE_PERF_MAPRING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct mapring;

/**
 * mapring__open() - map the ring of an event
 * @fd: of the event; borrowed, must stay open as long as the ring
 * @bytes: of its data; a power of two of pages
 *
 * Events that were told to write here (PERF_EVENT_IOC_SET_OUTPUT) end with this one's target.
 *
 * Return: 0 or -errno: -EINVAL: that size, or an event that inherits on all CPUs; -EPERM: the
 * memory limit, kernel.perf_event_mlock_kb.
 */
int mapring__open(struct mapring **out, int fd, size_t bytes) must_check;

/*
 * The same without a descriptor of its own, which many rings of one thread need not have:
 * mapring__cancel() does nothing to it.
 */
int mapring__open_alone(struct mapring **out, int fd, size_t bytes) must_check;

/*
 * A ring in memory of the caller: a struct perf_event_mmap_page, and the data behind. Without an
 * event there is nothing to wait for. For tests. 0, -EBADMSG: no ring, or -ENOMEM.
 */
int mapring__over(struct mapring **out, void *memory, size_t bytes) must_check;

void mapring__close(struct mapring *r);

/**
 * mapring__read() - the next record, waiting for it if need be
 * @timeout_ms: 0: do not wait; -1: as long as it takes
 * @bytes: the record, 8-byte aligned; borrowed: it stays until the next call of mapring__read(),
 *	   mapring__next() or mapring__close()
 *
 * Records that are there come before anything else: also those of a target that has ended.
 *
 * Return: 0, or -errno:
 *   -ETIMEDOUT  nothing came
 *   -ESHUTDOWN  the target has ended, and all its records were read
 *   -ECANCELED  mapring__cancel() was called
 *   -EINTR      a signal came
 *   -EBADMSG    the ring made no sense: what waited in it is lost, later records are not
 *   -EIO        the event is in error: pinned, but the PMU has no room for it
 */
int mapring__read(struct mapring *r, int timeout_ms, const void **bytes, size_t *len) must_check;

/* True if a record waits: mapring__read() would not sleep. Takes nothing. */
bool mapring__has_record(const struct mapring *r);

/* Sleeps until a record waits: 0, or as mapring__read(). */
int mapring__wait(struct mapring *r, int timeout_ms) must_check;

/*
 * Wakes up who waits, else makes the next wait return at once: -ECANCELED, one time however
 * often this was called. Safe in signal handlers and from other threads.
 */
void mapring__cancel(struct mapring *r);

/*
 * For readers of many rings, the steps of mapring__read() alone. mapring__update() looks how far
 * the kernel has written; mapring__next() hands out records up to there, then -EAGAIN.
 * mapring__release() gives the room of all records but the last one handed out back to the
 * kernel, which the others do now and then.
 */
void mapring__update(struct mapring *r);
int mapring__next(struct mapring *r, const void **bytes, size_t *len) must_check;
void mapring__release(struct mapring *r);

/* Stops and continues writing (PERF_EVENT_IOC_PAUSE_OUTPUT); meanwhile records are lost. */
int mapring__pause(struct mapring *r, bool pause) must_check;

/* Of the event, for poll(2). HUP comes as soon as the target ended, whatever still waits. */
int mapring__fd(const struct mapring *r);

/* Records and samples that LOST and LOST_SAMPLES records, so far handed out, say are missing. */
uint64_t mapring__nr_lost(const struct mapring *r);

#endif
