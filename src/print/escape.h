/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/escape.h - names made safe for a format.
 *
 * Input is the profile's: UTF-8, any character but NUL. What base/visible.h does not show is never
 * data in a name and may drive a terminal: it becomes U+FFFD, or '?' in line formats that other
 * programs parse. JSON alone has it all, as \u escapes.
 */
#ifndef PMUTRACE_PRINT_ESCAPE_H
#define PMUTRACE_PRINT_ESCAPE_H

#include <stddef.h>

#include "base/buf.h"
#include "print/writer.h"

/* For XML text and attributes in double quotes. Also what XML 1.0 forbids is replaced. */
void escape__xml(struct writer *w, const char *s, size_t len);

/* The inside of a JSON string that may stand in XML, HTML or CDATA: < > & are \u escapes. */
void escape__json(struct writer *w, const char *s, size_t len);

/*
 * A whole JSON text without line ends: each character that is not shown, which is in its strings,
 * becomes a \u escape of the same meaning.
 */
void escape__json_text(struct writer *w, const char *json, size_t len);

/* A frame in a line of folded stacks: ';' becomes ':'. */
int escape__folded(struct buf *b, const char *s) must_check;

/* A name in a line of text that is data: what is not shown becomes '?'. */
int escape__controls(struct buf *b, const char *s) must_check;

/* For a terminal. */
int escape__plain(struct buf *b, const char *s) must_check;
void escape__put(struct writer *w, const char *s);

#endif
