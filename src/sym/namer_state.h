/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/namer_state.h - what the namer remembers, and what its parts share: names of files and of the
 * kernel (namer.c), and of code made at run time (namer_jit.c).
 */
#ifndef PMUTRACE_SYM_NAMER_STATE_H
#define PMUTRACE_SYM_NAMER_STATE_H

#include "base/idmap.h"
#include "sym/finder.h"
#include "sym/namer.h"

/* A file that was asked for by namer__open_file(). */
struct opened_file {
	uint32_t file;
	int fd;
};

struct namer {
	struct procs *procs;
	struct mapped_files *files;
	struct worker *finder;
	struct finder *finds; /* lives as long as the worker does */
	int kallsyms_err;
	bool kernel_asked;
	bool hurries;
	bool places; /* are wanted */
	uint64_t nr_hurried;
	struct file_gaps gaps;
	uint64_t nr_changes;
	size_t nr_asked, nr_late_asked; /* late: lives */
	uint64_t gather_ns;
	uint64_t later_ns; /* since when questions gather that nobody is in a hurry for; 0: none */

	struct late *late; /* NULL: no names are waited for */
	struct frames frames;
	/* Of an address that was asked for the frame is FRAME_ASKED until the answer is there. */
	struct idmap kernel; /* address -> frame */
	/* Of the kernel: addresses of code that is made, and goes, while the kernel runs. */
	uint64_t made_from, made_to; /* both among them; made_from > made_to: none */
	unsigned kernel_era;	     /* how often the kernel's were forgotten for that */
	struct idmap *by_binary;     /* for each binary: file offset -> frame and enum outermost */
	size_t nr_by_binary, cap_by_binary;
	struct idmap vdso;	    /* offset -> frame and enum outermost */
	unsigned era;		    /* how often all names were forgotten */
	struct opened_file *opened; /* nobody has taken them yet */
	size_t nr_opened, cap_opened;
};

/* Instead of a frame's number: it has no name so far; it was asked for. */
#define FRAME_NAMELESS (UINT32_MAX - 1)
#define FRAME_ASKED    UINT32_MAX

/* Least time between two looks at mappings of which a record was lost. */
#define NAMER_AGAIN_NS 100000000ull

static inline bool namer__may_ask(const struct namer *n)
{
	return n->nr_asked < NAMER_ASKED;
}

/* Gives @f to the finder; it is the finder's then. */
void namer__ask(struct namer *n, struct find *f);

/*
 * As namer__ask(), of what is there later, too: it may gather (namer_opts.gather_ns). To ask for
 * each few addresses by themselves costs four switches to other tasks each time.
 */
void namer__ask_later(struct namer *n, struct find *f);

/* The frame of what was found: a name, a function without one, or the address @at in @module. */
int namer__add_found(struct namer *n, const struct find *f, const char *module, enum sym_kind kind,
		     uint64_t at, uint32_t *id) must_check;

/* Code made at run time: the frame of @addr in a mapping that begins at @start. */
int namer_jit__name(struct namer *n, struct proc *proc, uint64_t start, uint64_t addr,
		    uint32_t *id) must_check;
int namer_jit__take(struct namer *n, const struct find *f) must_check;
int namer_jit__take_late(struct namer *n, const struct find *f) must_check;

/* For procs__on_end(): asks for names of @proc that may have been written late. */
void namer_jit__end_life(void *arg, struct proc *proc);

#endif
