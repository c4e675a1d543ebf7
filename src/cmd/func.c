// SPDX-License-Identifier: BSD-2-Clause
/* func: measures calls of functions: time and events by function, task, fields and caller. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/readable.h"
#include "cmd/cmd.h"
#include "cmd/events.h"
#include "cmd/results.h"
#include "cmd/run.h"
#include "lookup/resolve.h"
#include "plan/func_cost.h"
#include "plan/func_plan.h"
#include "print/func_table.h"
#include "object/sites.h"

struct func_command {
	struct run_opts run;
	struct opt_strs events;
	const char *by, *filter, *hist, *lhist, *from, *to, *match, *returns;
	uint64_t only_slow_ns;
	uint32_t tasks;
	bool calibrate, net, force, any_depth, exemplars;
};

static const struct func_command defaults = { .run = COUNTING_DEFAULTS };

#define AT(member) offsetof(struct func_command, member)

static const struct opt opts_table[] = {
	{ OPT_HEAD, .help = "What is measured, of functions: libc:malloc, ./prog:main, vfs_read" },
	{ OPT_STRS, 'e', "events", "EV,..", AT(events),
	  "counted for each call, up to 6 (cycles, ..)" },
	{ OPT_STR, 0, "by", "KEYS", AT(by), "of func,comm,pid,caller,stack,arg0,ret,.. (func)" },
	{ OPT_STR, 0, "filter", "EXPR", AT(filter), "only calls like 'arg0 > 4096' or 'ret < 0'" },
	{ OPT_TIME, 0, "only-slow", "TIME", AT(only_slow_ns), "only calls as long: 10ms" },
	{ OPT_STR, 0, "hist", "METRIC", AT(hist), "histogram of time,self,on-cpu,off-cpu or EV" },
	{ OPT_STR, 0, "lhist", "LO,HI,STEP", AT(lhist), "--hist in equal steps" },
	{ OPT_STR, 0, "from", "PROBE", AT(from), "from this probe, instead of a function" },
	{ OPT_STR, 0, "to", "PROBE", AT(to), "to this one, in the same task" },
	{ OPT_STR, 0, "match", "FIELD", AT(match), "or where this is the same in both" },
	{ OPT_STR, 0, "returns", "WAY", AT(returns),
	  "trap (return probes) or decode (their instructions)" },
	{ OPT_BOOL, 0, "force", NULL, AT(force), "return probes even where they break programs" },
	{ OPT_BOOL, 0, "any-depth", NULL, AT(any_depth),
	  "more than 32 calls in each other: decoded" },
	{ OPT_BOOL, 0, "exemplars", NULL, AT(exemplars),
	  "json: of each row or range one call: whose, when" },
	{ OPT_BOOL, 0, "net", NULL, AT(net), "without what the probes cost themselves" },
	{ OPT_BOOL, 0, "calibrate", NULL, AT(calibrate), "only print that cost" },
	TARGET_OPTIONS(struct func_command, run.target),
	COUNTING_ROOM_OPTIONS(struct func_command),
	{ OPT_U32, 0, "tasks", "N", AT(tasks), "that have been in a function and live (2048)" },
	COUNTING_LENGTH_OPTIONS(struct func_command),
	COUNTING_OUTPUT_OPTIONS(struct func_command),
	{ .type = OPT_END },
};

/* Everything of one run; freed together. */
struct func_run {
	const struct func_command *opts;
	struct run common;
	struct perf_events events;
	struct func_plan plan;
	struct func_cost cost;
	struct buf note; /* of --net */
	bool has_pmu;	 /* false: it was looked for, and there is none */
};

static int usage(struct func_run *r, const char *text)
{
	return run__usage(&r->common, text);
}

static int parse_events(struct func_run *r)
{
	const struct perf_event_env env = resolve__by(r->common.lookups);
	const struct func_command *o = r->opts;
	int err = 0;

	if (!o->events.nr && o->match)
		return 0;
	if (!o->events.nr)
		return events__default_counted(&r->events, r->common.target.cpus[0], &r->has_pmu,
					       &r->common.why);
	for (size_t i = 0; i < o->events.nr && !err; i++)
		err = perf_events__parse(&r->events, &env, o->events.items[i], &r->common.why);
	return err;
}

