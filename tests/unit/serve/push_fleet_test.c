// SPDX-License-Identifier: BSD-2-Clause
/*
 * A thousand senders and one backend, by a clock of the test's own: when requests come, before, in
 * and after an outage, and what becomes of each body.
 *
 * Senders are modelled: a spool of bodies, one request at a time. When the next request is made,
 * and what an answer means, is decided by the code that senders have (serve/push_schedule.h,
 * serve/push_verdict.h). All windows end at the same moment, and sizes are those of docs/fleet.md.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "serve/push_schedule.h"
#include "serve/push_verdict.h"
#include "serve/pusher.h"

enum { AGENTS = 1000, SECONDS_MAX = 4 * 3600, MINUTE = 60 };

static const uint64_t SECOND = 1000000000, ANSWERS_NS = 5000000;

struct fleet_opts {
	uint64_t window_s;
	unsigned nr_bodies;   /* of a window */
	uint64_t body_bytes;  /* of each */
	uint64_t spool_bytes; /* of each sender; 0: PUSHER_SPOOL_BYTES */
	uint64_t capacity;    /* requests a second; more are answered by 429; 0: all are taken */
};

/* Of a host with five busy services: docs/fleet.md. */
static const struct {
	const char *name;
	struct fleet_opts opts;
} settings[] = {
	{ "small", { .window_s = 60, .nr_bodies = 6, .body_bytes = 45000 } },
	{ "middle", { .window_s = 30, .nr_bodies = 6, .body_bytes = 24000 } },
	{ "full", { .window_s = 10, .nr_bodies = 6, .body_bytes = 16000 } },
};

struct agent {
	struct push_schedule schedule;
	uint64_t *begins_ns; /* of bodies that wait, a ring, the oldest first */
	size_t first, nr;
	uint64_t window_ns; /* when the next one ends */
	uint64_t answer_ns; /* UINT64_MAX: nobody is asked */
	unsigned status;    /* what that will be */
	bool is_gone;	    /* what is sent had to make room meanwhile */
	uint64_t put, sent, lost[PUSH_LOSSES];
	uint64_t empty_s; /* when nothing waited for the first time after the outage; 0: not yet */
};

struct fleet {
	struct fleet_opts opts;
	struct agent agents[AGENTS];
	size_t room; /* of a ring: bodies that a spool has room for */
	uint64_t random;
	uint64_t down_ns, up_ns;   /* of the backend */
	uint64_t tokens_ns, token; /* what it can take now: parts of a request, 1 / SECOND each */
	unsigned asked[SECONDS_MAX], taken[SECONDS_MAX]; /* requests in each second */
};

/* Outages begin after this. */
enum { STEADY_S = 15 * MINUTE };

static uint64_t some_number(struct fleet *f)
{
	return hash_u64(f->random += 0x9e3779b97f4a7c15ull);
}

/* Of a made-up machine-id, as senders make it of theirs. */
static uint64_t place_of(unsigned i)
{
	char id[40];
	const int len = snprintf(id, sizeof(id), "%08" PRIx64 "%024u\n", hash_u64(i) >> 32, i);

	return hash_bytes(0, id, len);
}

static struct fleet *new_fleet(const struct fleet_opts *o)
{
	struct fleet *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->opts = *o;
	f->room = (o->spool_bytes ? o->spool_bytes : PUSHER_SPOOL_BYTES) / o->body_bytes;
	f->down_ns = f->up_ns = UINT64_MAX;
	for (unsigned i = 0; i < AGENTS; i++) {
		struct agent *a = &f->agents[i];

		push_schedule__begin(&a->schedule, o->window_s * SECOND, place_of(i));
		a->begins_ns = calloc(f->room, sizeof(*a->begins_ns));
		assert_non_null(a->begins_ns);
		a->window_ns = o->window_s * SECOND;
		a->answer_ns = UINT64_MAX;
	}
	return f;
}

static struct fleet *new_outage(const struct fleet_opts *o, uint64_t outage_s)
{
	struct fleet *f = new_fleet(o);

