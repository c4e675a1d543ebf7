// SPDX-License-Identifier: BSD-2-Clause
/* A profile, or an interval of one, as a JSON document, or as JSON lines. */
#include "print/profile_json.h"

#include <stdbool.h>
#include <string.h>

#include "base/strtab.h"
#include "model/profile.h"
#include "print/json.h"
#include "print/rows.h"

static const char *state_of(const struct profile_event *e)
{
	if (e->enabled_ns && !e->running_ns)
		return "not-counted";
	return e->running_ns < e->enabled_ns ? "multiplexed" : "counted";
}

/* raw * enabled / running, rounded to nearest; what does not fit becomes the largest. */
static uint64_t scaled(const struct profile_event *e, uint64_t raw)
{
	unsigned __int128 n = (unsigned __int128)raw * e->enabled_ns;

	if (!e->running_ns || e->running_ns >= e->enabled_ns)
		return raw;
	n = (n + e->running_ns / 2) / e->running_ns;
	return n > UINT64_MAX ? UINT64_MAX : (uint64_t)n;
}

void profile_json__event(struct json *j, const struct profile_event *e, bool weights)
{
	const uint64_t raw = weights ? e->weight : e->samples;
	const bool no_times = !e->hz && !e->period && (!weights || !e->enabled_ns);

	json__line(j);
	json__open(j, NULL);
	json__string(j, "event", e->name);
	json__string(j, "unit", weights ? e->unit : "");
	json__string(j, "state", state_of(e));
	if (e->enabled_ns && !e->running_ns) /* unknown is null, never 0 */
		json__null(j, "value");
	else
		json__u64(j, "value", scaled(e, raw));
	json__u64(j, "raw", raw);
	if (no_times) { /* of probes, which are on no counter, and of files that tell none */
		json__null(j, "enabled_ns");
		json__null(j, "running_ns");
	} else {
		json__u64(j, "enabled_ns", e->enabled_ns);
		json__u64(j, "running_ns", e->running_ns);
	}
	if (e->in_tick)
		json__string(j, "source", "tick");
	if (e->passed_over)
		json__u64(j, "passed_over", e->passed_over);
	json__close(j);
}

static void put_number(struct json *j, const char *key, uint64_t n, bool is_signed)
{
	if (is_signed)
		json__i64(j, key, (int64_t)n);
	else
		json__u64(j, key, n);
}

/* What was asked for twice is one member. */
static bool is_repeated_field(const struct profile *p, size_t field)
{
	for (size_t i = 0; i < field; i++)
		if (!strcmp(p->fields[i].name, p->fields[field].name))
			return true;
	return false;
}

static bool is_repeated_metric(const struct profile *p, size_t metric)
{
	for (size_t i = 0; i < metric; i++)
		if (!strcmp(p->metrics[i].name, p->metrics[metric].name))
			return true;
	return false;
}

static void put_fields(struct json *j, const struct profile *p, const uint64_t *words)
{
	char digits[KEY_PART_DIGITS];

	for (size_t i = 0; i < p->nr_fields; i++) {
		const struct profile_field *f = &p->fields[i];

		if (is_repeated_field(p, i))
			continue;
		if (f->kind == FIELD_TEXT) {
			json__string(j, f->name, strtab__get(p->strings, words[i]));
		} else if (f->kind == FIELD_HEX) {
			field__digits(FIELD_HEX, words[i], digits);
			json__string(j, f->name, digits);
		} else if (f->kind != FIELD_BUCKET) {
			put_number(j, f->name, words[i], f->kind == FIELD_SIGNED);
		}
	}
}

/* Inlined functions are marked as in folded stacks. */
static void put_frame(struct json *j, const struct profile *p, uint32_t frame)
{
	const char *name = profile__name(p, frame);
	struct buf text = {};

	if (p->frames[frame].kind != FRAME_INLINED) {
		json__string(j, NULL, name);
		return;
	}
	json__fail(j, buf__printf(&text, "%s_[i]", name));
	json__string(j, NULL, text.data ? text.data : name);
	buf__free(&text);
}

