// SPDX-License-Identifier: BSD-2-Clause
/* Enables, disables, resets and reads counters that are open, and tells their state. */
#include "perf/counters.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "perf/counters_state.h"
#include "perf/open.h"

void counters__close(struct counters *c)
{
	if (!c)
		return;
	for (size_t i = 0; c->fds && i < c->nr_events * c->nr_places; i++)
		if (c->fds[i] >= 0)
			close(c->fds[i]);
	free(c->fds);
	free(c->places);
	free(c->opened);
	free(c->words);
	free(c->lives);
	free(c->kept);
	free(c);
}

/*
 * One ioctl for each group. Enabled and disabled is the leader alone, and the group with it: with
 * PERF_IOC_FLAG_GROUP each member would be, and a clock that is the last of a group does not count
 * from the second time on (seen with Linux 6.18).
 */
static int control(struct counters *c, unsigned long request, unsigned long flags)
{
	int first = 0;

	for (size_t place = 0; place < c->nr_places; place++) {
		for (size_t i = 0; i < c->nr_events; i++) {
			int fd = *counters__fd_at(c, i, place);

			if (fd < 0 || c->opened[i].leader != i)
				continue;
			if (ioctl(fd, request, flags) && !first)
				first = -errno;
		}
	}
	return first;
}

int counters__enable(struct counters *c)
{
	for (size_t place = 0; place < c->nr_places; place++)
		c->lives[place].measured_ns = clock__now_ns();
	return control(c, PERF_EVENT_IOC_ENABLE, 0);
}

int counters__disable(struct counters *c)
{
	return control(c, PERF_EVENT_IOC_DISABLE, 0);
}

int counters__reset(struct counters *c)
{
	for (size_t i = 0; i < c->nr_events * c->nr_places; i++)
		c->kept[i] = (struct kept){ .open = c->kept[i].open };
	return control(c, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP);
}

static void take_value(struct counter_value *v, const uint64_t *words, uint64_t enabled_ns,
		       uint64_t running_ns)
{
	v->value = words[0];
	v->enabled_ns = enabled_ns;
	v->running_ns = running_ns;
	v->nr_lost = 0;
	v->fell_off = false;
}

/* PERF_FORMAT_GROUP: number, enabled, running, then open members in the order of opening. */
static int take_group(struct counters *c, size_t place, size_t leader, ssize_t bytes,
		      struct counter_value *values)
{
	size_t left = c->opened[leader].nr_members, k = 0, nr;
	const uint64_t *words;

	if (bytes < 24 || c->words[0] > (size_t)(bytes / 8 - 3) / c->value_words)
		return -EBADMSG;
	nr = c->words[0];
	for (size_t i = leader; left && i < c->nr_events; i++) {
		if (c->opened[i].leader != leader)
			continue;
		left--;
		if (*counters__fd_at(c, i, place) < 0)
			continue;
		if (k == nr)
			return -EBADMSG;
		words = &c->words[3 + k++ * c->value_words];
		take_value(&values[i], words, c->words[1], c->words[2]);
		if (c->lost_word)
			values[i].nr_lost = words[c->lost_word];
	}
	return k == nr ? 0 : -EBADMSG;
}

/*
 * A task gets and loses its copies of an inherited group one by one. As long as there are some only
 * the kernel says ECHILD: its sums would be of different tasks (__perf_read_group_add() in
 * kernel/events/core.c). That takes the task a few us, unless it is preempted.
 */
static ssize_t read_words(const struct counters *c, int fd)
{
	enum { TRIES = 1000, QUICK_TRIES = 20 };
	const struct timespec quick = { 0, 10000 }, slow = { 0, 1000000 };
	ssize_t n = read(fd, c->words, c->max_words * sizeof(*c->words));

	for (int i = 0; n < 0 && errno == ECHILD && i < TRIES; i++) {
		nanosleep(i < QUICK_TRIES ? &quick : &slow, NULL);
		n = read(fd, c->words, c->max_words * sizeof(*c->words));
	}
	return n;
}

