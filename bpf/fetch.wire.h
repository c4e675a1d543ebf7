/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * fetch.wire.h - how a program gets a field of a probe's hit: an argument, a tracepoint's member,
 * what a pointer leads to. The loader finds out what that takes and writes it down (struct fetch);
 * fetch.bpf.h follows it.
 */
#ifndef PMUTRACE_FETCH_WIRE_H
#define PMUTRACE_FETCH_WIRE_H

#include <linux/types.h>

enum {
	FETCH_STEPS = 3,	 /* pointers that are followed for one */
	FETCH_STRING_BYTES = 64, /* of a string, with its end; longer ones are cut */
	FETCH_STRING_WORDS = FETCH_STRING_BYTES / 8,
};

/* Where a field begins. */
enum fetch_source {
	FETCH_CONSTANT = 1, /* struct fetch's `constant` */
	FETCH_PROBE,	    /* the number of the probe */
	FETCH_CPU,
	FETCH_UID,
	FETCH_PID, /* the process */
	FETCH_TID,
	FETCH_COMM, /* a string; form: FETCH_CHARS */
	/*
	 * `load.size` bytes at `load.offset` of what the probe hands over: a tracepoint's record,
	 * the registers of functions (struct pt_regs), a pointer to those of events, a raw
	 * tracepoint's arguments.
	 */
	FETCH_CONTEXT,
};

/* What is made of it. */
enum fetch_form {
	FETCH_NUMBER,
	FETCH_CHARS,	   /* a string in the record itself, load.size is unused */
	FETCH_DATA_LOC,	   /* in the record, at the low 16 bits of the number (__data_loc) */
	FETCH_REL_LOC,	   /* the same, counted from behind the number itself (__rel_loc) */
	FETCH_STRING,	   /* what the number points to, in the kernel */
	FETCH_USER_STRING, /* in the task */
};

struct fetch_load {
	__s32 offset; /* bytes; of steps: from where the pointer points */
	/*
	 * 1, 2, 4, 8. 0, of steps: the offset is added and nothing is loaded, for what is wanted
	 * begins there (a string inside a struct).
	 */
	__u8 size;
	__u8 is_signed;
	/* A bit field: the number is shifted right and cut to so many bits; 0 bits: it is none. */
	__u8 shift;
	__u8 bits;
};
_Static_assert(sizeof(struct fetch_load) == 8, "one word");

struct fetch {
	__u8 source;
	__u8 form;
	__u8 at;    /* first word in the key; decided by the session */
	__u8 words; /* there: 1, or FETCH_STRING_WORDS of a string */
	__u8 nr_steps;
	__u8 is_user; /* the steps are in the task's memory, not in the kernel's */
	__u16 unused;
	__u64 constant;
	struct fetch_load load;
	struct fetch_load steps[FETCH_STEPS]; /* the number is a pointer: what is behind it */
};
_Static_assert(sizeof(struct fetch) == 48, "no padding");

#endif
