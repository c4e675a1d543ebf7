// SPDX-License-Identifier: BSD-2-Clause
/* .eh_frame, entry by entry. */
#include "sym/eh_frame.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sym/elf_file.h"

enum {
	WINDOW_BYTES = 128 * 1024, /* read at once; longer entries are passed over */
	CIE_BYTES = 512,	   /* a CIE has some 20 */
	CIES = 64,		   /* remembered: a file has two or three, or three an object */
	RULES_MAX = 16,		   /* remembered by DW_CFA_remember_state */
};

#define SECTION_BYTES_MAX (32u << 20)

enum {
	DW_CFA_nop = 0x00,
	DW_CFA_set_loc = 0x01,
	DW_CFA_advance_loc1 = 0x02,
	DW_CFA_advance_loc2 = 0x03,
	DW_CFA_advance_loc4 = 0x04,
	DW_CFA_offset_extended = 0x05,
	DW_CFA_restore_extended = 0x06,
	DW_CFA_undefined = 0x07,
	DW_CFA_same_value = 0x08,
	DW_CFA_register = 0x09,
	DW_CFA_remember_state = 0x0a,
	DW_CFA_restore_state = 0x0b,
	DW_CFA_def_cfa = 0x0c,
	DW_CFA_def_cfa_register = 0x0d,
	DW_CFA_def_cfa_offset = 0x0e,
	DW_CFA_def_cfa_expression = 0x0f,
	DW_CFA_expression = 0x10,
	DW_CFA_offset_extended_sf = 0x11,
	DW_CFA_def_cfa_sf = 0x12,
	DW_CFA_def_cfa_offset_sf = 0x13,
	DW_CFA_val_offset = 0x14,
	DW_CFA_val_offset_sf = 0x15,
	DW_CFA_val_expression = 0x16,
	DW_CFA_window_save = 0x2d, /* arm64: the return address gets signed, or is no more */
	DW_CFA_GNU_args_size = 0x2e,
	DW_CFA_GNU_negative_offset_extended = 0x2f,
	/* The upper two bits; the lower ones are the first operand. */
	DW_CFA_advance_loc = 0x40,
	DW_CFA_offset = 0x80,
	DW_CFA_restore = 0xc0,
};

/* Pointer encodings (DW_EH_PE_*) that linkers write for code. */
enum {
	PE_ABSPTR = 0x00,
	PE_UDATA2 = 0x02,
	PE_UDATA4 = 0x03,
	PE_UDATA8 = 0x04,
	PE_SDATA2 = 0x0a,
	PE_SDATA4 = 0x0b,
	PE_SDATA8 = 0x0c,
	PE_PCREL = 0x10,
};

/* Bytes still to be read. Reading on behind the end gives zeros, and is remembered. */
struct cursor {
	const uint8_t *at, *end;
	uint64_t addr; /* of at */
	bool over;
};

struct cie {
	uint64_t at; /* in the section */
	bool valid;
	uint8_t encoding; /* of an FDE's addresses */
	bool augmented;	  /* FDEs have data of this kind, with its length before it */
	uint64_t code_factor;
	uint64_t return_register;
	bool undefined; /* the return address, before the FDE's instructions */
};

struct reader {
	const struct elf_from *from;
	uint64_t offset, addr, len; /* of the section: in the file, in memory */
	uint8_t *window;
	uint64_t window_at; /* in the section */
	size_t window_len;
	struct cie cies[CIES];
	eh_frame_fn *fn;
	void *arg;
};

static inline void take(struct cursor *c, void *to, size_t len)
{
	memset(to, 0, len);
	if (c->over || len > (size_t)(c->end - c->at)) {
		c->over = true;
		return;
	}
	memcpy(to, c->at, len);
	c->at += len;
	c->addr += len;
}

static uint8_t take_u8(struct cursor *c)
{
	uint8_t v;

	take(c, &v, sizeof(v));
	return v;
}

static uint16_t take_u16(struct cursor *c)
{
	uint16_t v;

	take(c, &v, sizeof(v));
	return v;
}

