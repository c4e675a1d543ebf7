// SPDX-License-Identifier: BSD-2-Clause
/* Adds up losses by reason. */
#include "model/loss.h"

#include <string.h>

uint64_t losses__sum(const struct losses *l)
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < l->nr; i++)
		if (!l->by[i].flaw)
			sum += l->by[i].n;
	return sum;
}

void losses__add(struct losses *l, const struct loss *loss)
{
	for (unsigned i = 0; i < l->nr; i++) {
		if (!strcmp(l->by[i].name, loss->name)) {
			l->by[i].n += loss->n;
			return;
		}
	}
	if (l->nr < LOSSES_MAX) {
		l->by[l->nr++] = *loss;
		return;
	}
	/* Rather a vague reason than a sum that does not add up. */
	for (unsigned i = l->nr; i-- > 0;) {
		if (l->by[i].flaw != loss->flaw)
			continue;
		l->by[i].name = loss->flaw ? "other_flaws" : "other";
		l->by[i].text = "for other reasons";
		l->by[i].cure = NULL;
		l->by[i].n += loss->n;
		return;
	}
}

void losses__subtract(struct losses *l, const struct losses *before)
{
	unsigned nr = 0;

	l->seen -= before->seen;
	for (unsigned i = 0; i < l->nr; i++)
		for (unsigned n = 0; n < before->nr; n++)
			if (!strcmp(l->by[i].name, before->by[n].name))
				l->by[i].n -= before->by[n].n;
	for (unsigned i = 0; i < l->nr; i++)
		if (l->by[i].n)
			l->by[nr++] = l->by[i];
	l->nr = nr;
}
