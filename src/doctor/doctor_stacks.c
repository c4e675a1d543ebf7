// SPDX-License-Identifier: BSD-2-Clause
/* How many user stacks were whole, why the others were not, and what helps. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "doctor/doctor_facts.h"

static const char AREA[] = "unwinding";

enum { GOOD_PERMILLE = 990 };

/* What helps, by the reason's name in struct losses. */
static const struct {
	const char *reason, *fix;
} fixes[] = {
	{ "user_truncated", "deeper stacks: --max-stack N, at most 512" },
	{ "no_frame_pointer", "unwind rules: --call-graph eh; or builds with "
			      "-fno-omit-frame-pointer" },
	{ "no_unwind_rule", "code made at run time has to keep frame pointers (java "
			    "-XX:+PreserveFramePointer); of hand-written assembly: none" },
	{ "bad_unwind_rule", "none: these rules cannot be followed; pmutrace profile "
			     "--verify-unwind -v shows where" },
	{ "user_unreadable", "none: parts of these stacks were not in memory" },
	{ "code_unknown",
	  "longer runs: programs are known some ms after they begin; if notices tell "
	  "of rules that there was no room for: --unwind-mem SIZE" },
	{ "process_gone", "none: these processes lived for some ms only" },
};

/* Names that were late say nothing of the stack. */
static bool is_flaw(const struct loss *l)
{
	return l->flaw && l->n && strcmp(l->name, "names_late") != 0;
}

static uint64_t nr_incomplete(const struct losses *l, const struct loss **most)
{
	uint64_t sum = 0;

	*most = NULL;
	for (unsigned i = 0; i < l->nr; i++) {
		if (!is_flaw(&l->by[i]))
			continue;
		sum += l->by[i].n;
		if (!*most || l->by[i].n > (*most)->n)
			*most = &l->by[i];
	}
	return sum;
}

static void put_found(const struct doctor *d, enum finding_state state, uint64_t whole)
{
	const struct doctor_stacks *s = &d->tries->stacks;
	struct buf reasons = {};
	int err = 0;

	for (unsigned i = 0; i < s->losses.nr && !err; i++)
		if (is_flaw(&s->losses.by[i]))
			err = buf__printf(&reasons, "; %" PRIu64 " %s", s->losses.by[i].n,
					  s->losses.by[i].text);
	findings__add(d->findings, AREA, "user-stacks", state,
		      "%" PRIu64 " of %" PRIu64 " are whole, by %s (all programs, %.1f s)%s", whole,
		      s->losses.kept, s->by_rules ? "unwind rules" : "frame pointers", s->ns / 1e9,
		      reasons.data ? reasons.data : "");
	if (err)
		d->findings->err = err;
	buf__free(&reasons);
}

static const char *fix_of(const struct doctor *d, const struct loss *most)
{
	/* Rules are the default: where they are not followed the kernel does not allow it. */
	if (!d->tries->stacks.by_rules)
		return "boot a kernel in which programs may read user memory in an NMI (6.1.36, "
		       "6.3.10, 6.4 or newer); or --force, which may stop this one";
	for (size_t i = 0; i < ARRAY_SIZE(fixes); i++)
		if (!strcmp(fixes[i].reason, most->name))
			return fixes[i].fix;
	return "none is known";
}

static void report(const struct doctor *d)
{
	const struct losses *l = &d->tries->stacks.losses;
	const struct loss *most;
	const uint64_t bad = nr_incomplete(l, &most), whole = bad < l->kept ? l->kept - bad : 0;
	const bool good = !most || whole * 1000 >= l->kept * GOOD_PERMILLE;

	put_found(d, good ? FINDING_OK : FINDING_LIMITED, whole);
	if (good)
		return;
	findings__cost(d->findings,
		       "the others lack callers, and say so with a frame of their own");
	findings__fix(d->findings, "%s", fix_of(d, most));
}

void doctor__stacks(const struct doctor *d)
{
	const struct doctor_stacks *s = &d->tries->stacks;

	if (!s->err && s->losses.kept) {
		report(d);
		return;
	}
	if (d->tries->profile) {
		findings__add(d->findings, AREA, "user-stacks", doctor__state_of(d->tries->profile),
			      "not tried: it needs what is missing above");
		findings__cost(d->findings, "there are no stacks");
		findings__fix(d->findings, "what mends profile, above");
		return;
	}
	findings__add(d->findings, AREA, "user-stacks", FINDING_UNKNOWN, "%s",
		      s->err ? strerror(-s->err) : "no user code was sampled");
	findings__cost(d->findings, "stacks may lack callers");
	doctor__fix_refused(d, s->err, "none: it takes a program that computes");
}
