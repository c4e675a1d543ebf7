// SPDX-License-Identifier: BSD-2-Clause
/* Opens one place of symbols after the other until one has functions. */
#include "elf/elf_sources.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "elf/debugfile.h"
#include "elf/xz.h"

#define MAX_XZ_BYTES	   (64u << 20)
#define MAX_UNPACKED_BYTES (256u << 20)

enum { MAX_BUILD_ID_BYTES = 64 };

static size_t max_unpacked(const struct elf_from *from)
{
	const struct allowance *a = from->charge;

	return a && a->bytes < MAX_UNPACKED_BYTES ? a->bytes : MAX_UNPACKED_BYTES;
}

static int read_packed(const struct elf_from *from, size_t *nr, elf_source_fn *fn, void *arg)
{
	Elf_Data *packed;
	GElf_Shdr shdr;
	size_t len;
	char *image;
	struct elf_from inner = { .fd = -1, .charge = from->charge };
	int err;

	packed = elf_from__data(from, elf_file__section_named(from->elf, ".gnu_debugdata", &shdr),
				MAX_XZ_BYTES);
	if (!packed || xz__unpack(packed->d_buf, packed->d_size, max_unpacked(from), &image, &len))
		return 0;
	if (!allowance__spend(from->charge, len)) {
		free(image);
		return 0;
	}
	inner.elf = elf_file__open_memory(image, len);
	err = inner.elf ? fn(&inner, SHT_SYMTAB, nr, arg) : 0;
	elf_end(inner.elf);
	free(image);
	return err;
}

/* @fd: taken; or negative, then there is nothing. */
static int read_separate(int fd, struct allowance *run, size_t *nr, elf_source_fn *fn, void *arg)
{
	struct elf_from from;
	int err;

	if (fd < 0)
		return 0;
	err = elf_from__open(&from, fd, run) ? fn(&from, SHT_SYMTAB, nr, arg) : 0;
	elf_from__close(&from);
	close(fd);
	return err;
}

int elf_sources__read(const struct elf_from *from, const struct opener *o, elf_source_fn *fn,
		      void *arg)
{
	unsigned char id[MAX_BUILD_ID_BYTES];
	size_t nr = 0;
	int err;

	err = fn(from, SHT_SYMTAB, &nr, arg);
	if (err || nr)
		return err;
	err = read_packed(from, &nr, fn, arg);
	if (err)
		return err;
	if (!nr) {
		size_t len = elf_file__build_id(from->elf, id, sizeof(id));
		int fd = debugfile__open_by_id(o, id, len, from->run);

		err = read_separate(fd, from->run, &nr, fn, arg);
		if (err || nr)
			return err;
		fd = debugfile__open_by_link(o, from);
		err = read_separate(fd, from->run, &nr, fn, arg);
		if (err || nr)
			return err;
		fd = debugfile__open_by_server(o, id, len, from->run);
		err = fd == -EAGAIN ? fd : read_separate(fd, from->run, &nr, fn, arg);
		if (err || nr)
			return err;
	}
	err = fn(from, ELF_SOURCE_GO, &nr, arg);
	return err ? err : fn(from, SHT_DYNSYM, &nr, arg);
}
