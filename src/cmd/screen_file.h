/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd/screen_file.h - what a screen shows, into a file whose ending tells the format.
 *
 *	.txt, none	the screen as it is seen
 *	others		what is behind it, as -o writes it
 *
 * Always a new file: who watches as root must not write over what somebody has put in the way.
 */
#ifndef PMUTRACE_CMD_SCREEN_FILE_H
#define PMUTRACE_CMD_SCREEN_FILE_H

#include "base/array.h"
#include "base/buf.h"
#include "cmd/outputs.h"

/*
 * The format that the ending tells; FORMAT_TABLE: the screen as it is seen. @formats: bit
 * 1 << FORMAT_x of those that there are; @of: what is shown, "processes". 0; -EINVAL: @why names
 * the endings that work; -ENOMEM.
 */
int screen_file__format(const char *path, unsigned formats, const char *of, enum format *format,
			struct buf *why) must_check;

/*
 * Writes @text, of FORMAT_TABLE, or what @write writes. 0; -EEXIST, -ENOSPC or another -errno with
 * @why: nothing is left of the file.
 */
int screen_file__write(const char *path, enum format format, const struct buf *text,
		       output_fn write, void *arg, struct buf *why) must_check;

#endif
