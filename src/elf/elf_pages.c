// SPDX-License-Identifier: BSD-2-Clause
/* Reads pages of sections with pread(2) into a pool, the least used ones making room. */
#include "elf/elf_pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/pages.h"
#include "elf/elf_file.h"
#include "elf/unpack.h"

/*
 * A page is followed by the first bytes of the next one, so that a number that begins in a page is
 * there as a whole. The pool grows by chunks: a small one first, as there may be hundreds of files.
 */
enum {
	PAGE_BYTES = 16 * 1024,
	PLACE_BYTES = PAGE_BYTES + ELF_PAGES_TOGETHER,
	FIRST_PLACES = 64,
	FIRST_BYTES = FIRST_PLACES * PLACE_BYTES,
	CHUNK_PLACES = PAGES_LARGE / PLACE_BYTES,
};

/* No program has more; and so many pages can be kept account of. */
#define SECTION_BYTES_MAX (16ull << 30)

int elf_pages__open(struct elf_pages *p, const struct elf_from *from, size_t max_bytes,
		    size_t max_unpacked)
{
	const size_t nr_places = max_bytes / PLACE_BYTES;
	GElf_Ehdr header;
	struct stat st;

	*p = (struct elf_pages){ .from = *from,
				 .max_places =
					 nr_places > ELF_PAGES_CALLS ? nr_places : ELF_PAGES_CALLS,
				 .max_unpacked = max_unpacked };
	if (!gelf_getehdr(from->elf, &header))
		return -EINVAL;
	if (header.e_ident[EI_DATA] !=
	    (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB))
		return -ENOTSUP;
	if (from->fd < 0) {
		size_t size = 0;

		if (!elf_rawfile(from->elf, &size))
			return -EINVAL;
		p->file_bytes = size;
		return 0;
	}
	if (fstat(from->fd, &st))
		return -errno;
	p->file_bytes = st.st_size;
	return 0;
}

void elf_pages__close(struct elf_pages *p)
{
	for (unsigned i = 0; i < p->nr; i++) {
		free(p->sections[i]->unpacked);
		free(p->sections[i]->places);
		*p->sections[i] = (struct elf_section){};
	}
	if (p->nr_chunks)
		free(p->chunks[0]);
	for (size_t i = 1; i < p->nr_chunks; i++)
		pages__unmap_large(p->chunks[i]);
	free(p->chunks);
	free(p->places);
	for (unsigned i = 0; i < ELF_PAGES_STRINGS; i++)
		buf__free(&p->strings[i]);
	*p = (struct elf_pages){};
}

static int open_packed(struct elf_pages *p, struct elf_section *s, const GElf_Shdr *shdr,
		       const char *name)
{
	struct packed packed;
	int err;

	if (!packed__read(&packed, &p->from, shdr, name) ||
	    packed.at + packed.packed_len > p->file_bytes)
		return 0;
	if (packed.len > p->max_unpacked - p->unpacked ||
	    !allowance__spend(p->from.charge, packed.len)) {
		p->nr_refused++;
		return 0;
	}
	err = packed__unpack(&packed, &p->from, &s->unpacked);
	if (err) {
		p->nr_refused += err == -ENOMEM || err == -ENOTSUP;
		return 0;
	}
	s->len = packed.len;
	p->unpacked += packed.len;
	return 0;
}

static int open_plain(struct elf_pages *p, struct elf_section *s, const GElf_Shdr *shdr)
{
	if (shdr->sh_offset > p->file_bytes || shdr->sh_size > p->file_bytes - shdr->sh_offset)
		return 0;
	s->nr_places = (shdr->sh_size + PAGE_BYTES - 1) / PAGE_BYTES;
	s->places = calloc(s->nr_places, sizeof(*s->places));
	if (!s->places)
		return -ENOMEM;
	s->at = shdr->sh_offset;
	s->len = shdr->sh_size;
	return 0;
}

int elf_pages__section(struct elf_pages *p, const char *name, struct elf_section *s)
{
	GElf_Shdr shdr;
	char old[64];
	int err;

	*s = (struct elf_section){};
	if (p->nr == ELF_PAGES_SECTIONS_MAX)
		return -ENOSPC;
	if (!elf_file__last_section_named(p->from.elf, name, &shdr)) {
		snprintf(old, sizeof(old), ".z%s", name + 1);
		name = old;
		if (!elf_file__last_section_named(p->from.elf, name, &shdr))
			return 0;
	}
	if (!elf_bytes__section(&shdr, SECTION_BYTES_MAX))
		return 0;
	if (packed__is(&shdr, name))
		err = open_packed(p, s, &shdr, name);
	else
		err = open_plain(p, s, &shdr);
	if (!err && s->len) {
		s->pages = p;
		p->sections[p->nr++] = s;
	}
	return err;
}

size_t elf_pages__bytes(const struct elf_pages *p)
{
	size_t bytes = p->unpacked + p->cap_places * sizeof(*p->places);

	if (p->nr_chunks)
		bytes += FIRST_BYTES + (p->nr_chunks - 1) * PAGES_LARGE;
	for (unsigned i = 0; i < p->nr; i++)
		bytes += p->sections[i]->nr_places * sizeof(*p->sections[i]->places);
	return bytes;
}

