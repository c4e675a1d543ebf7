/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * func.wire.h - what the programs that measure calls and their loader agree on.
 *
 * A call is from a function's entry to its return, or from one probe to another. Its key in the
 * tables of table.wire.h: struct sample_key, whose stack.source is the function's number, then the
 * fields asked for, then the bucket of the histogram, then the frames of its caller. Its values are
 * those of enum func_value, then for each event FUNC_EVENT_VALUES.
 *
 * What a call costs is what its task has used meanwhile, wherever it ran: events are counted by
 * CPU, and charged to tasks inside of a function whenever these are switched out (struct
 * func_task). What other tasks do in between is not in it.
 */
#ifndef PMUTRACE_FUNC_WIRE_H
#define PMUTRACE_FUNC_WIRE_H

#include <linux/types.h>

#include "buckets.wire.h"
#include "fetch.wire.h"
#include "filter.wire.h"
#include "sample.wire.h"
#include "stack.wire.h"
#include "table.wire.h"
#include "target.wire.h"

enum {
	FUNC_EVENTS = 6, /* counted for each call */
	FUNC_DEPTH = 32, /* nested calls of one task; a power of two */
	FUNC_FIELDS = 4, /* words of arguments, remembered until the return */
};

/* ns, of each call. */
enum func_value {
	FUNC_TIME,	/* from entry to return */
	FUNC_SELF_TIME, /* without the measured calls that it made */
	FUNC_ON_CPU,
	FUNC_OFF_CPU,
	FUNC_VALUES,
};

/* Of each event, behind these. */
enum func_event_value {
	FUNC_EVENT_TOTAL,
	FUNC_EVENT_SELF,
	FUNC_EVENT_VALUES,
};

enum { FUNC_VALUES_MAX = FUNC_VALUES + FUNC_EVENTS * FUNC_EVENT_VALUES };

/* Where an event's number comes from. */
enum func_counter {
	FUNC_COUNTER_PERF,     /* a perf event of each CPU, read where the task runs */
	FUNC_COUNTER_TIME,     /* ns on a CPU: the task's own clock */
	FUNC_COUNTER_SWITCHES, /* how often it was switched out */
	FUNC_COUNTER_MIGRATIONS,
};

/* Calls that are in no row, by reason; they were seen. */
enum func_loss {
	FUNC_LOST_DEPTH = TABLE_LOST_NR, /* nested deeper than FUNC_DEPTH */
	FUNC_LOST_TASKS,		 /* no room for another task */
	FUNC_LOST_NO_RETURN,		 /* left in another way: longjmp, an exception */
	FUNC_LOST_EXEC,			 /* the program was replaced meanwhile */
	FUNC_LOST_EXIT,			 /* the thread ended meanwhile */
	FUNC_LOST_COUNTER,		 /* an event could not be read */
	FUNC_LOST_FILTER,		 /* what the filter compares could not be read */
	FUNC_LOST_NESTED,		 /* from an interrupt, while another was being noted */
	FUNC_LOST_SWITCH,		 /* its task was switched, and sched_switch was missed */
	FUNC_LOST_REPLACED,		 /* of two probes: begun again before it ended */
	FUNC_LOST_RACED,		 /* `match`: two CPUs began or ended it at the same time */
	FUNC_LOST_MATCH,		 /* what `match` compares could not be read */
	FUNC_LOST_NR,
};

/* A call that has begun. */
struct func_frame {
	__u64 sp; /* address of the return address; on a struct func_stack: distance from its end */
	__u64 start_ns;
	__u64 on_cpu_ns; /* the task's, when the call began */
	__u64 child_ns;	 /* in measured calls that it made */
	__u64 caller;	 /* func_cfg.caller: the address that it returns to */
	__u32 func;
	__u32 untold;		     /* the task's, when it began */
	__u64 events[FUNC_EVENTS];   /* the task's, when it began */
	__u64 children[FUNC_EVENTS]; /* of measured calls that it made */
	__u64 fields[FUNC_FIELDS];   /* of the key, taken when it began */
};

/*
 * What a task has used while it was inside of functions. Written by programs in the task, and when
 * it is switched by those of the scheduler, which may come in between: sequence tells.
 */
struct func_account {
	__u32 depth;	/* frames (or stacks) in use; 0: outside, the rest means nothing */
	__u32 sequence; /* count of switches out and in */
	__u32 cpu;	/* that it ran on last */
	__u32 is_out;	/* bool: it went off its CPU and has not come on one */
	__u32 untold;	/* switches that sched_switch did not report */
	__u32 unused;
	__u64 goroutine; /* FUNC_PLACE_GO: struct g of that on the thread, inside; 0: not known */
	__u64 on_since_ns;
	__u64 on_cpu_ns;	   /* up to then */
	__u64 since[FUNC_EVENTS];  /* the CPU's counters when it came on */
	__u64 events[FUNC_EVENTS]; /* up to then */
};

