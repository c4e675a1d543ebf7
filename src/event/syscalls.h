/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/syscalls.h - the numbers of system calls by the names that their tracepoints have.
 *
 * A name is the kernel's, SYSCALL_DEFINE*(NAME, ..), behind the sys_enter_ and sys_exit_ of the
 * category syscalls: newfstat, not fstat. Numbers never change; the kernel tells no program which
 * one a tracepoint is of. Of 64-bit tasks of the machine that this was compiled for.
 * Source: arch/x86/entry/syscalls/syscall_64.tbl, scripts/syscall.tbl: the entry points there.
 */
#ifndef PMUTRACE_EVENT_SYSCALLS_H
#define PMUTRACE_EVENT_SYSCALLS_H

#include "base/array.h"

/* -ENOENT: not known here, for it is newer. */
int syscall__number(const char *name) must_check;

#endif
