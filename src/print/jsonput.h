/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/jsonput.h - json-c with its failures as errors, for what fits in one object.
 *
 * All return 0 or -ENOMEM.
 */
#ifndef PMUTRACE_PRINT_JSONPUT_H
#define PMUTRACE_PRINT_JSONPUT_H

#include <stdint.h>

#include "base/array.h"
#include "print/writer.h"

struct json_object;

enum { JSON_SCHEMA = 1 }; /* of every command's output */

/* Takes @value, which may be NULL because it could not be made: an error, not null. */
int json__put(struct json_object *o, const char *key, struct json_object *value) must_check;
int json__put_null(struct json_object *o, const char *key) must_check;
int json__put_u64(struct json_object *o, const char *key, uint64_t n) must_check;
int json__put_string(struct json_object *o, const char *key, const char *s) must_check;

/* With as many decimals as said, or, below 0, as many digits as are needed; NaN is null. */
int json__put_double(struct json_object *o, const char *key, double x, int decimals) must_check;

/* Writes and gives back @o; @err is what building it came to, and is returned unless 0. */
int json__write(struct writer *w, struct json_object *o, int err) must_check;

/* A string by itself. What is not UTF-8 is replaced. */
int json__write_string(struct writer *w, const char *s) must_check;

#endif
