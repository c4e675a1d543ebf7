// SPDX-License-Identifier: BSD-2-Clause
/* top: intervals with names, from the machine or a recording, and into one. */
#include "live/top_feed.h"

#include <errno.h>
#include <stdlib.h>

#include "base/log.h"
#include "live/procinfo.h"
#include "live/top_uncounted.h"
#include "machine/target.h"
#include "tape/liveread.h"
#include "tape/recording.h"
#include "tape/replay.h"

struct top_feed {
	struct processes *processes; /* of a replay: its own */
	struct procinfo *procinfo;
	struct replay *replay;
	size_t at;   /* of its intervals: the one in the models */
	size_t next; /* to be read */
	bool asked, no_pmu;
	struct recording *record;	/* NULL: nothing is recorded */
	const struct profile *attached; /* to the next interval */
	struct live *uncounted;		/* the interval of samples alone */
};

static int open_names(struct top_feed *f)
{
	/* From inside a PID namespace ids are not those of the kernel side. */
	const struct procinfo_opts opts = {
		.proc = target__in_pid_namespace() ? NULL : "/proc",
		.root = "",
	};

	f->processes = processes__new();
	return f->processes ? procinfo__open(&f->procinfo, &opts) : -ENOMEM;
}

/* The first interval that can be read tells which events there are. */
static int open_replay(struct top_feed *f, const char *path, struct buf *why)
{
	int err = replay__open(&f->replay, path, why);

	if (err)
		return err;
	f->asked = replay__events_asked(f->replay);
	f->no_pmu = replay__has_no_pmu(f->replay);
	if (replay__flaw(f->replay))
		log__notice("%s: %s", path, replay__flaw(f->replay));
	err = replay__go(f->replay, 0, why);
	for (size_t i = 1; i < replay__nr(f->replay) && err == -EBADMSG; i++) {
		buf__clear(why);
		err = replay__go(f->replay, i, why);
		f->at = i;
	}
	return err;
}

int top_feed__open(struct top_feed **out, const char *record, const char *replay, bool asked,
		   struct buf *why)
{
	struct top_feed *f = calloc(1, sizeof(*f));
	int err;

	*out = NULL;
	if (!f)
		return -ENOMEM;
	f->asked = asked;
	if (record && replay)
		err = buf__puts(why, "--record and --replay exclude each other") ? -ENOMEM
										 : -EINVAL;
	else
		err = replay ? open_replay(f, replay, why) : open_names(f);
	if (!err && record)
		err = recording__open(&f->record, record, why);
	if (err) {
		top_feed__close(f);
		return err;
	}
	*out = f;
	return 0;
}

void top_feed__close(struct top_feed *f)
{
	if (!f)
		return;
	recording__close(f->record);
	procinfo__close(f->procinfo);
	processes__free(f->processes);
	replay__close(f->replay);
	live__free(f->uncounted);
	free(f);
}

int top_feed__end(struct top_feed *f, struct buf *why)
{
	return f->record ? recording__end(f->record, why) : 0;
}

bool top_feed__is_replay(const struct top_feed *f)
{
	return f->replay;
}

bool top_feed__is_record(const struct top_feed *f)
{
	return f->record;
}

bool top_feed__events_asked(const struct top_feed *f)
{
	return f->asked;
}

void top_feed__set_no_pmu(struct top_feed *f)
{
	f->no_pmu = true;
}

bool top_feed__has_no_pmu(const struct top_feed *f)
{
	return f->no_pmu;
}

const struct processes *top_feed__processes(const struct top_feed *f)
{
	return f->replay ? replay__processes(f->replay) : f->processes;
}

const struct live *top_feed__live(const struct top_feed *f)
{
	return f->replay ? replay__live(f->replay) : NULL;
}

static int put_record(struct top_feed *f, const struct live *live, const struct profile *samples,
		      struct buf *why)
{
	unsigned flags = (f->asked ? LIVEREAD_ASKED : 0) | (f->no_pmu ? LIVEREAD_NO_PMU : 0) |
			 (live == f->uncounted ? LIVEREAD_SAMPLES_ONLY : 0);

