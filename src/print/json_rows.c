// SPDX-License-Identifier: BSD-2-Clause
#include "print/json_rows.h"

#include <errno.h>
#include <json-c/json.h>

#include "base/strtab.h"
#include "print/jsonput.h"
#include "print/key_part.h"
#include "print/rows.h"

struct json_rows {
	const struct profile *p;
	const struct json_opts *o;
	struct rows rows;
	struct row_stack stack; /* of the row at hand */
};

/* Adds up where a key is there already: one event may be asked for twice. */
static int add_u64(struct json_object *o, const char *key, uint64_t n)
{
	struct json_object *old;

	if (json_object_object_get_ex(o, key, &old))
		n += json_object_get_uint64(old);
	return json__put_u64(o, key, n);
}

static struct json_object *new_stack(const struct profile *p, const struct row_stack *s)
{
	struct json_object *list = json_object_new_array(), *name;

	for (size_t i = 0; list && i < s->nr; i++) {
		name = json_object_new_string(profile__name(p, s->frames[i]));
		if (name && !json_object_array_add(list, name))
			continue;
		json_object_put(name);
		json_object_put(list);
		return NULL;
	}
	return list;
}

static int put_number(struct json_object *o, const char *key, uint64_t n, bool is_signed)
{
	return is_signed ? json__put(o, key, json_object_new_int64((int64_t)n))
			 : json__put_u64(o, key, n);
}

static int put_hex(struct json_object *o, const char *key, uint64_t n)
{
	char digits[KEY_PART_DIGITS];

	field__digits(FIELD_HEX, n, digits);
	return json__put_string(o, key, digits);
}

static int put_fields(struct json_object *key, const struct profile *p, const uint64_t *words)
{
	int err = 0;

	for (size_t i = 0; i < p->nr_fields && !err; i++) {
		const struct profile_field *f = &p->fields[i];

		if (f->kind == FIELD_TEXT)
			err = json__put_string(key, f->name, strtab__get(p->strings, words[i]));
		else if (f->kind == FIELD_HEX)
			err = put_hex(key, f->name, words[i]);
		else if (f->kind != FIELD_BUCKET)
			err = put_number(key, f->name, words[i], f->kind == FIELD_SIGNED);
	}
	return err;
}

static int put_key(struct json_object *o, const struct profile *p, const struct row_key *k,
		   const struct row_stack *s)
{
	struct json_object *key = json_object_new_object();
	int err = json__put(o, "key", key);

	if (!err && p->by & BY_COMM)
		err = json__put_string(key, "comm", s->comm);
	if (!err && p->by & BY_PID)
		err = json__put_u64(key, "pid", k->pid);
	if (!err && p->by & BY_TID)
		err = json__put_u64(key, "tid", k->tid);
	if (!err && p->by & BY_CPU)
		err = json__put_u64(key, "cpu", k->cpu);
	if (!err && p->by & BY_CGROUP)
		err = json__put_string(key, "cgroup", strtab__get(p->strings, k->cgroup));
	if (!err && p->by & BY_CALLER)
		err = json__put_string(key, "caller", key_part__caller(p, k->stack));
	if (!err && p->nr_fields)
		err = put_fields(key, p, tuples__get(&p->tuples, k->fields));
	if (!err && p->by & (BY_KSTACK | BY_USTACK))
		err = json__put(key, "stack", new_stack(p, s));
	return err;
}

static int put_values(struct json_object *o, const struct json_rows *j, const struct line *l)
{
	struct json_object *values = json_object_new_object();
	struct json_object *weights = j->o->weights ? json_object_new_object() : NULL;
	int err = json__put(o, "values", values), err_weights = 0;

	if (j->o->weights)
		err_weights = json__put(o, "weights", weights);
	err = err ? err : err_weights;
	for (size_t i = 0; i < l->nr && !err; i++) {
		const struct row *r = rows__row(&j->rows, j->p, l, i);
		const char *event = j->p->events[r->key.event].name;

		err = add_u64(values, event, r->samples);
		if (!err && weights)
			err = add_u64(weights, event, r->weight);
	}
	return err;
}

static int put_metric(struct json_object *metrics, const struct measured *m)
{
	struct json_object *o = json_object_new_object();
	const bool is_signed = m->metric->is_signed;
	int err = json__put(metrics, m->metric->name, o);

	if (!err && !measured__is_summed(m)) {
		err = json__put_null(o, "sum");
		if (!err)
			err = json__put_null(o, "avg");
	} else if (!err) {
		err = put_number(o, "sum", m->value.sum, is_signed);
		if (!err)
			err = json__put_double(o, "avg", measured__avg(m), 3);
	}
	if (!err)
		err = put_number(o, "min", m->value.min, is_signed);
	if (!err)
		err = put_number(o, "max", m->value.max, is_signed);
	return err;
}

static int put_metrics(struct json_object *o, const struct json_rows *j, const struct line *l)
{
	struct json_object *metrics = json_object_new_object();
	int err = json__put(o, "metrics", metrics);

	for (size_t i = 0; i < j->p->nr_metrics && !err; i++) {
		const struct measured m = rows__measured(&j->rows, j->p, l, i);

		err = put_metric(metrics, &m);
	}
	return err;
}

static int put_end(struct json_object *o, const char *key, int64_t n, bool is_open)
{
	return is_open ? json__put_null(o, key) : put_number(o, key, n, true);
}

static struct json_object *new_range(const struct bucket *b, uint64_t samples)
{
	struct json_object *o = json_object_new_object();
	int err = o ? put_end(o, "from", b->from, b->open_below) : -ENOMEM;

	if (!err)
		err = put_end(o, "to", b->to, b->open_above);
	if (!err)
		err = json__put_u64(o, "count", samples);
	if (!err)
		return o;
	json_object_put(o);
	return NULL;
}

static int put_histogram(struct json_object *o, const struct json_rows *j, const struct line *l)
{
	struct json_object *list = json_object_new_array();
	int err = json__put(o, "hist", list);

	for (size_t i = 0; i < l->nr && !err; i++) {
		const struct row *row = rows__row(&j->rows, j->p, l, i);
		struct bucket b = buckets__range(&j->p->buckets, row__bucket(j->p, row));
		struct json_object *range = new_range(&b, row->samples);

		if (range && !json_object_array_add(list, range))
			continue;
		json_object_put(range);
		err = -ENOMEM;
	}
	return err;
}

static int put_row(struct json_object *o, struct json_rows *j, const struct line *l)
{
	const struct row_key *key = &rows__row(&j->rows, j->p, l, 0)->key;
	int err = row_stack__get(&j->stack, j->p, key->stack);

	if (!err)
		err = put_key(o, j->p, key, &j->stack);
	if (!err)
		err = put_values(o, j, l);
	if (!err && j->p->nr_metrics)
		err = put_metrics(o, j, l);
	if (!err && rows__bucket_field(j->p) >= 0)
		err = put_histogram(o, j, l);
	return err;
}

int json__write_rows(struct writer *w, const struct profile *p, const struct json_opts *o)
{
	struct json_rows j = { .p = p, .o = o };
	int err = rows__group(&j.rows, p, rows__are_by_event(p));

	for (size_t i = 0; i < j.rows.nr && !err; i++) {
		struct json_object *row = json_object_new_object();

		err = row ? put_row(row, &j, &j.rows.lines[i]) : -ENOMEM;
		json__break(w, o, i ? "," : "");
		err = json__write(w, row, err);
	}
	row_stack__free(&j.stack);
	rows__free(&j.rows);
	return err;
}
