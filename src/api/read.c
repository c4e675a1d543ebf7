// SPDX-License-Identifier: BSD-2-Clause
/* Counts: reading them, and measuring a function. */
#include <errno.h>
#include <unistd.h>

#include "api/object.h"
#include "model/counts.h"

enum { CALIBRATIONS = 100 };

uint64_t pmutrace_scale(uint64_t raw, uint64_t enabled_ns, uint64_t running_ns)
{
	return event_count__scale(raw, enabled_ns, running_ns);
}

/* All events of a place, at one time. */
struct reading {
	struct counter_value *values;
	uint64_t *present_ns;
};

static struct reading now_of(const struct pmutrace_events *e, size_t place)
{
	return (struct reading){ &e->now[place * e->list.nr], &e->now_present_ns[place] };
}

static struct reading base_of(const struct pmutrace_events *e, size_t place)
{
	return (struct reading){ &e->base[place * e->list.nr], &e->base_present_ns[place] };
}

static int take_reading(struct pmutrace_events *e, size_t place, struct reading r)
{
	int err = e->presence ? presence__ns(e->presence, place, r.present_ns) : 0;

	return err ? err : counters__read(e->counters, place, r.values);
}

/* What came after @since. The kernel's numbers, which may stand still but do not go back. */
static struct counter_value difference(const struct counter_value *now,
				       const struct counter_value *since)
{
	struct event_count c = { .raw = now->value,
				 .enabled_ns = now->enabled_ns,
				 .running_ns = now->running_ns };
	struct event_count last = { .raw = since->value,
				    .enabled_ns = since->enabled_ns,
				    .running_ns = since->running_ns };

	event_count__since(&c, &last);
	return (struct counter_value){
		.value = c.raw,
		.enabled_ns = c.enabled_ns,
		.running_ns = c.running_ns,
		.nr_lost = now->nr_lost - since->nr_lost,
		.fell_off = now->fell_off,
	};
}

/*
 * Sets value and state. fell_off: of a pinned event without a counter the kernel tells neither
 * value nor times; it is not counted then.
 */
static struct event_count settled(const struct pmutrace_events *e, size_t event, size_t place,
				  const struct counter_value *v, uint64_t present_ns)
{
	struct event_count c = {};

	if (!v->fell_off) {
		c.raw = v->value;
		c.enabled_ns = presence__enabled_ns(v, &e->places[place],
						    counters__attr(e->counters, event), present_ns);
		c.running_ns = v->running_ns;
	}
	event_count__settle(&c);
	return c;
}

static void clear(const struct pmutrace_events *e, struct pmutrace_count *counts)
{
	for (size_t i = 0; i < e->nr_columns; i++)
		counts[i] = (struct pmutrace_count){
			.label = e->columns[i].label,
			.state = PMUTRACE_NOT_OPEN,
		};
}

static void put(struct pmutrace_count *out, const struct event_count *c)
{
	out->raw = c->raw;
	out->value = c->value;
	out->enabled_ns = c->enabled_ns;
	out->running_ns = c->running_ns;
	out->state = (enum pmutrace_state)c->state;
}

static void add(struct pmutrace_count *out, const struct event_count *part)
{
	struct event_count sum = {
		.raw = out->raw,
		.value = out->value,
		.enabled_ns = out->enabled_ns,
		.running_ns = out->running_ns,
		.state = (enum count_state)out->state,
	};

	event_count__add(&sum, part);
	put(out, &sum);
}

/* Adds what one event has at one place; @since: of an earlier reading, or NULL. */
static void add_event(const struct pmutrace_events *e, size_t column, size_t event, size_t place,
		      const struct reading *since, struct pmutrace_count *out)
{
	const struct reading now = now_of(e, place);
	uint64_t present_ns = e->presence ? *now.present_ns : 0;
	struct counter_value v = now.values[event];
	struct event_count part;

	if (since) {
		v = difference(&v, &since->values[event]);
		present_ns -= e->presence ? *since->present_ns : 0;
	}
	/* It was enabled by itself: how long its task was there meanwhile is not known. */
	if (e->columns[column].refreshed)
		present_ns = 0;
	part = settled(e, event, place, &v, present_ns);
	if (out->state == PMUTRACE_NOT_OPEN)
		put(out, &part);
	else
		add(out, &part);
	out->lost += v.nr_lost;
}

static void add_place(const struct pmutrace_events *e, size_t place, const struct reading *since,
		      struct pmutrace_count *counts)
{
	for (size_t k = 0; k < e->nr_columns; k++) {
		const struct api_event *column = &e->columns[k];

		for (size_t i = column->first; i < column->first + column->nr; i++)
			if (counters__is_open(e->counters, i, place))
				add_event(e, k, i, place, since, &counts[k]);
	}
}

/* Ids are given for one place only: that which was asked for, or the only one. */
static void put_ids(const struct pmutrace_events *e, size_t place, struct pmutrace_count *counts)
{
	for (size_t k = 0; k < e->nr_columns; k++)
		if (pmutrace_id(e, k, place, &counts[k].id))
			counts[k].id = 0;
}

