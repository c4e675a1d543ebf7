// SPDX-License-Identifier: BSD-2-Clause
/* Probes, --by, --filter and a measure in words -> count_opts, with fields of each probe. */
#include "plan/count_plan.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "lookup/resolve.h"
#include "plan/fields.h"
#include "plan/filter.h"
#include "plan/histograms.h"
#include "plan/returns.h"

void count_plan__skip(void *trigger, const struct perf_event_spec *event, int err)
{
	/* Out of memory: the function is left out without a word. */
	if (skipped__add(&((struct count_plan *)trigger)->skipped, event->name, strerror(-err)))
		return;
}

/* Events that can be counted one by one, where no period is given: all but PMUs' and clocks. */
static bool has_natural_period(const struct perf_event_attr *attr)
{
	if (attr->type == PERF_TYPE_BREAKPOINT)
		return true;
	if (attr->type != PERF_TYPE_SOFTWARE)
		return false;
	return attr->config != PERF_COUNT_SW_CPU_CLOCK && attr->config != PERF_COUNT_SW_TASK_CLOCK;
}

static int check_event(struct perf_event_spec *ev, struct buf *why)
{
	if (ev->site.kind != SITE_NONE || ev->hz || ev->period)
		return 0;
	if (!has_natural_period(&ev->attr))
		return why__refuse(why, -EINVAL,
				   "'%s': how many events are a hit? write %s@100000; "
				   "`pmutrace stat` counts all of them",
				   ev->name, ev->name);
	ev->period = 1;
	return 0;
}

/* Adds the probes of a word, and the word as an event of the profile. */
static int add_word(struct count_plan *t, const char *word, struct buf *why)
{
	size_t first = t->events.nr;
	struct profile_event *ev = &t->words[t->nr_words];
	int err = perf_events__parse(&t->events, &t->env, word, why);

	for (size_t i = first; i < t->events.nr && !err; i++)
		err = check_event(&t->events.items[i], why);
	if (err)
		return err;
	*ev = (struct profile_event){ .name = word, .unit = "" };
	if (t->events.items[first].site.kind == SITE_NONE) {
		ev->unit = t->events.items[first].unit;
		ev->hz = t->events.items[first].hz;
		ev->period = t->events.items[first].period;
	}
	t->nr_words++;
	return 0;
}

static const char *function_of(const struct perf_site *site)
{
	switch (site->kind) {
	case SITE_KPROBE:
	case SITE_KRETPROBE:
	case SITE_UPROBE:
	case SITE_URETPROBE:
		return site->name;
	default:
		return NULL;
	}
}

/* Places of one USDT probe share a number; so do all of a word, if probes are not told apart. */
static bool shares_number(const struct count_plan *t, size_t i, size_t word_first, bool by_probe)
{
	if (i == word_first)
		return false;
	return !by_probe || t->events.items[i].part_of != i;
}

static int number_probes(struct count_plan *t, const size_t *word_end, struct buf *why)
{
	bool by_probe =
		rowkeys__have(&t->key, ROWFIELD_PROBE) || rowkeys__have(&t->key, ROWFIELD_FUNCTION);
	size_t word = 0, first = 0;

	for (size_t i = 0; i < t->nr_probes; i++) {
		const struct perf_event_spec *ev = &t->events.items[i];

		while (i == word_end[word]) {
			word++;
			first = i;
		}
		if (!shares_number(t, i, first, by_probe))
			t->rowprobes[t->nr_rowprobes++] = (struct rowprobe){
				.name = ev->name,
				.function = function_of(&ev->site),
				.event = word,
			};
		t->probes[i].number = t->nr_rowprobes - 1;
		t->probes[i].optional = word_end[word] - first > 1 && ev->part_of == i;
	}
	if (t->nr_rowprobes > UINT16_MAX)
		return why__refuse(why, -EINVAL, "more than %d probes", UINT16_MAX);
	return 0;
}