static uint32_t take_u32(struct cursor *c)
{
	uint32_t v;

	take(c, &v, sizeof(v));
	return v;
}

static uint64_t take_u64(struct cursor *c)
{
	uint64_t v;

	take(c, &v, sizeof(v));
	return v;
}

/* Signed ones are skipped by it, too: what they say is of no interest here. */
static uint64_t take_leb(struct cursor *c)
{
	uint64_t v = 0;
	unsigned shift = 0;
	uint8_t byte;

	do {
		byte = take_u8(c);
		if (shift < 64)
			v |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80);
	return v;
}

static void skip(struct cursor *c, uint64_t len)
{
	if (c->over || len > (size_t)(c->end - c->at)) {
		c->over = true;
		return;
	}
	c->at += len;
	c->addr += len;
}

/* Of @encoding without what it is relative to. False: one that code does not have. */
static bool take_number(struct cursor *c, uint8_t encoding, uint64_t *v)
{
	switch (encoding & 0x0f) {
	case PE_ABSPTR:
	case PE_UDATA8:
	case PE_SDATA8:
		*v = take_u64(c);
		return !c->over;
	case PE_UDATA4:
		*v = take_u32(c);
		return !c->over;
	case PE_SDATA4:
		*v = (int64_t)(int32_t)take_u32(c);
		return !c->over;
	case PE_UDATA2:
		*v = take_u16(c);
		return !c->over;
	case PE_SDATA2:
		*v = (int64_t)(int16_t)take_u16(c);
		return !c->over;
	default:
		return false;
	}
}

static bool take_address(struct cursor *c, uint8_t encoding, uint64_t *v)
{
	uint64_t here = c->addr;

	if (!take_number(c, encoding, v))
		return false;
	switch (encoding & 0xf0) {
	case 0:
		return true;
	case PE_PCREL:
		*v += here;
		return true;
	default:
		return false;
	}
}

/* The instructions of a CIE or an FDE, as far as they are about the return address. */
struct run {
	const struct cie *cie;
	uint64_t loc;
	bool undefined;
	bool saved[RULES_MAX];
	unsigned nr_saved;
	struct eh_function *f; /* NULL: of a CIE */
	bool done;	       /* its root has ended */
};

static void set_rule(struct run *r, uint64_t reg, bool undefined)
{
	if (reg != r->cie->return_register || undefined == r->undefined)
		return;
	r->undefined = undefined;
	if (!r->f || r->done)
		return;
	if (undefined)
		r->f->root_start = r->f->root_end = r->loc;
	else
		r->f->root_end = r->loc;
	r->done = !undefined && r->f->root_end > r->f->root_start;
}

static void restore_state(struct run *r)
{
	if (r->nr_saved)
		set_rule(r, r->cie->return_register, r->saved[--r->nr_saved]);
}

/* Instructions without a packed operand. False: an unknown one, behind which nothing is known. */
static bool run_extended(struct run *r, struct cursor *c, uint8_t op)
{
	uint64_t reg;

	switch (op) {
	case DW_CFA_nop:
	case DW_CFA_window_save:
		return true;
	case DW_CFA_set_loc:
		return take_address(c, r->cie->encoding, &r->loc);
	case DW_CFA_advance_loc1:
		r->loc += take_u8(c) * r->cie->code_factor;
		return true;
	case DW_CFA_advance_loc2:
		r->loc += take_u16(c) * r->cie->code_factor;
		return true;
	case DW_CFA_advance_loc4:
		r->loc += take_u32(c) * r->cie->code_factor;
		return true;
	case DW_CFA_undefined:
		set_rule(r, take_leb(c), true);
		return true;
	case DW_CFA_restore_extended:
		set_rule(r, take_leb(c), r->f && r->cie->undefined);
		return true;
	case DW_CFA_same_value:
		set_rule(r, take_leb(c), false);
		return true;
	case DW_CFA_offset_extended:
	case DW_CFA_register:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case DW_CFA_GNU_negative_offset_extended:
		reg = take_leb(c);
		take_leb(c);
		set_rule(r, reg, false);
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		reg = take_leb(c);
		skip(c, take_leb(c));
		set_rule(r, reg, false);
		return true;
	case DW_CFA_remember_state:
		if (r->nr_saved < RULES_MAX)
			r->saved[r->nr_saved++] = r->undefined;
		return true;
	case DW_CFA_restore_state:
		restore_state(r);
		return true;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
		take_leb(c);
		take_leb(c);
		return true;
	case DW_CFA_def_cfa_register:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
	case DW_CFA_GNU_args_size:
		take_leb(c);
		return true;
	case DW_CFA_def_cfa_expression:
		skip(c, take_leb(c));
		return true;
	default:
		return false;
	}
}

