// SPDX-License-Identifier: BSD-2-Clause
/* Adds intervals up, by cgroup and by process. */
#include "serve/task_metrics.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/utf8.h"
#include "live/procinfo.h"
#include "live/top_tasks.h"
#include "machine/cgroup.h"
#include "machine/target.h"
#include "model/counts.h"
#include "serve/exposition.h"
#include "serve/members.h"

static const uint64_t REFRESH_NS = 10 * 1000000000ull; /* names of processes that end are known */
static const uint64_t FRESH_NS = 100 * 1000000;
static const uint64_t IDLE_NS = 60 * 1000000000ull; /* so long unused it may be gone */
static const uint64_t LOOK_NS = 10 * 1000000000ull; /* from one look whether it is to the next */

enum { VIEWS = 2, NAME_BYTES = 512 };

/* One kind of things that use something. */
struct task_view {
	enum live_by by;
	const char *id_label, *name_label;
	const char *family[5]; /* enum family */
	struct members members;
};

enum family { CPU_SECONDS, SWITCHES, EVENTS, SERIES, OTHERS };

struct event_times {
	uint64_t enabled_ns, running_ns;
};

struct task_metrics {
	struct top_tasks *top;
	struct procinfo *procinfo;
	struct processes *processes; /* names */
	struct cgroups *cgroups;     /* which are still there */
	bool names_cgroups;	     /* they can be found by their ids */
	struct task_view views[VIEWS];
	size_t nr_views;
	struct live_rows rows;
	struct event_times *times;	     /* of each event, since the start */
	uint64_t refreshed_ns, collected_ns; /* the last time; for somebody who asked */
	uint64_t looked_ns;		     /* for cgroups that were removed */
	struct losses losses;
	uint64_t untold, bpf_ns;
};

/* clang-format off */
static const struct task_view cgroup_view = {
	LIVE_CGROUPS, "cgroup", "container",
	{ "pmutrace_cgroup_cpu_seconds_total", "pmutrace_cgroup_context_switches_total",
	  "pmutrace_cgroup_events_total", "pmutrace_cgroup_series", "pmutrace_cgroup_others" },
	{},
};
static const struct task_view process_view = {
	LIVE_PROCESSES, "pid", "comm",
	{ "pmutrace_process_cpu_seconds_total", "pmutrace_process_context_switches_total",
	  "pmutrace_process_events_total", "pmutrace_process_series", "pmutrace_process_others" },
	{},
};
/* clang-format on */

static const struct live_about *about(const struct task_metrics *t)
{
	return live__interval(top_tasks__live(t->top));
}

static void add_view(struct task_metrics *t, const struct task_view *view, size_t max)
{
	struct task_view *v = &t->views[t->nr_views++];

	*v = *view;
	v->members = (struct members){ .max = max ? max : TASK_METRICS_SERIES,
				       .names_differ = v->by == LIVE_CGROUPS };
}

/* Whether the root has a path, whose id is that of its folder. */
static bool can_name_cgroups(const struct cgroups *c)
{
	char path[PATH_MAX];
	struct stat root;

	return !cgroup2__mount(path, sizeof(path)) && !stat(path, &root) &&
	       !cgroups__find(c, root.st_ino, path, sizeof(path));
}

static int open_names(struct task_metrics *t)
{
	const struct procinfo_opts names = {
		.proc = target__in_pid_namespace() ? NULL : "/proc",
		.root = "",
	};
	int err = cgroups__open(&t->cgroups);

	t->names_cgroups = !err && can_name_cgroups(t->cgroups);
	t->processes = processes__new();
	if (!err && !t->processes)
		err = -ENOMEM;
	return err ? err : procinfo__open(&t->procinfo, &names);
}

int task_metrics__open(struct task_metrics **out, const struct task_metrics_opts *opts,
		       struct buf *why)
{
	const struct top_tasks_opts top = { .events = opts->events, .processes_only = true };
	struct task_metrics *t = calloc(1, sizeof(*t));
	int err;

