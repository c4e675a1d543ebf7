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
 * At the beginning of a program: writing beyond the limit of a file's size is an error of that
 * write, not the end of the process (SIGXFSZ; programs that are run later have their own way with
 * it). 0; -ENOMEM with @why: the stack is too small for names of strangers, which are taken apart
 * by recursion.
 */
int limits__begin(struct buf *why) must_check;

/*
 * Which limit an errno comes from, and how to raise it: "too many open files: the limit is 16;
 * raise it with ulimit -n 1024". EMFILE, ENFILE, ENOMEM, EAGAIN of a thread or process, EFBIG.
 * Nothing is appended for others, nor where no limit is near. 0 or -ENOMEM.
 */
int limits__explain(struct buf *why, int err) must_check;

/* -EMFILE, -ENFILE or -ENOMEM: so many files, so much address space cannot be had now; else 0. */
int limits__shortage(size_t files, size_t bytes);

#endif
