// SPDX-License-Identifier: BSD-2-Clause
/* Handles by hashes of addresses, processes and commands. */
#include "collect/known_stacks.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

struct known_stack {
	uint64_t check;
	uint32_t handle;
};

struct stack_id stack_id(const struct sample_stack *s, const struct proc *proc)
{
	const struct {
		uint64_t start_ns;
		uint32_t check, changes;
	} all = { .start_ns = proc ? proc->start_ns : 0,
		  .check = s->check,
		  .changes = proc ? space__changes(proc->space) : 0 };

	return (struct stack_id){ s->hash,
				  hash_bytes(hash_seed(), (const char *)&all, sizeof(all)) };
}

struct stack_id callers_id(const struct sample_stack *s, const struct proc *proc)
{
	const char *addrs = (const char *)(s->user + 1);
	const size_t bytes = (s->key->stack.nr_user - 1) * sizeof(*s->user);
	struct {
		char comm[TARGET_COMM_LEN];
		uint64_t addrs;
		uint32_t life, changes, flaws, unused;
	} all = { .life = proc->life,
		  .changes = space__changes(proc->space),
		  .flaws = s->key->stack.flaws };
	struct stack_id id;

	memcpy(all.comm, s->key->comm, sizeof(all.comm));
	all.addrs = hash_bytes(hash_seed(), addrs, bytes);
	id.hash = hash_bytes(hash_seed(), (const char *)&all, sizeof(all));
	all.addrs = hash_bytes(~hash_seed(), addrs, bytes);
	id.check = hash_bytes(~hash_seed(), (const char *)&all, sizeof(all));
	return id;
}

bool known_stacks__get(const struct known_stacks *k, const struct stack_id *id, uint32_t *handle)
{
	uint32_t i;

	if (!idmap__get(&k->by_hash, id->hash, &i) || k->all[i].check != id->check)
		return false;
	*handle = k->all[i].handle;
	return true;
}

int known_stacks__set(struct known_stacks *k, const struct stack_id *id, uint32_t handle)
{
	uint32_t i;
	int err = 0;

	if (!idmap__get(&k->by_hash, id->hash, &i)) {
		i = k->nr;
		err = array__grow(&k->all, &k->cap, k->nr + 1);
		if (!err)
			err = idmap__set(&k->by_hash, id->hash, i);
		if (err)
			return err;
		k->nr++;
	}
	k->all[i] = (struct known_stack){ id->check, handle };
	return 0;
}

void known_stacks__forget(struct known_stacks *k)
{
	idmap__free(&k->by_hash);
	free(k->all);
	*k = (struct known_stacks){};
}

size_t known_stacks__bytes(const struct known_stacks *k)
{
	const size_t nr = k->nr + 1024;

	return array__capacity(k->cap, nr) * sizeof(*k->all) + idmap__bytes(&k->by_hash, nr);
}
