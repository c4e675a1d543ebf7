// SPDX-License-Identifier: BSD-2-Clause
/* The run of a collector: polls, flushes, stops. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "base/log.h"
#include "collect/collector_state.h"
#include "collect/here.h"
#include "jail/cage.h"
#include "sym/perfmap.h"

static const uint64_t SURVEY_NS = 5 * 1000000;	       /* per poll, for older processes */
static const uint64_t REMEMBER_NS = 2000 * 1000000ull; /* how long ended processes stay known */
static const uint64_t FORGET_NS = 500 * 1000000ull;
static const uint64_t STUCK_NS = 20000 * 1000000ull;  /* a disk that answers has done so by then */
static const uint64_t TABLES_NS = 300 * 1000000;      /* to wait for, at the start and the end */
static const uint64_t VERIFY_NS = 20000 * 1000000ull; /* to wait for, at the end */
static const uint64_t PART_NS = 100 * 1000000; /* least time between flushes of part_code() */

/* Takes in all process events so far, before stacks are shown that may need them. */
static int catch_up(void *arg)
{
	struct collector *c = arg;

	return tracker__update(c->tracker, UINT64_MAX);
}

/* Drops ended processes; not at every poll, since it goes through all that are known. */
static int forget_ended(struct collector *c, uint64_t now)
{
	uint64_t since;

	if (now < REMEMBER_NS || now - c->forgot_ns < FORGET_NS)
		return 0;
	c->forgot_ns = now;
	since = waiting__since_ns(c->waiting);
	if (c->unwinder && since > unwinder__since_ns(c->unwinder))
		since = unwinder__since_ns(c->unwinder);
	if (since > now - REMEMBER_NS)
		since = now - REMEMBER_NS;
	return procs__forget(tracker__procs(c->tracker), since);
}

static struct rows_reader reader_of(struct collector *c)
{
	return (struct rows_reader){ catch_up, collector__take_stack, collector__take_count, c };
}

/* Until there are tables of all files of processes that stacks are wanted of, or for @most_ns. */
static int await_tables(struct collector *c, uint64_t most_ns, const struct rows_reader *reader)
{
	enum { STEP_MS = 2 };
	const uint64_t until_ns = clock__now_ns() + most_ns;
	bool last = false;
	int err = 0;

	while (!err && !last) {
		struct pollfd fds[] = {
			{ unwinder__fd(c->unwinder), POLLIN, 0 },
			{ namer__fd(tracker__namer(c->tracker)), POLLIN, 0 },
		};

		err = unwinder__poll(c->unwinder, clock__now_ns(), false, reader);
		if (err || !unwinder__waits(c->unwinder))
			break;
		last = clock__now_ns() >= until_ns;
		(void)poll(fds, ARRAY_SIZE(fds), STEP_MS);
		err = collector__name_waiting(c);
	}
	return err;
}

/* The stacks of targets that are there already are whole from the first one on. */
int collector__start(struct collector *c)
{
	const struct rows_reader reader = reader_of(c);
	int err = 0;

	if (c->unwinder)
		err = await_tables(c, TABLES_NS, &reader);
	c->start_ns = clock__now_ns();
	c->profile->about.begin_ns = here__now_ns();
	return err ? err : session__start(c->session);
}

bool collector__awaits_rules(const struct collector *c)
{
	return c->unwinder && unwinder__waits(c->unwinder);
}

/*
 * A stack is named by the code that was mapped when it was first sampled, up to the next drain.
 * When code is replaced by other code, a flush has later samples counted anew; those since the last
 * poll may get the old names. A program that replaces code all the time (anybody's may) does not
 * get a flush each time, for these read counters on all CPUs and wait for it.
 */
