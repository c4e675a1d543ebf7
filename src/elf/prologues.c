// SPDX-License-Identifier: BSD-2-Clause
/* Picks functions by .eh_frame_hdr, and looks for calls and frame pointers in their code. */
#include "elf/prologues.h"

#include <endian.h>
#include <errno.h>
#include <gelf.h>
#include <string.h>

enum {
	SAMPLE = 1024,	    /* FDEs looked at */
	BODY_BYTES = 2048,  /* of one function */
	WINDOW_BYTES = 160, /* a prologue may stand behind an early return */
	FDE_BYTES = 32,
	MAX_PHDRS = 128,
	MAX_TABLE_BYTES = 64 << 20,
};

/* DWARF pointer encodings of the one form that linkers write. */
enum { PCREL_SDATA4 = 0x1b, DATAREL_SDATA4 = 0x3b, UDATA4 = 0x03 };

struct file {
	Elf *elf;
	unsigned machine;
	uint64_t table; /* address of .eh_frame_hdr */
	const uint8_t *entries;
	size_t nr;
	uint64_t low, high;
};

static uint32_t u32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return le32toh(v);
}

static bool x86_calls(const struct code *c)
{
	for (size_t i = 0; i + 5 <= c->len; i++) {
		if (c->bytes[i] == 0xe8) {
			uint64_t to = c->addr + i + 5 + (int32_t)u32(c->bytes + i + 1);

			if (to >= c->low && to < c->high)
				return true;
		}
		if (c->bytes[i] == 0xff && c->bytes[i + 1] == 0x15) /* call *offset(%rip) */
			return true;
	}
	return false;
}

/* Room made on the stack first: then %rbp points to a buffer there, not to a frame. */
static bool x86_makes_room(const uint8_t *p)
{
	return p[0] == 0x48 && (p[1] == 0x83 || p[1] == 0x81) && p[2] == 0xec;
}

/* push %rbp .. mov %rsp,%rbp; compilers schedule other instructions in between. */
static bool x86_keeps(const struct code *c)
{
	enum { BETWEEN = 40 };
	size_t end = c->len < WINDOW_BYTES ? c->len : WINDOW_BYTES;

	for (size_t i = 0; i + 4 <= end; i++) {
		if (c->bytes[i] != 0x55 || (i && c->bytes[i - 1] == 0x41))
			continue;
		for (size_t j = i + 1; j + 3 <= end && j <= i + 1 + BETWEEN; j++) {
			const uint8_t *p = c->bytes + j;

			if (!memcmp(p, "\x48\x89\xe5", 3) || !memcmp(p, "\x48\x8b\xec", 3))
				return true;
			if (x86_makes_room(p))
				break;
		}
	}
	return false;
}

static bool arm64_calls(const struct code *c)
{
	for (size_t i = 0; i + 4 <= c->len; i += 4) {
		uint32_t insn = u32(c->bytes + i);

		if ((insn & 0xfc000000) == 0x94000000 || /* bl */
		    (insn & 0xfffffc1f) == 0xd63f0000)	 /* blr */
			return true;
	}
	return false;
}

/* stp x29, x30, [sp, ..] and then x29 = sp + .. */
static bool arm64_keeps(const struct code *c)
{
	size_t end = c->len < WINDOW_BYTES ? c->len : WINDOW_BYTES;
	bool stored = false;

	for (size_t i = 0; i + 4 <= end; i += 4) {
		uint32_t insn = u32(c->bytes + i);

		if ((insn & 0xffc07fff) == 0xa9807bfd || (insn & 0xffc07fff) == 0xa9007bfd)
			stored = true;
		else if (stored && (insn & 0xffc003ff) == 0x910003fd)
			return true;
	}
	return false;
}

bool code__calls(unsigned machine, const struct code *c)
{
	return machine == EM_AARCH64 ? arm64_calls(c) : x86_calls(c);
}

bool code__keeps_frame_pointer(unsigned machine, const struct code *c)
{
	return machine == EM_AARCH64 ? arm64_keeps(c) : x86_keeps(c);
}

/* @len bytes of memory as the file would be loaded, or NULL. */
static const uint8_t *at(const struct file *f, uint64_t addr, size_t len)
{
	GElf_Phdr ph;
	size_t nr = 0;

	if (elf_getphdrnum(f->elf, &nr))
		return NULL;
	for (size_t i = 0; i < nr && i < MAX_PHDRS; i++) {
		Elf_Data *data;

		if (!gelf_getphdr(f->elf, i, &ph) || ph.p_type != PT_LOAD || addr < ph.p_vaddr ||
		    addr - ph.p_vaddr >= ph.p_filesz || ph.p_filesz - (addr - ph.p_vaddr) < len ||
		    ph.p_offset > INT64_MAX - ph.p_filesz)
			continue;
		data = elf_getdata_rawchunk(f->elf, ph.p_offset + (addr - ph.p_vaddr), len,
					    ELF_T_BYTE);
		return data ? data->d_buf : NULL;
	}
	return NULL;
}

