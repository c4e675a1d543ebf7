// SPDX-License-Identifier: BSD-2-Clause
/* Looks for the bytes of rt_sigreturn(2) in a file's code. */
#include "unwind/restorer.h"

#include <stdlib.h>
#include <string.h>

#include "elf/elf_code.h"

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

bool restorer__is_at(const struct elf_from *from, unsigned machine, uint64_t vaddr)
{
	uint8_t code[sizeof(x86_64)];
	size_t nr;
	const uint8_t *bytes = bytes_of(machine, &nr);

	return nr && elf_code__read(from, vaddr, code, nr) && !memcmp(code, bytes, nr);
}

bool restorer__find(const struct elf_from *from, unsigned machine, uint64_t start, uint64_t end,
		    uint64_t *at)
{
	uint64_t offset, len = elf_code__at(from->elf, start, &offset);
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
