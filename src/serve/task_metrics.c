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
#include "base/strtab.h"
#include "base/utf8.h"
#include "live/procinfo.h"
#include "machine/cgroup.h"
#include "machine/target.h"
#include "model/counts.h"
#include "serve/exposition.h"
#include "serve/task_metrics_state.h"

static const uint64_t REFRESH_NS =
	TASK_METRICS_LOOK_S * 1000000000ull; /* names of what ends are known */
static const uint64_t FRESH_NS = 100 * 1000000;
static const uint64_t IDLE_NS = 60 * 1000000000ull; /* so long unused it may be gone */
static const uint64_t LOOK_NS = 10 * 1000000000ull; /* from one look whether it is to the next */

enum { NAME_BYTES = 512 };

/* clang-format off */
static const struct task_view cgroup_view = {
	LIVE_CGROUPS, "cgroup", "container",
	{ "pmutrace_cgroup_cpu_seconds_total", "pmutrace_cgroup_context_switches_total",
	  "pmutrace_cgroup_events_total", "pmutrace_cgroup_series", "pmutrace_cgroup_others" },
	{}, 0,
};
static const struct task_view process_view = {
	LIVE_PROCESSES, "pid", "comm",
	{ "pmutrace_process_cpu_seconds_total", "pmutrace_process_context_switches_total",
	  "pmutrace_process_events_total", "pmutrace_process_series", "pmutrace_process_others" },
	{}, 0,
};
/* clang-format on */

static void add_view(struct task_metrics *t, const struct task_view *view, size_t max)
{
	struct task_view *v = &t->views[t->nr_views++];

	*v = *view;
	v->members.max = max ? max : TASK_METRICS_SERIES;
}

/*
 * Whether cgroups can be found by their ids. From inside a cgroup namespace those outside have no
 * path; its root is not the first one.
 */
static int look_at_cgroups(struct task_metrics *t)
{
	enum { FIRST = 1 };
	char path[PATH_MAX];
	struct stat root;

	if (cgroup2__mount(path, sizeof(path)) || stat(path, &root)) {
		log__notice("cgroups have numbers instead of paths: there is no cgroup2 hierarchy");
		return 0;
	}
	t->mount = strdup(path);
	if (!t->mount)
		return -ENOMEM;
	t->names_cgroups = !cgroups__find(t->cgroups, root.st_ino, path, sizeof(path));
	if (!t->names_cgroups)
		log__notice("cgroups have numbers instead of paths: no permission to open them by "
			    "id (CAP_DAC_READ_SEARCH)");
	else if (root.st_ino != FIRST)
		log__notice("cgroups outside of this container have no names, and are counted as "
			    "\"other\": run it with the host's cgroup namespace (--cgroupns=host)");
	return 0;
}

static int open_names(struct task_metrics *t, const struct task_metrics_opts *opts)
{
	const struct procinfo_opts names = {
		.proc = opts->processes && !target__in_pid_namespace() ? "/proc" : NULL,
		.root = "",
		.no_users = true,
	};
	int err = cgroups__open(&t->cgroups);

	t->has_proc = names.proc;
	if (!err && opts->cgroups)
		err = look_at_cgroups(t);
	t->processes = processes__new();
	if (!err && !t->processes)
		err = -ENOMEM;
	return err ? err : procinfo__open(&t->procinfo, &names);
}

int task_metrics__open(struct task_metrics **out, const struct task_metrics_opts *opts,
		       struct buf *why)
{
	const struct top_tasks_opts top = { .events = opts->events,
					    .processes_only = true,
					    .measures_all = opts->measures_all };
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
	t->specs = opts->events->items;
	err = t->times ? top_tasks__open(&t->top, &top, why) : -ENOMEM;
	if (!err)
		err = open_names(t, opts);
	if (!err)
		err = top_tasks__start(t->top);
	if (err) {
		task_metrics__close(t);
		return err;
	}
	for (size_t v = 0; v < t->nr_views; v++)
		t->views[v].members.nr_values = LIVE_EVENTS + opts->events->nr;
	for (size_t e = 0; e < task_metrics__about(t)->nr_events; e++)
		if (task_metrics__about(t)->events[e].why)
			log__notice("%s", task_metrics__about(t)->events[e].why);
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
	strtab__free(t->names);
	free(t->uses);
	free(t->mount);
	free(t->times);
	free(t);
}

/* Label values, of any bytes: what is different in them alone is one series. */
static int keep_name(struct task_metrics *t, const char *text, const char **out)
{
	const size_t len = strlen(text);
	struct buf valid = {};
	uint32_t id = 0;
	int err = utf8__put_valid(&valid, text, len < NAME_BYTES ? len : NAME_BYTES);

	if (!err)
		err = strtab__add(t->names, valid.len ? valid.data : "", valid.len, &id);
	buf__free(&valid);
	*out = strtab__get(t->names, id);
	return err;
}

/*
 * A cgroup's path, and its container's name, if it is of one. One that was removed before anybody
 * could ask has no name.
 */
static int name_cgroup(struct task_metrics *t, uint64_t id, struct metric_use *out)
{
	const char *path = processes__cgroup_path(t->processes, id);
	const char *shown = processes__cgroup(t->processes, id);
	char number[32];
	int err;

	if (!path && t->names_cgroups)
		return 0;
	snprintf(number, sizeof(number), "id:%" PRIu64, id);
	err = keep_name(t, path ? path : number, &out->name);
	/* It is the path, as a line, of those that are no container's. */
	if (!err && path && shown && *shown != '/')
		err = keep_name(t, shown, &out->detail);
	return err;
}

