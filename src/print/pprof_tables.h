/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * print/pprof_tables.h - what samples of a pprof profile refer to: strings, functions, mappings,
 * locations.
 *
 * Each is written when it is first asked for, as a part of the message Profile of its own: parts of
 * a message may stand one behind the other. So what is kept is what tells them apart. Ids are 1, 2,
 * 3..; 0 is none. Mappings alone are all known before: pprof takes the first one for the program.
 * Whoever writes locations tells them apart: print/pprof_locations.h.
 */
#ifndef PMUTRACE_PRINT_PPROF_TABLES_H
#define PMUTRACE_PRINT_PPROF_TABLES_H

#include "model/tuples.h"
#include "print/gzip.h"
#include "print/pprof_mappings.h"
#include "proto/pprof.pb-c.h"

struct profile;

struct pprof_tables {
	struct gzip gz;
	const struct profile *p; /* borrowed */
	uint32_t nr_strings;
	uint32_t *string_of;   /* by string of the profile: string; 0: none yet */
	struct strtab *others; /* texts that the profile has not */
	uint32_t *other_of;    /* the same by those */
	size_t nr_others, cap_others;
	struct tuples functions;
	struct pprof_mappings mappings;
	uint32_t nr_locations;
	uint8_t *packed; /* scratch */
	size_t cap_packed;
	int err; /* the first one */
};

/*
 * Begins the file, with all mappings. @t: zero-initialised; pprof_tables__end() in any case.
 */
void pprof_tables__begin(struct pprof_tables *t, FILE *f, const struct profile *p);

/* A part of the message. */
void pprof_tables__put(struct pprof_tables *t, const Pprof__Profile *part);

/* One that is a sample, of which there are many: the other members of Profile are not asked for. */
void pprof_tables__put_sample(struct pprof_tables *t, const Pprof__Sample *sample);

/* Index of a text in the table of strings. */
int64_t pprof_tables__text(struct pprof_tables *t, const char *text);
int64_t pprof_tables__string(struct pprof_tables *t, uint32_t string);

/* Writes a location, of frames that are inlined and the one that they are in, from the inside. */
uint64_t pprof_tables__location(struct pprof_tables *t, const uint32_t *frames, size_t nr);

/* A location that is no code: "[lost: table_full]". */
uint64_t pprof_tables__note(struct pprof_tables *t, const char *name);

/* 0 or -errno: the first one, also of writing. */
int pprof_tables__end(struct pprof_tables *t) must_check;

#endif
