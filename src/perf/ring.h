/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/ring.h - the life of processes as perf events tell it: one ring for each CPU.
 *
 * A `dummy` software event counts nothing but writes side-band records: new executable
 * mappings, command names, execs, forks, exits, kernel code that comes and goes. Records of
 * one CPU are in order; across CPUs compare their time (CLOCK_MONOTONIC).
 * Source: perf_event_open(2), "MMAP layout"; include/uapi/linux/perf_event.h.
 */
#ifndef PMUTRACE_PERF_RING_H
#define PMUTRACE_PERF_RING_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

struct perf_ring; /* of one CPU */

enum perf_record_kind {
	RECORD_MMAP,
	RECORD_COMM,
	RECORD_EXEC, /* a COMM record that marks an exec */
	RECORD_FORK,
	RECORD_EXIT,
	RECORD_KSYMBOL,
	RECORD_LOST,
};

struct perf_record {
	enum perf_record_kind kind;
	uint64_t time_ns;
	uint32_t pid, tid;
	uint32_t parent_pid; /* FORK */
	uint64_t addr, len;  /* MMAP, KSYMBOL */
	uint64_t offset;     /* MMAP: in the file, bytes */
	uint64_t inode;	     /* MMAP: 0 when the kernel gave a build-id instead */
	uint32_t dev_major, dev_minor;
	uint64_t nr_lost;	 /* LOST: records */
	int unregister;		 /* KSYMBOL */
	const char *name;	 /* MMAP: path; COMM: name; KSYMBOL: name; valid during the call */
	const uint8_t *build_id; /* MMAP, or NULL */
	uint8_t build_id_len;
};

typedef int (*perf_record_fn)(void *arg, const struct perf_record *r);

/**
 * perf_ring__open() - start receiving side-band records of a CPU
 * @bytes: of the ring; a power of two of pages
 *
 * Return: 0 or -errno (-EPERM: the memory limit kernel.perf_event_mlock_kb).
 */
int perf_ring__open(struct perf_ring **out, int cpu, size_t bytes) must_check;
void perf_ring__close(struct perf_ring *r);

/* Why opening failed and what to do about it, one sentence. Appended; 0 or -ENOMEM. */
int perf_ring__explain(struct buf *out, int err) must_check;

/* For poll(2): readable when a quarter of the ring is full. */
int perf_ring__fd(const struct perf_ring *r);

/**
 * perf_rings__read() - hand the waiting records of several rings to @fn, in order of time
 * @until_ns: leave those that are newer; a record that was taken less than a millisecond ago on
 *	      another CPU may not be visible yet, so a moment that far back is complete
 *
 * Return: 0; the first error of @fn; -EBADMSG: a ring was corrupt and has been emptied.
 */
int perf_rings__read(struct perf_ring **rings, size_t nr, uint64_t until_ns, perf_record_fn fn,
		     void *arg) must_check;

/* One record from memory: 0; -ENOMSG: of no interest; -EBADMSG: malformed. For tests and fuzzing.
 */
int perf_record__decode(const void *bytes, size_t len, struct perf_record *out) must_check;

#endif
