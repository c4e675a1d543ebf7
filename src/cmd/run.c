// SPDX-License-Identifier: BSD-2-Clause
/* Checks options, measures, waits for names, prints intervals and results. */
#include "cmd/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/parse.h"
#include "base/privileges.h"
#include "base/why.h"
#include "cmd/measuring.h"
#include "cmd/profile_output.h"
#include "cmd/results.h"
#include "lookup/lookup_reader.h"
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
		err = results__choose_event(r->opts->event, names, nr, stride, &r->event, &r->why);
	return err || !words->command ? err : command__prepare(&r->command, words->command);
}

struct collector_opts run__collector_opts(const struct run *r)
{
	return (struct collector_opts){
		.demangle = !r->opts->no_demangle,
		.inlines = !r->opts->no_inline,
		.lines = r->opts->lines,
		.places = !r->opts->no_places && outputs__any(&r->outputs, FORMAT_OF_PLACES),
		.by_interval = r->interval_ns,
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

static int write_table(const struct run *r, FILE *f, const struct profile *p)
{
	const struct profile *shown;
	struct profile *copy;
	int err = profile_output__shown(p, FORMAT_TABLE, &shown, &copy);

	if (!err)
		err = r->write_table(r, f, shown);
	profile__free(copy);
	return err;
}

static int write_format(void *arg, FILE *f, enum format format)
{
	const struct run *r = arg;
	const struct profile_output out = {
		.profile = collector__profile(r->collector),
		.command = r->name,
		.weights = r->weights,
		.pprof_cpu = r->pprof_cpu,
		.all_events = r->opts->all_events,
		.is_later = r->nr_written,
		.at_ns = r->at_ns,
		.net = r->net,
		.svg = {
			.event = r->event,
			.noun = r->noun,
			.title = r->opts->title,
			.reverse = r->opts->reverse,
			.icicle = r->opts->icicle,
		},
	};

	if (format != FORMAT_TABLE)
		return profile_output__write(&out, f, format);
	if (r->opts->top && results__width(f))
		fputs("\033[H\033[J", f); /* home, and clear all that is below */
	else if (r->nr_written)
		fputc('\n', f);
	return write_table(r, f, out.profile);
}

/* Takes what probes cost themselves out of the values, where that is wanted (--net). */
static void take_off(struct run *r)
{
	if (r->net)
		collector__subtract(r->collector, r->net);
}

/* Prints what is in the profile, which then begins anew. */
static int write_interval(struct run *r)
{
	int err;

	r->at_ns = clock__now_ns() - r->start_ns;
	r->lost |= results__lost(collector__profile(r->collector));
	take_off(r);
	err = outputs__part(&r->outputs, write_format, r, &r->why);
	r->nr_written++;
	return err ? err : collector__restart(r->collector);
}

/* How long to wait for names: neither the next interval nor the run's end is to be late. */
static uint64_t names_ns(const struct run *r)
{
	uint64_t most = collector__names_ns(r->interval_ns), gone = clock__now_ns() - r->start_ns;

	if (r->duration_ns && (gone >= r->duration_ns || r->duration_ns - gone < most))
		most = gone < r->duration_ns ? r->duration_ns - gone : 0;
	return most;
}

static int poll_interval(void *arg)
{
	struct run *r = arg;
	struct runloop_work work = collector__work(r->collector);
	int err = work.poll(work.arg);

	if (err || !intervals__due(&r->intervals, clock__now_ns()))
		return err;
	intervals__next(&r->intervals);
	if (r->window_ns)
		return collector__end_window(r->collector);
	err = collector__flush(r->collector, names_ns(r));
	return err ? err : write_interval(r);
}

static unsigned patience_ms(void *arg)
{
	struct run *r = arg;
	struct runloop_work work = collector__work(r->collector);

	return intervals__patience_ms(&r->intervals, clock__now_ns(), work.patience_ms(work.arg));
}

static size_t ring_fds(void *arg, struct pollfd *fds, size_t max)
{
	struct run *r = arg;
	struct runloop_work work = collector__work(r->collector);

	return work.pollfds(work.arg, fds, max);
}

static uint64_t seen(void *arg)
{
	struct run *r = arg;
	struct runloop_work work = collector__work(r->collector);

	return work.seen(work.arg);
}

/* "; https://.. 3 of 12 MB", in front of where the cursor stands. */
static void show_fetching(struct run *r)
{
	char text[DEBUGINFOD_PROGRESS_BYTES] = "";

	if (r->debuginfod)
		debuginfod__progress(r->debuginfod, text);
	fprintf(stderr, "%s%s \b", *text ? "; " : "", text);
	r->progress_shown = true;
}

static void show_progress(void *arg, uint64_t elapsed_ns, uint64_t n)
{
	struct run *r = arg;

	fprintf(stderr, "\r%s%.1f s, %llu %ss", r->debuginfod ? "\033[K" : "", elapsed_ns / 1e9,
		(unsigned long long)n, r->noun);
	show_fetching(r);
}

static void show_naming(void *arg, uint64_t elapsed_ns, uint64_t nr_stacks)
{
	struct run *r = arg;

	fprintf(stderr,
		"\r\033[Klooking up names: %.1f s, %llu stacks left; Ctrl-C: addresses instead",
		elapsed_ns / 1e9, (unsigned long long)nr_stacks);
	show_fetching(r);
}

static void clear_progress(struct run *r)
{
	if (r->progress_shown)
		fputs("\r\033[K", stderr);
	r->progress_shown = false;
}

/* Waits for names as long as the user does: they may take as long as a disk does. */
static int finish(struct run *r, bool tells)
{
	const struct runloop_work work = collector__naming(r->collector);
	int err = collector__stop(r->collector);

	if (!err)
		err = runloop__settle(r->loop, &work, tells ? show_naming : NULL, r);
	clear_progress(r);
	return err ? err : collector__finish(r->collector);
}

int run__measure(struct run *r)
{
	bool terminal =
		isatty(STDERR_FILENO) && !r->opts->quiet && !r->opts->verbose && !r->interval_ns;
	struct runloop_opts loop = {
		.duration_ns = r->duration_ns,
		.target = &r->target,
		.command = r->command,
		.progress = terminal ? show_progress : NULL,
		.arg = r,
	};
	struct runloop_work work = { poll_interval, patience_ms, ring_fds, seen, r };
	int err = runloop__open(&r->loop, &loop);

	lookup_reader__rest(r->lookups);
	if (!err)
		err = collector__start(r->collector);
	if (!err)
		r->announce(r);
	r->start_ns = clock__now_ns();
	intervals__begin(&r->intervals, r->interval_ns ? r->interval_ns : r->window_ns,
			 r->duration_ns, r->start_ns);
	if (!err && r->command)
		err = command__release(r->command, &r->why);
	if (!err)
		err = measure_within(r->loop, PRIVILEGES_MEASURE, &work);
	clear_progress(r);
	if (!err)
		err = finish(r, terminal);
	if (!err && r->interval_ns)
		err = write_interval(r);
	if (r->command && r->duration_ns)
		return err; /* the command may run yet: signals are for it */
	/* Results come now: a second Ctrl-C is meant for them. */
	runloop__close(r->loop);
	r->loop = NULL;
	return err;
}

static void tell_losses(const struct run *r, const struct profile *p)
{
	char what[16];

	snprintf(what, sizeof(what), "%ss", r->noun);
	results__tell_losses(&r->outputs, what, &p->losses);
}

int run__write(struct run *r)
{
	const struct profile *p = collector__profile(r->collector);
	int failed;

	if (r->interval_ns) {
		failed = outputs__end(&r->outputs);
	} else {
		take_off(r);
		failed = outputs__write(&r->outputs, write_format, r);
		tell_losses(r, p);
		r->lost |= results__lost(p);
	}
	if (p->nr_events > 1 && !r->opts->event)
		results__tell_event(&r->outputs, p->events[r->event].name, r->opts->all_events);
	return failed;
}

int run__status(struct run *r, int failed)
{
	if (failed)
		return PMUTRACE_FAIL;
	if (r->opts->strict && r->lost)
		return PMUTRACE_STRICT;
	if (r->loop && runloop__wait(r->loop))
		return PMUTRACE_FAIL;
	return r->command ? command__status(r->command) : PMUTRACE_OK;
}

void run__free(struct run *r)
{
	runloop__close(r->loop);
	outputs__close(&r->outputs);
	collector__close(r->collector);
	java_maps__close(r->java);
	debuginfod__close(r->debuginfod);
	command__free(r->command);
	target__free(&r->target);
	target_opts__free(&r->opts->target);
	free((void *)r->opts->files.items);
	buf__free(&r->why);
}
