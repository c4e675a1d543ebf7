// SPDX-License-Identifier: BSD-2-Clause
/* Reads ExportProfilesServiceResponse, a stranger's. */
#include "serve/push_otlp.h"

#include <stdio.h>
#include <string.h>

#include "base/utf8.h"
#include "proto/otlp_profiles.pb-c.h"

void push_otlp__read_answer(const void *bytes, size_t len, uint32_t *rejected,
			    char text[COURIER_TEXT + 1])
{
	Otlp__ExportProfilesResponse *r = otlp__export_profiles_response__unpack(NULL, len, bytes);
	const Otlp__ExportProfilesPartialSuccess *part = r ? r->partial_success : NULL;
	struct buf line = {};

	*rejected = 0;
	if (part && part->rejected_profiles > 0) {
		*rejected =
			part->rejected_profiles < UINT32_MAX ? part->rejected_profiles : UINT32_MAX;
		if (part->error_message.len &&
		    !utf8__put_line(&line, (const char *)part->error_message.data,
				    part->error_message.len, COURIER_TEXT - 40) &&
		    line.data)
			snprintf(text, COURIER_TEXT + 1, "profiles were rejected: %s", line.data);
		else
			snprintf(text, COURIER_TEXT + 1, "profiles were rejected");
	}
	buf__free(&line);
	if (r)
		otlp__export_profiles_response__free_unpacked(r, NULL);
}
