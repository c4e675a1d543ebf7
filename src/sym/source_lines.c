// SPDX-License-Identifier: BSD-2-Clause
/* Numbers of fixed size, then the path. */
#include "sym/source_lines.h"

#include <string.h>

#include "base/buf.h"

enum { PATH_MAX_BYTES = 4096 };

struct head {
	uint32_t line, start_line, path_len;
};

/* A longer path is none. */
int source_lines__put(struct buf *b, const struct source_line *l)
{
	const struct head head = { l->line, l->start_line,
				   l->path_len < PATH_MAX_BYTES ? l->path_len : 0 };
	int err = buf__put(b, &head, sizeof(head));

	return err ? err : buf__put(b, l->path, head.path_len);
}

bool source_lines__take(const char **bytes, size_t *left, struct source_line *out)
{
	struct head head;

	if (*left < sizeof(head))
		return false;
	memcpy(&head, *bytes, sizeof(head));
	if (head.path_len >= PATH_MAX_BYTES || head.path_len > *left - sizeof(head))
		return false;
	*out = (struct source_line){ *bytes + sizeof(head), head.path_len, head.line,
				     head.start_line };
	*bytes += sizeof(head) + head.path_len;
	*left -= sizeof(head) + head.path_len;
	return true;
}

bool source_lines__are(const char *bytes, size_t len, size_t nr)
{
	struct source_line line;

	while (nr && source_lines__take(&bytes, &len, &line)) {
		if (memchr(line.path, 0, line.path_len))
			return false;
		nr--;
	}
	return !nr && !len;
}
