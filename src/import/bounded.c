// SPDX-License-Identifier: BSD-2-Clause
/* A head before each piece tells how large it is. */
#include "import/bounded.h"

#include <stdlib.h>

union head {
	size_t bytes;
	max_align_t align;
};

void *bounded__alloc(void *arg, size_t bytes)
{
	struct bounded *b = arg;
	union head *head = NULL;

	if (b->left >= sizeof(*head) && bytes <= b->left - sizeof(*head))
		head = malloc(sizeof(*head) + bytes);
	if (!head) {
		b->has_refused = true;
		return NULL;
	}
	head->bytes = sizeof(*head) + bytes;
	b->left -= head->bytes;
	return head + 1;
}

void bounded__free(void *arg, void *piece)
{
	struct bounded *b = arg;
	union head *head = piece ? (union head *)piece - 1 : NULL;

	if (head)
		b->left += head->bytes;
	free(head);
}
