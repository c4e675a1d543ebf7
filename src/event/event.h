/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/event.h - events by name: "{cycles,instructions}:u" -> struct perf_event_attr.
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
#ifndef PMUTRACE_EVENT_EVENT_H
#define PMUTRACE_EVENT_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/advice.h"

struct event_fallback;
struct lookup_reader;

enum { EVENT_NO_GROUP = -1 };

enum perf_site_kind {
	SITE_NONE, /* not a place in code: an event that overflows */
	SITE_TRACEPOINT,
	SITE_RAW_TRACEPOINT, /* for BPF programs alone, no perf event */
	SITE_KPROBE,
	SITE_KRETPROBE,
	SITE_UPROBE,
	SITE_URETPROBE,
	SITE_USDT,
};

/* Where a probe is. Strings are owned by the event's list, or NULL where there is no such part. */
struct perf_site {
	enum perf_site_kind kind;
	char *home;	 /* a tracepoint's category, a kernel function's module, a file's path */
	char *name;	 /* of the tracepoint, function, USDT probe; NULL: known by offset alone */
	char *vendor;	 /* a USDT probe's provider */
	char *args;	 /* of a USDT probe as its note has them, or "" */
	uint64_t offset; /* kernel: from the function's start; else in the file */
	uint64_t counter_offset; /* of a USDT probe's semaphore in the file, 0: none */
	/*
	 * Of a user function: no frame is made yet, the caller's address is on top of the stack
	 * (arm64: in the link register). Never of a return.
	 */
	bool at_entry;
};

struct perf_event_spec {
	char *name;			 /* as written, modifiers joined, without the rate; owned */
	struct perf_event_attr attr;	 /* type, config, excludes, precise_ip; no rate */
	char *text;			 /* what attr.config1 points to, or NULL; owned */
	char *filter;			 /* of a tracepoint, or NULL; owned */
	struct event_fallback *fallback; /* made in tracefs, removed with the list; or NULL */
	struct perf_site site;
	char unit[32]; /* of count * scale: "ns", "MiB", or "" */
	double scale;  /* 1 but for some events of PMUs */
	uint64_t hz;   /* rate asked for, or 0; at most one of the two */
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

/* Where a function is: what a uprobe needs. Strings: the caller frees them. */
struct perf_location {
	char *path;
	uint64_t offset;
	uint64_t counter_offset; /* of a USDT probe's semaphore, 0: none */
	char *provider, *args;	 /* of a USDT probe; else NULL */
	bool at_entry;		 /* as in struct perf_site */
	uint64_t skip;		 /* bytes further on, where a probe on the function costs less */
};

/* A function that a pattern stands for; borrowed during the call. */
struct perf_function {
	const char *home; /* module ("": the kernel itself) or path */
	const char *name;
	uint64_t offset; /* in the file; 0 of the kernel's */
	bool at_entry;
	const char *why_not; /* of those that are skipped: what keeps it from being probed */
};
/* Other than 0 ends the iteration and is returned. */
typedef int perf_function_fn(const struct perf_function *f, void *arg);

/*
 * Lookups of symbols of the kernel and of programs. Where one is NULL, events that need it are
 * refused. All return 0 or -errno with @why.
 */
struct perf_event_env {
	const char *root;   /* of /proc and /sys: "" or a fixture tree */
	enum reader reader; /* of @why */
	/*
	 * The events will be inherited (perf_event_attr.inherit): probes are then made in tracefs.
	 * Those of the kernel's probe PMUs make the fork of a task that they are open on fail with
	 * EFAULT, because the name that config1 points to is looked for in that task's memory
	 * (inherit_event() -> perf_uprobe_event_init(), kernel/events/core.c).
	 */
	bool inherit;
	/*
	 * Only places are wanted: the type of a function's event stays PERF_TYPE_MAX until
	 * perf_event__make() (after which a PMU may have that type), and nothing is made in
	 * tracefs. Raw tracepoints and patterns
	 * ("kprobe:tcp_*", "uprobe:libc:str*") are allowed then.
	 */
	bool sites;
	size_t max_sites; /* that a pattern may match; if it matches more, it is refused */
	int (*kernel_address)(const char *symbol, uint64_t *addr, struct buf *why);
	/* Who reads programs' files: what the functions below get for @reader. */
	struct lookup_reader *reader_of_files;
	int (*function)(struct lookup_reader *reader, const char *path, const char *symbol,
			struct perf_location *out, struct buf *why);
	/* -EINVAL: a probe at that offset of the file would be in the middle of an instruction. */
	int (*instruction)(struct lookup_reader *reader, const char *file, uint64_t offset,
			   struct buf *why);
	/* Likewise, from the start of a function of the kernel. */
	int (*kernel_instruction)(const char *function, uint64_t offset, struct buf *why);
	/* The caller frees *out; a probe may be in several places. */
	int (*usdt)(struct lookup_reader *reader, const char *path, const char *provider,
		    const char *name, struct perf_location **out, size_t *nr, struct buf *why);
	/* All that match. Functions that cannot be probed are told to @skip, which may be NULL. */
	int (*kernel_functions)(const char *glob, perf_function_fn *fn, perf_function_fn *skip,
				void *arg, struct buf *why);
	int (*functions)(struct lookup_reader *reader, const char *path, const char *glob,
			 perf_function_fn *fn, void *arg, struct buf *why);
	perf_function_fn *skipped; /* of a pattern: cannot be probed, f->why_not; or NULL */
	void *skipped_arg;
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

/* Bytes of a list's first entry: an event, or a whole group with what is behind its '}'. */
size_t perf_events__first(const char *text);

/*
 * Appends the name of an event whose kernel part was left out: with u as the only privilege level
 * among its modifiers, so that it can be parsed again. 0 or -ENOMEM.
 */
int perf_event__put_user_name(const struct perf_event_spec *ev, struct buf *out) must_check;

/*
 * Where modifiers begin in a name: "u" of "cycles:u", "k" of "cpu/event=1/k"; its end if it has
 * none. A category of tracepoints stands before a colon, too.
 */
const char *perf_event__modifiers(const char *name);

/* The event is called that, without its modifiers: "cycles:u" is "cycles". */
bool perf_event__is_bare_name(const char *event, const char *name);

/* A filter of all tracepoints of the list. -EINVAL if there are none. */
int perf_events__set_filter(struct perf_events *l, const char *filter, struct buf *why) must_check;

/*
 * Completes the event of a place (perf_event_env.sites) for perf_event_open(2): by the kernel's
 * probe PMU, or where there is none in tracefs. Nothing to do for others. 0 or -errno with @why.
 */
int perf_event__make(struct perf_event_spec *ev, const struct perf_event_env *env,
		     struct buf *why) must_check;

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
