// SPDX-License-Identifier: BSD-2-Clause
/* Turns PMU terms ("event=0x3c,umask=1") into config words, period, rate, name, unit and scale. */
#include "event/pmu_terms.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/why.h"
#include "event/pmu.h"

enum { TERMS_BYTES_MAX = 4096, TERMS_MAX = 64 };

struct item {
	struct pmu_term term;
	enum pmu_word kind;
	size_t index;
};

struct parsing {
	const struct pmu_words *words;
	const char *text;	       /* a copy, cut into terms */
	const struct pmu_event *event; /* whose terms are being read, or NULL: the user's */
	struct item items[TERMS_MAX];  /* the user's */
	size_t nr_items;
	struct pmu_terms *out;
	struct buf *why;
};

/* Notes which of the user's terms the next error is about. */
static void look_at(struct parsing *p, const char *s, size_t len)
{
	if (p->event) /* its terms are not the user's */
		return;
	p->out->bad = s - p->text;
	p->out->bad_len = len;
}

/* A sentence; -EINVAL, or -ENOMEM. */
static int __attribute__((format(printf, 2, 3))) refuse(struct parsing *p, const char *fmt, ...)
{
	va_list ap;
	int err = 0;

	if (p->event)
		err = buf__printf(p->why, "event '%s' is '%.200s': ", p->event->name,
				  p->event->terms);
	if (err)
		return err;
	va_start(ap, fmt);
	err = why__vrefuse(p->why, -EINVAL, fmt, ap);
	va_end(ap);
	return err;
}

static int refuse_unknown(struct parsing *p, const struct pmu_term *t)
{
	const char *name = t->name;
	int err, oom;

	for (size_t i = 0; t->value && i < p->words->nr_events; i++)
		if (!strcmp(p->words->events[i].name, name))
			return refuse(p, "'%s' is an event, which has no value; write %s/%s/", name,
				      p->words->pmu, name);
	err = refuse(p, "unknown term '%.64s'", name);
	oom = pmu_words__suggest(p->words, name, p->why);
	return oom ? oom : err;
}

static int parse_number(struct parsing *p, const struct pmu_term *t, uint64_t min, uint64_t *v)
{
	int err = t->value ? parse__u64(t->value, min, UINT64_MAX, v) : -ENODATA;

	switch (err) {
	case 0:
		return 0;
	case -ENODATA:
		return refuse(p, "'%s' needs a value: %s=V", t->name, t->name);
	case -ERANGE:
		if (!t->value[strspn(t->value, "0xX")])
			return refuse(p, "'%s' cannot be 0", t->name);
		return refuse(p, "'%s=%.64s' has more than 64 bits", t->name, t->value);
	default:
		return refuse(p, "'%s=%.64s': a value is decimal, or hex with 0x", t->name,
			      t->value);
	}
}

static int set_config(struct parsing *p, const struct item *item)
{
	char hex[20];

	p->out->whole |= 1u << item->index;
	if (item->kind == WORD_CONFIG)
		return parse_number(p, &item->term, 0, &p->out->config[item->index]);
	snprintf(hex, sizeof(hex), "0x%s", item->term.name + 1);
	return parse__u64(hex, 0, UINT64_MAX, &p->out->config[0]);
}

static bool user_gives(const struct parsing *p, const char *name)
{
	for (size_t i = 0; i < p->nr_items; i++)
		if (!strcmp(p->items[i].term.name, name) && p->items[i].term.value)
			return true;
	return false;
}

static int set_field(struct parsing *p, const struct item *item)
{
	const struct pmu_format *format = &p->words->formats[item->index];
	const struct pmu_term *t = &item->term;
	struct pmu_field field;
	uint64_t value = 1;
	unsigned width;
	int err = pmu_field__parse(&field, format->bits);

	if (err == -ENOMEM)
		return err;
	if (err)
		return refuse(p, "this version cannot set '%s', which is '%.64s'", format->name,
			      format->bits);
	width = pmu_field__width(&field);
	if (p->event && t->value && !strcmp(t->value, "?")) {
		if (user_gives(p, t->name)) /* the user's term sets it later */
			return 0;
		return refuse(p, "'%s' is for you to give: %s/%s,%s=V/", t->name, p->words->pmu,
			      p->event->name, t->name);
	}
	/* In an event of the kernel's it means 1, by the ABI; from people it is a slip. */
	if (!t->value && !p->event && width > 1)
		return refuse(p, "'%s' is %u bits wide and needs a value: %s=V", t->name, width,
			      t->name);
	if (t->value)
		err = parse_number(p, t, 0, &value);
	if (!err && pmu_field__set(&field, value, p->out->config))
		err = refuse(p, "'%s=%.64s' is too large: '%s' is %u bit%s wide (%.64s)", t->name,
			     t->value, t->name, width, width > 1 ? "s" : "", format->bits);
	return err;
}

