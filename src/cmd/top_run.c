// SPDX-License-Identifier: BSD-2-Clause
/* top: the next interval, or another of a recording; when, and how many. */
#include "cmd/top_run.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "cmd/top_thrift.h"
#include "model/processes.h"

bool top_run__wants_functions(const struct top_run *r)
{
	return r->opts->by && !strcmp(r->opts->by, "function");
}

/* The rows of the interval, by what is shown. */
static int arrange(struct top_run *r)
{
	const struct live_filter filter = livefilter__of(r->filter);
	int err = live__rows_of(r->live, r->by, livefilter__selects(r->filter) ? &filter : NULL,
				&r->rows);

	if (!err && r->by == LIVE_PROCESSES && r->processes)
		processes__name_rows(r->processes, &r->rows);
	if (!err && r->sort < r->columns.nr)
		columns__sort(&r->columns.items[r->sort], live__interval(r->live), &r->rows,
			      r->invert);
	return err;
}

static void note_losses(struct top_run *r)
{
	const struct live_about *a = live__interval(r->live);

	r->lost |= a->kept < a->seen || a->untold;
	for (size_t i = 0; i < r->columns.nr; i++)
		r->lost |= column__share(&r->columns.items[i], a) < 1;
}

static int look_at(struct top_run *r)
{
	note_losses(r);
	return columns__explain(&r->columns, live__interval(r->live));
}

int top_run__seek(struct top_run *r, long by, struct buf *why)
{
	int err = top_feed__seek(r->feed, by, &r->live, &r->interval_ns, why);

	return err ? err : look_at(r);
}

void top_run__go_on(struct top_run *r)
{
	uint64_t now_ns = clock__now_ns();

	r->next_ns += top_thrift__delay_ns(r);
	if (r->next_ns <= now_ns)
		r->next_ns = now_ns + top_thrift__delay_ns(r);
}

bool top_run__is_at_last(const struct top_run *r)
{
	return r->opts->count && r->nr_shown + 1 >= r->opts->count;
}

bool top_run__has_all(const struct top_run *r)
{
	return r->opts->count && r->nr_shown >= r->opts->count;
}

int top_run__refresh(struct top_run *r)
{
	int err = top_feed__refresh(r->feed, r->top, &r->live, &r->interval_ns, &r->why);

	if (!err)
		err = look_at(r);
	/* A screen has a view of its own. */
	return err || !r->batch ? err : arrange(r);
}

int top_run__replay(struct top_run *r, int (*show_next)(void *arg), void *arg)
{
	struct buf damaged = {};
	int err = 0;

	while (!r->opts->count || r->nr_shown < r->opts->count) {
		err = show_next(arg);
		if (err == -EBADMSG) {
			err = damaged.len ? 0 : buf__puts(&damaged, r->why.data);
			buf__clear(&r->why);
		}
		if (err)
			break;
	}
	if (err == -ENODATA)
		err = 0;
	if (!err && damaged.len)
		err = buf__puts(&r->why, damaged.data) ? -ENOMEM : -EBADMSG;
	buf__free(&damaged);
	return err;
}