static int use_rows(struct task_metrics *t, const struct task_view *v)
{
	int err = array__grow(&t->uses, &t->cap_uses, t->rows.nr + 1);

	for (size_t r = 0; r < t->rows.nr && !err; r++) {
		const struct live_row *row = &t->rows.items[r];

		t->uses[r] = (struct metric_use){ .detail = "", .values = row->values };
		if (v->by == LIVE_CGROUPS) {
			err = name_cgroup(t, row->id, &t->uses[r]);
		} else {
			t->uses[r].number = row->id;
			t->uses[r].has_ended = row->exited;
			err = keep_name(t, row->comm, &t->uses[r].name);
		}
	}
	return err;
}

static bool is_cgroup_gone(const struct task_metrics *t, const char *path)
{
	char whole[2 * PATH_MAX];
	struct stat unused;

	if (*path != '/' || !t->mount)
		return false;
	snprintf(whole, sizeof(whole), "%s%s", t->mount, path);
	return stat(whole, &unused) && errno == ENOENT;
}

/* Or it is called otherwise now. What workers of the kernel are at stands behind their names. */
static bool is_process_gone(const struct task_metrics *t, const struct metric_member *x)
{
	struct buf comm = {}, valid = {};
	char path[64];
	bool gone = false;
	int err;

	if (!t->has_proc)
		return false;
	snprintf(path, sizeof(path), "/proc/%" PRIu64 "/comm", x->number);
	err = buf__read_file(&comm, path, PATH_MAX);
	if (err)
		gone = err == -ENOENT || err == -ESRCH;
	else if (comm.len && !utf8__put_valid(&valid, comm.data, comm.len))
		gone = strncmp(valid.data, x->name, strlen(x->name));
	buf__free(&comm);
	buf__free(&valid);
	return gone;
}

/* Most ends of processes are in an interval. For others, and cgroups, there is a look. */
static void end_those_gone(struct task_metrics *t, struct task_view *v, uint64_t now_ns)
{
	struct members *m = &v->members;

	if (now_ns < v->looked_ns + LOOK_NS)
		return;
	v->looked_ns = now_ns;
	for (size_t i = 0; i < m->nr; i++) {
		const struct metric_member *x = &m->items[i];

		if (x->ended_ns || now_ns < x->used_ns + IDLE_NS)
			continue;
		if (v->by == LIVE_CGROUPS ? is_cgroup_gone(t, x->name) : is_process_gone(t, x))
			members__end(m, i, now_ns);
	}
}

/* Events that shared counters: as if they had been on one all the time. */
static void scale_rows(struct task_metrics *t)
{
	const struct live_about *a = task_metrics__about(t);

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

static int add_to(struct task_metrics *t, struct task_view *v, uint64_t now_ns,
		  uint64_t interval_ns)
{
	int err = live__rows(top_tasks__live(t->top), v->by, &t->rows);

	strtab__free(t->names);
	t->names = strtab__new();
	if (!err && !t->names)
		err = -ENOMEM;
	if (err)
		return err;
	if (v->by == LIVE_PROCESSES)
		processes__name_rows(t->processes, &t->rows);
	scale_rows(t);
	err = use_rows(t, v);
	if (!err)
		err = members__add(&v->members, t->uses, t->rows.nr, now_ns, interval_ns);
	if (!err)
		end_those_gone(t, v, now_ns);
	return err;
}

static void add_about(struct task_metrics *t)
{
	const struct live_about *a = task_metrics__about(t);

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
	if (clock__now_ns() >= t->refreshed_ns + (REFRESH_NS << t->doublings))
		return refresh(t);
	return top_tasks__poll(t->top);
}

int task_metrics__spare(struct task_metrics *t, unsigned doublings, size_t nr_events, bool paused)
{
	const struct top_thrift thrift = { .nr_events = nr_events, .paused = paused };
	int err = refresh(t);

	t->doublings = doublings;
	return err ? err : top_tasks__spare(t->top, &thrift);
}

size_t task_metrics__nr_events(const struct task_metrics *t)
{
	return task_metrics__about(t)->nr_events;
}

uint64_t task_metrics__own_ns(const struct task_metrics *t)
{
	return top_tasks__own_ns(t->top);
}

unsigned task_metrics__patience_ms(const struct task_metrics *t)
{
	return top_tasks__patience_ms(t->top);
}

int task_metrics__collect(struct task_metrics *t, struct exposition *x)
{
	int err = 0;

	if (clock__now_ns() >= t->collected_ns + (FRESH_NS << t->doublings)) {
		err = refresh(t);
		t->collected_ns = t->refreshed_ns;
	}
	for (size_t v = 0; v < t->nr_views && !err; v++)
		task_metrics__put_view(t, &t->views[v], x);
	if (err)
		return err;
	task_metrics__put_about(t, x);
	return x->err;
}

void task_metrics__are_read(struct task_metrics *t)
{
	for (size_t v = 0; v < t->nr_views; v++)
		members__are_read(&t->views[v].members, t->refreshed_ns);
}
