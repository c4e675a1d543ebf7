/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pmutrace.h - performance events of Linux: open, count, sample, read records, measure functions.
 *
 *	struct pmutrace_events *e;
 *	struct pmutrace_count counts[2];
 *	struct pmutrace_error why;
 *
 *	if (pmutrace_open(&e, "{instructions:u,cycles:u}", NULL, NULL, &why))
 *		errx(1, "%s", why.text);
 *	if (!pmutrace_measure(e, work, NULL, counts))
 *		printf("%s: %lu\n", pmutrace_label(e, 0), counts[0].value);
 *	pmutrace_close(e);
 *
 * Link with `pkg-config --libs pmutrace`. An introduction with examples is docs/library.md.
 *
 * Conventions
 * - Functions that can fail return 0 or a negative errno. With a struct pmutrace_error they say
 *   why in a sentence, and mostly what to do about it; it may be NULL.
 * - Nothing is printed, no signal is caught, no thread started, no state kept outside of objects
 *   (libpfm4, which knows the events of CPUs, fills its tables once, under a lock): an object may
 *   be used by one thread at a time, different objects by different threads. Descriptors are
 *   close-on-exec.
 * - Times are in nanoseconds (_ns), sizes in bytes (_bytes).
 * - Structs of the caller have room to grow: words called `reserved` become members with a later
 *   version. In what is handed in they must be 0, as `= { .kind = .. }` makes them (-E2BIG: a
 *   program that was built for a later version asks for something); in what is handed out they are
 *   0. Structs that the library hands out by pointer may grow at their end.
 * - "Borrowed": stays the caller's and must live as long as the text says. "Copied": may go away
 *   after the call.
 *
 * Source of truth for events, attrs, records and errors of the kernel: perf_event_open(2),
 * include/uapi/linux/perf_event.h, kernel/events/core.c.
 */
#ifndef PMUTRACE_H
#define PMUTRACE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define PMUTRACE_API	    __attribute__((visibility("default")))
#define PMUTRACE_MUST_CHECK __attribute__((warn_unused_result))

/* "0.1.0": of the library that is running. */
PMUTRACE_API const char *pmutrace_version(void);

/* Why a call failed. The caller's. Overwritten by every call that is given one; empty after
 * success. */
struct pmutrace_error {
	int code;	/* what the call returned */
	char text[508]; /* a sentence without a full stop; cut off if it is longer */
};

/*
 * ---- Opening ----------------------------------------------------------------------------------
 */

/* One or more events, open on one or more places. */
struct pmutrace_events;

enum pmutrace_target_kind {
	PMUTRACE_SELF,	  /* the calling thread */
	PMUTRACE_THREAD,  /* thread `pid` */
	PMUTRACE_PROCESS, /* all threads that process `pid` has now; later ones: options.inherit */
	PMUTRACE_CPUS,	  /* all tasks on `cpus` */
	PMUTRACE_CGROUP,  /* all tasks of `cgroup` on `cpus` */
};

struct pmutrace_target {
	enum pmutrace_target_kind kind;
	pid_t pid; /* THREAD, PROCESS; PROCESS and 0: this one */
	/*
	 * A list like "0,2-5". NULL: for threads and processes whatever CPU they run on (one place
	 * a thread), for CPUS and CGROUP all that are online. With a list there is a place for each
	 * thread and CPU; the event is enabled there while the thread is on that CPU.
	 */
	const char *cpus;
	const char *cgroup; /* its folder: a full path, or one below the mount of cgroup2 */
	uint64_t reserved[5];
};

struct pmutrace_options {
	size_t size;	     /* sizeof(struct pmutrace_options); what is not known is -E2BIG */
	bool inherit;	     /* tasks that are started by those of the target count, too */
	bool enable_on_exec; /* enabled when the target calls exec */
	bool user_only; /* where the kernel may not be counted, count without it (label: ":u") */
	bool all;	/* fail unless every event opens */
	/*
	 * Also return probes ("uretprobe:PATH:FUNCTION") that break the program they are in, since
	 * they put an address of their own on its stack: in what throws or is thrown through (C++,
	 * Rust, D), in Go, in what switches between stacks. Without it these are refused.
	 */
	bool force;
	/*
	 * For all events of pmutrace_open(), what a spec does not say: sample_period or
	 * sample_freq, sample_type, branch_sample_type, registers, stacks, clockid, wakeup_*,
	 * record bits (mmap, comm, task, ksymbol, ..), read_format besides the times. Copied. Of
	 * excludes, precise_ip, pinned and exclusive those of both are set. NULL: none.
	 */
	const struct perf_event_attr *attr;
};

