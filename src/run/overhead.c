// SPDX-License-Identifier: BSD-2-Clause
/* Adds up what measuring costs, looks once a second, and tells what is done about it. */
#include "run/overhead.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/why.h"
#include "machine/kin.h"

static const uint64_t LOOK_NS = 1000000000;
static const uint64_t HOPELESS_NS = 30 * 1000000000ull; /* at the last step */
static const uint64_t LEARN_NS = 20 * 1000000000ull;

struct overhead {
	struct budget budget;
	pid_t without;
	uint64_t begun_ns, looked_ns;
	uint64_t first_bpf_ns;	  /* when it began */
	uint64_t seen_user_ns;	  /* of processes, at the last look */
	unsigned nr_lower;	  /* looks since it was as much */
	uint64_t bpf_ns, user_ns; /* at the last look, from the first on */
	uint64_t paused_ns;
	bool is_told; /* that it cannot be kept */
};

int overhead__parse(const char *text, double *share, struct buf *why)
{
	static const double LEAST = 0.01, MOST = 100000;
	char *end;
	double percent = strtod(text, &end);

	if (*end == '%')
		end++;
	if (end == text || *end || !isfinite(percent) || percent < LEAST || percent > MOST)
		return why__refuse(why, -EINVAL,
				   "--max-overhead is a percentage of one CPU, such as 1 or 0.5, "
				   "0.01 at least, not '%s'",
				   text);
	*share = percent / 100;
	return 0;
}

int overhead__new(struct overhead **out, double share, pid_t without)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->without = without;
	budget__init(&(*out)->budget, share);
	return 0;
}

void overhead__free(struct overhead *o)
{
	free(o);
}

void overhead__add(struct overhead *o, enum budget_kind kind, size_t nr)
{
	while (nr--)
		budget__add(&o->budget, kind);
}

void overhead__clear(struct overhead *o)
{
	const struct budget before = o->budget;

	budget__init(&o->budget, before.share);
	o->budget.nr_down = before.nr_down;
	o->budget.nr_up = before.nr_up + before.level;
	budget__start(&o->budget, clock__now_ns(), (struct budget_used){ o->bpf_ns, o->user_ns });
}

/*
 * A process may be missing from one look, and what it has used is not to be counted again when it
 * is back. Of one that has ended, and that nobody waits for, what it has used goes with it.
 */
static void take_user(struct overhead *o)
{
	enum { GONE = 5 }; /* looks */
	struct kin kin;

	if (kin__look(&kin, getpid(), o->without))
		return;
	o->nr_lower = kin.cpu_ns < o->seen_user_ns ? o->nr_lower + 1 : 0;
	if (o->nr_lower && o->nr_lower < GONE)
		return;
	o->nr_lower = 0;
	if (o->looked_ns >= o->begun_ns + LEARN_NS && kin.cpu_ns > o->seen_user_ns)
		o->user_ns += kin.cpu_ns - o->seen_user_ns;
	o->seen_user_ns = kin.cpu_ns;
}

void overhead__begin(struct overhead *o, uint64_t bpf_ns)
{
	struct kin kin;

	o->first_bpf_ns = bpf_ns;
	if (!kin__look(&kin, getpid(), o->without)) {
		o->seen_user_ns = kin.cpu_ns;
		if (!kin.is_complete)
			log__notice("--max-overhead: this kernel does not tell which processes "
				    "another one has started (CONFIG_PROC_CHILDREN): those that "
				    "read files for pmutrace, or send, are not counted");
	}
	o->begun_ns = o->looked_ns = clock__now_ns();
	budget__start(&o->budget, o->begun_ns, (struct budget_used){ 0, 0 });
}

bool overhead__is_due(const struct overhead *o)
{
	return clock__now_ns() >= o->looked_ns + LOOK_NS;
}

unsigned overhead__patience_ms(const struct overhead *o)
{
	return (unsigned)clock__ms_until(o->looked_ns + LOOK_NS);
}

/* Once: no step is left, and what is left costs more than is allowed. */
static void tell_hopeless(struct overhead *o, uint64_t now_ns)
{
	const struct budget *b = &o->budget;

	if (o->is_told || b->level < b->nr_steps || b->used <= b->share ||
	    now_ns < b->changed_ns + HOPELESS_NS)
		return;
	o->is_told = true;
	log__notice("--max-overhead: %.3g %% of a CPU is used even so, for what goes on without "
		    "measuring: %.3g %% cannot be kept",
		    100 * b->used, 100 * b->share);
}

bool overhead__look(struct overhead *o, uint64_t bpf_ns)
{
	const uint64_t now_ns = clock__now_ns();

	if (overhead__is_paused(o))
		o->paused_ns += now_ns - o->looked_ns;
	o->looked_ns = now_ns;
	if (bpf_ns > o->first_bpf_ns + o->bpf_ns)
		o->bpf_ns = bpf_ns - o->first_bpf_ns;
	take_user(o);
	if (budget__look(&o->budget, now_ns, (struct budget_used){ o->bpf_ns, o->user_ns }))
		return true;
	tell_hopeless(o, now_ns);
	return false;
}

size_t overhead__taken(const struct overhead *o, enum budget_kind kind)
{
	return budget__taken(&o->budget, kind);
}

bool overhead__is_paused(const struct overhead *o)
{
	return budget__taken(&o->budget, BUDGET_PAUSE) > 0;
}

void overhead__tell(const struct overhead *o, const char *now)
{
	log__notice("--max-overhead: %.3g %% of a CPU was used, %.3g %% is allowed: %s",
		    100 * o->budget.was_used, 100 * o->budget.share, now);
}

void overhead__figures(const struct overhead *o, struct overhead_figures *out)
{
	*out = (struct overhead_figures){
		.limit = o->budget.share,
		.used = o->budget.used,
		.bpf_ns = o->bpf_ns,
		.user_ns = o->user_ns,
		.paused_ns = o->paused_ns,
		.nr_down = o->budget.nr_down,
		.nr_up = o->budget.nr_up,
	};
	for (enum budget_kind kind = 0; kind < BUDGET_KINDS; kind++)
		out->steps[kind] = budget__taken(&o->budget, kind);
}

void overhead__tell_end(const struct overhead *o)
{
	const double passed_ns = (double)(o->looked_ns - o->begun_ns);
	const double counted_ns = passed_ns - (double)LEARN_NS;
	const double bpf = passed_ns > 0 ? o->bpf_ns / passed_ns : 0;
	const double user = counted_ns > 0 ? o->user_ns / counted_ns : 0;

	if (passed_ns <= 0)
		return;
	if (counted_ns > 0)
		log__notice("--max-overhead: %.3g %% of a CPU was used in all, %.3g %% was allowed "
			    "(BPF %.3g %%, user space %.3g %% after the first 20 s)",
			    100 * (bpf + user), 100 * o->budget.share, 100 * bpf, 100 * user);
	else
		log__notice(
			"--max-overhead: %.3g %% of a CPU was used in BPF, %.3g %% was allowed; "
			"user space is counted from 20 s on",
			100 * bpf, 100 * o->budget.share);
	if (o->paused_ns)
		log__notice("--max-overhead: nothing was measured for %.1f of %.1f s",
			    o->paused_ns / 1e9, passed_ns / 1e9);
}
