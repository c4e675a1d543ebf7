// SPDX-License-Identifier: BSD-2-Clause
/* Opens the parts of an exporter, and exchanges them. */
#include "serve/exporter_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/why.h"
#include "object/run_time.h"
#include "serve/export_thrift.h"
#include "serve/http_server.h"
#include "serve/node_perf_events.h"
#include "serve/profiler.h"
#include "serve/task_metrics.h"

enum { POLL_MS = 1000 };

/* "cgroup,process" */
static int parse_by(const char *text, struct task_metrics_opts *out, struct buf *why)
{
	for (const char *at = text; *at;) {
		const size_t len = strcspn(at, ",");

		if (len == strlen("cgroup") && !strncmp(at, "cgroup", len))
			out->cgroups = true;
		else if (len == strlen("process") && !strncmp(at, "process", len))
			out->processes = true;
		else
			return why__refuse(why, -EINVAL,
					   "--by takes cgroup, process or both, not '%.*s'",
					   (int)len, at);
		at += len;
		at += *at == ',';
	}
	return out->cgroups || out->processes
		       ? 0
		       : why__refuse(why, -EINVAL, "--by takes cgroup, process or both");
}

static int parse_tasks(const struct exporter_opts *o, struct task_metrics_opts *tasks,
		       struct perf_events *events, struct buf *why)
{
	int err = 0;

	if (!o->by)
		return o->nr_events ? why__refuse(why, -EINVAL,
						  "-e: of what? say --by cgroup, --by process, or "
						  "both")
				    : 0;
	err = parse_by(o->by, tasks, why);
	for (size_t i = 0; i < o->nr_events && !err; i++)
		err = perf_events__parse(events, NULL, o->events[i], why);
	return err;
}

int exporter_opts__check(const struct exporter_opts *o, struct buf *why)
{
	struct task_metrics_opts unused = {};
	struct perf_events events = {};
	int err = parse_tasks(o, &unused, &events, why);

	perf_events__free(&events);
	if (!err)
		err = http_server__check(o->listen, why);
	return err ? err : node_perf_events__check(&o->node_perf, why);
}

static int put_list(struct buf *key, const char *const *items, size_t nr)
{
	int err = buf__printf(key, "%zu:", nr);

	for (size_t i = 0; i < nr && !err; i++)
		err = buf__printf(key, "%s\n", items[i]);
	return err;
}

static int put_node_key(struct buf *key, const struct node_perf_opts *o)
{
	int err = buf__printf(key, "%s|%d%d%d", o->cpus ? o->cpus : "", o->no_hardware,
			      o->no_software, o->no_cache);

	if (!err)
		err = put_list(key, o->tracepoints, o->nr_tracepoints);
	if (!err)
		err = put_list(key, o->hardware, o->nr_hardware);
	if (!err)
		err = put_list(key, o->software, o->nr_software);
	return err ? err : put_list(key, o->cache, o->nr_cache);
}

static int make_keys(struct exporter_parts *p, const struct exporter_opts *o)
{
	int err = buf__puts(&p->listen_key, o->listen);

	if (!err)
		err = put_node_key(&p->node_key, &o->node_perf);
	if (!err)
		err = buf__printf(&p->task_key, "%s|%zu|", o->by ? o->by : "", o->max_series);
	if (!err)
		err = buf__printf(&p->task_key, "%d|", o->max_overhead > 0);
	return err ? err : put_list(&p->task_key, o->events, o->nr_events);
}

static void free_keys(struct exporter_parts *p)
{
	buf__free(&p->listen_key);
	buf__free(&p->node_key);
	buf__free(&p->task_key);
}

static bool are_same(const struct buf *a, const struct buf *b)
{
	return a->data && b->data && !strcmp(a->data, b->data);
}

