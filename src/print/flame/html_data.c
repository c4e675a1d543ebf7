// SPDX-License-Identifier: BSD-2-Clause
/* Writes a profile's tables as columns: LEB128 in base64, within JSON. */
#include "print/flame/html_data.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "columns/shade.h"
#include "model/profile.h"
#include "print/escape.h"
#include "print/event_line.h"
#include "print/lossline.h"

/* Numbers on their way into base64: three bytes are four characters. */
struct numbers {
	struct writer *w;
	unsigned char bytes[3];
	unsigned nr;
	uint64_t before; /* the number that a signed one is told from */
};

static void put_group(struct numbers *c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	uint32_t bits = c->bytes[0] << 16 | c->bytes[1] << 8 | c->bytes[2];

	for (unsigned i = 0; i < 4; i++)
		writer__putc(c->w, i > c->nr ? '=' : digits[bits >> (18 - 6 * i) & 63]);
	memset(c->bytes, 0, sizeof(c->bytes));
	c->nr = 0;
}

static void put_byte(struct numbers *c, unsigned char byte)
{
	c->bytes[c->nr++] = byte;
	if (c->nr == sizeof(c->bytes))
		put_group(c);
}

static void put_number(struct numbers *c, uint64_t n)
{
	for (; n > 127; n >>= 7)
		put_byte(c, 128 | (n & 127));
	put_byte(c, n);
}

/* As the difference to the number before: neighbours in a table are often near each other. */
static void put_near(struct numbers *c, uint64_t n)
{
	put_number(c, n >= c->before ? 2 * (n - c->before) : 2 * (c->before - n) - 1);
	c->before = n;
}

static struct numbers begin_numbers(struct writer *w, const char *name)
{
	writer__printf(w, ",\n\"%s\":\"", name);
	return (struct numbers){ .w = w };
}

static void end_numbers(struct numbers *c)
{
	if (c->nr)
		put_group(c);
	writer__putc(c->w, '"');
}

static void put_string(struct writer *w, const char *key, const char *s)
{
	if (key)
		writer__printf(w, "\"%s\":", key);
	writer__putc(w, '"');
	escape__json(w, s, strlen(s));
	writer__putc(w, '"');
}

/* What most samples of an event stand for, or about that. */
static uint64_t each_of(const struct profile_event *e)
{
	if (!e->samples)
		return 0;
	return e->period ? e->period : e->weight / e->samples;
}

static int describe_rate(struct buf *b, const struct profile_event *e)
{
	if (e->hz)
		return buf__printf(b, "%" PRIu64 " Hz", e->hz);
	if (e->period)
		return buf__printf(b, "one sample in %" PRIu64 "%s%s", e->period,
				   *e->unit ? " " : "", e->unit);
	return buf__puts(b, "");
}

static int put_event(struct writer *w, const struct profile *p, uint32_t event, const char *noun)
{
	const struct profile_event *e = &p->events[event];
	struct buf text = {};
	int err = print__event_line(&text, p, event, noun);

	if (!err) {
		writer__puts(w, event ? ",\n{" : "\n{");
		put_string(w, "name", e->name);
		writer__putc(w, ',');
		put_string(w, "unit", e->unit);
		writer__printf(w, ",\"samples\":%" PRIu64 ",\"each\":%" PRIu64 ",", e->samples,
			       each_of(e));
		put_string(w, "line", text.data);
		buf__clear(&text);
		err = describe_rate(&text, e);
	}
	if (!err) {
		writer__putc(w, ',');
		put_string(w, "rate", text.data);
		writer__putc(w, '}');
	}
	buf__free(&text);
	return err;
}

static void put_op(struct writer *w, const struct formula_op *op)
{
	static const char *const operators[] = {
		[FORMULA_ADD] = "\"+\"",      [FORMULA_SUBTRACT] = "\"-\"",
		[FORMULA_MULTIPLY] = "\"*\"", [FORMULA_DIVIDE] = "\"/\"",
		[FORMULA_NEGATE] = "\"~\"",
	};

	if (op->type == FORMULA_NUMBER)
		writer__printf(w, "%.17g", op->number);
	else if (op->type == FORMULA_VALUE)
		writer__printf(w, "\"#%" PRIu32 "\"", op->value);
	else
		writer__puts(w, operators[op->type]);
}

