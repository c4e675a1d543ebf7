/* SPDX-License-Identifier: BSD-2-Clause */
/* print/jsontext.h - strings of strangers in JSON: any bytes, or none. */
#ifndef PMUTRACE_PRINT_JSONTEXT_H
#define PMUTRACE_PRINT_JSONTEXT_H

#include "base/array.h"

struct json_object;

/* null for NULL; what is not UTF-8 is replaced. 0 or -ENOMEM. */
int json__put_text(struct json_object *o, const char *key, const char *s) must_check;

#endif