static void run_instructions(struct run *r, struct cursor *c)
{
	while (c->at < c->end && !c->over) {
		uint8_t op = take_u8(c);

		switch (op & 0xc0) {
		case DW_CFA_advance_loc:
			r->loc += (op & 0x3f) * r->cie->code_factor;
			break;
		case DW_CFA_offset:
			take_leb(c);
			set_rule(r, op & 0x3f, false);
			break;
		case DW_CFA_restore:
			set_rule(r, op & 0x3f, r->f && r->cie->undefined);
			break;
		default:
			if (!run_extended(r, c, op))
				return;
		}
	}
}

/* What the letters of an augmentation say. False: one that is not known. */
static bool take_augmentation(struct cie *cie, struct cursor *c, const char *letters)
{
	uint64_t ignored;

	cie->encoding = PE_ABSPTR;
	cie->augmented = letters[0] == 'z';
	if (!letters[0])
		return true;
	if (!cie->augmented)
		return false;
	take_leb(c);
	for (letters++; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->encoding = take_u8(c);
			break;
		case 'L':
			take_u8(c);
			break;
		case 'P':
			if (!take_number(c, take_u8(c), &ignored))
				return false;
			break;
		case 'S': /* a signal's frame */
		case 'B': /* arm64: signed with the other key */
		case 'G': /* arm64: memory tagging */
			break;
		default:
			return false;
		}
	}
	return !c->over;
}

/* @c: behind the id. */
static bool parse_cie(struct cie *cie, struct cursor c)
{
	const uint8_t *letters;
	uint8_t version = take_u8(&c);
	struct run run = { .cie = cie };

	letters = memchr(c.at, '\0', c.end - c.at);
	if ((version != 1 && version != 3) || !letters)
		return false;
	letters = c.at;
	skip(&c, strlen((const char *)letters) + 1);
	cie->code_factor = take_leb(&c);
	take_leb(&c); /* data factor */
	cie->return_register = version == 1 ? take_u8(&c) : take_leb(&c);
	if (!take_augmentation(cie, &c, (const char *)letters))
		return false;
	run_instructions(&run, &c);
	cie->undefined = run.undefined;
	return true;
}

/* Bytes of the section from @at on, up to @len of them; they stay until the next call. */
static size_t look(struct reader *r, uint64_t at, size_t len, const uint8_t **bytes)
{
	if (at >= r->len)
		return 0;
	if (len > r->len - at)
		len = r->len - at;
	if (at < r->window_at || at + len > r->window_at + r->window_len) {
		size_t want = r->len - at < WINDOW_BYTES ? r->len - at : WINDOW_BYTES;

		r->window_len = 0;
		if (len > want || !elf_bytes__read(r->from, r->offset + at, r->window, want))
			return 0;
		r->window_at = at;
		r->window_len = want;
	}
	*bytes = r->window + (at - r->window_at);
	return len;
}

/* An entry without its length; c->at is NULL if it is too long. False: the end. */
static bool entry_at(struct reader *r, uint64_t at, struct cursor *c, uint64_t *next)
{
	const uint8_t *bytes;
	uint32_t len;

	if (look(r, at, sizeof(len), &bytes) < sizeof(len))
		return false;
	memcpy(&len, bytes, sizeof(len));
	/* 0 ends the section; 0xffffffff: 64-bit DWARF, which nobody writes here. */
	if (!len || len == UINT32_MAX)
		return false;
	at += sizeof(len);
	*next = at + len;
	*c = (struct cursor){ .addr = r->addr + at };
	if (look(r, at, len, &bytes) == len) {
		c->at = bytes;
		c->end = bytes + len;
	}
	return true;
}