static void put_color(struct writer *w, const struct shade *shade)
{
	const struct formula_op *ops;
	const uint32_t *events;
	size_t nr;

	writer__puts(w, ",\n\"color\":");
	if (!shade) {
		writer__puts(w, "null");
		return;
	}
	writer__putc(w, '{');
	put_string(w, "title", shade__title(shade));
	writer__puts(w, ",\"events\":[");
	nr = shade__events(shade, &events);
	for (size_t i = 0; i < nr; i++)
		writer__printf(w, "%s%" PRIu32, i ? "," : "", events[i]);
	writer__puts(w, "],\"formula\":[");
	nr = shade__ops(shade, &ops);
	for (size_t i = 0; i < nr; i++) {
		writer__puts(w, i ? "," : "");
		put_op(w, &ops[i]);
	}
	writer__puts(w, "]}");
}

static void put_sides(struct writer *w, const struct html_opts *o)
{
	writer__puts(w, ",\n\"sides\":");
	if (!o->sides) {
		writer__puts(w, "null");
		return;
	}
	writer__putc(w, '[');
	put_string(w, NULL, o->sides[0]);
	writer__putc(w, ',');
	put_string(w, NULL, o->sides[1]);
	writer__putc(w, ']');
}

/* A digit for each frame. */
static void put_sure(struct writer *w, const struct profile *p, const struct html_opts *o)
{
	writer__puts(w, ",\n\"sure\":");
	if (!o->sides) {
		writer__puts(w, "null");
		return;
	}
	writer__putc(w, '"');
	for (size_t i = 0; i < p->nr_frames; i++)
		writer__putc(w, o->sure[i] > 0 ? '1' : o->sure[i] < 0 ? '2' : '0');
	writer__putc(w, '"');
}

static int put_head(struct writer *w, const struct profile *p, const struct html_opts *o,
		    const char *title)
{
	const char *noun = o->noun ? o->noun : "sample";
	struct buf losses = {};
	int err = print__losses_of(&losses, noun, &p->losses);

	writer__putc(w, '{');
	put_string(w, "noun", noun);
	writer__printf(w, ",\"event\":%" PRIu32 ",", o->event);
	put_string(w, "view", o->reverse ? "callers" : o->icicle ? "icicle" : "flame");
	writer__puts(w, ",\n");
	put_string(w, "title", title);
	put_sides(w, o);
	writer__puts(w, ",\n\"events\":[");
	for (uint32_t i = 0; i < p->nr_events && !err; i++)
		err = put_event(w, p, i, noun);
	writer__putc(w, ']');
	put_color(w, o->shade);
	writer__puts(w, ",\n");
	if (!err)
		put_string(w, "losses", losses.data);
	buf__free(&losses);
	return err;
}

static void put_strings(struct writer *w, const struct profile *p)
{
	uint32_t nr = strtab__nr(p->strings);

	writer__puts(w, ",\n\"strings\":[");
	for (uint32_t i = 0; i < nr && !w->err; i++) {
		writer__puts(w, i ? ",\n\"" : "\"");
		escape__json(w, strtab__get(p->strings, i), strtab__len(p->strings, i));
		writer__putc(w, '"');
	}
	writer__putc(w, ']');
}

static void put_frames(struct writer *w, const struct profile *p)
{
	struct numbers c;

	writer__printf(w, ",\n\"frames\":{\"nr\":%zu,\"kind\":\"", p->nr_frames);
	for (size_t i = 0; i < p->nr_frames; i++)
		writer__putc(w, '0' + p->frames[i].kind);
	writer__putc(w, '"');
	c = begin_numbers(w, "name");
	for (size_t i = 0; i < p->nr_frames; i++)
		put_number(&c, p->frames[i].name);
	end_numbers(&c);
	c = begin_numbers(w, "module");
	for (size_t i = 0; i < p->nr_frames; i++)
		put_number(&c, p->frames[i].module);
	end_numbers(&c);
	writer__putc(w, '}');
}

static void put_nodes(struct writer *w, const struct profile *p)
{
	struct numbers c;

	writer__printf(w, ",\n\"nodes\":{\"nr\":%zu", p->nr_nodes);
	c = begin_numbers(w, "parent");
	for (size_t i = 0; i < p->nr_nodes; i++)
		put_number(&c, i - p->nodes[i].parent);
	end_numbers(&c);
	c = begin_numbers(w, "frame");
	for (size_t i = 0; i < p->nr_nodes; i++)
		put_number(&c, p->nodes[i].frame);
	end_numbers(&c);
	writer__putc(w, '}');
}

/* A part of the key that is near that of the row before. */
static void put_key(struct writer *w, const struct profile *p, const char *name, size_t offset)
{
	struct numbers c = begin_numbers(w, name);

	for (size_t i = 0; i < p->nr_rows; i++) {
		uint32_t word;

		memcpy(&word, (const char *)&p->rows[i].key + offset, sizeof(word));
		put_near(&c, word);
	}
	end_numbers(&c);
}

