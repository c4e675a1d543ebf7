// SPDX-License-Identifier: BSD-2-Clause
/* Adds up rows, and then nodes into their callers, in one backward loop. */
#include "model/node_sums.h"

#include <errno.h>
#include <stdlib.h>

#include "model/profile.h"
#include "model/scope.h"

int node_sums__new(struct node_sums *s, const struct profile *p, uint32_t event,
		   const struct scope *scope)
{
	const bool weighs = p->events[event].weight;

	s->samples = calloc(p->nr_nodes, sizeof(*s->samples));
	s->weight = weighs ? calloc(p->nr_nodes, sizeof(*s->weight)) : NULL;
	if (!s->samples || (weighs && !s->weight)) {
		node_sums__free(s);
		return -ENOMEM;
	}
	for (size_t i = 0; i < p->nr_rows; i++) {
		const struct row *r = &p->rows[i];

		if (r->key.event != event || !scope__has(scope, p, r))
			continue;
		s->samples[r->key.stack] += r->samples;
		if (weighs)
			s->weight[r->key.stack] += r->weight;
	}
	for (size_t i = p->nr_nodes; i-- > 1;) {
		s->samples[p->nodes[i].parent] += s->samples[i];
		if (weighs)
			s->weight[p->nodes[i].parent] += s->weight[i];
	}
	return 0;
}

void node_sums__free(struct node_sums *s)
{
	free(s->samples);
	free(s->weight);
	*s = (struct node_sums){};
}
