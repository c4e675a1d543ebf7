/* SPDX-License-Identifier: BSD-2-Clause */
/* out/json_rows.h - what the parts of out/json.c share; nobody else includes it. */
#ifndef PMUTRACE_OUT_JSON_ROWS_H
#define PMUTRACE_OUT_JSON_ROWS_H

#include "model/profile.h"
#include "out/json.h"
#include "out/writer.h"

/* Between two parts; a document of its own breaks its line there, an interval's does not. */
void json__break(struct writer *w, const struct json_opts *o, const char *separator);

/* All rows, one by one: a document of them all could take gigabytes. 0 or -ENOMEM. */
int json__write_rows(struct writer *w, const struct profile *p,
		     const struct json_opts *o) must_check;

#endif
