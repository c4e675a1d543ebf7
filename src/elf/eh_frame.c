// SPDX-License-Identifier: BSD-2-Clause
/* Walks .eh_frame or .debug_frame entry by entry through a window; parses its CIEs and FDEs. */
#include "elf/eh_frame.h"

#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "elf/cfi.h"
#include "elf/elf_file.h"

enum {
	WINDOW_BYTES = 128 * 1024, /* read at once; longer entries are passed over */
	CIE_BYTES = 512,	   /* a CIE has some 20 */
	CIES = 64,		   /* remembered: a file has two or three, or three per object */
};

#define SECTION_BYTES_MAX (32u << 20)

struct cie {
	uint64_t at; /* in the section */
	bool valid;
	bool augmented; /* "z": FDEs have augmentation data, behind its length */
	struct cfi_common common;
};

struct reader {
	const struct elf_from *from;
	uint64_t offset, addr, len; /* of the section: in the file, in memory */
	uint8_t *window;
	uint64_t window_at; /* in the section */
	size_t window_len;
	struct cie cies[CIES];
	bool debug;				  /* it is .debug_frame */
	uint64_t return_register, frame_register; /* of the machine */
	bool roots_only;
	bool has_special; /* some CIE is_special() */
	uint64_t hit;	  /* the next possible hit, by the last find_hit(); in the section */
	eh_fde_fn *each;  /* or */
	eh_frame_fn *fn;
	void *arg;
};

/* What the letters of an augmentation say. False: one that is not known. */
static bool take_augmentation(struct cie *cie, struct dwarf_bytes *c, const char *letters)
{
	uint64_t ignored;

	cie->common.encoding = PE_ABSPTR;
	cie->augmented = letters[0] == 'z';
	if (!letters[0])
		return true;
	if (!cie->augmented)
		return false;
	take_leb(c);
	for (letters++; *letters; letters++) {
		switch (*letters) {
		case 'R':
			cie->common.encoding = take_u8(c);
			break;
		case 'L':
			take_u8(c);
			break;
		case 'P':
			if (!take_number(c, take_u8(c), &ignored))
				return false;
			break;
		case 'S':
			cie->common.signal = true;
			break;
		case 'B': /* arm64: signed with the other key */
		case 'G': /* arm64: memory tagging */
			break;
		default:
			return false;
		}
	}
	return !c->over;
}

/* @c: a CIE, from behind its id on. */
static bool parse_cie(const struct reader *r, struct cie *cie, struct dwarf_bytes c)
{
	const uint8_t *letters;
	uint8_t version = take_u8(&c);

	letters = memchr(c.at, '\0', c.end - c.at);
	if ((version != 1 && version != 3 && (version != 4 || !r->debug)) || !letters)
		return false;
	letters = c.at;
	skip_bytes(&c, strlen((const char *)letters) + 1);
	/* The sizes of an address, and of a segment's number. */
	if (version == 4 && (take_u8(&c) != sizeof(uint64_t) || take_u8(&c)))
		return false;
	cie->common.code_factor = take_leb(&c);
	cie->common.data_factor = take_sleb(&c);
	cie->common.return_register = version == 1 ? take_u8(&c) : take_leb(&c);
	if (!take_augmentation(cie, &c, (const char *)letters))
		return false;
	cfi__run_common(&cie->common, c);
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
static bool entry_at(struct reader *r, uint64_t at, struct dwarf_bytes *c, uint64_t *next)
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
	*c = (struct dwarf_bytes){ .addr = r->addr + at };
	if (look(r, at, len, &bytes) == len) {
		c->at = bytes;
		c->end = bytes + len;
	}
	return true;
}

static bool is_cie(const struct reader *r, uint32_t id)
{
	return id == (r->debug ? UINT32_MAX : 0);
}

/* Read beside the window: it may lie far before its FDE. */
static void read_cie(struct reader *r, uint64_t at, struct cie *cie)
{
	uint8_t bytes[CIE_BYTES];
	uint64_t left = r->len - at, want = left < sizeof(bytes) ? left : sizeof(bytes);
	struct dwarf_bytes c = { .at = bytes, .end = bytes + want, .addr = r->addr + at };
	uint32_t len;

	*cie = (struct cie){ .at = at, .common.frame_register = r->frame_register };
	if (!elf_bytes__read(r->from, r->offset + at, bytes, want))
		return;
	len = take_u32(&c);
	if (len > (size_t)(c.end - c.at))
		return;
	c.end = c.at + len;
	if (is_cie(r, take_u32(&c)) && !c.over)
		cie->valid = parse_cie(r, cie, c);
}

static const struct cie *find_cie(struct reader *r, uint64_t at)
{
	struct cie *cie = &r->cies[hash_u64(at) % CIES];

	if (cie->at != at)
		read_cie(r, at, cie);
	return cie->valid ? cie : NULL;
}

/*
 * Where in the window, at or behind @at, are bytes that could be DW_CFA_undefined of the return
 * address. Of a hundred thousand functions nearly all have none, and are not looked at.
 */
static uint64_t find_hit(const struct reader *r, uint64_t at)
{
	typedef uint8_t bytes16 __attribute__((vector_size(16)));
	const uint8_t *p = r->window + (at - r->window_at), *end = r->window + r->window_len;
	const uint8_t op = DW_CFA_undefined, reg = r->return_register;

	for (; end - p > 16; p += 16) {
		bytes16 ops, regs, both;
		uint64_t words[2];

		memcpy(&ops, p, sizeof(ops));
		memcpy(&regs, p + 1, sizeof(regs));
		both = (bytes16)(ops == op) & (bytes16)(regs == reg);
		memcpy(words, &both, sizeof(words));
		if (words[0] | words[1])
			break;
	}
	while (end - p > 1 && (p[0] != op || p[1] != reg))
		p++;
	/* The last byte of a window always counts as a hit: the one behind it is not there. */
	return r->window_at + (p - r->window);
}