/* Near what as many samples stand for on average. */
static void put_weight(struct numbers *c, const struct profile_event *e, uint64_t samples,
		       uint64_t weight)
{
	c->before = samples * each_of(e);
	put_near(c, weight);
}

static bool has_weights(const struct profile *p, const struct html_opts *o)
{
	bool found = false;

	for (size_t i = 0; i < p->nr_rows && o->weights && !found; i++)
		found = p->rows[i].weight != p->rows[i].samples;
	return found;
}

static void put_weights(struct writer *w, const struct profile *p, const struct html_opts *o)
{
	struct numbers c;

	if (!has_weights(p, o)) {
		writer__puts(w, ",\n\"weight\":null");
		return;
	}
	c = begin_numbers(w, "weight");
	for (size_t i = 0; i < p->nr_rows; i++)
		put_weight(&c, &p->events[p->rows[i].key.event], p->rows[i].samples,
			   p->rows[i].weight);
	end_numbers(&c);
}

static void put_rows(struct writer *w, const struct profile *p, const struct html_opts *o)
{
	static const struct {
		const char *name;
		size_t offset;
		unsigned by; /* 0: always told */
	} keys[] = {
		{ "pid", offsetof(struct row_key, pid), BY_PID },
		{ "tid", offsetof(struct row_key, tid), BY_TID },
		{ "cgroup", offsetof(struct row_key, cgroup), BY_CGROUP },
		{ "node", offsetof(struct row_key, stack), 0 },
	};
	struct numbers c;

	writer__printf(w, ",\n\"rows\":{\"nr\":%zu", p->nr_rows);
	c = begin_numbers(w, "event");
	for (size_t i = 0; i < p->nr_rows; i++)
		put_number(&c, p->rows[i].key.event);
	end_numbers(&c);
	for (size_t i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!keys[i].by || p->by & keys[i].by)
			put_key(w, p, keys[i].name, keys[i].offset);
		else
			writer__printf(w, ",\n\"%s\":null", keys[i].name);
	}
	c = begin_numbers(w, "samples");
	for (size_t i = 0; i < p->nr_rows; i++)
		put_number(&c, p->rows[i].samples);
	end_numbers(&c);
	put_weights(w, p, o);
	writer__putc(w, '}');
}

static void put_entries(struct writer *w, const struct profile *p, const struct html_opts *o)
{
	const struct windows *all = &p->windows;
	struct numbers c = begin_numbers(w, "row");

	for (size_t i = 0; i < all->nr_entries; i++)
		put_near(&c, all->entries[i].row);
	end_numbers(&c);
	c = begin_numbers(w, "samples");
	for (size_t i = 0; i < all->nr_entries; i++)
		put_number(&c, all->entries[i].samples);
	end_numbers(&c);
	if (!has_weights(p, o)) {
		writer__puts(w, ",\n\"weight\":null");
		return;
	}
	c = begin_numbers(w, "weight");
	for (size_t i = 0; i < all->nr_entries; i++) {
		const struct window_entry *e = &all->entries[i];

		put_weight(&c, &p->events[p->rows[e->row].key.event], e->samples, e->weight);
	}
	end_numbers(&c);
}

static void put_windows(struct writer *w, const struct profile *p, const struct html_opts *o)
{
	const struct windows *all = &p->windows;
	struct numbers c;

	writer__puts(w, ",\n\"windows\":");
	if (!all->nr) {
		writer__puts(w, "null");
		return;
	}
	writer__printf(w, "{\"nr\":%zu,\"entries\":%zu,\"begin\":%" PRIu64, all->nr,
		       all->nr_entries, all->items[0].begin_ns);
	c = begin_numbers(w, "end");
	for (size_t i = 0; i < all->nr; i++)
		put_number(&c, all->items[i].end_ns - all->items[i].begin_ns);
	end_numbers(&c);
	c = begin_numbers(w, "lost");
	for (size_t i = 0; i < all->nr; i++)
		put_number(&c, losses__sum(&all->items[i].losses));
	end_numbers(&c);
	c = begin_numbers(w, "count");
	for (size_t i = 0; i < all->nr; i++)
		put_number(&c, all->items[i].end_entries - windows__first(all, i));
	end_numbers(&c);
	put_entries(w, p, o);
	writer__putc(w, '}');
}

int html_data__put(struct writer *w, const struct profile *p, const struct html_opts *o,
		   const char *title)
{
	int err = put_head(w, p, o, title);

	if (err)
		return err;
	put_strings(w, p);
	put_frames(w, p);
	put_sure(w, p, o);
	put_nodes(w, p);
	put_rows(w, p, o);
	put_windows(w, p, o);
	writer__puts(w, "}");
	return 0;
}
