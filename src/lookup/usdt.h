/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup/usdt.h - the static probes that a program's authors put into it (<sys/sdt.h>).
 *
 * Source: .note.stapsdt, sourceware.org/systemtap/wiki/UserSpaceProbeImplementation. Notes have
 * addresses of link time, which prelink(8) changes for all of the file but notes: .stapsdt.base
 * says by how much. The file belongs to a stranger; a note that is damaged, or speaks of what is
 * not in the file, is no probe.
 * Does not know: what the arguments' text means.
 * @why: gets a sentence on every error but -ENOMEM, and must not be NULL. @reader: who reads the
 *	file (lookup/lookup_reader.h); NULL: this process.
 */
#ifndef PMUTRACE_LOOKUP_USDT_H
#define PMUTRACE_LOOKUP_USDT_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

/* One place of a probe; inlining and templates make several of one. */
struct usdt_probe {
	const char *provider, *name;
	const char *args; /* "-4@%edi 8@-16(%rbp)", or "" */
	uint64_t offset;  /* in the file: where the uprobe goes */
	/*
	 * In the file: a 16-bit counter, which must not be 0 in the process for the probe to be
	 * reached (ref_ctr_offset of the uprobe PMU). 0: there is none.
	 */
	uint64_t semaphore;
};

struct lookup_reader;

typedef int usdt_fn(const struct usdt_probe *probe, void *arg);

/**
 * usdt__each() - all places of all probes, sorted by provider, name, offset; each once
 * @path: as open(2) takes it
 * @fn:   *probe is valid during the call only. Other than 0 ends the iteration and is returned
 *
 * Return: 0, also when there is none; -ENOEXEC: not a program or library, or one of 32 bits or of
 * the other byte order; another -errno.
 */
int usdt__each(struct lookup_reader *reader, const char *path, usdt_fn *fn, void *arg,
	       struct buf *why) must_check;

/**
 * usdt__find() - the places of one probe
 * @provider: NULL: any, if only one has a probe of that name
 * @out:      one allocation, strings and all: free() it. NULL on error
 *
 * Return: 0 and *nr > 0; -ENOENT: @why has the nearest names; -ENOTUNIQ: several providers;
 * what usdt__each() returns.
 */
int usdt__find(struct lookup_reader *reader, const char *path, const char *provider,
	       const char *name, struct usdt_probe **out, size_t *nr, struct buf *why) must_check;

#endif
