// SPDX-License-Identifier: BSD-2-Clause
/* Errors with a sentence. */
#include "base/why.h"

int why__vrefuse(struct buf *why, int err, const char *fmt, va_list ap)
{
	int full = buf__vprintf(why, fmt, ap);

	return full ? full : err;
}

int why__refuse(struct buf *why, int err, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	err = why__vrefuse(why, err, fmt, ap);
	va_end(ap);
	return err;
}
