// SPDX-License-Identifier: BSD-2-Clause
/* Groups and sorts rows of a profile into lines; gives parts of their keys as texts. */
#include "print/rows.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/strtab.h"
#include "model/profile.h"

struct sort {
	const struct profile *p;
	bool by_event;
	int bucket; /* the field, or -1 */
};

static int order(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

int rows__bucket_field(const struct profile *p)
{
	for (size_t i = 0; i < p->nr_fields; i++)
		if (p->fields[i].kind == FIELD_BUCKET)
			return i;
	return -1;
}

int64_t row__bucket(const struct profile *p, const struct row *row)
{
	return (int64_t)tuples__get(&p->tuples, row->key.fields)[rows__bucket_field(p)];
}

bool rows__are_by_event(const struct profile *p)
{
	return p->nr_metrics || rows__bucket_field(p) >= 0;
}

/* Equal fields have one id. Fields that differ in the bucket alone are equal here, too. */
static int compare_fields(const struct sort *s, uint32_t a, uint32_t b)
{
	const uint64_t *x, *y;
	int diff = 0;

	if (a == b || s->bucket < 0)
		return order(a, b);
	x = tuples__get(&s->p->tuples, a);
	y = tuples__get(&s->p->tuples, b);
	for (int i = 0; i < (int)s->p->nr_fields && !diff; i++)
		diff = i == s->bucket ? 0 : order(x[i], y[i]);
	return diff;
}

/* By all that rows of one line have in common. */
static int compare_keys(const struct sort *s, const struct row_key *a, const struct row_key *b)
{
	int diff = order(a->stack, b->stack);

	if (!diff)
		diff = order(a->pid, b->pid);
	if (!diff)
		diff = order(a->tid, b->tid);
	if (!diff)
		diff = order(a->cpu, b->cpu);
	if (!diff)
		diff = order(a->cgroup, b->cgroup);
	if (!diff)
		diff = compare_fields(s, a->fields, b->fields);
	return diff || !s->by_event ? diff : order(a->event, b->event);
}

static int compare_rows(const void *a, const void *b, void *sort)
{
	const struct sort *s = sort;
	const struct row *x = &s->p->rows[*(const uint32_t *)a];
	const struct row *y = &s->p->rows[*(const uint32_t *)b];
	int diff = compare_keys(s, &x->key, &y->key);

	if (!diff)
		diff = order(x->key.event, y->key.event);
	if (!diff && s->bucket >= 0) {
		int64_t m = row__bucket(s->p, x), n = row__bucket(s->p, y);

		diff = (m > n) - (m < n);
	}
	return diff;
}

static int compare_lines(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int diff = order(y->samples, x->samples);

	return diff ? diff : order(x->first, y->first);
}

int rows__group(struct rows *r, const struct profile *p, bool by_event)
{
	struct sort s = { .p = p, .by_event = by_event, .bucket = rows__bucket_field(p) };
	size_t i, nr = 0;

	*r = (struct rows){
		.order = calloc(p->nr_rows + 1, sizeof(*r->order)),
		.lines = calloc(p->nr_rows + 1, sizeof(*r->lines)),
	};
	if (!r->order || !r->lines)
		return -ENOMEM;
	for (i = 0; i < p->nr_rows; i++)
		if (p->rows[i].samples || p->events[p->rows[i].key.event].is_member)
			r->order[nr++] = i;
	qsort_r(r->order, nr, sizeof(*r->order), compare_rows, &s);
	for (i = 0; i < nr; i++) {
		const struct row *row = &p->rows[r->order[i]];

		if (!i || compare_keys(&s, &p->rows[r->order[i - 1]].key, &row->key))
			r->lines[r->nr++].first = i;
		r->lines[r->nr - 1].nr++;
		r->lines[r->nr - 1].samples += row->samples;
	}
	qsort(r->lines, r->nr, sizeof(*r->lines), compare_lines);
	return 0;
}

const struct row *rows__row(const struct rows *r, const struct profile *p, const struct line *l,
			    size_t i)
{
	return &p->rows[r->order[l->first + i]];
}

struct measured rows__measured(const struct rows *r, const struct profile *p, const struct line *l,
			       size_t metric)
{
	struct measured m = { .metric = &p->metrics[metric], .samples = l->samples };

	for (size_t i = 0; i < l->nr; i++) {
		const size_t row = r->order[l->first + i];
		const struct profile_value *v = &p->values[row * p->nr_metrics + metric];

		if (i)
			profile_value__merge(&m.value, v, m.metric->is_signed);
		else
			m.value = *v;
	}
	return m;
}

static int compare_sums(const void *a, const void *b)
{
	const struct line *x = a, *y = b;
	int diff = order(y->sum, x->sum);

	return diff ? diff : compare_lines(a, b);
}

void rows__sort(struct rows *r, const struct profile *p, size_t metric)
{
	for (size_t i = 0; i < r->nr; i++)
		r->lines[i].sum = rows__measured(r, p, &r->lines[i], metric).value.sum;
	qsort(r->lines, r->nr, sizeof(*r->lines), compare_sums);
}

void rows__free(struct rows *r)
{
	free(r->order);
	free(r->lines);
	*r = (struct rows){};
}

int row_stack__get(struct row_stack *s, const struct profile *p, uint32_t node)
{
	size_t depth = profile__stack(p, node, NULL, 0);
	int err = array__grow(&s->frames, &s->cap, depth);

	s->nr = 0;
	s->comm = "";
	if (err || !depth)
		return err;
	profile__stack(p, node, s->frames, depth);
	s->comm = profile__name(p, s->frames[0]);
	for (; s->nr < depth - 1; s->nr++)
		s->frames[s->nr] = s->frames[s->nr + 1];
	return 0;
}

void row_stack__free(struct row_stack *s)
{
	free(s->frames);
	*s = (struct row_stack){};
}

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
