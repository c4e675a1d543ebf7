// SPDX-License-Identifier: BSD-2-Clause
/* Writes what lines of a configuration count as families. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "serve/exposition.h"
#include "serve/probe_metrics_state.h"

/* One of the families that are made of values: which lines and fields have a part in it. */
enum probe_family { HITS, SECONDS, EVENTS, VALUE, DURATION, DISTRIBUTION, PROBE_FAMILIES };

/* clang-format off */
static const struct {
	const char *name;
	enum metric_type type;
	const char *help, *label; /* of the field */
} families[] = {
	[HITS] = { "pmutrace_probe_hits_total", METRIC_COUNTER,
		   "Hits of probes, or calls of functions", NULL },
	[SECONDS] = { "pmutrace_probe_seconds_total", METRIC_COUNTER,
		      "Time that calls took: all, their own, on a CPU, off it", "part" },
	[EVENTS] = { "pmutrace_probe_events_total", METRIC_COUNTER,
		     "Events that were counted while calls ran", "event" },
	[VALUE] = { "pmutrace_probe_value", METRIC_SUMMARY,
		    "A field of hits, added up", "field" },
	[DURATION] = { "pmutrace_probe_duration_seconds", METRIC_HISTOGRAM,
		       "How a time spreads", "field" },
	[DISTRIBUTION] = { "pmutrace_probe_distribution", METRIC_HISTOGRAM,
			   "How a number spreads", "field" },
};
/* clang-format on */

static bool is_of_hist(const struct probe_metric *m, const struct probe_field *f)
{
	return m->nr_buckets && !strcmp(f->name, m->hist);
}

static enum probe_family family_of(const struct probe_metric *m, const struct probe_field *f)
{
	if (is_of_hist(m, f))
		return f->is_time ? DURATION : DISTRIBUTION;
	if (!m->is_func)
		return VALUE;
	return f->is_time ? SECONDS : EVENTS;
}

/* One series, @of: NULL: of the others; and the families to write. */
struct series {
	const struct probe_metric *metric;
	const struct metric_member *of;
	const uint64_t *values;
	struct exposition *x;
	enum probe_family family;
	const struct probe_field *field; /* NULL: hits */
	uint64_t exemplars_since_ns;	 /* since 1970 */
};

/* An exemplar with what its labels refer to. */
struct shown_exemplar {
	struct exposition_exemplar e;
	char pid[16], tid[16];
};

static void put_keys(const struct series *s)
{
	const char *at = s->of ? s->of->name : NULL;

	for (size_t k = 0; k < s->metric->nr_keys; k++) {
		const size_t len = at ? strcspn(at, KEY_END) : 0;
		char value[LABEL_BYTES + 1];

		snprintf(value, sizeof(value), "%.*s", (int)len, at ? at : "");
		exposition__label(s->x, s->metric->keys[k], at ? value : "other");
		if (at)
			at += len + 1;
	}
}

/* Whether the series' own labels say so. */
static bool is_known(const struct series *s, const char *label)
{
	for (size_t k = 0; s->of && k < s->metric->nr_keys; k++)
		if (!strcmp(s->metric->keys[k], label))
			return true;
	return false;
}

static void add_label(const struct series *s, struct exposition_exemplar *e, const char *key,
		      const char *value)
{
	if (is_known(s, key))
		return;
	e->labels[e->nr_labels].key = key;
	e->labels[e->nr_labels++].value = value;
}

/* Has the next sample told with one hit of @at. NULL: there is none. */
static struct exposition_exemplar *exemplify(const struct series *s, uint32_t at,
					     struct shown_exemplar *shown)
{
	const struct members *m = &s->metric->members;
	const struct exemplar *e = exemplars__find(s->of ? &s->of->exemplars : &m->other_exemplars,
						   at, s->exemplars_since_ns);

	if (!e)
		return NULL;
	shown->e = (struct exposition_exemplar){ .value = e->value, .time_ns = e->time_ns };
	snprintf(shown->pid, sizeof(shown->pid), "%" PRIu32, e->pid);
	snprintf(shown->tid, sizeof(shown->tid), "%" PRIu32, e->tid);
	add_label(s, &shown->e, "pid", shown->pid);
	add_label(s, &shown->e, "tid", shown->tid);
	add_label(s, &shown->e, "comm", e->comm);
	exposition__exemplar(s->x, &shown->e);
	return &shown->e;
}

static void put_labels(const struct series *s)
{
	const char *label = families[s->family].label;

	exposition__label(s->x, "metric", s->metric->name);
	if (s->field)
		exposition__label(s->x, label, s->field->name);
	put_keys(s);
}

