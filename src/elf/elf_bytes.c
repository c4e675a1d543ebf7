// SPDX-License-Identifier: BSD-2-Clause
/* Reads a stranger's file within its allowance: sections, and symbols or relocations in windows. */
#include "elf/elf_bytes.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "elf/elf_file.h"

bool elf_from__open(struct elf_from *from, int fd, struct allowance *run)
{
	struct stat st;

	*from = (struct elf_from){ .fd = fd, .run = run };
	if (fd < 0 || fstat(fd, &st))
		return false;
	if (allowance__is_for(&st))
		from->charge = run;
	allowance__begin(from->charge);
	if (!allowance__spend(from->charge, sizeof(Elf64_Ehdr)))
		return false;
	from->elf = elf_file__open(fd);
	if (from->elf && !allowance__spend(from->charge, elf_file__read_unasked(from->elf))) {
		elf_end(from->elf);
		from->elf = NULL;
	}
	return from->elf;
}

void elf_from__close(struct elf_from *from)
{
	elf_end(from->elf);
	from->elf = NULL;
	allowance__end(from->charge);
	from->charge = NULL;
}

Elf_Data *elf_from__data(const struct elf_from *from, Elf_Scn *scn, size_t max)
{
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr) || !elf_bytes__section(&shdr, max) ||
	    !allowance__spend(from->charge, shdr.sh_size))
		return NULL;
	return elf_file__data(scn, max);
}

bool elf_bytes__section(const GElf_Shdr *shdr, size_t max)
{
	return shdr->sh_type != SHT_NOBITS && shdr->sh_size && shdr->sh_size <= max &&
	       shdr->sh_offset <= INT64_MAX - shdr->sh_size;
}

static bool read_image(Elf *elf, uint64_t at, void *to, size_t len)
{
	size_t size;
	const char *image = elf_rawfile(elf, &size);

	if (!image || at > size || len > size - at)
		return false;
	memcpy(to, image + at, len);
	return true;
}

bool elf_bytes__read(const struct elf_from *from, uint64_t at, void *to, size_t len)
{
	if (from->fd < 0)
		return read_image(from->elf, at, to, len);
	return allowance__spend(from->charge, len) && pread(from->fd, to, len, at) == (ssize_t)len;
}

const unsigned char *elf_part__look(struct elf_part *p, uint64_t at, size_t len)
{
	const size_t ahead = p->ahead ? p->ahead : sizeof(p->bytes);

	if (at > p->len || len > p->len - at)
		return NULL;
	if (at < p->first || at - p->first > p->nr || len > p->nr - (at - p->first)) {
		p->first = at;
		p->nr = p->len - at < ahead ? p->len - at : ahead;
		if (!elf_bytes__read(p->from, p->at + at, p->bytes, p->nr))
			p->nr = 0;
	}
	return len <= p->nr ? p->bytes + (at - p->first) : NULL;
}

void elf_window__begin(struct elf_window *w, const struct elf_from *from, const GElf_Shdr *shdr,
		       Elf_Type type, size_t max)
{
	w->from = from;
	w->type = type;
	w->entry_bytes = gelf_fsize(from->elf, type, 1, EV_CURRENT);
	w->at = w->end = shdr->sh_offset;
	w->nr = 0;
	if (elf_bytes__section(shdr, max) && w->entry_bytes)
		w->end += shdr->sh_size / w->entry_bytes * w->entry_bytes;
}

bool elf_window__next(struct elf_window *w)
{
	size_t max = w->entry_bytes ? sizeof(w->bytes) / w->entry_bytes * w->entry_bytes : 0;
	size_t len = w->end - w->at < max ? w->end - w->at : max;
	Elf_Data data = { .d_buf = w->bytes, .d_type = w->type, .d_size = len };
	GElf_Ehdr header;

	data.d_version = EV_CURRENT;
	if (!len || !elf_bytes__read(w->from, w->at, w->bytes, len) ||
	    !gelf_getehdr(w->from->elf, &header) ||
	    !gelf_xlatetom(w->from->elf, &data, &data, header.e_ident[EI_DATA]))
		return false;
	w->at += len;
	w->nr = len / w->entry_bytes;
	return true;
}

GElf_Sym elf_window__sym(const struct elf_window *w, size_t i)
{
	const char *at = w->bytes + i * w->entry_bytes;
	Elf32_Sym small;
	GElf_Sym sym;

	if (w->entry_bytes == sizeof(sym)) {
		memcpy(&sym, at, sizeof(sym));
		return sym;
	}
	memcpy(&small, at, sizeof(small));
	return (GElf_Sym){
		.st_name = small.st_name,
		.st_info = small.st_info,
		.st_other = small.st_other,
		.st_shndx = small.st_shndx,
		.st_value = small.st_value,
		.st_size = small.st_size,
	};
}

GElf_Rela elf_window__rela(const struct elf_window *w, size_t i)
{
	GElf_Rela rela;

	memcpy(&rela, w->bytes + i * w->entry_bytes, sizeof(rela));
	return rela;
}
