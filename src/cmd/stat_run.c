// SPDX-License-Identifier: BSD-2-Clause
/* stat: the run itself, its intervals and repetitions. */
#include <sys/resource.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/log.h"
#include "base/privileges.h"
#include "cmd/cmd.h"
#include "cmd/measuring.h"
#include "cmd/stat.h"
#include "print/stat_csv.h"
#include "print/stat_json.h"
#include "print/stat_separated.h"
#include "print/stat_table.h"
#include "run/command.h"
#include "run/runloop.h"
#include "stat/counting.h"

static int write_format(void *arg, FILE *f, enum format format)
{
	struct stat_run *r = arg;
	const struct stat_separated_opts separated = {
		.separator = r->separator,
		.cgroups = r->cgroups.data,
	};
	bool first = !r->nr_written;

	if (format == FORMAT_JSON)
		return print__stat_json(f, r->result);
	if (format == FORMAT_CSV && r->separator)
		return print__stat_separated(f, r->result, &separated);
	if (format == FORMAT_CSV)
		return print__stat_csv(f, r->result, first);
	return print__stat_table(f, r->result, first);
}

static int take_interval(struct stat_run *r)
{
	int err = counting__read(r->counting, true);

	if (err)
		return err;
	r->result = counting__counts(r->counting);
	r->partial = r->partial || counts__is_partial(r->result);
	err = outputs__part(&r->outputs, write_format, r, &r->why);
	r->nr_written++;
	intervals__next(&r->intervals);
	return err;
}

static int poll_interval(void *arg)
{
	struct stat_run *r = arg;
	int err = counting__poll(r->counting);

	return err ? err : intervals__due(&r->intervals, clock__now_ns()) ? take_interval(r) : 0;
}

static unsigned patience_ms(void *arg)
{
	const struct stat_run *r = arg;
	const unsigned idle_ms = counting__is_polled(r->counting) ? COUNTING_POLL_MS : 3600 * 1000;

	return intervals__patience_ms(&r->intervals, clock__now_ns(), idle_ms);
}

static uint64_t time_ns(struct timeval t)
{
	return t.tv_sec * 1000000000ull + t.tv_usec * 1000ull;
}

/* The command's CPU time: what children have used since @before. */
static void take_usage(struct stat_run *r, const struct rusage *before)
{
	struct counts *c = counting__counts(r->counting);
	struct rusage now;

	if (!r->target.command || getrusage(RUSAGE_CHILDREN, &now))
		return;
	c->user_ns = time_ns(now.ru_utime) - time_ns(before->ru_utime);
	c->system_ns = time_ns(now.ru_stime) - time_ns(before->ru_stime);
}

/* Opens what one repetition counts, disabled; its command is held back before its exec. */
static int open_counting(struct stat_run *r)
{
	struct counting_opts opts = { .events = &r->events, .target = &r->target, .by = r->by };
	struct buf text = {};
	int err = 0;

	if (r->argv)
		err = command__prepare(&r->command, r->argv);
	runloop__follow(r->loop, r->command);
	if (r->command && r->target.command)
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

/* Each repetition's command has the capabilities of the user, so they are there until the last. */
static int wait_for_end(struct stat_run *r, const struct runloop_work *work)
{
	if (r->repeats.nr + 1 < r->opts->repeat)
		return runloop__run(r->loop, work);
	return measure_within(r->loop, PRIVILEGES_MEASURE, work);
}

/* From start to end, of the command too: what is counted is in r->counting then. */
static int count_once(struct stat_run *r)
{
	struct runloop_work work = { poll_interval, patience_ms, NULL, NULL, r };
	struct rusage before = {};
	int err;

	getrusage(RUSAGE_CHILDREN, &before);
	err = counting__start(r->counting);
	intervals__begin(&r->intervals, r->opts->interval_ns, r->duration_ns, clock__now_ns());
	if (!err && r->command)
		err = command__release(r->command, &r->why);
	if (!err)
		err = wait_for_end(r, &work);
	if (!err)
		err = counting__stop(r->counting);
	if (!err)
		err = r->opts->interval_ns ? take_interval(r) : counting__read(r->counting, false);
	if (!err)
		err = runloop__wait(r->loop);
	if (!err && r->command) {
		r->status = command__status(r->command);
		take_usage(r, &before);
	}
	return err;
}

static void end_repetition(struct stat_run *r)
{
	counting__close(r->counting);
	command__free(r->command);
	r->counting = NULL;
	r->command = NULL;
}

/* -r: a run that a signal may have shortened would falsify the means, and is left out. */
static int repeat(struct stat_run *r)
{
	const uint64_t files = files__limit();
	const uint32_t nr = r->opts->repeat;
	bool cut = false;
	int err = 0;

	while (!err && !cut && r->repeats.nr < nr) {
		runloop__follow(r->loop, NULL);
		end_repetition(r);
		files__set_limit(files);
		err = open_counting(r);
		if (err || (r->repeats.nr && runloop__interrupted(r->loop)))
			break;
		err = count_once(r);
		cut = runloop__interrupted(r->loop);
		if (!err && !cut)
			err = repeats__add(&r->repeats, counting__take(r->counting));
	}
	if (err)
		return err;
	if (cut && r->repeats.nr)
		log__notice("run %u was cut off by a signal and is left out", r->repeats.nr + 1);
	else if (cut)
		log__notice(
			"the first run was cut off by a signal: these are its counts, no means");
	if (r->repeats.nr)
		repeats__finish(&r->repeats);
	r->result = r->repeats.nr ? r->repeats.sum : counting__counts(r->counting);
	return 0;
}

int stat_run__count(struct stat_run *r)
{
	struct runloop_opts opts = { .duration_ns = r->duration_ns, .target = &r->target };
	int err = runloop__open(&r->loop, &opts);

	if (!err && r->opts->repeat) {
		err = repeat(r);
	} else if (!err) {
		err = open_counting(r);
		if (!err)
			err = count_once(r);
		if (!err)
			r->result = counting__counts(r->counting);
	}
	/* The result comes now: another Ctrl-C is meant for it. */
	runloop__close(r->loop);
	r->loop = NULL;
	return err;
}

int stat_run__report(struct stat_run *r)
{
	int failed = 0;

	if (r->opts->interval_ns)
		failed = outputs__end(&r->outputs);
	else
		failed = outputs__write(&r->outputs, write_format, r);
	if (failed)
		return PMUTRACE_FAIL;
	if (r->opts->strict && (r->partial || counts__is_partial(r->result)))
		return PMUTRACE_STRICT;
	return r->argv ? r->status : PMUTRACE_OK;
}

void stat_run__free(struct stat_run *r)
{
	end_repetition(r);
	repeats__free(&r->repeats);
}