/* Read beside the window: it may lie far before its FDE. */
static void read_cie(struct reader *r, uint64_t at, struct cie *cie)
{
	uint8_t bytes[CIE_BYTES];
	uint64_t left = r->len - at, want = left < sizeof(bytes) ? left : sizeof(bytes);
	struct cursor c = { .at = bytes, .end = bytes + want, .addr = r->addr + at };
	uint32_t len;

	*cie = (struct cie){ .at = at };
	if (!elf_bytes__read(r->from, r->offset + at, bytes, want))
		return;
	len = take_u32(&c);
	if (len > (size_t)(c.end - c.at))
		return;
	c.end = c.at + len;
	if (!take_u32(&c) && !c.over)
		cie->valid = parse_cie(cie, c);
}

static const struct cie *find_cie(struct reader *r, uint64_t at)
{
	struct cie *cie = &r->cies[hash_u64(at) % CIES];

	if (cie->at != at)
		read_cie(r, at, cie);
	return cie->valid ? cie : NULL;
}

/* Of a hundred thousand functions nearly all have no bytes that look like it. */
static bool may_undefine(const struct cie *cie, const struct cursor *c)
{
	const uint8_t wanted[] = { DW_CFA_undefined, cie->return_register };

	if (cie->return_register > 127)
		return true;
	return !c->over && memmem(c->at, c->end - c->at, wanted, sizeof(wanted));
}

static int parse_fde(struct reader *r, const struct cie *cie, struct cursor c)
{
	struct eh_function f = {};
	struct run run = { .cie = cie, .f = &f, .undefined = cie->undefined };
	uint64_t len;

	if (!take_address(&c, cie->encoding, &f.start) || !take_number(&c, cie->encoding, &len) ||
	    !len || len > UINT64_MAX - f.start)
		return 0;
	f.end = f.start + len;
	if (cie->augmented)
		skip(&c, take_leb(&c));
	run.loc = f.root_start = f.root_end = f.start;
	if (cie->undefined || may_undefine(cie, &c))
		run_instructions(&run, &c);
	if (run.undefined && !run.done)
		f.root_end = f.end;
	if (f.root_start < f.start || f.root_end > f.end || f.root_start > f.root_end)
		f.root_start = f.root_end = f.start;
	return r->fn(&f, r->arg);
}

static int read_entry(struct reader *r, uint64_t at, struct cursor c)
{
	uint64_t here = at + sizeof(uint32_t);
	uint32_t back = take_u32(&c);
	const struct cie *cie;

	if (!back || back > here || c.over)
		return 0; /* a CIE */
	cie = find_cie(r, here - back);
	return cie ? parse_fde(r, cie, c) : 0;
}

static int read_entries(struct reader *r)
{
	uint64_t next = 0;
	struct cursor c;
	int err = 0;

	for (uint64_t at = 0; !err && entry_at(r, at, &c, &next); at = next)
		if (c.at)
			err = read_entry(r, at, c);
	return err;
}

static bool find_section(struct reader *r, Elf *elf)
{
	GElf_Ehdr header;
	GElf_Shdr shdr;

	if (!gelf_getehdr(elf, &header) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB))
		return false;
	if (!elf_file__section_named(elf, ".eh_frame", &shdr) ||
	    !elf_bytes__section(&shdr, SECTION_BYTES_MAX))
		return false;
	r->offset = shdr.sh_offset;
	r->addr = shdr.sh_addr;
	r->len = shdr.sh_size;
	return true;
}

int eh_frame__read(const struct elf_from *from, eh_frame_fn *fn, void *arg)
{
	struct reader r = { .from = from, .fn = fn, .arg = arg };
	int err;

	if (!find_section(&r, from->elf))
		return 0;
	r.window = malloc(WINDOW_BYTES);
	if (!r.window)
		return -ENOMEM;
	for (size_t i = 0; i < CIES; i++)
		r.cies[i].at = UINT64_MAX;
	err = read_entries(&r);
	free(r.window);
	return err;
}
