// SPDX-License-Identifier: BSD-2-Clause
/* Decodes the few instructions of x86_64 that make and leave a frame of fixed size. */
#include "unwind/small_main.h"

#include <endian.h>
#include <string.h>

#include "elf/elf_code.h"

enum {
	ENTRY_BYTES = 48,
	CODE_BYTES = 64,
	RET = 0xc3,
	PUSH_RAX = 0x50, /* of a register that is not saved: room for 8 bytes */
	POP_RCX = 0x59,
	POP_RAX = 0x58,
};

/* The address that is put into %rdi: lea N(%rip),%rdi, or mov $N,%rdi. */
static bool find_start(const uint8_t *code, uint64_t entry, uint64_t *start)
{
	static const uint8_t lea[] = { 0x48, 0x8d, 0x3d }, mov[] = { 0x48, 0xc7, 0xc7 };

	for (size_t i = 0; i + 7 <= ENTRY_BYTES; i++) {
		const bool is_lea = !memcmp(code + i, lea, sizeof(lea));
		uint32_t n;

		if (!is_lea && memcmp(code + i, mov, sizeof(mov)))
			continue;
		memcpy(&n, code + i + 3, sizeof(n));
		*start = (is_lea ? entry + i + 7 : 0) + (int64_t)(int32_t)le32toh(n);
		return true;
	}
	return false;
}

static bool is_adjustment(const uint8_t *code, uint8_t with)
{
	return code[0] == 0x48 && code[1] == 0x83 && code[2] == with && code[3] < 0x80;
}

/* Bytes of the instruction that makes the frame, at @at; 0: another one. */
static uint32_t makes(const uint8_t *code, uint32_t *frame_bytes)
{
	if (code[0] == PUSH_RAX) {
		*frame_bytes = 8;
		return 1;
	}
	if (!is_adjustment(code, 0xec)) /* sub $N,%rsp */
		return 0;
	*frame_bytes = code[3];
	return 4;
}

/* Does what ends at @end, before the return, leave a frame of that size? Its bytes; 0: no. */
static uint32_t leaves(const uint8_t *code, uint32_t end, uint32_t frame_bytes)
{
	if (frame_bytes == 8 && end >= 1 && (code[end - 1] == POP_RCX || code[end - 1] == POP_RAX))
		return 1;
	if (end >= 4 && is_adjustment(code + end - 4, 0xc4) && code[end - 1] == frame_bytes)
		return 4;
	return 0;
}

bool small_main__find(struct small_main *m, const struct elf_from *from, uint64_t entry)
{
	uint8_t code[CODE_BYTES];
	uint32_t made;

	_Static_assert(ENTRY_BYTES <= CODE_BYTES, "one buffer");
	if (!entry || !elf_code__read(from, entry, code, ENTRY_BYTES) ||
	    !find_start(code, entry, &m->start) ||
	    !elf_code__read(from, m->start, code, sizeof(code)))
		return false;
	made = makes(code, &m->frame_bytes);
	for (uint32_t i = made; made && i < CODE_BYTES; i++) {
		if (code[i] != RET || !leaves(code, i, m->frame_bytes))
			continue;
		m->made = m->start + made;
		m->left = m->start + i;
		m->end = m->start + i + 1;
		return true;
	}
	return false;
}
