// SPDX-License-Identifier: BSD-2-Clause
/* Looks at the first bytes of a function, and at its name. */
#include "elf/entry.h"

#include <string.h>
#include <unistd.h>

static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

/* Of rax .. rdi, or with REX.B in front of r8 .. r15. */
static bool is_push(const unsigned char *code, size_t len)
{
	if (len && code[0] == 0x41) {
		code++;
		len--;
	}
	return len && code[0] >= 0x50 && code[0] <= 0x57;
}

unsigned int entry__skip(const struct elf_image *img, uint64_t offset, uint64_t size)
{
	unsigned char code[sizeof(endbr64) + 2];
	size_t len = size < sizeof(code) ? size : sizeof(code);
	GElf_Ehdr header;

	if (!gelf_getehdr(img->elf, &header) || header.e_machine != EM_X86_64)
		return 0;
	if (len <= sizeof(endbr64) || pread(img->fd, code, len, offset) != (ssize_t)len)
		return 0;
	if (memcmp(code, endbr64, sizeof(endbr64)))
		return 0;
	return is_push(code + sizeof(endbr64), len - sizeof(endbr64)) ? sizeof(endbr64) : 0;
}

bool entry__is_cold(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return cold && (!cold[5] || cold[5] == '.');
}
