// SPDX-License-Identifier: BSD-2-Clause
/* top: what tasks use now, interval by interval. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/suggest.h"
#include "cmd/cmd.h"
#include "cmd/top_columns.h"
#include "cmd/top_filter.h"
#include "cmd/top_run.h"
#include "cmd/top_samples.h"
#include "cmd/top_thrift.h"
#include "cmd/top_views.h"
#include "lookup/lookup_reader.h"
#include "object/bpf.h"
#include "run/overhead.h"
#include "sym/debuginfod.h"

static const struct top_command_opts defaults = { .delay_ns = 1000000000 };

#define AT(member) offsetof(struct top_command_opts, member)

static const struct opt opts_table[] = {
	{ OPT_HEAD, .help = "What" },
	{ OPT_STRS, 'e', "events", "EV,..", AT(events), "counted, up to 8; a column for each" },
	{ OPT_STR, 0, "columns", "LIST", AT(columns),
	  "sets (cache, branch, ..), columns, formulas (default)" },
	{ OPT_STR, 0, "config", "FILE", AT(config),
	  "the user's columns and sets (~/.config/pmutrace/config)" },
	{ OPT_STR, 0, "by", "VIEW", AT(by), "process, thread, cgroup, cpu or function (process)" },
	{ OPT_COUNT, 'F', "freq", "HZ", AT(hz), "--by function: samples per second per CPU (99)" },
	CALL_GRAPH_OPTIONS(struct top_command_opts, call_graph),
	{ OPT_BOOL, 0, "force", NULL, AT(call_graph.force),
	  "eh even where it may stop the kernel" },
	{ OPT_BOOL, 0, "no-inline", NULL, AT(no_inline),
	  "leave inlined functions to those they are in" },
	{ OPT_BOOL, 0, "debuginfod", NULL, AT(debuginfod),
	  "of functions: ask the servers in DEBUGINFOD_URLS" },
	{ OPT_STR, 0, "sort", "COLUMN", AT(sort), "by what rows are sorted (cpu)" },
	{ OPT_BOOL, 'r', "reverse", NULL, AT(reverse), "smallest first" },
	{ OPT_BOOL, 0, "full", NULL, AT(full), "commands with their arguments" },
	{ OPT_HEAD, .help = "Tasks (default: all)" },
	{ OPT_STRS, 'p', "pid", "PID,..", AT(targets.pids), "processes, without their children" },
	{ OPT_STRS, 't', "tid", "TID,..", AT(targets.tids), "threads" },
	{ OPT_STRS, 'G', "cgroup", "PATH,..", AT(targets.cgroups),
	  "cgroups and those below; '*' in a path, or an id" },
	{ OPT_STR, 'u', "uid", "USER", AT(targets.user), "of a user, by name or number" },
	{ OPT_STR, 0, "comm", "GLOB", AT(targets.comm), "whose name matches, such as 'nginx*'" },
	{ OPT_HEAD, .help = "Recordings" },
	{ OPT_STR, 0, "record", "FILE", AT(record), "write all intervals into it, of all tasks" },
	{ OPT_STR, 0, "replay", "FILE", AT(replay), "show what was recorded; needs no root" },
	{ OPT_HEAD, .help = "Length" },
	{ OPT_TIME, 'd', "delay", "SECS", AT(delay_ns), "from one interval to the next (1)" },
	{ OPT_U32, 'n', "count", "N", AT(count), "end after so many (never)" },
	{ OPT_STR, 0, "max-overhead", "PCT", AT(max_overhead),
	  "of one CPU: counts less where it would cost more" },
	{ OPT_HEAD, .help = "Output" },
	{ OPT_BOOL, 'b', "batch", NULL, AT(batch), "print tables, one after the other" },
	{ OPT_STRS, 'o', "output", "FILE", AT(files), "write here, format by ending; '-': stdout" },
	{ OPT_STR, 'f', "format", "FMT", AT(format), "table, json or csv" },
	{ OPT_BOOL, 0, "json", NULL, AT(json), "-f json: an object a line" },
	{ OPT_BOOL, 0, "csv", NULL, AT(csv), "-f csv" },
	{ OPT_MOST, 0, "rows", "N", AT(rows), "at most, or all (40 in tables, else all)" },
	{ OPT_BOOL, 0, "strict", NULL, AT(strict),
	  "exit 3 if anything was lost, multiplexed or not counted" },
	{ OPT_BOOL, 'q', "quiet", NULL, AT(quiet), "no notices" },
	{ OPT_BOOL, 'v', "verbose", NULL, AT(verbose), "what happens inside" },
	{ .type = OPT_END },
};

static int usage(struct top_run *r, const char *format, const char *word)
{
	return buf__printf(&r->why, "%s '%s'", format, word) ? -ENOMEM : -EINVAL;
}

/* Samples have no columns to choose from. */
static int check_options(struct top_run *r)
{
	const struct top_command_opts *o = r->opts;
	struct call_graph graph;
	int err = o->call_graph.way ? call_graph__choose(&o->call_graph, &graph, &r->why) : 0;

	if (err)
		return err;
	if (o->replay && o->max_overhead)
		return usage(r, "--max-overhead: nothing is measured that is shown of", o->replay);
	if (o->replay && o->debuginfod)
		return usage(r, "--debuginfod: only what was recorded can be shown of", o->replay);
	if (!top_run__wants_functions(r))
		return o->hz ? usage(r, "-F is for --by", "function") : 0;
	if (o->columns || o->config || o->sort || o->reverse || o->full)
		return usage(r, "--columns, --config, --sort, -r and --full are not for --by",
			     "function");
	if (o->replay && (o->hz || o->events.nr))
		return usage(r, "-e and -F: only what was recorded can be shown of", o->replay);
	return 0;
}

