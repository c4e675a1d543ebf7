/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lookup/kprobe_lists.h - the kernel's lists of functions that can and that cannot be probed.
 *
 * Source: t_show() in kernel/trace/ftrace.c ("NAME" or "NAME [MODULE]" a line) and
 * kprobe_blacklist_seq_show() in kernel/kprobes.c ("0xSTART-0xEND\tNAME").
 */
#ifndef PMUTRACE_LOOKUP_KPROBE_LISTS_H
#define PMUTRACE_LOOKUP_KPROBE_LISTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/strtab.h"

struct kprobe_range {
	uint64_t start, end; /* end is exclusive */
};

/* Zero-initialise; allows everything then. */
struct kprobe_lists {
	bool has_traceable;
	uint64_t *traceable; /* ids of name and module; sorted */
	size_t nr_traceable, cap_traceable;
	struct kprobe_range *forbidden; /* sorted, disjoint */
	size_t nr_forbidden, cap_forbidden;
};

/*
 * Each once. @strings: names and modules are added to it. 0 or -errno: what was not read allows
 * everything; kprobe_lists__free() is to be called all the same.
 */
int kprobe_lists__read_traceable(struct kprobe_lists *l, struct strtab *strings,
				 const char *path) must_check;
int kprobe_lists__read_blacklist(struct kprobe_lists *l, const char *path) must_check;
void kprobe_lists__free(struct kprobe_lists *l);

/* @name, @module: ids in the strtab. */
bool kprobe_lists__allow(const struct kprobe_lists *l, uint32_t name, uint32_t module,
			 uint64_t addr);

#endif
