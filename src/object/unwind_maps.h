/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object/unwind_maps.h - puts rules, rows and mappings where programs unwind by them: the maps of
 * bpf/unwind.bpf.h, in the layout of bpf/unwind.wire.h.
 *
 * Programs read while this writes. What they can reach is never changed in place: a file's rows
 * are there before its pages, its pages before a mapping that leads to them, mappings before the
 * process that has them (object/unwind_procs.h). What they could reach is given out again after a
 * grace period only (object/grace.h).
 *
 * Life: prepare - (load the programs) - map - any number of changes - unmap.
 */
#ifndef PMUTRACE_OBJECT_UNWIND_MAPS_H
#define PMUTRACE_OBJECT_UNWIND_MAPS_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/extents.h"
#include "object/targets.h"
#include "stack.wire.h"
#include "unwind.wire.h"

/* Memory of a map as user space sees it. */
struct unwind_map {
	void *at; /* NULL: not mapped */
	size_t bytes;
	uint32_t nr; /* elements */
};

struct unwind_maps {
	struct unwind_map rows, pages, rules, mappings, asked, procs;
	struct unwind_map copies, stacks, taken;
	uint64_t nr_taken;	/* copies that have become rows: samples that no table has seen */
	uint64_t code_mask;	/* of return addresses: see struct stack_cfg */
	uint64_t nr_lives;	/* states of mappings that there have been */
	enum targets_told told; /* whose stacks are wanted; TARGETS_BY_ID: of these */
	int targets_fd;
	struct extents free_rows, free_pages, free_mappings;
	/* Given back by us, and perhaps still read by programs. */
	struct extent *old_rows, *old_pages, *old_mappings;
	size_t nr_old_rows, cap_old_rows, nr_old_pages, cap_old_pages, nr_old_mappings,
		cap_old_mappings;
};

/*
 * A file's rules as they were put there: its pages in a row, their rows in as many pieces as holes
 * made necessary, none of which cuts a page. For unwind_maps__remove().
 */
struct unwind_file {
	struct extent pages, *pieces;
	size_t nr_pieces, cap_pieces;
	uint32_t nr_rows;
};

/* What there is to be room for. */
struct unwind_room {
	uint64_t bytes;	     /* of tables, about; 0: unwinding by rules is not wanted */
	uint32_t places;     /* of a table, and for each: */
	uint32_t copies;     /* of stacks of new processes; 0: none is copied */
	uint32_t copy_pages; /* of their stacks, a power of two */
};

/*
 * Before loading: sizes the maps in @obj, and sets @cfg, its configuration of stacks. What is not
 * wanted takes next to nothing. 0 or -errno.
 */
int unwind_maps__prepare(const struct bpf_object *obj, struct stack_cfg *cfg,
			 const struct unwind_room *room) must_check;

/* Before loading: uses the maps of @with, which is loaded, but for copies. 0 or -errno. */
int unwind_maps__share(const struct bpf_object *obj, const struct bpf_object *with) must_check;

/* After loading. @obj must live as long as @m. @code_mask: see struct stack_cfg. 0 or -errno. */
int unwind_maps__map(struct unwind_maps *m, const struct bpf_object *obj,
		     uint64_t code_mask) must_check;
void unwind_maps__unmap(struct unwind_maps *m);

/* Puts rules there, from number @first on. 0 or -ENOSPC. */
int unwind_maps__rules(struct unwind_maps *m, uint32_t first, const struct unwind_rule *rules,
		       uint32_t nr) must_check;

/*
 * Puts a file's rows there. @rows: by page, as UNWIND_ROW(); @pages: where each begins in it, and
 * one more where the last one ends. 0; -ENOSPC: there is no room; -ENOMEM.
 */
int unwind_maps__add(struct unwind_maps *m, const uint32_t *rows, const uint32_t *pages,
		     uint32_t nr_pages, struct unwind_file *out) must_check;

/* Are these the rows that were put there? */
bool unwind_maps__has(const struct unwind_maps *m, const struct unwind_file *f,
		      const uint32_t *rows, const uint32_t *pages, uint32_t nr_pages);

/* Rows that there is room for. */
uint32_t unwind_maps__rows(const struct unwind_maps *m);

/* Rows and pages that are not taken, in pieces of any size. */
void unwind_maps__free(const struct unwind_maps *m, uint64_t *rows, uint64_t *pages);

/* Takes them away, and frees @f: no mapping of a process leads there any more. 0 or -ENOMEM. */
int unwind_maps__remove(struct unwind_maps *m, struct unwind_file *f) must_check;

/*
 * The executable mappings of a process, by address; replaces those of @old (nr 0: it had none),
 * and sets it to the new place. 0; -ENOSPC, -E2BIG: there is no room; another -errno. On error it
 * has none: its old ones may lead to what is taken away next.
 */
int unwind_maps__process(struct unwind_maps *m, uint32_t pid, const struct unwind_mapping *mappings,
			 uint32_t nr, struct extent *old) must_check;

/* The process has ended. 0 or -ENOMEM. */
int unwind_maps__forget(struct unwind_maps *m, uint32_t pid, struct extent *old) must_check;

/*
 * Is a process that has begun a program just now a target, so that its stacks are going to be
 * wanted? By its id alone: where targets are told by other means programs ask for it when they
 * have met it.
 */
bool unwind_maps__expects(const struct unwind_maps *m, uint32_t pid);

/* Processes that programs have asked for since the last call: UNWIND_ASKED at most. */
size_t unwind_maps__asked(struct unwind_maps *m, uint32_t pids[UNWIND_ASKED]);

#endif
