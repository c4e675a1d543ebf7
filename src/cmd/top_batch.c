// SPDX-License-Identifier: BSD-2-Clause
/* top: one interval after the other, for files, pipes and people without a screen. */
#include "cmd/top_views.h"

#include <errno.h>

#include "base/clock.h"
#include "base/privileges.h"
#include "cmd/measuring.h"
#include "cmd/top_thrift.h"
#include "machine/target.h"
#include "model/processes.h"
#include "print/top_csv.h"
#include "print/top_json.h"
#include "print/top_table.h"

enum { TABLE_ROWS = 40 };

/* An interval that is printed. */
struct printing {
	const struct top_run *run;
	struct top_page page;
};

static int write_page(void *arg, FILE *f, enum format format)
{
	const struct printing *p = arg;
	struct top_page page = p->page;

	switch (format) {
	case FORMAT_JSON:
		return print__top_json(f, &page);
	case FORMAT_CSV:
		return print__top_csv(f, &page, !p->run->nr_shown);
	default:
		if (!p->run->opts->rows)
			page.max_rows = TABLE_ROWS;
		if (p->run->nr_shown && putc('\n', f) == EOF)
			return errno ? -errno : -EIO;
		return print__top_table(f, &page);
	}
}

static int print(struct top_run *r)
{
	struct printing p = {
		.run = r,
		.page = { .live = r->live,
			  .columns = &r->columns,
			  .rows = &r->rows,
			  .by = r->by,
			  .max_rows = r->opts->rows ? r->opts->rows : SIZE_MAX,
			  .processes = r->processes,
			  .full = r->opts->full },
	};
	int err = outputs__part(&r->outputs, write_page, &p, &r->why);

	r->nr_shown++;
	return err;
}

static int show(void *arg)
{
	struct top_run *r = arg;
	int err = top_run__refresh(r);

	return err ? err : print(r);
}

static int poll_refresh(void *arg)
{
	struct top_run *r = arg;
	int err = top_thrift__poll(r, NULL);

	if (err)
		return err;
	if (top_thrift__is_paused(r) || clock__now_ns() < r->next_ns)
		return top_tasks__poll(r->top);
	err = show(r);
	top_run__go_on(r);
	if (!err)
		err = top_thrift__heed(r, NULL);
	return err ? err : top_run__has_all(r);
}

static unsigned patience_ms(void *arg)
{
	const struct top_run *r = arg;

	unsigned next_ms = clock__ms_until(r->next_ns), room_ms = top_tasks__patience_ms(r->top);

	if (!top_thrift__is_paused(r) && next_ms < room_ms)
		room_ms = next_ms;
	return top_thrift__patience_ms(r, room_ms);
}

static int watch(struct top_run *r)
{
	const struct runloop_work work = { poll_refresh, patience_ms, NULL, NULL, r };
	int err = top_tasks__start(r->top);

	top_thrift__begin(r, NULL);
	r->next_ns = clock__now_ns() + r->delay_ns;
	if (!err)
		err = measure_within(r->loop, PRIVILEGES_TOP, &work);
	/* The last interval, up to the signal that has ended the run. */
	if (!err && !top_run__has_all(r) && !top_thrift__is_paused(r))
		err = show(r);
	return err;
}

int top__batch(struct top_run *r)
{
	const struct target everything = {};
	const struct runloop_opts opts = { .target = &everything };
	int err;

	if (top_feed__is_replay(r->feed))
		return top_run__replay(r, show, r);
	err = runloop__open(&r->loop, &opts);
	if (!err)
		err = watch(r);
	runloop__close(r->loop);
	r->loop = NULL;
	return err;
}