static int read_one(struct counters *c, size_t place, size_t event, struct counter_value *values)
{
	bool group = c->opened[event].attr.read_format & PERF_FORMAT_GROUP;
	ssize_t n = read_words(c, *counters__fd_at(c, event, place));

	if (n < 0)
		return -errno;
	if (!n) {
		/* In an error state, which only pinned events come to. */
		for (size_t i = event; i < c->nr_events; i++)
			if (i == event || (group && c->opened[i].leader == event))
				values[i] = (struct counter_value){ .fell_off = true };
		return 0;
	}
	if (group)
		return take_group(c, place, event, n, values);
	if ((size_t)n < (2 + c->value_words) * sizeof(*c->words))
		return -EBADMSG;
	/* Value and times, then the rest of the value: id and lost. */
	take_value(&values[event], c->words, c->words[1], c->words[2]);
	if (c->lost_word)
		values[event].nr_lost = c->words[2 + c->lost_word];
	return 0;
}

/* Adds what was kept of a place to what was read there. */
static void add_kept(const struct counters *c, size_t place, struct counter_value *values)
{
	for (size_t i = 0; i < c->nr_events; i++) {
		const struct kept *k = counters__kept_at(c, i, place);

		if (!k->open)
			continue;
		if (c->lives[place].away)
			values[i] = (struct counter_value){};
		values[i].value += k->value;
		values[i].enabled_ns += k->enabled_ns;
		values[i].running_ns += k->running_ns;
		values[i].nr_lost += k->nr_lost;
	}
}

int counters__read(struct counters *c, size_t place, struct counter_value *values)
{
	for (size_t i = 0; i < c->nr_events; i++) {
		bool group = c->opened[i].attr.read_format & PERF_FORMAT_GROUP;
		int err;

		if (*counters__fd_at(c, i, place) < 0 || (group && c->opened[i].leader != i))
			continue;
		err = read_one(c, place, i, values);
		if (err)
			return err;
	}
	add_kept(c, place, values);
	return 0;
}

int counters__fd(const struct counters *c, size_t event, size_t place)
{
	int fd = *counters__fd_at(c, event, place);

	return fd < 0 ? -ENODATA : fd;
}

bool counters__is_open(const struct counters *c, size_t event, size_t place)
{
	return *counters__fd_at(c, event, place) >= 0 ||
	       (c->lives[place].away && c->kept[place * c->nr_events + event].open);
}

int counters__error(const struct counters *c, size_t event)
{
	const struct opened *o = &c->opened[event];

	return o->any ? 0 : o->err ? o->err : -ENODATA;
}

int counters__error_at(const struct counters *c, size_t event, size_t place)
{
	int fd = *counters__fd_at(c, event, place);

	return fd < 0 ? fd : 0;
}

size_t counters__group_fit(const struct counters *c, size_t event)
{
	return c->opened[c->opened[event].leader].nr_fit;
}

bool counters__is_user_only(const struct counters *c, size_t event)
{
	return c->opened[event].user_only;
}

const struct perf_event_attr *counters__attr(const struct counters *c, size_t event)
{
	return &c->opened[event].attr;
}

unsigned counters__precise(const struct counters *c, size_t event)
{
	return c->opened[event].attr.precise_ip;
}

bool counters__has_programs(const struct counters *c, size_t event)
{
	size_t nr = 0;
	int err = -ENODATA;

	for (size_t i = 0; i < c->nr_places && err == -ENODATA; i++)
		if (counters__is_open(c, event, i))
			err = perf_query_bpf(*counters__fd_at(c, event, i), NULL, 0, &nr);
	return (!err || err == -ENOSPC) && nr;
}

void counters__tell_programs(const struct counters *c)
{
	for (size_t i = 0; i < c->nr_events; i++)
		if (c->opened[i].attr.type == PERF_TYPE_TRACEPOINT && counters__has_programs(c, i))
			log__notice("BPF programs are attached to %s: hits that one of them keeps "
				    "to itself are not counted",
				    c->events->items[i].name);
}
