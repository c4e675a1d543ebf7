// SPDX-License-Identifier: BSD-2-Clause
/* Checks the options that commands which measure have in common, and prepares what they ask for. */
#include "cmd/run.h"

#include <errno.h>
#include <string.h>

#include "base/log.h"
#include "base/parse.h"
#include "base/why.h"
#include "cmd/profile_output.h"
#include "cmd/results.h"
#include "object/bpf.h"
#include "sym/debuginfod.h"

static const uint64_t LEAST_WINDOW_NS = 10000000;

int run__usage(struct run *r, const char *text)
{
	return buf__puts(&r->why, text) ? -ENOMEM : -EINVAL;
}

/* A last word that is a number is the length. */
static int split_words(struct run *r, const struct cmd_words *words, size_t least, size_t *nr_words)
{
	struct cmd_words rest = *words;
	size_t nr = words->nr;
	uint64_t ns;

	if (!nr_words)
		return cmd_words__duration(words, r->opts->duration_ns, &r->duration_ns, &r->why);
	*nr_words = nr;
	rest.nr = 0;
	if (nr > least && !parse__time(words->word[nr - 1], 1000000000, &ns)) {
		--*nr_words;
		rest.nr = 1;
		rest.word = words->word + nr - 1;
	}
	return cmd_words__duration(&rest, r->opts->duration_ns, &r->duration_ns, &r->why);
}

/* There are no threads yet, and all capabilities. */
static int open_java_maps(struct run *r)
{
	int err;

	if (!r->opts->java_maps)
		return 0;
	if (r->interval_ns)
		return run__usage(r, "--java-maps is of a whole run: without -I and --top");
	err = java_maps__open(&r->java);
	return err ? why__refuse(&r->why, err, "--java-maps: %s", strerror(-err)) : 0;
}

/* First of all: it starts a process, which is to know nothing of the run. */
static int open_debuginfod(struct run *r)
{
	const struct debuginfod_opts opts = debuginfod__environment();

	return r->opts->debuginfod ? debuginfod__open(&r->debuginfod, &opts, &r->why) : 0;
}

int run__begin(struct run *r, const struct cmd_words *words, size_t least, size_t *nr_words)
{
	const struct run_opts *o = r->opts;
	const struct format_wish wishes[] = {
		{ "--json", o->json ? "json" : NULL },
		{ "--csv", o->csv ? "csv" : NULL },
		{ "-f", o->format },
	};
	int err;

	log_to_stderr(o->quiet, o->verbose);
	bpf__log_debug();
	if (words->command && !words->command[0])
		return run__usage(r, "no command behind --");
	if (o->max_stack > STACK_MAX_FRAMES)
		return run__usage(r, "--max-stack: at most 512 frames");
	if (o->max_memory && o->max_memory < COLLECTOR_LEAST_BYTES)
		return run__usage(r, "--max-memory: at least 16M");
	r->jail = words->jail;
	r->lookups = words->lookups;
	r->interval_ns = o->interval_ns ? o->interval_ns : o->top ? 1000000000 : 0;
	r->outputs.in_parts = r->interval_ns;
	err = open_debuginfod(r);
	if (!err)
		err = split_words(r, words, least, nr_words);
	if (!err)
		err = format__agree(wishes, ARRAY_SIZE(wishes), &r->format, &r->why);
	if (!err)
		err = target_opts__parse(&o->target, words->command, &r->target, &r->why);
	return err ? err : open_java_maps(r);
}

int run__choose_call_graph(struct run *r, bool force, unsigned *by)
{
	struct call_graph_opts graph = r->opts->call_graph;
	int err;

	if (!(*by & BY_USTACK))
		return 0;
	graph.force = force;
	err = call_graph__choose(&graph, &r->call_graph, &r->why);
	if (!err && !r->call_graph.user)
		*by &= ~(unsigned)BY_USTACK;
	return err;
}

int run__open_outputs(struct run *r)
{
	int err = profile_output__pprof_kind(r->opts->pprof, &r->pprof_cpu, &r->why);

	r->outputs.no_captures = !r->captures;
	return err ? err : outputs__open(&r->outputs, &r->opts->files, r->format, &r->why);
}

