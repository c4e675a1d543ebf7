/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/kallsyms.h - the kernel's symbols: vmlinux, modules, BPF programs.
 *
 * Source: /proc/kallsyms ("address type name [module]", see kernel/kallsyms.c).
 * Only code (types t, T, w, W) is kept. With kptr_restrict the kernel prints every
 * address as 0: that is -EACCES here, never a table of zeros.
 */
#ifndef PMUTRACE_SYM_KALLSYMS_H
#define PMUTRACE_SYM_KALLSYMS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/array.h"
#include "elf/symtab.h"

struct kallsyms;

struct ksym {
	const char *name;   /* lives as long as the table */
	const char *module; /* "kernel", a module's name, or "bpf" */
	uint64_t offset;    /* from the symbol's start */
};

/* @path: "/proc/kallsyms", or a fixture. Nothing is read yet. 0 or -errno. */
int kallsyms__open(struct kallsyms **out, const char *path) must_check;
void kallsyms__close(struct kallsyms *k);

/*
 * Reads all of it, and indexes it: some 50 ms, most of them the kernel's; seconds on a machine that
 * is emulated. Once. 0; -EACCES: the addresses are hidden; another -errno: then the table is good
 * for nothing but kallsyms__close().
 */
int kallsyms__read(struct kallsyms *k) must_check;

/* Before all is read it finds only what was added. */
bool kallsyms__find(const struct kallsyms *k, uint64_t addr, struct ksym *out);

/*
 * A BPF program or trampoline that came after the table was read (PERF_RECORD_KSYMBOL).
 * Looked at before the table. It stays when the program is unloaded: samples may need its name.
 */
int kallsyms__add(struct kallsyms *k, uint64_t addr, uint32_t len, const char *name) must_check;

#endif