static int set_name(struct parsing *p, const struct pmu_term *t)
{
	if (!t->value || !*t->value || strlen(t->value) >= sizeof(p->out->name))
		return refuse(p, "'name' needs 1 to %zu letters", sizeof(p->out->name) - 1);
	strcpy(p->out->name, t->value);
	return 0;
}

/* Applies a term, any but an event. */
static int set_term(struct parsing *p, const struct item *item)
{
	struct pmu_terms *out = p->out;

	look_at(p, item->term.name, strlen(item->term.name));
	switch (item->kind) {
	case WORD_CONFIG:
	case WORD_RAW:
		return set_config(p, item);
	case WORD_FIELD:
		return set_field(p, item);
	case WORD_NAME:
		return set_name(p, &item->term);
	case WORD_PERIOD:
		out->hz = 0; /* what the event said */
		return parse_number(p, &item->term, 1, &out->period);
	case WORD_FREQ:
		out->period = 0;
		return parse_number(p, &item->term, 1, &out->hz);
	case WORD_UNSUPPORTED:
		return refuse(p, "perf's term '%s' is not supported here", item->term.name);
	default:
		return refuse_unknown(p, &item->term);
	}
}

/* Cuts @text up, which stays the owner of the strings. */
static int split(struct parsing *p, char *text, struct item *items, size_t *nr)
{
	int err;

	for (*nr = 0; text && *text; ++*nr) {
		struct item *item = &items[*nr];
		size_t left = strlen(text);

		look_at(p, text, left);
		if (*nr == TERMS_MAX)
			return refuse(p, "more than %d terms", TERMS_MAX);
		err = pmu_term__next(&text, &item->term);
		if (err || (text && !*text))
			return refuse(p, "a term without a name, or a quote without its end");
		item->kind = pmu_words__look_up(p->words, &item->term, p->event, &item->index);
	}
	return 0;
}

/* Applies the terms that stand for a named event. */
static int set_event(struct parsing *p, const struct pmu_event *event)
{
	struct item items[TERMS_MAX];
	struct pmu_terms *out = p->out;
	char *text;
	size_t nr;
	int err;

	if (isnan(event->scale))
		return refuse(p, "the kernel's %s.scale is no number above 0", event->name);
	if (strlen(event->unit) >= sizeof(out->unit) || strlen(event->name) >= sizeof(out->event))
		return refuse(p, "the name of '%.64s' or of its unit is too long", event->name);
	strcpy(out->unit, event->unit);
	strcpy(out->event, event->name);
	out->scale = event->scale;
	text = strdup(event->terms);
	if (!text)
		return -ENOMEM;
	p->event = event;
	err = split(p, text, items, &nr);
	for (size_t i = 0; !err && i < nr; i++)
		err = set_term(p, &items[i]);
	p->event = NULL;
	free(text);
	return err;
}

static bool is_config(const struct item *item)
{
	return item->kind == WORD_CONFIG || item->kind == WORD_RAW;
}

static int set_all(struct parsing *p)
{
	const struct item *item, *end = p->items + p->nr_items;
	int err = 0;

	if (user_gives(p, "period") && user_gives(p, "freq"))
		return refuse(p, "give either 'period' or 'freq'");
	for (item = p->items; !err && item < end; item++)
		if (is_config(item))
			err = set_term(p, item);
	for (item = p->items; !err && item < end; item++) {
		if (item->kind != WORD_EVENT)
			continue;
		look_at(p, item->term.name, strlen(item->term.name));
		err = *p->out->event ? refuse(p, "only one of the PMU's events at a time")
				     : set_event(p, &p->words->events[item->index]);
	}
	for (item = p->items; !err && item < end; item++)
		if (!is_config(item) && item->kind != WORD_EVENT)
			err = set_term(p, item);
	return err;
}

int pmu_terms__parse(struct pmu_terms *out, const struct pmu_words *words, const char *terms,
		     size_t len, struct buf *why)
{
	struct parsing p = { .words = words, .out = out, .why = why };
	char *text;
	int err;

	*out = (struct pmu_terms){ .scale = 1, .bad_len = len };
	if (len > TERMS_BYTES_MAX)
		return refuse(&p, "more than %d bytes", TERMS_BYTES_MAX);
	text = strndup(terms, len);
	if (!text)
		return -ENOMEM;
	p.text = text;
	err = split(&p, text, p.items, &p.nr_items);
	if (!err)
		err = set_all(&p);
	free(text);
	return err;
}

int pmu__parse_terms(const char *root, const char *pmu, const char *terms, size_t len,
		     struct pmu_terms *out, struct buf *why)
{
	struct pmu_words words;
	int err = pmu_words__read(&words, root, pmu);

	*out = (struct pmu_terms){};
	if (err == -ENOENT || err == -EINVAL) {
		err = pmus__explain_unknown(root, pmu, strlen(pmu), why);
		return err ? err : -ENOENT;
	}
	if (err)
		return err;
	err = pmu_terms__parse(out, &words, terms, len, why);
	pmu_words__free(&words);
	return err;
}
