/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sym/kernel_data.h - where the kernel's variables are.
 *
 * Source: /proc/kallsyms ("address type name [module]"), which lists them on kernels with
 * CONFIG_KALLSYMS_ALL. A per-CPU variable has an address in the kernel's image, or an offset in
 * each CPU's area (kernel/kallsyms.c: kallsyms_sym_address()): either tells how far two are apart.
 */
#ifndef PMUTRACE_SYM_KERNEL_DATA_H
#define PMUTRACE_SYM_KERNEL_DATA_H

#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/*
 * @values: one for each of the names, all of vmlinux. @path: "/proc/kallsyms", or a fixture; some
 * 40 ms. 0; -ENOENT: one of them is not listed; -EACCES: addresses are hidden; another -errno.
 */
int kernel_data__find(const char *path, const char *const *names, uint64_t *values,
		      size_t nr) must_check;

/* Likewise, but the values of those that are not listed are 0. */
int kernel_data__find_some(const char *path, const char *const *names, uint64_t *values,
			   size_t nr) must_check;

#endif
