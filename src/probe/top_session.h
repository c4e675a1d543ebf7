/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/top_session.h - the inside of a session of probe/top.h, shared by its sources:
 *	top.c		what a session of this kind does in its own way
 *	top_cpus.c	the CPUs: charging who runs there, their coming and going
 *	top_thrift.c	less than all, for now
 */
#ifndef PMUTRACE_PROBE_TOP_SESSION_H
#define PMUTRACE_PROBE_TOP_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "probe/cpu_counters.h"
#include "probe/object.h"
#include "probe/top.h"

#include "top.skel.h"

/* A possible CPU, as of the last look at it. */
struct top_place {
	struct top_cpu told; /* since_ns 0: nothing is known; times: of the events open now */
	bool is_online;
	uint64_t passed_ns;  /* between the last two looks */
	uint64_t counted_ns; /* in that time: the longest enabled time of its events */
};

struct top {
	struct session session;
	struct top_bpf *skel;
	struct bpf_link *on_switch; /* NULL: paused */
	struct object object;
	const struct perf_event_spec *events[TOP_EVENTS]; /* NULL: it needs no perf event */
	struct cpu_counters_opts counted;
	struct cpu_counters counters;
	enum top_counter how[TOP_EVENTS];
	struct cpu_counters_left left_out[TOP_EVENTS];
	size_t nr_events;
	struct top_thrift thrift; /* what is counted of these now */
	struct top_place *places; /* [object.tables.nr_places] */
	size_t nr_cpus;		  /* that were online at some time since the look before the last */
	uint64_t now_ns;	  /* of the last look */
	uint64_t cpus_ns;	  /* sum over CPUs of the time online, up to then */
	uint64_t enabled_ns[TOP_EVENTS], running_ns[TOP_EVENTS]; /* likewise */
};

/*
 * Charges the tasks that run now, on all CPUs. Forgets what was known of CPUs that went offline,
 * and opens the events of those that came online. 0 or -errno.
 */
int top__charge(struct top *t) must_check;

/* Turns the events of a CPU off and on as t->thrift says. 0 or -errno. */
int top__turn_events(struct top *t, uint32_t cpu) must_check;

/* Opens the events of all CPUs that are online anew. 0 or -errno. */
int top__renew_all(struct top *t) must_check;

/* Nobody knows who runs on a CPU: its next piece begins when it is looked at. 0 or -errno. */
int top__forget_task(struct top *t, uint32_t cpu) must_check;

/*
 * Waits until programs that are running now have ended. As good as grace__wait(), in microseconds
 * instead of milliseconds, by running a program on each CPU (bpf/top.bpf.c). 0 or -errno.
 */
int top__fence(struct top *t) must_check;

#endif
