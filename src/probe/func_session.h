/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/func_session.h - the inside of a session that measures calls, shared by its sources:
 *	func.c			what a session of this kind does in its own way
 *	func_open.c		functions that can share an object, and the way to attach it
 *	func_load.c		sizes, configuration, loading of one object
 *	func_ways.c		its programs, by how they are attached
 *	func_counters.c	perf events of each CPU
 */
#ifndef PMUTRACE_PROBE_FUNC_SESSION_H
#define PMUTRACE_PROBE_FUNC_SESSION_H

#include "probe/func.h"
#include "probe/cpu_counters.h"
#include "probe/object.h"
#include "object/sites.h"
#include "object/targets.h"

#include "func.skel.h" /* needs the types of the above */

/* Functions that share a BPF object, and the object. */
struct pair {
	struct func_bpf *skel;
	const struct func_probe *functions; /* of func_opts; those behind the first are alike */
	size_t nr_functions;
	enum sites_way entry_way, leave_way; /* SITES_WAYS: there is no such probe */
	struct bpf_program *entry, *leave;   /* SITES_SESSION: the same; NULL: no such probe */
	struct object object;
	struct sites entry_sites, leave_sites;
};

struct func {
	struct session session;
	struct pair **pairs;
	size_t nr_pairs, cap_pairs;
	struct targets_links followers; /* of the first pair: all share its tasks and targets */
	struct bpf_link *on_switch, *on_exec, *on_exit;
	struct cpu_counters counters;
	struct sites on_sites, off_sites; /* probes on Go's scheduler */
	bool has_trampolines;		  /* false: tried in vain */
};

static inline bool function__is_matched(const struct func_probe *f)
{
	return f->match[0].source || f->match[1].source || f->place == FUNC_PLACE_STACK;
}

/* Its calls are kept by bpf/func_deep.bpf.h, nested to any depth. */
static inline bool function__is_deep(const struct func_probe *f)
{
	return f->place == FUNC_PLACE_THREAD || f->place == FUNC_PLACE_GO;
}

/* CPU time and events of its calls are known, not only their time. */
static inline bool function__has_account(const struct func_probe *f, const struct func_opts *opts)
{
	return !function__is_matched(f) && (f->place != FUNC_PLACE_GO || opts->nr_switches);
}

/* Its programs need cookies (5.15) to tell some exits from others. */
static inline bool function__needs_cookies(const struct func_probe *f)
{
	for (size_t i = 0; i < f->nr_exits; i++)
		if (f->exits[i].condition >= 0)
			return true;
	return false;
}

/* Loads a pair's object for its ways. @why: on error a sentence. 0 or -errno. */
int pair__load(struct func *c, struct pair *p, const struct func_opts *opts,
	       struct buf *why) must_check;

/* Whether a probe can be attached that way, as far as that is known before trying. */
bool pair__has_way(const struct func_probe *f, bool leave, enum sites_way way);

/* Loads and attaches all functions, and opens the counters with the first. 0 or -errno with @why.
 */
int func__open_pairs(struct func *c, const struct func_opts *opts, struct buf *why) must_check;

/* Closes the last pair and drops it from the list. */
void func__drop_pair(struct func *c);
void pair__close(struct pair *p);

/* Chooses the programs for the pair's ways; no others will be loaded. 0 or -errno. */
int pair__choose_programs(struct func *c, struct pair *p, const struct func_opts *opts) must_check;

/* Its programs may preempt each other on a CPU. */
bool pair__is_preempted(const struct pair *p);

/* For trampolines: turns offsets of fields from struct pt_regs to an array of arguments. */
void pair__place_fields(struct pair *p, const struct func_opts *opts);

extern const struct session_fns func__fns;

#endif
