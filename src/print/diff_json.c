// SPDX-License-Identifier: BSD-2-Clause
/* A difference as a JSON document. */
#include <math.h>

#include "base/buf.h"
#include "model/profile.h"
#include "print/diff.h"
#include "print/json.h"
#include "print/profile_json.h"

/* Digits of a rate that mean something. */
static void put_rate(struct json *j, const char *key, double x)
{
	json__double(j, key, x, -1);
}

static void put_known(struct json *j, const char *key, uint64_t n)
{
	if (n)
		json__u64(j, key, n);
	else
		json__null(j, key);
}

static void put_head(struct json *j, const struct diff_page *page)
{
	const struct difference *d = page->d;
	const uint64_t a = d->sides[0].duration_ns, b = d->sides[1].duration_ns;
	const char *rates = d->per_run ? "per-run" : "per-second";

	put_known(j, "duration_ns", a && b ? a + b : 0);
	json__string(j, "of", d->opts.total ? "total" : "self");
	json__string(j, "rates", d->opts.absolute ? rates : "share");
	json__bool(j, "weights", d->of_weights);
	json__string(j, "unit", diff__unit_name(diff__unit(d)));
	json__double(j, "confidence", CONTRAST_CONFIDENCE, -1);
	json__u64(j, "tested", d->contrast.nr_tested);
	json__bool(j, "sure", d->contrast.has_units && !d->contrast.is_dependent);
}

static void put_side(struct json *j, const struct diff_page *page, int side)
{
	const struct diff_side *s = &page->sides[side];
	const struct unit_tally *t = &page->d->sides[side];

	json__line(j);
	json__open(j, NULL);
	json__string(j, "side", side ? "b" : "a");
	json__open_array(j, "files");
	for (size_t i = 0; i < s->nr_files; i++)
		json__string(j, NULL, s->files[i]);
	json__close_array(j);
	json__u64(j, "units", page->d->units[side].nr);
	put_known(j, "duration_ns", t->duration_ns);
	json__open_array(j, "events");
	profile_json__event(j, &s->p->events[s->event], t->has_weights);
	json__close_array(j);
	profile_json__losses(j, &s->p->losses);
	json__close(j);
}

static void put_row(struct json *j, const struct difference *d, const struct difference_row *row)
{
	const double change = row->r.rate[1] - row->r.rate[0], half = diff__half(d, row);

	json__line(j);
	json__open(j, NULL);
	json__open(j, "key");
	json__string(j, "function", tally_names__name(&d->names, row->function));
	json__string(j, "module", tally_names__module(&d->names, row->function));
	json__close(j);
	json__open(j, "samples");
	json__u64(j, "a", row->samples[0]);
	json__u64(j, "b", row->samples[1]);
	json__close(j);
	json__open(j, "values");
	put_rate(j, "a", row->r.rate[0]);
	put_rate(j, "b", row->r.rate[1]);
	json__close(j);
	put_rate(j, "change", change);
	put_rate(j, "low", change - half);
	put_rate(j, "high", change + half);
	json__string(j, "verdict", diff__verdict_name(row->verdict));
	json__close(j);
}

static void put_limit(struct json *j, const struct diff_page *page)
{
	const struct difference_limit *l = page->limit;
	const char *undecided = l->nr_undecided ? "cannot-tell" : "held";
	struct buf text = {};

	json__line(j);
	json__open(j, "limit");
	json__double(j, "above", page->limit_opts->limit, -1);
	json__string(j, "function", page->limit_opts->function);
	json__string(j, "verdict", l->nr_above ? "above" : undecided);
	json__u64(j, "functions_above", l->nr_above);
	json__u64(j, "functions_undecided", l->nr_undecided);
	json__string(j, "of", l->row ? tally_names__name(&page->d->names, l->row->function) : NULL);
	json__double(j, "visible", l->visible, 4);
	json__double(j, "times", l->times, 2);
	json__fail(j, print__diff_limit(&text, page));
	json__string(j, "text", text.data);
	json__close(j);
	buf__free(&text);
}

int print__diff_json(FILE *f, const struct diff_page *page)
{
	struct json j;

	json__begin(&j, f, "diff", true);
	put_head(&j, page);
	json__line(&j);
	json__open_array(&j, "sides");
	put_side(&j, page, 0);
	put_side(&j, page, 1);
	json__close_array(&j);
	json__line(&j);
	json__open_array(&j, "rows");
	for (size_t i = 0; i < page->d->nr && !j.w.err; i++)
		put_row(&j, page->d, &page->d->rows[i]);
	json__close_array(&j);
	if (page->limit)
		put_limit(&j, page);
	return json__end(&j);
}
