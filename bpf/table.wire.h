/* SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause */
/*
 * table.wire.h - counts by key, as a BPF program writes them and its loader reads them.
 *
 * A key is any number of words: who, what, which stack. Every CPU writes memory of its own: no
 * atomics, no bouncing cache lines. Programs that may interrupt each other on a CPU have a lane
 * each; a place is a lane of a CPU: cpu * lanes + lane. Its memory exists twice (a generation);
 * programs write the active one, user space drains the other.
 *
 *	slots	open-addressing table of counts, (1 << slot_bits) per place and generation
 *	store	a log of records, one for each distinct key, `chunks` of it per place and
 *		generation; a record never crosses a chunk
 *	values	nr_values for each key, in the order of the store: what was measured at the hits
 *		that its slot counts, then an exemplar of them if that is wanted. max_keys times
 *		so many per place and generation
 *	cpus	counters of the place, and how much of each generation is in use
 *
 * All four are mmap-able arrays: user space reads and clears them as memory.
 */
#ifndef PMUTRACE_TABLE_WIRE_H
#define PMUTRACE_TABLE_WIRE_H

#include <linux/types.h>

enum {
	TABLE_CHUNK_WORDS = 8192, /* 64 KiB */
	TABLE_GENERATIONS = 2,
	TABLE_PROBES = 32, /* slots looked at before a table counts as full */
	TABLE_LANES = 3,   /* at most */
	TABLE_COMM_BYTES = 16,
};

/* Why something was seen and reached no slot. */
enum table_loss {
	TABLE_LOST_SLOTS, /* no slot within TABLE_PROBES, or too many keys */
	TABLE_LOST_STORE, /* the store has no room for a new key */
	TABLE_LOST_MAP,	  /* a map did not have this CPU: must never happen */
	TABLE_LOST_BUSY,  /* all lanes of the CPU were in use */
	TABLE_LOST_NR,
};

/* Set before load; the verifier removes what these switch off. */
struct table_cfg {
	__u32 slot_bits;
	__u32 chunks;	 /* of the store, per place and generation */
	__u32 max_keys;	 /* distinct ones per place and generation */
	__u32 max_words; /* of the longest key: a bound for the verifier */
	__u32 lanes;	 /* of each CPU */
	__u32 nr_values; /* of each key */
	__u32 exemplars; /* bool: the last TABLE_EXEMPLAR_VALUES of them are an exemplar */
	__u32 run_ns;	 /* of each run of a program that measures its cost: what it cannot see */
	__u64 seed;	 /* of the hash: keys cannot be made to collide from outside */
};

struct table_value {
	__u64 sum;
	__s64 min, max; /* or of unsigned numbers the bits */
};

/*
 * One of the hits that a slot counts, each as likely as the other: in the place of values, of which
 * a program is shown one at a time. Like them it is of whoever has taken the place.
 */
struct table_exemplar {
	__u64 time_ns; /* CLOCK_MONOTONIC */
	__u64 value;   /* what was measured, or 1 */
	__u64 pid_tgid;
	char comm[TABLE_COMM_BYTES];
	__u64 unused;
};

enum { TABLE_EXEMPLAR_VALUES = sizeof(struct table_exemplar) / sizeof(struct table_value) };
_Static_assert(sizeof(struct table_exemplar) == 2 * sizeof(struct table_value), "whole values");

struct table_slot {
	__u64 hash;
	__u64 count; /* 0: free */
	__u64 sum;   /* of weights: the event's period at each count */
	__u32 check; /* 32 more bits of the hash */
	__u32 key;   /* index of its record in the store */
};
_Static_assert(sizeof(struct table_slot) == 32, "two slots to a cache line");

struct table_record {
	__u64 first_ns; /* CLOCK_MONOTONIC of the first count */
	__u32 slot;	/* within the place's generation */
	__u32 words;	/* of the whole record; 0: the rest of this chunk is unused */
			/* then the key */
};

enum { TABLE_RECORD_WORDS = sizeof(struct table_record) / 8 };

struct table_chunk {
	__u64 words[TABLE_CHUNK_WORDS];
};

/* Counters of a generation: seen is the sum of its slots' counts and of losses. */
struct table_generation {
	__u64 seen; /* what passed the filters, but for lost[TABLE_LOST_BUSY] */
	__u64 lost[TABLE_LOST_NR];
	__u32 words; /* of the store, in use */
	__u32 keys;  /* records in it */
};

struct table_cpu {
	struct table_generation gen[TABLE_GENERATIONS];
	__u32 busy;   /* bool: a program is at work here */
	__u32 now;    /* the generation that it writes */
	__u64 own_ns; /* CPU time of programs since they were loaded, where they measure it */
	__u64 pad[2];
};
_Static_assert(sizeof(struct table_cpu) == 128, "whole cache lines for each place");

#endif
