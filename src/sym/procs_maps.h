/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/procs_maps.h - mappings of processes as /proc/PID/maps tells them, for procs.c, which has
 * their lives; and what struct procs is to both.
 */
#ifndef PMUTRACE_SYM_PROCS_MAPS_H
#define PMUTRACE_SYM_PROCS_MAPS_H

#include "sym/maps.h"
#include "sym/procs.h"

enum { READING_MAX = 64 };

struct procs {
	char *root;
	struct mapped_files *files;
	uint32_t nr_lives; /* ever */
	void (*on_end)(void *arg, struct proc *proc);
	void *on_end_arg;
	struct idmap by_pid;  /* pid -> index of its newest life */
	struct proc **newest; /* NULL: all of its lives have been forgotten */
	size_t nr, cap;
	struct proc *reading[READING_MAX]; /* whose maps are open */
	size_t nr_reading, next_reading;
	uint64_t lost_since_ns, lost_ns; /* events were lost then; 0: none */
	uint64_t nr_replaced;
};

/* A pid's latest life; NULL: none is known. */
struct proc *procs__newest(const struct procs *p, uint32_t pid);

/*
 * Adds @m, whose kind and file come from @name and @ref. @seen_ns: when it was read in a map; 0: an
 * event has told it. 0 or -ENOMEM.
 */
int proc__add_mapping(struct procs *p, struct proc *proc, struct mapping *m, const char *name,
		      const struct binary_ref *ref, uint64_t seen_ns) must_check;

/* 0; -EMFILE: too many are open by now, to be tried again; or another -errno. */
int procs__open_maps(const struct procs *p, uint32_t pid, struct maps_file **file) must_check;

/* @file: taken. 0 or -ENOMEM. */
int proc__begin_reading(struct procs *p, struct proc *proc, struct maps_file *file) must_check;

/* Opens the map and begins to read it, unless too many are open. 0 or -ENOMEM. */
int proc__read_maps(struct procs *p, struct proc *proc) must_check;

/* Stops reading its map, if that is being read. */
void proc__close_maps(struct procs *p, struct proc *proc);

#endif
