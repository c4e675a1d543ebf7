// SPDX-License-Identifier: BSD-2-Clause
/* count: counts hits of probes by task, field and stack. */
#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "cmd/cmd.h"
#include "cmd/results.h"
#include "cmd/run.h"
#include "plan/count_plan.h"
#include "plan/within_plan.h"
#include "print/count_table.h"

struct count_command {
	struct run_opts run;
	const char *by, *filter, *within;
	const char *sum, *avg, *min, *max, *hist, *lhist;
	bool force, exemplars;
};

static const struct count_command defaults = { .run = COUNTING_DEFAULTS };

#define AT(member) offsetof(struct count_command, member)

static const struct opt opts_table[] = {
	{ OPT_HEAD, .help = "What is counted, of probes as in pmutrace-events(7)" },
	{ OPT_STR, 0, "by", "KEYS", AT(by), "of comm,pid,stack,arg0,.. or a field (probe)" },
	{ OPT_STR, 0, "filter", "EXPR", AT(filter), "only hits like 'ret < 0 && comm == \"x\"'" },
	{ OPT_STR, 0, "sum", "FIELD", AT(sum), "add up a field" },
	{ OPT_STR, 0, "avg", "FIELD", AT(avg), "its mean" },
	{ OPT_STR, 0, "min", "FIELD", AT(min), "its least" },
	{ OPT_STR, 0, "max", "FIELD", AT(max), "its most" },
	{ OPT_STR, 0, "hist", "FIELD", AT(hist), "its histogram, by powers of two" },
	{ OPT_STR, 0, "lhist", "LO,HI,STEP", AT(lhist), "--hist in equal steps" },
	{ OPT_BOOL, 0, "exemplars", NULL, AT(exemplars),
	  "json: of each row or range one hit: whose, when" },
	TARGET_OPTIONS(struct count_command, run.target),
	{ OPT_STR, 0, "within", "FUNCTION", AT(within), "only inside of it: libc:qsort, vfs_read" },
	{ OPT_BOOL, 0, "force", NULL, AT(force), "return probes even where they break programs" },
	COUNTING_ROOM_OPTIONS(struct count_command),
	COUNTING_LENGTH_OPTIONS(struct count_command),
	COUNTING_OUTPUT_OPTIONS(struct count_command),
	{ .type = OPT_END },
};

/* Everything of one run; freed together. */
struct count_run {
	const struct count_command *opts;
	struct run common;
	struct count_plan trigger;
	unsigned shown; /* enum measure */
	struct within_plan *inside;
};

static int usage(struct count_run *r, const char *text)
{
	return run__usage(&r->common, text);
}

/* The one field that --sum, --hist and the like are about; NULL: there is none. */
static int choose_measure(struct count_run *r, const char **measure)
{
	const struct count_command *o = r->opts;
	const struct {
		const char *field;
		enum measure shown;
	} wishes[] = { { o->sum, MEASURE_SUM },
		       { o->avg, MEASURE_AVG },
		       { o->min, MEASURE_MIN },
		       { o->max, MEASURE_MAX },
		       { o->hist, 0 } };

	*measure = NULL;
	for (size_t i = 0; i < ARRAY_SIZE(wishes); i++) {
		if (!wishes[i].field)
			continue;
		if (*measure && strcmp(*measure, wishes[i].field))
			return usage(r, "--sum, --avg, --min, --max and --hist: one field in a "
					"run");
		*measure = wishes[i].field;
		r->shown |= wishes[i].shown;
	}
	if (o->hist && r->shown)
		return usage(r, "--hist has buckets; --sum, --avg, --min and --max do not go with "
				"it");
	if (o->lhist && !o->hist)
		return usage(r, "--lhist says how --hist FIELD is to be divided; name the field");
	return 0;
}

static int plan(struct count_run *r, char *const *words, size_t nr_words)
{
	struct count_plan_opts opts = {
		.words = words,
		.nr_words = nr_words,
		.by = r->opts->by,
		.filter = r->opts->filter,
		.buckets = r->opts->hist,
		.linear = r->opts->lhist,
		.max_probes = r->opts->run.max_probes,
		.force = r->opts->force,
		.reader = r->common.lookups,
	};
	int err = choose_measure(r, &opts.measure);

	return err ? err : count_plan__plan(&r->trigger, &opts, &r->common.why);
}

