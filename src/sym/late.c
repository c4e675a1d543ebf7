// SPDX-License-Identifier: BSD-2-Clause
/* Numbers addresses of lives, and keeps names by number, within its bound. */
#include "sym/late.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"

enum { NAME_BYTES = 64 }; /* that each address may bring, on average */

struct late {
	size_t max;
	struct strtab *names;
	size_t name_bytes;
	uint32_t *by_number; /* string ids; 0: none has come */
	size_t nr, cap;
	uint64_t nr_refused;
};

void late_life__free(struct late_life *life)
{
	free(life->addrs);
	idmap__free(&life->by_addr);
	*life = (struct late_life){};
}

struct late *late__new(size_t max)
{
	struct late *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->max = max;
	l->names = strtab__new();
	if (!l->names || array__grow(&l->by_number, &l->cap, 1)) {
		late__free(l);
		return NULL;
	}
	l->by_number[l->nr++] = 0; /* no address has the number 0 */
	return l;
}

void late__free(struct late *l)
{
	if (!l)
		return;
	strtab__free(l->names);
	free(l->by_number);
	free(l);
}

struct late_addr *late_life__find(const struct late_life *life, uint64_t at)
{
	uint32_t i;

	return idmap__get(&life->by_addr, at, &i) ? &life->addrs[i] : NULL;
}

int late__add(struct late *l, struct late_life *life, uint64_t at, struct late_addr **out)
{
	int err;

	if (l->nr > l->max) {
		l->nr_refused++;
		return -ENOSPC;
	}
	err = array__grow(&l->by_number, &l->cap, l->nr + 1);
	if (!err)
		err = array__grow(&life->addrs, &life->cap, life->nr + 1);
	if (!err)
		err = idmap__set(&life->by_addr, at, life->nr);
	if (err)
		return err;
	*out = &life->addrs[life->nr++];
	**out = (struct late_addr){ .at = at, .number = l->nr, .frame = LATE_NO_FRAME };
	l->by_number[l->nr++] = 0;
	return 0;
}

int late__name(struct late *l, uint32_t number, const char *name)
{
	const size_t len = strlen(name);
	uint32_t id;
	int err;

	if (!number || number >= l->nr)
		return 0;
	if (!strtab__find(l->names, name, len, &id)) {
		if (l->name_bytes + len > l->max * NAME_BYTES)
			return 0;
		l->name_bytes += len;
		err = strtab__add(l->names, name, len, &id);
		if (err)
			return err;
	}
	l->by_number[number] = id;
	return 0;
}

const char *late__get(const struct late *l, uint32_t number)
{
	if (!number || number >= l->nr || !l->by_number[number])
		return NULL;
	return strtab__get(l->names, l->by_number[number]);
}

uint64_t late__nr_refused(const struct late *l)
{
	return l->nr_refused;
}
