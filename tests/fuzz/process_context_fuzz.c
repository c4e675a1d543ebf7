// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as a process context: its header, and behind it its payload. What is taken is sound. */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "import/process_context.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct process_context c;
	struct context_header h;
	int err;

	(void)process_context__is_name((const char *)data, len);
	if (len < CONTEXT_HEADER_BYTES)
		return 0;
	err = process_context__header(&h, data);
	if (!err &&
	    (!h.published_ns || !h.payload_bytes || h.payload_bytes > CONTEXT_PAYLOAD_BYTES))
		abort();
	if (err && err != -EPROTO && err != -EAGAIN && err != -EFBIG)
		abort();
	err = process_context__payload(&c, data + CONTEXT_HEADER_BYTES, len - CONTEXT_HEADER_BYTES);
	if (err && err != -EPROTO && err != -ENOMEM)
		abort();
	if (!process_context__is_sound(&c) || (err && process_context__has_any(&c)))
		abort();
	return 0;
}
