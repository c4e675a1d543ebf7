// SPDX-License-Identifier: BSD-2-Clause
/* Opens files with libelf, and finds sections, build-ids and strings in them, within bounds. */
#include "elf/elf_file.h"

#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_NAME_BYTES (1u << 20)

enum { MAX_NOTES_BYTES = 1 << 20, MAX_SECTION_NAMES_BYTES = 16 << 20 };

/*
 * libelf allocates 200 bytes per section and believes a count kept in section 0 (the way to
 * have more than 65,279). Executables never need that.
 */
static bool is_plausible(const unsigned char *h, size_t len)
{
	uint64_t shoff;
	uint16_t shnum;

	if (len < sizeof(Elf32_Ehdr) || memcmp(h, ELFMAG, SELFMAG))
		return false;
	if (h[EI_CLASS] == ELFCLASS64) {
		Elf64_Ehdr e;

		if (len < sizeof(e))
			return false;
		memcpy(&e, h, sizeof(e));
		shoff = e.e_shoff;
		shnum = e.e_shnum;
	} else {
		Elf32_Ehdr e;

		memcpy(&e, h, sizeof(e));
		shoff = e.e_shoff;
		shnum = e.e_shnum;
	}
	/* Zero is zero in either byte order. */
	return !shoff || shnum;
}

static Elf *only_elf(Elf *elf)
{
	if (elf && elf_kind(elf) == ELF_K_ELF)
		return elf;
	elf_end(elf);
	return NULL;
}

Elf *elf_file__open(int fd)
{
	unsigned char header[sizeof(Elf64_Ehdr)];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) || !S_ISREG(st.st_mode))
		return NULL;
	n = pread(fd, header, sizeof(header), 0);
	if (n < 0 || !is_plausible(header, n) || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	return only_elf(elf_begin(fd, ELF_C_READ, NULL));
}

Elf *elf_file__open_memory(char *image, size_t len)
{
	if (!is_plausible((unsigned char *)image, len) || elf_version(EV_CURRENT) == EV_NONE)
		return NULL;
	return only_elf(elf_memory(image, len));
}

Elf_Scn *elf_file__section_of_type(Elf *elf, unsigned int type, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL;

	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, shdr) && shdr->sh_type == type)
			return scn;
	return NULL;
}

/* The section with the names of all; false: none, or one too large for elf_strptr() to read. */
static bool find_section_names(Elf *elf, size_t *names, uint64_t *bytes)
{
	GElf_Shdr shdr;

	if (elf_getshdrstrndx(elf, names) || !gelf_getshdr(elf_getscn(elf, *names), &shdr))
		return false;
	*bytes = shdr.sh_size;
	return shdr.sh_size <= MAX_SECTION_NAMES_BYTES;
}

uint64_t elf_file__read_unasked(Elf *elf)
{
	uint64_t bytes = 0, names_bytes = 0;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Phdr phdr;
	size_t i, nr, names;

	if (find_section_names(elf, &names, &names_bytes))
		bytes += names_bytes;
	while ((scn = elf_nextscn(elf, scn))) {
		bytes += sizeof(shdr);
		if (gelf_getshdr(scn, &shdr) && shdr.sh_type == SHT_NOTE &&
		    shdr.sh_size <= MAX_NOTES_BYTES)
			bytes += shdr.sh_size;
	}
	if (elf_getphdrnum(elf, &nr))
		return bytes;
	for (i = 0; i < nr; i++) {
		bytes += sizeof(phdr);
		if (gelf_getphdr(elf, i, &phdr) && phdr.p_type == PT_NOTE &&
		    phdr.p_filesz <= MAX_NOTES_BYTES)
			bytes += phdr.p_filesz;
	}
	return bytes;
}

/* The next one behind @scn, or the first. */
static Elf_Scn *next_named(Elf *elf, Elf_Scn *scn, const char *name, GElf_Shdr *shdr)
{
	uint64_t bytes;
	const char *s;
	size_t names;

	if (!find_section_names(elf, &names, &bytes))
		return NULL;
	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, shdr))
			continue;
		s = elf_strptr(elf, names, shdr->sh_name);
		if (s && !strcmp(s, name))
			return scn;
	}
	return NULL;
}

Elf_Scn *elf_file__section_named(Elf *elf, const char *name, GElf_Shdr *shdr)
{
	return next_named(elf, NULL, name, shdr);
}

Elf_Scn *elf_file__last_section_named(Elf *elf, const char *name, GElf_Shdr *shdr)
{
	Elf_Scn *scn = NULL, *last = NULL;
	GElf_Shdr next;

	while ((scn = next_named(elf, scn, name, &next))) {
		last = scn;
		*shdr = next;
	}
	return last;
}

Elf_Data *elf_file__data(Elf_Scn *scn, size_t max)
{
	GElf_Shdr shdr;
	Elf_Data *data;

	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS || shdr.sh_size > max)
		return NULL;
	data = elf_getdata(scn, NULL);
	return data && data->d_buf && data->d_size ? data : NULL;
}

static size_t find_build_id(Elf_Data *data, unsigned char *id, size_t max)
{
	size_t at = 0, name, desc;
	GElf_Nhdr note;

	while ((at = gelf_getnote(data, at, &note, &name, &desc))) {
		if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != sizeof(ELF_NOTE_GNU) ||
		    memcmp((char *)data->d_buf + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU)))
			continue;
		if (note.n_descsz < max)
			max = note.n_descsz;
		memcpy(id, (char *)data->d_buf + desc, max);
		return max;
	}
	return 0;
}

size_t elf_file__build_id(Elf *elf, unsigned char *id, size_t max)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr shdr;
	GElf_Phdr phdr;
	size_t i, nr, len;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_NOTE)
			continue;
		data = elf_file__data(scn, MAX_NOTES_BYTES);
		len = data ? find_build_id(data, id, max) : 0;
		if (len)
			return len;
	}
	if (elf_getphdrnum(elf, &nr))
		return 0;
	for (i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &phdr) || phdr.p_type != PT_NOTE ||
		    phdr.p_filesz > MAX_NOTES_BYTES)
			continue;
		data = elf_getdata_rawchunk(elf, phdr.p_offset, phdr.p_filesz, ELF_T_NHDR);
		len = data ? find_build_id(data, id, max) : 0;
		if (len)
			return len;
	}
	return 0;
}

struct elf_strings elf_strings__of(Elf *elf, size_t section)
{
	Elf_Data *data = elf_file__data(elf_getscn(elf, section), ELF_STRINGS_BYTES_MAX);

	if (!data)
		return (struct elf_strings){};
	return (struct elf_strings){
		.data = data->d_buf,
		.len = data->d_size,
		.budget = 4 * data->d_size,
	};
}

const char *elf_strings__get(struct elf_strings *s, size_t offset, size_t *len)
{
	size_t max, n;

	if (offset >= s->len)
		return NULL;
	max = s->len - offset < MAX_NAME_BYTES ? s->len - offset : MAX_NAME_BYTES;
	n = strnlen(s->data + offset, max);
	if (!n || n == max || n > s->budget) {
		/* The scan has a price, too. */
		s->budget -= n < s->budget ? n : s->budget;
		return NULL;
	}
	s->budget -= n;
	*len = n;
	return s->data + offset;
}
