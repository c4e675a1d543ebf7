// SPDX-License-Identifier: BSD-2-Clause
/* Writes an interval of a live view as a table, below what is to say of all of it. */
#include "print/top_table.h"

#include <inttypes.h>
#include <time.h>

#include "base/buf.h"
#include "base/readable.h"
#include "model/loss.h"
#include "print/escape.h"
#include "print/lossline.h"
#include "print/text_grid.h"
#include "print/writer.h"

enum { ID_WIDTH = 8, LEAST_WIDTH = 6 };

static double percent(uint64_t part, uint64_t of)
{
	return of ? 100.0 * part / of : 0;
}

static void put_first_line(struct writer *w, const struct top_page *p)
{
	const struct live_about *a = live__interval(p->live);
	const time_t at = a->at_ns / 1000000000;
	char text[READABLE_CHARS], when[32] = "";
	struct tm tm;

	if (localtime_r(&at, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	readable__time(a->interval_ns, text);
	writer__printf(w, "%s  %s  %u CPU%s %.1f%% busy  own %.1f%%\n", when, text, a->nr_cpus,
		       a->nr_cpus == 1 ? "" : "s",
		       percent(live__busy_ns(p->live), a->interval_ns * a->nr_cpus),
		       percent(a->own_bpf_ns + a->own_user_ns, a->interval_ns));
}

static int put_losses(struct writer *w, const struct live_about *a)
{
	struct buf line = {};
	int err = 0;

	if (a->kept < a->seen) {
		err = print__loss_line(&line, "timeslices", &a->losses);
		if (!err)
			err = buf__puts(&line, "\n");
	}
	if (!err && a->untold)
		err = buf__printf(&line,
				  "%" PRIu64 " context switches missed: their time counts for the "
				  "task that ran at the end\n",
				  a->untold);
	if (line.data)
		writer__put(w, line.data, line.len);
	buf__free(&line);
	return err;
}

/* Multiplexed events with their share of the time, then those without a value, and why. */
static void put_shares(struct writer *w, const struct top_page *p)
{
	const struct live_about *a = live__interval(p->live);
	const char *separator = "multiplexed: ";

	for (size_t i = 0; i < a->nr_events; i++) {
		struct event_count c = top_page__total(p, i);

		if (c.state != COUNT_MULTIPLEXED)
			continue;
		writer__puts(w, separator);
		escape__put(w, a->events[i].name);
		writer__printf(w, " %.0f%%", percent(c.running_ns, c.enabled_ns));
		separator = ", ";
	}
	if (separator[0] == ',')
		writer__putc(w, '\n');
	for (size_t i = 0; i < a->nr_events; i++) {
		if (a->events[i].why) {
			writer__puts(w, "not counted: ");
			escape__put(w, a->events[i].why);
			writer__putc(w, '\n');
		} else if (top_page__total(p, i).state == COUNT_NOT_COUNTED) {
			writer__puts(w, "not counted: others took the counters of '");
			escape__put(w, a->events[i].name);
			writer__puts(w, "'\n");
		}
	}
}

static void add_columns(struct text_grid *g, const struct top_page *p)
{
	static const char *const ids[] = { "PID", "TID", "CGROUP", "CPU" };
	static const char *const names[] = { "COMMAND", "COMMAND", "NAME" };
	const struct text_grid_column id = {
		.is_number = true,
		.is_near = true,
		.at_least = ID_WIDTH,
	};
	const struct text_grid_column name = {};
	const struct text_grid_column value = { .is_number = true, .at_least = LEAST_WIDTH };

	text_grid__column(g, &id, ids[p->by]);
	if (p->by == LIVE_THREADS)
		text_grid__column(g, &id, "PID");
	for (size_t i = 0; i < p->columns->nr; i++)
		text_grid__column(g, &value, p->columns->items[i].title);
	if (p->by != LIVE_CPUS)
		text_grid__column(g, &name, names[p->by]);
}

static void add_row(struct text_grid *g, const struct top_page *p, const struct live_row *row)
{
	const struct live_about *about = live__interval(p->live);
	const char *name = top_page__name(p, row);
	char text[READABLE_CHARS];

	text_grid__printf(g, "%" PRIu64, row->id);
	if (p->by == LIVE_THREADS)
		text_grid__printf(g, "%" PRIu32, row->tgid);
	for (size_t i = 0; i < p->columns->nr; i++) {
		const struct column *c = &p->columns->items[i];

		column__text(c, column__value(c, about, row), text);
		text_grid__cell(g, text);
	}
	if (p->by != LIVE_CPUS)
		text_grid__printf(g, "%s%s", name ? name : "-", row->exited ? " (exited)" : "");
}

static int put_rows(struct writer *w, const struct top_page *p)
{
	struct text_grid g = {};
	int err;

	add_columns(&g, p);
	for (size_t i = 0; i < top_page__nr_rows(p); i++)
		add_row(&g, p, &p->rows->items[i]);
	err = text_grid__lay_out(&g);
	if (!err)
		text_grid__put_headings(&g, w);
	for (size_t i = 0; i < text_grid__nr_lines(&g) && !err; i++)
		text_grid__put_line(&g, w, i);
	text_grid__free(&g);
	return err;
}

int print__top_table(FILE *f, const struct top_page *p)
{
	struct writer w = { .f = f };
	int err, end;

	put_first_line(&w, p);
	err = put_losses(&w, live__interval(p->live));
	put_shares(&w, p);
	if (!err)
		err = put_rows(&w, p);
	end = writer__end(&w);
	return err ? err : end;
}
