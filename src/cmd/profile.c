// SPDX-License-Identifier: BSD-2-Clause
/* profile: samples events by task and stack; shows functions, folded stacks, a flame graph. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/why.h"
#include "cmd/cmd.h"
#include "cmd/continuous_opts.h"
#include "cmd/events.h"
#include "cmd/profile_output.h"
#include "cmd/profile_source.h"
#include "cmd/profile_thrift.h"
#include "cmd/results.h"
#include "cmd/run.h"
#include "cmd/viewing.h"
#include "columns/shade.h"
#include "plan/within_plan.h"
#include "print/table.h"
#include "print/unwind_check.h"
#include "serve/continuous.h"

struct profile_command {
	struct run_opts run;
	struct event_opts events;
	struct continuous_opts_given continuous;
	bool force, idle, kernel_only, user_only, no_stacks, verify_unwind, tui;
	const char *by, *within, *source, *max_overhead;
	uint32_t max_stacks;
};

static const struct profile_command defaults = {
	.run = { .max_stack = 512 },
};

#define AT(member) offsetof(struct profile_command, member)

static const struct opt opts_table[] = {
	EVENT_OPTIONS(struct profile_command, events),
	{ OPT_STR, 0, "source", "KIND", AT(source),
	  "tick: cpu-clock in ticks that come anyway; cpu-clock" },
	TARGET_OPTIONS(struct profile_command, run.target),
	{ OPT_STR, 0, "within", "FUNCTION", AT(within), "only inside of it: libc:qsort, vfs_read" },
	{ OPT_BOOL, 0, "force", NULL, AT(force), "its return probe even where it breaks programs" },
	{ OPT_BOOL, 0, "idle", NULL, AT(idle), "samples of idle CPUs too" },
	{ OPT_HEAD, .help = "Stacks" },
	{ OPT_BOOL, 'K', "kernel", NULL, AT(kernel_only), "kernel frames only" },
	{ OPT_BOOL, 'U', "user", NULL, AT(user_only), "user frames only" },
	{ OPT_BOOL, 0, "no-stacks", NULL, AT(no_stacks), "only who, not where" },
	CALL_GRAPH_OPTIONS(struct profile_command, run.call_graph),
	{ OPT_BOOL, 0, "verify-unwind", NULL, AT(verify_unwind),
	  "hold user frames against elfutils', on the same samples" },
	{ OPT_U32, 0, "max-stack", "N", AT(run.max_stack),
	  "frames kept, kernel and user each (512)" },
	{ OPT_U32, 0, "stacks", "N", AT(max_stacks), "room for distinct stacks, per CPU" },
	{ OPT_COUNT, 0, "max-memory", "SIZE", AT(run.max_memory),
	  "for the result: what is new beyond is lost (1G)" },
	{ OPT_STR, 0, "by", "LIST", AT(by), "of comm,pid,tid,cpu,cgroup (comm,pid)" },
	{ OPT_BOOL, 0, "no-demangle", NULL, AT(run.no_demangle),
	  "C++, Rust, D, OCaml names as linkers know them" },
	NAME_OPTIONS(struct profile_command),
	{ OPT_HEAD, .help = "Length (default: until Ctrl-C or the target's end)" },
	{ OPT_TIME, 0, "duration", "SECS", AT(run.duration_ns), "or as the last word: profile 5" },
	{ OPT_TIME, 0, "windows", "TIME", AT(run.window_ns),
	  "of pmut, html, chrome, firefox: told apart by time, 100ms each" },
	{ OPT_STR, 0, "max-overhead", "PCT", AT(max_overhead),
	  "of one CPU: measures less where it would cost more" },
	CONTINUOUS_OPTIONS(struct profile_command, continuous),
	RUN_OUTPUT_OPTIONS(struct profile_command,
			   "svg html folded json jsonl csv pprof pmut chrome firefox speedscope",
			   "functions in the table, or all (20)",
			   "which one: table, folded, svg, firefox, chrome"),
	COLOR_OPTION(struct profile_command),
	VIEWING_OPTION(AT(tui)),
	{ .type = OPT_END },
};

/* Everything of one run; freed together. */
struct profile_run {
	const struct profile_command *opts;
	struct run common;
	struct perf_events events; /* those that are sampled, then members of the group */
	size_t nr_members;
	enum sampler_source source;
	unsigned by;
	bool keeps_pids; /* --by asks for them */
	bool asks_processes;
	struct within_plan *inside;
	struct continuous *continuous; /* NULL: there is one result */
	struct buf spool;	       /* its path */
};

