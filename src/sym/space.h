/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/space.h - the executable mappings of one address space, and since when.
 *
 * Knows: ranges, and which file (its number in sym/mapped.h) backs them.
 * A mapping that is put over another hides it from then on; what happened before still finds
 * the old one. What is reported again, of the same bytes of the same file, changes nothing: it has
 * been there since the first report. Spaces are shared by fork and copied by the first change
 * (space__own).
 */
#ifndef PMUTRACE_SYM_SPACE_H
#define PMUTRACE_SYM_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

enum mapping_kind {
	MAPPING_FILE, /* code of a binary */
	MAPPING_ANON, /* code made at run time: a perf map may name it */
	MAPPING_VDSO,
	MAPPING_VSYSCALL,
};

struct mapping {
	uint64_t start, end; /* end is exclusive */
	uint64_t offset;     /* in the file, of start */
	uint64_t since_ns;   /* CLOCK_MONOTONIC; 0: before we looked */
	uint32_t binary;     /* MAPPING_FILE */
	enum mapping_kind kind;
};

struct space;

/*
 * Mappings remembered of one space, whatever a program does. The kernel does not report what is
 * unmapped, so of more than SPACE_NOW (vm.max_map_count is 65530) some are gone: all are forgotten,
 * and /proc is to tell which ones are there (procs__reread()). Of replaced ones the last SPACE_PAST
 * or fewer are remembered.
 */
enum { SPACE_NOW = 65536, SPACE_PAST = 4096 };

/* A new empty space with one reference; NULL when out of memory. */
struct space *space__new(void);
struct space *space__share(struct space *s);
void space__release(struct space *s);

/* A space that only the caller refers to: *s itself or a copy. 0 or -ENOMEM. */
int space__own(struct space **s) must_check;

int space__add(struct space *s, const struct mapping *m) must_check;

/*
 * Adds what was seen at @seen_ns in a map of the whole space: where nothing was known, as of
 * m->since_ns; where another mapping was, as of @seen_ns, unless that came later. What is known
 * already stays as it is. 0 or -ENOMEM.
 */
int space__see(struct space *s, const struct mapping *m, uint64_t seen_ns) must_check;

/* space__see() of all present mappings of @other. 0 or -ENOMEM. */
int space__see_all(struct space *s, const struct space *other, uint64_t seen_ns) must_check;

/* The mapping that covered @addr at that time, or if none did the present one; or NULL. */
const struct mapping *space__find(const struct space *s, uint64_t addr, uint64_t time_ns);
size_t space__nr(const struct space *s);

/* All that are there now, by address: space__nr() of them. Until the next change. */
const struct mapping *space__now(const struct space *s);

/* How often it was added to: names found before a change may be others after it. */
unsigned space__changes(const struct space *s);

/* When its newest mapping came: addresses of samples before that may have been in another one. */
uint64_t space__changed_ns(const struct space *s);

/* Since when the vdso is there; false: it is not. */
bool space__vdso_ns(const struct space *s, uint64_t *since_ns);

/* How often one file's code was put where another's, or other code of it, had been. */
unsigned space__replaced(const struct space *s);

/* Kind of a mapping by the name the kernel gives it in maps and in MMAP2 records. */
enum mapping_kind mapping__kind(const char *name);

#endif
