// SPDX-License-Identifier: BSD-2-Clause
/* profile: samples events by task and stack; shows functions, folded stacks, a flame graph. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/why.h"
#include "cmd/cmd.h"
#include "cmd/events.h"
#include "cmd/naming.h"
#include "cmd/outputs.h"
#include "cmd/results.h"
#include "cmd/targets.h"
#include "collect/collector.h"
#include "machine/target.h"
#include "model/profile.h"
#include "plan/within_plan.h"
#include "print/csv.h"
#include "print/flame/svg.h"
#include "print/folded.h"
#include "print/profile_json.h"
#include "print/table.h"
#include "probe/bpf.h"
#include "run/command.h"
#include "run/runloop.h"

struct profile_opts {
	struct event_opts events;
	struct target_opts target;
	bool force, idle, kernel_only, user_only, no_stacks, no_demangle;
	const char *by, *format, *event, *title, *within;
	uint32_t max_stack, max_stacks, rows;
	uint64_t duration_ns, max_memory;
	struct opt_strs files;
	bool json, csv, reverse, icicle, strict, quiet, verbose;
};

static const struct profile_opts defaults = {
	.max_stack = 127,
	.by = "comm,pid",
};

#define AT(member) offsetof(struct profile_opts, member)

static const struct opt opts_table[] = {
	EVENT_OPTIONS(struct profile_opts, events),
	TARGET_OPTIONS(struct profile_opts, target),
	{ OPT_STR, 0, "within", "FUNCTION", AT(within), "only inside of it: libc:qsort, vfs_read" },
	{ OPT_BOOL, 0, "force", NULL, AT(force), "its return probe even where it breaks programs" },
	{ OPT_BOOL, 0, "idle", NULL, AT(idle), "samples of idle CPUs too" },
	{ OPT_HEAD, .help = "Stacks" },
	{ OPT_BOOL, 'K', "kernel", NULL, AT(kernel_only), "kernel frames only" },
	{ OPT_BOOL, 'U', "user", NULL, AT(user_only), "user frames only" },
	{ OPT_BOOL, 0, "no-stacks", NULL, AT(no_stacks), "only who, not where" },
	{ OPT_U32, 0, "max-stack", "N", AT(max_stack), "frames kept, kernel and user each (127)" },
	{ OPT_U32, 0, "stacks", "N", AT(max_stacks), "room for distinct stacks, per CPU" },
	{ OPT_COUNT, 0, "max-memory", "SIZE", AT(max_memory),
	  "for the result: what is new beyond is lost (1G)" },
	{ OPT_STR, 0, "by", "LIST", AT(by), "of comm,pid,tid,cpu,cgroup (comm,pid)" },
	{ OPT_BOOL, 0, "no-demangle", NULL, AT(no_demangle),
	  "C++, Rust, D names as linkers know them" },
	{ OPT_HEAD, .help = "Length (default: until Ctrl-C or the target's end)" },
	{ OPT_TIME, 0, "duration", "SECS", AT(duration_ns), "or as the last word: profile 5" },
	{ OPT_HEAD, .help = "Output" },
	{ OPT_STRS, 'o', "output", "FILE", AT(files), "write here, format by ending; '-': stdout" },
	{ OPT_STR, 'f', "format", "FMT", AT(format), "table, folded, svg, json or csv" },
	{ OPT_BOOL, 0, "json", NULL, AT(json), "-f json" },
	{ OPT_BOOL, 0, "csv", NULL, AT(csv), "-f csv" },
	{ OPT_MOST, 0, "rows", "N", AT(rows), "functions in the table, or all (20)" },
	{ OPT_STR, 0, "event", "NAME", AT(event), "which event folded and svg show" },
	{ OPT_BOOL, 0, "reverse", NULL, AT(reverse), "svg: merge from the innermost frame" },
	{ OPT_BOOL, 0, "icicle", NULL, AT(icicle), "svg: the root on top" },
	{ OPT_STR, 0, "title", "TEXT", AT(title), "svg: headline" },
	{ OPT_BOOL, 0, "strict", NULL, AT(strict), "exit 3 if anything was lost or multiplexed" },
	{ OPT_BOOL, 'q', "quiet", NULL, AT(quiet), "no notices" },
	{ OPT_BOOL, 'v', "verbose", NULL, AT(verbose), "what happens inside" },
	{ .type = OPT_END },
};

/* Everything of one run; freed together. */
struct run {
	const struct profile_opts *opts;
	struct target target;
	struct perf_events events;
	unsigned by;
	struct outputs outputs;
	struct command *command;
	struct within_plan *inside;
	struct collector *collector;
	struct runloop *loop;
	struct buf why;
	uint32_t event; /* that folded and svg show */
	bool progress_shown;
};

