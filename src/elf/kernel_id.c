// SPDX-License-Identifier: BSD-2-Clause
/* Reads the notes of the running kernel, which are those of an ELF file without the file. */
#include "elf/kernel_id.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { NOTES_BYTES = 4096 };

static size_t padded(size_t n)
{
	return (n + 3) & ~(size_t)3;
}

static size_t find_id(const char *notes, size_t left, unsigned char *id, size_t max)
{
	Elf64_Nhdr note;
	size_t bytes;

	for (; left >= sizeof(note); notes += bytes, left -= bytes) {
		memcpy(&note, notes, sizeof(note));
		if (note.n_namesz > left || note.n_descsz > left)
			return 0;
		bytes = sizeof(note) + padded(note.n_namesz) + padded(note.n_descsz);
		if (bytes > left)
			return 0;
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
		    memcmp(notes + sizeof(note), ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)))
			continue;
		if (note.n_descsz < max)
			max = note.n_descsz;
		memcpy(id, notes + sizeof(note) + padded(note.n_namesz), max);
		return max;
	}
	return 0;
}

size_t kernel_id__read(const char *path, unsigned char *id, size_t max)
{
	char notes[NOTES_BYTES];
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return 0;
	n = read(fd, notes, sizeof(notes));
	close(fd);
	return n > 0 ? find_id(notes, n, id, max) : 0;
}
