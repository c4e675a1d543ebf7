// SPDX-License-Identifier: BSD-2-Clause
/* Reads pieces of known length. */
#include "tape/reading.h"

#include <errno.h>

int tape__read(const struct tape_input *in, void *out, size_t len)
{
	size_t got = len;
	int err = in->read(in->arg, out, &got);

	if (err)
		return err;
	return got == len ? 0 : got ? -ENODATA : 1;
}
