/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/sink.h - the one way to write a file that our user has named: -o, --record, the screen's W.
 *
 * What may be in the way, and what is done about it:
 *
 *	a link		is followed, also one to what is not there yet: what it points to is
 *			written or replaced, the link stays
 *	a stranger's	where everybody may put files (a directory that is sticky and writable
 *			by all, /tmp), what belongs neither to us nor to the directory's owner is
 *			refused: links on the way, files, pipes; and so are files that have
 *			another name, too. Who runs as root there would write over what a link
 *			points to, or into what another reads. The kernel has these rules as
 *			sysctls (proc_sys_fs(5): protected_symlinks, protected_regular,
 *			protected_fifos, protected_hardlinks); here they hold whatever is set
 *			there
 *	a file		keeps its mode, owner and access list. A whole result takes its place in
 *			one step when it is complete, so who reads sees the old one or the new
 *			one; where the directory takes no file, or the file is one that is
 *			mounted or, unless we are root, another user's, it is written in
 *			place
 *	a pipe		that nobody reads from is waited for, a second at most; whose reader goes is
 *			EPIPE, not SIGPIPE, as that would be the end of other results, too. stdout
 *			is as everywhere
 *	a descriptor	of ours (/dev/stdout, /proc/self/fd/1) is written to as it is, from where
 *			it is
 *	a device	is written to; a directory is an error, and so is a socket
 *	a full disk	what comes in parts ends with the last that is whole
 *	our end		by any signal leaves no unfinished file behind: base/newfile.h
 *
 * Life: open - (begin - write - end), once or for each part - close - free. The first begin creates
 * the file, or drops what it had; for a whole result close does.
 */
#ifndef PMUTRACE_BASE_SINK_H
#define PMUTRACE_BASE_SINK_H

#include <stdint.h>
#include <stdio.h>

#include "base/array.h"

struct sink;

enum sink_use {
	SINK_WHOLE,   /* one result, or none */
	SINK_PARTS,   /* several, each is to be seen at once */
	SINK_NEW,     /* one result; what is there already, be it a link, is an error */
	SINK_PRIVATE, /* the same with several, and for nobody else to read */
};

/**
 * sink__open() - find and check where results go, before anything is measured
 *
 * Return: 0; -EEXIST; -EISDIR; -ENXIO: a pipe without a reader; -DESTINATION_STRANGERS; another
 * -errno.
 */
int sink__open(struct sink **out, const char *path, enum sink_use use) must_check;

/* To stdout or stderr, borrowed. 0 or -ENOMEM. */
int sink__of(struct sink **out, FILE *f) must_check;

/* *f: what the result, or the next part, is to be written to. 0 or -errno. */
int sink__begin(struct sink *s, FILE **f) must_check;

/**
 * sink__end() - it is written
 * @err: of writing it, or 0
 *
 * Flushes. A part that failed is removed from a regular file again.
 *
 * Return: 0 or the first -errno.
 */
int sink__end(struct sink *s, int err) must_check;

/* Ends the output: a whole result can be seen from now on. 0, or -errno and it cannot. */
int sink__close(struct sink *s) must_check;

/* Discards a whole result that was not closed. */
void sink__free(struct sink *s);

/* strerror() for what these return: "nobody reads from this pipe". */
const char *sink__strerror(int err);

#endif
