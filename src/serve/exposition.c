// SPDX-License-Identifier: BSD-2-Clause
/* Writes families and samples, and reads what a scraper says that it understands. */
#include "serve/exposition.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static void fail(struct exposition *x, int err)
{
	if (!x->err)
		x->err = err;
}

static void put(struct exposition *x, const char *text, size_t len)
{
	if (!x->err)
		fail(x, buf__put(x->out, text, len));
}

static void puts_to(struct exposition *x, const char *text)
{
	put(x, text, strlen(text));
}

/* Backslashes and line ends are escaped in both formats, quotes in labels. */
static void put_escaped(struct exposition *x, const char *text, bool quotes)
{
	const char *special = quotes ? "\\\n\"" : "\\\n";

	while (*text) {
		const size_t len = strcspn(text, special);

		put(x, text, len);
		text += len;
		if (!*text)
			break;
		puts_to(x, *text == '\n' ? "\\n" : *text == '"' ? "\\\"" : "\\\\");
		text++;
	}
}

static bool ends_with_total(const char *name)
{
	const size_t len = strlen(name), total = strlen("_total");

	return len > total && !strcmp(name + len - total, "_total");
}

void exposition__family(struct exposition *x, const char *name, enum metric_type type,
			const char *help)
{
	const bool is_total = ends_with_total(name);
	static const char *const kinds[] = { "counter", "gauge", "summary", "histogram" };
	const char *kind = kinds[type];
	size_t len = strlen(name);

	if (x->open_metrics && type == METRIC_COUNTER && is_total)
		len -= strlen("_total");
	else if (x->open_metrics && type == METRIC_COUNTER)
		kind = "unknown";
	x->family = name;
	x->type = type;
	puts_to(x, "# HELP ");
	put(x, name, len);
	put(x, " ", 1);
	put_escaped(x, help, x->open_metrics);
	puts_to(x, "\n# TYPE ");
	put(x, name, len);
	put(x, " ", 1);
	puts_to(x, kind);
	put(x, "\n", 1);
}

static bool is_ascii(const char *text)
{
	while (*(const signed char *)text > 0)
		text++;
	return !*text;
}

static void put_value(struct exposition *x, const char *value)
{
	struct buf valid = {};

	if (is_ascii(value)) {
		put_escaped(x, value, true);
		return;
	}
	if (!x->err)
		fail(x, utf8__put_valid(&valid, value, strlen(value)));
	if (!x->err)
		put_escaped(x, valid.len ? valid.data : "", true);
	buf__free(&valid);
}

void exposition__suffix(struct exposition *x, const char *suffix)
{
	x->suffix = suffix;
}

static void begin_sample(struct exposition *x)
{
	puts_to(x, x->family);
	if (x->suffix)
		puts_to(x, x->suffix);
}

static void put_label(struct exposition *x, bool is_first, const char *key, const char *value)
{
	put(x, is_first ? "{" : ",", 1);
	puts_to(x, key);
	put(x, "=\"", 2);
	put_value(x, value);
	put(x, "\"", 1);
}

void exposition__label(struct exposition *x, const char *key, const char *value)
{
	if (!x->has_labels)
		begin_sample(x);
	put_label(x, !x->has_labels, key, value);
	x->has_labels = true;
}

void exposition__label_u32(struct exposition *x, const char *key, uint32_t value)
{
	char text[16];

	snprintf(text, sizeof(text), "%" PRIu32, value);
	exposition__label(x, key, text);
}

static void begin_value(struct exposition *x)
{
	if (!x->has_labels)
		begin_sample(x);
	puts_to(x, x->has_labels ? "} " : " ");
	x->has_labels = false;
}

static void put_double(struct exposition *x, double value)
{
	if (x->err)
		return;
	if (isnan(value))
		fail(x, buf__puts(x->out, "NaN"));
	else if (isinf(value))
		fail(x, buf__puts(x->out, value > 0 ? "+Inf" : "-Inf"));
	else
		fail(x, buf__printf(x->out, "%.15g", value));
}

