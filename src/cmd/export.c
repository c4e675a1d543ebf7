// SPDX-License-Identifier: BSD-2-Clause
/* export: counts of this machine over HTTP, as Prometheus asks for them. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/privileges.h"
#include "base/why.h"
#include "cmd/cmd.h"
#include "cmd/export_options.h"
#include "cmd/measuring.h"
#include "object/bpf.h"
#include "run/runloop.h"
#include "serve/probe_starter.h"
#include "serve/profiler.h"

static const struct export_opts defaults = {};

/* Everything of one run; freed together. */
struct export_run {
	const struct export_opts *given;
	struct export_settings settings; /* in use */
	struct exporter *exporter;
	struct profiler *profiler;     /* NULL: no profiles */
	struct probe_starter *starter; /* NULL: there is no file */
	struct runloop *loop;
	unsigned nr_asked; /* for the file to be read again */
	bool is_reading;
	uint32_t configuration; /* the one in use */
	struct buf why;
};

static int read_settings(struct export_run *r)
{
	struct buf bytes = {};
	int err = 0;

	if (r->given->check_config && !r->given->config)
		return why__refuse(&r->why, -EINVAL,
				   "--check-config: of which file? say --config "
				   "FILE");
	if (r->given->config)
		err = config__read(&bytes, r->given->config, &r->why);
	if (!err)
		err = export_settings__make(&r->settings, r->given,
					    r->given->config ? &bytes : NULL, &r->why);
	buf__free(&bytes);
	return err;
}

/* Those that keep their privileges are started first, while there is one thread. */
static int open_all(struct export_run *r)
{
	const struct target everything = {};
	const struct runloop_opts loop = { .target = &everything,
					   .keeps_priority = true,
					   .hangup_asks = r->given->config };
	struct exporter_opts opts = r->settings.exporter;
	int err = 0;

	r->configuration = opts.configuration = 1;
	if (opts.profiles)
		err = profiler__open(&r->profiler);
	if (!err && r->given->config)
		err = probe_starter__open(&r->starter, r->given->config, &r->settings.config);
	if (!err)
		err = runloop__open(&r->loop, &loop);
	if (!err)
		err = exporter__open(&r->exporter, &opts, r->profiler, r->starter, &r->why);
	if (!err && r->given->config)
		exporter__note_reload(r->exporter, true);
	return err;
}

static void tell_address(const struct export_run *r)
{
	if (exporter__is_local(r->exporter))
		log__notice("metrics at http://%s/metrics, for this machine alone; others: "
			    "--listen :9870",
			    exporter__address(r->exporter));
	else
		log__notice("metrics at http://%s/metrics, for everybody who can reach that",
			    exporter__address(r->exporter));
}

/* A file that was read and parses: from here on it is that, or nothing is changed. */
static int use_settings(struct export_run *r, uint32_t configuration, const struct buf *bytes,
			struct buf *why)
{
	struct export_settings settings = {};
	int err = export_settings__make(&settings, r->given, bytes, why);
	bool moves;

	settings.exporter.configuration = configuration;
	if (!err)
		err = exporter__set(r->exporter, &settings.exporter, why);
	if (err) {
		export_settings__free(&settings);
		return err;
	}
	moves = strcmp(settings.exporter.listen, r->settings.exporter.listen);
	export_settings__free(&r->settings);
	r->settings = settings;
	r->configuration = configuration;
	if (moves)
		tell_address(r);
	return 0;
}

static int take_config(struct export_run *r)
{
	struct buf bytes = {}, why = {};
	uint32_t configuration;
	int err = probe_starter__take(r->starter, &configuration, &bytes, &why);

	if (err == -EAGAIN)
		return 0;
	r->is_reading = false;
	if (!err)
		err = use_settings(r, configuration, &bytes, &why);
	if (err == -EPIPE)
		return why__refuse(&r->why, err, "the process that starts probes has ended");
	if (err)
		log__notice("the configuration stays as it was: %s",
			    why.len ? why.data : strerror(-err));
	else
		log__notice("%s was read again, and is in use", r->given->config);
	exporter__note_reload(r->exporter, !err);
	buf__free(&bytes);
	buf__free(&why);
	return 0;
}

/* What comes while it is read is heeded when that is done: it may have been written meanwhile. */
static int reload(struct export_run *r)
{
	int err = r->starter ? take_config(r) : 0;

	if (err || r->is_reading || r->nr_asked == runloop__asked(r->loop))
		return err;
	r->nr_asked = runloop__asked(r->loop);
	r->is_reading = true;
	return probe_starter__reread(r->starter, r->configuration);
}

static int poll_all(void *arg)
{
	struct export_run *r = arg;
	int err = reload(r);

	return err ? err : exporter__poll(r->exporter, &r->why);
}

static unsigned patience_ms(void *arg)
{
	const struct export_run *r = arg;

	return exporter__patience_ms(r->exporter);
}

static size_t pollfds(void *arg, struct pollfd *fds, size_t max)
{
	const struct export_run *r = arg;
	const size_t nr = exporter__pollfds(r->exporter, fds, max);

	if (!r->starter)
		return nr;
	if (nr < max)
		fds[nr] = (struct pollfd){ .fd = probe_starter__fd(r->starter), .events = POLLIN };
	return nr + 1;
}

/* Until a signal ends it. */
static int serve(struct export_run *r)
{
	const struct runloop_work work = { poll_all, patience_ms, pollfds, NULL, r };
	const bool has_tasks = r->settings.exporter.by || r->given->config;

	/* Whoever does not wait for an answer is no reason to end. */
	signal(SIGPIPE, SIG_IGN);
	tell_address(r);
	return measure_within(r->loop, has_tasks ? PRIVILEGES_EXPORT_TASKS : PRIVILEGES_EXPORT,
			      &work);
}

static int tell_check(const struct export_run *r)
{
	printf("%s is good: %zu options, %zu metrics\n", r->given->config,
	       r->settings.config.nr_settings, r->settings.config.nr_lines);
	return 0;
}

static int run(void *opts, const struct cmd_words *words)
{
	struct export_opts *o = opts;
	struct export_run r = { .given = o };
	int err = 0;

	log_to_stderr(o->quiet, o->verbose);
	bpf__log_debug();
	if (words->nr || words->command)
		err = why__refuse(&r.why, -EINVAL, "export: what is '%s'? it takes options alone",
				  words->nr ? words->word[0] : "--");
	if (!err)
		err = read_settings(&r);
	if (!err && o->check_config) {
		err = tell_check(&r);
	} else {
		if (!err)
			err = open_all(&r);
		if (!err)
			err = serve(&r);
	}
	if (err)
		err = complain_why(err, &r.why);
	exporter__close(r.exporter);
	profiler__close(r.profiler);
	probe_starter__close(r.starter);
	if (r.loop)
		runloop__close(r.loop);
	export_settings__free(&r.settings);
	export_opts__free(o);
	buf__free(&r.why);
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
		"  pmutrace export --config /etc/pmutrace.yaml  and what lines of it count\n"
		"  pmutrace export --collector.perf.cpus 0-3 --collector.perf.tracepoint "
		"sched:sched_switch\n",
	.opts = export_options,
	.defaults = &defaults,
	.opts_size = sizeof(struct export_opts),
	.run = run,
};
