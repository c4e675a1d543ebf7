/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/sideband.h - the life of processes as perf events tell it: one ring for each CPU.
 *
 * A `dummy` software event counts nothing but writes side-band records: new executable
 * mappings, command names, execs, forks, exits, kernel code that comes and goes. Records of
 * one CPU are in order; across CPUs compare their time (CLOCK_MONOTONIC).
 * Rings are read by perf/mapring.h and records by perf/record.h.
 * Source: perf_event_open(2), "MMAP layout"; include/uapi/linux/perf_event.h.
 */
#ifndef PMUTRACE_PERF_SIDEBAND_H
#define PMUTRACE_PERF_SIDEBAND_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

struct sideband; /* of one CPU */

enum sideband_kind {
	SIDEBAND_MMAP,
	SIDEBAND_COMM,
	SIDEBAND_EXEC, /* a COMM record that marks an exec */
	SIDEBAND_FORK,
	SIDEBAND_EXIT,
	SIDEBAND_KSYMBOL,
	SIDEBAND_LOST,
};

struct sideband_record {
	enum sideband_kind kind;
	uint64_t time_ns;
	uint32_t pid, tid;
	uint32_t parent_pid; /* FORK */
	uint64_t addr, len;  /* MMAP, KSYMBOL */
	uint64_t offset;     /* MMAP: in the file, bytes */
	uint64_t inode;	     /* MMAP: 0 when the kernel gave a build-id instead */
	uint32_t dev_major, dev_minor;
	uint64_t nr_lost;	 /* LOST: records */
	uint64_t since_ns;	 /* LOST: of the last record before them, on that CPU; 0: none */
	int unregister;		 /* KSYMBOL */
	const char *name;	 /* MMAP: path; COMM: name; KSYMBOL: name; valid during the call */
	const uint8_t *build_id; /* MMAP, or NULL */
	uint8_t build_id_len;
};

typedef int (*sideband_fn)(void *arg, const struct sideband_record *r);

/**
 * sideband__open() - start receiving side-band records of a CPU
 * @bytes: of the ring; a power of two of pages
 *
 * Return: 0 or -errno (-EPERM: the memory limit kernel.perf_event_mlock_kb).
 */
int sideband__open(struct sideband **out, int cpu, size_t bytes) must_check;
void sideband__close(struct sideband *s);

/* Why opening failed and what to do about it, one sentence. Appended; 0 or -ENOMEM. */
int sideband__explain(struct buf *out, int err) must_check;

/* For poll(2): readable when a quarter of the ring is full. */
int sideband__fd(const struct sideband *s);

/*
 * Records that the ring had no room for since it was opened. Kernels from 6.0 know it at once,
 * older ones tell it with the next record that has room. *since_ns: as in LOST records, of those
 * that no such record has told yet.
 */
uint64_t sideband__nr_lost(const struct sideband *s, uint64_t *since_ns);

/**
 * sidebands__read() - hand the waiting records of several CPUs to @fn, in order of time
 * @until_ns: leave those that are newer; a record that was taken less than a millisecond ago on
 *	      another CPU may not be visible yet, so a moment that far back is complete
 *
 * Return: 0; the first error of @fn; -EBADMSG: a ring was corrupt and has been emptied.
 */
int sidebands__read(struct sideband **cpus, size_t nr, uint64_t until_ns, sideband_fn fn,
		    void *arg) must_check;

/*
 * One record from memory, 8-byte aligned: 0; -ENOMSG: of no interest; -EBADMSG: malformed. For
 * tests and fuzzing.
 */
int sideband_record__decode(const void *bytes, size_t len, struct sideband_record *out) must_check;

#endif
