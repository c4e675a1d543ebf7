// SPDX-License-Identifier: BSD-2-Clause
/* Any bytes as an ELF file, and as code: a guess comes out, or none. */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_file.h"
#include "elf/prologues.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct code c = { .bytes = data, .len = len, .addr = 0x1000, .high = UINT64_MAX };
	struct prologues p;
	char *image = malloc(len + 1);
	Elf *elf;

	if (!image)
		abort();
	memcpy(image, data, len);
	elf = elf_file__open_memory(image, len);
	if (elf && !prologues__count(elf, &p) && (p.kept > p.functions || !p.functions))
		abort();
	elf_end(elf);
	free(image);
	code__calls(EM_X86_64, &c);
	code__keeps_frame_pointer(EM_X86_64, &c);
	code__calls(EM_AARCH64, &c);
	code__keeps_frame_pointer(EM_AARCH64, &c);
	return 0;
}
