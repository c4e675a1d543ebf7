// SPDX-License-Identifier: BSD-2-Clause
#include "sym/debugfile.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "base/regular.h"

#define MAX_CRC_BYTES (2ull << 30)

enum { MAX_LINK_BYTES = 4096, MAX_ID_BYTES = 64 };

struct link {
	const char *name;
	uint32_t crc;
};

static bool has_build_id(int fd, const unsigned char *id, size_t len)
{
	unsigned char other[MAX_ID_BYTES];
	Elf *elf = elf_file__open(fd);
	size_t other_len = elf ? elf_file__build_id(elf, other, sizeof(other)) : 0;

	elf_end(elf);
	return other_len == len && !memcmp(other, id, len);
}

static int open_below(const char *root, const char *path, const unsigned char *id, size_t len)
{
	struct stat st;
	int fd = open_regular(root, path, 0, &st);

	if (fd < 0 || has_build_id(fd, id, len))
		return fd;
	close(fd);
	return -ESTALE;
}

int debugfile__open_by_id(const char *root, const unsigned char *id, size_t len)
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
	fd = open_below(root, path, id, len);
	return fd < 0 && *root ? open_below("", path, id, len) : fd;
}

/* The whole file is read, so that a file that only has the right name is not believed. */
static bool has_crc(int fd, uint32_t want)
{
	unsigned char bytes[64 * 1024];
	uint64_t total = 0;
	uLong crc = 0;
	ssize_t n;

	while ((n = pread(fd, bytes, sizeof(bytes), total)) > 0) {
		crc = crc32(crc, bytes, n);
		total += n;
		if (total > MAX_CRC_BYTES)
			return false;
	}
	return !n && crc == want;
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
	if (fd < 0)
		return fd;
	if ((uint64_t)st.st_size <= MAX_CRC_BYTES && has_crc(fd, link->crc))
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

int debugfile__open_by_link(const char *root, const char *path, Elf *elf)
{
	const char *slash = strrchr(path, '/');
	struct link link;
	size_t dir_len;
	int fd;

	if (*path != '/' || !read_link(elf, &link))
		return -ENOENT;
	dir_len = slash + 1 - path;
	fd = find_link(root, &link, path, dir_len);
	return fd < 0 && *root ? find_link("", &link, path, dir_len) : fd;
}
