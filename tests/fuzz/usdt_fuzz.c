// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as an ELF file with probes in it, or as the notes of a sound one. */
#include <elf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lookup/usdt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { CODE_BYTES = 4096, NR_SECTIONS = 4, NR_SEGMENTS = 2 };

static const char names[] = "\0.note.stapsdt\0.stapsdt.base\0.shstrtab";

/* What precedes the notes. Code is at 0x1000, writable data at 0x3000; offsets are from 0 on. */
struct sound {
	Elf64_Ehdr file;
	Elf64_Phdr segments[NR_SEGMENTS];
	Elf64_Shdr sections[NR_SECTIONS];
	char names[sizeof(names)];
};

static struct sound make_sound(size_t len)
{
	struct sound s = {
		.file = {
			.e_ident = { 0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
			.e_type = ET_DYN,
			.e_machine = EM_X86_64,
			.e_version = EV_CURRENT,
			.e_ehsize = sizeof(Elf64_Ehdr),
			.e_phoff = offsetof(struct sound, segments),
			.e_phentsize = sizeof(Elf64_Phdr),
			.e_phnum = NR_SEGMENTS,
			.e_shoff = offsetof(struct sound, sections),
			.e_shentsize = sizeof(Elf64_Shdr),
			.e_shnum = NR_SECTIONS,
			.e_shstrndx = 3,
		},
		.segments = {
			{ .p_type = PT_LOAD, .p_flags = PF_R | PF_X, .p_vaddr = 0x1000,
			  .p_filesz = CODE_BYTES, .p_memsz = CODE_BYTES },
			{ .p_type = PT_LOAD, .p_flags = PF_R | PF_W, .p_vaddr = 0x3000,
			  .p_filesz = CODE_BYTES, .p_memsz = CODE_BYTES },
		},
		.sections = {
			[1] = { .sh_name = 1, .sh_type = SHT_NOTE, .sh_offset = sizeof(s),
				.sh_size = len, .sh_addralign = 4 },
			[2] = { .sh_name = 15, .sh_type = SHT_PROGBITS, .sh_addr = 0x2000,
				.sh_size = 1, .sh_addralign = 1 },
			[3] = { .sh_name = 29, .sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct sound, names),
				.sh_size = sizeof(names), .sh_addralign = 1 },
		},
	};

	memcpy(s.names, names, sizeof(names));
	return s;
}

static void write_all(int fd, const void *bytes, size_t len)
{
	if (len && write(fd, bytes, len) != (ssize_t)len)
		abort();
}

static int look_at(const struct usdt_probe *p, void *arg)
{
	/* A file of garbage may have a segment anywhere; the sound one has not. */
	if (!*p->provider || !*p->name || !p->args)
		abort();
	if (*(int *)arg && (p->offset >= CODE_BYTES || p->semaphore >= CODE_BYTES))
		abort();
	return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	int fd = memfd_create("usdt", MFD_CLOEXEC), is_sound, err;
	struct usdt_probe *probes;
	struct buf why = {};
	struct sound sound;
	char path[64];
	size_t nr;

	if (fd < 0)
		abort();
	is_sound = len && data[0] & 1;
	/* In either case, or no file could begin as ELF files do. */
	if (len) {
		data++;
		len--;
	}
	if (is_sound) {
		sound = make_sound(len);
		write_all(fd, &sound, sizeof(sound));
	}
	write_all(fd, data, len);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	err = usdt__each(NULL, path, look_at, &is_sound, &why);
	if (!err != !why.len || (is_sound && err))
		abort();
	buf__clear(&why);
	err = usdt__find(NULL, path, NULL, "name", &probes, &nr, &why);
	if (!err != !why.len || !err != !!nr || (err && probes))
		abort();
	free(probes);
	buf__free(&why);
	close(fd);
	return 0;
}
