// SPDX-License-Identifier: BSD-2-Clause
/* A difference as comma-separated values: a line for each function. */
#include <math.h>
#include <stdio.h>

#include "base/buf.h"
#include "model/profile.h"
#include "print/csvfield.h"
#include "print/diff.h"
#include "print/writer.h"

/* Empty: it is not known. */
static void put_rate(struct writer *w, bool *first, double x)
{
	char digits[32] = "";

	if (isfinite(x))
		snprintf(digits, sizeof(digits), "%.9g", x);
	csv_field__put(w, first, digits);
}

static int put_row(struct writer *w, const struct difference *d, const struct difference_row *row,
		   struct buf *scratch)
{
	const double change = row->r.rate[1] - row->r.rate[0], half = diff__half(d, row);
	bool first = true;
	int err = csv_field__name(w, &first, tally_names__name(&d->names, row->function), scratch);

	if (!err)
		err = csv_field__name(w, &first, tally_names__module(&d->names, row->function),
				      scratch);
	if (err)
		return err;
	csv_field__number(w, &first, row->samples[0]);
	csv_field__number(w, &first, row->samples[1]);
	put_rate(w, &first, row->r.rate[0]);
	put_rate(w, &first, row->r.rate[1]);
	put_rate(w, &first, change);
	put_rate(w, &first, change - half);
	put_rate(w, &first, change + half);
	csv_field__put(w, &first, diff__verdict_name(row->verdict));
	writer__putc(w, '\n');
	return 0;
}

int print__diff_csv(FILE *f, const struct diff_page *page)
{
	struct writer w = { .f = f };
	struct buf scratch = {};
	int err = 0, end;

	writer__puts(&w, "function,module,samples_a,samples_b,a,b,change,low,high,verdict\n");
	for (size_t i = 0; i < page->d->nr && !err; i++)
		err = put_row(&w, page->d, &page->d->rows[i], &scratch);
	end = writer__end(&w);
	buf__free(&scratch);
	return err ? err : end;
}
