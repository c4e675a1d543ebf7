/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/vdso.h - the code that the kernel maps into every process: an ELF image that is in no file.
 */
#ifndef PMUTRACE_ELF_VDSO_H
#define PMUTRACE_ELF_VDSO_H

#include <stddef.h>

/* This process's, the same in all 64-bit ones. NULL: there is none. *len: bytes that are mapped. */
const void *vdso__image(size_t *len);

#endif