	f->down_ns = STEADY_S * SECOND;
	f->up_ns = f->down_ns + outage_s * SECOND;
	return f;
}

static void free_fleet(struct fleet *f)
{
	for (unsigned i = 0; i < AGENTS; i++)
		free(f->agents[i].begins_ns);
	free(f);
}

static void take_first(const struct fleet *f, struct agent *a)
{
	a->first = (a->first + 1) % f->room;
	a->nr--;
}

/* What is too old goes; whether there is work is told to the schedule. */
static void look(const struct fleet *f, struct agent *a, uint64_t now_ns)
{
	while (a->answer_ns == UINT64_MAX && a->nr &&
	       a->begins_ns[a->first] + PUSHER_AGE_NS < now_ns) {
		a->lost[PUSH_LOST_OLD]++;
		take_first(f, a);
	}
	push_schedule__set_work(&a->schedule, a->nr, now_ns);
	if (!a->nr && !a->empty_s && now_ns >= f->up_ns)
		a->empty_s = now_ns / SECOND;
}

static void end_window(const struct fleet *f, struct agent *a, uint64_t now_ns)
{
	for (unsigned i = 0; i < f->opts.nr_bodies; i++) {
		if (a->nr == f->room) {
			a->lost[PUSH_LOST_FULL]++;
			a->is_gone = a->answer_ns != UINT64_MAX;
			take_first(f, a);
		}
		a->begins_ns[(a->first + a->nr++) % f->room] = now_ns - f->opts.window_s * SECOND;
		a->put++;
	}
	a->window_ns += f->opts.window_s * SECOND;
	look(f, a, now_ns);
}

/* Up to a second's worth of requests is taken at once. */
static unsigned status_of(struct fleet *f, uint64_t now_ns)
{
	if (now_ns >= f->down_ns && now_ns < f->up_ns)
		return 0;
	if (!f->opts.capacity)
		return 200;
	f->token += (now_ns - f->tokens_ns) * f->opts.capacity;
	f->tokens_ns = now_ns;
	if (f->token > f->opts.capacity * SECOND)
		f->token = f->opts.capacity * SECOND;
	if (f->token < SECOND)
		return 429;
	f->token -= SECOND;
	return 200;
}

static void ask(struct fleet *f, struct agent *a, uint64_t now_ns)
{
	look(f, a, now_ns);
	if (!a->nr)
		return;
	f->asked[now_ns / SECOND]++;
	a->status = status_of(f, now_ns);
	f->taken[now_ns / SECOND] += a->status == 200;
	a->answer_ns = now_ns + ANSWERS_NS;
	a->is_gone = false;
}

static void take_answer(struct fleet *f, struct agent *a, uint64_t now_ns)
{
	a->answer_ns = UINT64_MAX;
	if (push_verdict(a->status) == PUSH_ARRIVED) {
		push_schedule__arrived(&a->schedule, now_ns, a->nr);
		if (!a->is_gone) {
			a->sent++;
			take_first(f, a);
		}
	} else {
		/* No answer, or one that there is too much. */
		assert_int_equal(push_verdict(a->status),
				 a->status ? PUSH_LATER : PUSH_LATER_OTHERS);
		push_schedule__failed(&a->schedule, now_ns, 0, some_number(f));
	}
	look(f, a, now_ns);
}

/* When something happens to it next. */
static uint64_t next_ns(const struct agent *a)
{
	const uint64_t due_ns =
		a->answer_ns != UINT64_MAX ? a->answer_ns : push_schedule__due_ns(&a->schedule);

	return due_ns < a->window_ns ? due_ns : a->window_ns;
}

static void act(struct fleet *f, struct agent *a, uint64_t now_ns)
{
	if (now_ns >= a->window_ns)
		end_window(f, a, now_ns);
	else if (a->answer_ns != UINT64_MAX)
		take_answer(f, a, now_ns);
	else
		ask(f, a, now_ns);
}