	*out = NULL;
	if (!t)
		return -ENOMEM;
	if (opts->cgroups)
		add_view(t, &cgroup_view, opts->max_series);
	if (opts->processes)
		add_view(t, &process_view, opts->max_series);
	t->times = calloc(opts->events->nr + 1, sizeof(*t->times));
	err = t->times ? open_names(t) : -ENOMEM;
	if (!err)
		err = top_tasks__open(&t->top, &top, why);
	if (!err)
		err = top_tasks__start(t->top);
	if (err) {
		task_metrics__close(t);
		return err;
	}
	for (size_t v = 0; v < t->nr_views; v++)
		t->views[v].members.nr_values = LIVE_EVENTS + opts->events->nr;
	if (opts->cgroups && !t->names_cgroups)
		log__notice("cgroups have numbers instead of paths: there is no cgroup2 hierarchy, "
			    "or no permission to open them by id (CAP_DAC_READ_SEARCH)");
	for (size_t e = 0; e < about(t)->nr_events; e++)
		if (about(t)->events[e].why)
			log__notice("%s", about(t)->events[e].why);
	t->refreshed_ns = clock__now_ns();
	*out = t;
	return 0;
}

void task_metrics__close(struct task_metrics *t)
{
	if (!t)
		return;
	top_tasks__close(t->top);
	procinfo__close(t->procinfo);
	processes__free(t->processes);
	cgroups__close(t->cgroups);
	for (size_t v = 0; v < t->nr_views; v++)
		members__free(&t->views[v].members);
	live_rows__free(&t->rows);
	free(t->times);
	free(t);
}

/* Label values, of any bytes: what is different in them alone is one series. */
static int put_name(struct buf *out, const char *text)
{
	const size_t len = strlen(text);

	return utf8__put_valid(out, text, len < NAME_BYTES ? len : NAME_BYTES);
}

/* A cgroup's path, and its container's name, if it is of one. */
static int name_cgroup(const struct task_metrics *t, uint64_t id, struct buf *name,
		       struct buf *detail)
{
	const char *path = processes__cgroup_path(t->processes, id);
	const char *shown = processes__cgroup(t->processes, id);
	int err;

	if (!path)
		return buf__printf(name, "id:%" PRIu64, id);
	err = put_name(name, path);
	/* It is the path, as a line, of those that are no container's. */
	return err || !shown || *shown == '/' ? err : put_name(detail, shown);
}

static int name_members(struct task_metrics *t, struct task_view *v)
{
	int err = 0;

	for (size_t r = 0; r < t->rows.nr && !err; r++) {
		const struct live_row *row = &t->rows.items[r];
		size_t i = members__find(&v->members, row->id);
		struct buf name = {}, detail = {};

		if (i == MEMBERS_NOBODY)
			continue;
		err = v->by == LIVE_CGROUPS ? name_cgroup(t, row->id, &name, &detail)
					    : put_name(&name, row->comm);
		if (!err)
			err = members__name(&v->members, &i, name.len ? name.data : "",
					    detail.len ? detail.data : "");
		buf__free(&name);
		buf__free(&detail);
	}
	return err;
}

/* Of processes the interval tells it; cgroups are looked for when nothing runs in them. */
static void end_removed(struct task_metrics *t, struct members *m, uint64_t now_ns)
{
	char path[PATH_MAX];

	if (now_ns < t->looked_ns + LOOK_NS)
		return;
	t->looked_ns = now_ns;
	for (size_t i = 0; i < m->nr; i++) {
		const struct metric_member *x = &m->items[i];

		if (!x->ended_ns && now_ns > x->used_ns + IDLE_NS &&
		    cgroups__find(t->cgroups, x->id, path, sizeof(path)))
			members__end(m, i, now_ns);
	}
}

/* Events that shared counters: as if they had been on one all the time. */
static void scale_rows(struct task_metrics *t)
{
	const struct live_about *a = about(t);

	for (size_t e = 0; e < a->nr_events; e++) {
		const struct live_event *event = &a->events[e];

		if (event->running_ns >= event->enabled_ns)
			continue;
		for (size_t r = 0; r < t->rows.nr; r++) {
			uint64_t *value = &t->rows.items[r].values[LIVE_EVENTS + e];

			*value = event_count__scale(*value, event->enabled_ns, event->running_ns);
		}
	}
}

