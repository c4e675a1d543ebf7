/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * perf/record.h - one record of a perf ring, taken apart.
 *
 * Knows every record and every sample field up to Linux 6.19. Nothing is copied or allocated:
 * names, stacks and the like are pointers into the record, good for as long as its bytes are.
 * What is in a record follows from the attr of the event that wrote it: see perf_record_layout.
 * Does not know: rings (perf/mapring.h), which event an id belongs to, symbols.
 * Source: include/uapi/linux/perf_event.h, enum perf_event_type; kernel/events/core.c.
 */
#ifndef PMUTRACE_PERF_RECORD_H
#define PMUTRACE_PERF_RECORD_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "perf/readout.h"
#include "perf/record_sample.h"

/*
 * The part of an attr that shapes records. In a group where one member asks for
 * PERF_SAMPLE_BRANCH_COUNTERS, samples of the leader carry counters, too: set it there.
 */
struct perf_record_layout {
	uint64_t sample_type;
	uint64_t read_format;
	uint64_t branch_sample_type;
	uint64_t sample_regs_user, sample_regs_intr; /* masks */
	bool sample_id_all;
	/*
	 * attr.build_id is off: PERF_RECORD_MISC_MMAP_BUILD_ID is not for us. The kernel leaves the
	 * flag set when one event after the other is told of a mapping, and one before asked for it
	 * (perf_event_mmap_output(), kernel/events/core.c; seen with Linux 6.18).
	 */
	bool inode_only;
};

/* The fields that say who and when. */
#define PERF_RECORD_ID_FIELDS                                                                      \
	(PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |             \
	 PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER)

/* Of a SAMPLE its own, of any other record the trailer that attr.sample_id_all adds. */
struct perf_record_id {
	uint64_t has; /* which: PERF_SAMPLE_TID and so on; the rest is 0 */
	uint32_t pid, tid;
	uint64_t time_ns;   /* of the event's clock (attr.clockid) */
	uint64_t id;	    /* PERF_SAMPLE_ID: of the event, as PERF_EVENT_IOC_ID gives it */
	uint64_t stream_id; /* another for each inherited copy of the event */
	uint32_t cpu;
	uint64_t identifier; /* PERF_SAMPLE_IDENTIFIER: the same as id */
};

struct perf_record_mmap { /* MMAP, MMAP2 */
	uint32_t pid, tid;
	uint64_t start, bytes; /* addresses */
	uint64_t offset;       /* in the file, bytes */
	/* Below MMAP2 only; either dev and inode or a build-id. */
	uint32_t dev_major, dev_minor;
	uint64_t inode, inode_generation;
	const uint8_t *build_id; /* or NULL (misc: PERF_RECORD_MISC_MMAP_BUILD_ID, 5.12) */
	size_t build_id_bytes;
	uint32_t prot, flags; /* as in mmap(2) */
	const char *path;     /* or "[vdso]", "//anon", .. */
};

struct perf_record_lost { /* LOST, LOST_SAMPLES */
	uint64_t id;	  /* LOST: of the event; else 0 */
	uint64_t nr;	  /* LOST: records; LOST_SAMPLES: samples the hardware dropped */
};

struct perf_record_comm {
	uint32_t pid, tid;
	const char *name;
};

struct perf_record_task { /* FORK, EXIT */
	uint32_t pid, parent_pid, tid, parent_tid;
	uint64_t time_ns;
};

struct perf_record_throttle { /* THROTTLE, UNTHROTTLE */
	uint64_t time_ns, id, stream_id;
};

struct perf_record_read { /* attr.inherit_stat: counts of a task that ended */
	uint32_t pid, tid;
	struct perf_readout values;
};

struct perf_record_aux {
	uint64_t offset, bytes; /* in the AUX area */
	uint64_t flags;		/* PERF_AUX_FLAG_* */
};

struct perf_record_itrace_start {
	uint32_t pid, tid;
};

struct perf_record_switch { /* SWITCH_CPU_WIDE; SWITCH has nothing but misc and id */
	uint32_t next_prev_pid, next_prev_tid; /* out: who comes; in: who went */
};

struct perf_namespace {
	uint64_t dev, inode;
};

