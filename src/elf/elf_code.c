// SPDX-License-Identifier: BSD-2-Clause
/* Looks into the segments of a file that can be executed. */
#include "elf/elf_code.h"

#include <string.h>

uint64_t elf_code__at(Elf *elf, uint64_t vaddr, uint64_t *offset)
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

bool elf_code__read(const struct elf_from *from, uint64_t vaddr, void *to, size_t len)
{
	uint64_t offset;

	return elf_code__at(from->elf, vaddr, &offset) >= len &&
	       elf_bytes__read(from, offset, to, len);
}

bool elf_code__ends_context(const struct elf_from *from, unsigned machine, uint64_t start,
			    uint64_t end)
{
	enum { BYTES_MIN = 8, BYTES_MAX = 128 };
	static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	static const uint8_t takes_stack[] = { 0x48, 0x89, 0xdc }; /* mov %rbx,%rsp */
	uint8_t code[BYTES_MIN];

	if (machine != EM_X86_64 || end - start < BYTES_MIN || end - start > BYTES_MAX ||
	    !elf_code__read(from, start, code, sizeof(code)))
		return false;
	if (!memcmp(code, endbr64, sizeof(endbr64)))
		return !memcmp(code + sizeof(endbr64), takes_stack, sizeof(takes_stack));
	return !memcmp(code, takes_stack, sizeof(takes_stack));
}
