/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import/context_reader.h - who reads process contexts (import/process_context.h) out of other
 * processes' memory: in the jail, from descriptors that it is given.
 *
 * Memory of a process may be such as never comes: of a file on a server that is gone, of
 * userfaultfd(2). And what is in it is read by a library. So whoever asks opens /proc/PID/maps and
 * mem, for which it needs the privileges, and a reader without any looks into them. It has a
 * quarter of a second.
 */
#ifndef PMUTRACE_IMPORT_CONTEXT_READER_H
#define PMUTRACE_IMPORT_CONTEXT_READER_H

#include <stdint.h>

#include "base/array.h"
#include "import/process_context.h"
#include "jail/jail.h"

extern const struct jail_reader context_reader_kind;

/* Where one was found, and when it had been published. */
struct context_place {
	uint64_t address, published_ns; /* 0: nowhere */
};

/**
 * context_reader__ask() - what does a process say of itself?
 * @maps:  /proc/PID/maps and
 * @mem:   /proc/PID/mem, as they are when just opened; borrowed
 * @place: where it was found before; it is set where it is found now
 *
 * Return: 0 with @out; -EALREADY: it is as it was at @place; -ENOENT: it says nothing; -EAGAIN: it
 * is being changed; -EPROTO: it says what cannot be read. These are the process's. Others are the
 * reader's, which is to be closed then: -ETIME: it took too long; -EPIPE, -EBADMSG, another -errno.
 */
int context_reader__ask(struct jailed *r, int maps, int mem, struct context_place *place,
			struct process_context *out) must_check;

/*
 * The same without a jail, for its tests: reads by itself, and for as long as it takes. @maps is
 * taken.
 */
int context_reader__read(int maps, int mem, struct context_place *place,
			 struct process_context *out) must_check;

#endif
