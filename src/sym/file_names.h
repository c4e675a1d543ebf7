/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/file_names.h - names of code from what strangers have written: binaries, their debug files,
 * perf maps and jitdumps.
 *
 * Knows: all that was read of them. Files come open, from a source (sym/file_opener.h).
 * Does not know: the kernel, processes, paths. So it works in a process that may open nothing
 *   (sym/name_reader.h), or here.
 */
#ifndef PMUTRACE_SYM_FILE_NAMES_H
#define PMUTRACE_SYM_FILE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "elf/binary.h"
#include "elf/outermost.h"
#include "sym/file_opener.h"

struct file_names_opts {
	bool demangle;
	bool inlines;	     /* functions that were inlined */
	bool lines;	     /* names are "function (file.c:12)" */
	bool places;	     /* where code is: source lines, build-ids */
	bool no_symbols;     /* of files: functions by their first address, no inlines, lines */
	bool trusted_only;   /* no debug information of strangers' files: sym/chains.h */
	size_t symbol_bytes; /* binaries__new() */
	size_t debug_bytes;  /* chains_opts.max_bytes */
};

enum file_question_kind {
	NAME_IN_FILE, /* file, at: an offset in it; vaddr, if all that is here is its debug file */
	NAME_OF_CODE, /* pid, life, at: an address of the process */
	NAME_OF_READ_CODE, /* life, at: the same, in what has been read */
	READ_CODE_ON,	   /* pid, life: what its programs have written by now */
	REOPEN_FILE,	   /* file: the answer is a descriptor */
	DUMP_IS_THERE,	   /* life: it has a jitdump, or another one than before */
	LIFE_ENDED,	   /* life: its perf map and jitdump are not needed any more */
	FILE_QUESTION_KINDS,
};

struct file_question {
	enum file_question_kind kind;
	uint32_t file, pid, life;
	uint64_t at;
	uint64_t vaddr; /* the same place as nm prints it, where that is known */
};

struct file_answer {
	int err;	    /* 0; -EAGAIN, of NAME_IN_FILE: as file_source.open says; or -ENOMEM */
	struct buf name;    /* demangled */
	struct buf inlined; /* functions inlined there, each with its NUL, the outermost first */
	size_t nr_inlined;
	struct buf lines;		  /* with places: sym/source_lines.h of both, or nothing */
	uint8_t build_id[BUILD_ID_BYTES]; /* NAME_IN_FILE, with places: of the file */
	uint8_t build_id_len;		  /* 0: it has none, or a longer one */
	bool named;
	enum outermost what; /* NAME_IN_FILE: may a stack end there? */
	uint64_t vaddr;	     /* the same: as nm and addr2line print it */
	bool in_function;    /* it is in a function without a symbol, which begins .. */
	uint64_t function;   /* .. there */
	bool no_debug_room;  /* NAME_IN_FILE: there was no memory for its debug information */
	uint32_t map;	     /* NAME_OF_CODE: another number when its map or dump was read again */
	int fd;		     /* REOPEN_FILE: the asker's; -1: there is none */
};

/* What was not read so far, of all files. */
struct file_gaps {
	uint64_t nr_unread;    /* strangers' files that exceeded the allowance */
	uint64_t nr_unstored;  /* files whose symbols there was no memory for */
	uint64_t nr_maps_cut;  /* perf maps that were not read to their end */
	uint64_t nr_dumps_cut; /* the same of jitdumps */
};

struct file_names;

/* @source: copied, what it refers to is borrowed. NULL when out of memory. */
struct file_names *file_names__new(const struct file_names_opts *opts,
				   const struct file_source *source);
void file_names__free(struct file_names *x);

/* Makes file number @id known. 0 or -ENOMEM. */
int file_names__add(struct file_names *x, uint32_t id, const struct file_identity *is) must_check;
bool file_names__knows(const struct file_names *x, uint32_t id);

/* @q: of a file that is known. @a: overwritten, its buffers are used again. */
void file_names__ask(struct file_names *x, const struct file_question *q, struct file_answer *a);

/* A name in an image that is ours, such as the vdso: as in a file. */
void file_names__ask_binary(const struct file_names *x, struct binary *b, uint64_t at,
			    struct file_answer *a);

void file_names__gaps(const struct file_names *x, struct file_gaps *out);

void file_answer__clear(struct file_answer *a);
void file_answer__free(struct file_answer *a);

#endif