/* Those below @at of the heap are in order. */
static void sift(uint64_t times[], unsigned who[], size_t at)
{
	for (size_t child; (child = 2 * at + 1) < AGENTS; at = child) {
		const uint64_t time = times[at];
		const unsigned agent = who[at];

		if (child + 1 < AGENTS && times[child + 1] < times[child])
			child++;
		if (time <= times[child])
			return;
		times[at] = times[child];
		who[at] = who[child];
		times[child] = time;
		who[child] = agent;
	}
}

static void run_until(struct fleet *f, uint64_t end_s)
{
	uint64_t times[AGENTS], now_ns = 0;
	unsigned who[AGENTS];

	assert_in_range(end_s, 1, SECONDS_MAX);
	for (unsigned i = 0; i < AGENTS; i++) {
		who[i] = i;
		times[i] = next_ns(&f->agents[i]);
	}
	for (size_t i = AGENTS; i--;)
		sift(times, who, i);
	while (times[0] < end_s * SECOND) {
		struct agent *a = &f->agents[who[0]];

		/* What is due since before is done now. */
		now_ns = times[0] > now_ns ? times[0] : now_ns;
		act(f, a, now_ns);
		times[0] = next_ns(a);
		sift(times, who, 0);
	}
}

/* Of @v from second @begin to before @end. */
static double mean(const unsigned *v, unsigned begin, unsigned end)
{
	uint64_t sum = 0;

	for (unsigned i = begin; i < end; i++)
		sum += v[i];
	return (double)sum / (end - begin);
}

static unsigned most(const unsigned *v, unsigned begin, unsigned end)
{
	unsigned max = 0;

	for (unsigned i = begin; i < end; i++)
		max = v[i] > max ? v[i] : max;
	return max;
}

struct sums {
	uint64_t put, sent, lost[PUSH_LOSSES], waiting, empty_s;
};

static struct sums sums_of(const struct fleet *f)
{
	struct sums s = {};

	for (unsigned i = 0; i < AGENTS; i++) {
		const struct agent *a = &f->agents[i];

		s.put += a->put;
		s.sent += a->sent;
		s.waiting += a->nr;
		for (unsigned j = 0; j < PUSH_LOSSES; j++)
			s.lost[j] += a->lost[j];
		if (f->up_ns != UINT64_MAX)
			assert_int_not_equal(a->empty_s, 0);
		s.empty_s = a->empty_s > s.empty_s ? a->empty_s : s.empty_s;
	}
	return s;
}

static void show(const char *name, const struct fleet *f, const struct sums *s)
{
	const unsigned up_s = f->up_ns / SECOND;

	print_message("%s: before it %.0f/s, at most %u; empty %" PRIu64
		      " s after it: %.0f/s, at most %u, refused %.0f/s\n",
		      name, mean(f->asked, 300, STEADY_S), most(f->asked, 300, STEADY_S),
		      s->empty_s - up_s, mean(f->taken, up_s, s->empty_s + 1),
		      most(f->asked, up_s, s->empty_s + 1),
		      mean(f->asked, up_s, s->empty_s + 1) - mean(f->taken, up_s, s->empty_s + 1));
}

/* Each is sent, waits, or is lost for a reason. */
static void assert_account(const struct sums *s, uint64_t old, uint64_t full)
{
	assert_int_equal(s->lost[PUSH_LOST_OLD], old);
	assert_int_equal(s->lost[PUSH_LOST_FULL], full);
	assert_int_equal(s->put, s->sent + s->waiting + old + full);
}

/* Requests a second when all is well. */
static double steady_of(const struct fleet_opts *o)
{
	return (double)AGENTS * o->nr_bodies / o->window_s;
}

/* Each window's bodies are sent within the next one; no second has twice as many as the mean. */
static void places_spread_a_window(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		struct fleet *f = new_fleet(&settings[i].opts);
		struct sums s;

		run_until(f, STEADY_S);
		s = sums_of(f);
		assert_account(&s, 0, 0);
		assert_in_range(s.waiting, 0, AGENTS * f->opts.nr_bodies);
		assert_float_equal(mean(f->asked, 300, STEADY_S), steady_of(&f->opts),
				   steady_of(&f->opts) / 100);
		assert_in_range(most(f->asked, 300, STEADY_S), 1, 2 * steady_of(&f->opts));
		free_fleet(f);
	}
}