/* The table's header: version, three encodings, address of .eh_frame, number of entries. */
static int read_table(struct file *f, const GElf_Phdr *ph)
{
	const uint8_t *head = at(f, ph->p_vaddr, 12);

	if (!head || head[0] != 1 || head[1] != PCREL_SDATA4 || head[2] != UDATA4 ||
	    head[3] != DATAREL_SDATA4 || ph->p_filesz > MAX_TABLE_BYTES || ph->p_filesz < 12)
		return -ENODATA;
	f->table = ph->p_vaddr;
	f->nr = u32(head + 8);
	if (f->nr > (ph->p_filesz - 12) / 8)
		return -ENODATA;
	f->entries = f->nr ? at(f, ph->p_vaddr + 12, f->nr * 8) : NULL;
	return f->entries ? 0 : -ENODATA;
}

static int open_file(struct file *f, Elf *elf)
{
	GElf_Phdr ph, table = {};
	GElf_Ehdr eh;
	size_t nr = 0;

	*f = (struct file){ .elf = elf, .low = UINT64_MAX };
	if (!gelf_getehdr(elf, &eh) || (eh.e_machine != EM_X86_64 && eh.e_machine != EM_AARCH64) ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_ident[EI_DATA] != ELFDATA2LSB)
		return -ENOEXEC;
	f->machine = eh.e_machine;
	if (elf_getphdrnum(elf, &nr))
		return -ENODATA;
	for (size_t i = 0; i < nr && i < MAX_PHDRS; i++) {
		if (!gelf_getphdr(elf, i, &ph))
			continue;
		if (ph.p_type == PT_GNU_EH_FRAME)
			table = ph;
		if (ph.p_type != PT_LOAD || !(ph.p_flags & PF_X))
			continue;
		f->low = ph.p_vaddr < f->low ? ph.p_vaddr : f->low;
		if (ph.p_vaddr + ph.p_memsz > f->high)
			f->high = ph.p_vaddr + ph.p_memsz;
	}
	return table.p_type == PT_GNU_EH_FRAME ? read_table(f, &table) : -ENODATA;
}

/*
 * The length of the function that an FDE is about, or 0: none of those that can be judged. A
 * function that calls others moves the stack pointer first, so its unwind rules start with
 * "further on" (DW_CFA_advance_loc); those of a cold half start with where it came from.
 */
static uint32_t fde_length(const struct file *f, uint64_t fde, uint64_t start)
{
	const uint8_t *p = at(f, fde, FDE_BYTES);
	size_t rules;

	/* The start says in which encoding it is: in the one that compilers use, it fits. */
	if (!p || u32(p) < 13 || fde + 8 + (int32_t)u32(p + 8) != start)
		return 0;
	rules = 17 + p[16]; /* behind the augmentation data */
	if (p[16] >= 8 || rules >= 4 + (uint64_t)u32(p))
		return 0;
	if (p[rules] >> 6 != 1 && (p[rules] < 2 || p[rules] > 4))
		return 0;
	return u32(p + 12);
}

static void look_at(const struct file *f, size_t entry, struct prologues *out)
{
	const uint8_t *e = f->entries + entry * 8;
	uint64_t start = f->table + (int32_t)u32(e);
	uint32_t len = fde_length(f, f->table + (int32_t)u32(e + 4), start);
	struct code c = { .addr = start, .low = f->low, .high = f->high };

	c.len = len < BODY_BYTES ? len : BODY_BYTES;
	c.bytes = c.len ? at(f, start, c.len) : NULL;
	if (!c.bytes || !code__calls(f->machine, &c))
		return;
	out->functions++;
	out->kept += code__keeps_frame_pointer(f->machine, &c);
}

int prologues__count(Elf *elf, struct prologues *out)
{
	struct file f;
	size_t nr;
	int err = open_file(&f, elf);

	*out = (struct prologues){};
	if (err)
		return err;
	nr = f.nr < SAMPLE ? f.nr : SAMPLE;
	/* A step that shares no factor with nr: each comes once, and the first few are spread. */
	for (uint64_t i = 0; i < nr && out->functions < PROLOGUES_MAX; i++)
		look_at(&f, i * 7919 % nr * f.nr / nr, out);
	return out->functions < PROLOGUES_MIN ? -ENODATA : 0;
}
