/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * collect/collector_state.h - what a collector is inside, for the sources of collect/collector.h:
 *	collector_open.c	opening and closing: the session, and all that it needs besides
 *	collector_room.c	limits of memory
 *	collector_names.c	stacks and counts, at once or when their names are there
 *	collector_late.c	names that programs have written since they were sampled
 *	collector_figures.c	losses, cost and times of the profile
 *	collector_take.c	profile after profile
 *	collector.c		life: start, poll, flush, stop
 */
#ifndef PMUTRACE_COLLECT_COLLECTOR_STATE_H
#define PMUTRACE_COLLECT_COLLECTOR_STATE_H

#include "collect/collector.h"
#include "collect/stacks.h"
#include "collect/unwinder.h"
#include "collect/waiting.h"
#include "machine/cgroup.h"
#include "probe/session.h"

/* Flaws by bit of enum sample_flaw, then those that only user space can find. */
enum { COLLECTOR_GONE = 9, COLLECTOR_UNNAMED, COLLECTOR_FLAWS };

struct room {
	uint64_t max_bytes;
	size_t nr, nr_taken; /* the profile's entries when it was last looked at; taken since */
	uint64_t nr_names;   /* the namer's changes when its memory was last looked at */
	uint64_t nr_full;    /* samples that there was no room for, since the start */
	bool told_near, told_full;
};

struct collector {
	struct session *session;
	struct room room;
	struct tracker *tracker;
	struct profile *profile;
	struct stacks *stacks;
	struct waiting *waiting;
	struct unwinder *unwinder; /* NULL: stacks are taken by frame pointer */
	struct verifier *verifier; /* NULL: not wanted */
	struct cgroups *cgroups;   /* names of ids; NULL when not asked for */
	struct rowfields fields;
	struct rowprobe *probes; /* what key->stack.source stands for; NULL: an event */
	size_t nr_probes;
	uint32_t nr_sampled, nr_members; /* events of a sampling session; members are behind */
	const struct perf_event_spec *sampled; /* borrowed */
	unsigned by;
	uint64_t start_ns, polled_ns, flushed_ns, forgot_ns;
	bool stopped;
	unsigned halvings;	       /* of rates, for now: collector__spare() */
	bool is_paused;		       /* nothing is sampled for now: collector__spare() */
	bool no_user_now;	       /* no user stacks are taken for now: collector__spare() */
	bool parts_code;	       /* flushes when code of files is replaced by other code */
	uint64_t nr_replaced, part_ns; /* as of the last flush; when the next one may be */
	/* While names are waited for: when the naming thread last ran, and its CPU time then. */
	uint64_t naming_ns, naming_busy_ns;
	struct java_maps *java; /* borrowed; NULL: JVMs are not asked */
	bool asked_java, asked_late;
	size_t names_of_one; /* how many one profile had when all before were forgotten; 0: not known */
	bool retry; /* names have come for stacks that wait, and not all of these were tried */
	uint64_t flaws[COLLECTOR_FLAWS];
	/* At the last restart: what sessions tell are sums from their start on. */
	struct losses before;
	uint64_t own_before_ns;
	uint64_t *enabled_before, *running_before, *passed_before; /* by event */
};

/* To be called before a stack or row is added: keeps memory within its limit. 0 or -ENOMEM. */
int collector__keep_to_room(struct collector *c) must_check;
size_t collector__wait_bytes(const struct collector *c);
size_t collector__symbol_bytes(const struct collector *c);
size_t collector__late_max(const struct collector *c); /* addresses: sym/namer.h */

/* struct rows_reader. */
int collector__take_stack(void *arg, const struct sample_stack *s, uint32_t *handle) must_check;
int collector__take_count(void *arg, const struct sample_stack *s, uint32_t handle,
			  uint64_t samples, uint64_t weight,
			  const struct table_value *values) must_check;

/* Adds stacks whose names have come to the profile; takes some milliseconds. 0 or -errno. */
int collector__name_waiting(struct collector *c) must_check;

/* More can be named at once, without waiting for the naming thread. */
bool collector__has_names_to_do(const struct collector *c);

/*
 * At the end, when no stack waits any more: goes on with what there is to do about names that come
 * late. 1: that was all; 0; or -errno.
 */
int collector__poll_late(struct collector *c) must_check;

/* Gives late frames the names that have come. 0 or -errno. */
int collector__settle_late(struct collector *c) must_check;

/* Waits for names, as collector__flush() says. 0 or -errno. */
int collector__await_names(struct collector *c, uint64_t names_ns, bool last) must_check;

/*
 * The profile's own since the last restart. @sums: what the session tells, to which flaws of stacks
 * are added, with the option that would have helped.
 */
void collector__fill_losses(struct collector *c, struct losses *sums);
void collector__fill_cost(struct collector *c);
int collector__fill_times(struct collector *c) must_check;

/* Of a sampler: rates of events as they are now, of a profile that begins. */
void collector__set_rates(struct collector *c, struct profile *p);

/* Adds all stacks that wait, with addresses in the place of missing names. 0 or -errno. */
int collector__name_all(struct collector *c) must_check;

#endif
