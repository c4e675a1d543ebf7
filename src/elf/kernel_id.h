/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/kernel_id.h - the build-id of the kernel that runs: that of its vmlinux.
 */
#ifndef PMUTRACE_ELF_KERNEL_ID_H
#define PMUTRACE_ELF_KERNEL_ID_H

#include <stddef.h>

/* @path: the kernel's notes, "/sys/kernel/notes". Bytes of the id, at most @max; 0: not known. */
size_t kernel_id__read(const char *path, unsigned char *id, size_t max);

#endif