static int part_code(struct collector *c, const struct rows_reader *reader)
{
	enum { SHARE = 10 };
	uint64_t nr = procs__nr_replaced(tracker__procs(c->tracker)), now_ns = clock__now_ns();
	uint64_t pause_ns;
	int err;

	if (!c->parts_code || nr == c->nr_replaced || now_ns < c->part_ns)
		return 0;
	c->nr_replaced = nr;
	err = session__flush(c->session, reader);
	pause_ns = SHARE * (clock__now_ns() - now_ns);
	c->part_ns = clock__now_ns() + (pause_ns > PART_NS ? pause_ns : PART_NS);
	return err;
}

/* Targets that have just begun a program are likely to be sampled soon. */
static int unwind(struct collector *c, uint64_t now, const struct rows_reader *reader)
{
	uint32_t pid;
	int err = 0;

	while (!err && (pid = tracker__take_exec(c->tracker)))
		err = unwinder__began(c->unwinder, pid);
	return err ? err : unwinder__poll(c->unwinder, now, false, reader);
}

/* Rules for stacks that nobody takes are not worth their time, but for those that are under way. */
static bool is_unwinding(const struct collector *c)
{
	return c->unwinder && (!c->no_user_now || unwinder__waits(c->unwinder));
}

static int poll_all(void *arg)
{
	struct collector *c = arg;
	const struct rows_reader reader = reader_of(c);
	uint64_t now = clock__now_ns();
	bool done;
	int err;

	/*
	 * Processes first: a stack is named by what was known when it was taken. What is shown
	 * below was there at the last poll already: older than the moment taken here, unless
	 * the rings called twice within that time.
	 */
	if (c->verifier)
		(void)verifier__poll(c->verifier);
	err = tracker__update(c->tracker, now - TRACKER_LAG_NS);
	if (!err && now - c->polled_ns > TRACKER_LAG_NS) {
		c->polled_ns = now;
		err = session__poll(c->session, &reader);
		if (!err)
			err = part_code(c, &reader);
	}
	if (!err && is_unwinding(c))
		err = unwind(c, now, &reader);
	if (!err && !collector__awaits_rules(c))
		err = tracker__survey(c->tracker, SURVEY_NS, &done);
	if (!err)
		err = collector__name_waiting(c);
	return err ? err : forget_ended(c, now);
}

/* Where nothing is to be done soon: at lower rates as little happens in a longer time. */
static unsigned stretched_ms(const struct collector *c, unsigned ms)
{
	enum { LONG_MS = 50, LONGEST_MS = 200 };

	if (ms < LONG_MS)
		return ms;
	for (unsigned n = c->halvings; n && ms < LONGEST_MS; n--)
		ms *= 2;
	return ms < LONGEST_MS ? ms : LONGEST_MS;
}

static unsigned patience_ms(void *arg)
{
	enum {
		BETWEEN_NAMES_MS = 5, /* at most half of a CPU goes to them */
		PAUSED_MS = 1000,
	};
	struct collector *c = arg;
	unsigned ms = session__patience_ms(c->session);

	if (is_unwinding(c) && ms > unwinder__patience_ms(c->unwinder))
		ms = unwinder__patience_ms(c->unwinder);
	ms = stretched_ms(c, ms);
	if (c->is_paused && !c->stopped)
		ms = PAUSED_MS;
	return collector__has_names_to_do(c) && ms > BETWEEN_NAMES_MS ? BETWEEN_NAMES_MS : ms;
}

static size_t ring_fds(void *arg, struct pollfd *fds, size_t max)
{
	struct collector *c = arg;
	size_t nr = tracker__pollfds(c->tracker, fds, max);

	if (!is_unwinding(c))
		return nr;
	if (nr < max)
		fds[nr] = (struct pollfd){ unwinder__fd(c->unwinder), POLLIN, 0 };
	return nr + 1;
}

static uint64_t samples_seen(void *arg)
{
	const struct collector *c = arg;

	return session__seen(c->session);
}

struct runloop_work collector__work(struct collector *c)
{
	return (struct runloop_work){ poll_all, patience_ms, ring_fds, samples_seen, c };
}

