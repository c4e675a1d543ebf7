// SPDX-License-Identifier: BSD-2-Clause
/* Decodes the few instructions that make and leave a frame of fixed size, and those of PLTs. */
#include "unwind/undescribed.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "elf/elf_code.h"
#include "elf/elf_file.h"

enum {
	ENTRY_BYTES = 48,
	CODE_BYTES = 64,
	DYNAMIC_MAX = 4096, /* entries of .dynamic looked at */
	MAKES_BYTES = 4,    /* that makes() looks at */
	RET = 0xc3,
	PUSH_RAX = 0x50, /* of a register that is not saved: room for 8 bytes */
	POP_RCX = 0x59,
	POP_RAX = 0x58,
};

static const uint8_t endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };

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

/* Until the return address, @bytes above the stack pointer. */
static struct unwind_rule rule_of(int32_t bytes)
{
	return (struct unwind_rule){
		.cfa = UNWIND_CFA_SP,
		.cfa_off = bytes,
		.ra = UNWIND_SAVED_AT_CFA,
		.ra_off = -8,
		.by_code = 1,
	};
}

static void add_row(struct undescribed *u, uint32_t at, struct unwind_rule rule)
{
	u->rows[u->nr].at = at;
	u->rows[u->nr++].rule = rule;
}

/* The function at @start, of which @len bytes are in @code: it makes a frame, and leaves it. */
static bool read_framed(struct undescribed *u, uint64_t start, const uint8_t *code, size_t len)
{
	uint32_t first = 0, frame_bytes, made;

	if (len < MAKES_BYTES + sizeof(endbr64))
		return false;
	if (!memcmp(code, endbr64, sizeof(endbr64)))
		first = sizeof(endbr64);
	made = makes(code + first, &frame_bytes);
	for (uint32_t i = first + made; made && i < len; i++) {
		if (code[i] != RET || !leaves(code, i, frame_bytes))
			continue;
		*u = (struct undescribed){ .start = start, .end = start + i + 1 };
		add_row(u, 0, rule_of(8));
		add_row(u, first + made, rule_of(8 + (int32_t)frame_bytes));
		add_row(u, i, rule_of(8));
		return true;
	}
	return false;
}

static bool read_main(struct undescribed *u, const struct elf_from *from, uint64_t entry)
{
	uint8_t code[CODE_BYTES];
	uint64_t start;

	_Static_assert(ENTRY_BYTES <= CODE_BYTES, "one buffer");
	return entry && elf_code__read(from, entry, code, ENTRY_BYTES) &&
	       find_start(code, entry, &start) && elf_code__read(from, start, code, sizeof(code)) &&
	       read_framed(u, start, code, sizeof(code));
}

/* Where the file says that it is: tools that move code (BOLT) have left sections empty. */
static bool read_dynamic(struct undescribed *u, const struct elf_from *from, Elf_Data *data,
			 int64_t tag)
{
	uint8_t code[CODE_BYTES];
	uint64_t offset, len;
	GElf_Dyn dyn;

	for (int i = 0; data && i < DYNAMIC_MAX && gelf_getdyn(data, i, &dyn); i++) {
		if (dyn.d_tag == DT_NULL)
			break;
		if (dyn.d_tag != tag)
			continue;
		len = elf_code__at(from->elf, dyn.d_un.d_ptr, &offset);
		if (len > sizeof(code))
			len = sizeof(code);
		return len && elf_bytes__read(from, offset, code, len) &&
		       read_framed(u, dyn.d_un.d_ptr, code, len);
	}
	return false;
}

/* frame_dummy() of GCC's crtbegin.o, the first function that .init_array has: it jumps, at most. */
static bool read_first(struct undescribed *u, const struct elf_from *from)
{
	enum { JMP_FAR = 0xe9, JMP_NEAR = 0xeb };
	uint8_t code[sizeof(endbr64) + 1];
	uint64_t start;
	GElf_Shdr shdr;
	size_t at = 0;

	if (!elf_file__section_named(from->elf, ".init_array", &shdr) ||
	    !elf_bytes__section(&shdr, UINT64_MAX) || shdr.sh_size < sizeof(start) ||
	    !elf_bytes__read(from, shdr.sh_offset, &start, sizeof(start)))
		return false;
	start = le64toh(start);
	if (!start || !elf_code__read(from, start, code, sizeof(code)))
		return false;
	if (!memcmp(code, endbr64, sizeof(endbr64)))
		at = sizeof(endbr64);
	if (code[at] != JMP_FAR && code[at] != JMP_NEAR && code[at] != RET)
		return false;
	*u = (struct undescribed){ .start = start, .end = start + at + 1 };
	add_row(u, 0, rule_of(8));
	return true;
}

/* All of a section is that one function. */
static bool read_section(struct undescribed *u, const struct elf_from *from, const char *name)
{
	uint8_t code[CODE_BYTES];
	GElf_Shdr shdr;

	return elf_file__section_named(from->elf, name, &shdr) && shdr.sh_size <= sizeof(code) &&
	       elf_code__read(from, shdr.sh_addr, code, shdr.sh_size) &&
	       read_framed(u, shdr.sh_addr, code, shdr.sh_size) &&
	       u->end == shdr.sh_addr + shdr.sh_size;
}

static bool is_jump(const uint8_t *code)
{
	return code[0] == 0xff && code[1] == 0x25; /* jmp *N(%rip) */
}

