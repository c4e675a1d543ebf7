// SPDX-License-Identifier: BSD-2-Clause
/* Makes names of events such as databases take them. */
#include "print/series_name.h"

#include <string.h>

static const char FIRST[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
static const char DIGITS[] = "0123456789";

int series_name__put(struct buf *out, const char *name)
{
	int err = strchr(FIRST, *name) && *name ? 0 : buf__puts(out, "_");

	for (; *name && !err; name++)
		err = buf__put(out, strchr(FIRST, *name) || strchr(DIGITS, *name) ? name : "_", 1);
	return err;
}