static int parse_by(struct profile_run *r)
{
	static const struct {
		const char *name;
		unsigned bit;
	} keys[] = { { "comm", BY_COMM },
		     { "pid", BY_PID },
		     { "tid", BY_TID },
		     { "cpu", BY_CPU },
		     { "cgroup", BY_CGROUP } };
	/* Of many windows with stacks of their own processes are too many series. */
	const char *s = r->opts->by ? r->opts->by : r->opts->continuous.is_on ? "comm" : "comm,pid";
	size_t len, i;

	for (;; s += len + 1) {
		len = strcspn(s, ",");
		for (i = 0; i < ARRAY_SIZE(keys); i++)
			if (strlen(keys[i].name) == len && !strncmp(keys[i].name, s, len))
				break;
		if (i == ARRAY_SIZE(keys)) {
			return why__refuse(
				&r->common.why, -EINVAL,
				"--by: unknown key '%.*s'; known: comm pid tid cpu cgroup",
				(int)len, s);
		}
		r->by |= keys[i].bit;
		if (!s[len])
			break;
	}
	r->keeps_pids = r->by & BY_PID;
	if (r->opts->continuous.is_on)
		r->by |= BY_CGROUP; /* containers are told apart by it */
	/* And processes that say what they are: where pids are those that can be looked up. */
	r->asks_processes = r->opts->continuous.push && !target__in_pid_namespace();
	if (r->asks_processes)
		r->by |= BY_PID;
	if (!r->opts->no_stacks && !r->opts->user_only)
		r->by |= BY_KSTACK;
	if (!r->opts->no_stacks && !r->opts->kernel_only)
		r->by |= BY_USTACK;
	return 0;
}

static int open_collector(struct profile_run *r)
{
	struct sampler_opts sampler = {
		.source = r->source,
		.events = r->events.items,
		.nr_events = r->events.nr - r->nr_members,
		.nr_members = r->nr_members,
		.target = &r->common.target,
		.idle = r->opts->idle,
		.max_stack = r->opts->run.max_stack,
		.max_stacks = r->opts->max_stacks,
		.unwind_bytes = r->common.call_graph.unwind_bytes,
		.verify_unwind = r->opts->verify_unwind,
		.command = run__command_pid(&r->common),
		.within_fd = within_plan__fd(r->inside),
		.measures_cost = r->common.overhead,
	};
	struct collector_opts opts = run__collector_opts(&r->common);

	opts.sampler = &sampler;
	opts.by = r->by;
	if (r->continuous)
		opts.places = true;
	return collector__open(&r->common.collector, &opts, &r->common.why);
}

/* "cycles at 99 Hz, faults every 10, with instructions" */
static int put_events(const struct profile_run *r, struct buf *names)
{
	const size_t nr = r->events.nr - r->nr_members;
	int err = buf__puts(names, "");

	for (size_t i = 0; i < nr && !err; i++) {
		const struct perf_event_spec *ev = &r->events.items[i];

		err = buf__printf(
			names, "%s%s %s%llu%s", i ? ", " : "", ev->name, ev->hz ? "at " : "every ",
			(unsigned long long)(ev->hz ? ev->hz : ev->period), ev->hz ? " Hz" : "");
	}
	for (size_t i = nr; i < r->events.nr && !err; i++)
		err = buf__printf(names, "%s%s", i == nr ? ", with " : " and ",
				  r->events.items[i].name);
	return err;
}

static void announce(const struct run *c)
{
	const struct profile_run *r = c->arg;
	size_t nr_cpus = c->target.nr_cpus;
	struct buf names = {};
	char length[64];

	run__length(c, length);
	if (r->by & BY_USTACK)
		run__tell_no_names();
	if (!put_events(r, &names))
		log__notice("sampling %s on %zu CPU%s %s", names.data, nr_cpus,
			    nr_cpus == 1 ? "" : "s", length);
	if (r->source == SAMPLER_TICK)
		profile_source__tell(&c->target);
	buf__free(&names);
}

static int write_table(const struct run *c, FILE *f, const struct profile *p)
{
	struct table_opts table = {
		.rows = run__rows(c),
		.width = results__width(f),
		.color = results__color(f),
		.one_event = c->opts->event,
		.event = c->event,
	};

	return print__table(f, p, &table);
}

static struct profile_thrift thrift_of(const struct profile_run *r)
{
	return (struct profile_thrift){
		.events = r->events.items,
		.nr_events = r->events.nr - r->nr_members,
		.by = r->by,
	};
}

