/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/func.h - a session that measures calls: what each costs in time and events.
 *
 * Knows: bpf/func.bpf.c, its maps and their layout. Hands out what a sampling session does; the
 * values of a row are those of enum func_value, then of each event FUNC_EVENT_VALUES.
 * Does not know: names, formats, what the fields mean.
 *
 * A call is from a function's entry to its return, or from one probe to another of the same task,
 * or of whatever a field tells apart. Events are counted by CPU and charged to the task that ran:
 * what others do meanwhile is not in a call. Calls that began before the start or end after the
 * stop are not counted.
 *
 * Life: open - start - any number of polls - stop - poll once more - close.
 */
#ifndef PMUTRACE_PROBE_FUNC_H
#define PMUTRACE_PROBE_FUNC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "event/event.h"
#include "func.wire.h"
#include "machine/target.h"
#include "probe/session.h"

/* An instruction at which a function is left; elf/exits.h says what the members mean. */
struct func_exit {
	struct perf_event_spec *event; /* a uprobe's; as func_probe.entry */
	int8_t condition;	       /* left only if this condition of Jcc holds; <0: always */
	bool unsure;		       /* a jump that may stay in the function */
	bool jump;		       /* a jump, not a return */
};

struct func_probe {
	/*
	 * Parsed for their sites; made (perf_event__make) if needed. Borrowed until close. One
	 * of them NULL: the other is one more place of the function with the same number.
	 */
	struct perf_event_spec *entry, *leave;
	/*
	 * Of a program's function: probed instead of `leave`, which serves for its fields alone, so
	 * that the stack is not changed as return probes change it. NULL: return probes.
	 */
	const struct func_exit *exits;
	size_t nr_exits;
	enum func_place place;	      /* how calls are told apart; the same for all functions */
	struct fetch by[FUNC_FIELDS]; /* numbers, of the entry; `at` is set by the session */
	size_t nr_by;
	uint32_t by_ret;       /* a bit for each that is of the return instead */
	struct fetch match[2]; /* entry and return with equal ones are paired; source 0: by task */
	const struct filter_cfg *filter; /* borrowed during open; NULL: everything passes */
	bool filter_ret;		 /* it looks at the return */
	bool optional;			 /* left out and told if it cannot be probed */
	uint32_t number;		 /* key->stack.source of its calls, up to UINT16_MAX */
};

/* A function of Go's scheduler: puts a goroutine, its argument, on the thread, or takes it off. */
struct func_switch {
	struct perf_event_spec *event; /* a uprobe's; as func_probe.entry */
	bool on;
};

struct func_event {
	enum func_counter counter;
	const struct perf_event_spec *event; /* of FUNC_COUNTER_PERF; borrowed during open */
};

/* Where struct pt_regs has a function's arguments, and its result: bytes. */
struct func_registers {
	uint16_t args[6];
	uint16_t result;
};

struct func_opts {
	const struct func_probe *functions; /* borrowed until close */
	size_t nr_functions;
	const struct func_event *events; /* up to FUNC_EVENTS; none with a match */
	size_t nr_events;
	/* FUNC_PLACE_GO: without these a call has time and self time alone, and no events. */
	const struct func_switch *switches;
	size_t nr_switches;
	struct func_registers registers;
	const struct perf_event_env *env; /* for perf_event__make(); borrowed until close */
	const struct target *target;	  /* borrowed during open */
	unsigned by;			  /* enum by; stacks: of the call's caller */
	enum buckets_kind buckets;	  /* one more word behind the fields */
	uint32_t bucket_of; /* which value is put into buckets: enum func_value and on */
	struct buckets_linear linear;
	uint64_t min_ns; /* shorter calls are left out */
	bool exemplars;	 /* of each key one call: sample_stack.exemplar, its value bucket_of */
	uint32_t max_stack;
	uint64_t unwind_bytes; /* for rules of .eh_frame; 0: user stacks by frame pointer */
	uint32_t max_keys;     /* distinct ones per function and CPU between two drains; 0: 2048 */
	uint32_t max_tasks;    /* live tasks that have been in a function; 0: 2048 */
	pid_t command;
	void (*skipped)(void *arg, const struct perf_event_spec *event, int err);
	void *arg;
};

struct func_stats {
	uint64_t seen;		     /* calls in the tables, and all losses */
	uint64_t lost[FUNC_LOST_NR]; /* enum table_loss and func_loss */
	uint64_t unmatched;   /* returns of calls that began before the start, or were lost */
	uint64_t short_calls; /* under min_ns */
	uint64_t unfinished;  /* calls in progress */
	uint64_t missed;      /* entries whose program the kernel left out, as far as it tells */
	uint64_t children_dropped;
};

/*
 * Loads and attaches everything, off: a session of probe/session.h, whose close frees it. @why: on
 * error a sentence. 0 or -errno.
 */
int func__open(struct session **out, const struct func_opts *opts, struct buf *why) must_check;

/* Reads the tasks' table: not for every poll. */
void func__stats(const struct session *s, struct func_stats *out);

#endif
