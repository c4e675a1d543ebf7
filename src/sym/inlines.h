/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/inlines.h - the functions inlined at an address of a file, and their lines.
 *
 * Knows: where a file's debug information may be: in the file, in its debug file, in an alternate
 *   file that several share (dwz), either of which a server may have, in .dwo files or a .dwp.
 * Does not know: how those are opened (elf/debug_places.h): it can work in a process that may open
 *   nothing.
 *
 * The files are strangers': garbage costs names and lines, and nothing else.
 */
#ifndef PMUTRACE_SYM_INLINES_H
#define PMUTRACE_SYM_INLINES_H

#include "elf/elf_bytes.h"
#include "elf/debug_places.h"

struct inlines;

struct inlines_opts {
	struct opener others; /* of the file; what it refers to is borrowed until close */
	bool trusted_only;    /* files that others lead to are not read if they are strangers' */
	bool mangled;	      /* names as the linker knows them */
	bool starts;	      /* where functions begin */
	/*
	 * Memory for what was read and found out; 0: 192 MiB. Three quarters of it at most are for
	 * compressed sections. An answer may exceed it a while.
	 */
	size_t max_bytes;
};

/**
 * inlines__open() - read which addresses the debug information of a file is about
 * @from: borrowed until inlines__close(); with its allowance if it is a stranger's
 *
 * Return: 0; -ENOENT: there is none that we can read; -EAGAIN: it is being fetched from a server;
 * -ENOMEM: also if it is compressed and takes more than is allowed, or packed in an unknown way.
 */
int inlines__open(struct inlines **out, const struct elf_from *from,
		  const struct inlines_opts *opts) must_check;
void inlines__close(struct inlines *x);

/* Strings live as long as the object: equal ones have one address. */
struct inlined_frame {
	const char *name;    /* demangled, unless inlines_opts.mangled; NULL: not known */
	const char *path;    /* of the source file; NULL: not known */
	uint32_t line;	     /* 0: not known */
	uint32_t start_line; /* of the function; 0: not known, or not wanted */
	bool inlined;	     /* into the next frame */
};

/* Zero-initialise it; used again and again; free(frames). */
struct inlined_chain {
	struct inlined_frame *frames; /* the innermost first */
	size_t nr, cap;
};

/*
 * @vaddr: in the file's own terms. 0; -ENOENT: nothing is known of it; -ENOMEM. The line of an
 * outer function is where the inner one was called.
 */
int inlines__find(struct inlines *x, uint64_t vaddr, struct inlined_chain *out) must_check;

/* Memory that it takes: see max_bytes. */
size_t inlines__bytes(const struct inlines *x);

#endif