/* In its unit; of a field that is signed it may be negative. */
static void put_sum(const struct series *s)
{
	const uint64_t sum = s->values[1 + (s->field - s->metric->fields)];

	if (s->field->is_time)
		exposition__double(s->x, (double)sum / 1e9);
	else if (s->metric->is_func)
		exposition__u64(s->x, sum);
	else
		exposition__double(s->x, (double)(int64_t)sum);
}

/* The largest value that a bucket takes, as the label le has it. */
static void put_bound(const struct series *s, struct bucket b)
{
	char text[40];

	if (b.open_above)
		snprintf(text, sizeof(text), "+Inf");
	else if (s->field->is_time)
		snprintf(text, sizeof(text), "%.15g", (double)b.to / 1e9);
	else
		snprintf(text, sizeof(text), "%" PRId64, b.to);
	exposition__label(s->x, "le", text);
}

/* @bucket: the one by itself whose hits come to @sum with those below. */
static void put_bucket(const struct series *s, struct bucket b, size_t bucket, uint64_t sum)
{
	struct shown_exemplar shown;
	struct exposition_exemplar *e = exemplify(s, probe_metric__exemplar(bucket), &shown);

	if (e && s->field->is_time)
		e->value /= 1e9;
	exposition__suffix(s->x, "_bucket");
	put_labels(s);
	put_bound(s, b);
	exposition__u64(s->x, sum);
}

/* All buckets between those that have had hits, whoever had them, and the last one. */
static void put_histogram(const struct series *s)
{
	const struct probe_metric *m = s->metric;
	uint64_t sum = 0;

	for (size_t b = m->first_bucket; b <= m->last_bucket && b + 1 < m->nr_buckets; b++) {
		sum += s->values[probe_metric__bucket(m, b)];
		put_bucket(s, probe_metric__range(m, b), b, sum);
	}
	sum = 0;
	for (size_t b = 0; b < m->nr_buckets; b++)
		sum += s->values[probe_metric__bucket(m, b)];
	put_bucket(s, (struct bucket){ .open_above = true }, m->nr_buckets - 1, sum);
	/* Of probes' fields nobody knows the sum: buckets are all that was counted. */
	if (!m->is_func)
		return;
	exposition__suffix(s->x, "_sum");
	put_labels(s);
	put_sum(s);
	exposition__suffix(s->x, "_count");
	put_labels(s);
	exposition__u64(s->x, sum);
}

/* What is known of one call is what buckets are of, or its time. */
static bool has_exemplars(const struct series *s)
{
	const char *known = s->metric->hist ? s->metric->hist : "time";

	return s->field->is_time && !strcmp(s->field->name, known);
}

static void put_hits(const struct series *s)
{
	struct shown_exemplar shown;
	struct exposition_exemplar *e = exemplify(s, EXEMPLAR_OF_HITS, &shown);

	if (e)
		e->value = 1;
	put_labels(s);
	exposition__u64(s->x, s->values[0]);
}

static void put_seconds(const struct series *s)
{
	struct shown_exemplar shown;
	struct exposition_exemplar *e =
		has_exemplars(s) ? exemplify(s, EXEMPLAR_OF_HITS, &shown) : NULL;

	if (e)
		e->value /= 1e9;
	put_labels(s);
	put_sum(s);
}

static void put_series(const struct series *s)
{
	switch (s->family) {
	case HITS:
		put_hits(s);
		break;
	case SECONDS:
		put_seconds(s);
		break;
	case EVENTS:
		put_labels(s);
		put_sum(s);
		break;
	case VALUE:
		exposition__suffix(s->x, "_sum");
		put_labels(s);
		put_sum(s);
		exposition__suffix(s->x, "_count");
		put_labels(s);
		exposition__u64(s->x, s->values[0]);
		break;
	case DURATION:
	case DISTRIBUTION:
		put_histogram(s);
		break;
	case PROBE_FAMILIES:
		break;
	}
}

/* The series of a family of one line, for each field that belongs there. */
static void put_line(struct series *s, bool *has_family)
{
	const struct probe_metric *m = s->metric;
	const size_t nr_fields = s->family == HITS ? 1 : m->nr_fields;

	for (size_t f = 0; f < nr_fields; f++) {
		s->field = s->family == HITS ? NULL : &m->fields[f];
		if (s->field && family_of(m, s->field) != s->family)
			continue;
		if (!*has_family)
			exposition__family(s->x, families[s->family].name, families[s->family].type,
					   families[s->family].help);
		*has_family = true;
		for (size_t i = 0; i <= m->members.nr; i++) {
			s->of = i < m->members.nr ? &m->members.items[i] : NULL;
			s->values = s->of ? s->of->values : m->members.others;
			/* Without keys there is one series, and nobody else. */
			if (s->of || m->nr_keys)
				put_series(s);
		}
	}
}

