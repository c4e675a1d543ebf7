// SPDX-License-Identifier: BSD-2-Clause
/* Measures, waits for names, prints intervals and results. */
#include "cmd/run.h"

#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/privileges.h"
#include "cmd/measuring.h"
#include "cmd/profile_output.h"
#include "cmd/results.h"
#include "cmd/viewing.h"
#include "lookup/lookup_reader.h"
#include "sym/debuginfod.h"

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

static struct profile_output output_of(const struct run *r)
{
	return (struct profile_output){
		.profile = collector__profile(r->collector),
		.command = r->name,
		.weights = r->weights,
		.pprof_cpu = r->pprof_cpu,
		.all_events = r->opts->all_events,
		.is_later = r->nr_written,
		.at_ns = r->at_ns,
		.color = r->opts->color,
		.net = r->net,
		.own_cost = r->opts->own_cost || r->overhead,
		.svg = {
			.event = r->event,
			.noun = r->noun,
			.title = r->opts->title,
			.reverse = r->opts->reverse,
			.icicle = r->opts->icicle,
		},
	};
}

static int write_format(void *arg, FILE *f, enum format format)
{
	const struct run *r = arg;
	const struct profile_output out = output_of(r);

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

static int hand_over(struct run *r)
{
	struct profile *p;
	int err = collector__take(r->collector, &p);

	if (!err)
		err = r->take_interval(r, p);
	return err ? err : collector__forget_many(r->collector);
}

/* Prints what is in the profile, which then begins anew. */
static int write_interval(struct run *r)
{
	int err;

	r->at_ns = clock__now_ns() - r->start_ns;
	r->lost |= results__lost(collector__profile(r->collector));
	if (r->take_interval)
		return hand_over(r);
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

/* What that has cost so far, and whether less is to be measured. */
static int look_at_cost(struct run *r)
{
	if (!r->overhead || !overhead__is_due(r->overhead) ||
	    !overhead__look(r->overhead, collector__own_ns(r->collector)))
		return 0;
	return r->spare(r);
}

static int poll_interval(void *arg)
{
	struct run *r = arg;
	struct runloop_work work = collector__work(r->collector);
	int err = work.poll(work.arg);

	if (!err)
		err = look_at_cost(r);
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
	unsigned most_ms = work.patience_ms(work.arg);

	if (r->overhead && overhead__patience_ms(r->overhead) < most_ms)
		most_ms = overhead__patience_ms(r->overhead);
	return intervals__patience_ms(&r->intervals, clock__now_ns(), most_ms);
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
	if (!err && r->overhead)
		overhead__begin(r->overhead, collector__own_ns(r->collector));
	if (!err)
		err = measure_within(r->loop, PRIVILEGES_MEASURE, &work);
	clear_progress(r);
	if (!err)
		err = finish(r, terminal);
	if (!err && r->interval_ns)
		err = write_interval(r);
	r->is_told_to_end = runloop__is_told_to_end(r->loop);
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

	if (r->take_interval)
		return 0;
	if (r->interval_ns) {
		failed = outputs__end(&r->outputs);
	} else {
		take_off(r);
		failed = outputs__write(&r->outputs, write_format, r);
		tell_losses(r, p);
		r->lost |= results__lost(p);
	}
	if (profile__nr_sampled(p) > 1 && !r->opts->event)
		results__tell_event(&r->outputs, p->events[r->event].name, r->opts->all_events);
	return failed;
}

int run__status(struct run *r, int failed)
{
	if (r->overhead)
		overhead__tell_end(r->overhead);
	if (r->opts->own_cost)
		log__notice("BPF programs took %.3g ms of CPU time",
			    collector__own_ns(r->collector) / 1e6);
	if (failed)
		return PMUTRACE_FAIL;
	if (r->opts->strict && r->lost)
		return PMUTRACE_STRICT;
	if (r->loop && runloop__wait(r->loop))
		return PMUTRACE_FAIL;
	return r->command ? command__status(r->command) : PMUTRACE_OK;
}

int run__view(struct run *r)
{
	const struct profile_output out = output_of(r);
	int err = r->loop ? runloop__wait(r->loop) : 0;

	/* The command has ended: signals are for us. */
	if (err || r->is_told_to_end)
		return err;
	runloop__close(r->loop);
	r->loop = NULL;
	return viewing__show(&out, r->name, &r->why);
}

void run__free(struct run *r)
{
	runloop__close(r->loop);
	outputs__close(&r->outputs);
	overhead__free(r->overhead);
	collector__close(r->collector);
	java_maps__close(r->java);
	debuginfod__close(r->debuginfod);
	command__free(r->command);
	target__free(&r->target);
	target_opts__free(&r->opts->target);
	free((void *)r->opts->files.items);
	buf__free(&r->why);
}
