// SPDX-License-Identifier: BSD-2-Clause
/* Weighs CPU time that was used against a share of one CPU. */
#include "run/budget.h"

static const uint64_t SECOND_NS = 1000000000;
static const uint64_t LOOK_NS = 900000000;

enum {
	SAVED_S = 30,	   /* of the budget, at most */
	DEBT_S = 60,	   /* more is forgotten */
	FIRST_S = 5,	   /* saved at the start */
	BACK_S = 10,	   /* saved, before a step is taken back */
	RECENT_S = 10,	   /* what is longer ago counts less and less */
	SETTLE_S = 4,	   /* before another step is taken, or its cost is known */
	WAIT_S = 10,	   /* before a step is taken back */
	WAIT_MOST_S = 600, /* after tries that were wrong */
	WRONG_S = 60,	   /* what has gone well for so long was right */
	FACTOR = 2,	   /* of a step, before anything is known */
	FACTOR_MOST = 16,
};

/*
 * Of the budget: more is too much; more is too much where a lot is to be made up for; a step is
 * taken back for so much, and what is left is for what cannot be foreseen.
 */
static const double FILLED = 0.95, HALF = 0.5, FITS = 0.9;

const char *budget_kind__name(enum budget_kind kind)
{
	static const char *const names[BUDGET_KINDS] = { "rate", "keys", "events", "pause" };

	return names[kind];
}

static double seconds_of(const struct budget *b, unsigned s)
{
	return b->share * s * (double)SECOND_NS;
}

static void begin_level(struct budget *b, uint64_t now_ns)
{
	b->was_used = b->used;
	b->changed_ns = now_ns;
	b->since_ns = b->spent_ns = b->programs_ns = 0;
}

void budget__init(struct budget *b, double share)
{
	*b = (struct budget){ .share = share, .wait_ns = WAIT_S * SECOND_NS };
}

void budget__start(struct budget *b, uint64_t now_ns, struct budget_used used)
{
	b->looked_ns = now_ns;
	b->used_then = used;
	b->credit_ns = seconds_of(b, FIRST_S);
	begin_level(b, now_ns);
}

void budget__add(struct budget *b, enum budget_kind kind)
{
	/* A pause there must be. */
	if (b->nr_steps == BUDGET_STEPS && kind == BUDGET_PAUSE)
		b->nr_steps--;
	if (b->nr_steps == BUDGET_STEPS)
		return;
	b->steps[b->nr_steps] = kind;
	b->factor[b->nr_steps++] = FACTOR;
}

size_t budget__taken(const struct budget *b, enum budget_kind kind)
{
	size_t nr = 0;

	for (size_t i = 0; i < b->level; i++)
		nr += b->steps[i] == kind;
	return nr;
}

/* By how much the last step has lowered the cost; of a rate that is known. */
static void learn(struct budget *b)
{
	const size_t last = b->level - 1;

	if (!b->level || b->steps[last] == BUDGET_RATE || !b->before[last] ||
	    b->since_ns < SETTLE_S * (double)SECOND_NS)
		return;
	b->factor[last] = b->used > 0 ? b->before[last] / b->used : FACTOR_MOST;
	if (b->factor[last] > FACTOR_MOST)
		b->factor[last] = FACTOR_MOST;
	if (b->factor[last] < 1)
		b->factor[last] = 1;
	b->before[last] = 0; /* as the load was then */
}

static void count(struct budget *b, uint64_t passed_ns, struct budget_used spent)
{
	const double spent_ns = (double)spent.programs_ns + (double)spent.user_ns;

	b->credit_ns += b->share * (double)passed_ns - spent_ns;
	if (b->credit_ns > seconds_of(b, SAVED_S))
		b->credit_ns = seconds_of(b, SAVED_S);
	if (b->credit_ns < -seconds_of(b, DEBT_S))
		b->credit_ns = -seconds_of(b, DEBT_S);
	if (b->since_ns > RECENT_S * (double)SECOND_NS) {
		b->since_ns /= 2;
		b->spent_ns /= 2;
		b->programs_ns /= 2;
	}
	b->since_ns += (double)passed_ns;
	b->spent_ns += spent_ns;
	b->programs_ns += (double)spent.programs_ns;
	b->used = b->spent_ns / b->since_ns;
}

/* Taking the last step back was wrong if this comes soon. */
static void note_wrong(struct budget *b, uint64_t now_ns)
{
	if (!b->tried_ns)
		return;
	if (now_ns - b->tried_ns >= WRONG_S * SECOND_NS)
		b->wait_ns = WAIT_S * SECOND_NS;
	else if (b->steps[b->level] != BUDGET_PAUSE)
		b->wait_ns *= 2;
	if (b->wait_ns > WAIT_MOST_S * SECOND_NS)
		b->wait_ns = WAIT_MOST_S * SECOND_NS;
	b->tried_ns = 0;
}

/* The last step has had time to show what it does. */
static bool has_settled(const struct budget *b, uint64_t now_ns)
{
	return !b->level || now_ns - b->changed_ns >= SETTLE_S * SECOND_NS ||
	       b->programs_ns > FILLED * b->share * b->since_ns;
}

static bool is_too_much(const struct budget *b)
{
	const bool is_deep = b->credit_ns < -seconds_of(b, RECENT_S) &&
			     b->since_ns > RECENT_S * (double)SECOND_NS;

	return b->credit_ns < 0 && b->used > (is_deep ? HALF : FILLED) * b->share;
}

static bool take_steps(struct budget *b, uint64_t now_ns)
{
	double beyond = b->used / b->share;
	const size_t from = b->level;

	if (from == b->nr_steps || !is_too_much(b) || !has_settled(b, now_ns))
		return false;
	note_wrong(b, now_ns);
	do {
		b->before[b->level] = 0;
		beyond /= FACTOR;
		b->level++;
	} while (beyond > 1 && b->level < b->nr_steps && b->steps[b->level - 1] == BUDGET_RATE &&
		 b->steps[b->level] == BUDGET_RATE);
	if (b->level == from + 1)
		b->before[from] = b->used;
	b->nr_down += b->level - from;
	begin_level(b, now_ns);
	return true;
}

static bool take_back(struct budget *b, uint64_t now_ns)
{
	const bool is_paused = b->level && b->steps[b->level - 1] == BUDGET_PAUSE;

	if (!b->level)
		return false;
	if (is_paused && b->credit_ns < seconds_of(b, SAVED_S))
		return false;
	if (!is_paused &&
	    (b->credit_ns < seconds_of(b, BACK_S) || now_ns - b->changed_ns < b->wait_ns ||
	     b->used * b->factor[b->level - 1] > FITS * b->share))
		return false;
	b->level--;
	b->nr_up++;
	b->tried_ns = now_ns;
	begin_level(b, now_ns);
	return true;
}

static uint64_t since(uint64_t now, uint64_t then)
{
	return now > then ? now - then : 0; /* a process may have been there twice */
}

bool budget__look(struct budget *b, uint64_t now_ns, struct budget_used used)
{
	const struct budget_used then = b->used_then;

	if (now_ns < b->looked_ns + LOOK_NS)
		return false;
	if (used.user_ns < then.user_ns)
		used.user_ns = then.user_ns;
	count(b, now_ns - b->looked_ns,
	      (struct budget_used){ since(used.programs_ns, then.programs_ns),
				    used.user_ns - then.user_ns });
	b->looked_ns = now_ns;
	b->used_then = used;
	learn(b);
	return take_steps(b, now_ns) || take_back(b, now_ns);
}
