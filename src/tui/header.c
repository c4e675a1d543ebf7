// SPDX-License-Identifier: BSD-2-Clause
/* Draws the machine, a meter for each CPU, the events, and pmutrace's own cost. */
#include "tui/header.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tui/lostline.h"

enum {
	CPU_WIDTH = 38, /* of one CPU's meter: label, bar, history, IPC, a blank */
	IPC_WIDTH = 45, /* the same with the history of IPC */
	CPU_LINES = 4,
	LABEL = 4,
	BAR_MIN = 9,
	SPARK = 10,
	REPLAY_WIDTH = 60, /* of a page: below, a recording's times have no date */
};

void header__free(struct header *h)
{
	free(h->cpus);
	live_rows__free(&h->rows);
	*h = (struct header){};
}

static int grow(struct header *h, size_t nr)
{
	int err = array__grow(&h->cpus, &h->cap_cpus, nr);

	while (!err && h->nr_cpus < nr)
		h->cpus[h->nr_cpus++] = (struct header_cpu){};
	return err;
}

void header__forget(struct header *h)
{
	for (size_t i = 0; i < h->nr_cpus; i++)
		h->cpus[i] = (struct header_cpu){};
	h->all = (struct header_cpu){};
}

/* IPC is computed by the column of that name, which knows its events. */
static double ipc_of(const struct view_data *d, const struct live_row *row)
{
	return d->ipc ? column__value(d->ipc, live__interval(d->live), row) : NAN;
}

static double share(uint64_t part, uint64_t whole)
{
	return whole ? (double)part / whole : NAN;
}

int header__update(struct header *h, const struct view_data *d)
{
	const struct live_about *about = live__interval(d->live);
	struct live_row all = {};
	int err = live__rows(d->live, LIVE_CPUS, &h->rows);

	if (!err)
		err = grow(h, h->rows.nr);
	if (err)
		return err;
	for (size_t i = 0; i < h->rows.nr; i++) {
		const struct live_row *row = &h->rows.items[i];

		for (size_t k = 0; k < live__nr_values(d->live); k++)
			all.values[k] += row->values[k];
		history__add(&h->cpus[i].busy, share(row->values[LIVE_TIME], about->interval_ns));
		history__add(&h->cpus[i].ipc, ipc_of(d, row));
	}
	history__add(&h->all.busy,
		     share(all.values[LIVE_TIME], about->interval_ns * about->nr_cpus));
	history__add(&h->all.ipc, ipc_of(d, &all));
	h->has_ipc = d->ipc != NULL;
	return 0;
}

