// SPDX-License-Identifier: BSD-2-Clause
/* Reads pages of sections with pread(2) into memory that was only reserved so far. */
#include "elf/elf_pages.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>

#include "elf/elf_file.h"

enum { PAGE_BYTES = 16 * 1024, IN_BYTES = 64 * 1024 };

/* No program has more; and so many pages can be kept account of. */
#define SECTION_BYTES_MAX (16ull << 30)

/* zlib makes no more than 1032 bytes of one. */
enum { UNPACKED_A_BYTE = 1032 };

int elf_pages__open(struct elf_pages *p, const struct elf_from *from, size_t max_bytes,
		    size_t max_unpacked)
{
	GElf_Ehdr header;
	struct stat st;

	*p = (struct elf_pages){ .from = *from,
				 .max_bytes = max_bytes,
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

static void close_section(struct elf_section *s)
{
	if (s->bytes)
		munmap((void *)s->bytes, s->len);
	free(s->stamps);
	*s = (struct elf_section){};
}

void elf_pages__close(struct elf_pages *p)
{
	for (unsigned i = 0; i < p->nr; i++)
		close_section(p->sections[i]);
	p->nr = 0;
}

static int reserve(struct elf_section *s, uint64_t len)
{
	void *bytes = mmap(NULL, len, PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (bytes == MAP_FAILED)
		return -ENOMEM;
	s->bytes = bytes;
	s->len = len;
	return 0;
}

/* Inflates bytes of the file into the section. False: it is not what its header says. */
static bool unpack(const struct elf_pages *p, uint64_t at, uint64_t end, struct elf_section *s)
{
	unsigned char in[IN_BYTES];
	z_stream z = { .next_out = (unsigned char *)s->bytes, .avail_out = s->len };
	int ret = Z_OK;

	if (inflateInit(&z) != Z_OK)
		return false;
	while (ret == Z_OK && at < end) {
		const size_t len = end - at < sizeof(in) ? end - at : sizeof(in);

		if (!elf_bytes__read(&p->from, at, in, len))
			break;
		z.next_in = in;
		z.avail_in = len;
		at += len;
		ret = inflate(&z, Z_NO_FLUSH);
	}
	inflateEnd(&z);
	return ret == Z_STREAM_END && !z.avail_out;
}

/* @at: of what is packed; @len: unpacked. */
static int open_packed(struct elf_pages *p, struct elf_section *s, uint64_t at, uint64_t end,
		       uint64_t len)
{
	int err;

	if (!len || at >= end || end > p->file_bytes || len / UNPACKED_A_BYTE > end - at ||
	    len > p->max_unpacked - p->unpacked || len > UINT32_MAX ||
	    !allowance__spend(p->from.charge, len))
		return 0;
	err = reserve(s, len);
	if (err)
		return err;
	if (!unpack(p, at, end, s)) {
		close_section(s);
		return 0;
	}
	p->unpacked += len;
	return 0;
}

/* "ZLIB", and the length with its highest byte first. */
static int open_zdebug(struct elf_pages *p, struct elf_section *s, const GElf_Shdr *shdr)
{
	unsigned char head[12];
	uint64_t len = 0;

	if (shdr->sh_size <= sizeof(head) ||
	    !elf_bytes__read(&p->from, shdr->sh_offset, head, sizeof(head)) ||
	    memcmp(head, "ZLIB", 4))
		return 0;
	for (int i = 4; i < 12; i++)
		len = len << 8 | head[i];
	return open_packed(p, s, shdr->sh_offset + sizeof(head), shdr->sh_offset + shdr->sh_size,
			   len);
}

static int open_compressed(struct elf_pages *p, struct elf_section *s, const GElf_Shdr *shdr)
{
	const bool small = gelf_getclass(p->from.elf) == ELFCLASS32;
	const size_t head_bytes = small ? sizeof(Elf32_Chdr) : sizeof(Elf64_Chdr);
	union {
		Elf32_Chdr small;
		Elf64_Chdr large;
	} head;

	if (shdr->sh_size <= head_bytes ||
	    !elf_bytes__read(&p->from, shdr->sh_offset, &head, head_bytes) ||
	    (small ? head.small.ch_type : head.large.ch_type) != ELFCOMPRESS_ZLIB)
		return 0;
	return open_packed(p, s, shdr->sh_offset + head_bytes, shdr->sh_offset + shdr->sh_size,
			   small ? head.small.ch_size : head.large.ch_size);
}

static int open_plain(struct elf_pages *p, struct elf_section *s, const GElf_Shdr *shdr)
{
	int err;

	if (shdr->sh_offset > p->file_bytes || shdr->sh_size > p->file_bytes - shdr->sh_offset)
		return 0;
	err = reserve(s, shdr->sh_size);
	if (err)
		return err;
	s->at = shdr->sh_offset;
	s->nr_stamps = (s->len + PAGE_BYTES - 1) / PAGE_BYTES;
	s->stamps = calloc(s->nr_stamps, sizeof(*s->stamps));
	if (s->stamps)
		return 0;
	close_section(s);
	return -ENOMEM;
}

int elf_pages__section(struct elf_pages *p, const char *name, struct elf_section *s)
{
	bool zdebug = false;
	GElf_Shdr shdr;
	char old[64];
	int err;

	*s = (struct elf_section){};
	if (p->nr == ELF_PAGES_SECTIONS_MAX)
		return -ENOSPC;
	if (!elf_file__section_named(p->from.elf, name, &shdr)) {
		snprintf(old, sizeof(old), ".z%s", name + 1);
		zdebug = elf_file__section_named(p->from.elf, old, &shdr);
		if (!zdebug)
			return 0;
	}
	if (!elf_bytes__section(&shdr, SECTION_BYTES_MAX))
		return 0;
	if (zdebug)
		err = open_zdebug(p, s, &shdr);
	else if (shdr.sh_flags & SHF_COMPRESSED)
		err = open_compressed(p, s, &shdr);
	else
		err = open_plain(p, s, &shdr);
	if (!err && s->bytes) {
		s->pages = p;
		p->sections[p->nr++] = s;
	}
	return err;
}

static uint64_t page_bytes(const struct elf_section *s, size_t page)
{
	const uint64_t at = (uint64_t)page * PAGE_BYTES;

	return s->len - at < PAGE_BYTES ? s->len - at : PAGE_BYTES;
}

static void sweep_section(struct elf_pages *p, struct elf_section *s)
{
	for (size_t i = 0; i < s->nr_stamps; i++) {
		if (!s->stamps[i] || p->now - s->stamps[i] <= ELF_PAGES_CALLS)
			continue;
		s->stamps[i] = 0;
		p->bytes -= page_bytes(s, i);
		madvise((void *)(s->bytes + i * PAGE_BYTES), page_bytes(s, i), MADV_DONTNEED);
	}
}

/* Gives back what was not asked for lately. */
static void sweep(struct elf_pages *p)
{
	if (p->bytes <= p->max_bytes || p->now - p->swept < ELF_PAGES_CALLS)
		return;
	for (unsigned i = 0; i < p->nr; i++)
		sweep_section(p, p->sections[i]);
	p->swept = p->now;
}

/* Pages from @first up to @end, none of which is there. */
static bool read_pages(struct elf_section *s, size_t first, size_t end)
{
	const uint64_t at = (uint64_t)first * PAGE_BYTES;
	const uint64_t len = (uint64_t)(end - 1) * PAGE_BYTES + page_bytes(s, end - 1) - at;

	if (!elf_bytes__read(&s->pages->from, s->at + at, (void *)(s->bytes + at), len))
		return false;
	for (size_t i = first; i < end; i++)
		s->stamps[i] = s->pages->now;
	s->pages->bytes += len;
	return true;
}

bool elf_section__load(void *section, uint64_t at, uint64_t len)
{
	struct elf_section *s = section;
	size_t page = at / PAGE_BYTES, end = (at + len + PAGE_BYTES - 1) / PAGE_BYTES, first;

	if (!s->stamps || !len)
		return true;
	s->pages->now += s->pages->now == UINT32_MAX ? 2 : 1; /* 0 is no time */
	sweep(s->pages);
	while (page < end) {
		for (; page < end && s->stamps[page]; page++)
			s->stamps[page] = s->pages->now;
		for (first = page; page < end && !s->stamps[page];)
			page++;
		if (first < page && !read_pages(s, first, page))
			return false;
	}
	return true;
}
