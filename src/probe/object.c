// SPDX-License-Identifier: BSD-2-Clause
/* Adapts the keys of tables.h to struct rows_reader: a key becomes a struct sample_stack. */
#include "probe/object.h"

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
	const struct rows_reader *reader;
	uint32_t first;
};

static int on_closed(void *arg)
{
	const struct showing *s = arg;

	return s->reader->closed(s->reader->arg);
}

static int on_key(void *arg, const struct tables_key *k, uint32_t *handle)
{
	const struct showing *s = arg;
	struct sample_stack stack;

	return sample_stack__view(&stack, k, s->first)
		       ? s->reader->stack(s->reader->arg, &stack, handle)
		       : -EBADMSG;
}

static int on_count(void *arg, const struct tables_key *k, uint32_t handle, uint64_t count,
		    uint64_t sum, const struct table_value *values)
{
	const struct showing *s = arg;
	struct sample_stack stack;

	return sample_stack__view(&stack, k, s->first)
		       ? s->reader->count(s->reader->arg, &stack, handle, count, sum, values)
		       : -EBADMSG;
}

int object__poll(struct object *o, bool stopped, const struct rows_reader *reader)
{
	struct showing showing = { reader, o->first };
	struct tables_fns fns = { on_closed, on_key, on_count, &showing };

	return tables__poll(&o->tables, stopped, &fns);
}

void object__flip(struct object *o)
{
	o->old = tables__flip(&o->tables);
}

int object__drain(struct object *o, const struct rows_reader *reader)
{
	struct showing showing = { reader, o->first };
	struct tables_fns fns = { on_closed, on_key, on_count, &showing };

	return tables__drain(&o->tables, o->old, &fns);
}
