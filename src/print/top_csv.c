// SPDX-License-Identifier: BSD-2-Clause
/* Writes an interval of a live view as CSV. */
#include "print/top_csv.h"

#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "print/csvfield.h"
#include "print/writer.h"

/* A line that is being written. */
struct top_csv {
	struct writer w;
	const struct top_page *p;
	struct buf text; /* scratch */
	bool first;	 /* no field yet */
};

/* Any bytes, as the kernel has them. NULL: not known. */
static int put_name(struct top_csv *t, const char *s)
{
	struct buf valid = {};
	int err = utf8__put_valid(&valid, s ? s : "-", s ? strlen(s) : 1);

	if (!err)
		err = csv_field__name(&t->w, &t->first, valid.data ? valid.data : "", &t->text);
	buf__free(&valid);
	return err;
}

static int put_header(struct top_csv *t)
{
	struct top_key_part parts[TOP_KEY_PARTS];
	size_t nr = top_page__key(t->p, NULL, parts);
	int err = 0;

	t->first = true;
	csv_field__put(&t->w, &t->first, "at_ns");
	csv_field__put(&t->w, &t->first, "duration_ns");
	for (size_t i = 0; i < nr; i++)
		csv_field__put(&t->w, &t->first, parts[i].name);
	csv_field__put(&t->w, &t->first, "exited");
	for (size_t i = 0; i < t->p->columns->nr && !err; i++)
		err = put_name(t, t->p->columns->items[i].name);
	writer__putc(&t->w, '\n');
	return err;
}

static int put_value(struct top_csv *t, double value)
{
	int err;

	buf__clear(&t->text);
	err = isnan(value) ? buf__puts(&t->text, "-") : buf__printf(&t->text, "%.15g", value);
	if (!err)
		csv_field__put(&t->w, &t->first, t->text.data);
	return err;
}

static int put_row(struct top_csv *t, const struct live_row *row)
{
	const struct live_about *about = live__interval(t->p->live);
	struct top_key_part parts[TOP_KEY_PARTS];
	size_t nr = top_page__key(t->p, row, parts);
	int err = 0;

	t->first = true;
	csv_field__number(&t->w, &t->first, about->at_ns);
	csv_field__number(&t->w, &t->first, about->interval_ns);
	for (size_t i = 0; i < nr && !err; i++) {
		if (parts[i].is_number)
			csv_field__number(&t->w, &t->first, parts[i].number);
		else
			err = put_name(t, parts[i].text);
	}
	csv_field__number(&t->w, &t->first, row->exited);
	for (size_t i = 0; i < t->p->columns->nr && !err; i++)
		err = put_value(t, column__value(&t->p->columns->items[i], about, row));
	writer__putc(&t->w, '\n');
	return err;
}

int print__top_csv(FILE *f, const struct top_page *p, bool header)
{
	struct top_csv t = { .w = { .f = f }, .p = p };
	int err = header ? put_header(&t) : 0, end;

	for (size_t i = 0; i < top_page__nr_rows(p) && !err; i++)
		err = put_row(&t, &p->rows->items[i]);
	end = writer__end(&t.w);
	buf__free(&t.text);
	return err ? err : end;
}