	return f->record ? recording__put(f->record, live, f->processes, samples, flags, why) : 0;
}

static int go(struct top_feed *f, size_t i, struct buf *why)
{
	int err = replay__go(f->replay, i, why);

	if (!err)
		f->at = i;
	return err;
}

static void lend(const struct top_feed *f, const struct live **live, uint64_t *ns)
{
	*live = replay__live(f->replay);
	*ns = live__interval(*live)->interval_ns;
}

static int refresh_replay(struct top_feed *f, const struct live **live, uint64_t *ns,
			  struct buf *why)
{
	int err;

	if (top_feed__has_ended(f))
		return -ENODATA;
	err = go(f, f->next++, why);
	lend(f, live, ns);
	return err;
}

int top_feed__refresh(struct top_feed *f, struct top_tasks *top, const struct live **live,
		      uint64_t *ns, struct buf *why)
{
	int err;

	if (f->replay)
		return refresh_replay(f, live, ns, why);
	err = top_tasks__refresh(top, ns);
	*live = top_tasks__live(top);
	if (!err)
		err = procinfo__refresh(f->procinfo, *live, f->processes);
	if (!err)
		err = put_record(f, *live, f->attached, why);
	f->attached = NULL;
	return err;
}

void top_feed__attach(struct top_feed *f, const struct profile *samples)
{
	f->attached = samples;
}

int top_feed__put_samples(struct top_feed *f, const struct profile *samples, struct buf *why)
{
	int err;

	if (!f->record)
		return 0;
	if (!f->uncounted)
		f->uncounted = live__new(LIVE_EVENTS);
	err = f->uncounted ? top_uncounted__fill(f->uncounted, samples) : -ENOMEM;
	if (!err)
		err = procinfo__refresh(f->procinfo, f->uncounted, f->processes);
	return err ? err : put_record(f, f->uncounted, samples, why);
}

const struct profile *top_feed__samples(const struct top_feed *f)
{
	return f->replay ? replay__samples(f->replay) : NULL;
}

bool top_feed__has_samples_only(const struct top_feed *f)
{
	return f->replay && replay__has_samples_only(f->replay);
}

size_t top_feed__at(const struct top_feed *f)
{
	return f->at;
}

size_t top_feed__nr(const struct top_feed *f)
{
	return f->replay ? replay__nr(f->replay) : 0;
}

bool top_feed__has_ended(const struct top_feed *f)
{
	return f->next >= top_feed__nr(f);
}

static size_t find_target(const struct top_feed *f, long by)
{
	size_t steps = by < 0 ? -(unsigned long)by : (unsigned long)by;
	size_t room = by < 0 ? f->at : top_feed__nr(f) - 1 - f->at;

	steps = steps < room ? steps : room;
	return by < 0 ? f->at - steps : f->at + steps;
}

/* Goes to @i, or if that is damaged past it to the first interval that is not. */
static int go_past(struct top_feed *f, size_t i, bool back, struct buf *why)
{
	const size_t end = back ? 0 : top_feed__nr(f) - 1;
	struct buf more = {};
	int err = go(f, i, why);

	while (err == -EBADMSG && i != end) {
		i += back ? -1 : 1;
		buf__clear(&more);
		err = go(f, i, &more);
	}
	buf__free(&more);
	return err;
}

int top_feed__seek(struct top_feed *f, long by, const struct live **live, uint64_t *ns,
		   struct buf *why)
{
	size_t from = f->at, to = find_target(f, by);
	struct buf more = {};
	int err = go_past(f, to, by < 0, why);

	if (err == -EBADMSG)
		err = go_past(f, to, by >= 0, &more);
	buf__free(&more);
	if (err)
		return err;
	f->next = f->at + 1;
	lend(f, live, ns);
	if (f->at == from && !why->len)
		return buf__puts(why, by < 0 ? "this is the recording's beginning"
					     : "this is the recording's end");
	return 0;
}
