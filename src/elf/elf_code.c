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

/* The last place in @code that has these bytes, and ends before its end; NULL: none. */
static const uint8_t *find_last(const uint8_t *code, size_t len, const uint8_t *bytes, size_t nr)
{
	for (size_t i = len - nr; i; i--)
		if (!memcmp(code + i - 1, bytes, nr))
			return code + i - 1;
	return NULL;
}

bool elf_code__behind_clone(const struct elf_from *from, unsigned machine, uint64_t end,
			    uint64_t *start)
{
	enum { BETWEEN_MAX = 80, BYTES_MAX = 8 };
	/* What is called, and the test of what it returns. */
	static const struct {
		unsigned machine, call_bytes, bytes;
		uint8_t code[BYTES_MAX];
	} known[] = {
		/* syscall; test %rax,%rax */
		{ EM_X86_64, 2, 5, { 0x0f, 0x05, 0x48, 0x85, 0xc0 } },
		/* svc #0; cmp x0, #0 */
		{ EM_AARCH64, 4, 8, { 0x01, 0, 0, 0xd4, 0x1f, 0, 0, 0xf1 } },
	};
	uint8_t code[BETWEEN_MAX];
	const uint8_t *call;

	if (end < sizeof(code) || !elf_code__read(from, end - sizeof(code), code, sizeof(code)))
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		if (known[i].machine != machine)
			continue;
		call = find_last(code, sizeof(code), known[i].code, known[i].bytes);
		if (call)
			*start = end - sizeof(code) + (call - code) + known[i].call_bytes;
		return call;
	}
	return false;
}