/*
 * Half an hour has come together, which goes within a quarter (five minutes until the last one asks
 * again, and ten), with what comes meanwhile: three times what is steady. No second has more than
 * three times that.
 */
static void after_an_outage_what_waited_comes_evenly(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		struct fleet *f = new_outage(&settings[i].opts, 30 * MINUTE);
		const unsigned up_s = f->up_ns / SECOND;
		struct sums s;

		run_until(f, up_s + 20 * MINUTE);
		s = sums_of(f);
		show(settings[i].name, f, &s);
		assert_account(&s, 0, 0);
		assert_in_range(most(f->asked, up_s, s.empty_s + 1), 1,
				3 * 3 * steady_of(&f->opts));
		assert_in_range(s.empty_s, up_s, up_s + 15 * MINUTE + 5);
		free_fleet(f);
	}
}

/*
 * A backend that takes twice what is steady, and answers 429 to the rest: it needs half an hour at
 * least. Nothing becomes too old, it has work, and is not asked for more than three times of that.
 */
static void a_backend_that_is_just_large_enough_gets_all(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++) {
		struct fleet *f = new_outage(&settings[i].opts, 30 * MINUTE);
		const unsigned up_s = f->up_ns / SECOND;
		struct sums s;

		f->opts.capacity = 2 * steady_of(&f->opts);
		run_until(f, up_s + 60 * MINUTE);
		s = sums_of(f);
		show(settings[i].name, f, &s);
		assert_account(&s, 0, 0);
		assert_in_range(s.empty_s, up_s + 29 * MINUTE, up_s + 55 * MINUTE);
		assert_true(mean(f->taken, up_s, up_s + 29 * MINUTE) >= 0.75 * f->opts.capacity);
		assert_in_range(most(f->asked, up_s, s.empty_s + 1), 1, 3 * f->opts.capacity);
		free_fleet(f);
	}
}

/*
 * Two hours: what came in the first one is older than an hour at the end of them. So is what gets
 * there while its sender waits for its turn, five minutes at most.
 */
static void what_is_too_old_is_dropped_and_counted(void **state)
{
	struct fleet *f = new_outage(&settings[1].opts, 120 * MINUTE);
	const uint64_t a_minute = MINUTE * steady_of(&f->opts);
	struct sums s;

	(void)state;
	run_until(f, f->up_ns / SECOND + 20 * MINUTE);
	s = sums_of(f);
	assert_account(&s, s.lost[PUSH_LOST_OLD], 0);
	assert_in_range(s.lost[PUSH_LOST_OLD], 59 * a_minute, 66 * a_minute);
	free_fleet(f);
}

/* Ten minutes have room: twenty of half an hour make it, and up to five until a sender's turn. */
static void what_has_no_room_is_dropped_and_counted(void **state)
{
	struct fleet_opts o = settings[2].opts;
	struct fleet *f;
	struct sums s;

	(void)state;
	o.spool_bytes = 10 * MINUTE / o.window_s * o.nr_bodies * o.body_bytes;
	f = new_outage(&o, 30 * MINUTE);
	run_until(f, f->up_ns / SECOND + 20 * MINUTE);
	s = sums_of(f);
	assert_account(&s, 0, s.lost[PUSH_LOST_FULL]);
	assert_in_range(s.lost[PUSH_LOST_FULL], 19 * MINUTE * steady_of(&o),
			26 * MINUTE * steady_of(&o));
	free_fleet(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(places_spread_a_window),
		cmocka_unit_test(after_an_outage_what_waited_comes_evenly),
		cmocka_unit_test(a_backend_that_is_just_large_enough_gets_all),
		cmocka_unit_test(what_is_too_old_is_dropped_and_counted),
		cmocka_unit_test(what_has_no_room_is_dropped_and_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