/* Draws the time of the interval, of a recording with the date if that fits. */
static int draw_time(const struct view_data *d, struct canvas *c, int y)
{
	time_t at = live__interval(d->live)->at_ns / 1000000000;
	bool is_recorded = d->nr_intervals, has_room = c->width >= REPLAY_WIDTH;
	int x = canvas__put(c, 0, y, c->width, STYLE_STRONG,
			    is_recorded ? "replay" : "pmutrace top");
	struct tm local;
	char when[32] = "";

	if (at && localtime_r(&at, &local))
		strftime(when, sizeof(when),
			 is_recorded && has_room ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", &local);
	x += canvas__printf(c, x, y, c->width - x, STYLE_PLAIN, "  %s", when);
	if (is_recorded)
		x += canvas__printf(c, x, y, c->width - x, STYLE_STRONG, "  interval %zu of %zu",
				    d->interval, d->nr_intervals);
	return x;
}

static void draw_machine(const struct view_data *d, struct canvas *c, int y)
{
	const struct live_about *about = live__interval(d->live);
	int x = draw_time(d, c, y);

	canvas__printf(c, x, y, c->width - x, STYLE_PLAIN,
		       "  in %.3gs  %s  Linux %s  %" PRIu32 " CPUs", about->interval_ns / 1e9,
		       about->host, about->kernel, about->nr_cpus);
}

static void draw_ipc(const struct header_cpu *cpu, struct canvas *c, int x, int y)
{
	double ipc = history__at(&cpu->ipc, 0);

	x += canvas__put(c, x, y, 4, STYLE_LABEL, "IPC ");
	if (isnan(ipc))
		canvas__put(c, x, y, 4, STYLE_PLAIN, "-");
	else
		canvas__printf(c, x, y, 4, STYLE_PLAIN, "%.2f", ipc);
}

/*
 * Draws a CPU's meter: label, bar, history, IPC, history of IPC. The bar takes the width that is
 * left over; of what comes behind it the last parts are left out if they do not fit.
 */
static void draw_cpu(const struct header *h, const struct header_cpu *cpu, const char *label,
		     struct canvas *c, int x, int y, int width)
{
	/* Widths: the history with a blank on both sides, "IPC 1.23", a blank and its history. */
	static const int parts[] = { SPARK + 2, 8, 1 + SPARK };
	int bar = width - LABEL, nr = 0;

	while (nr < (h->has_ipc ? 3 : 1) && bar - parts[nr] >= BAR_MIN)
		bar -= parts[nr++];
	if (bar < BAR_MIN)
		bar = BAR_MIN;
	canvas__put(c, x, y, LABEL, STYLE_LABEL, label);
	meter__bar(c, x + LABEL, y, bar, history__at(&cpu->busy, 0));
	x += LABEL + bar;
	if (nr > 0)
		meter__spark(c, x + 1, y, SPARK, &cpu->busy, 1);
	if (nr > 1)
		draw_ipc(cpu, c, x + parts[0], y);
	if (nr > 2)
		meter__spark(c, x + parts[0] + parts[1] + 1, y, SPARK, &cpu->ipc, 0);
}

/* How many meters a line has: wide ones if all fit into CPU_LINES, or narrow ones. 0: too many. */
static int per_line(const struct header *h, int width)
{
	const int widths[] = { h->has_ipc ? IPC_WIDTH : CPU_WIDTH, CPU_WIDTH };

	for (size_t i = 0; i < ARRAY_SIZE(widths); i++) {
		int nr = width / widths[i] > 0 ? width / widths[i] : 1;

		if (h->rows.nr <= (size_t)nr * CPU_LINES)
			return nr;
	}
	return 0;
}

/* Draws a meter for each CPU if they fit into CPU_LINES, else one for all. Returns its lines. */
static int draw_cpus(const struct header *h, struct canvas *c, int y)
{
	int beside = per_line(h, c->width), nr = h->rows.nr, width;

	if (!beside || c->height < HEADER_SMALL_HEIGHT) {
		draw_cpu(h, &h->all, "CPU", c, 0, y, c->width);
		return 1;
	}
	width = c->width / beside;
	for (int i = 0; i < nr; i++) {
		char label[16];

		snprintf(label, sizeof(label), "%" PRIu64, h->rows.items[i].id);
		draw_cpu(h, &h->cpus[i], label, c, i % beside * width, y + i / beside, width - 1);
	}
	return (nr + beside - 1) / beside;
}

static void draw_events(const struct live_about *about, struct canvas *c, int y)
{
	int x = canvas__put(c, 0, y, c->width, STYLE_LABEL, "Events");

	if (!about->nr_events)
		canvas__put(c, x, y, c->width - x, STYLE_PLAIN, " none");
	for (size_t i = 0; i < about->nr_events; i++) {
		const struct live_event *e = &about->events[i];

		x += canvas__printf(c, x, y, c->width - x, STYLE_PLAIN, " %s", e->name);
		if (e->why || (e->enabled_ns && !e->running_ns))
			x += canvas__put(c, x, y, c->width - x, STYLE_ALERT, " -");
		else if (e->enabled_ns > e->running_ns)
			x += canvas__printf(c, x, y, c->width - x, STYLE_HALF, " %.0f%%",
					    100.0 * e->running_ns / e->enabled_ns);
	}
}

static void draw_cost(const struct view_data *d, struct canvas *c, int x, int y)
{
	const struct live_about *about = live__interval(d->live);
	double bpf = 100 * share(about->own_bpf_ns, about->interval_ns);
	double user = 100 * share(about->own_user_ns, about->interval_ns);

	x += canvas__put(c, x, y, c->width - x, STYLE_LABEL, "Own ");
	canvas__printf(c, x, y, c->width - x, STYLE_PLAIN,
		       "%.2f%% of a CPU (BPF %.2f%%, screen %.2f%%)", bpf + user, bpf, user);
}

int header__draw(const struct header *h, const struct view_data *d, struct canvas *c)
{
	const struct live_about *about = live__interval(d->live);
	int y = 0;

	if (!about->interval_ns) {
		canvas__put(c, 0, y, c->width, STYLE_STRONG, "pmutrace top");
		return 1;
	}
	draw_machine(d, c, y++);
	if (d->has_samples_only) {
		if (d->profile)
			lostline__draw(d, c, y++);
		return y;
	}
	y += draw_cpus(h, c, y);
	if (c->height < HEADER_SMALL_HEIGHT)
		return y;
	draw_events(about, c, y++);
	draw_cost(d, c, lostline__draw(d, c, y), y);
	y++;
	return y;
}
