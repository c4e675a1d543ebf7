/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/finder.h - finds names of code: in files, in the kernel, and of code made at run time.
 *
 * Everything that is read to tell it belongs to the finder: binaries and their debug files, the
 * kernel's list of symbols, perf maps and jitdumps. Reading may take as long as a disk or a network
 * does, so the finder lives on a thread of its own (base/worker.h), and struct find is the job.
 * sym/namer.h asks.
 */
#ifndef PMUTRACE_SYM_FINDER_H
#define PMUTRACE_SYM_FINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/worker.h"
#include "elf/outermost.h"
#include "sym/mapped.h"

enum find_kind {
	/* Asked: */
	FIND_KERNEL, /* at: an address */
	FIND_FILE,   /* file, at: an offset in it; mapped: the first time */
	FIND_VDSO,   /* at: an offset in it */
	FIND_JIT,    /* pid, life, at: an address of the process */
	FIND_OPEN,   /* file; mapped: the first time; answer: fd */
	/* Told: */
	FIND_KSYMBOL,  /* at, len, name: kernel code that came after the list was read */
	FIND_DUMP,     /* pid, life, name: the process maps this file, which looks like a jitdump */
	FIND_LIFE_END, /* life: its perf map and jitdump are not needed any more */
};

struct find {
	struct job job;
	enum find_kind kind;
	uint64_t at;
	uint32_t file, pid, len;
	uint32_t life; /* of the process: sym/procs.h */
	struct mapped_file mapped;
	bool has_mapped;

	/* The answer. */
	/* Demangled; of FIND_KSYMBOL: as the kernel has it; of FIND_DUMP: a path. */
	struct buf name;
	const char *module; /* FIND_KERNEL: in the same buffer; "kernel" where there is none */
	bool named;
	/* FIND_FILE: names of functions inlined there, each with its NUL, the outermost first. */
	struct buf inlined;
	size_t nr_inlined;
	enum outermost what;   /* FIND_FILE, FIND_VDSO: may a stack end there? */
	uint64_t vaddr;	       /* FIND_FILE, FIND_VDSO: as nm and addr2line print it */
	bool in_function;      /* it is in a function without a symbol, which begins .. */
	uint64_t function;     /* .. there */
	int fd;		       /* FIND_OPEN: whoever takes it sets it to -1; -1: there is none */
	uint32_t map;	       /* FIND_JIT: another number when its map or dump was read again */
	uint64_t nr_unread;    /* strangers' files that exceeded the allowance, so far */
	uint64_t nr_unstored;  /* files whose symbols there was no memory for */
	uint64_t nr_maps_cut;  /* perf maps that were not read to their end */
	uint64_t nr_dumps_cut; /* the same of jitdumps */
	int err; /* -ENOMEM; FIND_KERNEL: why the list cannot be read, as kallsyms.h says */
};

struct finder_opts {
	bool demangle;
	/*
	 * Debug information is read for them, of files and debug files of root's and our own user's
	 * alone: not of strangers'.
	 */
	bool inlines;	       /* functions that were inlined */
	bool lines;	       /* names are "function (file.c:12)" */
	const char *kallsyms;  /* path; copied */
	const char *proc_root; /* "/proc" or a fixture; copied */
	size_t symbol_bytes;   /* binaries__new() */
};

/* The worker that answers. 0 or -errno. */
int finder__open(struct worker **out, const struct finder_opts *opts) must_check;

/* NULL when out of memory. */
struct find *find__new(enum find_kind kind, uint64_t at);
void find__free(struct find *f);

#endif