/* find_hit() says nothing of its FDEs: the CIE has the rule itself, or another register. */
static bool is_special(const struct reader *r, const struct cie *cie)
{
	return cie->common.first.ra.kind == CFI_UNDEFINED ||
	       cie->common.return_register != r->return_register;
}

/* May the return address of an entry be undefined, as far as its own bytes tell? */
static bool may_undefine(struct reader *r, uint64_t at, uint64_t next)
{
	if (r->hit < at)
		r->hit = find_hit(r, at);
	return r->hit < next;
}

/* The first part of a function whose return address is undefined. */
static int take_row(void *arg, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	struct eh_function *f = arg;

	if (row->ra.kind != CFI_UNDEFINED)
		return f->root_start < f->root_end;
	if (f->root_start == f->root_end)
		f->root_start = start;
	f->root_end = end;
	return 0;
}

static int parse_fde(struct reader *r, const struct cie *cie, struct dwarf_bytes c, bool has_root)
{
	struct eh_function f = {};
	uint64_t len;

	if (!take_address(&c, cie->common.encoding, &f.start) ||
	    !take_number(&c, cie->common.encoding, &len) || !len || len > UINT64_MAX - f.start)
		return 0;
	f.end = f.start + len;
	f.root_start = f.root_end = f.start;
	if (cie->augmented)
		skip_bytes(&c, take_leb(&c));
	if (r->each) {
		const struct eh_fde fde = { f.start, f.end, &cie->common, c };

		return r->each(&fde, r->arg);
	}
	/* What it returns only tells that the root was found before the end. */
	if (has_root && cfi__run(&cie->common, c, f.start, f.end, take_row, &f) < 0)
		return 0;
	if (r->roots_only && f.root_start == f.root_end)
		return 0;
	return r->fn(&f, r->arg);
}

static int read_entry(struct reader *r, uint64_t at, uint64_t next, struct dwarf_bytes c)
{
	uint64_t here = at + sizeof(uint32_t), cie_at;
	uint32_t id = take_u32(&c);
	const struct cie *cie;
	bool has_root;

	if (is_cie(r, id)) {
		cie = find_cie(r, at);
		r->has_special |= cie && is_special(r, cie);
		return 0;
	}
	has_root = may_undefine(r, here, next);
	cie_at = r->debug ? id : here - id;
	if (cie_at >= r->len || c.over || (r->roots_only && !has_root && !r->has_special))
		return 0;
	cie = find_cie(r, cie_at);
	if (!cie)
		return 0;
	has_root |= is_special(r, cie);
	return has_root || !r->roots_only ? parse_fde(r, cie, c, has_root) : 0;
}

static int read_entries(struct reader *r)
{
	uint64_t next = 0;
	struct dwarf_bytes c;
	int err = 0;

	for (uint64_t at = 0; !err && entry_at(r, at, &c, &next); at = next)
		if (c.at)
			err = read_entry(r, at, next, c);
	return err;
}

static bool find_named(struct reader *r, const char *name)
{
	GElf_Shdr shdr;

	if (!elf_file__section_named(r->from->elf, name, &shdr) || shdr.sh_flags & SHF_COMPRESSED ||
	    !elf_bytes__section(&shdr, SECTION_BYTES_MAX))
		return false;
	r->offset = shdr.sh_offset;
	r->addr = shdr.sh_addr;
	r->len = shdr.sh_size;
	return true;
}

/* Go's .debug_frame says nothing of frame pointers, which Go code has. */
static bool find_debug_frame(struct reader *r)
{
	GElf_Shdr shdr;

	r->debug = !elf_file__section_named(r->from->elf, ".gopclntab", &shdr) &&
		   find_named(r, ".debug_frame");
	return r->debug;
}

static bool find_section(struct reader *r, Elf *elf)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    header.e_ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB))
		return false;
	r->return_register = header.e_machine == EM_AARCH64 ? 30 : 16;
	r->frame_register = header.e_machine == EM_AARCH64 ? 29 : 6;
	return find_named(r, ".eh_frame") || (r->each && find_debug_frame(r));
}

static int read_all(struct reader *r)
{
	int err;

	if (!find_section(r, r->from->elf))
		return 0;
	r->window = malloc(WINDOW_BYTES);
	if (!r->window)
		return -ENOMEM;
	for (size_t i = 0; i < CIES; i++)
		r->cies[i].at = UINT64_MAX;
	err = read_entries(r);
	free(r->window);
	return err;
}

uint64_t eh_frame__bytes(const struct elf_from *from)
{
	struct reader r = { .from = from };

	char last;

	if (!find_section(&r, from->elf) || !r.len)
		return 0;
	return elf_bytes__read(from, r.offset + r.len - 1, &last, 1) ? r.len : 0;
}

int eh_frame__read(const struct elf_from *from, bool roots_only, eh_frame_fn *fn, void *arg)
{
	struct reader r = { .from = from, .roots_only = roots_only, .fn = fn, .arg = arg };

	return read_all(&r);
}

int eh_frame__each(const struct elf_from *from, eh_fde_fn *fn, void *arg)
{
	struct reader r = { .from = from, .each = fn, .arg = arg };

	return read_all(&r);
}
