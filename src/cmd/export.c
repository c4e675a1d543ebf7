// SPDX-License-Identifier: BSD-2-Clause
/* export: counts of this machine over HTTP, as Prometheus asks for them. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/privileges.h"
#include "base/why.h"
#include "cmd/cmd.h"
#include "cmd/measuring.h"
#include "object/bpf.h"
#include "run/runloop.h"
#include "serve/exposition.h"
#include "serve/http_server.h"
#include "serve/node_perf.h"
#include "serve/own_metrics.h"
#include "serve/profiler.h"
#include "serve/task_metrics.h"

enum { POLL_MS = 1000 };

struct export_opts {
	const char *listen, *cpus;
	struct opt_strs tracepoints, hardware, software, cache, events;
	const char *by;
	uint32_t series;
	bool no_hardware, no_software, no_cache, profiles, quiet, verbose;
};

struct exporter {
	struct node_perf *node_perf;
	struct task_metrics *tasks; /* NULL: they are not asked for */
	struct perf_events events;  /* of theirs */
	struct profiler *profiler;  /* NULL: likewise */
	uint64_t profiled;	    /* number of the request that waits for it; 0: none */
	struct http_server *server;
	struct runloop *loop;
	struct own_metrics own;
	uint64_t polled_ns;
	struct buf why;
};

#define AT(member) offsetof(struct export_opts, member)

static const struct export_opts defaults = { .listen = "127.0.0.1:9870",
					     .series = TASK_METRICS_SERIES };

static const struct opt opts_table[] = {
	{ OPT_HEAD, .help = "Where" },
	{ OPT_STR, 0, "listen", "ADDRESS", AT(listen),
	  "127.0.0.1:9870, [::1]:9870, or :9870 for all addresses" },
	{ OPT_BOOL, 0, "profiles", NULL, AT(profiles),
	  "/debug/pprof/profile, too: stacks of all programs for who asks" },
	{ OPT_HEAD, .help = "Metrics node_perf_*, as node_exporter has them (all that there are)" },
	{ OPT_STR, 0, "collector.perf.cpus", "LIST", AT(cpus), "on these: 2-6, 1-10:5" },
	{ OPT_STRS, 0, "collector.perf.tracepoint", "S:E", AT(tracepoints),
	  "of a tracepoint, too: sched:sched_switch" },
	{ OPT_STRS, 0, "collector.perf.hardware-profilers", "NAME", AT(hardware),
	  "of hardware events these: CpuCycles" },
	{ OPT_STRS, 0, "collector.perf.software-profilers", "NAME", AT(software),
	  "of software events these: PageFault" },
	{ OPT_STRS, 0, "collector.perf.cache-profilers", "NAME", AT(cache),
	  "of caches these: LLReadMiss" },
	{ OPT_BOOL, 0, "collector.perf.disable-hardware-profilers", NULL, AT(no_hardware),
	  "no hardware events" },
	{ OPT_BOOL, 0, "collector.perf.disable-software-profilers", NULL, AT(no_software),
	  "no software events" },
	{ OPT_BOOL, 0, "collector.perf.disable-cache-profilers", NULL, AT(no_cache), "no caches" },
	{ OPT_HEAD, .help = "Metrics pmutrace_cgroup_*, pmutrace_process_*: what these use" },
	{ OPT_STR, 0, "by", "LIST", AT(by),
	  "cgroup, process: CPU time and context switches of each" },
	{ OPT_STRS, 'e', "events", "EV,..", AT(events), "and these events" },
	{ OPT_U32, 0, "series", "N", AT(series),
	  "for the N that use most, the rest is one, \"other\" (100)" },
	{ OPT_HEAD, .help = "Output" },
	{ OPT_BOOL, 'q', "quiet", NULL, AT(quiet), "no notices" },
	{ OPT_BOOL, 'v', "verbose", NULL, AT(verbose), "what happens inside" },
	{ .type = OPT_END },
};

static int put_metrics(struct exporter *e, const struct http_request *request,
		       struct http_answer *a)
{
	struct exposition x = { .out = &a->body,
				.open_metrics = exposition__wants_open_metrics(request->accept) };
	const uint64_t begin_ns = clock__now_ns();
	int err = node_perf__collect(e->node_perf, &x);