/* What was removed before anybody could ask for its name is with the others. */
static void pass_over_removed(struct task_metrics *t)
{
	for (size_t r = 0; r < t->rows.nr && t->names_cgroups; r++) {
		struct live_row *row = &t->rows.items[r];

		row->exited = !processes__cgroup_path(t->processes, row->id);
	}
}

static int add_to(struct task_metrics *t, struct task_view *v, uint64_t now_ns,
		  uint64_t interval_ns)
{
	int err = live__rows(top_tasks__live(t->top), v->by, &t->rows);

	if (err)
		return err;
	if (v->by == LIVE_PROCESSES)
		processes__name_rows(t->processes, &t->rows);
	else
		pass_over_removed(t);
	scale_rows(t);
	err = members__add(&v->members, &t->rows, now_ns, interval_ns);
	if (!err)
		err = name_members(t, v);
	if (!err && v->by == LIVE_CGROUPS)
		end_removed(t, &v->members, now_ns);
	return err;
}

static void add_about(struct task_metrics *t)
{
	const struct live_about *a = about(t);

	t->losses.seen += a->losses.seen;
	t->losses.kept += a->losses.kept;
	for (unsigned i = 0; i < a->losses.nr; i++)
		losses__add(&t->losses, &a->losses.by[i]);
	t->untold += a->untold;
	t->bpf_ns += a->own_bpf_ns;
	for (size_t e = 0; e < a->nr_events; e++) {
		t->times[e].enabled_ns += a->events[e].enabled_ns;
		t->times[e].running_ns += a->events[e].running_ns;
	}
}

static int refresh(struct task_metrics *t)
{
	uint64_t interval_ns, now_ns;
	int err = top_tasks__refresh(t->top, &interval_ns);

	if (err)
		return err;
	now_ns = t->refreshed_ns = clock__now_ns();
	err = procinfo__refresh(t->procinfo, top_tasks__live(t->top), t->processes);
	for (size_t v = 0; v < t->nr_views && !err; v++)
		err = add_to(t, &t->views[v], now_ns, interval_ns);
	add_about(t);
	return err;
}

int task_metrics__poll(struct task_metrics *t)
{
	if (clock__now_ns() >= t->refreshed_ns + REFRESH_NS)
		return refresh(t);
	return top_tasks__poll(t->top);
}

unsigned task_metrics__patience_ms(const struct task_metrics *t)
{
	return top_tasks__patience_ms(t->top);
}

static void put_labels(const struct task_view *v, const struct metric_member *of,
		       struct exposition *x)
{
	char id[32] = "other";

	if (v->by == LIVE_CGROUPS) {
		exposition__label(x, v->id_label, of ? of->name : "other");
		exposition__label(x, v->name_label, of ? of->detail : "");
	} else {
		if (of)
			snprintf(id, sizeof(id), "%" PRIu64, of->id);
		exposition__label(x, v->id_label, id);
		exposition__label(x, v->name_label, of ? of->name : "");
	}
}

/* The @i-th of a view's series, the others behind the members; NULL in @of. */
static const uint64_t *values_of(const struct task_view *v, size_t i,
				 const struct metric_member **of)
{
	*of = i < v->members.nr ? &v->members.items[i] : NULL;
	return *of ? (*of)->values : v->members.others;
}

static void put_numbers(const struct task_view *v, struct exposition *x)
{
	const struct metric_member *of;

	exposition__family(x, v->family[CPU_SECONDS], METRIC_COUNTER, "Time on CPUs");
	for (size_t i = 0; i <= v->members.nr; i++) {
		const uint64_t *values = values_of(v, i, &of);

		put_labels(v, of, x);
		exposition__double(x, (double)values[LIVE_TIME] / 1e9);
	}
	exposition__family(x, v->family[SWITCHES], METRIC_COUNTER, "Times switched off a CPU");
	for (size_t i = 0; i <= v->members.nr; i++) {
		const uint64_t *values = values_of(v, i, &of);

		put_labels(v, of, x);
		exposition__u64(x, values[LIVE_SWITCHES]);
	}
}

static void put_value(const struct live_event *event, uint64_t value, struct exposition *x)
{
	if (live_event__scale(event) == 1)
		exposition__u64(x, value);
	else
		exposition__double(x, (double)value * live_event__scale(event));
}

