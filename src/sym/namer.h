/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/namer.h - addresses of a sample -> named frames; each distinct address once.
 *
 * Knows: what lies at an address (kernel, binary, vdso, code made at run time), and what an address
 * without a name is called:
 *	[libfoo.so fn 0x1230] in a function of a file that has no symbol: where it begins
 *	[libfoo.so+0x1234]   elsewhere in a file: the address as nm and addr2line print it
 *	[jit+0x7f..]	     code made at run time that no perf map or jitdump names: where its
 *			     mapping begins; with namer_opts.late_max each address is a frame of
 *			     its own (struct sym_frame.late), and is not asked for again until its
 *			     process has ended or namer__ask_late() is called
 *	[kernel+0xff..]	     kernel addresses that kptr_restrict hides
 *	[unknown]	     in no mapping that is known
 *
 * With namer_opts.places each address in a file or of the kernel is a frame of its own, which knows
 * where its code is. Those of code made at run time, and such as were named in a hurry, do not.
 *
 * Names are looked up on a thread of their own (sym/finder.h), for what is read for it may be on a
 * disk, or be written by a stranger. An address that is new is asked for, and has no frame until
 * the answer is there. What must be taken before a process ends is taken here and at once: its
 * mappings, and a hold on its files.
 */
#ifndef PMUTRACE_SYM_NAMER_H
#define PMUTRACE_SYM_NAMER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "elf/outermost.h"
#include "sym/frames.h"
#include "sym/procs.h"

struct debuginfod;
struct jail;
struct namer;

struct namer_opts {
	bool demangle;
	bool inlines, lines, places;   /* sym/finder.h */
	bool no_symbols;	       /* the same */
	struct debuginfod *debuginfod; /* the same */
	const char *kallsyms;	       /* path, "/proc/kallsyms" */
	size_t symbol_bytes;	       /* what symbols of files may take: sym/binaries.h */
	struct jail *jail; /* for readers of files: sym/finder.h; borrowed; NULL: there is none */
	size_t late_max;   /* addresses whose names may come late: sym/late.h; 0: none */
	/*
	 * For so long new addresses may gather, to be looked up in one go; 0: not at all. They are
	 * by the first namer__take() after that, or by namer__wait() before.
	 */
	uint64_t gather_ns;
};

/* @procs, @files: borrowed. 0 or -errno. */
int namer__open(struct namer **out, struct procs *procs, struct mapped_files *files,
		const struct namer_opts *opts) must_check;
void namer__close(struct namer *n);

/*
 * The frame of an address, of functions inlined there the innermost; *out moves: do not keep it
 * over the next call. @caller: a return address; what is named is the call before it. @what: may a
 * stack end there? 0; -EAGAIN: it has been asked for, or its process's map is still being read
 * (procs__read_on()), and comes; -ENOMEM.
 */
int namer__user(struct namer *n, struct proc *proc, uint64_t time_ns, uint64_t addr, bool caller,
		struct sym_frame **out, enum outermost *what) must_check;
int namer__kernel(struct namer *n, uint64_t addr, bool caller, struct sym_frame **out) must_check;

/* Where a frame's code is, with places; NULL: not known. It moves, too. */
const struct sym_place *namer__place(const struct namer *n, const struct sym_frame *frame);

/* The frame of the function that a frame was inlined into; NULL: it is a function of its own. */
struct sym_frame *namer__around(struct namer *n, const struct sym_frame *frame);

/* Reads the kernel's list now, before the first address of the kernel comes. 0 or -ENOMEM. */
int namer__read_kernel(struct namer *n) must_check;

/*
 * Asks for a descriptor of a file (its number in sym/mapped.h): for its unwind tables. The answers
 * come by namer__opened(): the file and its descriptor, the caller's, or -1. 0 or -ENOMEM.
 */
int namer__open_file(struct namer *n, uint32_t file) must_check;
bool namer__opened(struct namer *n, uint32_t *file, int *fd);

/* Takes in what was found meanwhile; *nr: answers. 0 or -ENOMEM. */
int namer__take(struct namer *n, size_t *nr) must_check;

/* Waits until all that was asked for has been found, or until @until_ns (CLOCK_MONOTONIC). */
bool namer__wait(struct namer *n, uint64_t until_ns);

/* CPU time that has gone into finding. */
uint64_t namer__cpu_ns(const struct namer *n);

/*
 * Addresses that were asked for and not found yet: NAMER_ASKED at most, some 20 MB, for the thread
 * may hang while more come. Those are asked for when they come again. The thread's descriptor is
 * readable when the next answers are there.
 */
enum { NAMER_ASKED = 65536 };
size_t namer__nr_asked(const struct namer *n);
int namer__fd(const struct namer *n);

/*
 * @on: nobody waits any more. What is not found yet has the frame of an address without a name,
 * where it is in its file in place of the address there, instead of -EAGAIN; it is not remembered.
 */
void namer__hurry(struct namer *n, bool on);

/*
 * What processes have written by now is read, and searched for the addresses that had no name. To
 * be called when nothing is sampled any more. 0 or -ENOMEM.
 */
int namer__ask_late(struct namer *n) must_check;

/* Processes whose answers to that have not been taken in. */
size_t namer__nr_late_asked(const struct namer *n);

/* The name that has come for the address of this number; NULL: none. */
const char *namer__late(const struct namer *n, uint32_t number);

/* How often addresses came that there was no number for. */
uint64_t namer__nr_late_refused(const struct namer *n);

/* How often a frame was given in a hurry. */
uint64_t namer__nr_hurried(const struct namer *n);

/* All frames get the cookie UINT32_MAX again: the caller has other ids now. */
void namer__forget_cookies(struct namer *n);

/*
 * Forgets all names: an address is looked up again when it comes again. The tables for that stay. 0
 * or -ENOMEM; then nothing can be named any more.
 */
int namer__forget(struct namer *n) must_check;

/*
 * Bytes that remembered names take, for which all binaries and processes are gone through; and how
 * often anything was added to them, ever: addresses asked for, answers, names in a hurry.
 */
size_t namer__bytes(const struct namer *n);
uint64_t namer__nr_changes(const struct namer *n);

/* Addresses that are remembered, of the kernel and of programs. */
size_t namer__nr_names(const struct namer *n);

/* Strangers' files that were not read, or in part only, since there was no allowance for more. */
uint64_t namer__nr_unread(const struct namer *n);

/* Files whose symbols there was no memory for. */
uint64_t namer__nr_unstored(const struct namer *n);

/* Perf maps and jitdumps that were not read to their end: there was no room, or no allowance. */
uint64_t namer__nr_maps_cut(const struct namer *n);
uint64_t namer__nr_dumps_cut(const struct namer *n);

/* Why kernel addresses have no names: 0: they have, or none was asked for; -EACCES: hidden. */
int namer__kernel_error(const struct namer *n) must_check;

/*
 * Kernel code that came after the list was read. Where other code was named before, names of the
 * kernel are looked up again, and so are those that others keep when the era is another one. 0 or
 * -ENOMEM.
 */
int namer__kernel_added(struct namer *n, uint64_t addr, uint32_t len, const char *name) must_check;

/* How often names of the kernel were forgotten for that. */
unsigned namer__kernel_era(const struct namer *n);

#endif
