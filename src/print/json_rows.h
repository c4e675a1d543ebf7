/* SPDX-License-Identifier: BSD-2-Clause */
/* print/json_rows.h - what the parts of print/json.c share; nobody else includes it. */
#ifndef PMUTRACE_PRINT_JSON_ROWS_H
#define PMUTRACE_PRINT_JSON_ROWS_H

#include "model/profile.h"
#include "print/json.h"
#include "print/writer.h"

/* Between two parts; a document of its own breaks its line there, an interval's does not. */
void json__break(struct writer *w, const struct json_opts *o, const char *separator);

/* All rows, one by one: a document of them all could take gigabytes. 0 or -ENOMEM. */
int json__write_rows(struct writer *w, const struct profile *p,
		     const struct json_opts *o) must_check;

#endif