/**
 * pmutrace_open() - open events by name, disabled
 * @spec: as perf writes them: "cycles:u,page-faults", "{cycles,instructions}" for a group that is
 *	  counted together, "sched:sched_switch", "cpu/event=0x3c/", "r1b0",
 *	  "mem:0x55d0c0de/8:w", "uprobe:PATH:FUNCTION", "kprobe:FUNCTION"; with a rate behind:
 *	  "cpu-clock@997hz", "page-faults@1". pmutrace(1) has all of it.
 * @target: copied; NULL: the calling thread
 * @options: copied; NULL: none
 *
 * What cannot be opened is left out, the rest works: see pmutrace_open_error(). Each event has one
 * descriptor for each place; RLIMIT_NOFILE is raised to its hard limit if need be. Threads and
 * CPUs that go away meanwhile are skipped.
 *
 * Events that write records get PERF_SAMPLE_IDENTIFIER, _TID and _TIME (and _IP, where no
 * sample_type is given) and sample_id_all: so they can share a ring, and each record tells whose it
 * is and when it was. Each wakes its reader up, unless options.attr says otherwise (wakeup_events,
 * watermark). With options.inherit they are opened on threads for each CPU, as the kernel asks.
 *
 * A program that a spec names ("uprobe:PATH:FUNCTION") is opened and read by the calling process,
 * with all that this may do, whoever wrote it; pmutrace(1) reads it in a process of its own.
 *
 * context-switches, cpu-migrations and cgroup-switches happen in the kernel: without it (":u",
 * exclude_kernel) they would read 0. Such an event is refused.
 *
 * Return: 0: at least one event is open; -EINVAL: @spec, @target or @options makes no sense, there
 * is no such CPU, or a return probe would break the program it is in (options.force); -ENODEV: a
 * CPU of target.cpus is not online; -ENOENT, -EOPNOTSUPP, -ENODEV: this machine has no such event,
 * or not that precise (:pp); -E2BIG: @options or an attr sets what this version of the library does
 * not know; -EACCES, -EPERM; -ESRCH: no such task; -EBADF: no cgroup; -ENOSPC: no breakpoint is
 * left, or a group needs more counters than the PMU has: it is left out whole; -EXDEV: a member
 * does not go with its group (of another PMU), which does without; -EMFILE; -ENOSYS: no perf
 * events here at all; -EBUSY; -ENOMEM.
 */
