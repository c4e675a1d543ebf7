/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/fetches.h - debug files that are being fetched, and those that were, for one thread that has
 * other things to do meanwhile.
 *
 * A server takes seconds, or as long as it may (sym/debuginfod.h), so that it is waited for on a
 * thread of its own: the names of other files, and the files that unwind tables are made of, come
 * in between. What was fetched is kept open, up to FETCHES_OPEN files; what nobody has is asked for
 * once. Nothing is read here of what was sent: whoever does may find that it is another file.
 *
 *	open, by build-id ---> -EAGAIN ...	told(): there is something to take in
 *	fetches__take() ---> which build-id has been settled: open it again
 */
#ifndef PMUTRACE_SYM_FETCHES_H
#define PMUTRACE_SYM_FETCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

struct debuginfod;
struct fetches;

enum { FETCHES_OPEN = 32 };

struct fetches_opts {
	struct debuginfod *from; /* borrowed */
	void (*told)(void *arg); /* on the other thread, not after fetches__close() */
	void *arg;
};

/* 0 or -errno. */
int fetches__open(struct fetches **out, const struct fetches_opts *opts) must_check;
void fetches__close(struct fetches *f);

/*
 * A descriptor, the caller's, of what a server has sent as the debug file of a build-id; -EAGAIN:
 * it is being fetched; another -errno: there is none.
 */
int fetches__open_file(struct fetches *f, const unsigned char *id, size_t len) must_check;

/* What was sent has another build-id: there is none, which a notice says of one of them. */
void fetches__refuse(struct fetches *f, const unsigned char *id, size_t len);

/* The number of the fetch that the last -EAGAIN was about. */
uint32_t fetches__waited_for(const struct fetches *f);

/* A fetch that is settled; false: there are no others for now. */
bool fetches__take(struct fetches *f, uint32_t *fetch);

#endif
