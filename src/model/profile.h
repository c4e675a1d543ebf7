/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/profile.h - what a profiling run found: samples by event, task and stack.
 *
 * Knows: frames (a name, where it comes from, and if it is wanted the place of its code), stacks
 * (paths in one trie of frames), rows (who, which stack, how often), events, losses. Pure data: no
 * system calls.
 * Does not know: processes, what is in files, formats.
 *
 * A stack is a node of the trie; its parent is the caller. The root (node 0) has no
 * frame. The first level of the trie is always a frame of kind FRAME_COMM: the name
 * of the command that ran, so one trie serves folded stacks and flame graphs as it is.
 * A node's id is greater than its parent's: sums over subtrees are one backward loop.
 *
 * All strings are copied and live as long as the profile. Bytes that are not UTF-8
 * are replaced on the way in (U+FFFD), so writers only escape for their own format.
 */
#ifndef PMUTRACE_MODEL_PROFILE_H
#define PMUTRACE_MODEL_PROFILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "by.wire.h"
#include "model/buckets.h"
#include "model/loss.h"
#include "model/code_place.h"
#include "model/tuples.h"
#include "model/unwind_check.h"
#include "model/windows.h"

enum frame_kind {
	FRAME_COMM,    /* the command: first level of every stack */
	FRAME_USER,    /* code of a program or library */
	FRAME_KERNEL,  /* code of the kernel, a module, a BPF program */
	FRAME_JIT,     /* code made at run time, named by a perf map or nobody */
	FRAME_NOTE,    /* not code: [truncated] and the like */
	FRAME_INLINED, /* code of a program's function that was compiled into its parent here */
	FRAME_KINDS,
};

struct frame {
	uint32_t name;	 /* string id */
	uint32_t module; /* string id: file name of the binary, or empty */
	enum frame_kind kind;
	uint32_t late; /* != 0: an address whose name may yet come, told apart: profile__settle() */
	uint32_t place; /* of its code: profile__place(); 0: not known, or not wanted */
};

struct stack_node {
	uint32_t parent;
	uint32_t frame;
};

/* What a row is about. Members that were not asked for (`by`) are 0. */
struct row_key {
	uint32_t event;	 /* index into events */
	uint32_t pid;	 /* process id */
	uint32_t tid;	 /* thread id */
	uint32_t cpu;	 /* only with BY_CPU */
	uint32_t cgroup; /* string id: path below the cgroup2 mount */
	uint32_t fields; /* id of a tuple: a word for each of the profile's fields */
	uint32_t stack;	 /* node id; its first-level ancestor is the comm */
};

struct row {
	struct row_key key;
	uint64_t samples;
	uint64_t weight; /* sum of the sample periods, in the event's unit */
};

/* A further part of the key: what was asked for of a probe's own data. */
struct profile_field {
	const char *name; /* as asked for: "prev_comm", "arg0"; interned */
	enum field_kind {
		FIELD_UNSIGNED,
		FIELD_SIGNED,
		FIELD_HEX,  /* an address, flags: "0xffff.." in texts and in JSON */
		FIELD_TEXT, /* its word is a string id */
		/* Its word is the number of a bucket (model/buckets.h); one field at most. */
		FIELD_BUCKET,
	} kind;
};

/* A quantity that was measured at every sample of a row, beside their number. */
struct profile_metric {
	const char *name; /* "bytes", "time", "cycles:u"; interned */
	const char *unit; /* "ns" or ""; interned */
	bool is_signed;
};

/* Over all samples of a row. */
struct profile_value {
	uint64_t sum;	  /* of signed ones in two's complement */
	int64_t min, max; /* of unsigned ones the same bits; nothing before the first sample */
};

/* One of the samples of a row; the latest that was told. */
struct profile_exemplar {
	uint64_t time_ns; /* since 1970; 0: there is none */
	uint64_t value;	  /* of what the buckets are of, else of the first metric; 1 without any */
	uint32_t pid, tid;
	uint32_t comm; /* string id */
};

