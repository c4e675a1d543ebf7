/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf/elf_image.h - an executable or library on disk: its addresses -> offsets in the file.
 *
 * Uprobes are put at offsets, symbols and notes speak of addresses. Source: elf(5), PT_LOAD.
 * Does not know: symbols (elf/elf_names.h).
 */
#ifndef PMUTRACE_ELF_ELF_IMAGE_H
#define PMUTRACE_ELF_ELF_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"
#include "elf/elf_file.h"

struct elf_load; /* a PT_LOAD segment */

struct elf_image {
	int fd;
	Elf *elf;
	struct elf_load *loads;
	size_t nr_loads;
};

/* What a segment is for. */
enum elf_use { ELF_CODE, ELF_WRITABLE, ELF_CONST };

/**
 * elf_image__open() - open a file that can be run or loaded
 * @path: as open(2) takes it; a symbolic link is followed
 * @why:  on error a sentence
 *
 * Return: 0; -ENOEXEC: not an ELF file with segments (a script, an object file); -EPERM: not a
 * regular file; another -errno. Give it to elf_image__close() after 0 only.
 */
int elf_image__open(struct elf_image *img, const char *path, struct buf *why) must_check;

/* Its two halves: the descriptor or -errno; and what is behind one, which is taken in any case. */
int elf_image__open_file(const char *path, struct buf *why) must_check;
int elf_image__take(struct elf_image *img, int fd, const char *path, struct buf *why) must_check;

void elf_image__close(struct elf_image *img);

/* The offset in the file of what is loaded at @addr; false: in no segment of that use. */
bool elf_image__offset(const struct elf_image *img, uint64_t addr, enum elf_use use,
		       uint64_t *offset);

/* Is the byte at @offset in the file code? */
bool elf_image__is_code(const struct elf_image *img, uint64_t offset);

/* Bytes of code from @offset in the file to the end of its segment; 0: that is no code. */
uint64_t elf_image__code_bytes(const struct elf_image *img, uint64_t offset);

#endif