static int set_measure(struct count_probe *p, struct field *f)
{
	p->measure = f->fetch;
	p->measure_signed = f->kind == FIELD_SIGNED;
	return 0;
}

struct search {
	struct count_plan *t;
	struct fields **fields;
};

/* Looks a field up for each probe, all of one kind. @set gets each. 0, -EINVAL, .. with @why. */
static int each_field(struct count_plan *t, struct fields **fields, const char *text, size_t len,
		      enum field_kind *kind, int (*set)(struct count_probe *p, struct field *f),
		      struct buf *why)
{
	for (size_t i = 0; i < t->nr_probes; i++) {
		struct field field = {};
		int err = fields__find(fields[i], text, len, &field, why);

		if (err)
			return err;
		if (i && (field.kind == FIELD_TEXT) != (*kind == FIELD_TEXT))
			return why__refuse(why, -EINVAL,
					   "'%.*s' is a text of some probes and a number of "
					   "others; count them one by one",
					   (int)len, text);
		/* Signed for all if for one: a negative number must not be shown as a huge one. */
		if (!i || field.kind == FIELD_SIGNED)
			*kind = field.kind;
		err = set(&t->probes[i], &field);
		if (err == -E2BIG)
			return why__refuse(why, -EINVAL, "--by: at most %d fields", COUNT_FIELDS);
		if (err)
			return err;
	}
	return 0;
}

static int append_by(struct count_probe *p, struct field *f)
{
	if (p->nr_by == COUNT_FIELDS)
		return -E2BIG;
	p->by[p->nr_by++] = f->fetch;
	return 0;
}

static int add_field(void *arg, const char *text, size_t len, struct buf *why)
{
	const struct search *s = arg;
	enum field_kind kind = FIELD_UNSIGNED;
	int err = each_field(s->t, s->fields, text, len, &kind, append_by, why);

	return err ? err : rowkeys__add(&s->t->key, text, len, kind, ROWFIELD_WORDS);
}

/* Parses "--by" into t->key and each probe's by[]. @fields: of each probe. */
static int parse_keys(struct count_plan *t, const char *by, struct fields **fields, struct buf *why)
{
	const struct fields_group group = { fields, t->nr_probes };
	struct search search = { t, fields };

	return rowkeys__parse(&t->key, by, &group, add_field, &search, why);
}

static int plan_measure(struct count_plan *t, const struct count_plan_opts *opts,
			struct fields **fields, struct buf *why)
{
	enum field_kind kind;
	int err = each_field(t, fields, opts->measure, strlen(opts->measure), &kind, set_measure,
			     why);

	if (!err && kind == FIELD_TEXT)
		err = why__refuse(why, -EINVAL, "'%s' is a text; only numbers add up",
				  opts->measure);
	if (err)
		return err;
	if (!opts->buckets) {
		t->has_metric = true;
		t->metric = (struct profile_metric){ opts->measure, "", kind == FIELD_SIGNED };
		return 0;
	}
	t->buckets = (struct buckets){ .metric = opts->measure, .unit = "" };
	t->bucket_kind = opts->linear ? BUCKETS_LINEAR : BUCKETS_LOG2;
	return opts->linear ? histograms__parse(&t->buckets, opts->linear, why) : 0;
}

/* The kernel evaluates a filter by itself where no program is needed: count_probe.event. */
static int plan_filter(struct count_probe *p, struct filter_cfg *out, const char *text,
		       struct fields *fields, struct buf *why)
{
	struct buf kernel = {};
	int err = filter__compile(out, text, fields, &kernel, why);

	p->filter = out;
	if (!err && p->event->site.kind == SITE_TRACEPOINT && kernel.len) {
		free(p->event->filter);
		p->event->filter = strdup(kernel.data);
		err = p->event->filter ? 0 : -ENOMEM;
	}
	buf__free(&kernel);
	return err;
}

static int plan_filters(struct count_plan *t, const char *text, struct fields **fields,
			struct buf *why)
{
	int err = 0;

