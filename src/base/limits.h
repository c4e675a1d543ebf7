/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * base/limits.h - what this process may have (getrlimit(2)): enough to work, or a sentence with the
 * number that is too small and how to raise it.
 *
 * How many files may be open is raised where it is known how many are needed: base/files.h.
 */
#ifndef PMUTRACE_BASE_LIMITS_H
#define PMUTRACE_BASE_LIMITS_H

#include "base/array.h"
#include "base/buf.h"

/*
 * Call at the beginning of a program. From then on writing beyond RLIMIT_FSIZE is an error of that
 * write instead of the end of the process by SIGXFSZ; commands that are started do as ever. 0;
 * -ENOMEM with @why: the stack is too small to demangle strangers' names, which recurses.
 */
int limits__begin(struct buf *why) must_check;

/*
 * Which limit an errno comes from, and how to raise it: "too many open files: the limit is 16;
 * raise it with ulimit -n 1024". EMFILE, ENFILE, ENOMEM, EAGAIN of a thread or process, EFBIG.
 * Nothing is appended for others, nor where no limit is near. 0 or -ENOMEM.
 */
int limits__explain(struct buf *why, int err) must_check;

/* Can @files more be opened and @bytes more be mapped now? 0; -EMFILE, -ENFILE or -ENOMEM. */
int limits__shortage(size_t files, size_t bytes);

#endif