void exposition__exemplar(struct exposition *x, const struct exposition_exemplar *e)
{
	x->exemplar = e;
}

/* Counters' totals and buckets of histograms: nothing else. */
static bool takes_exemplar(const struct exposition *x)
{
	if (x->type == METRIC_COUNTER)
		return ends_with_total(x->family);
	return x->type == METRIC_HISTOGRAM && x->suffix && !strcmp(x->suffix, "_bucket");
}

/* A byte that is not UTF-8 becomes one, too. */
static size_t count_chars(const char *text)
{
	size_t nr = 0, left = strlen(text), bytes;

	for (; left; left -= bytes, text += bytes, nr++)
		(void)utf8__decode(text, left, &bytes);
	return nr;
}

static bool is_short_enough(const struct exposition_exemplar *e)
{
	size_t nr = 0;

	for (size_t i = 0; i < e->nr_labels; i++)
		nr += count_chars(e->labels[i].key) + count_chars(e->labels[i].value);
	return nr <= EXPOSITION_EXEMPLAR_CHARS;
}

static void put_exemplar(struct exposition *x)
{
	const struct exposition_exemplar *e = x->exemplar;

	if (!e || !x->open_metrics || !takes_exemplar(x) || !is_short_enough(e))
		return;
	puts_to(x, e->nr_labels ? " # " : " # {");
	for (size_t i = 0; i < e->nr_labels; i++)
		put_label(x, !i, e->labels[i].key, e->labels[i].value);
	puts_to(x, "} ");
	put_double(x, e->value);
	if (!x->err)
		fail(x, buf__printf(x->out, " %" PRIu64 ".%03" PRIu64, e->time_ns / 1000000000,
				    e->time_ns / 1000000 % 1000));
}

/* The sample has its value. */
static void end_sample(struct exposition *x)
{
	put_exemplar(x);
	put(x, "\n", 1);
	x->suffix = NULL;
	x->exemplar = NULL;
}

void exposition__u64(struct exposition *x, uint64_t value)
{
	begin_value(x);
	if (!x->err)
		fail(x, buf__printf(x->out, "%" PRIu64, value));
	end_sample(x);
}

void exposition__double(struct exposition *x, double value)
{
	begin_value(x);
	put_double(x, value);
	end_sample(x);
}

void exposition__gauge(struct exposition *x, const char *name, const char *help, uint64_t value)
{
	exposition__family(x, name, METRIC_GAUGE, help);
	exposition__u64(x, value);
}

int exposition__end(struct exposition *x)
{
	if (x->open_metrics)
		puts_to(x, "# EOF\n");
	return x->err;
}

int exposition__name(struct buf *out, const char *name)
{
	int err = 0;

	for (const char *at = name; *at && !err; at++) {
		const bool is_letter = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z');
		const bool is_digit = *at >= '0' && *at <= '9';

		err = buf__put(out, is_letter || (is_digit && at > name) ? at : "_", 1);
	}
	return err;
}

/* One of the types of an Accept header, "type/subtype; version=1.0.0; q=0.5": its weight. */
static double weight_of(const char *item, size_t len)
{
	const char *q = NULL;

	for (size_t i = 0; i + 2 < len; i++)
		if ((item[i] == ';' || item[i] == ' ') && item[i + 1] == 'q' && item[i + 2] == '=')
			q = item + i + 3;
	return q ? strtod(q, NULL) : 1;
}

bool exposition__wants_open_metrics(const char *accept)
{
	double open = 0, text = 0;

	for (const char *at = accept ? accept : ""; *at;) {
		const size_t len = strcspn(at, ",");
		const double weight = weight_of(at, len);
		const char *name = at + strspn(at, " \t");

		if (!strncmp(name, "application/openmetrics-text", 28))
			open = weight > open ? weight : open;
		else if (!strncmp(name, "text/plain", 10) || !strncmp(name, "*/*", 3) ||
			 !strncmp(name, "text/*", 6))
			text = weight > text ? weight : text;
		at += len;
		at += *at == ',';
	}
	return open > 0 && open >= text;
}
