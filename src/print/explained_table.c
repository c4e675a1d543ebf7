// SPDX-License-Identifier: BSD-2-Clause
/* Writes what events stand for as text: the name, then a line for each fact. */
#include "print/explained_table.h"

#include "base/buf.h"
#include "print/escape.h"
#include "print/writer.h"

struct table {
	struct writer w;
	bool color;
};

static int put_line(struct table *t, const char *label, const char *text)
{
	struct buf plain = {};
	int err;

	if (!text)
		return 0;
	err = escape__plain(&plain, text);
	if (!err)
		writer__printf(&t->w, "  %-15s ", label);
	if (!err && plain.len)
		writer__put(&t->w, plain.data, plain.len);
	writer__putc(&t->w, '\n');
	buf__free(&plain);
	return err;
}

static int put_field(struct table *t, const struct explained_field *f)
{
	struct buf text = {};
	int err = buf__printf(&text, f->is_hex ? "0x%llx" : "%llu", (unsigned long long)f->value);

	if (!err && f->words)
		err = buf__printf(&text, " (%s)", f->words);
	if (!err)
		err = put_line(t, f->name, text.data);
	buf__free(&text);
	return err;
}

static int put_numbers(struct table *t, const struct explained *x)
{
	struct buf text = {};
	int err = 0;

	if (x->scale != 1)
		err = buf__printf(&text, "count * %.15g%s%s", x->scale, *x->unit ? " in " : "",
				  x->unit);
	else if (*x->unit)
		err = buf__printf(&text, "in %s", x->unit);
	if (!err && text.len)
		err = put_line(t, "value", text.data);
	buf__clear(&text);
	if (!err && x->hz)
		err = buf__printf(&text, "%llu Hz", (unsigned long long)x->hz);
	else if (!err && x->period)
		err = buf__printf(&text, "every %llu", (unsigned long long)x->period);
	if (!err && text.len)
		err = put_line(t, "rate", text.data);
	buf__clear(&text);
	if (!err && x->group != EXPLAINED_NO_GROUP)
		err = buf__printf(&text, "%d", x->group + 1);
	if (!err && text.len)
		err = put_line(t, "group", text.data);
	buf__free(&text);
	return err;
}

/* "0-3,8" */
static int put_cpus(struct table *t, const struct explained *x)
{
	struct buf text = {};
	size_t first, last;
	int err = 0;

	if (!x->nr_cpus)
		return 0;
	for (first = 0; first < x->nr_cpus && !err; first = last + 1) {
		for (last = first; last + 1 < x->nr_cpus && x->cpus[last + 1] == x->cpus[last] + 1;
		     last++)
			;
		err = buf__printf(&text, "%s%u", first ? "," : "", x->cpus[first]);
		if (!err && last > first)
			err = buf__printf(&text, "-%u", x->cpus[last]);
	}
	if (!err)
		err = put_line(t, "CPUs", text.data);
	buf__free(&text);
	return err;
}

static int put_try(struct table *t, const char *label, const struct explained_try *r)
{
	struct buf text = {};
	int err;

	if (r->state == CATALOG_OPENS)
		return put_line(t, label, "opens");
	if (r->state == CATALOG_UNKNOWN && !r->why)
		return put_line(t, label, "no: it counts for CPUs only");
	err = buf__printf(&text, "%s: %s", r->state == CATALOG_UNKNOWN ? "not known" : "no",
			  r->why ? r->why : "it does not open");
	if (!err)
		err = put_line(t, label, text.data);
	buf__free(&text);
	return err;
}

static int put_tries(struct table *t, const struct explained *x)
{
	char cpu[24];
	int err;

	if (!x->nr_fields)
		return put_line(t, "does not open", x->process.why);
	err = put_try(t, "this process", &x->process);
	snprintf(cpu, sizeof(cpu), "CPU %d", x->tried_cpu);
	return err ? err : put_try(t, cpu, &x->cpu);
}

static int put_explained(struct table *t, const struct explained *x)
{
	struct buf name = {};
	int err = escape__plain(&name, x->name);

	writer__printf(&t->w, "%s%s%s\n", t->color ? "\033[1m" : "", name.len ? name.data : "",
		       t->color ? "\033[0m" : "");
	buf__free(&name);
	if (!err)
		err = put_line(t, "from", x->origin);
	if (!err)
		err = put_line(t, "counts", x->text);
	for (size_t i = 0; i < x->nr_fields && !err; i++)
		err = put_field(t, &x->fields[i]);
	if (!err)
		err = put_numbers(t, x);
	if (!err)
		err = put_line(t, "adds to", x->adds_to);
	if (!err)
		err = put_line(t, "the same as", x->form);
	if (!err)
		err = put_cpus(t, x);
	return err ? err : put_tries(t, x);
}

int print__explained_table(FILE *f, const struct explanations *l, bool color)
{
	struct table t = { .w = { .f = f }, .color = color };
	int err = 0, end;

	for (size_t i = 0; i < l->nr && !err; i++) {
		if (i)
			writer__putc(&t.w, '\n');
		err = put_explained(&t, &l->items[i]);
	}
	end = writer__end(&t.w);
	return err ? err : end;
}