struct perf_record_namespaces {
	uint32_t pid, tid;
	size_t nr;
	const struct perf_namespace *namespaces; /* by NET_NS_INDEX and so on */
};

struct perf_record_ksymbol {
	uint64_t start;
	uint32_t bytes;
	uint16_t ksym_type; /* PERF_RECORD_KSYMBOL_TYPE_* */
	uint16_t flags;	    /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
	const char *name;
};

struct perf_record_bpf_event {
	uint16_t event; /* PERF_BPF_EVENT_PROG_LOAD or _UNLOAD */
	uint16_t flags;
	uint32_t prog_id;
	const uint8_t *tag; /* 8 bytes */
};

struct perf_record_cgroup {
	uint64_t id;
	const char *path; /* below the mount */
};

struct perf_record_text_poke {
	uint64_t addr;
	uint16_t old_bytes, new_bytes;
	const uint8_t *old_text, *new_text;
};

struct perf_record_aux_output_hw_id { /* 5.16 */
	uint64_t hw_id;
};

struct perf_record_callchain_deferred { /* 6.19 */
	uint64_t cookie; /* the one behind PERF_CONTEXT_USER_DEFERRED in a sample's callchain */
	size_t nr_ips;
	const uint64_t *ips;
};

struct perf_record {
	uint32_t type; /* PERF_RECORD_*: which member of the union */
	uint16_t misc; /* PERF_RECORD_MISC_*: what bits mean depends on the type, see below */
	struct perf_record_id id;
	union {
		struct perf_record_mmap mmap; /* MMAP, MMAP2 */
		struct perf_record_lost lost; /* LOST, LOST_SAMPLES */
		struct perf_record_comm comm;
		struct perf_record_task task;	      /* FORK, EXIT */
		struct perf_record_throttle throttle; /* THROTTLE, UNTHROTTLE */
		struct perf_record_read read;
		struct perf_sample sample;
		struct perf_record_aux aux;
		struct perf_record_itrace_start itrace_start;
		struct perf_record_switch cpu_switch; /* SWITCH_CPU_WIDE */
		struct perf_record_namespaces namespaces;
		struct perf_record_ksymbol ksymbol;
		struct perf_record_bpf_event bpf_event;
		struct perf_record_cgroup cgroup;
		struct perf_record_text_poke text_poke;
		struct perf_record_aux_output_hw_id aux_output_hw_id;
		struct perf_record_callchain_deferred callchain_deferred;
	};
};

struct perf_record_layout perf_record_layout__of(const struct perf_event_attr *attr);

/**
 * perf_record__decode() - take one record apart
 * @bytes: 8-byte aligned; borrowed, @out points into it
 * @len: bytes; the header must say the same
 *
 * Return: 0; -EBADMSG: malformed, @out tells its type at most; -ENOMSG: a type we do not know;
 * -EINVAL: @bytes is not aligned.
 */
int perf_record__decode(const void *bytes, size_t len, const struct perf_record_layout *layout,
			struct perf_record *out) must_check;

/**
 * perf_record__id() - which of several events that share a ring wrote a record
 * @any: layout of one of them; all must agree on PERF_SAMPLE_IDENTIFIER and sample_id_all, and
 *	 without IDENTIFIER on the whole sample_type
 *
 * Return: 0; -ENODATA: the layout has no ids in records of this type; -EBADMSG: malformed.
 */
int perf_record__id(const void *bytes, size_t len, const struct perf_record_layout *any,
		    uint64_t *id) must_check;

/* Where it happened: PERF_RECORD_MISC_KERNEL, _USER, .., or _CPUMODE_UNKNOWN. */
uint16_t perf_record__cpu_mode(const struct perf_record *r);

/* SAMPLE: ip is the very instruction, without skid. */
bool perf_record__exact_ip(const struct perf_record *r);

/* COMM: by an exec, not by a rename. */
bool perf_record__is_exec(const struct perf_record *r);

/* SWITCH, SWITCH_CPU_WIDE: the task leaves the CPU, else it comes. Preempted: it leaves runnable.
 */
bool perf_record__switched_out(const struct perf_record *r);
bool perf_record__preempted(const struct perf_record *r);

/* MMAP, MMAP2: not executable. */
bool perf_record__is_data(const struct perf_record *r);

#endif
