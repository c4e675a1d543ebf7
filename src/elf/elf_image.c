// SPDX-License-Identifier: BSD-2-Clause
/* Opens a program or library, and turns addresses into file offsets by its PT_LOAD segments. */
#include "elf/elf_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/regular.h"
#include "base/why.h"

/* Linkers write ten. Each symbol is held against all of them. */
enum { MAX_LOADS = 256 };

struct elf_load {
	uint64_t offset, addr, bytes;
	enum elf_use use;
};

static enum elf_use use_of(const GElf_Phdr *phdr)
{
	if (phdr->p_flags & PF_X)
		return ELF_CODE;
	return phdr->p_flags & PF_W ? ELF_WRITABLE : ELF_CONST;
}

static int read_loads(struct elf_image *img)
{
	GElf_Phdr phdr;
	size_t i, nr;

	if (elf_getphdrnum(img->elf, &nr))
		return 0;
	img->loads = calloc(MAX_LOADS, sizeof(*img->loads));
	if (!img->loads)
		return -ENOMEM;
	for (i = 0; i < nr && img->nr_loads < MAX_LOADS; i++) {
		if (!gelf_getphdr(img->elf, i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		/* No file has that: an offset in it would be none. */
		if (phdr.p_filesz > INT64_MAX || phdr.p_offset > INT64_MAX - phdr.p_filesz)
			continue;
		img->loads[img->nr_loads++] = (struct elf_load){
			.offset = phdr.p_offset,
			.addr = phdr.p_vaddr,
			.bytes = phdr.p_filesz,
			.use = use_of(&phdr),
		};
	}
	return 0;
}

static int cannot_open(const char *path, int err, struct buf *why)
{
	int failed;

	if (err == -EPERM)
		failed = buf__printf(why, "%s is not a regular file", path);
	else
		failed = buf__printf(why, "cannot open %s: %s", path, strerror(-err));
	return failed ? failed : err;
}

static int no_program(const char *path, struct buf *why)
{
	return why__refuse(why, -ENOEXEC, "%s is neither an ELF program nor a shared library",
			   path);
}

static bool is_loadable(Elf *elf)
{
	GElf_Ehdr header;

	return gelf_getehdr(elf, &header) && (header.e_type == ET_EXEC || header.e_type == ET_DYN);
}

int elf_image__open(struct elf_image *img, const char *path, struct buf *why)
{
	int fd = elf_image__open_file(path, why);

	*img = (struct elf_image){ .fd = -1 };
	return fd < 0 ? fd : elf_image__take(img, fd, path, why);
}

int elf_image__open_file(const char *path, struct buf *why)
{
	struct stat st;
	int fd = open_regular("", path, 0, &st);

	return fd < 0 ? cannot_open(path, fd, why) : fd;
}

int elf_image__take(struct elf_image *img, int fd, const char *path, struct buf *why)
{
	int err;

	*img = (struct elf_image){ .fd = fd };
	img->elf = elf_file__open(img->fd);
	err = img->elf && is_loadable(img->elf) ? read_loads(img) : -ENOEXEC;
	if (!err && !img->nr_loads)
		err = -ENOEXEC;
	if (err)
		elf_image__close(img);
	return err == -ENOEXEC ? no_program(path, why) : err;
}

void elf_image__close(struct elf_image *img)
{
	elf_end(img->elf);
	free(img->loads);
	if (img->fd >= 0)
		close(img->fd);
	*img = (struct elf_image){ .fd = -1 };
}

bool elf_image__offset(const struct elf_image *img, uint64_t addr, enum elf_use use,
		       uint64_t *offset)
{
	const struct elf_load *l;
	size_t i;

	for (i = 0; i < img->nr_loads; i++) {
		l = &img->loads[i];
		if (l->use != use || addr < l->addr || addr - l->addr >= l->bytes)
			continue;
		return !__builtin_add_overflow(addr - l->addr, l->offset, offset);
	}
	return false;
}

uint64_t elf_image__code_bytes(const struct elf_image *img, uint64_t offset)
{
	const struct elf_load *l;
	size_t i;

	for (i = 0; i < img->nr_loads; i++) {
		l = &img->loads[i];
		if (l->use == ELF_CODE && offset >= l->offset && offset - l->offset < l->bytes)
			return l->bytes - (offset - l->offset);
	}
	return 0;
}

bool elf_image__is_code(const struct elf_image *img, uint64_t offset)
{
	return elf_image__code_bytes(img, offset) > 0;
}
