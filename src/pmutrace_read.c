// SPDX-License-Identifier: BSD-2-Clause
/* Counts: reading them, and measuring a function. */
#include <errno.h>

#include "model/counts.h"
#include "pmutrace_parts.h"

enum { CALIBRATIONS = 100 };

uint64_t pmutrace_scale(uint64_t raw, uint64_t enabled_ns, uint64_t running_ns)
{
	return count__scale(raw, enabled_ns, running_ns);
}

/* Fell off: the kernel tells neither value nor times, so that it is on no counter is all we know.
 */
static struct count settled(const struct counter_value *v)
{
	struct count c = {
		.raw = v->value,
		.enabled_ns = v->enabled_ns,
		.running_ns = v->fell_off ? 0 : v->running_ns,
	};

	count__settle(&c);
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

/* Adds what one place has; @since: of an earlier reading, or NULL. */
static void add_place(const struct pmutrace_events *e, size_t place,
		      const struct counter_value *now, const struct counter_value *since,
		      struct pmutrace_count *counts)
{
	for (size_t k = 0; k < e->nr_columns; k++) {
		const struct column *column = &e->columns[k];
		struct pmutrace_count *out = &counts[k];

		for (size_t i = column->first; i < column->first + column->nr; i++) {
			struct counter_value v = now[i];
			struct count sum = {
				.raw = out->raw,
				.value = out->value,
				.enabled_ns = out->enabled_ns,
				.running_ns = out->running_ns,
				.state = out->state == PMUTRACE_NOT_OPEN
						 ? COUNT_NOT_COUNTED
						 : (enum count_state)out->state,
			}, part;

			if (!counters__is_open(e->counters, i, place))
				continue;
			if (since && !v.fell_off) {
				v.value -= since[i].value;
				v.enabled_ns -= since[i].enabled_ns;
				v.running_ns -= since[i].running_ns;
				v.nr_lost -= since[i].nr_lost;
			}
			part = settled(&v);
			if (out->state == PMUTRACE_NOT_OPEN)
				sum = part;
			else
				count__add(&sum, &part);
			out->raw = sum.raw;
			out->value = sum.value;
			out->enabled_ns = sum.enabled_ns;
			out->running_ns = sum.running_ns;
			out->lost += v.nr_lost;
			out->state = (enum pmutrace_state)sum.state;
		}
	}
}

_Static_assert((int)COUNT_COUNTED == PMUTRACE_COUNTED, "states are the same numbers");
_Static_assert((int)COUNT_MULTIPLEXED == PMUTRACE_MULTIPLEXED, "states are the same numbers");
_Static_assert((int)COUNT_NOT_COUNTED == PMUTRACE_NOT_COUNTED, "states are the same numbers");

int pmutrace_read_place(struct pmutrace_events *e, size_t place, struct pmutrace_count *counts)
{
	int err;

	clear(e, counts);
	if (place >= e->nr_places)
		return -ERANGE;
	err = counters__read(e->counters, place, e->now);
	if (!err)
		add_place(e, place, e->now, NULL, counts);
	return err;
}

int pmutrace_read(struct pmutrace_events *e, struct pmutrace_count *counts)
{
	int err;

	clear(e, counts);
	for (size_t place = 0; place < e->nr_places; place++) {
		err = counters__read(e->counters, place, e->now);
		if (err)
			return err;
		add_place(e, place, e->now, NULL, counts);
	}
	return 0;
}

/*
 * From one reading to the next of events that stay enabled: two system calls, where enabling,
 * disabling and reading would be three, and a hardware PMU is not programmed anew.
 */
static int measure(struct pmutrace_events *e, void (*fn)(void *arg), void *arg,
		   struct pmutrace_count *counts)
{
	size_t nr = e->list.nr;
	int err = 0;

	if (!e->enabled) {
		err = pmutrace_enable(e);
		if (err)
			return err;
	}
	for (size_t place = 0; place < e->nr_places && !err; place++)
		err = counters__read(e->counters, place, &e->base[place * nr]);
	if (err)
		return err;
	fn(arg);
	for (size_t place = 0; place < e->nr_places && !err; place++)
		err = counters__read(e->counters, place, &e->now[place * nr]);
	clear(e, counts);
	for (size_t place = 0; place < e->nr_places && !err; place++)
		add_place(e, place, &e->now[place * nr], &e->base[place * nr], counts);
	return err;
}

static void do_nothing(void *arg)
{
}

/* The smallest, since what else happens can only add. */
static int calibrate(struct pmutrace_events *e, struct pmutrace_count *counts)
{
	int err = 0;

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
