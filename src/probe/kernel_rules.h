/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/kernel_rules.h - where the kernel keeps its own unwind rules (ORC), which programs follow
 * (bpf/orc.bpf.h).
 *
 * Source: include/asm-generic/vmlinux.lds.h (ORC_UNWIND_TABLE). x86_64 has such rules, with
 * CONFIG_UNWINDER_ORC.
 */
#ifndef PMUTRACE_PROBE_KERNEL_RULES_H
#define PMUTRACE_PROBE_KERNEL_RULES_H

#include "base/array.h"
#include "orc.wire.h"

/*
 * Sets all but @out->verify. @kallsyms: "/proc/kallsyms", or a fixture; some 40 ms. Where there are
 * no rules, or addresses are hidden, nr is 0. 0 or -ENOMEM.
 */
int kernel_rules__find(const char *kallsyms, struct orc_cfg *out) must_check;

#endif
