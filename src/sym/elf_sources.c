// SPDX-License-Identifier: BSD-2-Clause
#include "sym/elf_sources.h"

#include <stdlib.h>
#include <unistd.h>

#include "sym/debugfile.h"
#include "sym/xz.h"

#define MAX_XZ_BYTES	   (64u << 20)
#define MAX_UNPACKED_BYTES (256u << 20)

enum { MAX_BUILD_ID_BYTES = 64 };

static int read_packed(Elf *elf, size_t *nr, elf_source_fn *fn, void *arg)
{
	Elf_Data *packed;
	GElf_Shdr shdr;
	size_t len;
	char *image;
	struct elf_from inner = { .fd = -1 };
	int err;

	packed =
		elf_file__data(elf_file__section_named(elf, ".gnu_debugdata", &shdr), MAX_XZ_BYTES);
	if (!packed || xz__unpack(packed->d_buf, packed->d_size, MAX_UNPACKED_BYTES, &image, &len))
		return 0;
	inner.elf = elf_file__open_memory(image, len);
	err = inner.elf ? fn(&inner, SHT_SYMTAB, nr, arg) : 0;
	elf_end(inner.elf);
	free(image);
	return err;
}

/* @fd: taken; or negative, then there is nothing. */
static int read_separate(int fd, size_t *nr, elf_source_fn *fn, void *arg)
{
	struct elf_from from = { .fd = fd };
	int err;

	if (fd < 0)
		return 0;
	from.elf = elf_file__open(fd);
	err = from.elf ? fn(&from, SHT_SYMTAB, nr, arg) : 0;
	elf_end(from.elf);
	close(fd);
	return err;
}

int elf_sources__read(const struct elf_from *from, const char *root, const char *path,
		      elf_source_fn *fn, void *arg)
{
	Elf *elf = from->elf;
	unsigned char id[MAX_BUILD_ID_BYTES];
	size_t nr = 0, nr_dynamic = 0;
	int err;

	err = fn(from, SHT_SYMTAB, &nr, arg);
	if (err || nr)
		return err;
	err = read_packed(elf, &nr, fn, arg);
	if (err)
		return err;
	if (!nr) {
		size_t len = elf_file__build_id(elf, id, sizeof(id));

		err = read_separate(debugfile__open_by_id(root, id, len), &nr, fn, arg);
		if (err || nr)
			return err;
		err = read_separate(debugfile__open_by_link(root, path, elf), &nr, fn, arg);
		if (err || nr)
			return err;
	}
	return fn(from, SHT_DYNSYM, &nr_dynamic, arg);
}
