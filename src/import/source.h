/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import/source.h - what our user wants read: a file or a pipe, by lines.
 *
 * It may be packed by gzip. A pipe may be named, as shells do for <(COMMAND), and "-" is stdin;
 * devices and sockets are refused (base/regular.h says why). Memory: the longest line, which is
 * SOURCE_LINE_BYTES at most, whatever gzip unpacks to.
 */
#ifndef PMUTRACE_IMPORT_SOURCE_H
#define PMUTRACE_IMPORT_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

enum {
	SOURCE_LINE_BYTES = 4 << 20,
	SOURCE_PEEK_BYTES = 64 << 10,
};

struct source;

/* @path: borrowed. 0 or -errno with @why. */
int source__open(struct source **out, const char *path, struct buf *why) must_check;
void source__close(struct source *s);

/*
 * Whoever waits is told now and then how many bytes of the file were read, of how many, and
 * once at the end of it. Of a pipe that is 0, and what it is unpacked to counts. @arg: borrowed.
 */
void source__on_progress(struct source *s,
			 void (*tell)(void *arg, uint64_t read, uint64_t size, bool at_end),
			 void *arg);

/* The path, or "stdin". */
const char *source__name(const struct source *s);

/**
 * source__line() - the next line, without its end ("\n" or "\r\n")
 * @line: valid up to the next call, NUL-terminated; may be written to
 *
 * Return: 1; 0: there is no more; -EMSGSIZE: it was longer than SOURCE_LINE_BYTES, the next call
 * goes on behind it; -ENODATA: what gzip has packed is cut off here; -EBADMSG: it is damaged;
 * -ENOMEM; another -errno of reading.
 */
int source__line(struct source *s, char **line, size_t *len) must_check;

/*
 * For what has no lines: the next bytes. *len: how many are wanted; then how many there are, fewer
 * only at the end. 0 or -errno as source__line().
 */
int source__bytes(struct source *s, void *out, size_t *len) must_check;

/*
 * What it begins with, to tell what it is: SOURCE_PEEK_BYTES, or all there is. Nothing is taken:
 * lines begin with the first byte of it. @text: valid up to the next call. 0 or -ENOMEM; what is
 * wrong with the file is told by source__line().
 */
int source__peek(struct source *s, const char **text, size_t *len) must_check;

/* strerror() for what these return. */
const char *source__strerror(int err);

#endif
