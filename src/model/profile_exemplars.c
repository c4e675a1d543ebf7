// SPDX-License-Identifier: BSD-2-Clause
/* Keeps one sample of each row that tells of any. */
#include "model/profile_index.h"

/* There is room for it. */
static void take(struct profile *p, uint32_t row, const struct profile_exemplar *e)
{
	while (p->nr_exemplars <= row)
		p->exemplars[p->nr_exemplars++] = (struct profile_exemplar){};
	if (e->time_ns >= p->exemplars[row].time_ns)
		p->exemplars[row] = *e;
}

int profile__exemplify(struct profile *p, uint32_t row, const struct profile_exemplar *e)
{
	int err = array__grow(&p->exemplars, &p->cap_exemplars, row + 1);

	if (!err)
		take(p, row, e);
	return err;
}

const struct profile_exemplar *profile__exemplar(const struct profile *p, uint32_t row)
{
	return row < p->nr_exemplars && p->exemplars[row].time_ns ? &p->exemplars[row] : NULL;
}

void profile_index__renumber_exemplars(struct profile *p, const uint32_t *rows)
{
	const size_t nr = p->nr_exemplars;

	p->nr_exemplars = 0;
	for (size_t i = 0; i < nr; i++) {
		const struct profile_exemplar e = p->exemplars[i];

		take(p, rows[i], &e);
	}
}
