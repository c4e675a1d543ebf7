// SPDX-License-Identifier: BSD-2-Clause
/* Samples user code of the whole machine for a moment, and a thread of our own that computes. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/clock.h"
#include "collect/collector.h"
#include "doctor/doctor_facts.h"
#include "event/event.h"
#include "machine/target.h"

static const uint64_t SAMPLE_NS = 300000000;
static const uint64_t WARM_UP_NS = 200000000;
static const uint64_t RULES_NS = 2000000000; /* to wait for, on a busy machine: unwind rules */
static const uint64_t STEP_NS = 20000000;
static const uint64_t NAMES_NS = 300000000; /* to wait for: which frames are entries */

/* On an idle machine there is something to sample, too. */
struct busy {
	pthread_t thread;
	atomic_bool ends;
	bool started;
};

static void *compute(void *arg)
{
	struct busy *b = arg;

	while (!atomic_load_explicit(&b->ends, memory_order_relaxed))
		;
	return NULL;
}

static void start_busy(struct busy *b)
{
	atomic_init(&b->ends, false);
	b->started = !pthread_create(&b->thread, NULL, compute, b);
}

static void end_busy(struct busy *b)
{
	atomic_store(&b->ends, true);
	if (b->started)
		pthread_join(b->thread, NULL);
}

/* Until @work says that it is done, or for @ns. */
static int keep_polling(const struct runloop_work *work, uint64_t ns)
{
	enum { STEP_MS = 5 };
	const uint64_t until_ns = clock__now_ns() + ns;
	int done = 0;

	while (!done && clock__now_ns() < until_ns) {
		const unsigned patience_ms = work->patience_ms(work->arg);

		usleep(1000 * (patience_ms < STEP_MS ? patience_ms : STEP_MS));
		done = work->poll(work->arg);
	}
	return done < 0 ? done : 0;
}

/*
 * Programs that run already are known by their first samples only, and these have no rules yet.
 * They are not what a longer run sees, and are not counted.
 */
static int warm_up(struct collector *c, const struct runloop_work *work)
{
	const uint64_t until_ns = clock__now_ns() + RULES_NS;
	int err = keep_polling(work, WARM_UP_NS);

	while (!err && collector__awaits_rules(c) && clock__now_ns() < until_ns)
		err = keep_polling(work, STEP_NS);
	if (!err)
		err = collector__flush(c, 0);
	return err ? err : collector__restart(c);
}

static int sample(struct collector *c)
{
	struct runloop_work work = collector__work(c);
	struct busy busy = {};
	int err;

	start_busy(&busy);
	err = collector__start(c);
	if (!err)
		err = warm_up(c, &work);
	if (!err)
		err = keep_polling(&work, SAMPLE_NS);
	end_busy(&busy);
	if (!err)
		err = collector__stop(c);
	work = collector__naming(c);
	if (!err)
		err = keep_polling(&work, NAMES_NS);
	return err ? err : collector__finish(c);
}

void doctor__try_stacks(const struct doctor_try_opts *opts, struct doctor_stacks *out)
{
	struct perf_events events = {};
	struct target target = { .inherit = true };
	struct sampler_opts sampler = {
		.target = &target,
		.max_stack = 127,
		.unwind_bytes = opts->unwind_bytes,
	};
	const struct collector_opts collector = {
		.sampler = &sampler,
		.by = BY_COMM | BY_PID | BY_USTACK,
		.jail = opts->jail,
	};
	struct collector *c = NULL;
	struct buf why = {};

	out->by_rules = opts->unwind_bytes > 0;
	out->err = perf_events__parse(&events, NULL, "cpu-clock:u@199hz", &why);
	sampler.events = events.items;
	sampler.nr_events = events.nr;
	if (!out->err)
		out->err = target__finish(&target, &why);
	if (!out->err)
		out->err = collector__open(&c, &collector, &why);
	if (!out->err)
		out->err = sample(c);
	if (!out->err) {
		out->ns = collector__profile(c)->duration_ns;
		out->losses = collector__profile(c)->losses;
	}
	collector__close(c);
	target__free(&target);
	perf_events__free(&events);
	buf__free(&why);
}
