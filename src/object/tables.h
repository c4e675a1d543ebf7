/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object/tables.h - counts by key out of the maps that programs fill: sized, shown, drained.
 *
 * Every session that counts has one: bpf/table.bpf.h is its other half, bpf/table.wire.h the
 * layout. A key is a struct sample_key, then any number of words of the session's own, then the
 * frames of its stacks.
 *
 * Keys are shown as they appear (rows_reader.stack), counts when the memory that holds them is
 * drained (rows_reader.count): while programs run when it is half full, else at the end.
 *
 * Life: size - (load the programs) - map - any number of polls - a last poll when no program writes
 * any more - unmap.
 */
#ifndef PMUTRACE_OBJECT_TABLES_H
#define PMUTRACE_OBJECT_TABLES_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "object/rows.h"
#include "table.wire.h"

struct tables_opts {
	uint64_t max_keys;  /* distinct keys per place and generation */
	uint32_t lanes;	    /* of each CPU: programs that may interrupt each other there */
	uint32_t nr_values; /* kept of each key */
	bool exemplars;	    /* and one hit: sample_stack.exemplar */
	uint32_t key_words; /* of a usual key: what the store has room for */
	uint32_t max_words; /* of the longest */
};

/* What user space has seen of a place's memory (a lane of a CPU) of one generation. */
struct tables_seen {
	uint32_t shown_words; /* of the store: records up to here have been shown */
	uint32_t safe_words;  /* in use at the last look: these records are complete by now */
	uint32_t *handles;    /* by order in the store */
	size_t nr_handles, cap_handles;
	void *values; /* mapped, for the first keys; NULL: none */
	size_t values_bytes;
};

/* The active generation at the last look: tables__is_half_full(). */
struct tables_pace {
	uint64_t ns;   /* when that was; 0: never */
	double fill;   /* 0 to 1, of the fullest place */
	double per_ms; /* by how much that grew in a millisecond */
	unsigned nr_drains;
};

struct tables {
	struct table_cfg cfg;
	uint32_t first;	    /* words of a key before its frames: set by the session */
	uint32_t nr_places; /* lanes of all possible CPUs: what the maps are sized by */
	unsigned nr_drains;
	uint64_t drained_seen, drained_lost[TABLE_LOST_NR]; /* of what was handed out */
	uint32_t *active;				    /* table_active of the programs */
	struct table_cpu *cpus;
	struct table_slot *slots;
	struct table_chunk *store;
	size_t cpus_bytes, slots_bytes, store_bytes;
	int values_fd;		  /* theirs, of which parts are mapped: see tables_seen */
	struct tables_seen *seen; /* [place * TABLE_GENERATIONS + generation] */
	struct tables_pace pace;
};

/*
 * Before loading: decides t->cfg, which goes into the programs' `table`, and sizes the maps of
 * table.bpf.h in @obj. 0; -E2BIG: too many keys for so many CPUs; another -errno.
 */
int tables__size(struct tables *t, const struct tables_opts *opts,
		 const struct bpf_object *obj) must_check;

/* After loading. @obj must live as long as @t. 0 or -errno. */
int tables__map(struct tables *t, const struct bpf_object *obj) must_check;
void tables__unmap(struct tables *t);

/*
 * Shows new keys, and drains what is more than half full, or everything when programs have
 * @stopped. The first error of a function ends it and is returned.
 */
int tables__poll(struct tables *t, bool stopped, const struct rows_reader *reader) must_check;

/*
 * Makes running programs write the other generation from now on. Returns the one they have written:
 * to be drained after grace__wait(), for all that was counted up to now.
 */
unsigned tables__flip(struct tables *t);

/*
 * Whether the active generation is more than half full, and to be drained. Remembers how quickly it
 * fills, for tables__patience_ms(). tables__poll() does so each time; for those who drain by
 * themselves.
 */
bool tables__is_half_full(struct tables *t);

/* When the next poll is due: soon while the tables fill quickly. As of the last look. */
unsigned tables__patience_ms(const struct tables *t);

/* Up to now. */
uint64_t tables__seen(const struct tables *t);

/* Of what was drained: *seen is the sum of its counts and losses. */
void tables__stats(const struct tables *t, uint64_t *seen, uint64_t lost[TABLE_LOST_NR]);

/* CPU time that the programs took so far, ns; 0: they do not measure it. */
uint64_t tables__own_ns(const struct tables *t);

/*
 * For tables__poll() and the tests: shows the records of a generation that have not been shown;
 * @all: programs have stopped writing it, else only those that were there at the last look.
 */
int tables__show(struct tables *t, unsigned gen, bool all,
		 const struct rows_reader *reader) must_check;

/* Hands out all counts of a generation that nobody writes any more, and clears it. */
int tables__drain(struct tables *t, unsigned gen, const struct rows_reader *reader) must_check;

/* How full the fullest place's part of a generation is: 0 to 1. */
double tables__fill(const struct tables *t, unsigned gen);

#endif
