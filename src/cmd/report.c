// SPDX-License-Identifier: BSD-2-Clause
/* report: files with stacks, also those of other tools, in every format there is. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/privileges.h"
#include "base/why.h"
#include "cmd/chosen_samples.h"
#include "cmd/cmd.h"
#include "cmd/profile_output.h"
#include "cmd/report_by.h"
#include "cmd/report_calls.h"
#include "cmd/report_names.h"
#include "cmd/results.h"
#include "cmd/run.h"
#include "cmd/viewing.h"
#include "columns/shade.h"
#include "import/source.h"
#include "model/profile.h"

struct report_command {
	struct run_opts run; /* of its output */
	struct chosen_samples_opts samples;
	struct report_calls_opts calls;
	struct report_names_opts names;
	const char *by;
	bool tui;
};

static const struct report_command defaults = { .run = { .rows = 20 } };

#define AT(member) offsetof(struct report_command, member)

static const struct opt opts_table[] = {
	CHOSEN_SAMPLES_OPTIONS(struct report_command, samples),
	{ OPT_HEAD, .help = "Names for code that was sampled without" },
	{ OPT_BOOL, 0, "resolve", NULL, AT(names.resolve),
	  "by build-id, of files that are here, and their debug files" },
	{ OPT_STR, 0, "symfs", "DIR", AT(names.symfs), "the same, of files below this directory" },
	{ OPT_BOOL, 0, "debuginfod", NULL, AT(names.debuginfod),
	  "the same, asking the servers in DEBUGINFOD_URLS for debug files" },
	{ OPT_BOOL, 0, "no-inline", NULL, AT(names.no_inline),
	  "leave inlined functions to those they are in" },
	{ OPT_BOOL, 0, "no-demangle", NULL, AT(names.no_demangle),
	  "C++, Rust, D, OCaml names as linkers know them" },
	{ OPT_HEAD, .help = "Rows of another kind" },
	{ OPT_STR, 0, "by", "LIST", AT(by),
	  "sums by comm,pid,tid,cpu,cgroup,stack,function: those that are told" },
	{ OPT_HEAD, .help = "Of one function, as a table" },
	{ OPT_STR, 0, "callers", "NAME", AT(calls.callers), "who calls it" },
	{ OPT_STR, 0, "callees", "NAME", AT(calls.callees), "what it calls" },
	RUN_OUTPUT_OPTIONS(struct report_command,
			   "svg html folded json jsonl csv pprof pmut chrome firefox speedscope",
			   "functions in the table, or all (20)",
			   "which one: table, folded, svg, firefox, chrome"),
	COLOR_OPTION(struct report_command),
	VIEWING_OPTION(AT(tui)),
	{ .type = OPT_END },
};

/* Everything of one run; freed together. */
struct report {
	const struct report_command *opts;
	struct outputs outputs;
	struct selection *selection;
	struct source **sources;
	size_t nr_sources;
	struct profile *all, *some; /* some: those that are selected; NULL: that is all */
	struct report_names names;
	struct profile *sums; /* of these, by other keys; NULL: not asked for */
	struct regroup_opts by;
	bool lost; /* for --strict: files are cut off, or have lines that are no stacks */
	uint32_t event;
	bool pprof_cpu;
	struct buf why;
};

static const struct profile *selected(const struct report *r)
{
	return r->some ? r->some : r->all;
}

static const struct profile *profile_of(const struct report *r)
{
	return r->sums ? r->sums : selected(r);
}

static int open_sources(struct report *r, const struct cmd_words *words)
{
	int err = 0;

	if (words->command)
		return why__refuse(&r->why, -EINVAL,
				   "report measures nothing: no command behind --");
	if (!words->nr)
		return why__refuse(&r->why, -EINVAL, "report of which file? '-' is stdin");
	r->sources = calloc(words->nr, sizeof(struct source *));
	if (!r->sources)
		return -ENOMEM;
	for (int i = 0; i < words->nr && !err; i++) {
		err = source__open(&r->sources[i], words->word[i], &r->why);
		r->nr_sources += !err;
	}
	return err == -EINVAL ? -EIO : err; /* no usage error */
}

/* What --by is, and whether it can be shown. */
static int prepare_by(struct report *r)
{
	const struct report_command *o = r->opts;
	int err;

	if (!o->by)
		return 0;
	if (o->calls.callers || o->calls.callees)
		return why__refuse(&r->why, -EINVAL,
				   "--callers and --callees are tables of their own: without --by");
	err = report_by__parse(&r->by, o->by, &r->why);
	return err ? err : report_by__check(&r->by, &r->outputs, &r->why);
}