static int spare(struct run *c)
{
	const struct profile_thrift thrift = thrift_of(c->arg);

	return profile_thrift__heed(&thrift, c);
}

static int open_overhead(struct profile_run *r)
{
	const struct profile_thrift thrift = thrift_of(r);

	return profile_thrift__open(&thrift, r->opts->max_overhead, &r->common);
}

/* A window has ended. */
static int take_interval(struct run *c, struct profile *p)
{
	struct profile_run *r = c->arg;
	struct continuous_counts counts = {};
	int err;

	if (c->overhead)
		continuous__note_overhead(r->continuous, c->overhead);
	/* By the clock as it is now: it may have been set, and goes on while a machine sleeps. */
	err = continuous__put(r->continuous, p, clock__wall_ns() - p->duration_ns, c->event);

	profile__free(p);
	if (!err)
		err = continuous__counts(r->continuous, &counts);
	c->lost |= counts.nr_failed > 0;
	/* Whoever has started us can begin anew, with what waits. */
	if (err == -EPIPE)
		return why__refuse(
			&c->why, err,
			"nothing is pushed any more: the process that does so has ended");
	return err;
}

/* Options of one result, which there is not. */
static int check_continuous(struct profile_run *r)
{
	const struct profile_command *o = r->opts;
	const struct run_opts *run = &o->run;
	const bool has_output = run->files.nr || run->format || run->json || run->csv || o->tui ||
				run->window_ns || run->color || run->title || run->reverse ||
				run->icicle || run->all_events || run->pprof || run->no_places ||
				run->java_maps || o->verify_unwind;
	int err = continuous_opts__check(&o->continuous, &r->common.why);

	if (!err && o->continuous.is_on && has_output)
		err = run__usage(&r->common, "--continuous pushes profiles (--push), or writes "
					     "files of pprof (--out-dir): without -o, -f and other "
					     "options of a single result");
	return err;
}

/* Of long runs: from before privileges are dropped to their end. */
static int open_continuous(struct profile_run *r)
{
	const struct profile_command *o = r->opts;
	struct continuous_opts_given given = o->continuous;
	const struct continuous_run run = { .command = "profile",
					    .jail = r->asks_processes ? r->common.jail : NULL,
					    .keeps_pids = r->keeps_pids };

	given.every_ns = r->common.interval_ns;
	return continuous_opts__open(&r->continuous, &given, &run, &r->spool, &r->common.why);
}

/* There is something to verify where rules are followed: in the tick the kernel's, too. */
static int check_verify(struct profile_run *r)
{
	const char *way = r->opts->run.call_graph.way, *source = r->opts->source;

	if (r->opts->kernel_only && source && !strcmp(source, "tick"))
		return 0;
	if (!(r->by & BY_USTACK) || (way && strcmp(way, "eh")))
		return run__usage(&r->common,
				  "--verify-unwind is about user frames by rules: without "
				  "-K (but for --source tick, which follows kernel frames), "
				  "--no-stacks and another --call-graph");
	if (!r->common.call_graph.unwind_bytes)
		return why__refuse(&r->common.why, -EOPNOTSUPP,
				   "--verify-unwind: no rules are followed on this kernel");
	return 0;
}

/* Of the profile, which has its events already: whether there can be such a ratio. */
static int try_color(struct profile_run *r)
{
	struct shade *shade;
	int err = shade__open(&shade, r->opts->run.color, collector__profile(r->common.collector),
			      &r->common.why);

	shade__free(shade);
	return err;
}

static int choose_events(struct profile_run *r)
{
	const struct profile_command *o = r->opts;
	struct event_opts events = o->events;
	struct run *c = &r->common;
	int err = profile_source__parse(o->source, &events, &r->source, &c->why);

	if (!err)
		err = event_opts__parse_group(&events, c->target.cpus[0], c->lookups, o->run.color,
					      &r->events, &r->nr_members, &c->why);
	if (!err && o->source)
		err = profile_source__check(o->source, &r->events, &c->why);
	if (!err && r->source == SAMPLER_TICK)
		err = profile_source__check_tick(r->events.items, o->idle, &c->target, &c->why);
	return err;
}