static void put_stack(struct json *j, const struct profile *p, const struct row_stack *s)
{
	json__open_array(j, "stack");
	for (size_t i = 0; i < s->nr; i++)
		put_frame(j, p, s->frames[i]);
	json__close_array(j);
}

static void put_key(struct json *j, const struct profile *p, const struct row_key *k,
		    const struct row_stack *s)
{
	json__open(j, "key");
	if (p->by & BY_COMM)
		json__string(j, "comm", s->comm);
	if (p->by & BY_PID)
		json__u64(j, "pid", k->pid);
	if (p->by & BY_TID)
		json__u64(j, "tid", k->tid);
	if (p->by & BY_CPU)
		json__u64(j, "cpu", k->cpu);
	if (p->by & BY_CGROUP)
		json__string(j, "cgroup", strtab__get(p->strings, k->cgroup));
	if (p->by & BY_CALLER)
		json__string(j, "caller", key_part__caller(p, k->stack));
	if (p->nr_fields)
		put_fields(j, p, tuples__get(&p->tuples, k->fields));
	if (p->by & (BY_KSTACK | BY_USTACK))
		put_stack(j, p, s);
	json__close(j);
}

/* One event may have been asked for twice: then its name stands for both. */
static bool is_same_event(const struct profile *p, const struct row *a, const struct row *b)
{
	return a->key.event == b->key.event ||
	       !strcmp(p->events[a->key.event].name, p->events[b->key.event].name);
}

static bool is_first_of_event(const struct rows *rows, const struct profile *p,
			      const struct line *l, size_t i)
{
	const struct row *row = rows__row(rows, p, l, i);

	for (size_t k = 0; k < i; k++)
		if (is_same_event(p, rows__row(rows, p, l, k), row))
			return false;
	return true;
}

/* Samples, or the sums of their periods, by event. */
static void put_values(struct json *j, const char *key, const struct rows *rows,
		       const struct profile *p, const struct line *l, bool weights)
{
	json__open(j, key);
	for (size_t i = 0; i < l->nr; i++) {
		const struct row *row = rows__row(rows, p, l, i);
		uint64_t sum = 0;

		if (!is_first_of_event(rows, p, l, i) ||
		    (!weights && p->events[row->key.event].is_member))
			continue;
		for (size_t k = i; k < l->nr; k++) {
			const struct row *other = rows__row(rows, p, l, k);

			if (is_same_event(p, row, other))
				sum += weights ? other->weight : other->samples;
		}
		json__u64(j, p->events[row->key.event].name, sum);
	}
	json__close(j);
}

static void put_metric(struct json *j, const struct measured *m)
{
	const bool is_signed = m->metric->is_signed;

	json__open(j, m->metric->name);
	if (measured__is_summed(m)) {
		put_number(j, "sum", m->value.sum, is_signed);
		json__double(j, "avg", measured__avg(m), 3);
	} else {
		json__null(j, "sum");
		json__null(j, "avg");
	}
	put_number(j, "min", m->value.min, is_signed);
	put_number(j, "max", m->value.max, is_signed);
	json__close(j);
}

static void put_metrics(struct json *j, const struct rows *rows, const struct profile *p,
			const struct line *l)
{
	json__open(j, "metrics");
	for (size_t i = 0; i < p->nr_metrics; i++) {
		const struct measured m = rows__measured(rows, p, l, i);

		if (!is_repeated_metric(p, i))
			put_metric(j, &m);
	}
	json__close(j);
}

static void put_end(struct json *j, const char *key, int64_t n, bool is_open)
{
	if (is_open)
		json__null(j, key);
	else
		json__i64(j, key, n);
}

static const struct profile_exemplar *exemplar_of(const struct profile *p, const struct row *row)
{
	return profile__exemplar(p, row - p->rows);
}