	if (!err && e->tasks)
		err = task_metrics__collect(e->tasks, &x);
	own_metrics__put(&e->own, &x);
	if (!err)
		err = exposition__end(&x);
	if (!err && e->tasks && !request->is_head)
		task_metrics__are_read(e->tasks);
	a->type = x.open_metrics ? EXPOSITION_OPEN_TYPE : EXPOSITION_TEXT_TYPE;
	e->own.nr_scrapes++;
	e->own.scrape_ns += clock__now_ns() - begin_ns;
	return err;
}

static int refuse(struct http_answer *a, unsigned status, const char *why)
{
	a->status = status;
	return buf__printf(&a->body, "%s\n", why);
}

/* As net/http/pprof of Go answers it, for the whole machine: `go tool pprof URL`. */
static int begin_profile(struct exporter *e, const struct http_request *request,
			 struct http_answer *a)
{
	struct profile_wish wish;
	struct buf why = {};
	int err;

	if (!e->profiler)
		return refuse(a, 404, "there are no profiles: pmutrace export --profiles");
	err = profile_wish__parse(&wish, http_request__query(request, "seconds"),
				  http_request__query(request, "rate"),
				  http_request__query(request, "event"),
				  http_request__query(request, "pid"), &why);
	if (err == -EINVAL)
		err = refuse(a, 400, why.data);
	else if (!err && !request->is_head) {
		err = profiler__ask(e->profiler, &wish);
		if (!err) {
			e->profiled = request->number;
			err = HTTP_LATER;
		} else if (err == -EBUSY) {
			err = refuse(a, 503, "another profile is being taken: ask again later");
		}
	}
	buf__free(&why);
	return err;
}

static int end_profile(struct exporter *e)
{
	struct http_answer a = { .status = 200, .type = "application/octet-stream" };
	struct profile_answer answer;
	int err = profiler__take(e->profiler, &answer);

	if (err == -EAGAIN)
		return 0;
	if (err)
		return why__refuse(&e->why, err, "the process that takes profiles has ended");
	if (!answer.status) {
		a.body = answer.profile;
		a.is_packed = true;
	} else {
		a.status = answer.status == PMUTRACE_USAGE ? 400 : 500;
		a.type = "text/plain; charset=utf-8";
		a.body = answer.why;
	}
	http_server__answer(e->server, e->profiled, &a);
	e->profiled = 0;
	return 0;
}

static int put_index(struct http_answer *a)
{
	a->type = "text/html; charset=utf-8";
	return buf__puts(&a->body,
			 "<!DOCTYPE html><html lang=\"en\"><title>pmutrace export</title>"
			 "<h1>pmutrace export</h1><ul>"
			 "<li><a href=\"metrics\">/metrics</a>: counts, for Prometheus"
			 "<li><a href=\"healthz\">/healthz</a>, <a href=\"-/ready\">/-/ready</a>: "
			 "it answers"
			 "<li><a href=\"debug/pprof/profile?seconds=5\">/debug/pprof/profile</a>: "
			 "where the time goes, for go tool pprof (--profiles)"
			 "</ul></html>\n");
}

static int handle(void *arg, const struct http_request *request, struct http_answer *a)
{
	struct exporter *e = arg;

	if (!strcmp(request->path, "/metrics"))
		return put_metrics(e, request, a);
	if (!strcmp(request->path, "/healthz") || !strcmp(request->path, "/-/ready") ||
	    !strcmp(request->path, "/-/healthy"))
		return buf__puts(&a->body, "ok\n");
	if (!strcmp(request->path, "/debug/pprof/profile"))
		return begin_profile(e, request, a);
	if (!strcmp(request->path, "/"))
		return put_index(a);
	a->status = 404;
	return buf__puts(&a->body, "there is /metrics, /healthz and /-/ready\n");
}

static int poll_all(void *arg)
{
	struct exporter *e = arg;
	int err = http_server__run(e->server);

	if (!err && e->profiler)
		err = end_profile(e);
	if (!err && e->tasks)
		err = task_metrics__poll(e->tasks);
	if (err || clock__now_ns() - e->polled_ns < POLL_MS * 1000000ull)
		return err;
	e->polled_ns = clock__now_ns();
	return node_perf__poll(e->node_perf);
}

static unsigned patience_ms(void *arg)
{
	const struct exporter *e = arg;
	const int server_ms = http_server__patience_ms(e->server);
	unsigned ms = e->tasks ? task_metrics__patience_ms(e->tasks) : POLL_MS;

	return server_ms >= 0 && server_ms < (int)ms ? (unsigned)server_ms : ms;
}

