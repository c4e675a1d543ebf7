// SPDX-License-Identifier: BSD-2-Clause
/* Builds the list of explained events; owns its strings. */
#include "model/explained.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"

int explanations__init(struct explanations *l)
{
	*l = (struct explanations){ .strings = strtab__new() };
	return l->strings ? 0 : -ENOMEM;
}

void explanations__free(struct explanations *l)
{
	for (size_t i = 0; i < l->nr; i++)
		free(l->items[i].cpus);
	free(l->items);
	strtab__free(l->strings);
	*l = (struct explanations){};
}

int explanations__add(struct explanations *l, struct explained **out)
{
	int err = array__grow(&l->items, &l->cap, l->nr + 1);

	if (err)
		return err;
	*out = &l->items[l->nr++];
	**out = (struct explained){
		.unit = "",
		.scale = 1,
		.group = EXPLAINED_NO_GROUP,
		.tried_cpu = EXPLAINED_NO_CPU,
	};
	return 0;
}

int explanations__set(struct explanations *l, const char **to, const char *s)
{
	uint32_t id;
	int err = s ? strtab__add(l->strings, s, strlen(s), &id) : 0;

	if (!err)
		*to = s ? strtab__get(l->strings, id) : NULL;
	return err;
}

int explanations__add_field(struct explanations *l, struct explained *x, const char *name,
			    uint64_t value, bool is_hex, const char *words)
{
	struct explained_field f = { .value = value, .is_hex = is_hex };
	int err = x->nr_fields < EXPLAINED_FIELDS_MAX ? 0 : -E2BIG;

	if (!err)
		err = explanations__set(l, &f.name, name);
	if (!err)
		err = explanations__set(l, &f.words, words);
	if (!err)
		x->fields[x->nr_fields++] = f;
	return err;
}