static void unlink_place(struct elf_pages *p, uint32_t i)
{
	const struct elf_place *place = &p->places[i];

	p->places[place->newer].older = place->older;
	p->places[place->older].newer = place->newer;
}

/* Puts a place that is not in the ring before the newest one. */
static void link_newest(struct elf_pages *p, uint32_t i)
{
	struct elf_place *place = &p->places[i], *newest = &p->places[p->newest];

	place->older = p->newest;
	place->newer = newest->newer;
	p->places[newest->newer].older = i;
	newest->newer = i;
	p->newest = i;
}

static void touch(struct elf_pages *p, uint32_t i)
{
	if (i == p->newest)
		return;
	/* The oldest one is next to the newest: the ring turns. */
	if (i != p->places[p->newest].newer) {
		unlink_place(p, i);
		link_newest(p, i);
	}
	p->newest = i;
}

static size_t chunk_of(uint32_t place)
{
	return place < FIRST_PLACES ? 0 : 1 + (place - FIRST_PLACES) / CHUNK_PLACES;
}

/* The place is the newest then. False: there is no memory. */
static bool add_place(struct elf_pages *p)
{
	const uint32_t i = p->nr_places;

	if (chunk_of(i) == p->nr_chunks) {
		if (array__grow(&p->chunks, &p->cap_chunks, p->nr_chunks + 1))
			return false;
		p->chunks[p->nr_chunks] = i ? pages__map_large() : pages__alloc(FIRST_BYTES);
		if (!p->chunks[p->nr_chunks])
			return false;
		p->nr_chunks++;
	}
	if (array__grow(&p->places, &p->cap_places, i + 1))
		return false;
	p->places[i] = (struct elf_place){ .newer = i, .older = i };
	p->nr_places++;
	if (i)
		link_newest(p, i);
	p->newest = i;
	return true;
}

/* Makes a place for a page the newest one. False: there is no memory. */
static bool take_place(struct elf_pages *p)
{
	struct elf_place *place;

	if (p->nr_places < p->max_places && add_place(p))
		return true;
	/* What was promised to stay is not taken away. */
	if (p->nr_places < ELF_PAGES_CALLS)
		return false;
	touch(p, p->places[p->newest].newer);
	place = &p->places[p->newest];
	if (place->section)
		place->section->places[place->page] = 0;
	place->section = NULL;
	return true;
}

static uint8_t *bytes_of(const struct elf_pages *p, uint32_t place)
{
	const uint32_t in_chunk =
		place < FIRST_PLACES ? place : (place - FIRST_PLACES) % CHUNK_PLACES;

	return p->chunks[chunk_of(place)] + (size_t)in_chunk * PLACE_BYTES;
}

static uint64_t bytes_from(const struct elf_section *s, size_t page)
{
	const uint64_t left = s->len - (uint64_t)page * PAGE_BYTES;

	return left < PLACE_BYTES ? left : PLACE_BYTES;
}

static bool read_page(struct elf_section *s, size_t page)
{
	struct elf_pages *p = s->pages;

	if (!take_place(p) || !elf_bytes__read(&p->from, s->at + (uint64_t)page * PAGE_BYTES,
					       bytes_of(p, p->newest), bytes_from(s, page)))
		return false;
	p->places[p->newest].section = s;
	p->places[p->newest].page = page;
	s->places[page] = p->newest + 1;
	return true;
}

const uint8_t *elf_section__window(void *section, uint64_t at, uint64_t *len)
{
	struct elf_section *s = section;
	const size_t page = at / PAGE_BYTES;

	if (at >= s->len)
		return NULL;
	if (s->unpacked) {
		*len = s->len - at;
		return s->unpacked + at;
	}
	if (s->places[page])
		touch(s->pages, s->places[page] - 1);
	else if (!read_page(s, page))
		return NULL;
	*len = bytes_from(s, page) - at % PAGE_BYTES;
	return bytes_of(s->pages, s->pages->newest) + at % PAGE_BYTES;
}

/* A string that begins with @len bytes at @bytes, and goes on behind them. */
static const char *join_string(struct elf_section *s, const uint8_t *bytes, uint64_t len,
			       uint64_t at, uint64_t max)
{
	struct buf *b = &s->pages->strings[s->pages->nr_strings++ % ELF_PAGES_STRINGS];
	const uint8_t *nul = NULL;

	buf__clear(b);
	for (;;) {
		if (buf__put(b, bytes, len))
			return NULL;
		if (nul)
			return b->data;
		at += len;
		max -= len;
		bytes = max ? elf_section__window(s, at, &len) : NULL;
		if (!bytes)
			return NULL;
		len = len < max ? len : max;
		nul = memchr(bytes, 0, len);
		if (nul)
			len = nul - bytes;
	}
}

const char *elf_section__string(void *section, uint64_t at, uint64_t max)
{
	uint64_t len;
	const uint8_t *bytes = elf_section__window(section, at, &len);

	if (!bytes || !max)
		return NULL;
	len = len < max ? len : max;
	if (memchr(bytes, 0, len))
		return (const char *)bytes;
	return join_string(section, bytes, len, at, max);
}