static int check_viewing(struct report *r)
{
	if (r->opts->by || r->opts->calls.callers || r->opts->calls.callees)
		return why__refuse(&r->why, -EINVAL,
				   "--tui is of functions and stacks: without --by, --callers and "
				   "--callees");
	return viewing__check(&r->outputs, &r->why);
}

static int prepare(struct report *r, const struct cmd_words *words)
{
	const struct run_opts *o = &r->opts->run;
	const struct format_wish wishes[] = {
		{ "--json", o->json ? "json" : NULL },
		{ "--csv", o->csv ? "csv" : NULL },
		{ "-f", o->format },
	};
	const char *format;
	int err;

	log_to_stderr(o->quiet, o->verbose);
	err = format__agree(wishes, ARRAY_SIZE(wishes), &format, &r->why);
	if (!err)
		err = chosen_samples__open(&r->selection, &r->opts->samples, &r->why);
	if (!err)
		err = open_sources(r, words);
	if (!err)
		err = outputs__open(&r->outputs, &o->files, format, &r->why);
	if (!err)
		err = report_calls__check(&r->opts->calls, &r->outputs, &r->why);
	if (!err)
		err = profile_output__pprof_kind(o->pprof, &r->pprof_cpu, &r->why);
	if (!err)
		err = profile_output__check(&r->outputs, o->all_events, &r->why);
	if (!err)
		err = prepare_by(r);
	if (!err && r->opts->tui)
		err = check_viewing(r);
	if (!err)
		r->all = profile__new();
	return err || r->all ? err : -ENOMEM;
}

static bool wants_places(const struct report *r)
{
	return report_names__wanted(&r->opts->names) ||
	       (!r->opts->run.no_places &&
		(r->opts->tui || outputs__any(&r->outputs, FORMAT_OF_PLACES)));
}

/* Of events of one name one is a member of a group, which has no stacks of its own. */
static int choose_sampled(struct report *r)
{
	const struct profile_event *member = &r->all->events[r->event];

	for (r->event = 0; r->event < r->all->nr_events; r->event++)
		if (!r->all->events[r->event].is_member &&
		    !strcmp(r->all->events[r->event].name, member->name))
			return 0;
	return why__refuse(&r->why, -EINVAL,
			   "--event: '%s' was counted at the samples of '%s', and has no stacks of "
			   "its own: --color shows a ratio of it",
			   member->name, member->leader);
}

/* Whether the files tell what the colours are of. */
static int try_color(struct report *r)
{
	struct shade *shade = NULL;
	int err = r->opts->run.color ? shade__open(&shade, r->opts->run.color, r->all, &r->why) : 0;

	shade__free(shade);
	return err;
}

static int read_all(struct report *r, const struct cmd_words *words)
{
	struct chosen_samples_way way = { .quiet = r->opts->run.quiet };
	int err = prepare(r, words);

	way.places = wants_places(r);
	if (!err)
		err = report_names__open(&r->names, &r->opts->names, &r->why);
	/* What strangers wrote is read with no more than results need. */
	if (!err)
		privileges__keep(PRIVILEGES_WRITE);
	for (size_t i = 0; i < r->nr_sources && !err; i++)
		err = chosen_samples__read(r->all, r->sources[i], &r->opts->samples, &way, &r->lost,
					   &r->why);
	if (!err)
		err = report_names__give(&r->names, &r->opts->names, &r->all, &r->why);
	if (!err)
		err = chosen_samples__select(&r->some, r->selection, r->all, NULL, &r->why);
	if (!err && r->opts->by)
		err = report_by__apply(&r->sums, selected(r), &r->by, &r->why);
	if (!err)
		err = report_calls__find(&r->opts->calls, r->all, &r->why);
	if (!err)
		err = results__choose_event(r->opts->run.event, &r->all->events->name,
					    r->all->nr_events, sizeof(*r->all->events), &r->event,
					    &r->why);
	if (!err && r->event < r->all->nr_events && r->all->events[r->event].is_member)
		err = choose_sampled(r);
	if (!err)
		err = profile_output__check_color(r->opts->run.color, &r->outputs, r->event,
						  &r->why);
	return err ? err : try_color(r);
}