_Static_assert((int)COUNT_NOT_COUNTED == PMUTRACE_NOT_COUNTED, "states are the same numbers");

int pmutrace_read_place(struct pmutrace_events *e, size_t place, struct pmutrace_count *counts)
{
	int err;

	clear(e, counts);
	if (place >= e->nr_places)
		return -ERANGE;
	err = take_reading(e, place, now_of(e, place));
	if (err)
		return err;
	add_place(e, place, NULL, counts);
	put_ids(e, place, counts);
	return 0;
}

int pmutrace_read(struct pmutrace_events *e, struct pmutrace_count *counts)
{
	int err;

	clear(e, counts);
	for (size_t place = 0; place < e->nr_places; place++) {
		err = take_reading(e, place, now_of(e, place));
		if (err)
			return err;
		add_place(e, place, NULL, counts);
	}
	if (e->nr_places == 1)
		put_ids(e, 0, counts);
	return 0;
}

/* The only counter's descriptor, when a read gives its value and times and no more; or -1. */
static int find_alone(const struct pmutrace_events *e)
{
	if (e->list.nr != 1 || e->nr_places != 1 || presence__matters(&e->places[0]) ||
	    !counters__is_open(e->counters, 0, 0) ||
	    counters__attr(e->counters, 0)->read_format !=
		    (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING))
		return -1;
	return counters__fd(e->counters, 0, 0);
}

static inline int read_alone(int fd, struct counter_value *v)
{
	uint64_t words[3];
	ssize_t n = read(fd, words, sizeof(words));

	if (n < 0)
		return -errno;
	v->fell_off = n != sizeof(words);
	if (v->fell_off)
		return 0;
	v->value = words[0];
	v->enabled_ns = words[1];
	v->running_ns = words[2];
	return 0;
}

/*
 * The usual case, as short as can be: after a system call every jump and return costs several
 * times what it should, since the kernel has emptied what the CPU knew of them.
 */
static int measure_alone(struct pmutrace_events *e, void (*fn)(void *arg), void *arg,
			 struct pmutrace_count *counts)
{
	struct counter_value before = {}, after = {};
	struct event_count count;
	int err = read_alone(e->alone_fd, &before);

	if (err)
		return err;
	fn(arg);
	err = read_alone(e->alone_fd, &after);
	if (err)
		return err;
	after = difference(&after, &before);
	count = settled(e, 0, 0, &after, 0);
	*counts = (struct pmutrace_count){ .label = e->columns[0].label, .id = e->ids[0] };
	put(counts, &count);
	return 0;
}

/*
 * From one reading to the next of events that stay enabled: two system calls, where enabling,
 * disabling and reading would be three, and a hardware PMU is not programmed anew.
 */
static int measure(struct pmutrace_events *e, void (*fn)(void *arg), void *arg,
		   struct pmutrace_count *counts)
{
	struct reading since;
	int err = 0;

	if (!e->enabled) {
		err = pmutrace_enable(e);
		if (err)
			return err;
	}
	if (e->alone_fd >= 0)
		return measure_alone(e, fn, arg, counts);
	for (size_t place = 0; place < e->nr_places && !err; place++)
		err = take_reading(e, place, base_of(e, place));
	if (err)
		return err;
	fn(arg);
	for (size_t place = 0; place < e->nr_places && !err; place++)
		err = take_reading(e, place, now_of(e, place));
	clear(e, counts);
	for (size_t place = 0; place < e->nr_places && !err; place++) {
		since = base_of(e, place);
		add_place(e, place, &since, counts);
	}
	if (e->nr_places == 1)
		put_ids(e, 0, counts);
	return err;
}

static void do_nothing(void *arg)
{
}

/* Measures a function that does nothing; the least is taken, as all else can only add to it. */
static int calibrate(struct pmutrace_events *e, struct pmutrace_count *counts)
{
	int err = 0;

	e->alone_fd = find_alone(e);
	for (int round = 0; round < CALIBRATIONS && !err; round++) {
		err = measure(e, do_nothing, NULL, counts);
		for (size_t i = 0; i < e->nr_columns && !err; i++)
			if (!round || counts[i].value < e->columns[i].overhead)
				e->columns[i].overhead = counts[i].value;
	}
	e->calibrated = !err;
	return err;
}

int pmutrace_measure(struct pmutrace_events *e, void (*fn)(void *arg), void *arg,
		     struct pmutrace_count *counts)
{
	int err = e->calibrated ? 0 : calibrate(e, counts);

	if (!err)
		err = measure(e, fn, arg, counts);
	for (size_t i = 0; i < e->nr_columns && !err; i++) {
		uint64_t overhead = e->columns[i].overhead;

		counts[i].overhead = overhead;
		counts[i].value -= counts[i].value < overhead ? counts[i].value : overhead;
	}
	return err;
}
