/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * plan/kernel_types.h - the types of the running kernel and its modules (BTF), read once.
 *
 * They are shared by all who hold them and go with the last: who opens many probes one after the
 * other holds them meanwhile. Any thread may call.
 * Source: Documentation/bpf/btf.rst, /sys/kernel/btf.
 */
#ifndef PMUTRACE_PLAN_KERNEL_TYPES_H
#define PMUTRACE_PLAN_KERNEL_TYPES_H

#include "base/array.h"

struct btf;

/**
 * kernel_types__get() - the kernel's types, with a module's on top
 * @module: NULL or "": the kernel alone
 * @out:    borrowed until kernel_types__put()
 *
 * Return: 0: each needs a kernel_types__put(); -ENOENT: this kernel or module has none; -ENOMEM;
 * another -errno.
 */
int kernel_types__get(const char *module, struct btf **out) must_check;
void kernel_types__put(void);

#endif
