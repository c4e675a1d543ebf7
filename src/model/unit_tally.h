/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/unit_tally.h - profiles of one side of a comparison -> samples by function and unit.
 *
 * A function is one by its name and the file it is in, without what changes with that file's
 * version: libfoo.so.1.2 is libfoo.so. Both sides have the same functions (tally_names).
 *
 * Pure data. Does not know: what comes of it (model/difference.h).
 */
#ifndef PMUTRACE_MODEL_UNIT_TALLY_H
#define PMUTRACE_MODEL_UNIT_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/idmap.h"
#include "model/profile.h"
#include "model/units.h"

/* What samples of a side are divided into; what is more is better. */
enum tally_unit {
	TALLY_AUTO,    /* windows where there are some, or else threads, or else samples */
	TALLY_SAMPLES, /* nothing: each sample is taken for one that knows nothing of the others */
	TALLY_THREADS,
	TALLY_WINDOWS,
	TALLY_RUNS, /* each profile is one */
};

struct tally_function {
	uint32_t name;	 /* string id */
	uint32_t module; /* string id, as it was seen first */
	uint32_t key;	 /* string id: the module without its version */
	enum frame_kind kind;
};

struct tally_names {
	struct strtab *strings;
	struct tally_function *items;
	size_t nr, cap;
	struct idmap index; /* name, key -> item */
};

/* Samples of a function in a unit. */
struct tally_part {
	uint32_t unit, function;
	uint64_t samples, weight;
};

struct tally_piece {
	uint32_t run;
	uint64_t samples, weight; /* of all functions */
	double seconds;
};

/* Zero-initialise it. */
struct unit_tally {
	struct tally_part *parts; /* unit by unit */
	size_t nr_parts, cap_parts;
	struct tally_piece *units;
	size_t nr_units, cap_units;
	uint32_t nr_runs;
	enum tally_unit of; /* the least of what its profiles are divided into */
	uint64_t samples, weight;
	uint64_t duration_ns; /* 0: not known of one */
	bool has_weights;     /* all samples weigh something */
};

struct tally_opts {
	enum tally_unit unit;
	bool by_time; /* rates are by time: units of windows are of the same length */
	bool total;   /* samples in a function and in what it calls; else in itself alone */
	double scale; /* what weights are multiplied by: a multiplexed event's; 1: as they are */
};

/* 0 or -ENOMEM. */
int tally_names__new(struct tally_names *n) must_check;
void tally_names__free(struct tally_names *n);
/* The function of a frame, which is there from now on. 0 or -ENOMEM. */
int tally_names__of(struct tally_names *n, const struct profile *p, uint32_t frame,
		    uint32_t *function) must_check;
const char *tally_names__name(const struct tally_names *n, uint32_t function);
const char *tally_names__module(const struct tally_names *n, uint32_t function);

/* Adds the samples of @event, an index. 0; -EINVAL: no such event; -ENOMEM. */
int unit_tally__add(struct unit_tally *t, struct tally_names *names, const struct profile *p,
		    uint32_t event, const struct tally_opts *o) must_check;
void unit_tally__free(struct unit_tally *t);

#endif