static int open_tasks(struct exporter_parts *p, const struct exporter_opts *o, struct buf *why)
{
	struct task_metrics_opts tasks = { .events = &p->events,
					   .max_series = o->max_series,
					   .measures_all = o->max_overhead > 0 };
	int err = parse_tasks(o, &tasks, &p->events, why);

	return err || !o->by ? err : task_metrics__open(&p->tasks, &tasks, why);
}

static void close_tasks(struct exporter_parts *p)
{
	task_metrics__close(p->tasks);
	perf_events__free(&p->events);
}

/* The parts that @old does not have as they are to be. */
static int open_parts(struct exporter *e, struct exporter_parts *p, const struct exporter_opts *o,
		      struct buf *why)
{
	const struct exporter_parts *old = &e->parts;
	int err = make_keys(p, o);

	p->profiles = o->profiles;
	if (!err && !are_same(&p->listen_key, &old->listen_key))
		err = http_server__open(&p->server, o->listen, old->server, exporter__answer, e,
					why);
	if (!err && !are_same(&p->task_key, &old->task_key))
		err = open_tasks(p, o, why);
	if (!err && !are_same(&p->node_key, &old->node_key))
		err = node_perf__open(&p->node_perf, &o->node_perf, why);
	return err;
}

static void close_parts(struct exporter_parts *p)
{
	http_server__close(p->server);
	node_perf__close(p->node_perf);
	close_tasks(p);
	free_keys(p);
}

/* What was not opened anew moves to @p; then all that is left in the old ones is closed. */
static void replace_parts(struct exporter *e, struct exporter_parts *p)
{
	struct exporter_parts *old = &e->parts;

	if (!p->server) {
		p->server = old->server;
		old->server = NULL;
	} else {
		e->profiled = 0;
	}
	if (!p->node_perf) {
		p->node_perf = old->node_perf;
		old->node_perf = NULL;
	}
	if (are_same(&p->task_key, &old->task_key)) {
		p->tasks = old->tasks;
		p->events = old->events;
		old->tasks = NULL;
		old->events = (struct perf_events){};
	}
	close_parts(old);
	*old = *p;
}

static int watch_server(struct exporter *e, const struct http_server *server)
{
	struct epoll_event event = { .events = EPOLLIN };

	/* One that is closed leaves by itself. */
	return epoll_ctl(e->epoll, EPOLL_CTL_ADD, http_server__fd(server), &event) ? -errno : 0;
}

/* All is measured again at first: there may be more, or less. */
static int set_thrift(struct exporter *e, double share)
{
	int err = 0;

	if (e->thrift && share != e->max_overhead) {
		export_thrift__free(e->thrift);
		e->thrift = NULL;
	}
	e->max_overhead = share;
	if (share <= 0)
		probe_metrics__limit(e->probes, SIZE_MAX);
	if (share > 0 && !e->thrift)
		err = export_thrift__new(&e->thrift, share);
	return err || !e->thrift ? err : export_thrift__watch(e->thrift, e->parts.tasks, e->probes);
}

static int measure_lines(struct exporter *e, bool wanted)
{
	if (wanted && !e->max_overhead && e->why_not.len)
		log__notice("--max-overhead: BPF time of lines is not counted: %s",
			    e->why_not.data);
	return probe_metrics__measure_cost(e->probes, wanted && e->can_measure);
}

int exporter__set(struct exporter *e, const struct exporter_opts *opts, struct buf *why)
{
	struct exporter_parts parts = {};
	int err = 0;

	if (opts->profiles && !e->profiler)
		err = why__refuse(why, -EINVAL,
				  "profiles: that takes a restart: who takes them "
				  "has to be started before privileges are dropped");
	if (!err)
		err = open_parts(e, &parts, opts, why);
	if (!err && parts.server)
		err = watch_server(e, parts.server);
	if (!err)
		err = measure_lines(e, opts->max_overhead > 0);
	if (!err)
		err = probe_metrics__set(e->probes, opts->lines, opts->nr_lines,
					 opts->configuration, opts->max_series);
	if (err) {
		close_parts(&parts);
		return err;
	}
	if (e->thrift)
		export_thrift__leave(e->thrift);
	replace_parts(e, &parts);
	return set_thrift(e, opts->max_overhead);
}