static void put_exemplar(struct json *j, const struct profile *p, const struct profile_exemplar *e,
			 bool is_signed)
{
	if (!e)
		return;
	json__open(j, "exemplar");
	put_number(j, "value", e->value, is_signed);
	json__u64(j, "time_ns", e->time_ns);
	json__u64(j, "pid", e->pid);
	json__u64(j, "tid", e->tid);
	json__string(j, "comm", strtab__get(p->strings, e->comm));
	json__close(j);
}

/* Of a line that is no histogram: of its rows, which are of several events, the latest. */
static void put_line_exemplar(struct json *j, const struct rows *rows, const struct profile *p,
			      const struct line *l)
{
	const struct profile_exemplar *latest = NULL;

	for (size_t i = 0; i < l->nr; i++) {
		const struct profile_exemplar *e = exemplar_of(p, rows__row(rows, p, l, i));

		if (e && (!latest || e->time_ns > latest->time_ns))
			latest = e;
	}
	put_exemplar(j, p, latest, p->nr_metrics && p->metrics[0].is_signed);
}

static void put_histogram(struct json *j, const struct rows *rows, const struct profile *p,
			  const struct line *l)
{
	json__open_array(j, "hist");
	for (size_t i = 0; i < l->nr; i++) {
		const struct row *row = rows__row(rows, p, l, i);
		const struct bucket b = buckets__range(&p->buckets, row__bucket(p, row));

		json__open(j, NULL);
		put_end(j, "from", b.from, b.open_below);
		put_end(j, "to", b.to, b.open_above);
		json__u64(j, "count", row->samples);
		/* Signed numbers above all buckets are below 0 only where all buckets are. */
		put_exemplar(j, p, exemplar_of(p, row), !b.open_above || b.from < 0);
		json__close(j);
	}
	json__close_array(j);
}

/* The members of it. */
static void put_row(struct json *j, const struct rows *rows, const struct profile *p,
		    const struct line *l, struct row_stack *stack, const struct json_opts *o)
{
	const struct row_key *key = &rows__row(rows, p, l, 0)->key;

	json__fail(j, row_stack__get(stack, p, key->stack));
	put_key(j, p, key, stack);
	put_values(j, "values", rows, p, l, false);
	if (o->weights)
		put_values(j, "weights", rows, p, l, true);
	if (p->nr_metrics)
		put_metrics(j, rows, p, l);
	if (rows__bucket_field(p) >= 0)
		put_histogram(j, rows, p, l);
	else
		put_line_exemplar(j, rows, p, l);
}

static void put_rows(struct json *j, const struct profile *p, const struct json_opts *o)
{
	struct row_stack stack = {};
	struct rows rows;

	json__fail(j, rows__group(&rows, p, rows__are_by_event(p)));
	json__line(j);
	json__open_array(j, "rows");
	for (size_t i = 0; i < rows.nr && !j->w.err; i++) {
		json__line(j);
		json__open(j, NULL);
		put_row(j, &rows, p, &rows.lines[i], &stack, o);
		json__close(j);
	}
	json__close_array(j);
	row_stack__free(&stack);
	rows__free(&rows);
}

/* Of what is measured beside the samples; a histogram may be of one of the metrics. */
static void put_units(struct json *j, const struct profile *p)
{
	bool has_buckets = rows__bucket_field(p) >= 0;

	json__open(j, "units");
	for (size_t i = 0; i < p->nr_metrics; i++) {
		if (!is_repeated_metric(p, i))
			json__string(j, p->metrics[i].name, p->metrics[i].unit);
		if (has_buckets && !strcmp(p->metrics[i].name, p->buckets.metric))
			has_buckets = false;
	}
	if (has_buckets)
		json__string(j, p->buckets.metric, p->buckets.unit);
	json__close(j);
}

/* Unknown is null, never 0. */
static void put_known(struct json *j, const char *key, uint64_t n, bool is_known)
{
	if (is_known)
		json__u64(j, key, n);
	else
		json__null(j, key);
}

