// SPDX-License-Identifier: BSD-2-Clause
/* Adapts the keys of tables.h to sampler_fns: a key becomes a struct sample_stack. */
#include "probe/keyed.h"

#include <errno.h>

bool sample_stack__view(struct sample_stack *out, const struct tables_key *k, uint32_t first)
{
	const struct sample_key *key = (const void *)k->words;

	if (k->nr_words < first || first + key->stack.nr_kernel + key->stack.nr_user > k->nr_words)
		return false;
	*out = (struct sample_stack){
		.key = key,
		.fields = k->words + SAMPLE_KEY_WORDS,
		.kernel = k->words + first,
		.user = k->words + first + key->stack.nr_kernel,
		.cpu = k->cpu,
		.hash = k->hash,
		.check = k->check,
		.first_ns = k->first_ns,
	};
	return true;
}

/* What the callbacks of tables.h need: those of the session, and where a key's frames begin. */
struct showing {
	const struct sampler_fns *fns;
	uint32_t first;
};

static int on_closed(void *arg)
{
	const struct showing *s = arg;

	return s->fns->closed(s->fns->arg);
}

static int on_key(void *arg, const struct tables_key *k, uint32_t *handle)
{
	const struct showing *s = arg;
	struct sample_stack stack;

	return sample_stack__view(&stack, k, s->first) ? s->fns->stack(s->fns->arg, &stack, handle)
						       : -EBADMSG;
}

static int on_count(void *arg, const struct tables_key *k, uint32_t handle, uint64_t count,
		    uint64_t sum, const struct table_value *values)
{
	const struct showing *s = arg;
	struct sample_stack stack;

	return sample_stack__view(&stack, k, s->first)
		       ? s->fns->count(s->fns->arg, &stack, handle, count, sum, values)
		       : -EBADMSG;
}

int keyed__poll(struct keyed *k, bool stopped, const struct sampler_fns *fns)
{
	struct showing showing = { fns, k->first };
	struct tables_fns table_fns = { on_closed, on_key, on_count, &showing };

	return tables__poll(&k->tables, stopped, &table_fns);
}

void keyed__flip(struct keyed *k)
{
	k->old = tables__flip(&k->tables);
}

int keyed__drain(struct keyed *k, const struct sampler_fns *fns)
{
	struct showing showing = { fns, k->first };
	struct tables_fns table_fns = { on_closed, on_key, on_count, &showing };

	return tables__drain(&k->tables, k->old, &table_fns);
}