static int open_collector(struct count_run *r)
{
	struct count_opts hits = {
		.target = &r->common.target,
		.max_stack = r->opts->run.max_stack,
		.unwind_bytes = r->common.call_graph.unwind_bytes,
		.max_keys = r->opts->run.keys,
		.exemplars = r->opts->exemplars,
		.command = run__command_pid(&r->common),
		.within_fd = within_plan__fd(r->inside),
	};
	struct collector_opts opts = run__collector_opts(&r->common);

	count_plan__put(&r->trigger, &hits, &opts);
	return collector__open(&r->common.collector, &opts, &r->common.why);
}

static void announce(const struct run *c)
{
	const struct count_run *r = c->arg;
	char length[64];
	size_t nr = r->trigger.nr_probes;

	run__length(c, length);
	if (r->trigger.key.by & BY_USTACK)
		run__tell_no_names();
	if (nr == 1)
		log__notice("counting %s %s", r->trigger.events.items[0].name, length);
	else
		log__notice("counting %zu probes %s", nr, length);
	skipped__tell(&r->trigger.skipped);
}

static int write_table(const struct run *c, FILE *f, const struct profile *p)
{
	const struct count_run *r = c->arg;
	struct count_table_opts table = {
		.rows = run__rows(c),
		.width = results__width(f),
		.color = results__color(f),
		.shown = r->shown,
	};

	return print__count_table(f, p, &table);
}

static int prepare(struct count_run *r, const struct cmd_words *words)
{
	const struct count_plan *p = &r->trigger;
	struct run *c = &r->common;
	size_t nr_probes;
	int err = run__begin(c, words, 1, &nr_probes);

	if (!err && !nr_probes)
		return usage(r, "no probe; write one, such as sched:sched_switch or "
				"kprobe:vfs_read (`pmutrace list` shows them)");
	if (!err)
		err = plan(r, words->word, nr_probes);
	if (!err)
		err = run__choose_call_graph(c, r->opts->force, &r->trigger.key.by);
	if (!err)
		err = run__open_outputs(c);
	if (!err)
		err = run__prepare(c, words, &p->words->name, p->nr_words, sizeof(*p->words),
				   p->key.by & (BY_KSTACK | BY_USTACK));
	if (!err)
		err = within_plan__open(&r->inside, r->opts->within, r->opts->force, &c->target,
					c->lookups, &c->why);
	return err ? err : open_collector(r);
}

static int report(struct count_run *r)
{
	r->common.lost |= within_plan__tell(r->inside);
	return run__status(&r->common, run__write(&r->common));
}

static int run(void *opts, const struct cmd_words *words)
{
	struct count_command *o = opts;
	struct count_run r = { .opts = o,
			       .common = { .opts = &o->run,
					   .name = "count",
					   .noun = "hit",
					   .announce = announce,
					   .write_table = write_table,
					   .arg = &r } };
	int err = prepare(&r, words), ret;

	if (!err)
		err = run__measure(&r.common);
	ret = err ? complain_why(err, &r.common.why) : report(&r);

	run__free(&r.common);
	within_plan__close(r.inside);
	count_plan__free(&r.trigger);
	return ret;
}

const struct cmd cmd_count = {
	.name = "count",
	.args = "PROBE.. [SECS] [-- CMD ARGS]",
	.summary = "count hits of probes by task, field and stack",
	.examples =
		"  pmutrace count sched:sched_switch --by prev_comm 5   who is switched away from\n"
		"  pmutrace count uprobe:libc:malloc --by comm,ustack   who calls it, and from "
		"where\n"
		"  pmutrace count kprobe:tcp_* --top 10                 the busiest of many "
		"functions\n"
		"  pmutrace count kretprobe:vfs_read --hist ret         how much a read returns\n",
	.opts = opts_table,
	.defaults = &defaults,
	.opts_size = sizeof(struct count_command),
	.names_code = true,
	.run = run,
};