/* A task inside of a function. */
struct func_task {
	struct func_account account;
	__u32 found; /* result of pop()'s loop: in memory, for the verifier */
	__u32 over;  /* kernel functions: calls beyond FUNC_DEPTH in progress */
	__u32 busy;  /* a program is at work on the frames */
	__u32 unused;
	__u64 place; /* of the call that begins or ends: scratch */
	struct func_frame frames[FUNC_DEPTH];
};

/* Key of a stack (depth 0), and of each call on it: the outermost has depth 0. */
struct func_stack_key {
	__u64 id; /* thread, or the address of a goroutine's struct g */
	__u32 tgid;
	__u32 depth;
};

/*
 * A stack with calls in progress. What it has used is in its own numbers; while it is on a thread,
 * the thread's account has to be added to these.
 */
struct func_stack {
	__u32 depth;	 /* nested calls */
	__u32 thread;	 /* that it is on; 0: none */
	__u32 low, high; /* of the search in deep_outside() */
	__u32 untold;
	__u32 unused;
	__u64 on_cpu_ns;
	__u64 events[FUNC_EVENTS];
};

/* A call that has begun, of programs that pair calls by `match`. */
struct func_start {
	__u64 id; /* the value of `match`: its key in the map */
	__u64 start_ns;
	__u64 fields[FUNC_FIELDS]; /* as in struct func_frame */
};

/*
 * func_cfg.decoded: what a probe on an instruction that leaves a function has for a cookie, beside
 * the function's number.
 */
enum func_cookie {
	FUNC_COOKIE_NUMBER = 0xffff,
	FUNC_COOKIE_UNSURE = 1 << 16, /* a jump that may stay in the function */
	FUNC_COOKIE_BRANCH = 1 << 17, /* left only if the condition holds; x86_64 */
	FUNC_COOKIE_JUMP = 1 << 18,   /* no return: not left while more is on the stack */
	FUNC_COOKIE_CONDITION = 20,   /* from this bit on: the low four bits of Jcc's opcode */
};

/* How calls of decoded functions are told apart. */
enum func_place {
	FUNC_PLACE_TASK,   /* by their task, and in it by the stack pointer */
	FUNC_PLACE_THREAD, /* likewise, to any depth */
	FUNC_PLACE_STACK, /* by process and stack pointer, where threads switch stacks; time only */
	FUNC_PLACE_GO,	  /* by goroutine, and where they are on its stack, to any depth */
};

/* Set before load; the verifier removes what these switch off. */
struct func_cfg {
	struct fetch by[FUNC_FIELDS]; /* numbers; `ret` is fetched at the return, others at entry */
	struct sample_cfg task;
	__u32 nr_by;
	__u32 by_ret;	  /* a bit for each of `by`: fetched at the return */
	__u32 filter_ret; /* bool: the filter looks at the return */
	__u32 nr_events;
	__u32 counters[FUNC_EVENTS]; /* enum func_counter */
	__u32 source;		     /* the function's number, unless cookies tell it */
	__u32 has_cookie;	     /* bools */
	__u32 is_user;		     /* functions of programs: stack pointers tell calls apart */
	__u32 is_kernel;	     /* those of the kernel */
	__u32 is_session;	     /* one program for entry and return, SITES_SESSION */
	__u32 decoded;		     /* returns are seen at the instructions that leave it */
	__u32 place;		     /* enum func_place */
	__u32 has_account;	     /* bool; FUNC_PLACE_THREAD, _GO: on-cpu time and events, too */
	__u32 buckets;		     /* enum buckets_kind, of the value number bucket_of */
	__u32 bucket_of;
	__u32 bucket_at; /* word in the key */
	__u32 caller;	 /* bool: the caller of the kernel's function, taken at the entry */
	struct buckets_linear linear;
	__u64 min_ns;				/* shorter calls are not counted */
	struct fetch match_entry, match_return; /* equal ones are paired: time only */
};

struct func_control {
	__u32 on; /* bool */
	__u32 unused;
	__u64 lost[FUNC_LOST_NR]; /* from FUNC_LOST_DEPTH on */
	__u64 unmatched;	  /* returns of calls that began before the start, or were lost */
	__u64 short_calls;	  /* under min_ns */
};

#endif