	t->filters = calloc(t->nr_probes, sizeof(*t->filters));
	if (!t->filters)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_probes && !err; i++)
		err = plan_filter(&t->probes[i], &t->filters[i], text, fields[i], why);
	return err;
}

static int plan_fields(struct count_plan *t, const struct count_plan_opts *opts, struct buf *why)
{
	struct fields **fields = calloc(t->nr_probes, sizeof(*fields));
	const struct fields_group group = { fields, t->nr_probes };
	int err = fields ? 0 : -ENOMEM;

	for (size_t i = 0; i < t->nr_probes && !err; i++)
		err = fields__open(&fields[i], t->probes[i].event);
	if (!err)
		fields__put_together(&group);
	if (!err)
		err = parse_keys(t, opts->by ? opts->by : "probe", fields, why);
	if (!err && opts->measure)
		err = plan_measure(t, opts, fields, why);
	if (!err && t->bucket_kind != BUCKETS_NONE)
		err = histograms__add_field(&t->key, &t->buckets);
	if (!err && opts->filter)
		err = plan_filters(t, opts->filter, fields, why);
	for (size_t i = 0; fields && i < t->nr_probes; i++)
		fields__close(fields[i]);
	free(fields);
	return err;
}

static int plan_probes(struct count_plan *t)
{
	t->nr_probes = t->events.nr;
	t->probes = calloc(t->nr_probes + 1, sizeof(*t->probes));
	t->rowprobes = calloc(t->nr_probes + 1, sizeof(*t->rowprobes));
	if (!t->probes || !t->rowprobes)
		return -ENOMEM;
	for (size_t i = 0; i < t->nr_probes; i++)
		t->probes[i].event = &t->events.items[i];
	return 0;
}

int count_plan__plan(struct count_plan *out, const struct count_plan_opts *opts, struct buf *why)
{
	size_t *word_end = calloc(opts->nr_words + 1, sizeof(*word_end));
	int err = 0;

	out->env = resolve__by(opts->reader);
	out->env.sites = true;
	out->env.max_sites = opts->max_probes;
	out->env.skipped = skipped__of_pattern;
	out->env.skipped_arg = &out->skipped;
	out->words = calloc(opts->nr_words + 1, sizeof(*out->words));
	if (!word_end || !out->words)
		err = -ENOMEM;
	for (size_t i = 0; i < opts->nr_words && !err; i++) {
		err = add_word(out, opts->words[i], why);
		word_end[i] = out->events.nr;
	}
	if (!err && !opts->force)
		err = returns__check(&out->events, &out->env, why);
	if (!err)
		err = plan_probes(out);
	if (!err)
		err = plan_fields(out, opts, why);
	if (!err)
		err = number_probes(out, word_end, why);
	free(word_end);
	return err;
}

void count_plan__free(struct count_plan *t)
{
	skipped__free(&t->skipped);
	rowkeys__free(&t->key);
	free(t->words);
	free(t->filters);
	free(t->rowprobes);
	free(t->probes);
	perf_events__free(&t->events);
	*t = (struct count_plan){};
}

void count_plan__put(const struct count_plan *t, struct count_opts *hits,
		     struct collector_opts *opts)
{
	hits->probes = t->probes;
	hits->nr_probes = t->nr_probes;
	hits->env = &t->env;
	hits->values = t->has_metric;
	hits->buckets = t->bucket_kind;
	hits->linear = histograms__linear(&t->buckets);
	hits->skipped = count_plan__skip;
	hits->arg = (void *)t;
	opts->hits = hits;
	opts->by = t->key.by;
	opts->events = t->words;
	opts->nr_events = t->nr_words;
	opts->probes = t->rowprobes;
	opts->nr_probes = t->nr_rowprobes;
	opts->fields = t->key.fields;
	opts->nr_fields = t->key.nr_fields;
	opts->metrics = &t->metric;
	opts->nr_metrics = t->has_metric;
	opts->buckets = t->bucket_kind != BUCKETS_NONE ? &t->buckets : NULL;
}