static void tell_unstored(unsigned long long nr)
{
	struct buf why = {};

	if (!limits__explain(&why, -ENOMEM) && !why.len &&
	    buf__printf(&why, "out of memory: reading files may take %u MiB", CAGE_BYTES >> 20))
		buf__clear(&why);
	log__notice("functions of %llu file%s have addresses for names: %s", nr, nr == 1 ? "" : "s",
		    why.len ? why.data : strerror(ENOMEM));
	buf__free(&why);
}

static void tell_cut(const char *what, const char *path, unsigned long long nr)
{
	if (nr)
		log__notice("%llu %s%s (%s) %s read in part: perf maps and jitdumps may take %u "
			    "MiB of memory, and those of other users %llu s of a run",
			    nr, what, nr == 1 ? "" : "s", path, nr == 1 ? "was" : "were",
			    PERFMAPS_BYTES >> 20, ALLOWANCE_NS / 1000000000);
}

/* Files of other users are read up to a limit: they must not be able to slow a run down. */
static void tell_unread(const struct collector *c)
{
	unsigned long long nr = tracker__nr_unread(c->tracker);

	if (nr)
		log__notice("functions of %llu file%s of other users have addresses for names: all "
			    "such files may take %llu MiB and %llu s of a run",
			    nr, nr == 1 ? "" : "s", ALLOWANCE_BYTES >> 20,
			    ALLOWANCE_NS / 1000000000);
	nr = namer__nr_unstored(tracker__namer(c->tracker));
	if (nr)
		tell_unstored(nr);
	nr = namer__nr_late_refused(tracker__namer(c->tracker));
	if (nr)
		log__notice("%llu times code made at run time had no name, and was not asked for "
			    "again: --max-memory SIZE",
			    nr);
	tell_cut("perf map", "/tmp/perf-PID.map", tracker__nr_maps_cut(c->tracker));
	tell_cut("jitdump", "jit-PID.dump", namer__nr_dumps_cut(tracker__namer(c->tracker)));
}

void collector__tell(const struct collector *c)
{
	int err = namer__kernel_error(tracker__namer(c->tracker));

	if (err == -EACCES)
		log__notice("kernel functions have no names: addresses are hidden (sysctl "
			    "kernel.kptr_restrict=0, or CAP_SYSLOG)");
	else if (err)
		log__notice("kernel functions have no names: /proc/kallsyms: %s", strerror(-err));
	tell_unread(c);
	if (tracker__nr_lost(c->tracker))
		log__notice("%llu process events were lost: some functions may have no name",
			    (unsigned long long)tracker__nr_lost(c->tracker));
	if (c->unwinder)
		unwinder__tell(c->unwinder);
}

/*
 * Times of events are read first of all, and with them the clock: what is drained later looks like
 * a sample too many. Losses are read before it waits for names: later ones are the next profile's.
 */
static int flush(struct collector *c, uint64_t names_ns, bool last)
{
	const struct rows_reader reader = reader_of(c);
	struct losses sums = {};
	int err;

	c->flushed_ns = clock__now_ns();
	c->profile->duration_ns = c->flushed_ns - c->start_ns;
	err = session__flush(c->session, &reader);
	if (!err)
		err = collector__fill_times(c);
	session__losses(c->session, &sums);
	collector__fill_cost(c);
	if (!err)
		err = collector__await_names(c, names_ns, last);
	if (!err)
		err = collector__name_all(c);
	collector__fill_losses(c, &sums);
	return err;
}

int collector__end_window(struct collector *c)
{
	const struct rows_reader reader = reader_of(c);
	struct losses sums = {};
	int err;

	if (c->profile->sealed)
		return 0;
	c->profile->duration_ns = clock__now_ns() - c->start_ns;
	err = session__flush(c->session, &reader);
	if (!err)
		err = collector__fill_times(c);
	session__losses(c->session, &sums);
	collector__fill_cost(c);
	collector__fill_losses(c, &sums);
	return err ? err : profile__close_window(c->profile, c->profile->duration_ns);
}