static int plan(struct func_run *r, char *const *words, size_t nr_words)
{
	const struct func_command *o = r->opts;
	const struct perf_event_env env = resolve__by(r->common.lookups);
	struct func_plan_opts opts = {
		.env = &env,
		.words = words,
		.nr_words = nr_words,
		.from = o->from,
		.to = o->to,
		.match = o->match,
		.events = &r->events,
		.by = o->by,
		.filter = o->filter,
		.buckets = o->hist,
		.linear = o->lhist,
		.max_probes = o->run.max_probes,
		.returns = { .force = o->force, .any_depth = o->any_depth },
		.default_events = !o->events.nr,
	};
	int err = returns__parse(&opts.returns.way, o->returns, &r->common.why);

	if (err)
		return err;

	if (o->lhist && !o->hist)
		return usage(r, "--lhist says how --hist METRIC is to be divided; name the metric");
	return func_plan__make(&r->plan, &opts, &r->common.why);
}

static int check_net(struct func_run *r)
{
	const struct func_plan *p = &r->plan;
	size_t nr = p->returns.nr_decoded;

	if (nr && nr < p->nr_functions)
		return usage(r,
			     "--net knows what return probes cost or what probes on instructions "
			     "cost, and these functions have both: name some of them, or write "
			     "--returns decode");
	if (r->opts->exemplars)
		return usage(r, "--net: an exemplar is a call as it was measured, with what the "
				"probes cost; leave out one of them");
	if (r->opts->hist)
		return usage(r, "--net: a histogram is counted while calls run, with what the "
				"probes cost; leave out one of them");
	for (size_t i = 0; i < p->nr_functions; i++)
		if (p->functions[i].entry->site.kind != SITE_UPROBE ||
		    p->functions[i].leave->site.kind != SITE_URETPROBE)
			return usage(r, "--net knows what functions of programs cost; other probes "
					"cost something else");
	return 0;
}

/* r->note: "net: 812ns of each call, and its events, are taken off: .." */
static int measure_net(struct func_run *r)
{
	char time[READABLE_CHARS];
	int err = check_net(r);

	if (!err)
		err = func_cost__measure(&r->cost, &r->events,
					 r->plan.returns.nr_decoded ? RETURNS_DECODE : RETURNS_TRAP,
					 &r->common.why);
	if (err)
		return err;
	r->common.net = r->cost.each;
	readable__time(r->cost.means[0], time);
	return buf__printf(&r->note,
			   "net: %s of each call, and its events, are taken off: what probes cost "
			   "themselves (--calibrate)",
			   time);
}

static int open_collector(struct func_run *r)
{
	struct func_opts calls = {
		.target = &r->common.target,
		.max_stack = r->opts->run.max_stack,
		.unwind_bytes = r->common.call_graph.unwind_bytes,
		.max_keys = r->opts->run.keys,
		.max_tasks = r->opts->tasks,
		.min_ns = r->opts->only_slow_ns,
		.exemplars = r->opts->exemplars,
		.command = run__command_pid(&r->common),
	};
	struct collector_opts opts = run__collector_opts(&r->common);

	func_plan__put(&r->plan, &calls, &opts);
	return collector__open(&r->common.collector, &opts, &r->common.why);
}

static void tell_defaults(const struct func_run *r)
{
	if (!r->has_pmu)
		log__notice("no hardware PMU here: counting page-faults and context-switches "
			    "instead of cycles");
}

static void tell_returns(const struct returns *returns, size_t nr_functions)
{
	const char *harm = returns__harm(returns);
	char text[RETURNS_CHARS];

	if (harm)
		log__notice("return probes are used all the same: %s", harm);
	if (!returns->nr_decoded)
		return;
	returns__describe(returns, nr_functions, text);
	log__notice("%s", text);
}

static void announce(const struct run *c)
{
	const struct func_run *r = c->arg;
	char length[64];

	if (r->plan.nr_events)
		tell_defaults(r);
	tell_returns(&r->plan.returns, r->plan.nr_functions);
	run__length(c, length);
	if (r->plan.key.by & (BY_USTACK | BY_CALLER))
		run__tell_no_names();
	if (r->plan.nr_functions == 1 || r->plan.pair.len)
		log__notice("measuring calls of %s %s", r->plan.words[0].name, length);
	else
		log__notice("measuring calls of %zu functions %s", r->plan.nr_functions, length);
	skipped__tell(&r->plan.skipped);
}

static int write_table(const struct run *c, FILE *f, const struct profile *p)
{
	const struct func_run *r = c->arg;
	struct func_table_opts table = {
		.rows = run__rows(c),
		.width = results__width(f),
		.color = results__color(f),
		.least = r->opts->run.verbose,
		.note = r->note.data,
	};

	return print__func_table(f, p, &table);
}

