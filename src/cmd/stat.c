// SPDX-License-Identifier: BSD-2-Clause
/* stat: counts events of a command, tasks, cgroups, CPUs or the machine; needs no BPF. */
#include "cmd/stat.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/why.h"
#include "cmd/cmd.h"
#include "cmd/readers.h"
#include "lookup/resolve.h"
#include "perf/open.h"
#include "plan/returns.h"

#define AT(member) offsetof(struct stat_opts, member)

static const struct opt opts_table[] = {
	{ OPT_HEAD, .help = "Events" },
	{ OPT_STRS, 'e', "events", "EV,..", AT(specs),
	  "what to count; {A,B}: on counters together" },
	{ OPT_STR, 0, "filter", "EXPR", AT(filter), "which hits of tracepoints count" },
	{ OPT_BOOL, 0, "force", NULL, AT(force), "return probes even where they break programs" },
	TARGET_OPTIONS(struct stat_opts, target),
	{ OPT_HEAD, .help = "Rows (default: one)" },
	{ OPT_BOOL, 0, "per-cpu", NULL, AT(per_cpu), "for each CPU" },
	{ OPT_BOOL, 0, "per-core", NULL, AT(per_core), "for each core" },
	{ OPT_BOOL, 0, "per-socket", NULL, AT(per_socket), "for each socket" },
	{ OPT_BOOL, 0, "per-thread", NULL, AT(per_thread), "for each thread that runs already" },
	{ OPT_BOOL, 0, "per-process", NULL, AT(per_process), "for each process that runs already" },
	{ OPT_BOOL, 0, "per-cgroup", NULL, AT(per_cgroup), "for each cgroup of -G" },
	{ OPT_HEAD, .help = "Length (default: until Ctrl-C or the target's end)" },
	{ OPT_TIME, 0, "duration", "SECS", AT(duration_ns), "or as the last word: stat 5" },
	{ OPT_MSEC, 'I', "interval", "MS", AT(interval_ns), "print every MS milliseconds" },
	{ OPT_U32, 'r', "repeat", "N", AT(repeat), "run the command N times: mean and spread" },
	{ OPT_HEAD, .help = "Output" },
	{ OPT_STRS, 'o', "output", "FILE", AT(files), "write here, format by ending; '-': stdout" },
	{ OPT_STR, 'f', "format", "FMT", AT(format), "table, json or csv" },
	{ OPT_BOOL, 0, "json", NULL, AT(json), "-f json" },
	{ OPT_BOOL, 0, "csv", NULL, AT(csv), "-f csv" },
	{ OPT_STR, 'x', "field-separator", "SEP", AT(separator),
	  "CSV with the fields of perf stat" },
	{ OPT_BOOL, 0, "strict", NULL, AT(strict),
	  "exit 3 if anything was multiplexed or not counted" },
	{ OPT_BOOL, 'q', "quiet", NULL, AT(quiet), "no notices" },
	{ OPT_BOOL, 'v', "verbose", NULL, AT(verbose), "what happens inside" },
	{ .type = OPT_END },
};

/* Whether cycles can be counted here: those of this process, in user mode. */
static bool has_pmu(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr),
					.type = PERF_TYPE_HARDWARE,
					.config = PERF_COUNT_HW_CPU_CYCLES,
					.exclude_kernel = 1,
					.exclude_hv = 1,
					.disabled = 1 };
	int fd = perf_open(&attr, 0, -1, -1);

	if (fd >= 0)
		close(fd);
	return fd >= 0;
}

static int parse_events(struct stat_run *r)
{
	const struct opt_strs *specs = &r->opts->specs;
	const struct target *t = &r->target;
	struct perf_event_env env = resolve__by(r->lookups);
	int err = 0;

	env.inherit = t->inherit && (t->command || t->nr_pids || t->by_uid || t->by_comm ||
				     r->by == COUNTS_BY_THREAD || r->by == COUNTS_BY_PROCESS);

	if (!specs->nr) {
		err = perf_events__parse(&r->events, NULL,
					 "task-clock,context-switches,cpu-migrations,page-faults",
					 &r->why);
		if (!err && has_pmu())
			err = perf_events__parse(&r->events, NULL,
						 "{cycles,instructions,branches,branch-misses}",
						 &r->why);
	}
	for (size_t i = 0; i < specs->nr && !err; i++)
		err = perf_events__parse(&r->events, &env, specs->items[i], &r->why);
	/* A period among the terms means nothing here, as with perf. */
	for (size_t i = 0; i < r->events.nr && !err; i++)
		if (r->events.items[i].hz || r->events.items[i].has_rate)
			err = why__refuse(
				&r->why, -EINVAL,
				"stat counts, it does not sample: leave out the '@RATE' or "
				"'freq'");
	if (!err && !r->opts->force)
		err = returns__check(&r->events, &env, &r->why);
	if (!err && r->opts->filter)
		err = perf_events__set_filter(&r->events, r->opts->filter, &r->why);
	return err;
}

