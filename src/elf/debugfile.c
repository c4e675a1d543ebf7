// SPDX-License-Identifier: BSD-2-Clause
/* Tries the places of separate debug files, and checks each file by build-id or CRC. */
#include "elf/debugfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/regular.h"
#include "elf/elf_file.h"

#define MAX_CRC_BYTES (2ull << 30)

enum { MAX_LINK_BYTES = 4096, MAX_ID_BYTES = 64 };

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

static int open_below(const char *root, const char *path, const unsigned char *id, size_t len,
		      struct allowance *run)
{
	unsigned char other[MAX_ID_BYTES];
	struct stat st;
	int fd = open_regular(root, path, 0, &st);

	if (fd < 0 || (read_build_id(fd, run, other) == len && !memcmp(other, id, len)))
		return fd;
	close(fd);
	return -ESTALE;
}

/* Is @root our own root? Then the same path need not be tried there a second time. */
static bool is_ours(const char *root)
{
	struct stat st, own;

	return !*root || (!stat(root, &st) && !stat("/", &own) && st.st_dev == own.st_dev &&
			  st.st_ino == own.st_ino);
}

int debugfile__open_by_id(const char *root, const unsigned char *id, size_t len,
			  struct allowance *run)
{
	char path[64 + 2 * MAX_ID_BYTES];
	size_t i, at;
	int fd;

	if (len < 2 || len > MAX_ID_BYTES)
		return -ENOENT;
	at = snprintf(path, sizeof(path), "/usr/lib/debug/.build-id/%02x/", id[0]);
	for (i = 1; i < len; i++)
		at += snprintf(path + at, sizeof(path) - at, "%02x", id[i]);
	snprintf(path + at, sizeof(path) - at, ".debug");
	fd = open_below(root, path, id, len, run);
	return fd < 0 && !is_ours(root) ? open_below("", path, id, len, run) : fd;
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

static int try_link(const char *root, const struct link *link, const char *prefix, const char *dir,
		    size_t dir_len, const char *sub)
{
	char path[PATH_MAX];
	struct stat st;
	int fd, n;

	n = snprintf(path, sizeof(path), "%s%.*s%s%s", prefix, (int)dir_len, dir, sub, link->name);
	if (n < 0 || (size_t)n >= sizeof(path))
		return -ENAMETOOLONG;
	fd = open_regular(root, path, 0, &st);
	if (fd < 0 || is_linked(fd, &st, link))
		return fd;
	close(fd);
	return -ESTALE;
}

/* @dir ends with a slash. */
static int find_link(const char *root, const struct link *link, const char *dir, size_t dir_len)
{
	int fd = try_link(root, link, "", dir, dir_len, "");

	if (fd < 0)
		fd = try_link(root, link, "", dir, dir_len, ".debug/");
	if (fd < 0)
		fd = try_link(root, link, "/usr/lib/debug", dir, dir_len, "");
	return fd;
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

int debugfile__open_by_link(const char *root, const char *path, const struct elf_from *from)
{
	const char *slash = strrchr(path, '/');
	struct link link = { .run = from->run };
	size_t dir_len;
	int fd;

	if (*path != '/' || !read_link(from->elf, &link))
		return -ENOENT;
	link.id_len = elf_file__build_id(from->elf, link.id, sizeof(link.id));
	dir_len = slash + 1 - path;
	fd = find_link(root, &link, path, dir_len);
	return fd < 0 && !is_ours(root) ? find_link("", &link, path, dir_len) : fd;
}