static void put_family(const struct probe_metrics *m, struct exposition *x,
		       enum probe_family family)
{
	const uint64_t shown_ns = EXEMPLAR_SHOWN_S * 1000000000ull;
	bool has_family = false;

	for (size_t i = 0; i < m->nr; i++) {
		struct series s = { .metric = m->items[i],
				    .x = x,
				    .family = family,
				    .exemplars_since_ns = clock__wall_ns() - shown_ns };

		if (m->items[i]->members.others)
			put_line(&s, &has_family);
	}
}

static void put_up(const struct probe_metrics *m, struct exposition *x)
{
	exposition__family(x, "pmutrace_probe_up", METRIC_GAUGE,
			   "Whether a line of the configuration counts, and if not, why");
	for (size_t i = 0; i < m->nr; i++) {
		const struct probe_metric *of = m->items[i];

		exposition__label(x, "metric", of->name);
		exposition__label(x, "reason",
				  of->is_up	 ? ""
				  : of->said.len ? of->said.data
						 : "it has ended");
		exposition__u64(x, of->is_up);
	}
}

static double missed_s(const struct probe_metric *m)
{
	/* What has been started may count by now: from then on it is not known yet. */
	const uint64_t to_ns = m->process.rows >= 0 ? m->started_ns : clock__now_ns();
	const uint64_t since_ns = m->is_up || to_ns < m->down_ns ? 0 : to_ns - m->down_ns;

	return (double)(m->missed_ns + since_ns) / 1e9;
}

static void put_losses(const struct probe_metrics *m, struct exposition *x)
{
	bool has_family = false;

	for (size_t i = 0; i < m->nr; i++)
		for (size_t l = 0; l < m->items[i]->nr_losses; l++) {
			if (!has_family)
				exposition__family(x, "pmutrace_probe_lost_total", METRIC_COUNTER,
						   "Of what was seen, what is in no series, and "
						   "why");
			has_family = true;
			exposition__label(x, "metric", m->items[i]->name);
			exposition__label(x, "reason", m->items[i]->losses[l].reason);
			exposition__u64(x, m->items[i]->losses[l].n);
		}
}

/* What is to be said of each line: a number, of those for which there is one. */
enum about { SEEN, MISSED, ENDED, UPDATED, OF_THEIR_OWN, OF_OTHERS, ABOUTS };

static bool put_one(const struct probe_metric *m, struct exposition *x, enum about about,
		    bool writes)
{
	const double numbers[] = {
		[SEEN] = (double)m->seen,
		[MISSED] = missed_s(m),
		[ENDED] = (double)m->nr_ended,
		[UPDATED] = m->updated_s,
		[OF_THEIR_OWN] = (double)m->members.nr,
		[OF_OTHERS] = (double)m->members.nr_others,
	};

	if ((about == SEEN && !m->is_seen_known) || (about == UPDATED && !m->updated_s))
		return false;
	if (!writes)
		return true;
	exposition__label(x, "metric", m->name);
	exposition__double(x, numbers[about]);
	return true;
}

static void put_about(const struct probe_metrics *m, struct exposition *x, enum about about)
{
	/* clang-format off */
	static const struct {
		const char *name;
		enum metric_type type;
		const char *help;
	} abouts[] = {
		[SEEN] = { "pmutrace_probe_seen_total", METRIC_COUNTER,
			   "Hits and calls that were seen" },
		[MISSED] = { "pmutrace_probe_missed_seconds_total", METRIC_COUNTER,
			     "Time for which a line did not count" },
		[ENDED] = { "pmutrace_probe_ended_total", METRIC_COUNTER,
			    "Times that a line ended by itself" },
		[UPDATED] = { "pmutrace_probe_updated_timestamp_seconds", METRIC_GAUGE,
			      "Up to when a line has told what it counts, since unix epoch" },
		[OF_THEIR_OWN] = { "pmutrace_probe_series", METRIC_GAUGE,
				   "How many rows have series of their own" },
		[OF_OTHERS] = { "pmutrace_probe_others", METRIC_GAUGE,
				"How many others there were in the last interval" },
	};
	/* clang-format on */
	bool any = false;

	for (size_t i = 0; i < m->nr; i++)
		any |= put_one(m->items[i], x, about, false);
	if (!any)
		return;
	exposition__family(x, abouts[about].name, abouts[about].type, abouts[about].help);
	for (size_t i = 0; i < m->nr; i++)
		(void)put_one(m->items[i], x, about, true);
}

void probe_metrics__put(const struct probe_metrics *m, struct exposition *x)
{
	if (!m->nr)
		return;
	for (enum probe_family f = HITS; f < PROBE_FAMILIES; f++)
		put_family(m, x, f);
	put_up(m, x);
	put_losses(m, x);
	for (enum about a = SEEN; a < ABOUTS; a++)
		put_about(m, x, a);
}
