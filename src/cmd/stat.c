// SPDX-License-Identifier: BSD-2-Clause
/* stat: counts events of a command, tasks, cgroups, CPUs or the machine; needs no BPF. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/parse.h"
#include "cmd/cmd.h"
#include "cmd/outputs.h"
#include "cmd/targets.h"
#include "collect/command.h"
#include "collect/counting.h"
#include "collect/resolve.h"
#include "collect/runloop.h"
#include "out/stat_csv.h"
#include "out/stat_json.h"
#include "out/stat_table.h"
#include "perf/open.h"

struct stat_opts {
	struct opt_strs specs;
	const char *filter;
	struct target_opts target;
	uint64_t duration_ns;
	uint32_t interval_ms, repeat;
	bool per_cpu, per_core, per_socket, per_thread, per_process, per_cgroup;
	struct opt_strs files;
	const char *format, *separator;
	bool json, csv, strict, quiet, verbose;
};

#define AT(member) offsetof(struct stat_opts, member)

static const struct opt opts_table[] = {
	{ OPT_HEAD, .help = "Events" },
	{ OPT_STRS, 'e', "events", "EV,..", AT(specs),
	  "what to count; {A,B}: on counters together" },
	{ OPT_STR, 0, "filter", "EXPR", AT(filter), "which hits of tracepoints count" },
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
	{ OPT_U32, 'I', "interval", "MS", AT(interval_ms), "print every MS milliseconds" },
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

struct run {
	const struct stat_opts *opts;
	struct target target;
	struct perf_events events;
	enum counts_by by;
	struct outputs outputs;
	char **argv; /* the command, or NULL */
	uint64_t duration_ns;
	struct buf why;

	struct command *command; /* of this repetition */
	struct counting *counting;
	struct counts_runs *runs; /* of all repetitions: events, then seconds */
	uint64_t next_ns;	  /* -I: when the next one is due */
	size_t nr_written;
	bool partial, interrupted;
	int status; /* of the command */
};

static int refuse(struct run *r, const char *text)
{
	int err = buf__puts(&r->why, text);

	return err ? err : -EINVAL;
}

/* A PMU that counts cycles, and one that counts them together with the others. */
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

static int parse_events(struct run *r)
{
	const struct opt_strs *specs = &r->opts->specs;
	const struct target *t = &r->target;
	struct perf_event_env env = resolve_env;
	int err = 0;

	env.inherit = t->inherit && (r->argv || t->nr_pids || t->by_uid || t->by_comm ||
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
	for (size_t i = 0; i < r->events.nr && !err; i++)
		if (r->events.items[i].hz || r->events.items[i].period)
			err = refuse(r, "stat counts, it does not sample: leave out the '@RATE'");
	if (!err && r->opts->filter)
		err = perf_events__set_filter(&r->events, r->opts->filter, &r->why);
	return err;
}

static int parse_rows(struct run *r)
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
			return refuse(r,
				      "one kind of rows: --per-cpu, --per-core, ... exclude each "
				      "other");
		r->by = i;
	}
	return 0;
}

static int parse_words(struct run *r, const struct cmd_words *words)
{
	int err;

	r->argv = words->command;
	r->duration_ns = r->opts->duration_ns;
	if (r->argv && !r->argv[0])
		return refuse(r, "no command behind --");
	if (r->opts->repeat && !r->argv)
		return refuse(r, "-r: what to repeat? a command goes behind --");
	if (r->opts->repeat && r->opts->interval_ms)
		return refuse(r, "-r and -I cannot be combined");
	if (r->opts->separator && !r->opts->separator[0])
		return refuse(r, "-x: an empty separator");
	if (!words->nr)
		return 0;
	if (words->nr == 1 && !parse__time(words->word[0], 1000000000, &r->duration_ns) &&
	    r->duration_ns)
		return 0;
	err = buf__printf(&r->why,
			  "unexpected '%s': the only word here is a duration; a command goes "
			  "behind --",
			  words->word[words->nr > 1]);
	return err ? err : -EINVAL;
}

/* Results of a command are apart from what it prints itself. */
static int open_outputs(struct run *r)
{
	const struct stat_opts *o = r->opts;
	const char *format = o->json ? "json" : o->csv ? "csv" : o->separator ? "csv" : o->format;

	r->outputs.otherwise = r->argv ? stderr : stdout;
	r->outputs.formats = 1 << FORMAT_TABLE | 1 << FORMAT_JSON | 1 << FORMAT_CSV;
	r->outputs.in_place = o->interval_ms;
	return outputs__open(&r->outputs, &o->files, format, &r->why);
}

static int prepare(struct run *r, const struct cmd_words *words)
{
	int err = parse_words(r, words);

	r->target.own_pids = true;
	if (!err)
		err = parse_rows(r);
	if (!err)
		err = target_opts__parse(&r->opts->target, r->argv, &r->target, &r->why);
	if (!err)
		err = parse_events(r);
	return err ? err : open_outputs(r);
}

static int write_format(void *arg, FILE *f, enum format format)
{
	struct run *r = arg;
	const struct counts *c = counting__counts(r->counting);
	bool first = !r->nr_written;

	if (format == FORMAT_JSON)
		return out__stat_json(f, c);
	if (format == FORMAT_CSV && r->opts->separator)
		return out__stat_separated(f, c, r->opts->separator);
	if (format == FORMAT_CSV)
		return out__stat_csv(f, c, first);
	return out__stat_table(f, c, first);
}