/*
 * Entries of 16 bytes: "jmp *N(%rip); push $N; jmp .plt", behind a first one, "push N(%rip);
 * jmp *N(%rip)", where they lead as long as the function has not been looked up.
 */
static bool read_plt(struct undescribed *first, struct undescribed *others,
		     const struct elf_from *from, const GElf_Shdr *shdr)
{
	enum { ENTRY = 16, PUSHED = 11, PUSH_BYTES = 6 };
	static const uint8_t push[] = { 0xff, 0x35 };
	uint8_t code[2 * ENTRY];
	struct unwind_rule rule = { .cfa = UNWIND_CFA_PLT,
				    .cfa_off = PUSHED,
				    .ra = UNWIND_SAVED_AT_CFA,
				    .ra_off = -8,
				    .by_code = 1 };

	if (shdr->sh_size < sizeof(code) || shdr->sh_addr % ENTRY ||
	    !elf_code__read(from, shdr->sh_addr, code, sizeof(code)) ||
	    memcmp(code, push, sizeof(push)) || !is_jump(code + PUSH_BYTES) ||
	    !is_jump(code + ENTRY) || code[ENTRY + 6] != 0x68)
		return false;
	*first = (struct undescribed){ .start = shdr->sh_addr, .end = shdr->sh_addr + ENTRY };
	add_row(first, 0, rule_of(16));
	add_row(first, PUSH_BYTES, rule_of(24));
	*others = (struct undescribed){ .start = first->end, .end = shdr->sh_addr + shdr->sh_size };
	add_row(others, 0, rule);
	return true;
}

static int each_plt(const struct elf_from *from, undescribed_fn *fn, void *arg)
{
	/* Of these the entries are jumps alone. */
	static const char *const jumps[] = { ".plt.got", ".plt.sec" };
	struct undescribed first, others;
	GElf_Shdr shdr;
	int err = 0;

	if (elf_file__section_named(from->elf, ".plt", &shdr) &&
	    read_plt(&first, &others, from, &shdr)) {
		err = fn(&first, arg);
		if (!err)
			err = fn(&others, arg);
	}
	for (size_t i = 0; !err && i < ARRAY_SIZE(jumps); i++) {
		if (!elf_file__section_named(from->elf, jumps[i], &shdr) ||
		    shdr.sh_size > UINT64_MAX - shdr.sh_addr)
			continue;
		first = (struct undescribed){ .start = shdr.sh_addr,
					      .end = shdr.sh_addr + shdr.sh_size };
		add_row(&first, 0, rule_of(8));
		err = fn(&first, arg);
	}
	return err;
}

static int each_of_x86(const struct elf_from *from, uint64_t entry, undescribed_fn *fn, void *arg)
{
	static const char *const sections[] = { ".init", ".fini" };
	static const int64_t tags[] = { DT_INIT, DT_FINI };
	GElf_Shdr shdr;
	Elf_Data *dynamic =
		elf_from__data(from, elf_file__section_of_type(from->elf, SHT_DYNAMIC, &shdr),
			       DYNAMIC_MAX * sizeof(GElf_Dyn));
	struct undescribed u;
	int err = 0;

	if (read_main(&u, from, entry))
		err = fn(&u, arg);
	for (size_t i = 0; !err && i < ARRAY_SIZE(sections); i++)
		if (read_section(&u, from, sections[i]))
			err = fn(&u, arg);
	for (size_t i = 0; !err && i < ARRAY_SIZE(tags); i++)
		if (read_dynamic(&u, from, dynamic, tags[i]))
			err = fn(&u, arg);
	if (!err && read_first(&u, from))
		err = fn(&u, arg);
	return err ? err : each_plt(from, fn, arg);
}

/*
 * "stp x16, x30, [sp, #-16]!" and seven more instructions; then entries that leave all registers
 * but x16 and x17 as they are.
 */
static int each_of_arm64(const struct elf_from *from, undescribed_fn *fn, void *arg)
{
	enum { HEADER = 32, INSN = 4 };
	static const uint8_t stp[INSN] = { 0xf0, 0x7b, 0xbf, 0xa9 };
	const struct unwind_rule leaf = { .cfa = UNWIND_CFA_SP,
					  .ra = UNWIND_SAVED_SAME,
					  .by_code = 1 };
	struct undescribed u;
	uint8_t code[INSN];
	GElf_Shdr shdr;
	uint32_t at = 0;

	/* With branch target identification a "bti c" comes first. */
	if (!elf_file__section_named(from->elf, ".plt", &shdr) || shdr.sh_size <= HEADER + INSN ||
	    shdr.sh_size > UINT64_MAX - shdr.sh_addr)
		return 0;
	for (; at <= INSN; at += INSN)
		if (elf_code__read(from, shdr.sh_addr + at, code, sizeof(code)) &&
		    !memcmp(code, stp, sizeof(stp)))
			break;
	if (at > INSN)
		return 0;
	u = (struct undescribed){ .start = shdr.sh_addr, .end = shdr.sh_addr + shdr.sh_size };
	add_row(&u, 0, leaf);
	add_row(&u, at + INSN, rule_of(16));
	add_row(&u, HEADER, leaf);
	return fn(&u, arg);
}

int undescribed__each(const struct elf_from *from, unsigned machine, uint64_t entry,
		      undescribed_fn *fn, void *arg)
{
	return machine == EM_X86_64 ? each_of_x86(from, entry, fn, arg)
				    : each_of_arm64(from, fn, arg);
}