static int check_windows(struct run *r)
{
	r->window_ns = r->opts->window_ns;
	if (!r->window_ns)
		return 0;
	if (r->window_ns < LEAST_WINDOW_NS)
		return run__usage(r, "--windows: at least 10ms");
	if (outputs__any(&r->outputs, FORMAT_OF_WINDOWS))
		return 0;
	return run__usage(r, "--windows is of pmut, html, chrome and firefox: add -o FILE.pmut");
}

/* Addresses without names are of use where it is kept what they are in. */
static int check_symbols(struct run *r)
{
	if (!r->opts->no_symbols)
		return 0;
	if (r->opts->no_places || !outputs__any(&r->outputs, FORMAT_OF_PLACES))
		return run__usage(r, "--no-symbols is of pmut and pprof, which keep places: add "
				     "-o FILE.pmut, without --no-places");
	return 0;
}

static int check_formats(struct run *r, bool folds)
{
	for (size_t i = 0; i < r->outputs.nr; i++) {
		enum format format = r->outputs.items[i].format;

		if (format__is(format, FORMAT_OF_STACKS) && !folds)
			return why__refuse(&r->why, -EINVAL,
					   "%s is of stacks: add stack, kstack or ustack to --by",
					   format__name(format));
		if (format__is(format, FORMAT_OF_WHOLE_RUN) && r->interval_ns)
			return why__refuse(&r->why, -EINVAL,
					   "%s is of a whole run: without -I and --top",
					   format__name(format));
	}
	return 0;
}

int run__prepare(struct run *r, const struct cmd_words *words, const char *const *names, size_t nr,
		 size_t stride, bool folds)
{
	int err = check_formats(r, folds);

	if (!err)
		err = profile_output__check(&r->outputs, r->opts->all_events, &r->why);
	if (!err)
		err = check_windows(r);
	if (!err)
		err = check_symbols(r);
	if (!err)
		err = results__choose_event(r->opts->event, names, nr, stride, &r->event, &r->why);
	return err || !words->command ? err : command__prepare(&r->command, words->command);
}

/* Who waits for the end of an interval is not to find all of its names still to be looked up. */
static uint64_t gather_ns(const struct run *r)
{
	static const uint64_t MOST_NS = 500000000, LEAST_NS = 100000000;
	enum { PART = 20 };
	const uint64_t ns = r->interval_ns / PART;

	if (!r->interval_ns || ns > MOST_NS)
		return MOST_NS;
	return ns < LEAST_NS ? 0 : ns;
}

struct collector_opts run__collector_opts(const struct run *r)
{
	return (struct collector_opts){
		.demangle = !r->opts->no_demangle,
		.inlines = !r->opts->no_inline,
		.no_symbols = r->opts->no_symbols,
		.lines = r->opts->lines,
		.places = !r->opts->no_places &&
			  (r->is_viewed || outputs__any(&r->outputs, FORMAT_OF_PLACES)),
		.by_interval = r->interval_ns,
		.gather_ns = gather_ns(r),
		.measures_cost = r->opts->own_cost,
		.late_names = !r->interval_ns,
		.java = r->java,
		.max_bytes = r->opts->max_memory,
		.jail = r->jail,
		.debuginfod = r->debuginfod,
	};
}

pid_t run__command_pid(const struct run *r)
{
	return r->target.command ? command__pid(r->command) : 0;
}

void run__tell_no_names(void)
{
	if (target__in_pid_namespace())
		log__notice("inside a PID namespace: programs' functions have no names; use the "
			    "host's (--pid=host)");
}

void run__length(const struct run *r, char text[64])
{
	snprintf(text, 64, r->command ? "until the command ends" : "until Ctrl-C");
	if (r->duration_ns)
		snprintf(text, 64, "for %.3g s", r->duration_ns / 1e9);
}

unsigned run__rows(const struct run *r)
{
	return r->opts->top ? r->opts->top : r->opts->rows;
}
