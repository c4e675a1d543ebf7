// SPDX-License-Identifier: BSD-2-Clause
/* Keeps the latest exemplar of each number. */
#include "serve/exemplars.h"

#include <stdlib.h>

static struct exemplar *find(const struct exemplars *x, uint32_t at)
{
	for (size_t i = 0; i < x->nr; i++)
		if (x->items[i].at == at)
			return &x->items[i];
	return NULL;
}

void exemplars__take(struct exemplars *to, const struct exemplar *e)
{
	struct exemplar *old = find(to, e->at);

	if (old && e->time_ns >= old->time_ns)
		*old = *e;
	if (!old && !array__grow(&to->items, &to->cap, to->nr + 1))
		to->items[to->nr++] = *e;
}

const struct exemplar *exemplars__find(const struct exemplars *x, uint32_t at, uint64_t since_ns)
{
	const struct exemplar *e = find(x, at);

	return e && e->time_ns >= since_ns ? e : NULL;
}

void exemplars__free(struct exemplars *x)
{
	free(x->items);
	*x = (struct exemplars){};
}
