/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/namer.h - addresses of a sample -> named frames; each distinct address once.
 *
 * Knows: which table answers for which address (kernel, binary, vdso, perf map), demangling,
 * and what an address without a name is called:
 *	[libfoo.so+0x1234]   in a file: the address as nm and addr2line print it
 *	[jit+0x7f..]	     code made at run time that no perf map names
 *	[kernel+0xff..]	     kernel addresses that kptr_restrict hides, and all of them before
 *			     namer__kernel_read()
 *	[unknown]	     in no mapping that is known
 */
#ifndef PMUTRACE_SYM_NAMER_H
#define PMUTRACE_SYM_NAMER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "sym/kallsyms.h"
#include "sym/outermost.h"
#include "sym/procs.h"

enum sym_kind { SYM_USER, SYM_KERNEL, SYM_JIT };

struct sym_frame {
	const char *name;   /* demangled; until namer__forget() */
	const char *module; /* file name, "kernel", a kernel module, or "" */
	enum sym_kind kind;
	bool named;	 /* a symbol, not a placeholder */
	uint32_t cookie; /* the caller's, UINT32_MAX at first: its own id of this frame */
};

struct namer;

struct namer_opts {
	bool demangle;
	const char *kallsyms; /* path, "/proc/kallsyms" */
};

/* @procs, @binaries: borrowed. NULL when out of memory. */
struct namer *namer__new(struct procs *procs, struct binaries *binaries,
			 const struct namer_opts *opts);
void namer__free(struct namer *n);

/*
 * The frame of an address; *out moves: do not keep it over the next call. @caller: a return
 * address; what is named is the call before it. @what: may a stack end there? 0 or -ENOMEM.
 */
int namer__user(struct namer *n, struct process *proc, uint64_t time_ns, uint64_t addr, bool caller,
		struct sym_frame **out, enum outermost *what) must_check;
int namer__kernel(struct namer *n, uint64_t addr, bool caller, struct sym_frame **out) must_check;

/* All frames get the cookie UINT32_MAX again: the caller has other ids now. */
void namer__forget_cookies(struct namer *n);

/*
 * Nothing that was named is remembered any more; it is looked up again when it comes again. What
 * was read to look it up in stays. 0 or -ENOMEM; then nothing can be named any more.
 */
int namer__forget(struct namer *n) must_check;

/* Addresses that are remembered, of the kernel and of programs. */
size_t namer__nr_names(const struct namer *n);

/*
 * The list of kernel symbols takes some 50 ms to read, seconds on an emulated machine: it is read
 * in slices, once namer__kernel() was called. Each takes about @budget_ns; *more: another one is
 * needed. 0 or -ENOMEM; what else goes wrong is namer__kernel_error()'s.
 */
int namer__read_kernel(struct namer *n, uint64_t budget_ns, bool *more) must_check;

/* What namer__kernel() says is final. */
bool namer__kernel_read(const struct namer *n);

/* Why kernel addresses have no names: 0: they have, or none was asked for; -EACCES: hidden. */
int namer__kernel_error(const struct namer *n) must_check;

/* Kernel code that came after the list was begun. 0 or -ENOMEM. */
int namer__kernel_added(struct namer *n, uint64_t addr, uint32_t len, const char *name) must_check;

#endif