static void put_head(struct json *j, const struct profile *p, const struct json_opts *o)
{
	put_known(j, "duration_ns", p->duration_ns, p->duration_ns);
	if (o->at_ns)
		json__u64(j, "time_ns", o->at_ns);
	if (o->own_cost && p->own_ns)
		json__u64(j, "own_bpf_ns", p->own_ns);
	if (rows__are_by_event(p))
		put_units(j, p);
	if (!o->net)
		return;
	json__open(j, "net");
	for (size_t i = 0; i < p->nr_metrics; i++)
		if (!is_repeated_metric(p, i))
			json__u64(j, p->metrics[i].name, o->net[i]);
	json__close(j);
}

static void put_losses(struct json *j, const char *key, const struct losses *l, bool flaws)
{
	json__open(j, key);
	for (unsigned i = 0; i < l->nr; i++)
		if (l->by[i].flaw == flaws)
			json__u64(j, l->by[i].name, l->by[i].n);
	json__close(j);
}

void profile_json__losses(struct json *j, const struct losses *l)
{
	put_known(j, "seen", l->seen, !l->untold);
	json__u64(j, "kept", l->kept);
	put_losses(j, "losses", l, false);
	put_losses(j, "incomplete", l, true);
}

static void put_user_check(struct json *j, const struct unwind_check *c)
{
	json__string(j, "reference", c->reference);
	json__u64(j, "compared", unwind_check__nr_compared(c));
	for (unsigned i = 0; i < UNWIND_CHECK_RESULTS; i++)
		json__u64(j, unwind_check__name(i), c->results[i]);
	json__open(j, "skipped");
	for (unsigned i = 0; i < UNWIND_CHECK_SKIPS; i++)
		json__u64(j, unwind_check__skip_name(i), c->skipped[i]);
	json__close(j);
}

static void put_kernel_check(struct json *j, const struct unwind_check_kernel *k)
{
	json__open(j, "kernel");
	json__u64(j, "same", k->same);
	json__u64(j, "different", k->different);
	json__u64(j, "not_followed", k->left);
	json__close(j);
}

static void put_check(struct json *j, const struct unwind_check *c)
{
	if (!c->wanted && !c->kernel.is_known)
		return;
	json__line(j);
	json__open(j, "verify_unwind");
	if (c->wanted)
		put_user_check(j, c);
	if (c->kernel.is_known)
		put_kernel_check(j, &c->kernel);
	json__close(j);
}

static void put_events(struct json *j, const struct profile *p, const struct json_opts *o)
{
	json__line(j);
	json__open_array(j, "events");
	for (size_t i = 0; i < p->nr_events; i++)
		profile_json__event(j, &p->events[i], o->weights);
	json__close_array(j);
}

static void put_sums(struct json *j, const struct profile *p)
{
	json__line(j);
	profile_json__losses(j, &p->losses);
	put_check(j, &p->check);
}

int print__json(FILE *f, const struct profile *p, const struct json_opts *o)
{
	struct json j;

	json__begin(&j, f, o->command, !o->at_ns);
	put_head(&j, p, o);
	put_events(&j, p, o);
	put_rows(&j, p, o);
	put_sums(&j, p);
	return json__end(&j);
}

int print__json_lines(FILE *f, const struct profile *p, const struct json_opts *o)
{
	struct row_stack stack = {};
	struct rows rows;
	struct json j;
	int err;

	json__begin(&j, f, o->command, false);
	json__fail(&j, rows__group(&rows, p, rows__are_by_event(p)));
	put_head(&j, p, o);
	put_events(&j, p, o);
	put_sums(&j, p);
	json__u64(&j, "nr_rows", rows.nr);
	for (size_t i = 0; i < rows.nr && !j.w.err; i++) {
		json__next(&j);
		if (o->at_ns)
			json__u64(&j, "time_ns", o->at_ns);
		put_row(&j, &rows, p, &rows.lines[i], &stack, o);
	}
	err = json__end(&j);
	row_stack__free(&stack);
	rows__free(&rows);
	return err;
}
