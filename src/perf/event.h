/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/event.h - events by name: "{cycles,instructions}:u" -> struct perf_event_attr.
 *
 * Syntax is perf's:
 *	cycles, page-faults, L1-dcache-load-misses, r1b0	generic, cache and raw events
 *	TYPE:CONFIG			perf_event_attr's in numbers: 1:2
 *	cycles/period=1000,name=x/	terms for any of these: config.., name, period, freq
 *	PMU/event=0x3c,umask=1/		terms of a PMU in sysfs; `uncore_imc` or globs: several PMUs
 *	NAME				an event of the CPU's PMU in sysfs, or of libpfm4
 *	CATEGORY:NAME			tracepoints; globs: several
 *	mem:ADDR|SYMBOL[/LEN][:rwx]	breakpoints; modifiers may follow the letters: mem:1:rwu
 *	kprobe:F[+OFF] kretprobe:F uprobe:PATH:F[+OFF] uretprobe:PATH:F usdt:PATH:PROVIDER:NAME
 *	{EV,EV}				a group: on counters together
 * then modifiers behind ':' (u k h I G H p pp ppp P D e), those of a group are added to those of
 * its members; then a rate: "cycles@997hz", "faults@1". Blanks around events are ignored. Case
 * matters, but for events of PMUs and vendors.
 * Does not know: targets, CPUs that are online, file descriptors.
 * Source: perf_event_open(2), tools/perf/Documentation/perf-list.txt.
 */
#ifndef PMUTRACE_PERF_EVENT_H
#define PMUTRACE_PERF_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

struct event_fallback;

enum { EVENT_NO_GROUP = -1 };

struct perf_event_spec {
	char *name;			 /* as written, modifiers joined, without the rate; owned */
	struct perf_event_attr attr;	 /* type, config, excludes, precise_ip; no rate */
	char *text;			 /* what attr.config1 points to, or NULL; owned */
	char *filter;			 /* of a tracepoint, or NULL; owned */
	struct event_fallback *fallback; /* made in tracefs, removed with the list; or NULL */
	char unit[32];			 /* of count * scale: "ns", "MiB", or "" */
	double scale;			 /* 1 but for some events of PMUs */
	uint64_t hz;			 /* rate asked for, or 0; at most one of the two */
	uint64_t period;
	int group;	    /* its members follow each other, the leader first; or EVENT_NO_GROUP */
	uint32_t modifiers; /* where in name they begin; 0: it has none */
	bool has_rate;	    /* behind '@'; hz and period are among a PMU's terms as well */
	bool named;	    /* the user chose the name (name=..): it need not be a spec */
	bool most_precise;  /* P: the highest of precise_ip 3, 2, 1, 0 that opens */
	uint32_t part_of;   /* index of the event that it adds to (PMU globs, USDT), or its own */
	uint32_t *cpus;	    /* opened on these alone; NULL: any; owned */
	size_t nr_cpus;
	bool for_cpus; /* these stand for others: it cannot be opened for tasks */
};

struct perf_events {
	struct perf_event_spec *items;
	size_t nr, cap;
	int nr_groups;
};

/* Where a function is: what a uprobe needs. */
struct perf_location {
	char *path; /* the caller frees it */
	uint64_t offset;
	uint64_t counter_offset; /* of a USDT probe's semaphore, 0: none */
};

/*
 * Who knows the symbols of the kernel and of programs. Those that are NULL: such events are
 * refused. All return 0 or -errno with @why.
 */
struct perf_event_env {
	const char *root; /* of /proc and /sys: "" or a fixture tree */
	/*
	 * The events will be inherited (perf_event_attr.inherit): probes are then made in tracefs.
	 * Those of the kernel's probe PMUs make the fork of a task that they are open on fail with
	 * EFAULT, because the name that config1 points to is looked for in that task's memory
	 * (inherit_event() -> perf_uprobe_event_init(), kernel/events/core.c).
	 */
	bool inherit;
	int (*kernel_address)(const char *symbol, uint64_t *addr, struct buf *why);
	int (*function)(const char *path, const char *symbol, struct perf_location *out,
			struct buf *why);
	/* The caller frees *out; a probe may be in several places. */
	int (*usdt)(const char *path, const char *provider, const char *name,
		    struct perf_location **out, size_t *nr, struct buf *why);
};

/**
 * perf_events__parse() - append the events of a list "EV,{EV,EV}"
 * @env: NULL: the running system, no symbols
 * @why: on -EINVAL a sentence: where, what is wrong, and the nearest name
 *
 * Return: 0; -EINVAL: also for names that do not exist; -ENOENT: tracefs is not mounted; -EACCES;
 * -ENOMEM; another -errno. The list is to be freed in any case.
 */
int perf_events__parse(struct perf_events *l, const struct perf_event_env *env, const char *text,
		       struct buf *why) must_check;

/* How long the first of a list is: an event, or a whole group with what is behind its '}'. */
size_t perf_events__first(const char *text);

/*
 * Appends the name of an event whose kernel part was left out: with u as the only privilege level
 * among its modifiers, so that it can be parsed again. 0 or -ENOMEM.
 */
int perf_event__put_user_name(const struct perf_event_spec *ev, struct buf *out) must_check;

/* A filter of all tracepoints of the list. -EINVAL if there are none. */
int perf_events__set_filter(struct perf_events *l, const char *filter, struct buf *why) must_check;

/* Keeps the first @nr. */
void perf_events__truncate(struct perf_events *l, size_t nr);
void perf_events__free(struct perf_events *l);

/* The i-th generic event (hardware, then software), or NULL past the last. */
struct perf_event_name {
	const char *name, *alias; /* alias: NULL if there is none */
	uint32_t type;		  /* PERF_TYPE_HARDWARE or PERF_TYPE_SOFTWARE */
	uint32_t config;
	const char *unit; /* "ns" or "" */
	const char *text; /* what it counts, some words */
};
const struct perf_event_name *perf_event__name(size_t i);

/*
 * The name of a cache event, as `perf list` has it; false if the config means none, or one that no
 * machine has: caches of instructions are not stored to.
 */
bool perf_event__cache_name(uint64_t config, char *name, size_t size);

/* True for events that need a hardware PMU. */
bool perf_event__is_hardware(const struct perf_event_attr *attr);

#endif