struct profile_event {
	const char *name;    /* as asked for: "cycles:u"; interned */
	const char *unit;    /* what weight counts: "ns", "" for plain events; interned */
	uint64_t hz;	     /* samples per second asked for, 0 with a period */
	uint64_t period;     /* events per sample asked for, 0 with a frequency */
	uint64_t samples;    /* sum over the rows */
	uint64_t weight;     /* sum over the rows */
	uint64_t enabled_ns; /* summed over the CPUs */
	uint64_t running_ns; /* of that, on a counter; less when multiplexed */
	/*
	 * What was counted beyond what samples stand for, in the unit of weight: of the loss
	 * "passed_over" this event's part.
	 */
	uint64_t passed_over;
	/*
	 * A member of a group is not sampled itself, but counted at the samples of its leader: its
	 * rows have no samples, and a weight.
	 */
	bool is_member;
	const char *leader; /* of a member: the name of that event, interned; else NULL */
	bool is_partly;	    /* a leader: some of its samples are without some of its members */
	bool in_tick;	    /* some of its samples were taken in the scheduler's tick */
};

/* Where and when it was collected; "" and 0: not known. */
struct profile_about {
	const char *host;
	const char *kernel;  /* its release: "6.18.5" */
	const char *machine; /* "x86_64" */
	const char *cpu;     /* model, as /proc/cpuinfo has it */
	uint64_t begin_ns;   /* since 1970 */
};

/* What a profile refuses to add; what it has already is still counted. */
enum profile_seal {
	PROFILE_OPEN,
	PROFILE_NO_STACKS, /* no strings, frames and stacks */
	PROFILE_NOTHING,   /* nor rows and tuples */
};

struct profile {
	struct strtab *strings;

	struct frame *frames;
	size_t nr_frames, cap_frames;

	struct stack_node *nodes;
	size_t nr_nodes, cap_nodes;

	struct row *rows; /* in order of appearance; keys are distinct */
	size_t nr_rows, cap_rows;

	struct tuples places; /* private: profile_places.c */

	struct profile_event *events;
	size_t nr_events, cap_events;

	struct profile_field *fields;
	size_t nr_fields, cap_fields;
	struct tuples tuples;	/* of the fields' words */
	struct buckets buckets; /* of the field FIELD_BUCKET, if there is one */

	bool names_event; /* a field of the key is the event's name, or tells more */
	struct profile_metric *metrics;
	size_t nr_metrics, cap_metrics;
	struct profile_value *values; /* [row * nr_metrics + metric] */
	size_t cap_values;

	struct profile_exemplar *exemplars; /* private: profile__exemplar() */
	size_t nr_exemplars, cap_exemplars;

	unsigned by;	      /* enum by */
	uint64_t duration_ns; /* from first to last moment of collection; 0: not known */
	uint64_t own_ns;      /* CPU time of the programs that collected it; 0: not measured */
	unsigned nr_cpus;     /* CPUs that were sampled */
	struct profile_about about;
	struct windows windows; /* none, unless profile__close_window() was called */
	struct losses losses;
	struct unwind_check check; /* of its stacks, if that is wanted */

	enum profile_seal sealed;
	struct profile_index *index; /* private: hash tables of the above */
};

/* NULL when out of memory. */
struct profile *profile__new(void);
void profile__free(struct profile *p);

/*
 * From here on what the profile has counts on, and what it has not is -ENOSPC to those who would
 * add it. There is no way back. Stacks come before their rows: they are to leave them room.
 */
void profile__seal(struct profile *p, enum profile_seal seal);

/*
 * Memory that it takes at most until each of its tables that may grow has done so by @percent, and
 * by some thousand entries more. Tables double: until one of them does that is far ahead of what is
 * used.
 */
size_t profile__bytes(const struct profile *p, unsigned percent);