static int prepare(struct func_run *r, const struct cmd_words *words)
{
	const struct func_plan *p = &r->plan;
	struct run *c = &r->common;
	size_t nr_words;
	int err = run__begin(c, words, 0, &nr_words);

	if (!err)
		err = parse_events(r);
	if (!err)
		err = plan(r, words->word, nr_words);
	if (!err)
		err = run__choose_call_graph(c, r->opts->force, &r->plan.key.by);
	if (!err)
		err = run__open_outputs(c);
	if (!err)
		err = run__prepare(c, words, &p->words->name, p->nr_words, sizeof(*p->words),
				   p->key.by & (BY_KSTACK | BY_USTACK));
	if (!err && r->opts->net)
		err = measure_net(r);
	return err ? err : open_collector(r);
}

static void print_cost(const struct perf_events *events, const struct func_cost *cost,
		       enum returns_way way)
{
	char text[READABLE_CHARS], caller[READABLE_CHARS], plain[READABLE_CHARS];

	printf("An empty function of a program shows, with a uprobe at its entry and %s:\n",
	       way == RETURNS_DECODE ? "on its return instruction" : "its return");
	readable__time(cost->means[FUNC_TIME], text);
	printf("%12s  time\n", text);
	readable__time(cost->means[FUNC_ON_CPU], text);
	printf("%12s  on-cpu\n", text);
	for (size_t i = 0; i < events->nr; i++) {
		double mean = cost->means[FUNC_VALUES + i * FUNC_EVENT_VALUES];

		if (strcmp(events->items[i].unit, "ns"))
			readable__number(mean, text);
		else
			readable__time(mean, text);
		printf("%12s  %s\n", text, events->items[i].name);
	}
	readable__time(cost->caller_ns > 0 ? cost->caller_ns : 0, caller);
	readable__time(cost->plain_ns, plain);
	printf("For its caller each call takes %s longer than the %s without probes.\n"
	       "Of %llu calls, the quietest rounds. --net takes the first off of calls; functions\n"
	       "of the kernel have other probes, with another cost.\n",
	       caller, plain, (unsigned long long)cost->nr_calls);
}

static int calibrate(struct func_run *r, const struct cmd_words *words)
{
	const struct func_command *o = r->opts;
	enum returns_way way;
	size_t nr_words;
	int err = returns__parse(&way, o->returns, &r->common.why);

	if (err)
		return err;
	if (words->nr || words->command || o->from || o->to || o->net)
		return usage(r, "--calibrate measures a function of its own; -e and --returns are "
				"all that goes with it");
	err = run__begin(&r->common, words, 0, &nr_words);
	if (!err && (r->common.format || o->run.files.nr))
		return usage(r, "--calibrate prints text, and nothing else");
	if (!err)
		err = parse_events(r);
	if (!err)
		err = func_cost__measure(&r->cost, &r->events, way, &r->common.why);
	if (err)
		return err;
	tell_defaults(r);
	print_cost(&r->events, &r->cost, way);
	return 0;
}

static int measure(struct func_run *r, const struct cmd_words *words)
{
	int err = prepare(r, words);

	return err ? err : run__measure(&r->common);
}

static int run(void *opts, const struct cmd_words *words)
{
	struct func_command *o = opts;
	struct func_run r = { .opts = o,
			      .has_pmu = true,
			      .common = { .opts = &o->run,
					  .name = "func",
					  .noun = "call",
					  .announce = announce,
					  .write_table = write_table,
					  .arg = &r } };
	int err = o->calibrate ? calibrate(&r, words) : measure(&r, words), ret = PMUTRACE_OK;

	if (err)
		ret = complain_why(err, &r.common.why);
	else if (!o->calibrate)
		ret = run__status(&r.common, run__write(&r.common));

	run__free(&r.common);
	func_plan__free(&r.plan);
	perf_events__free(&r.events);
	buf__free(&r.note);
	free((void *)o->events.items);
	return ret;
}

const struct cmd cmd_func = {
	.name = "func",
	.args = "FUNCTION.. [SECS] [-- CMD ARGS]",
	.summary = "measure calls: time, events, on and off the CPU, by caller and task",
	.examples =
		"  pmutrace func libc:malloc libc:free 5              how long, how many cycles\n"
		"  pmutrace func vfs_read --by comm --only-slow 1ms   whose slow reads\n"
		"  pmutrace func ./server:handle_* --hist time -p 42  how its handlers spread\n"
		"  pmutrace func --from block:block_rq_issue --to block:block_rq_complete "
		"--match sector\n",
	.opts = opts_table,
	.defaults = &defaults,
	.opts_size = sizeof(struct func_command),
	.names_code = true,
	.run = run,
};
