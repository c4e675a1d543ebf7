// SPDX-License-Identifier: BSD-2-Clause
/* Steps of a budget, as tasks and lines of an exporter know them. */
#include "serve/export_thrift.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "run/overhead.h"
#include "serve/overhead_metrics.h"
#include "serve/probe_metrics.h"
#include "serve/task_metrics.h"

enum { DOUBLINGS = 3 };

struct export_thrift {
	struct overhead *overhead;
	struct task_metrics *tasks;
	struct probe_metrics *probes;
	uint64_t own_before_ns; /* of BPF programs of what was watched before */
	size_t nr_lines, nr_events;
};

int export_thrift__new(struct export_thrift **out, double share)
{
	struct export_thrift *t = calloc(1, sizeof(*t));
	int err = t ? overhead__new(&t->overhead, share, 0) : -ENOMEM;

	*out = NULL;
	if (err) {
		free(t);
		return err;
	}
	overhead__begin(t->overhead, 0);
	*out = t;
	return 0;
}

void export_thrift__free(struct export_thrift *t)
{
	if (!t)
		return;
	overhead__tell_end(t->overhead);
	overhead__free(t->overhead);
	free(t);
}

static uint64_t watched_ns(const struct export_thrift *t)
{
	return (t->tasks ? task_metrics__own_ns(t->tasks) : 0) +
	       (t->probes ? probe_metrics__own_ns(t->probes) : 0);
}

void export_thrift__leave(struct export_thrift *t)
{
	t->own_before_ns += watched_ns(t);
	t->tasks = NULL;
	t->probes = NULL;
}

int export_thrift__watch(struct export_thrift *t, struct task_metrics *tasks,
			 struct probe_metrics *probes)
{
	int err = 0;

	t->tasks = tasks;
	t->probes = probes;
	t->own_before_ns -= watched_ns(t);
	t->nr_lines = probe_metrics__nr(probes);
	t->nr_events = tasks ? task_metrics__nr_events(tasks) : 0;
	overhead__clear(t->overhead);
	overhead__add(t->overhead, BUDGET_RATE, tasks ? DOUBLINGS : 0);
	overhead__add(t->overhead, BUDGET_EVENTS, t->nr_lines + t->nr_events);
	overhead__add(t->overhead, BUDGET_PAUSE, tasks ? 1 : 0);
	probe_metrics__limit(probes, t->nr_lines);
	if (tasks)
		err = task_metrics__spare(tasks, 0, t->nr_events, false);
	return err;
}

static int put_text(const struct export_thrift *t, size_t nr_lines, size_t nr_events,
		    struct buf *text)
{
	const size_t rate = overhead__taken(t->overhead, BUDGET_RATE);
	int err = 0;

	if (t->tasks && overhead__is_paused(t->overhead))
		err = buf__puts(text, "tasks are not counted until that is made up for");
	else if (t->tasks)
		err = buf__printf(text, "tasks are looked at each %d s, %zu of %zu events",
				  TASK_METRICS_LOOK_S << rate, nr_events, t->nr_events);
	if (!err && t->nr_lines)
		err = buf__printf(text, "%s%zu of %zu lines", text->len ? ", " : "", nr_lines,
				  t->nr_lines);
	return err || text->len ? err : buf__puts(text, "there is nothing to do without");
}

static int heed(struct export_thrift *t)
{
	const size_t taken = overhead__taken(t->overhead, BUDGET_EVENTS);
	const size_t lines = taken < t->nr_lines ? taken : t->nr_lines;
	const size_t nr_lines = t->nr_lines - lines, nr_events = t->nr_events - (taken - lines);
	struct buf text = {};
	int err = 0;

	probe_metrics__limit(t->probes, nr_lines);
	if (t->tasks)
		err = task_metrics__spare(t->tasks,
					  (unsigned)overhead__taken(t->overhead, BUDGET_RATE),
					  nr_events, overhead__is_paused(t->overhead));
	if (!err)
		err = put_text(t, nr_lines, nr_events, &text);
	if (!err)
		overhead__tell(t->overhead, text.data);
	buf__free(&text);
	return err;
}

int export_thrift__poll(struct export_thrift *t)
{
	if (!overhead__is_due(t->overhead) ||
	    !overhead__look(t->overhead, t->own_before_ns + watched_ns(t)))
		return 0;
	return heed(t);
}

unsigned export_thrift__patience_ms(const struct export_thrift *t)
{
	return overhead__patience_ms(t->overhead);
}

void export_thrift__put(const struct export_thrift *t, struct exposition *x)
{
	struct overhead_figures figures;

	overhead__figures(t->overhead, &figures);
	overhead_metrics__put(&figures, x);
}
