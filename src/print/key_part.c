// SPDX-License-Identifier: BSD-2-Clause
/* Lists the parts of a profile's keys, and gives each as text. */
#include "print/key_part.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/strtab.h"

static const struct key_part fixed[] = {
	{ .by = BY_COMM, .name = "comm" },
	{ .by = BY_PID, .name = "pid", .is_number = true },
	{ .by = BY_TID, .name = "tid", .is_number = true },
	{ .by = BY_CPU, .name = "cpu", .is_number = true },
	{ .by = BY_CGROUP, .name = "cgroup" },
	{ .by = BY_CALLER, .name = "caller" },
};

int key_parts__new(struct key_part **out, size_t *nr, const struct profile *p)
{
	struct key_part *parts = calloc(ARRAY_SIZE(fixed) + p->nr_fields, sizeof(*parts));

	*out = parts;
	*nr = 0;
	if (!parts)
		return -ENOMEM;
	for (size_t i = 0; i < ARRAY_SIZE(fixed); i++)
		if (p->by & fixed[i].by)
			parts[(*nr)++] = fixed[i];
	for (size_t i = 0; i < p->nr_fields; i++) {
		const struct profile_field *f = &p->fields[i];

		if (f->kind == FIELD_BUCKET)
			continue;
		parts[(*nr)++] = (struct key_part){
			.name = f->name,
			.field = i,
			.is_number = f->kind != FIELD_TEXT,
		};
	}
	return 0;
}

void field__digits(enum field_kind kind, uint64_t word, char digits[KEY_PART_DIGITS])
{
	if (kind == FIELD_SIGNED)
		snprintf(digits, KEY_PART_DIGITS, "%" PRId64, (int64_t)word);
	else
		snprintf(digits, KEY_PART_DIGITS, kind == FIELD_HEX ? "0x%" PRIx64 : "%" PRIu64,
			 word);
}

/* The command is the first level of every stack. */
static const char *comm_of(const struct profile *p, uint32_t node)
{
	if (!node)
		return "";
	while (p->nodes[node].parent)
		node = p->nodes[node].parent;
	return profile__name(p, p->nodes[node].frame);
}

/* "-": the stack has no frame below the command, or its innermost has no name. */
const char *key_part__caller(const struct profile *p, uint32_t node)
{
	const struct stack_node *n = &p->nodes[node];

	if (!node || !n->parent || !*profile__name(p, n->frame))
		return "-";
	return profile__name(p, n->frame);
}

const char *key_part__text(const struct key_part *part, const struct profile *p,
			   const struct row_key *key, char digits[KEY_PART_DIGITS])
{
	uint64_t word;

	switch (part->by) {
	case BY_COMM:
		return comm_of(p, key->stack);
	case BY_CGROUP:
		return strtab__get(p->strings, key->cgroup);
	case BY_CALLER:
		return key_part__caller(p, key->stack);
	case BY_PID:
		word = key->pid;
		break;
	case BY_TID:
		word = key->tid;
		break;
	case BY_CPU:
		word = key->cpu;
		break;
	default:
		word = tuples__get(&p->tuples, key->fields)[part->field];
		if (!part->is_number)
			return strtab__get(p->strings, word);
		field__digits(p->fields[part->field].kind, word, digits);
		return digits;
	}
	field__digits(FIELD_UNSIGNED, word, digits);
	return digits;
}
