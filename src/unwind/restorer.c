// SPDX-License-Identifier: BSD-2-Clause
/* Looks for the bytes of rt_sigreturn(2) in a file's code. */
#include "unwind/restorer.h"

#include <stdlib.h>
#include <string.h>

enum { CODE_BYTES_MAX = 1 << 20 }; /* musl has 600 kB */

/* mov $15, %rax; syscall */
static const uint8_t x86_64[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };
/* mov x8, #139; svc #0 */
static const uint8_t arm64[] = { 0x68, 0x11, 0x80, 0xd2, 0x01, 0, 0, 0xd4 };

static const uint8_t *bytes_of(unsigned machine, size_t *nr)
{
	*nr = machine == EM_X86_64 ? sizeof(x86_64) : machine == EM_AARCH64 ? sizeof(arm64) : 0;
	return machine == EM_X86_64 ? x86_64 : arm64;
}

size_t restorer__bytes(unsigned machine)
{
	size_t nr;

	bytes_of(machine, &nr);
	return nr;
}

/* Where in the file the code at @vaddr is, and how much of it there is. */
static uint64_t code_at(Elf *elf, uint64_t vaddr, uint64_t *offset)
{
	GElf_Phdr p;
	size_t nr;

	if (elf_getphdrnum(elf, &nr))
		return 0;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &p) || p.p_type != PT_LOAD || !(p.p_flags & PF_X) ||
		    vaddr < p.p_vaddr || vaddr - p.p_vaddr >= p.p_filesz)
			continue;
		if (__builtin_add_overflow(p.p_offset, vaddr - p.p_vaddr, offset))
			return 0;
		return p.p_filesz - (vaddr - p.p_vaddr);
	}
	return 0;
}

bool restorer__is_at(const struct elf_from *from, unsigned machine, uint64_t vaddr)
{
	uint8_t code[sizeof(x86_64)];
	uint64_t offset;
	size_t nr;
	const uint8_t *bytes = bytes_of(machine, &nr);

	return nr && code_at(from->elf, vaddr, &offset) >= nr &&
	       elf_bytes__read(from, offset, code, nr) && !memcmp(code, bytes, nr);
}

bool restorer__find(const struct elf_from *from, unsigned machine, uint64_t start, uint64_t end,
		    uint64_t *at)
{
	uint64_t offset, len = code_at(from->elf, start, &offset);
	const uint8_t *bytes, *found = NULL;
	uint8_t *code;
	size_t nr;

	bytes = bytes_of(machine, &nr);
	if (len > end - start)
		len = end - start;
	if (len > CODE_BYTES_MAX)
		len = CODE_BYTES_MAX;
	if (!nr || len < nr)
		return false;
	code = malloc(len);
	if (code && elf_bytes__read(from, offset, code, len))
		found = memmem(code, len, bytes, nr);
	if (found)
		*at = start + (found - code);
	free(code);
	return found;
}