static int choose_view(struct top_run *r)
{
	const char *names[] = { "process", "thread", "cgroup", "cpu", "function" };
	int err;

	/* A screen begins with functions then; tables have a loop of their own. */
	if (top_run__wants_functions(r))
		return 0;
	for (size_t i = 0; i <= LIVE_CPUS; i++)
		if (!r->opts->by || !strcmp(r->opts->by, names[i])) {
			r->by = i;
			return 0;
		}
	err = usage(r, "--by takes process, thread, cgroup, cpu or function, not", r->opts->by);
	return suggest(&r->why, r->opts->by, names, ARRAY_SIZE(names)) ? -ENOMEM : err;
}

static int open_outputs(struct top_run *r)
{
	const struct top_command_opts *o = r->opts;
	const struct format_wish wishes[] = {
		{ "--json", o->json ? "json" : NULL },
		{ "--csv", o->csv ? "csv" : NULL },
		{ "-f", o->format },
	};
	const char *format;
	int err = format__agree(wishes, ARRAY_SIZE(wishes), &format, &r->why);

	if (err)
		return err;
	r->outputs.formats = 1 << FORMAT_TABLE | 1 << FORMAT_JSON | 1 << FORMAT_CSV;
	r->outputs.in_parts = true;
	return outputs__open(&r->outputs, &o->files, format, &r->why);
}

/* What cannot be counted is told; if that is all that was asked for, there is nothing to show. */
static int check_events(struct top_run *r)
{
	const struct live_about *about = live__interval(r->live);
	size_t nr_counted = 0;

	for (size_t i = 0; i < about->nr_events; i++)
		nr_counted += !about->events[i].why;
	if (about->nr_events && !nr_counted)
		return buf__puts(&r->why, about->events[0].why) ? -ENOMEM : -EOPNOTSUPP;
	for (size_t i = 0; i < about->nr_events; i++)
		if (about->events[i].why)
			log__notice("%s", about->events[i].why);
	return 0;
}

