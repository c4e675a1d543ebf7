// SPDX-License-Identifier: BSD-2-Clause
#include "print/explained_json.h"

#include <errno.h>
#include <json-c/json.h>

#include "print/jsonput.h"
#include "print/jsontext.h"
#include "print/writer.h"

static int put_key(struct json_object *o, const struct explained *x)
{
	struct json_object *key = json_object_new_object();
	int err = json__put(o, "key", key);

	if (!err)
		err = json__put_text(key, "name", x->name);
	return err ? err : json__put_string(key, "kind", "explained");
}

static int put_no_attr(struct json_object *o)
{
	int err = json__put_null(o, "attr");

	return err ? err : json__put_null(o, "words");
}

static int put_attr(struct json_object *o, const struct explained *x)
{
	struct json_object *attr = json_object_new_object(), *words = json_object_new_object();
	int err = json__put(o, "attr", attr), failed = json__put(o, "words", words);

	if (!err)
		err = failed;
	for (size_t i = 0; i < x->nr_fields && !err; i++) {
		const struct explained_field *f = &x->fields[i];

		err = json__put_u64(attr, f->name, f->value);
		if (!err && f->words)
			err = json__put_text(words, f->name, f->words);
	}
	return err;
}

/* 0: nothing was asked for. */
static int put_count(struct json_object *o, const char *key, uint64_t n)
{
	return n ? json__put_u64(o, key, n) : json__put_null(o, key);
}

static int put_numbers(struct json_object *o, const struct explained *x)
{
	int err = json__put_text(o, "unit", x->unit);

	if (!err)
		err = json__put_double(o, "scale", x->scale, -1);
	if (!err)
		err = put_count(o, "hz", x->hz);
	if (!err)
		err = put_count(o, "period", x->period);
	if (err)
		return err;
	return x->group == EXPLAINED_NO_GROUP ? json__put_null(o, "group")
					      : json__put_u64(o, "group", x->group);
}

static int put_cpus(struct json_object *o, const struct explained *x)
{
	struct json_object *cpus, *cpu;
	int err;

	if (!x->nr_cpus)
		return json__put_null(o, "cpus");
	cpus = json_object_new_array();
	err = json__put(o, "cpus", cpus);
	for (size_t i = 0; i < x->nr_cpus && !err; i++) {
		cpu = json_object_new_uint64(x->cpus[i]);
		if (!cpu || json_object_array_add(cpus, cpu)) {
			json_object_put(cpu);
			err = -ENOMEM;
		}
	}
	return err;
}

/* @cpu: its number, or NULL: it is for none. */
static int put_try(struct json_object *o, const char *key, const struct explained_try *t,
		   const int *cpu)
{
	struct json_object *try = json_object_new_object();
	int err = json__put(o, key, try);

	if (!err && cpu)
		err = *cpu == EXPLAINED_NO_CPU ? json__put_null(try, "number")
					       : json__put_u64(try, "number", *cpu);
	if (!err)
		err = json__put_text(try, "state", catalog_state__name(t->state));
	return err ? err : json__put_text(try, "why", t->why);
}

static int write_row(struct writer *w, const struct explained *x)
{
	struct json_object *o = json_object_new_object();
	int err = o ? put_key(o, x) : -ENOMEM;

	if (!err)
		err = json__put_text(o, "origin", x->origin);
	if (!err)
		err = json__put_text(o, "text", x->text);
	if (!err)
		err = json__put_text(o, "form", x->form);
	if (!err)
		err = x->nr_fields ? put_attr(o, x) : put_no_attr(o);
	if (!err)
		err = put_numbers(o, x);
	if (!err)
		err = json__put_text(o, "adds_to", x->adds_to);
	if (!err)
		err = put_cpus(o, x);
	if (!err)
		err = put_try(o, "process", &x->process, NULL);
	if (!err)
		err = put_try(o, "cpu", &x->cpu, &x->tried_cpu);
	return json__write(w, o, err);
}

int out__explained_json(FILE *f, const struct explanations *l)
{
	struct writer w = { .f = f };
	int err, end;

	writer__printf(&w, "{\"schema\":%d,\"command\":\"list\",\"version\":", JSON_SCHEMA);
	err = json__write_string(&w, PMUTRACE_VERSION);
	writer__puts(&w, ",\n\"rows\":[");
	for (size_t i = 0; i < l->nr && !err; i++) {
		writer__puts(&w, i ? ",\n" : "\n");
		err = write_row(&w, &l->items[i]);
	}
	writer__puts(&w, "]}\n");
	end = writer__end(&w);
	return err ? err : end;
}
