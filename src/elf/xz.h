/* SPDX-License-Identifier: BSD-2-Clause */
/* elf/xz.h - unpack .gnu_debugdata, the reduced symbol table that Fedora's files carry. */
#ifndef PMUTRACE_ELF_XZ_H
#define PMUTRACE_ELF_XZ_H

#include <stddef.h>

#include "base/array.h"

/**
 * xz__unpack() - unpack one xz stream
 * @out: malloc'ed
 * @max: no more than that many bytes of output; and no more than 1 MiB and 64 bytes for each byte
 *	 of the stream, what lies behind its end not counted: a small file must not cost much
 *
 * Return: 0; -EINVAL: damaged; -EFBIG; -ENOMEM; -ENOTSUP: built without liblzma.
 */
int xz__unpack(const void *in, size_t in_len, size_t max, char **out, size_t *out_len) must_check;

#endif
