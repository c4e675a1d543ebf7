// SPDX-License-Identifier: BSD-2-Clause
/* What an exporter answers at which path: metrics, profiles, that it is there. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/why.h"
#include "serve/export_thrift.h"
#include "serve/exporter_state.h"
#include "serve/exposition.h"
#include "serve/http_server.h"
#include "serve/profiler.h"
#include "serve/task_metrics.h"

static int put_metrics(struct exporter *e, const struct http_request *request,
		       struct http_answer *a)
{
	struct exposition x = { .out = &a->body,
				.open_metrics = exposition__wants_open_metrics(request->accept) };
	const uint64_t begin_ns = clock__now_ns();
	struct task_metrics *tasks = e->parts.tasks;
	int err = node_perf__collect(e->parts.node_perf, &x);

	if (!err && tasks)
		err = task_metrics__collect(tasks, &x);
	probe_metrics__put(e->probes, &x);
	if (e->has_reloaded) {
		exposition__gauge(&x, "pmutrace_config_last_reload_successful",
				  "Whether the configuration that was read last is in use",
				  e->is_in_use);
		exposition__family(&x, "pmutrace_config_last_reload_success_timestamp_seconds",
				   METRIC_GAUGE, "When the configuration that is in use was read");
		exposition__double(&x, e->reloaded_s);
	}
	if (e->thrift)
		export_thrift__put(e->thrift, &x);
	own_metrics__put(&e->own, &x);
	if (!err)
		err = exposition__end(&x);
	if (!err && !request->is_head) {
		if (tasks)
			task_metrics__are_read(tasks);
		probe_metrics__are_read(e->probes);
	}
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

	if (!e->parts.profiles)
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

int exporter__end_profile(struct exporter *e, struct buf *why)
{
	struct http_answer a = { .status = 200, .type = "application/octet-stream" };
	struct profile_answer answer;
	int err = profiler__take(e->profiler, &answer);

	if (err == -EAGAIN)
		return 0;
	if (err)
		return why__refuse(why, err, "the process that takes profiles has ended");
	if (!answer.status) {
		a.body = answer.profile;
		a.is_packed = true;
	} else {
		/* Of pmutrace's exit statuses 2 is that of wrong words. */
		a.status = answer.status == 2 ? 400 : 500;
		a.type = "text/plain; charset=utf-8";
		a.body = answer.why;
	}
	http_server__answer(e->parts.server, e->profiled, &a);
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

int exporter__answer(void *arg, const struct http_request *request, struct http_answer *a)
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
