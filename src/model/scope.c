// SPDX-License-Identifier: BSD-2-Clause
/* Checks whether a row of a profile is in a scope. */
#include "model/scope.h"

#include <string.h>

#include "base/strtab.h"

static bool is_one_of(uint32_t id, const struct scope *s)
{
	for (size_t i = 0; i < s->nr_ids; i++)
		if (s->ids[i] == id)
			return true;
	return false;
}

static bool is_in(const struct scope *s, const struct profile *p, const struct row *row)
{
	switch (s->of) {
	case SCOPE_ALL:
		return true;
	case SCOPE_PROCESSES:
		return is_one_of(row->key.pid, s);
	case SCOPE_THREADS:
		return is_one_of(row->key.tid, s);
	case SCOPE_CGROUP:
		return !strcmp(strtab__get(p->strings, row->key.cgroup), s->cgroup);
	}
	return false;
}

bool scope__has(const struct scope *s, const struct profile *p, const struct row *row)
{
	return !s || (is_in(s, p, row) && (!s->wants || s->wants(s->arg, p, row)));
}
