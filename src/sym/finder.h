/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/finder.h - finds names of code: in files, in the kernel, and of code made at run time.
 *
 * Everything that is read to tell it belongs to the finder. It reads the kernel's list of symbols
 * itself. Binaries, their debug files, perf maps and jitdumps are strangers': it opens them, and
 * has them read in a jail (sym/name_reader.h). Where there is no jail, they are read here
 * (sym/file_names.h), but for the debug information of strangers' files, such as servers send.
 *
 * All that may take as long as a disk or a network does, so the finder lives on a thread of its own
 * (base/worker.h), and struct find is the job. sym/namer.h asks.
 *
 * Servers that are asked for debug files take longer than that. What is in a file whose debug file
 * is on its way is put off (sym/served.h), and the finder goes on with what else was asked for.
 */
#ifndef PMUTRACE_SYM_FINDER_H
#define PMUTRACE_SYM_FINDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "base/worker.h"
#include "sym/file_names.h"
#include "sym/late.h"
#include "sym/mapped.h"

struct debuginfod;
struct jail;

enum find_kind {
	/* Asked: */
	FIND_KERNEL, /* at: an address */
	FIND_FILE,   /* file, at: an offset in it; mapped: the first time */
	FIND_VDSO,   /* at: an offset in it */
	FIND_JIT,    /* pid, life, at: an address of the process */
	FIND_LATE,   /* pid, life, late: addresses that had no name before its files were read on */
	FIND_OPEN,   /* file; mapped: the first time; answer: fd */
	/* Told: */
	FIND_KSYMBOL,  /* at, len, name: kernel code that came after the list was read */
	FIND_DUMP,     /* pid, life, name: the process maps this file, which looks like a jitdump */
	FIND_LIFE_END, /* life: its perf map and jitdump are not needed any more */
	FIND_FETCHED,  /* debug files were fetched: by the finder itself */
};

struct find {
	struct job job;
	enum find_kind kind;
	uint64_t at;
	uint64_t vaddr; /* FIND_FILE: file_question.vaddr */
	uint32_t file, pid, len;
	uint32_t life;	 /* of the process: sym/procs.h */
	uint32_t tag;	 /* the asker's own */
	struct buf text; /* FIND_KSYMBOL: name; FIND_DUMP: path */
	struct mapped_file mapped;
	bool has_mapped;
	bool is_over; /* FIND_LATE: its pid, and files of that name, are another program's */
	struct late_addr *late;
	size_t nr_late;
	struct strtab *late_names; /* the answer: late_addr.name is an id of it */

	/* FIND_OPEN: whoever takes answer.fd sets it to -1. */
	struct file_answer answer;
	const char *module;    /* FIND_KERNEL: in the name's buffer; "kernel" where there is none */
	struct file_gaps gaps; /* so far */
	int err; /* -ENOMEM; FIND_KERNEL: why the list cannot be read, as kallsyms.h says */
};

struct finder_opts {
	bool demangle;
	bool inlines;		       /* functions that were inlined */
	bool lines;		       /* names are "function (file.c:12)" */
	bool places;		       /* where code is: source lines, build-ids */
	bool no_symbols;	       /* of files: functions by their first address */
	struct jail *jail;	       /* borrowed; NULL: there is none */
	struct debuginfod *debuginfod; /* who is asked for debug files; NULL: nobody. Borrowed */
	const char *kallsyms;	       /* path; copied */
	const char *proc_root;	       /* "/proc" or a fixture; copied */
	size_t symbol_bytes;	       /* of files: binaries__new() */
};

struct finder;

/*
 * The worker that answers, which the caller closes; @out: the finder, which lives as long. 0 or
 * -errno.
 */
int finder__open(struct finder **out, struct worker **worker,
		 const struct finder_opts *opts) must_check;

/* CPU time of processes that read for it. */
uint64_t finder__readers_ns(const struct finder *x);

/* NULL when out of memory. */
struct find *find__new(enum find_kind kind, uint64_t at);
void find__free(struct find *f);

#endif