static int parse_rows(struct stat_run *r)
{
	const struct stat_opts *o = r->opts;
	const bool wanted[] = {
		[COUNTS_BY_CPU] = o->per_cpu,	      [COUNTS_BY_CORE] = o->per_core,
		[COUNTS_BY_SOCKET] = o->per_socket,   [COUNTS_BY_THREAD] = o->per_thread,
		[COUNTS_BY_PROCESS] = o->per_process, [COUNTS_BY_CGROUP] = o->per_cgroup,
	};

	r->by = COUNTS_BY_NOTHING;
	for (unsigned i = 0; i < ARRAY_SIZE(wanted); i++) {
		if (!wanted[i])
			continue;
		if (r->by != COUNTS_BY_NOTHING)
			return why__refuse(
				&r->why, -EINVAL,
				"one kind of rows: --per-cpu, --per-core, ... exclude each "
				"other");
		r->by = i;
	}
	return 0;
}

static int parse_words(struct stat_run *r, const struct cmd_words *words)
{
	r->argv = words->command;
	if (r->argv && !r->argv[0])
		return why__refuse(&r->why, -EINVAL, "no command behind --");
	if (r->opts->repeat && !r->argv)
		return why__refuse(&r->why, -EINVAL,
				   "-r: what to repeat? a command goes behind --");
	if (r->opts->repeat && r->opts->interval_ns)
		return why__refuse(&r->why, -EINVAL, "-r and -I cannot be combined");
	if (r->opts->separator && !r->opts->separator[0])
		return why__refuse(&r->why, -EINVAL, "-x: an empty separator");
	return cmd_words__duration(words, r->opts->duration_ns, &r->duration_ns, &r->why);
}

/* With a command results go to stderr, apart from what it prints itself. */
static int open_outputs(struct stat_run *r)
{
	const struct stat_opts *o = r->opts;
	const struct format_wish wishes[] = {
		{ "--json", o->json ? "json" : NULL },
		{ "--csv", o->csv ? "csv" : NULL },
		{ "-x", o->separator ? "csv" : NULL },
		{ "-f", o->format },
	};
	const char *format;
	int err = format__agree(wishes, ARRAY_SIZE(wishes), &format, &r->why);

	if (err)
		return err;
	r->outputs.otherwise = r->argv ? stderr : stdout;
	r->outputs.formats = 1 << FORMAT_TABLE | 1 << FORMAT_JSON | 1 << FORMAT_CSV;
	r->outputs.in_parts = o->interval_ns;
	return outputs__open(&r->outputs, &o->files, format, &r->why);
}

/* perf knows this one escape, and so do scripts made for it. */
static const char *separator_of(const char *option)
{
	return option && !strcmp(option, "\\t") ? "\t" : option;
}

/* What -x says of all rows: "a" or, of several that were added up, "a+b". */
static int name_cgroups(struct stat_run *r)
{
	const struct opt_strs *names = &r->opts->target.cgroups;
	int err = 0;

	for (size_t i = 0; i < names->nr && r->by != COUNTS_BY_CGROUP && !err; i++)
		err = buf__printf(&r->cgroups, "%s%s", i ? "+" : "", names->items[i]);
	for (size_t i = 0; i < r->cgroups.len; i++)
		if (r->cgroups.data[i] == ',')
			r->cgroups.data[i] = '+';
	return err;
}

static int prepare(struct stat_run *r, const struct cmd_words *words)
{
	int err = parse_words(r, words);

	r->target.own_pids = true;
	r->separator = separator_of(r->opts->separator);
	if (!err)
		err = parse_rows(r);
	if (!err)
		err = name_cgroups(r);
	if (!err)
		err = target_opts__parse(&r->opts->target, r->argv, &r->target, &r->why);
	if (!err)
		err = parse_events(r);
	return err ? err : open_outputs(r);
}

static int run(void *opts, const struct cmd_words *words)
{
	struct stat_opts *o = opts;
	struct stat_run r = { .opts = o };
	struct jail *jail;
	int err, ret;

	/* For names of events alone: what is counted is not looked at. */
	jail = readers__open();
	r.lookups = readers__for_lookups(jail);
	log_to_stderr(o->quiet, o->verbose);
	err = r.lookups ? prepare(&r, words) : -ENOMEM;
	readers__close(jail, r.lookups);
	if (!err)
		err = stat_run__count(&r);
	ret = err ? complain_why(err, &r.why) : stat_run__report(&r);

	stat_run__free(&r);
	outputs__close(&r.outputs);
	target__free(&r.target);
	perf_events__free(&r.events);
	target_opts__free(&o->target);
	free((void *)o->specs.items);
	free((void *)o->files.items);
	buf__free(&r.cgroups);
	buf__free(&r.why);
	return ret;
}

const struct cmd cmd_stat = {
	.name = "stat",
	.args = "[SECS] [-- CMD ARGS]",
	.summary = "count events: totals, by CPU, thread or cgroup, every interval",
	.examples = "  pmutrace stat -- make -j8                    what a command costs\n"
		    "  pmutrace stat -e '{cycles,instructions}' 5   the whole machine, 5 s\n"
		    "  pmutrace stat -p 1234 -I 1000                a process, every second\n"
		    "  pmutrace stat -r 10 -- ./bench               ten times: mean and spread\n"
		    "  pmutrace stat -e sched:sched_switch --filter 'prev_pid > 0' 1\n",
	.opts = opts_table,
	.opts_size = sizeof(struct stat_opts),
	.run = run,
};
