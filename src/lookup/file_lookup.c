// SPDX-License-Identifier: BSD-2-Clause
/* A file whose names are read when they are first needed, and kept. */
#include "lookup/file_lookup.h"

int file_lookup__open(struct file_lookup *f, int fd, const char *path, const struct opener *others,
		      struct buf *why)
{
	*f = (struct file_lookup){ .path = path, .others = *others };
	return elf_image__take(&f->img, fd, path, why);
}

void file_lookup__close(struct file_lookup *f)
{
	if (f->has_names)
		elf_names__free(&f->names);
	elf_image__close(&f->img);
}

int file_lookup__read_names(struct file_lookup *f)
{
	int err = f->has_names ? 0 : elf_names__read(&f->names, &f->img, &f->others);

	f->has_names |= !err;
	return err;
}
