/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/procs.h - processes through time: who had a pid when, and what was mapped.
 *
 * Fed with forks, execs, exits and mappings as they are reported (in time order for each CPU;
 * small disorder between CPUs does no harm) and with /proc for processes that were there
 * before, and for all after events were lost. One pid may have several lives: an exec or a reuse of
 * the pid begins a new one, and an address is looked up in the life that its time belongs to.
 */
#ifndef PMUTRACE_SYM_PROCS_H
#define PMUTRACE_SYM_PROCS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/array.h"
#include "base/idmap.h"
#include "sym/late.h"
#include "sym/mapped.h"
#include "sym/space.h"

struct proc {
	uint32_t pid;
	uint64_t start_ns; /* of this life; 0: before we looked */
	uint64_t end_ns;   /* 0: alive as far as we know */
	struct space *space;
	bool maps_read;	    /* /proc/PID/maps is or has been read, or needs not be */
	bool gone;	    /* it had exited before its mappings could be read */
	uint64_t reread_ns; /* when maps were last read again; 0: never */
	uint64_t took_ns;   /* how long that took; 0: they are small */
	uint64_t asked_ns;  /* when procs__reread() last began; seen_ns: the time before that */
	uint64_t seen_ns;
	struct maps_file *reading;	  /* NULL: they are not being read */
	uint32_t parent_pid, parent_life; /* whose maps were being read at the fork; 0: none */
	uint64_t sure_ns; /* events lost before that are made up for: procs__lost() */
	uint32_t life;	  /* a number that no other life of any process has */

	char *dump_path; /* a jitdump that it maps, for who takes it; NULL: none, or none is new */

	/* Code made at run time (sym/namer.c). */
	struct idmap jit_names;	   /* address -> frame id; dropped when the map changes */
	struct idmap jit_nameless; /* addresses not found -> when that was told, in ms */
	bool has_jit;		   /* it was sampled in such code */
	uint32_t jit_map;	   /* number of the perf map that names are from */
	unsigned jit_era;	   /* of the namer, when they were found */
	struct late_life late;

	struct proc *older; /* the pid's previous life */
};

struct procs;

/* @proc_root: "/proc" or a fixture. @files: borrowed. NULL when out of memory. */
struct procs *procs__new(const char *proc_root, struct mapped_files *files);
void procs__free(struct procs *p);

/* @fn is called for each life that is forgotten, at the latest by procs__free(). NULL: none is. */
void procs__on_end(struct procs *p, void (*fn)(void *arg, struct proc *proc), void *arg);

/* What happened. All return 0 or -ENOMEM. */
int procs__fork(struct procs *p, uint32_t parent, uint32_t child, uint64_t time_ns) must_check;
int procs__exec(struct procs *p, uint32_t pid, uint64_t time_ns) must_check;
void procs__exit(struct procs *p, uint32_t pid, uint64_t time_ns);

/* @name: as the kernel reports it; @ref: the file, if @name is that of one. */
int procs__map(struct procs *p, uint32_t pid, const struct mapping *m, const char *name,
	       const struct binary_ref *ref) must_check;

/*
 * Events were lost between two moments: any process may have become another program. One that is
 * asked for afterwards begins a new life at @since_ns, with what /proc says; one that is gone by
 * then keeps what was known of it.
 */
void procs__lost(struct procs *p, uint64_t since_ns, uint64_t until_ns);

/* How often code of files gave way to other code at its place, without an exec. */
uint64_t procs__nr_replaced(const struct procs *p);

/**
 * procs__find() - the life that had @pid at @time_ns
 *
 * A pid never heard of is read from /proc now; if it is not there any more, the result has
 * no mappings and is marked gone. Of large maps only a slice is read: procs__read_on(). 0 or
 * -ENOMEM.
 */
int procs__find(struct procs *p, uint32_t pid, uint64_t time_ns, struct proc **out) must_check;

/* Has /proc/PID/maps been read to its end, if it needs to be? */
bool proc__is_read(const struct proc *proc);

/*
 * Reads on in maps that were begun, in turn, for about @budget_ns, but at least one slice
 * (sym/maps.h). *nr: how many have been read to their end. 0 or -ENOMEM.
 */
int procs__read_on(struct procs *p, uint64_t budget_ns, size_t *nr) must_check;
size_t procs__nr_reading(const struct procs *p);

/* The life with this number. NULL: it has been forgotten. */
struct proc *procs__by_life(const struct procs *p, uint32_t pid, uint32_t life);

/* Begins to read /proc/PID/maps of a living process again: at most once in @every_ns, and large
 * ones for a tenth of the time. */
int procs__reread(struct procs *p, struct proc *proc, uint64_t now_ns,
		  uint64_t every_ns) must_check;

/* Forgets lives that ended before @before_ns: nothing will ask for them any more. 0 or -ENOMEM. */
int procs__forget(struct procs *p, uint64_t before_ns) must_check;

/* All lives that have not been forgotten, until @fn returns other than 0, which is returned. */
int procs__each(struct procs *p, int (*fn)(void *arg, struct proc *proc), void *arg) must_check;

/* Names of code made at run time: forgets them; the bytes that they take. */
void procs__forget_names(struct procs *p);
size_t procs__name_bytes(const struct procs *p);

const char *procs__root(const struct procs *p);

#endif
