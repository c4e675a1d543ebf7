// SPDX-License-Identifier: BSD-2-Clause
/* What the events of a list stand for, as a JSON document. */
#include "print/explained_json.h"

#include "print/json.h"

static void put_attr(struct json *j, const struct explained *x)
{
	if (!x->nr_fields) {
		json__null(j, "attr");
		json__null(j, "words");
		return;
	}
	json__open(j, "attr");
	for (size_t i = 0; i < x->nr_fields; i++)
		json__u64(j, x->fields[i].name, x->fields[i].value);
	json__close(j);
	json__open(j, "words");
	for (size_t i = 0; i < x->nr_fields; i++)
		if (x->fields[i].words)
			json__string(j, x->fields[i].name, x->fields[i].words);
	json__close(j);
}

/* 0: nothing was asked for. */
static void put_count(struct json *j, const char *key, uint64_t n)
{
	if (n)
		json__u64(j, key, n);
	else
		json__null(j, key);
}

static void put_numbers(struct json *j, const struct explained *x)
{
	json__string(j, "unit", x->unit);
	json__double(j, "scale", x->scale, -1);
	put_count(j, "hz", x->hz);
	put_count(j, "period", x->period);
	if (x->group == EXPLAINED_NO_GROUP)
		json__null(j, "group");
	else
		json__u64(j, "group", x->group);
}

static void put_cpus(struct json *j, const struct explained *x)
{
	if (!x->nr_cpus) {
		json__null(j, "cpus");
		return;
	}
	json__open_array(j, "cpus");
	for (size_t i = 0; i < x->nr_cpus; i++)
		json__u64(j, NULL, x->cpus[i]);
	json__close_array(j);
}

/* @cpu: its number, or NULL: it is for none. */
static void put_try(struct json *j, const char *key, const struct explained_try *t, const int *cpu)
{
	json__open(j, key);
	if (cpu && *cpu == EXPLAINED_NO_CPU)
		json__null(j, "number");
	else if (cpu)
		json__u64(j, "number", *cpu);
	json__string(j, "state", catalog_state__name(t->state));
	json__string(j, "why", t->why);
	json__close(j);
}

static void put_row(struct json *j, const struct explained *x)
{
	json__line(j);
	json__open(j, NULL);
	json__open(j, "key");
	json__string(j, "name", x->name);
	json__string(j, "kind", "explained");
	json__close(j);
	json__string(j, "origin", x->origin);
	json__string(j, "text", x->text);
	json__string(j, "form", x->form);
	put_attr(j, x);
	put_numbers(j, x);
	json__string(j, "adds_to", x->adds_to);
	put_cpus(j, x);
	put_try(j, "process", &x->process, NULL);
	put_try(j, "cpu", &x->cpu, &x->tried_cpu);
	json__close(j);
}

int print__explained_json(FILE *f, const struct explanations *l)
{
	struct json j;

	json__begin(&j, f, "list", true);
	json__line(&j);
	json__open_array(&j, "rows");
	for (size_t i = 0; i < l->nr; i++)
		put_row(&j, &l->items[i]);
	json__close_array(&j);
	return json__end(&j);
}
