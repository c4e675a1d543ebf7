// SPDX-License-Identifier: BSD-2-Clause
/* Asks for one place after the other, and checks each file by build-id or CRC. */
#include "elf/debugfile.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "elf/elf_file.h"

#define MAX_CRC_BYTES (2ull << 30)

enum { MAX_LINK_BYTES = 4096, MAX_ID_BYTES = PLACE_ID_BYTES, PLACES_MAX = 16 };

struct link {
	const char *name;
	uint32_t crc;
	unsigned char id[MAX_ID_BYTES];
	size_t id_len; /* 0: the file has no build-id */
	struct allowance *run;
};

/* Length of the build-id of @fd; 0: it has none, is no ELF file, or exceeds the allowance. */
static size_t read_build_id(int fd, struct allowance *run, unsigned char id[MAX_ID_BYTES])
{
	struct elf_from from;
	size_t len = 0;

	if (elf_from__open(&from, fd, run))
		len = elf_file__build_id(from.elf, id, MAX_ID_BYTES);
	elf_from__close(&from);
	return len;
}

/* Other files may answer so, too: those that their owner has a lease on (fcntl(2)). */
static bool is_being_fetched(const struct debug_place *place, int fd)
{
	return fd == -EAGAIN && place->kind == PLACE_BY_SERVER;
}

/*
 * The next file that is there, from place *nr on, which becomes the one behind it. -EAGAIN: it is
 * being fetched; another -errno.
 */
static int open_next(const struct opener *o, const struct debug_place *place, unsigned *nr)
{
	int fd;

	do
		fd = opener__open(o, place, (*nr)++);
	while (fd < 0 && fd != -ENODATA && !is_being_fetched(place, fd) && *nr < PLACES_MAX);
	return fd >= 0 || is_being_fetched(place, fd) ? fd : -ENOENT;
}

int debugfile__open_any(const struct opener *o, const struct debug_place *place)
{
	unsigned nr = 0;

	return open_next(o, place, &nr);
}

/* The first one that has the place's build-id. */
static int open_with_id(const struct opener *o, const struct debug_place *place,
			struct allowance *run)
{
	unsigned char id[MAX_ID_BYTES];
	unsigned nr = 0;
	int fd;

	while ((fd = open_next(o, place, &nr)) >= 0) {
		if (read_build_id(fd, run, id) == place->id_len &&
		    !memcmp(id, place->id, place->id_len))
			break;
		close(fd);
	}
	return fd;
}

static int open_by_id(const struct opener *o, enum debug_place_kind kind, const unsigned char *id,
		      size_t len, struct allowance *run)
{
	const struct debug_place place = { .kind = kind, .id = id, .id_len = len };

	return len && len <= MAX_ID_BYTES ? open_with_id(o, &place, run) : -ENOENT;
}

int debugfile__open_by_id(const struct opener *o, const unsigned char *id, size_t len,
			  struct allowance *run)
{
	return open_by_id(o, PLACE_BY_ID, id, len, run);
}

int debugfile__open_by_server(const struct opener *o, const unsigned char *id, size_t len,
			      struct allowance *run)
{
	return open_by_id(o, PLACE_BY_SERVER, id, len, run);
}

int debugfile__open_alt(const struct opener *o, const char *name, const unsigned char *id,
			size_t len, struct allowance *run)
{
	const struct debug_place place = {
		.kind = PLACE_ALT, .id = id, .id_len = len, .name = name
	};
	int fd = debugfile__open_by_id(o, id, len, run);

	if (fd >= 0 || !len || len > MAX_ID_BYTES)
		return fd;
	fd = open_with_id(o, &place, run);
	return fd < 0 ? debugfile__open_by_server(o, id, len, run) : fd;
}

/* The CRC of the same data with @nr zero bytes behind it. */
static uLong add_zeros(uLong crc, uint64_t nr)
{
	const unsigned char zero = 0;
	uLong zeros = crc32(0, &zero, 1);

	for (uint64_t len = 1; nr; len *= 2, nr /= 2) {
		if (nr & 1)
			crc = crc32_combine(crc, zeros, len);
		zeros = crc32_combine(zeros, zeros, len);
	}
	return crc;
}

static bool add_data(int fd, struct allowance *charge, off_t from, off_t to, uLong *crc)
{
	unsigned char bytes[64 * 1024];
	ssize_t n;

	for (; from < to; from += n) {
		size_t left = to - from, len = left < sizeof(bytes) ? left : sizeof(bytes);

		if (!allowance__spend(charge, len))
			return false;
		n = pread(fd, bytes, len, from);
		if (n <= 0)
			return false;
		*crc = crc32(*crc, bytes, n);
	}
	return true;
}

/*
 * The whole file counts, so that one that only has the right name is not believed. Holes are zeros
 * that need not be read: a file of gigabytes costs its owner nothing, and so should it cost us.
 */
static bool has_crc(int fd, struct allowance *charge, off_t size, uint32_t want)
{
	off_t at = 0, data, hole;
	uLong crc = 0;

	while (at < size && allowance__spend(charge, 0)) {
		data = lseek(fd, at, SEEK_DATA);
		if (data < 0)
			data = errno == ENXIO ? size : at; /* a hole up to the end; not known */
		if (data > size)
			data = size;
		crc = add_zeros(crc, data - at);
		hole = lseek(fd, data, SEEK_HOLE);
		if (hole < 0 || hole > size)
			hole = size;
		if (!add_data(fd, charge, data, hole, &crc))
			return false;
		at = hole;
	}
	return at == size && crc == want;
}

static bool is_linked(int fd, const struct stat *st, const struct link *link)
{
	struct allowance *charge = allowance__is_for(st) ? link->run : NULL;
	unsigned char id[MAX_ID_BYTES];
	size_t len;
	bool has;

	allowance__begin(charge);
	len = read_build_id(fd, link->run, id);
	if (len && link->id_len)
		has = len == link->id_len && !memcmp(id, link->id, len);
	else
		has = (uint64_t)st->st_size <= MAX_CRC_BYTES &&
		      has_crc(fd, charge, st->st_size, link->crc);
	allowance__end(charge);
	return has;
}

/* "NAME\0", padded to four bytes, and the checksum in the file's byte order. */
static bool read_link(Elf *elf, struct link *link)
{
	size_t len, crc_at;
	Elf_Data *data;
	GElf_Shdr shdr;

	data = elf_file__data(elf_file__section_named(elf, ".gnu_debuglink", &shdr),
			      MAX_LINK_BYTES);
	if (!data)
		return false;
	link->name = data->d_buf;
	len = strnlen(link->name, data->d_size);
	crc_at = (len + 4) & ~(size_t)3;
	if (!len || data->d_size < 4 || crc_at > data->d_size - 4 || memchr(link->name, '/', len))
		return false;
	memcpy(&link->crc, link->name + crc_at, sizeof(link->crc));
	return true;
}

int debugfile__open_by_link(const struct opener *o, const struct elf_from *from)
{
	struct link link = { .run = from->run };
	struct debug_place place = { .kind = PLACE_BY_LINK };
	unsigned nr = 0;
	struct stat st;
	int fd;

	if (!read_link(from->elf, &link))
		return -ENOENT;
	place.name = link.name;
	link.id_len = elf_file__build_id(from->elf, link.id, sizeof(link.id));
	while ((fd = open_next(o, &place, &nr)) >= 0) {
		if (!fstat(fd, &st) && is_linked(fd, &st, &link))
			break;
		close(fd);
	}
	return fd;
}