static int parse_by(struct run *r)
{
	static const struct {
		const char *name;
		unsigned bit;
	} keys[] = { { "comm", BY_COMM },
		     { "pid", BY_PID },
		     { "tid", BY_TID },
		     { "cpu", BY_CPU },
		     { "cgroup", BY_CGROUP } };
	const char *s = r->opts->by;
	size_t len, i;

	for (;; s += len + 1) {
		len = strcspn(s, ",");
		for (i = 0; i < ARRAY_SIZE(keys); i++)
			if (strlen(keys[i].name) == len && !strncmp(keys[i].name, s, len))
				break;
		if (i == ARRAY_SIZE(keys)) {
			return why__refuse(
				&r->why, -EINVAL,
				"--by: unknown key '%.*s'; known: comm pid tid cpu cgroup",
				(int)len, s);
		}
		r->by |= keys[i].bit;
		if (!s[len])
			break;
	}
	if (!r->opts->no_stacks && !r->opts->user_only)
		r->by |= BY_KSTACK;
	if (!r->opts->no_stacks && !r->opts->kernel_only)
		r->by |= BY_USTACK;
	return 0;
}

static int choose_shown_event(struct run *r)
{
	const char *names[SAMPLE_EVENTS];

	for (size_t i = 0; i < r->events.nr; i++)
		names[i] = r->events.items[i].name;
	return results__choose_event(r->opts->event, names, r->events.nr, &r->event, &r->why);
}

static int open_collector(struct run *r)
{
	struct sampler_opts sampler = {
		.events = r->events.items,
		.nr_events = r->events.nr,
		.target = &r->target,
		.idle = r->opts->idle,
		.max_stack = r->opts->max_stack,
		.max_stacks = r->opts->max_stacks,
		.command = r->target.command ? command__pid(r->command) : 0,
		.within_fd = within_plan__fd(r->inside),
	};
	struct collector_opts opts = {
		.sampler = &sampler,
		.by = r->by,
		.demangle = !r->opts->no_demangle,
		.max_bytes = r->opts->max_memory,
	};

	return collector__open(&r->collector, &opts, &r->why);
}

static void announce(const struct run *r, uint64_t duration_ns)
{
	struct buf names = {};
	char length[64] = "until Ctrl-C";

	for (size_t i = 0; i < r->events.nr; i++) {
		const struct perf_event_spec *ev = &r->events.items[i];

		if (buf__printf(&names, "%s%s %s%llu%s", i ? ", " : "", ev->name,
				ev->hz ? "at " : "every ",
				(unsigned long long)(ev->hz ? ev->hz : ev->period),
				ev->hz ? " Hz" : ""))
			break;
	}
	if (duration_ns)
		snprintf(length, sizeof(length), "for %.3g s", duration_ns / 1e9);
	else if (r->command)
		snprintf(length, sizeof(length), "until the command ends");
	if (r->by & BY_USTACK && target__in_pid_namespace())
		log__notice("inside a PID namespace: programs' functions have no names; use the "
			    "host's (--pid=host)");
	log__notice("sampling %s on %zu CPU%s %s", names.data ? names.data : "", r->target.nr_cpus,
		    r->target.nr_cpus == 1 ? "" : "s", length);
	buf__free(&names);
}

static void show_progress(void *arg, uint64_t elapsed_ns, uint64_t samples)
{
	struct run *r = arg;

	fprintf(stderr, "\r%.1f s, %llu samples \b", elapsed_ns / 1e9, (unsigned long long)samples);
	r->progress_shown = true;
}

static int measure(struct run *r, uint64_t duration_ns)
{
	bool terminal = isatty(STDERR_FILENO) && !r->opts->quiet && !r->opts->verbose;
	struct runloop_opts loop = {
		.duration_ns = duration_ns,
		.target = &r->target,
		.command = r->command,
		.progress = terminal ? show_progress : NULL,
		.arg = r,
	};
	struct runloop_work work = collector__work(r->collector);
	int err = runloop__open(&r->loop, &loop);

	if (!err)
		err = collector__start(r->collector);
	if (!err && r->command)
		err = command__release(r->command, &r->why);
	if (!err)
		err = runloop__run(r->loop, &work);
	if (r->progress_shown)
		fputs("\r\033[K", stderr);
	if (!err)
		err = naming__finish(r->collector, r->loop, terminal);
	if (r->command && duration_ns)
		return err; /* the command may run yet: signals are for it */
	/* Results come now: a second Ctrl-C is meant for them. */
	runloop__close(r->loop);
	r->loop = NULL;
	return err;
}