int collector__flush(struct collector *c, uint64_t names_ns)
{
	return flush(c, names_ns, false);
}

int collector__flush_last(struct collector *c, uint64_t names_ns)
{
	return flush(c, names_ns, true);
}

/* Copies of stacks whose tables are being built get them, if that does not take long. */
static int unwind_rest(struct collector *c, const struct rows_reader *reader)
{
	int err = catch_up(c);

	if (!err)
		err = await_tables(c, TABLES_NS, reader);
	return err ? err : unwinder__poll(c->unwinder, clock__now_ns(), true, reader);
}

/* What has not been compared by then is counted as such. */
static void verify_rest(struct collector *c)
{
	enum { STEP_US = 2000 };
	const uint64_t until_ns = clock__now_ns() + VERIFY_NS;

	while (verifier__poll(c->verifier) && clock__now_ns() < until_ns)
		usleep(STEP_US);
	verifier__end(c->verifier, &c->profile->check);
}

int collector__stop(struct collector *c)
{
	const struct rows_reader reader = reader_of(c);
	int err;

	if (c->stopped)
		return 0;
	err = session__stop(c->session);
	c->profile->duration_ns = clock__now_ns() - c->start_ns;
	c->stopped = true;
	if (!err)
		err = session__poll(c->session, &reader);
	if (!err && c->unwinder)
		err = unwind_rest(c, &reader);
	if (!err && c->verifier)
		verify_rest(c);
	session__check(c->session, &c->profile->check);
	return err;
}

/* The naming thread has used no CPU time for STUCK_NS: its disk or file server may never answer. */
static bool is_stuck(struct collector *c)
{
	uint64_t busy_ns = namer__cpu_ns(tracker__namer(c->tracker)), now_ns = clock__now_ns();

	if (!c->naming_ns || busy_ns != c->naming_busy_ns) {
		c->naming_busy_ns = busy_ns;
		c->naming_ns = now_ns;
	}
	return now_ns - c->naming_ns >= STUCK_NS;
}

static int poll_names(void *arg)
{
	struct collector *c = arg;
	int err = collector__name_waiting(c);

	if (!err && !waiting__nr(c->waiting))
		err = collector__poll_late(c);
	return err ? err : is_stuck(c);
}

static unsigned names_patience_ms(void *arg)
{
	enum { BETWEEN_ANSWERS_MS = 20 };
	const struct collector *c = arg;

	if (c->asked_java && !c->asked_late)
		return BETWEEN_ANSWERS_MS;
	return collector__has_names_to_do(c) ? 0 : 100;
}

static size_t names_fd(void *arg, struct pollfd *fds, size_t max)
{
	struct collector *c = arg;

	if (max)
		fds[0] = (struct pollfd){ namer__fd(tracker__namer(c->tracker)), POLLIN, 0 };
	return 1;
}

static uint64_t stacks_waiting(void *arg)
{
	const struct collector *c = arg;

	return waiting__nr(c->waiting);
}

struct runloop_work collector__naming(struct collector *c)
{
	return (struct runloop_work){ poll_names, names_patience_ms, names_fd, stacks_waiting, c };
}

int collector__finish(struct collector *c)
{
	int err = collector__stop(c);
	struct losses sums = {};

	if (!err)
		err = collector__name_all(c);
	if (!err)
		err = collector__settle_late(c);
	if (!err)
		err = collector__fill_times(c);
	session__losses(c->session, &sums);
	collector__fill_losses(c, &sums);
	collector__fill_cost(c);
	if (!err && c->profile->windows.nr)
		err = profile__close_window(c->profile, c->profile->duration_ns);
	if (!err)
		err = windows__settle(&c->profile->windows);
	session__tell(c->session);
	collector__tell(c);
	return err;
}

void collector__subtract(struct collector *c, const uint64_t *each)
{
	profile__subtract(c->profile, each);
}

const struct profile *collector__profile(const struct collector *c)
{
	return c->profile;
}