/* There is a terminal, and nothing was asked for that goes to a file or a program. */
static bool is_for_screen(const struct top_command_opts *o)
{
	return !o->batch && !o->files.nr && !o->format && !o->json && !o->csv &&
	       isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

/* Whether threads are told apart: a screen or a recording may show them, or options need them. */
static bool needs_threads(const struct top_run *r)
{
	const struct target_opts *t = &r->opts->targets;

	return !r->batch || top_feed__is_record(r->feed) || r->by == LIVE_THREADS ||
	       columns__need_tasks(&r->columns) || t->tids.nr || t->comm;
}

static int open_top(struct top_run *r)
{
	const struct top_tasks_opts top = {
		.events = &r->events,
		.processes_only = !needs_threads(r),
		.measures_all = r->opts->max_overhead,
	};
	int err = top_tasks__open(&r->top, &top, &r->why);

	if (err)
		return err;
	r->live = top_tasks__live(r->top);
	return check_events(r);
}

static int open_feed(struct top_run *r)
{
	const struct top_command_opts *o = r->opts;
	int err = 0;

	if (o->replay && r->counted.nr)
		err = usage(r, "-e: only what was recorded can be shown of", o->replay);
	if (!err)
		err = top_feed__open(&r->feed, o->record, o->replay, r->counted.nr, &r->why);
	if (err)
		return err;
	r->processes = top_feed__processes(r->feed);
	r->live = top_feed__live(r->feed);
	return top_filter__open(&r->filter, &o->targets, r->processes, o->replay, &r->why);
}

/* A recording of samples alone has no tables to print; a screen shows its functions. */
static int check_counts(struct top_run *r)
{
	if (!r->batch || !top_feed__has_samples_only(r->feed))
		return 0;
	return usage(r, "nothing was counted, there are functions alone (--by function) in",
		     r->opts->replay);
}

/* --sort by a column that has no value here is refused. */
static int check_order(struct top_run *r)
{
	const struct column *by = r->sort < r->columns.nr ? &r->columns.items[r->sort] : NULL;

	if (!r->sort_by || !by || !by->why)
		return 0;
	return buf__printf(&r->why, "rows cannot be sorted by '%s': %s", by->name, by->why)
		       ? -ENOMEM
		       : -EOPNOTSUPP;
}

static int open_run(struct top_run *r)
{
	int err = choose_view(r);

	if (!err)
		err = open_feed(r);
	if (!err)
		err = check_counts(r);
	if (!err && top_run__wants_functions(r) && !top_feed__is_replay(r->feed))
		err = top_samples__choose(r, &r->why);
	if (!err)
		err = top_columns__plan(r);
	if (!err && !top_feed__is_replay(r->feed))
		err = open_top(r);
	if (!err)
		err = top_columns__choose(r, NULL);
	return err ? err : check_order(r);
}

static void close_run(struct top_run *r)
{
	overhead__free(r->overhead);
	buf__free(&r->spared);
	top_tasks__close(r->top);
	livefilter__free(r->filter);
	top_feed__close(r->feed);
	columns__free(&r->columns);
	column_defs__free(r->defs);
	live_rows__free(&r->rows);
	profile__free(r->samples);
	perf_events__free(&r->events);
	perf_events__free(&r->sampled);
	outputs__close(&r->outputs);
	debuginfod__close(r->debuginfod);
	buf__free(&r->why);
}

static int measure(struct top_run *r)
{
	int err = open_run(r);

	if (!err)
		err = top_thrift__open(r);
	lookup_reader__rest(r->lookups);
	if (!err)
		err = r->batch ? top__batch(r) : top__screen(r);
	return err ? err : top_feed__end(r->feed, &r->why);
}

static int run(void *opts, const struct cmd_words *words)
{
	const struct debuginfod_opts servers = debuginfod__environment();
	struct top_command_opts *o = opts;
	struct top_run r = {
		.opts = o, .delay_ns = o->delay_ns, .invert = o->reverse, .sort_by = o->sort
	};
	int err, ret = PMUTRACE_OK;

	if (top_run__wants_functions(&r))
		r.sampled_by = (struct event_opts){ .specs = o->events, .hz = o->hz };
	else
		r.counted = o->events;
	log_to_stderr(o->quiet, o->verbose);
	bpf__log_debug();
	r.batch = !is_for_screen(o);
	r.jail = words->jail;
	r.lookups = words->lookups;
	err = words->nr ? usage(&r, "unexpected argument", words->word[0]) : check_options(&r);
	if (!err && o->debuginfod)
		err = debuginfod__open(&r.debuginfod, &servers, &r.why);
	if (!err)
		err = open_outputs(&r);
	if (!err)
		err = r.batch && top_run__wants_functions(&r) ? top__functions(&r) : measure(&r);
	if (err)
		ret = complain_why(err, &r.why);
	else if (outputs__end(&r.outputs))
		ret = PMUTRACE_FAIL;
	else if (o->strict && r.lost)
		ret = PMUTRACE_STRICT;
	if (!err && r.overhead)
		overhead__tell_end(r.overhead);
	close_run(&r);
	free((void *)o->events.items);
	free((void *)o->files.items);
	target_opts__free(&o->targets);
	return ret;
}

const struct cmd cmd_top = {
	.name = "top",
	.args = "",
	.summary = "what tasks use now: events by process, thread, cgroup, CPU or function",
	.examples = "  pmutrace top -b -n 3                     three tables of processes\n"
		    "  pmutrace top -b --by cgroup -d 5         containers, every 5 seconds\n"
		    "  pmutrace top -b --by function -p 1234    where a process spends its time\n"
		    "  pmutrace top --columns cache --json      for programs\n"
		    "  pmutrace top -e '{cycles,instructions}' --sort ipc\n"
		    "  pmutrace top -b --record night.top       and then --replay night.top\n",
	.opts = opts_table,
	.defaults = &defaults,
	.opts_size = sizeof(struct top_command_opts),
	.names_code = true,
	.run = run,
};