/* Do all samples stand for periods that are known? */
static bool has_weights(const struct profile *p)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < p->nr_events; i++) {
		if (p->events[i].samples && !p->events[i].weight)
			return false;
		nr += p->events[i].samples;
	}
	return nr;
}

/* Of some it is known what they stand for: then all are counted, as of folded stacks. */
static void tell_weights(const struct report *r, const struct profile *p)
{
	bool any = false;

	for (size_t i = 0; i < p->nr_events; i++)
		any |= p->events[i].weight;
	if (any && !has_weights(p) && outputs__any(&r->outputs, FORMAT_OF_WEIGHTS))
		log__notice("not all files tell what a sample stands for: JSON and the like have "
			    "numbers of samples");
}

static int write_sums(const struct report *r, FILE *f)
{
	const struct profile *shown;
	struct profile *copy;
	int err = profile_output__shown(r->sums, FORMAT_TABLE, &shown, &copy);

	if (!err)
		err = report_by__write(f, shown, r->opts->run.rows);
	profile__free(copy);
	return err;
}

static struct profile_output output_of(const struct report *r)
{
	const struct run_opts *o = &r->opts->run;

	return (struct profile_output){
		.profile = profile_of(r),
		.command = "report",
		.weights = has_weights(profile_of(r)),
		.pprof_cpu = r->pprof_cpu,
		.all_events = o->all_events,
		.one_event = o->event,
		.rows = o->rows,
		.color = o->color,
		.svg = {
			.event = r->event,
			.title = o->title,
			.reverse = o->reverse,
			.icicle = o->icicle,
		},
	};
}

static int write_format(void *arg, FILE *f, enum format format)
{
	const struct report *r = arg;
	const struct profile_output out = output_of(r);

	if (r->opts->calls.callers || r->opts->calls.callees)
		return report_calls__write(&r->opts->calls, f, &out);
	if (r->sums && format == FORMAT_TABLE)
		return write_sums(r, f);
	return profile_output__write(&out, f, format);
}

/* --tui: of several files their number. */
static int view(struct report *r)
{
	const struct profile_output out = output_of(r);
	char name[32];

	snprintf(name, sizeof(name), "%zu files", r->nr_sources);
	return viewing__show(&out, r->nr_sources == 1 ? source__name(r->sources[0]) : name,
			     &r->why);
}

static int write_all(struct report *r)
{
	const struct profile *p = profile_of(r);
	int failed = outputs__write(&r->outputs, write_format, r), err;

	results__tell_losses(&r->outputs, "samples", &p->losses);
	tell_weights(r, p);
	if (failed)
		return PMUTRACE_FAIL;
	if (r->opts->tui) {
		err = view(r);
		if (err)
			return complain_why(err, &r->why);
	}
	return r->opts->run.strict && (r->lost || results__lost(p)) ? PMUTRACE_STRICT : PMUTRACE_OK;
}

static int run(void *opts, const struct cmd_words *words)
{
	struct report_command *o = opts;
	struct report r = { .opts = o };
	int err = read_all(&r, words), ret;

	ret = err ? complain_why(err, &r.why) : write_all(&r);
	for (size_t i = 0; i < r.nr_sources; i++)
		source__close(r.sources[i]);
	free(r.sources);
	report_names__close(&r.names);
	profile__free(r.all);
	profile__free(r.some);
	profile__free(r.sums);
	selection__close(r.selection);
	outputs__close(&r.outputs);
	free((void *)o->run.files.items);
	buf__free(&r.why);
	return ret;
}

const struct cmd cmd_report = {
	.name = "report",
	.args = "FILE..",
	.summary = "captures, and stacks of other tools: functions, a flame graph",
	.examples =
		"  pmutrace report x.pmut                       a run that was kept, as a table\n"
		"  pmutrace report x.pmut --from 1.2 --to 1.7 -o x.svg   half a second of it\n"
		"  pmutrace report x.pmut --by comm,cpu         samples of commands by CPU\n"
		"  pmutrace report x.folded                     functions with most samples\n"
		"  pmutrace report a.folded b.folded.gz -o x.svg   both in one flame graph\n"
		"  perf script | pmutrace report - -o x.svg        of perf's samples\n"
		"  pmutrace report x.folded --focus '^parse_'   stacks with such a function\n",
	.opts = opts_table,
	.defaults = &defaults,
	.opts_size = sizeof(struct report_command),
	.run = run,
};
