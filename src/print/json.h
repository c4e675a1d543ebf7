/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/json.h - a JSON document on its way to a FILE, piece by piece.
 *
 *	struct json j;
 *
 *	json__begin(&j, f, "list", false);
 *	json__open_array(&j, "rows");
 *	json__string(&j, NULL, "a");
 *	json__close_array(&j);
 *	return json__end(&j);
 *
 * writes {"schema":1,"command":"list","version":"0.1.0","rows":["a"]} and a line end.
 *
 * A member of an object has a key, an element of an array has none: NULL. Commas come by
 * themselves. After an error the rest is dropped; json__end() tells it. Nothing of the document is
 * held in memory but the 32 KB on their way. Keys twice in one object are the caller's fault.
 */
#ifndef PMUTRACE_PRINT_JSON_H
#define PMUTRACE_PRINT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/array.h"
#include "base/buf.h"
#include "print/writer.h"

struct json {
	struct writer w;
	bool in_lines;	 /* json__line() begins a line */
	bool comma;	 /* goes before what comes next */
	bool begin_line; /* so does a line end */
	struct buf text;
};

/* The object with what all commands' documents have: schema, command, version. @f: borrowed. */
void json__begin(struct json *j, FILE *f, const char *command, bool in_lines);

/* The object without these: a document of a format that is not ours. */
void json__begin_foreign(struct json *j, FILE *f, bool in_lines);

/* Closes it, and begins another one on the next line: JSON lines. Without what all have. */
void json__next(struct json *j);

/* Closes it. 0, -ENOMEM, another -errno (the FILE did not take it all), or that of json__fail(). */
int json__end(struct json *j) must_check;

/* There is something wrong with the caller: the first -errno stays. 0: nothing is. */
void json__fail(struct json *j, int err);

/* What comes next begins a line, if the document is in lines. */
void json__line(struct json *j);

void json__open(struct json *j, const char *key);
void json__close(struct json *j);
void json__open_array(struct json *j, const char *key);
void json__close_array(struct json *j);

void json__null(struct json *j, const char *key);
void json__bool(struct json *j, const char *key, bool b);
void json__u64(struct json *j, const char *key, uint64_t n);
void json__i64(struct json *j, const char *key, int64_t n);

/* With as many decimals as said, or, below 0, as many digits as are needed; NaN is null. */
void json__double(struct json *j, const char *key, double x, int decimals);

/* Any bytes: what is not UTF-8 is replaced. NULL is null. */
void json__string(struct json *j, const char *key, const char *s);

#endif