static int take_interval(struct run *r)
{
	int err = counting__read(r->counting, true);

	if (err)
		return err;
	r->partial = r->partial || counts__is_partial(counting__counts(r->counting));
	err = outputs__part(&r->outputs, write_format, r, &r->why);
	r->nr_written++;
	r->next_ns += r->opts->interval_ms * 1000000ull;
	return err;
}

static int poll_interval(void *arg)
{
	struct run *r = arg;

	return r->opts->interval_ms && clock__now_ns() >= r->next_ns ? take_interval(r) : 0;
}

static unsigned patience_ms(void *arg)
{
	const struct run *r = arg;
	uint64_t now = clock__now_ns();

	if (!r->opts->interval_ms)
		return 3600 * 1000;
	return r->next_ns > now ? (r->next_ns - now + 999999) / 1000000 : 0;
}

static uint64_t time_ns(struct timeval t)
{
	return t.tv_sec * 1000000000ull + t.tv_usec * 1000ull;
}

/* What the command used is what children have used more than before. */
static void take_usage(struct run *r, const struct rusage *before)
{
	struct counts *c = counting__counts(r->counting);
	struct rusage now;

	if (!r->argv || getrusage(RUSAGE_CHILDREN, &now))
		return;
	c->user_ns = time_ns(now.ru_utime) - time_ns(before->ru_utime);
	c->system_ns = time_ns(now.ru_stime) - time_ns(before->ru_stime);
}

static int open_counting(struct run *r)
{
	struct counting_opts opts = { .events = &r->events, .target = &r->target, .by = r->by };
	struct buf text = {};
	int err = 0;

	if (r->argv)
		err = command__prepare(&r->command, r->argv);
	if (r->command)
		opts.command = command__pid(r->command);
	if (!err)
		err = counting__open(&r->counting, &opts, &r->why);
	if (err)
		return err;
	err = target_opts__describe(&r->opts->target, &r->target, r->argv, &text);
	if (!err)
		err = counts__set_target(counting__counts(r->counting), text.data);
	buf__free(&text);
	return err;
}

/* From start to end: what is counted is in r->counting then. */
static int count_once(struct run *r)
{
	struct runloop_opts opts = { .duration_ns = r->duration_ns, .target = &r->target };
	struct runloop_work work = { poll_interval, patience_ms, NULL, NULL, r };
	struct runloop *loop = NULL;
	struct rusage before = {};
	int err = open_counting(r);

	opts.command = r->command;
	if (!err)
		err = runloop__open(&loop, &opts);
	getrusage(RUSAGE_CHILDREN, &before);
	if (!err)
		err = counting__start(r->counting);
	r->next_ns = clock__now_ns() + r->opts->interval_ms * 1000000ull;
	if (!err && r->command)
		err = command__release(r->command, &r->why);
	if (!err)
		err = runloop__run(loop, &work);
	if (!err)
		err = counting__stop(r->counting);
	if (!err)
		err = r->opts->interval_ms ? take_interval(r) : counting__read(r->counting, false);
	if (loop)
		r->interrupted = runloop__interrupted(loop);
	if (!err && r->command) {
		r->status = command__status(r->command);
		take_usage(r, &before);
	}
	runloop__close(loop);
	return err;
}

/* Adds what this repetition found; the last one shows the means. */
static int add_run(struct run *r)
{
	struct counts *c = counting__counts(r->counting);

	if (!r->runs)
		r->runs = calloc(c->nr_events + 1, sizeof(*r->runs));
	if (!r->runs)
		return -ENOMEM;
	for (size_t i = 0; i < c->nr_events; i++)
		if (c->totals[i].state <= COUNT_MULTIPLEXED)
			counts_runs__add(&r->runs[i], c->totals[i].value);
	counts_runs__add(&r->runs[c->nr_events], c->duration_ns / 1e9);
	memcpy(c->runs, r->runs, (c->nr_events + 1) * sizeof(*c->runs));
	/* What the means are divided by. */
	c->duration_ns = r->runs[c->nr_events].mean * 1e9;
	return 0;
}

static void end_repetition(struct run *r)
{
	counting__close(r->counting);
	command__free(r->command);
	r->counting = NULL;
	r->command = NULL;
}

static int count_all(struct run *r)
{
	uint32_t left = r->opts->repeat ? r->opts->repeat : 1;
	int err;

	for (;;) {
		err = count_once(r);
		if (err)
			return err;
		r->partial = r->partial || counts__is_partial(counting__counts(r->counting));
		if (r->opts->repeat)
			err = add_run(r);
		if (err || !--left || r->interrupted)
			return err;
		end_repetition(r);
	}
}

static int report(struct run *r)
{
	int failed = 0;

	if (r->opts->interval_ms)
		failed = outputs__end(&r->outputs);
	else
		failed = outputs__write(&r->outputs, write_format, r);
	if (failed)
		return PMUTRACE_FAIL;
	if (r->opts->strict && r->partial)
		return PMUTRACE_STRICT;
	return r->argv ? r->status : PMUTRACE_OK;
}

static int run(void *opts, const struct cmd_words *words)
{
	struct stat_opts *o = opts;
	struct run r = { .opts = o };
	int err, ret;

	log_to_stderr(o->quiet, o->verbose);
	err = prepare(&r, words);
	if (!err)
		err = count_all(&r);
	ret = err ? complain_why(err, &r.why) : report(&r);

	end_repetition(&r);
	free(r.runs);
	outputs__close(&r.outputs);
	target__free(&r.target);
	perf_events__free(&r.events);
	target_opts__free(&o->target);
	free((void *)o->specs.items);
	free((void *)o->files.items);
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