static int write_format(void *arg, FILE *f, enum format format)
{
	const struct run *r = arg;
	const struct profile *p = collector__profile(r->collector);
	struct table_opts table = {
		.rows = r->opts->rows,
		.width = results__width(f),
		.color = results__color(f),
	};
	struct svg_opts svg = {
		.event = r->event,
		.title = r->opts->title,
		.reverse = r->opts->reverse,
		.icicle = r->opts->icicle,
	};
	const struct json_opts json = { .command = "profile", .weights = true };
	const struct csv_opts csv = { .weights = true };

	switch (format) {
	case FORMAT_TABLE:
		return print__table(f, p, &table);
	case FORMAT_FOLDED:
		return print__folded(f, p, r->event);
	case FORMAT_SVG:
		return print__svg(f, p, &svg);
	case FORMAT_JSON:
		return print__json(f, p, &json);
	case FORMAT_CSV:
		return print__csv(f, p, &csv);
	case FORMAT_NR:
		break;
	}
	return -EINVAL;
}

static int report(struct run *r)
{
	int failed = outputs__write(&r->outputs, write_format, r);
	bool lost = results__lost(collector__profile(r->collector));

	results__tell_losses(&r->outputs, "samples", &collector__profile(r->collector)->losses);
	if (r->events.nr > 1 && !r->opts->event)
		results__tell_event(&r->outputs, r->events.items[r->event].name);
	lost |= within_plan__tell(r->inside);
	if (failed)
		return PMUTRACE_FAIL;
	if (r->opts->strict && lost)
		return PMUTRACE_STRICT;
	if (r->loop && runloop__wait(r->loop))
		return PMUTRACE_FAIL;
	return r->command ? command__status(r->command) : PMUTRACE_OK;
}

static int prepare(struct run *r, const struct cmd_words *words, uint64_t *duration_ns)
{
	const struct format_wish wishes[] = {
		{ "--json", r->opts->json ? "json" : NULL },
		{ "--csv", r->opts->csv ? "csv" : NULL },
		{ "-f", r->opts->format },
	};
	const char *format;
	int err;

	if (words->command && !words->command[0])
		return why__refuse(&r->why, -EINVAL, "no command behind --");
	if (r->opts->max_stack > STACK_MAX_FRAMES)
		return why__refuse(&r->why, -EINVAL, "--max-stack: at most 512 frames");
	if (r->opts->max_memory && r->opts->max_memory < COLLECTOR_LEAST_BYTES)
		return why__refuse(&r->why, -EINVAL, "--max-memory: at least 16M");
	if (r->opts->kernel_only + r->opts->user_only + r->opts->no_stacks > 1)
		return why__refuse(&r->why, -EINVAL, "-K, -U and --no-stacks exclude each other");
	err = cmd_words__duration(words, r->opts->duration_ns, duration_ns, &r->why);
	if (!err)
		err = format__agree(wishes, ARRAY_SIZE(wishes), &format, &r->why);
	if (!err)
		err = parse_by(r);
	if (!err)
		err = target_opts__parse(&r->opts->target, words->command, &r->target, &r->why);
	if (!err)
		err = outputs__open(&r->outputs, &r->opts->files, format, &r->why);
	if (!err)
		err = event_opts__parse(&r->opts->events, r->target.cpus[0], SAMPLE_EVENTS,
					&r->events, &r->why);
	if (!err)
		err = choose_shown_event(r);
	if (err)
		return err;
	if (words->command)
		err = command__prepare(&r->command, words->command);
	if (!err)
		err = within_plan__open(&r->inside, r->opts->within, r->opts->force, &r->target,
					&r->why);
	return err ? err : open_collector(r);
}

static int run(void *opts, const struct cmd_words *words)
{
	struct profile_opts *o = opts;
	struct run r = { .opts = o };
	uint64_t duration_ns;
	int err, ret;

	log_to_stderr(o->quiet, o->verbose);
	bpf__log_debug();
	err = prepare(&r, words, &duration_ns);
	if (!err) {
		announce(&r, duration_ns);
		err = measure(&r, duration_ns);
	}
	ret = err ? complain_why(err, &r.why) : report(&r);

	runloop__close(r.loop);
	outputs__close(&r.outputs);
	collector__close(r.collector);
	within_plan__close(r.inside);
	command__free(r.command);
	target__free(&r.target);
	perf_events__free(&r.events);
	event_opts__free(&o->events);
	target_opts__free(&o->target);
	free((void *)o->files.items);
	buf__free(&r.why);
	return ret;
}

const struct cmd cmd_profile = {
	.name = "profile",
	.args = "[SECS] [-- CMD ARGS]",
	.summary = "sample events by stack: functions, folded stacks, a flame graph",
	.examples = "  pmutrace profile -a 10 -o flame.svg          the whole machine, as a flame "
		    "graph\n"
		    "  pmutrace profile -p 1234 -F 997 5            one process, more often\n"
		    "  pmutrace profile -e page-faults -c 1 -- ls   every page fault of a command\n"
		    "  pmutrace profile --json 5 | jq .losses       for programs\n",
	.opts = opts_table,
	.defaults = &defaults,
	.opts_size = sizeof(struct profile_opts),
	.run = run,
};