/* Events that were sampled: all but members. */
size_t profile__nr_sampled(const struct profile *p);

/* Entries of all tables. */
size_t profile__nr(const struct profile *p);

/*
 * The functions below return 0, -ENOMEM, or -ENOSPC of what is new to a sealed profile; equal input
 * gives equal ids.
 */
int profile__string(struct profile *p, const char *s, size_t len, uint32_t *id) must_check;
int profile__frame(struct profile *p, const struct frame *f, uint32_t *id) must_check;
int profile__child(struct profile *p, uint32_t parent, uint32_t frame, uint32_t *node) must_check;

/*
 * Of what cannot be there yet: as of a profile that had none, each that a file tells once. Nothing
 * is looked up, and the tables to do so are filled when somebody first asks for a node, or a row.
 * What is there all the same is there twice then: sums are right, and either may be found.
 */
int profile__append_child(struct profile *p, uint32_t parent, uint32_t frame,
			  uint32_t *node) must_check;
int profile__append_row(struct profile *p, const struct row_key *key, uint32_t *row) must_check;

/*
 * Frames of different places are different frames, also those of one function. Who shows functions,
 * or stacks of them, wants a profile without places: profile__without_places(). Never 0.
 */
int profile__place(struct profile *p, const struct code_place *place, uint32_t *id) must_check;

/* @words: one for each field. */
int profile__tuple(struct profile *p, const uint64_t *words, uint32_t *id) must_check;

/* Strings and numbers of @ev are copied. */
int profile__event(struct profile *p, const struct profile_event *ev, uint32_t *id) must_check;

/* Another field, before the first row. @name is copied. */
int profile__field(struct profile *p, const char *name, enum field_kind kind) must_check;

/* Another metric, before the first row. Strings are copied. */
int profile__metric(struct profile *p, const struct profile_metric *metric) must_check;

/* Those of the field FIELD_BUCKET. Strings are copied. */
int profile__set_buckets(struct profile *p, const struct buckets *b) must_check;

/* Strings are copied. */
int profile__set_about(struct profile *p, const struct profile_about *about) must_check;

/*
 * Adds to the row of this key and to the event's sums. @values: one for each metric, not looked
 * at without samples; NULL: there are none.
 */
int profile__add(struct profile *p, const struct row_key *key, uint64_t samples, uint64_t weight,
		 const struct profile_value *values) must_check;

/*
 * As one that begins: rows, sums, times and losses are gone. Strings, frames and stacks stay, and
 * have the ids that they had. Not of a sealed profile, nor of one with fields or metrics.
 */
void profile__begin_anew(struct profile *p);

/* Finds or makes the row of this key; it has nothing yet if it is new. */
int profile__row(struct profile *p, const struct row_key *key, uint32_t *row) must_check;

/* Tells one of a row's samples, unless a later one was told. 0 or -ENOMEM. */
int profile__exemplify(struct profile *p, uint32_t row,
		       const struct profile_exemplar *e) must_check;

/* NULL: none was told. */
const struct profile_exemplar *profile__exemplar(const struct profile *p, uint32_t row);

/* Adds to a row and to its event's sums, without values. */
void profile__grow(struct profile *p, uint32_t row, uint64_t samples, uint64_t weight);

/*
 * Ends a window of time (model/windows.h) at @end_ns; it begins where the last one ended. Events
 * are all known before the first one. 0 or -ENOMEM, then it has not ended.
 */
int profile__close_window(struct profile *p, uint64_t end_ns) must_check;

/*
 * Adds to a row what came in a window that has ended. Reasons of losses stay where they are. 0 or
 * -ENOMEM, then nothing is added.
 */
int profile__grow_late(struct profile *p, uint32_t window, uint32_t row, uint64_t samples,
		       uint64_t weight) must_check;

/* Adds what other samples came to; both have at least one. */
void profile_value__merge(struct profile_value *to, const struct profile_value *from,
			  bool is_signed);