static int prepare(struct profile_run *r, const struct cmd_words *words)
{
	const struct profile_command *o = r->opts;
	struct run *c = &r->common;
	int err;

	if (o->kernel_only + o->user_only + o->no_stacks > 1)
		return run__usage(c, "-K, -U and --no-stacks exclude each other");
	err = check_continuous(r);
	if (!err)
		err = run__begin(c, words, 0, NULL);
	if (!err)
		err = parse_by(r);
	if (!err)
		err = run__choose_call_graph(c, o->force, &r->by);
	if (!err && o->verify_unwind)
		err = check_verify(r);
	if (!err && o->continuous.is_on)
		err = open_continuous(r);
	else if (!err)
		err = run__open_outputs(c);
	if (!err && o->tui)
		err = viewing__check(&c->outputs, &c->why);
	if (!err)
		err = choose_events(r);
	/* Without stacks too: folded is by task then. */
	if (!err)
		err = run__prepare(c, words, (const char *const *)&r->events.items->name,
				   r->events.nr - r->nr_members, sizeof(*r->events.items), true);
	if (!err)
		err = profile_output__check_color(o->run.color, &c->outputs, c->event, &c->why);
	if (!err)
		err = within_plan__open(&r->inside, o->within, o->force, &c->target, c->lookups,
					&c->why);
	if (!err && o->max_overhead)
		err = open_overhead(r);
	if (!err)
		err = open_collector(r);
	return err || !o->run.color ? err : try_color(r);
}

/* What differs without a reason is as bad as something lost. */
static void tell_check(struct run *c, const struct unwind_check *check)
{
	struct buf line = {};

	if (!print__unwind_check(&line, check))
		log__notice("%s", line.data);
	c->lost |= check->results[UNWIND_CHECK_DIFFERENT] || check->kernel.different;
	buf__free(&line);
}

static int report(struct profile_run *r)
{
	struct run *c = &r->common;
	int failed = run__write(c), status, err = 0;
	const unsigned patience_ms = c->is_told_to_end ? 1000 : 5000;
	const struct unwind_check *check = &collector__profile(c->collector)->check;

	if (check->wanted || check->kernel.is_known)
		tell_check(c, check);
	c->lost |= within_plan__tell(r->inside);
	c->lost |= continuous__close(r->continuous, patience_ms);
	r->continuous = NULL;
	status = run__status(c, failed);
	if (r->opts->tui && !failed)
		err = run__view(c);
	else if (!failed && !r->opts->no_stacks && !r->opts->continuous.is_on)
		viewing__offer(&c->outputs);
	return err ? complain_why(err, &c->why) : status;
}

static int run(void *opts, const struct cmd_words *words)
{
	struct profile_command *o = opts;
	const bool is_continuous = o->continuous.is_on;
	struct profile_run r = { .opts = o,
				 .common = { .opts = &o->run,
					     .name = "profile",
					     .noun = "sample",
					     .captures = true,
					     .is_viewed = o->tui,
					     .weights = true,
					     .announce = announce,
					     .write_table = write_table,
					     .take_interval = is_continuous ? take_interval : NULL,
					     .spare = spare,
					     .arg = &r } };
	int err, ret;

	if (is_continuous)
		o->run.interval_ns = o->continuous.every_ns ? o->continuous.every_ns
							    : CONTINUOUS_EVERY_S * 1000000000ull;
	err = prepare(&r, words);

	if (!err)
		err = run__measure(&r.common);
	ret = err ? complain_why(err, &r.common.why) : report(&r);

	run__free(&r.common);
	(void)continuous__close(r.continuous, 0);
	buf__free(&r.spool);
	within_plan__close(r.inside);
	continuous_opts__free(&o->continuous);
	perf_events__free(&r.events);
	event_opts__free(&o->events);
	return ret;
}

const struct cmd cmd_profile = {
	.name = "profile",
	.args = "[SECS] [-- CMD ARGS]",
	.summary = "sample events by stack: functions, folded stacks, a flame graph",
	.examples =
		"  pmutrace profile -a 10 -o flame.svg          the whole machine, as a flame "
		"graph\n"
		"  pmutrace profile -p 1234 -F 997 5            one process, more often\n"
		"  pmutrace profile -e page-faults -c 1 -- ls   every page fault of a command\n"
		"  pmutrace profile --json 5 | jq .losses       for programs\n"
		"  pmutrace profile -a 10 --windows 100ms -o x.html   one page: all views, and "
		"times\n"
		"  pmutrace profile -a 60 --windows 100ms -o x.pmut   kept, for pmutrace report\n",
	.opts = opts_table,
	.defaults = &defaults,
	.opts_size = sizeof(struct profile_command),
	.names_code = true,
	.run = run,
};
