// SPDX-License-Identifier: BSD-2-Clause
#include "out/csv.h"

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "model/profile.h"
#include "out/csvfield.h"
#include "out/escape.h"
#include "out/rows.h"
#include "out/writer.h"

static int write_header(struct writer *w, const struct profile *p)
{
	static const struct {
		unsigned by;
		const char *name;
	} parts[] = {
		{ BY_COMM, "comm" }, { BY_PID, "pid" },	      { BY_TID, "tid" },
		{ BY_CPU, "cpu" },   { BY_CGROUP, "cgroup" }, { BY_KSTACK | BY_USTACK, "stack" },
	};
	struct buf b = {};
	bool first = true;
	int err = 0;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(parts); i++)
		if (p->by & parts[i].by)
			csv_field__put(w, &first, parts[i].name);
	for (i = 0; i < p->nr_events && !err; i++) {
		buf__clear(&b);
		err = buf__puts(&b, "weight ");
		if (!err)
			err = escape__controls(&b, p->events[i].name);
		if (err)
			break;
		csv_field__put(w, &first, b.data + strlen("weight "));
		csv_field__put(w, &first, b.data);
	}
	writer__putc(w, '\n');
	buf__free(&b);
	return err;
}

static int put_stack(struct writer *w, struct buf *b, bool *first, const struct profile *p,
		     const struct row_stack *s)
{
	int err;

	buf__clear(b);
	err = buf__puts(b, "");
	for (size_t i = 0; i < s->nr && !err; i++) {
		if (i)
			err = buf__puts(b, ";");
		if (!err)
			err = escape__folded(b, profile__name(p, s->frames[i]));
	}
	if (!err)
		csv_field__put(w, first, b->data);
	return err;
}

static int put_key(struct writer *w, struct buf *b, bool *first, const struct profile *p,
		   const struct row_key *k)
{
	struct row_stack s = {};
	int err = row_stack__get(&s, p, k->stack);

	if (!err && p->by & BY_COMM)
		err = csv_field__name(w, first, s.comm, b);
	if (p->by & BY_PID)
		csv_field__number(w, first, k->pid);
	if (p->by & BY_TID)
		csv_field__number(w, first, k->tid);
	if (p->by & BY_CPU)
		csv_field__number(w, first, k->cpu);
	if (!err && p->by & BY_CGROUP)
		err = csv_field__name(w, first, strtab__get(p->strings, k->cgroup), b);
	if (!err && p->by & (BY_KSTACK | BY_USTACK))
		err = put_stack(w, b, first, p, &s);
	row_stack__free(&s);
	return err;
}

static void put_values(struct writer *w, bool *first, const struct profile *p, const uint32_t *rows,
		       size_t nr)
{
	for (size_t event = 0, i = 0; event < p->nr_events; event++) {
		if (i < nr && p->rows[rows[i]].key.event == event) {
			csv_field__number(w, first, p->rows[rows[i]].samples);
			csv_field__number(w, first, p->rows[rows[i]].weight);
			i++;
		} else {
			csv_field__put(w, first, "");
			csv_field__put(w, first, "");
		}
	}
}

int out__csv(FILE *f, const struct profile *p)
{
	struct writer w = { .f = f };
	struct buf b = {};
	struct rows rows;
	int err = rows__group(&rows, p), end;

	if (!err)
		err = write_header(&w, p);
	for (size_t i = 0; i < rows.nr && !err; i++) {
		const uint32_t *of_line = &rows.order[rows.lines[i].first];
		bool first = true;

		err = put_key(&w, &b, &first, p, &p->rows[of_line[0]].key);
		put_values(&w, &first, p, of_line, rows.lines[i].nr);
		writer__putc(&w, '\n');
	}
	end = writer__end(&w);
	buf__free(&b);
	rows__free(&rows);
	return err ? err : end;
}