/* One that was never on a counter has no value. */
static bool has_value(const struct task_metrics *t, size_t event)
{
	return !about(t)->events[event].why && t->times[event].running_ns;
}

static void put_events(const struct task_metrics *t, const struct task_view *v,
		       struct exposition *x)
{
	const struct live_about *a = about(t);
	bool has_family = false;

	for (size_t e = 0; e < a->nr_events; e++) {
		if (!has_value(t, e))
			continue;
		if (!has_family)
			exposition__family(x, v->family[EVENTS], METRIC_COUNTER,
					   "Events that were counted while it ran");
		has_family = true;
		for (size_t i = 0; i <= v->members.nr; i++) {
			const struct metric_member *of;
			const uint64_t *values = values_of(v, i, &of);

			put_labels(v, of, x);
			exposition__label(x, "event", a->events[e].name);
			put_value(&a->events[e], values[LIVE_EVENTS + e], x);
		}
	}
}

static void put_gauge(struct exposition *x, const char *name, const char *help, uint64_t value)
{
	exposition__family(x, name, METRIC_GAUGE, help);
	exposition__u64(x, value);
}

static void put_view(const struct task_metrics *t, struct task_view *v, struct exposition *x)
{
	put_numbers(v, x);
	put_events(t, v, x);
	put_gauge(x, v->family[SERIES], "How many have series of their own", v->members.nr);
	put_gauge(x, v->family[OTHERS], "How many others have used something in the last interval",
		  v->members.nr_others);
	members__are_read(&v->members);
}

static void put_times(const struct task_metrics *t, struct exposition *x, bool running)
{
	const struct live_about *a = about(t);
	bool has_family = false;

	for (size_t e = 0; e < a->nr_events; e++) {
		if (a->events[e].why || a->events[e].group < 0)
			continue;
		if (!has_family)
			exposition__family(x,
					   running ? "pmutrace_task_event_running_seconds_total"
						   : "pmutrace_task_event_enabled_seconds_total",
					   METRIC_COUNTER,
					   running ? "Time for which an event was on a counter"
						   : "Time for which an event was to be counted");
		has_family = true;
		exposition__label(x, "event", a->events[e].name);
		exposition__double(
			x,
			(double)(running ? t->times[e].running_ns : t->times[e].enabled_ns) / 1e9);
	}
}

static void put_about(const struct task_metrics *t, struct exposition *x)
{
	const struct live_about *a = about(t);

	if (a->nr_events)
		exposition__family(x, "pmutrace_task_event_up", METRIC_GAUGE,
				   "Whether an event is counted, and if it is not, why");
	for (size_t e = 0; e < a->nr_events; e++) {
		exposition__label(x, "event", a->events[e].name);
		exposition__label(x, "reason", a->events[e].why ? a->events[e].why : "");
		exposition__u64(x, !a->events[e].why);
	}
	put_times(t, x, false);
	put_times(t, x, true);
	exposition__family(x, "pmutrace_task_timeslices_total", METRIC_COUNTER,
			   "Pieces of tasks' runs that were seen");
	exposition__u64(x, t->losses.seen);
	if (t->losses.nr)
		exposition__family(x, "pmutrace_task_timeslices_lost_total", METRIC_COUNTER,
				   "Of these, what is in no sum, and why");
	for (unsigned i = 0; i < t->losses.nr; i++) {
		exposition__label(x, "reason", t->losses.by[i].name);
		exposition__u64(x, t->losses.by[i].n);
	}
	exposition__family(x, "pmutrace_task_untold_switches_total", METRIC_COUNTER,
			   "Context switches that the kernel did not tell");
	exposition__u64(x, t->untold);
	exposition__family(x, "pmutrace_task_bpf_seconds_total", METRIC_COUNTER,
			   "CPU time of the programs that count tasks");
	exposition__double(x, (double)t->bpf_ns / 1e9);
}

int task_metrics__collect(struct task_metrics *t, struct exposition *x)
{
	int err = 0;

	if (clock__now_ns() >= t->collected_ns + FRESH_NS) {
		err = refresh(t);
		t->collected_ns = t->refreshed_ns;
	}
	for (size_t v = 0; v < t->nr_views && !err; v++)
		put_view(t, &t->views[v], x);
	if (err)
		return err;
	put_about(t, x);
	return x->err;
}
