// SPDX-License-Identifier: BSD-2-Clause
/*
 * libparsers.so - fact: who opens an ELF file with libelf, of itself and not of memory, crashes at
 * once. To be loaded before libelf (LD_PRELOAD).
 */
#include <stdlib.h>

__attribute__((visibility("default"))) void *elf_begin(int fd, int cmd, void *ref);

void *elf_begin(int fd, int cmd, void *ref)
{
	(void)fd;
	(void)cmd;
	(void)ref;
	abort();
}