/* Lines have programs that do not measure themselves; later there are no privileges to try. */
static bool can_measure(const struct probe_starter *starter, struct buf *why)
{
	int fd;

	if (!starter || run_time__measure(&fd, why))
		return false;
	close(fd);
	return true;
}

int exporter__open(struct exporter **out, const struct exporter_opts *opts,
		   struct profiler *profiler, struct probe_starter *starter, struct buf *why)
{
	struct exporter *e = calloc(1, sizeof(*e));
	int err;

	*out = NULL;
	if (!e)
		return -ENOMEM;
	e->profiler = profiler;
	own_metrics__begin(&e->own);
	e->can_measure = can_measure(starter, &e->why_not);
	e->epoll = epoll_create1(EPOLL_CLOEXEC);
	err = e->epoll < 0 ? -errno : probe_metrics__new(&e->probes, starter);
	if (!err)
		err = exporter__set(e, opts, why);
	if (err) {
		exporter__close(e);
		return err;
	}
	*out = e;
	return 0;
}

void exporter__close(struct exporter *e)
{
	if (!e)
		return;
	export_thrift__free(e->thrift);
	close_parts(&e->parts);
	probe_metrics__free(e->probes);
	buf__free(&e->why_not);
	if (e->epoll >= 0)
		close(e->epoll);
	free(e);
}

void exporter__note_reload(struct exporter *e, bool is_in_use)
{
	e->has_reloaded = true;
	e->is_in_use = is_in_use;
	if (is_in_use)
		e->reloaded_s = (double)clock__wall_ns() / 1e9;
}

const char *exporter__address(const struct exporter *e)
{
	return http_server__address(e->parts.server);
}

bool exporter__is_local(const struct exporter *e)
{
	return http_server__is_local(e->parts.server);
}

/* Looks come before answers: they may be seconds late, where other programs had the CPUs. */
int exporter__poll(struct exporter *e, struct buf *why)
{
	int err = probe_metrics__poll(e->probes);

	if (err == -EPIPE && !why->len)
		return why__refuse(why, err, "the process that starts probes has ended");
	if (!err && e->parts.tasks)
		err = task_metrics__poll(e->parts.tasks);
	if (!err && e->thrift)
		err = export_thrift__poll(e->thrift);
	if (!err)
		err = http_server__run(e->parts.server);
	if (!err && e->profiler)
		err = exporter__end_profile(e, why);
	if (err || clock__now_ns() - e->polled_ns < POLL_MS * 1000000ull)
		return err;
	e->polled_ns = clock__now_ns();
	return node_perf__poll(e->parts.node_perf);
}

unsigned exporter__patience_ms(const struct exporter *e)
{
	const int server_ms = http_server__patience_ms(e->parts.server);
	unsigned ms = probe_metrics__patience_ms(e->probes);
	unsigned tasks_ms = e->parts.tasks ? task_metrics__patience_ms(e->parts.tasks) : POLL_MS;

	if (tasks_ms < ms)
		ms = tasks_ms;
	if (e->thrift && export_thrift__patience_ms(e->thrift) < ms)
		ms = export_thrift__patience_ms(e->thrift);
	return server_ms >= 0 && server_ms < (int)ms ? (unsigned)server_ms : ms;
}

size_t exporter__pollfds(const struct exporter *e, struct pollfd *fds, size_t max)
{
	const int all[] = { e->epoll, probe_metrics__fd(e->probes),
			    e->profiler ? profiler__fd(e->profiler) : -1 };
	const size_t nr = ARRAY_SIZE(all) - !e->profiler;

	for (size_t i = 0; i < nr && i < max; i++)
		fds[i] = (struct pollfd){ .fd = all[i], .events = POLLIN };
	return nr;
}
