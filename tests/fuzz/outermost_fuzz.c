// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as an ELF file: where its stacks end comes out, or nothing. And as the .eh_frame of a
 * file that is as it should be, for the reader to get further.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/eh_frame.h"
#include "elf/elf_file.h"
#include "elf/outermost.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int check(const struct eh_function *f, void *arg)
{
	(void)arg;
	if (f->start >= f->end || f->root_start < f->start || f->root_end > f->end ||
	    f->root_start > f->root_end)
		abort();
	return 0;
}

static void read_image(char *image, size_t len)
{
	Elf *elf = elf_file__open_memory(image, len);
	const struct elf_from from = { .elf = elf, .fd = -1 };
	struct outermosts o = {};

	if (!elf)
		return;
	if (eh_frame__read(&from, false, check, NULL) || outermosts__read(&o, &from))
		abort();
	for (size_t i = 0; i < o.nr; i++)
		if (outermosts__find(&o, o.ranges[i].start, NULL) == OUTERMOST_NOT)
			abort();
	outermosts__free(&o);
	elf_end(elf);
}

struct file {
	Elf64_Ehdr header;
	Elf64_Shdr sections[3];
	char names[24];
};

/* Headers before the bytes that are its .eh_frame. */
static void read_section(const uint8_t *data, size_t len)
{
	static const char names[] = "\0.shstrtab\0.eh_frame";
	struct file f = {
		.header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT },
			    .e_type = ET_DYN,
			    .e_machine = EM_X86_64,
			    .e_version = EV_CURRENT,
			    .e_shoff = offsetof(struct file, sections),
			    .e_ehsize = sizeof(Elf64_Ehdr),
			    .e_shentsize = sizeof(Elf64_Shdr),
			    .e_shnum = 3,
			    .e_shstrndx = 1 },
		.sections = { {},
			      { .sh_name = 1,
				.sh_type = SHT_STRTAB,
				.sh_offset = offsetof(struct file, names),
				.sh_size = sizeof(names) },
			      { .sh_name = 11,
				.sh_type = SHT_PROGBITS,
				.sh_addr = 0x1000,
				.sh_offset = sizeof(f),
				.sh_size = len } },
	};
	char *image = malloc(sizeof(f) + len);

	if (!image)
		abort();
	memcpy(f.names, names, sizeof(names));
	memcpy(image, &f, sizeof(f));
	memcpy(image + sizeof(f), data, len);
	read_image(image, sizeof(f) + len);
	free(image);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	char *image = malloc(len + 1);

	if (!image)
		abort();
	memcpy(image, data, len);
	read_image(image, len);
	free(image);
	read_section(data, len);
	return 0;
}