static size_t pollfds(void *arg, struct pollfd *fds, size_t max)
{
	const struct exporter *e = arg;
	const int all[] = { http_server__fd(e->server),
			    e->profiler ? profiler__fd(e->profiler) : -1 };
	const size_t nr = e->profiler ? 2 : 1;

	for (size_t i = 0; i < nr && i < max; i++)
		fds[i] = (struct pollfd){ .fd = all[i], .events = POLLIN };
	return nr;
}

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

static int open_tasks(struct exporter *e, const struct export_opts *o)
{
	struct task_metrics_opts tasks = { .events = &e->events, .max_series = o->series };
	int err = 0;

	if (!o->by)
		return o->events.nr ? why__refuse(&e->why, -EINVAL,
						  "-e: of what? say --by cgroup, --by process, or "
						  "both")
				    : 0;
	err = parse_by(o->by, &tasks, &e->why);
	for (size_t i = 0; i < o->events.nr && !err; i++)
		err = perf_events__parse(&e->events, NULL, o->events.items[i], &e->why);
	return err ? err : task_metrics__open(&e->tasks, &tasks, &e->why);
}

static int open_all(struct exporter *e, const struct export_opts *o)
{
	const struct node_perf_opts perf = {
		.cpus = o->cpus,
		.tracepoints = o->tracepoints.items,
		.nr_tracepoints = o->tracepoints.nr,
		.hardware = o->hardware.items,
		.nr_hardware = o->hardware.nr,
		.software = o->software.items,
		.nr_software = o->software.nr,
		.cache = o->cache.items,
		.nr_cache = o->cache.nr,
		.no_hardware = o->no_hardware,
		.no_software = o->no_software,
		.no_cache = o->no_cache,
	};
	const struct target everything = {};
	const struct runloop_opts loop = { .target = &everything, .keeps_priority = true };
	int err = o->profiles ? profiler__open(&e->profiler) : 0;

	if (!err)
		err = http_server__open(&e->server, o->listen, handle, e, &e->why);
	if (!err)
		err = runloop__open(&e->loop, &loop);
	if (!err)
		err = open_tasks(e, o);
	return err ? err : node_perf__open(&e->node_perf, &perf, &e->why);
}

/* Until a signal ends it. */
static int serve(struct exporter *e)
{
	const struct runloop_work work = { poll_all, patience_ms, pollfds, NULL, e };

	own_metrics__begin(&e->own);
	/* Whoever does not wait for an answer is no reason to end. */
	signal(SIGPIPE, SIG_IGN);
	if (http_server__is_local(e->server))
		log__notice("metrics at http://%s/metrics, for this machine alone; others: "
			    "--listen :9870",
			    http_server__address(e->server));
	else
		log__notice("metrics at http://%s/metrics, for everybody who can reach that",
			    http_server__address(e->server));
	return measure_within(e->loop, e->tasks ? PRIVILEGES_EXPORT_TASKS : PRIVILEGES_EXPORT,
			      &work);
}

static int run(void *opts, const struct cmd_words *words)
{
	struct export_opts *o = opts;
	struct exporter e = {};
	int err;

	log_to_stderr(o->quiet, o->verbose);
	bpf__log_debug();
	if (words->nr || words->command)
		err = why__refuse(&e.why, -EINVAL, "export: what is '%s'? it takes options alone",
				  words->nr ? words->word[0] : "--");
	else
		err = open_all(&e, o);
	if (!err)
		err = serve(&e);
	if (err)
		err = complain_why(err, &e.why);
	http_server__close(e.server);
	profiler__close(e.profiler);
	node_perf__close(e.node_perf);
	task_metrics__close(e.tasks);
	perf_events__free(&e.events);
	if (e.loop)
		runloop__close(e.loop);
	free((void *)o->tracepoints.items);
	free((void *)o->hardware.items);
	free((void *)o->software.items);
	free((void *)o->cache.items);
	free((void *)o->events.items);
	buf__free(&e.why);
	return err;
}

const struct cmd cmd_export = {
	.name = "export",
	.args = "",
	.summary = "counts of this machine over HTTP, for Prometheus",
	.examples =
		"  pmutrace export                              http://127.0.0.1:9870/metrics\n"
		"  pmutrace export --listen :9870               for a Prometheus elsewhere\n"
		"  pmutrace export --by cgroup -e cycles,instructions    what containers use, too\n"
		"  pmutrace export --collector.perf.cpus 0-3 --collector.perf.tracepoint "
		"sched:sched_switch\n",
	.opts = opts_table,
	.defaults = &defaults,
	.opts_size = sizeof(struct export_opts),
	.run = run,
};
