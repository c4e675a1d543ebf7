// SPDX-License-Identifier: BSD-2-Clause
/* Writes what events stand for: as text, a line for each fact, and as JSON. */
#include "print/explained.h"

#include "base/buf.h"
#include "print/cell.h"
#include "print/escape.h"
#include "print/json.h"
#include "print/text_grid.h"
#include "print/writer.h"

enum { LABEL_WIDTH = 15 };

/* A line with a fact; none if that is not known. */
static void add_text(struct text_grid *g, const char *label, const char *text)
{
	if (!text)
		return;
	text_grid__cell(g, label);
	text_grid__cell(g, text);
}

static void add_line(struct text_grid *g, const char *label, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

static void add_line(struct text_grid *g, const char *label, const char *fmt, ...)
{
	va_list ap;

	text_grid__cell(g, label);
	va_start(ap, fmt);
	text_grid__vprintf(g, fmt, ap);
	va_end(ap);
}

static void add_field(struct text_grid *g, const struct explained_field *f)
{
	char digits[24];

	snprintf(digits, sizeof(digits), f->is_hex ? "0x%llx" : "%llu",
		 (unsigned long long)f->value);
	if (f->words)
		add_line(g, f->name, "%s (%s)", digits, f->words);
	else
		add_text(g, f->name, digits);
}

static void add_numbers(struct text_grid *g, const struct explained *x)
{
	if (x->scale != 1)
		add_line(g, "value", "count * %.15g%s%s", x->scale, *x->unit ? " in " : "",
			 x->unit);
	else if (*x->unit)
		add_line(g, "value", "in %s", x->unit);
	if (x->hz)
		add_line(g, "rate", "%llu Hz", (unsigned long long)x->hz);
	else if (x->period)
		add_line(g, "rate", "every %llu", (unsigned long long)x->period);
	if (x->group != EXPLAINED_NO_GROUP)
		add_line(g, "group", "%d", x->group + 1);
}

/* "0-3,8" */
static int add_cpus(struct text_grid *g, const struct explained *x)
{
	struct buf text = {};
	size_t first, last;
	int err = 0;

	for (first = 0; first < x->nr_cpus && !err; first = last + 1) {
		for (last = first; last + 1 < x->nr_cpus && x->cpus[last + 1] == x->cpus[last] + 1;
		     last++)
			;
		err = buf__printf(&text, "%s%u", first ? "," : "", x->cpus[first]);
		if (!err && last > first)
			err = buf__printf(&text, "-%u", x->cpus[last]);
	}
	if (!err)
		add_text(g, "CPUs", text.data);
	buf__free(&text);
	return err;
}

static void add_try(struct text_grid *g, const char *label, const struct explained_try *r)
{
	if (r->state == CATALOG_OPENS)
		add_text(g, label, "opens");
	else if (r->state == CATALOG_UNKNOWN && !r->why)
		add_text(g, label, "no: it counts for CPUs only");
	else
		add_line(g, label, "%s: %s", r->state == CATALOG_UNKNOWN ? "not known" : "no",
			 r->why ? r->why : "it does not open");
}

static void add_tries(struct text_grid *g, const struct explained *x)
{
	char cpu[24];

	if (!x->nr_fields) {
		add_text(g, "does not open", x->process.why);
		return;
	}
	add_try(g, "this process", &x->process);
	snprintf(cpu, sizeof(cpu), "CPU %d", x->tried_cpu);
	add_try(g, cpu, &x->cpu);
}

static int add_facts(struct text_grid *g, const struct explained *x)
{
	int err;

	text_grid__column(g, &(struct text_grid_column){ .at_least = LABEL_WIDTH }, "");
	text_grid__column(g, &(struct text_grid_column){ .is_near = true }, "");
	add_text(g, "from", x->origin);
	add_text(g, "counts", x->text);
	for (size_t i = 0; i < x->nr_fields; i++)
		add_field(g, &x->fields[i]);
	add_numbers(g, x);
	add_text(g, "adds to", x->adds_to);
	add_text(g, "the same as", x->form);
	err = add_cpus(g, x);
	add_tries(g, x);
	return err;
}

static int put_explained(struct writer *w, const struct explained *x, bool color)
{
	struct text_grid g = { .indent = 2 };
	int err = add_facts(&g, x);

	if (!err)
		err = text_grid__lay_out(&g);
	writer__puts(w, color ? CELL_BOLD : "");
	escape__put(w, x->name);
	writer__puts(w, color ? CELL_PLAIN : "");
	writer__putc(w, '\n');
	for (size_t i = 0; i < text_grid__nr_lines(&g) && !err; i++)
		text_grid__put_line(&g, w, i);
	text_grid__free(&g);
	return err;
}

int print__explained_table(FILE *f, const struct explanations *l, bool color)
{
	struct writer w = { .f = f };
	int err = 0, end;

	for (size_t i = 0; i < l->nr && !err; i++) {
		writer__puts(&w, i ? "\n" : "");
		err = put_explained(&w, &l->items[i], color);
	}
	end = writer__end(&w);
	return err ? err : end;
}

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
