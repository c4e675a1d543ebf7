// SPDX-License-Identifier: BSD-2-Clause
/* Writes an interval of a live view as a table, below what is to say of all of it. */
#include "print/top_table.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/buf.h"
#include "base/readable.h"
#include "model/loss.h"
#include "print/cell.h"
#include "print/escape.h"
#include "print/lossline.h"
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

static int width_of(const struct column *c)
{
	int width = cell__width(c->title);

	return width > LEAST_WIDTH ? width : LEAST_WIDTH;
}

static void put_headings(struct writer *w, const struct top_page *p)
{
	static const char *const ids[] = { "PID", "TID", "CGROUP", "CPU" };
	static const char *const names[] = { "COMMAND", "COMMAND", "NAME", "" };

	writer__printf(w, "%*s", ID_WIDTH, ids[p->by]);
	if (p->by == LIVE_THREADS)
		writer__printf(w, " %*s", ID_WIDTH, "PID");
	for (size_t i = 0; i < p->columns->nr; i++) {
		const struct column *c = &p->columns->items[i];

		writer__puts(w, "  ");
		cell__pad(w, cell__width(c->title), width_of(c));
		escape__put(w, c->title);
	}
	writer__printf(w, "%s%s\n", names[p->by][0] ? "  " : "", names[p->by]);
}

/* A name may have any bytes: those of a task, or of a recording. */
static void put_name(struct writer *w, const struct top_page *p, const struct live_row *row)
{
	const char *name = top_page__name(p, row);

	writer__puts(w, "  ");
	escape__put(w, name ? name : "-");
	if (row->exited)
		writer__puts(w, " (exited)");
}

static void put_row(struct writer *w, const struct top_page *p, const struct live_row *row)
{
	const struct live_about *about = live__interval(p->live);
	char text[READABLE_CHARS];

	writer__printf(w, "%*" PRIu64, ID_WIDTH, row->id);
	if (p->by == LIVE_THREADS)
		writer__printf(w, " %*" PRIu32, ID_WIDTH, row->tgid);
	for (size_t i = 0; i < p->columns->nr; i++) {
		const struct column *c = &p->columns->items[i];

		column__text(c, column__value(c, about, row), text);
		writer__printf(w, "  %*s", width_of(c), text);
	}
	if (p->by != LIVE_CPUS)
		put_name(w, p, row);
	writer__putc(w, '\n');
}

int print__top_table(FILE *f, const struct top_page *p)
{
	struct writer w = { .f = f };
	int err, end;

	put_first_line(&w, p);
	err = put_losses(&w, live__interval(p->live));
	put_shares(&w, p);
	put_headings(&w, p);
	for (size_t i = 0; i < top_page__nr_rows(p); i++)
		put_row(&w, p, &p->rows->items[i]);
	end = writer__end(&w);
	return err ? err : end;
}
