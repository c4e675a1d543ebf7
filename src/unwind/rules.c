// SPDX-License-Identifier: BSD-2-Clause
/* A hash table of rules. */
#include "unwind/rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

static uint32_t *slot_of(const struct unwind_rules *r, const struct unwind_rule *rule)
{
	uint64_t words[sizeof(*rule) / sizeof(uint64_t)], hash = r->seed;
	uint32_t i;

	memcpy(words, rule, sizeof(words));
	for (size_t w = 0; w < ARRAY_SIZE(words); w++)
		hash = hash_u64(hash ^ words[w]);
	for (i = hash;; i++) {
		uint32_t *slot = &r->slots[i & (r->nr_slots - 1)];

		if (!*slot || !memcmp(&r->all[*slot - 1], rule, sizeof(*rule)))
			return slot;
	}
}

static int grow(struct unwind_rules *r)
{
	enum { SLOTS_MIN = 1024 };
	const uint32_t nr = r->nr_slots ? r->nr_slots * 2 : SLOTS_MIN;
	uint32_t *slots = calloc(nr, sizeof(*slots));

	if (!slots)
		return -ENOMEM;
	if (!r->slots)
		r->seed = hash_seed();
	free(r->slots);
	r->slots = slots;
	r->nr_slots = nr;
	for (uint32_t i = 0; i < r->nr; i++)
		*slot_of(r, &r->all[i]) = i + 1;
	return 0;
}

static int add(struct unwind_rules *r, const struct unwind_rule *rule, uint32_t *number)
{
	uint32_t *slot;
	int err = 0;

	if (r->nr * 2 >= r->nr_slots)
		err = grow(r);
	if (err)
		return err;
	slot = slot_of(r, rule);
	if (!*slot) {
		if (r->nr == (r->max ? r->max : UNWIND_RULES_MAX))
			return -ENOSPC;
		err = array__grow(&r->all, &r->cap, r->nr + 1);
		if (err)
			return err;
		r->all[r->nr++] = *rule;
		*slot = r->nr;
	}
	*number = *slot - 1;
	return 0;
}

int unwind_rules__add(struct unwind_rules *r, const struct unwind_rule *rule, uint32_t *number)
{
	static const struct unwind_rule none = { .cfa = UNWIND_CFA_NONE };
	static const struct unwind_rule bad = { .cfa = UNWIND_CFA_BAD };
	int err = 0;

	if (!r->nr) {
		err = add(r, &none, number);
		if (!err)
			err = add(r, &bad, number);
	}
	if (!err)
		err = add(r, rule, number);
	if (err != -ENOSPC)
		return err;
	*number = UNWIND_RULE_BAD;
	r->nr_refused++;
	return 0;
}

void unwind_rules__free(struct unwind_rules *r)
{
	free(r->all);
	free(r->slots);
	*r = (struct unwind_rules){};
}