PMUTRACE_API int pmutrace_open(struct pmutrace_events **out, const char *spec,
			       const struct pmutrace_target *target,
			       const struct pmutrace_options *options,
			       struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/**
 * pmutrace_open_attrs() - open events by attr, disabled
 * @attrs: copied; attr.size 0 means all of the struct
 * @labels: copied; NULL, or NULL for one: made from type and config ("cycles",
 *	    "L1-dcache-load-misses", "raw 0x1b0")
 * @group: count them together; the first leads
 *
 * Otherwise as pmutrace_open(), but options.attr is not used. attr.inherit and enable_on_exec of
 * one are those of all.
 */
PMUTRACE_API int pmutrace_open_attrs(struct pmutrace_events **out,
				     const struct perf_event_attr *attrs, const char *const *labels,
				     size_t nr, bool group, const struct pmutrace_target *target,
				     const struct pmutrace_options *options,
				     struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/* Closes all descriptors, which detaches BPF programs. NULL is fine. First close its rings. */
PMUTRACE_API void pmutrace_close(struct pmutrace_events *e);

/*
 * Events are numbered from 0 in the order of the spec, globs expanded ("sched:*"); an event that
 * several PMUs of a name count is one. Functions return -ERANGE for numbers that are too high.
 */
PMUTRACE_API size_t pmutrace_nr_events(const struct pmutrace_events *e);
PMUTRACE_API size_t pmutrace_nr_places(const struct pmutrace_events *e);

/* As in the spec; ":u" is added where options.user_only left the kernel out. Lives as long as @e;
 * NULL for numbers that are too high. */
PMUTRACE_API const char *pmutrace_label(const struct pmutrace_events *e, size_t event);

/* Multiply a value by *scale (NULL: do not tell) to get it in this unit: "ns", "MiB", or "". */
PMUTRACE_API const char *pmutrace_unit(const struct pmutrace_events *e, size_t event,
				       double *scale);

/* 0: open on some place. Else the -errno why it is on none, with the reason. */
PMUTRACE_API int pmutrace_open_error(const struct pmutrace_events *e, size_t event,
				     struct pmutrace_error *why);

/* As it was opened. Lives as long as @e; NULL for numbers that are too high. */
PMUTRACE_API const struct perf_event_attr *pmutrace_attr(const struct pmutrace_events *e,
							 size_t event);

/* A place as perf_event_open(2) has it. */
struct pmutrace_place {
	pid_t pid; /* thread; 0: the one that opened; -1: all */
	int cpu;   /* -1: any */
	uint64_t reserved[3];
};

/* 0 or -ERANGE. */
PMUTRACE_API int pmutrace_place(const struct pmutrace_events *e, size_t place,
				struct pmutrace_place *out);

/*
 * The descriptor: for poll(2), or for what this library does not know. Stays @e's. -ENODATA: the
 * event is not open there. Whoever enables or disables by it must not use pmutrace_measure().
 */
PMUTRACE_API int pmutrace_fd(const struct pmutrace_events *e, size_t event, size_t place);

/*
 * Its id in records and counts (PERF_EVENT_IOC_ID; -ENODATA: the event is not open there), and the
 * way back: an event's number, or -ENOENT.
 */
PMUTRACE_API int pmutrace_id(const struct pmutrace_events *e, size_t event, size_t place,
			     uint64_t *id) PMUTRACE_MUST_CHECK;
PMUTRACE_API int pmutrace_find(const struct pmutrace_events *e, uint64_t id);

/*
 * ---- Control ----------------------------------------------------------------------------------
 *
 * All do it on every place where the event is open, and return 0 or the first -errno. Source:
 * perf_ioctl(), kernel/events/core.c.
 */

/*
 * All events (PERF_EVENT_IOC_ENABLE, _DISABLE, _RESET), a group by its leader. Reset sets values to
 * 0, but not the times: so does the kernel.
 */
PMUTRACE_API int pmutrace_enable(struct pmutrace_events *e);
PMUTRACE_API int pmutrace_disable(struct pmutrace_events *e);
PMUTRACE_API int pmutrace_reset(struct pmutrace_events *e);

/*
 * Enables an event for @overflows more overflows; with the last it is disabled
 * (PERF_EVENT_IOC_REFRESH). -EINVAL: it has no sample_period, is inherited, or is a group's member;
 * @overflows is 0. -EOPNOTSUPP: the second time, for a tracepoint, probe or breakpoint of another
 * task, or of a thread on one CPU: Linux from 6.16 on would say yes and count nothing, also after
 * pmutrace_enable(), which ends likewise. Open it anew. Those of the calling thread and of CPUs can
 * be refreshed again and again; each begins a new period.
 */
PMUTRACE_API int pmutrace_refresh(struct pmutrace_events *e, size_t event, unsigned int overflows,
				  struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/*
 * Another sample_period, or sample_freq in Hz if the event has one (PERF_EVENT_IOC_PERIOD).
 * -EINVAL: 0, it does not sample, or the rate is above kernel.perf_event_max_sample_rate.
 */
PMUTRACE_API int pmutrace_set_period(struct pmutrace_events *e, size_t event, uint64_t period,
				     struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/*
 * A tracepoint's filter ("common_pid == 1 && prev_prio < 100"), or that of a PMU with address
 * filters (PERF_EVENT_IOC_SET_FILTER). -EINVAL: no field of that name, no filter possible; -EEXIST:
 * it has one.
 */
PMUTRACE_API int pmutrace_set_filter(struct pmutrace_events *e, size_t event, const char *filter,
				     struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/*
 * Records of the event go to the ring of another (PERF_EVENT_IOC_SET_OUTPUT), place by place; both
 * need the same places and clock. @to NULL: to none. Rings do this by themselves for events opened
 * together; records of other objects come with PMUTRACE_NO_EVENT and must have the same layout.
 */
PMUTRACE_API int pmutrace_set_output(struct pmutrace_events *e, size_t event,
				     const struct pmutrace_events *to, size_t to_event,
				     struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/*
 * ---- Counting ---------------------------------------------------------------------------------
 */

enum pmutrace_state {
	PMUTRACE_COUNTED,     /* on a counter all the time */
	PMUTRACE_MULTIPLEXED, /* some of the time: `value` is an estimate */
	PMUTRACE_NOT_COUNTED, /* never enabled, or never on a counter: there is no value */
	PMUTRACE_NOT_OPEN,    /* pmutrace_open_error() says why */
};

struct pmutrace_count {
	const char *label;   /* pmutrace_label() */
	uint64_t value;	     /* raw * enabled_ns / running_ns, less the overhead; rounded */
	uint64_t raw;	     /* as the kernel counted, overhead and all */
	uint64_t enabled_ns; /* summed over the places; of a thread on several CPUs its time once */
	uint64_t running_ns; /* of that, on a counter */
	uint64_t overhead;   /* pmutrace_measure(): subtracted from value */
	uint64_t lost;	     /* samples that found no room in a ring (Linux 6.0; else 0) */
	enum pmutrace_state state;
	uint64_t id; /* pmutrace_id() of the place, if it is of one place; of a sum 0 */
	uint64_t reserved[7];
};

/**
 * pmutrace_read() - values since the opening, or the last reset, summed over the places
 * @counts: pmutrace_nr_events() of them; written
 *
 * One system call for each group or single event, and place; nothing is allocated.
 * Return: 0; -errno of read(2); -EBADMSG: less than a reading came. @counts make no sense then.
 */
PMUTRACE_API int pmutrace_read(struct pmutrace_events *e, struct pmutrace_count *counts);

/* The same of one place. -ERANGE: there is no such place. */
PMUTRACE_API int pmutrace_read_place(struct pmutrace_events *e, size_t place,
				     struct pmutrace_count *counts);

/* raw * enabled / running in 128 bits, rounded to nearest, at most UINT64_MAX; 0 if running is 0.
 */
PMUTRACE_API uint64_t pmutrace_scale(uint64_t raw, uint64_t enabled_ns, uint64_t running_ns);

/**
 * pmutrace_measure() - what the events count while a function runs
 * @fn: called once, on this thread
 * @counts: pmutrace_nr_events() of them: of this call alone
 *
 * Enables the events if they are not, reads, calls, reads: with one group two system calls. They
 * stay enabled, and totals of pmutrace_read() go on. The affinity of the thread is left alone.
 * What is counted between the readings but is not @fn is found out at the first call, as the
 * smallest of 100 measurements of an empty function, then subtracted and told in `overhead`.
 * Samples and BPF programs of these events see those 100, too.
 *
 * Of other threads (other targets, options.inherit) what they do meanwhile is counted as well.
 * Return: 0 or -errno; @fn was called unless they could not be enabled or read.
 */
PMUTRACE_API int pmutrace_measure(struct pmutrace_events *e, void (*fn)(void *arg), void *arg,
				  struct pmutrace_count *counts);

/*
 * ---- BPF --------------------------------------------------------------------------------------
 */

/*
 * The type of program an event takes, as enum bpf_prog_type of linux/bpf.h: TRACEPOINT for
 * tracepoints, KPROBE for kprobes and uprobes, PERF_EVENT for all else. -ERANGE.
 */
PMUTRACE_API int pmutrace_bpf_type(const struct pmutrace_events *e, size_t event);

/**
 * pmutrace_set_bpf() - run a program whenever the event happens (PERF_EVENT_IOC_SET_BPF)
 * @prog_fd: borrowed; the kernel holds the program until the event is closed
 *
 * A program of a tracepoint or probe runs for every task and CPU, also while the event is disabled;
 * it is attached once, whatever the number of places, and the event counts only when it returns 1.
 * Other programs run at each overflow, on all places.
 *
 * Return: 0; -EINVAL: the program is of another type (@why names both), or the event has no
 * sample_period and the program would never run; -EEXIST: the event, or the same tracepoint through
 * another event, has this program, or the event has another; -EPROTO: with precise_ip, programs
 * that ask for stacks need PERF_SAMPLE_CALLCHAIN; -EBADF: no program.
 */
PMUTRACE_API int pmutrace_set_bpf(struct pmutrace_events *e, size_t event, int prog_fd,
				  struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/**
 * pmutrace_query_bpf() - the ids of the programs that are attached
 * @ids: room for @max; may be NULL with 0
 * @nr: how many there are, also if they found no room
 *
 * Of a tracepoint: all programs that anybody attached to it. Of a probe: the one of this event.
 * The kernel tells none of other events. Ids are not descriptors: bpf(2), BPF_PROG_GET_FD_BY_ID.
 *
 * Return: 0; -ENOSPC: more than @max; -EOPNOTSUPP; -EPERM.
 */
PMUTRACE_API int pmutrace_query_bpf(const struct pmutrace_events *e, size_t event, uint32_t *ids,
				    size_t max, size_t *nr,
				    struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/*
 * ---- Records ----------------------------------------------------------------------------------
 *
 * Pointers in a record go into the ring: good until the next call on that ring.
 */

enum { PMUTRACE_NO_EVENT = -1 };

/* PERF_SAMPLE_READ, PERF_RECORD_READ: counts; ask pmutrace_reading_get(). */
struct pmutrace_reading {
	uint64_t format;     /* PERF_FORMAT_*: what is there; the rest is 0 */
	uint64_t enabled_ns; /* of the leader */
	uint64_t running_ns;
	size_t nr; /* events: those of the group with PERF_FORMAT_GROUP, else 1 */
	const uint64_t *values;
	uint64_t reserved[3];
};

struct pmutrace_reading_value {
	uint64_t value; /* not scaled */
	uint64_t id;	/* PERF_FORMAT_ID; pmutrace_find() knows the event */
	uint64_t lost;	/* PERF_FORMAT_LOST */
	uint64_t reserved[5];
};

/* PERF_SAMPLE_REGS_USER, _REGS_INTR; numbers are those of asm/perf_regs.h. */
struct pmutrace_regs {
	uint64_t abi;  /* PERF_SAMPLE_REGS_ABI_NONE (a kernel thread: no registers), _32, _64 */
	uint64_t mask; /* which registers there are; 0 with _NONE */
	const uint64_t *values;
	uint64_t reserved[1];
};

/* PERF_SAMPLE_BRANCH_STACK, the latest first; ask pmutrace_branch_get(). */
struct pmutrace_branches {
	const uint64_t *entries;
	size_t nr;
	const uint64_t *counters; /* one an entry with PERF_SAMPLE_BRANCH_COUNTERS, else NULL */
	bool has_hw_index;
	uint64_t hw_index; /* of the latest; -1: not known */
	uint64_t reserved[3];
};

struct pmutrace_branch {
	uint64_t from, to;
	bool mispredicted, predicted; /* neither: not known */
	bool in_tx, abort;
	uint16_t cycles;  /* since the branch before; 0: not known */
	uint8_t type;	  /* PERF_BR_*; PERF_BR_EXTEND_ABI: see new_type */
	uint8_t spec;	  /* PERF_BR_SPEC_* */
	uint8_t new_type; /* PERF_BR_NEW_* */
	uint8_t priv;	  /* PERF_BR_PRIV_* */
	uint64_t reserved[4];
};

/* PERF_SAMPLE_DATA_SRC taken apart: PERF_MEM_OP_*, PERF_MEM_LVL_* and so on, unshifted. */
struct pmutrace_data_source {
	uint8_t op;
	uint16_t lvl;
	uint8_t snoop;
	uint8_t lock;
	uint8_t dtlb;
	uint8_t lvl_num;
	uint8_t remote;
	uint8_t snoopx;
	uint8_t blk;
	uint8_t hops;
	uint8_t reserved[20];
};

/* What `has` lacks is 0 or NULL. Who and when is in the record. */
struct pmutrace_sample {
	uint64_t has;  /* PERF_SAMPLE_*: attr.sample_type */
	bool exact_ip; /* ip is the very instruction, without skid */
	uint64_t ip, addr, period;
	struct pmutrace_reading read;
	const uint64_t *ips; /* CALLCHAIN, innermost first, PERF_CONTEXT_* marks between */
	size_t nr_ips;
	const void *raw; /* RAW: for a tracepoint its fields; aligned to 4 bytes only */
	size_t raw_bytes;
	struct pmutrace_branches branches;
	struct pmutrace_regs user_regs, intr_regs;
	const void *stack;	/* STACK_USER, from the stack pointer upwards */
	size_t stack_bytes;	/* room in the record */
	size_t stack_dyn_bytes; /* of these are filled in */
	uint64_t weight;	/* WEIGHT, WEIGHT_STRUCT: all 64 bits */
	uint32_t weight_var1;	/* WEIGHT_STRUCT: its parts */
	uint16_t weight_var2, weight_var3;
	uint64_t data_source; /* DATA_SRC; pmutrace_data_source_of() takes it apart */
	uint64_t transaction; /* PERF_TXN_*; pmutrace_abort_code() */
	uint64_t phys_addr;
	uint64_t cgroup; /* its id: inode of the folder */
	uint64_t data_page_bytes, code_page_bytes;
	const void *aux; /* AUX: a piece of the AUX area */
	size_t aux_bytes;
};

struct pmutrace_mmap { /* MMAP, MMAP2 */
	uint32_t pid, tid;
	uint64_t start, bytes; /* addresses */
	uint64_t offset;       /* in the file, bytes */
	bool data;	       /* not executable (attr.mmap_data) */
	/* Below MMAP2 only; either device and inode or a build-id (attr.build_id). */
	uint32_t dev_major, dev_minor;
	uint64_t inode, inode_generation;
	const uint8_t *build_id; /* or NULL */
	size_t build_id_bytes;
	uint32_t prot, flags; /* as in mmap(2) */
	const char *path;     /* or "[vdso]", "//anon", .. */
};

struct pmutrace_lost { /* LOST, LOST_SAMPLES */
	uint64_t id;   /* LOST: of the event; else 0 */
	uint64_t nr;   /* LOST: records without room; LOST_SAMPLES: dropped by the hardware */
};

struct pmutrace_comm {
	uint32_t pid, tid;
	bool exec; /* by an exec, not a rename (attr.comm_exec) */
	const char *name;
};

struct pmutrace_task { /* FORK, EXIT */
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time_ns;
};

struct pmutrace_throttle { /* THROTTLE, UNTHROTTLE: sampling was stopped for a while */
	uint64_t time_ns, id, stream_id;
};

struct pmutrace_read_record { /* attr.inherit_stat: counts of a task that ended */
	uint32_t pid, tid;
	struct pmutrace_reading values;
};

struct pmutrace_aux {
	uint64_t offset, bytes; /* in the AUX area */
	uint64_t flags;		/* PERF_AUX_FLAG_* */
};

struct pmutrace_itrace_start {
	uint32_t pid, tid;
};

struct pmutrace_switch {		       /* SWITCH, SWITCH_CPU_WIDE */
	bool out;			       /* the task leaves the CPU, else it comes */
	bool preempted;			       /* out: still runnable */
	uint32_t next_prev_pid, next_prev_tid; /* CPU_WIDE. out: who comes; in: who went */
};

struct pmutrace_namespace {
	uint64_t dev, inode;
};

struct pmutrace_namespaces {
	uint32_t pid, tid;
	size_t nr;
	const struct pmutrace_namespace *namespaces; /* by NET_NS_INDEX and so on */
};

struct pmutrace_ksymbol {
	uint64_t start;
	uint32_t bytes;
	uint16_t type;	/* PERF_RECORD_KSYMBOL_TYPE_* */
	uint16_t flags; /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
	const char *name;
};

struct pmutrace_bpf_event {
	uint16_t type; /* PERF_BPF_EVENT_PROG_LOAD, _UNLOAD */
	uint16_t flags;
	uint32_t prog_id;
	const uint8_t *tag; /* 8 bytes */
};

struct pmutrace_cgroup { /* made, while attr.cgroup */
	uint64_t id;
	const char *path; /* below the mount */
};

struct pmutrace_text_poke { /* the kernel changed its code */
	uint64_t addr;
	uint16_t old_bytes, new_bytes;
	const uint8_t *old_text, *new_text;
};

struct pmutrace_callchain_deferred { /* Linux 6.19 */
	uint64_t cookie;
	size_t nr_ips;
	const uint64_t *ips;
};

struct pmutrace_record {
	uint32_t type;	   /* PERF_RECORD_*: which member of the union; one we do not know: none */
	uint16_t misc;	   /* as it came */
	uint16_t cpu_mode; /* PERF_RECORD_MISC_KERNEL, _USER, .. */
	int event;	   /* its number, or PMUTRACE_NO_EVENT */
	const void *bytes; /* header and all, 8-byte aligned */
	size_t len;
	/* Who and when, of a SAMPLE or its trailer (attr.sample_id_all). */
	uint64_t has; /* which of these: PERF_SAMPLE_TID, _TIME, ..; the rest is 0 */
	uint32_t pid, tid, cpu;
	uint64_t time_ns; /* of the event's clock (attr.clockid) */
	uint64_t id, stream_id;
	uint64_t reserved[6];
	union {
		struct pmutrace_mmap mmap;
		struct pmutrace_lost lost;
		struct pmutrace_comm comm;
		struct pmutrace_task task;
		struct pmutrace_throttle throttle;
		struct pmutrace_read_record read;
		struct pmutrace_sample sample;
		struct pmutrace_aux aux;
		struct pmutrace_itrace_start itrace_start;
		struct pmutrace_switch cpu_switch;
		struct pmutrace_namespaces namespaces;
		struct pmutrace_ksymbol ksymbol;
		struct pmutrace_bpf_event bpf_event;
		struct pmutrace_cgroup cgroup;
		struct pmutrace_text_poke text_poke;
		uint64_t aux_output_hw_id;
		struct pmutrace_callchain_deferred callchain_deferred;
		uint64_t room[64]; /* for members that these get later */
	};
};

/* The @i-th of them: 0, or -ENOENT. */
PMUTRACE_API int pmutrace_reading_get(const struct pmutrace_reading *r, size_t i,
				      struct pmutrace_reading_value *out) PMUTRACE_MUST_CHECK;
PMUTRACE_API int pmutrace_branch_get(const struct pmutrace_branches *b, size_t i,
				     struct pmutrace_branch *out) PMUTRACE_MUST_CHECK;

/* The value of register @reg: 0, or -ENOENT: it was not sampled. */
PMUTRACE_API int pmutrace_reg_get(const struct pmutrace_regs *r, unsigned int reg,
				  uint64_t *value) PMUTRACE_MUST_CHECK;

/* By the masks of the header: bits that are in no field are left out. */
PMUTRACE_API struct pmutrace_data_source pmutrace_data_source_of(uint64_t data_source);

/* What the program gave when it aborted its transaction. */
PMUTRACE_API uint32_t pmutrace_abort_code(uint64_t transaction);

/**
 * pmutrace_decode() - take a record from anywhere apart
 * @attr: of the event that wrote it; only the members that shape records matter
 * @bytes: 8-byte aligned; borrowed as long as @out is used
 *
 * Return: 0, also for a type that we do not know; -EBADMSG: malformed; -EINVAL: not aligned.
 */
PMUTRACE_API int pmutrace_decode(const struct perf_event_attr *attr, const void *bytes, size_t len,
				 struct pmutrace_record *out) PMUTRACE_MUST_CHECK;

/*
 * Fields of a tracepoint: what the raw bytes of its samples mean (attr.sample_type with
 * PERF_SAMPLE_RAW). Source: its file `format` in tracefs, Documentation/trace/events.rst.
 */
struct pmutrace_tracepoint;

struct pmutrace_field {
	const char *name;	/* "prev_comm"; lives as long as the tracepoint, as do all */
	const char *type;	/* C, without brackets: "char", "unsigned long" */
	uint32_t offset, bytes; /* in the record; bytes 0: to its end */
	bool is_signed;
	bool is_array;	  /* char comm[16]; of characters: pmutrace_field_text() */
	bool is_dynamic;  /* __data_loc: in the record is where it is, which is followed */
	bool is_relative; /* __rel_loc: that is counted from behind the field */
	bool common;	  /* of all tracepoints: common_pid, .. */
};

/* By name: 0 or -errno as pmutrace_tracepoint_id(), which is -ENOENT with the nearest name. */
PMUTRACE_API int pmutrace_tracepoint_open(struct pmutrace_tracepoint **out, const char *category,
					  const char *name,
					  struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/* Of an open event. -EINVAL: it is no tracepoint. */
PMUTRACE_API int pmutrace_tracepoint_of(struct pmutrace_tracepoint **out,
					const struct pmutrace_events *e, size_t event,
					struct pmutrace_error *why) PMUTRACE_MUST_CHECK;
PMUTRACE_API void pmutrace_tracepoint_close(struct pmutrace_tracepoint *t);

/* In the kernel's order, the common ones first; NULL: there is none of that number or name. */
PMUTRACE_API size_t pmutrace_tracepoint_nr_fields(const struct pmutrace_tracepoint *t);
PMUTRACE_API const struct pmutrace_field *
pmutrace_tracepoint_field(const struct pmutrace_tracepoint *t, size_t i);
PMUTRACE_API const struct pmutrace_field *
pmutrace_tracepoint_find(const struct pmutrace_tracepoint *t, const char *name);

/* How the kernel prints a record: a format of printf and its arguments, in C; or NULL. */
PMUTRACE_API const char *pmutrace_tracepoint_print(const struct pmutrace_tracepoint *t);

/*
 * A field of a sample: as a number, signed ones with all 64 bits; as text, up to its NUL; as the
 * bytes that it has in the record, borrowed like the record, aligned to nothing. 0; -ENOENT: @f is
 * NULL, as pmutrace_tracepoint_find() has it for a name that is in no field; -ENODATA: the
 * sample has no such bytes (it is of another tracepoint, or without PERF_SAMPLE_RAW); -EINVAL: it
 * is no number, or no array of char; -ERANGE: @text holds a part.
 */
PMUTRACE_API int pmutrace_field_number(const struct pmutrace_field *f,
				       const struct pmutrace_sample *s,
				       uint64_t *value) PMUTRACE_MUST_CHECK;
PMUTRACE_API int pmutrace_field_text(const struct pmutrace_field *f,
				     const struct pmutrace_sample *s, char *text,
				     size_t size) PMUTRACE_MUST_CHECK;
PMUTRACE_API int pmutrace_field_bytes(const struct pmutrace_field *f,
				      const struct pmutrace_sample *s, const void **bytes,
				      size_t *len) PMUTRACE_MUST_CHECK;

/*
 * The buffers that events write records to: one for each CPU, or for each thread on any CPU.
 * Source: perf_event_open(2), "MMAP layout"; kernel/events/ring_buffer.c.
 */
struct pmutrace_ring;

/**
 * pmutrace_ring_open() - map the buffers of all events that write records
 * @e: borrowed, must outlive the ring; at most one ring for each
 * @pages: of each buffer, a power of two; 0: 128
 *
 * These are the events with a sample_period or sample_freq, and those with record bits (mmap, comm,
 * task, context_switch, ksymbol, ..). On each place they share a buffer.
 *
 * Return: 0; -EINVAL: that size, no such event, or events that cannot share (clocks differ);
 * -EPERM: the memory limit, kernel.perf_event_mlock_kb; -ENOMEM.
 */
PMUTRACE_API int pmutrace_ring_open(struct pmutrace_ring **out, struct pmutrace_events *e,
				    size_t pages, struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/* Unmaps them, before the events are closed. NULL is fine. */
PMUTRACE_API void pmutrace_ring_close(struct pmutrace_ring *r);

/**
 * pmutrace_ring_read() - the next record, waiting for it if need be
 * @timeout_ms: 0: do not wait; -1: as long as it takes
 *
 * Those of one buffer come in order; of several buffers compare time_ns. Records that are there
 * come before anything else, also those of a target that has ended.
 *
 * Return: 0, or -errno:
 *   -ETIMEDOUT  nothing came
 *   -ESHUTDOWN  the target has ended, and all its records were read
 *   -ECANCELED  pmutrace_ring_cancel() was called
 *   -EINTR      a signal came
 *   -EBADMSG    a record made no sense. Go on reading: a malformed one is skipped, from a corrupt
 *		 buffer all that waited in it is dropped
 *   -EIO        an event is in error: pinned, but the PMU has no room for it
 */
PMUTRACE_API int pmutrace_ring_read(struct pmutrace_ring *r, int timeout_ms,
				    struct pmutrace_record *out) PMUTRACE_MUST_CHECK;

/* True if a record waits. Takes nothing. */
PMUTRACE_API bool pmutrace_ring_has_record(const struct pmutrace_ring *r);

/*
 * Wakes up who waits in pmutrace_ring_read(), else makes its next wait return at once. Safe in
 * signal handlers and from other threads.
 */
PMUTRACE_API void pmutrace_ring_cancel(struct pmutrace_ring *r);

/* While paused, records are lost (PERF_EVENT_IOC_PAUSE_OUTPUT). 0 or -errno. */
PMUTRACE_API int pmutrace_ring_pause(struct pmutrace_ring *r);
PMUTRACE_API int pmutrace_ring_resume(struct pmutrace_ring *r);

/* Records and samples that LOST and LOST_SAMPLES records, so far read, say are missing. */
PMUTRACE_API uint64_t pmutrace_ring_nr_lost(const struct pmutrace_ring *r);

/* The @i-th descriptor to give to poll(2), or -ENOENT. After POLLHUP read on until -ESHUTDOWN. */
PMUTRACE_API int pmutrace_ring_fd(const struct pmutrace_ring *r, size_t i);

/*
 * ---- Commands ---------------------------------------------------------------------------------
 *
 * Start one held back, open events on its pid with options.enable_on_exec and options.inherit,
 * release it, wait, read.
 */

struct pmutrace_command;

/* Forks; the child waits. @argv: ends with NULL; [0] is looked for in PATH; borrowed. 0, -errno. */
PMUTRACE_API int pmutrace_command_start(struct pmutrace_command **out, char *const *argv,
					struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/* Of the child: for a target of kind THREAD, before it is released. */
PMUTRACE_API pid_t pmutrace_command_pid(const struct pmutrace_command *c);

/* Lets it exec. -errno of that (-ENOENT: no such command, ..). */
PMUTRACE_API int pmutrace_command_release(struct pmutrace_command *c,
					  struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/* For poll(2): readable once it has ended. */
PMUTRACE_API int pmutrace_command_fd(const struct pmutrace_command *c);

/* Waits for its end: the exit status as a shell has it, 128 + signal if one killed it. */
PMUTRACE_API int pmutrace_command_wait(struct pmutrace_command *c);

/* One that was never released ends; one that runs is left alone. */
PMUTRACE_API void pmutrace_command_free(struct pmutrace_command *c);

/*
 * ---- What this machine has --------------------------------------------------------------------
 *
 * Functions that list call @fn for each thing; what it returns other than 0 ends the list and is
 * returned. Strings are good during the call only.
 */

/* Does perf work here at all (@spec NULL), can these events be counted on this thread? 0: all of
 * them. Else the -errno of the first that cannot, and why. */
PMUTRACE_API int pmutrace_supported(const char *spec, struct pmutrace_error *why);

struct pmutrace_event_name {
	const char *name;
	const char *alias; /* another name, or NULL */
	const char *unit;  /* "ns" or "" */
	uint32_t type;	   /* PERF_TYPE_HARDWARE, _SOFTWARE or _HW_CACHE */
	uint64_t config;
};

/* The kernel's generic events, whether or not this machine counts them. */
PMUTRACE_API int
pmutrace_for_each_event(int (*fn)(void *arg, const struct pmutrace_event_name *name), void *arg);

struct pmutrace_pmu {
	const char *name;
	uint32_t type;		  /* of perf_event_attr */
	bool core;		  /* one of the CPU's own */
	unsigned int max_precise; /* highest precise_ip, 255: not known */
};

/* Source: /sys/bus/event_source/devices. */
PMUTRACE_API int pmutrace_for_each_pmu(int (*fn)(void *arg, const struct pmutrace_pmu *pmu),
				       void *arg, struct pmutrace_error *why);

/*
 * The terms that a PMU takes, PMU/NAME=VALUE/, sorted: where the bits of a value go. -ENOENT: no
 * such PMU (@why: what there is). Source: its folder `format`.
 */
struct pmutrace_pmu_format {
	const char *name; /* "umask" */
	const char *bits; /* as the kernel writes it: "config:8-15" */
	uint32_t word;	  /* 0: attr.config, .. 3: attr.config3 */
	uint64_t mask;	  /* of that word; 0: a word that is not known here */
};

PMUTRACE_API int pmutrace_for_each_pmu_format(const char *pmu,
					      int (*fn)(void *arg,
							const struct pmutrace_pmu_format *format),
					      void *arg, struct pmutrace_error *why);

/* The events that a PMU has names for, PMU/NAME/, sorted. Source: its folder `events`. */
struct pmutrace_pmu_event {
	const char *name;  /* "cas_count_read" */
	const char *terms; /* what it stands for: "event=0x04,umask=0x03"; "?": one to be given */
	const char *unit;  /* of count * scale: "MiB", or "" */
	double scale;	   /* 1 if it has none; NAN if its file makes no sense */
};

PMUTRACE_API int pmutrace_for_each_pmu_event(const char *pmu,
					     int (*fn)(void *arg,
						       const struct pmutrace_pmu_event *event),
					     void *arg, struct pmutrace_error *why);

/*
 * Tracepoints, sorted. @pattern: "CATEGORY:NAME" with globs, NULL: all. -ENOENT: tracefs is not
 * mounted; -EACCES: it may not be read; -EINVAL: no such pattern.
 */
PMUTRACE_API int pmutrace_for_each_tracepoint(const char *pattern,
					      int (*fn)(void *arg, const char *category,
							const char *name),
					      void *arg, struct pmutrace_error *why);

/* The tracers of ftrace. Source: available_tracers, current_tracer. */
PMUTRACE_API int pmutrace_for_each_tracer(int (*fn)(void *arg, const char *name, bool current),
					  void *arg, struct pmutrace_error *why);

/* attr.config of a tracepoint. -ENOENT: there is none (@why: the nearest name), or no tracefs. */
PMUTRACE_API int pmutrace_tracepoint_id(const char *category, const char *name, uint32_t *id,
					struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/* Where they are mounted. -ENOENT: they are not; -ERANGE: @size is too small for the path. */
PMUTRACE_API int pmutrace_tracefs(char *path, size_t size,
				  struct pmutrace_error *why) PMUTRACE_MUST_CHECK;
PMUTRACE_API int pmutrace_debugfs(char *path, size_t size,
				  struct pmutrace_error *why) PMUTRACE_MUST_CHECK;

/*
 * Settings of the kernel. Source: /proc/sys/kernel/perf_*. -1: cannot be read; for paranoid, where
 * -1 is a level, LONG_MIN.
 */
struct pmutrace_limits {
	long paranoid;		 /* perf_event_paranoid */
	long max_sample_rate_hz; /* perf_event_max_sample_rate */
	long mlock_kb;		 /* perf_event_mlock_kb: of rings, for each CPU and user */
	long max_stack;		 /* perf_event_max_stack: frames of a callchain */
	long max_contexts;	 /* perf_event_max_contexts_per_stack */
	long open_files;	 /* RLIMIT_NOFILE, hard */
	long reserved[10];
};

PMUTRACE_API void pmutrace_limits(struct pmutrace_limits *out);

#ifdef __cplusplus
}
#endif

#endif