/*
 * Takes what each sample costs by itself out of the values: @each for each metric, of sums once for
 * each sample; nothing gets below 0. Metrics are not signed.
 */
void profile__subtract(struct profile *p, const uint64_t *each);

/*
 * Gives frames that are late the names that @name_of has for their numbers, or else those that they
 * have, and joins frames, stacks and rows that are equal then. None is late afterwards; nodes and
 * rows have other ids. A sealed profile takes no names that are new to it. 0 or -ENOMEM; then it is
 * as it was.
 */
int profile__settle(struct profile *p, const char *(*name_of)(void *arg, uint32_t late),
		    void *arg) must_check;

/* An empty one of the same events, fields and metrics, and of what the run is about. NULL: no
 * memory. */
struct profile *profile__like(const struct profile *p);

/*
 * Adds what another one of the same events has: rows, times, losses; windows only if @to had no
 * rows, then none is to be closed there. 0; -ENOMEM; -EINVAL: other events, or it has fields or
 * metrics.
 */
int profile__merge(struct profile *to, const struct profile *from) must_check;

/*
 * The same for the rows that @wants accepts, which is asked twice for each of from->rows: frames
 * and stacks that only others have do not come along. Losses are not known by row: all of them are
 * added, and `seen` grows by these losses and the samples kept of those rows.
 */
int profile__merge_some(struct profile *to, const struct profile *from,
			bool (*wants)(void *arg, const struct profile *p, const struct row *row),
			void *arg) must_check;

/* A copy: of frames and stacks those of its rows alone. 0; -EINVAL: it has fields or metrics;
 * -ENOMEM. */
int profile__copy(struct profile **out, const struct profile *p) must_check;

/*
 * Adds what another one of other events has, as profile__merge(): an event of the same name and
 * unit is the same, others are added.
 */
int profile__join(struct profile *to, const struct profile *from) must_check;

/*
 * A run of these events is to be added; before it the profile had @nr_before events. Marks leaders
 * of which not all runs have the same members: is_partly.
 */
void profile__note_run(struct profile *p, const uint32_t *events, size_t nr, size_t nr_before);

/* Copies the texts of a loss, which live as long as the profile then. 0 or -ENOMEM. */
int profile__keep_loss(struct profile *p, struct loss *loss) must_check;

/*
 * The event of this name and unit, or a new one without samples and times; a rate that is not the
 * same for both is not known. 0, -ENOMEM or -ENOSPC.
 */
int profile__same_event(struct profile *p, const struct profile_event *ev, uint32_t *id) must_check;

/* Does any frame have a place? */
bool profile__has_places(const struct profile *p);

/* The place of a frame, if it has one. */
bool profile__place_of(const struct profile *p, uint32_t frame, struct code_place *out);

/*
 * A copy in which no frame has a place: frames, stacks and rows that are equal then are one. It has
 * no fields and metrics. 0; -EINVAL: it has some; -ENOMEM.
 */
int profile__without_places(struct profile **out, const struct profile *p) must_check;

/* Frames of another profile that stand for one of this one, the outermost first. */
struct frame_chain {
	uint32_t first, nr; /* of an array; nr 0: it is as it was */
};

/*
 * Adds what @from has, as profile__merge(), with other frames: for frame i those of @to that
 * @chains[i] tells, ids[first] and behind it. Functions that were inlined into a frame that others
 * stand for are left out: they are among these. The same errors.
 */
int profile__merge_renamed(struct profile *to, const struct profile *from,
			   const struct frame_chain *chains, const uint32_t *ids) must_check;

const char *profile__name(const struct profile *p, uint32_t frame);

/* Name of the command that a stack is of; "": of the root. */
const char *profile__comm(const struct profile *p, uint32_t node);

/* Frames of a stack without the root: fills @frames outermost first (comm included), at most
 * @max; returns the depth. */
size_t profile__stack(const struct profile *p, uint32_t node, uint32_t *frames, size_t max);

#endif
