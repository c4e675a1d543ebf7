// SPDX-License-Identifier: BSD-2-Clause
/* Decodes PLT stubs, and names each by the relocation of the GOT slot that it jumps through. */
#include "elf/plt.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "elf/elf_file.h"

#define MAX_CODE_BYTES (64u << 20)

/* Most slots, and most ifuncs, as both get sorted; a big library has 20,000 and a hundred. */
enum { PLACES_MAX = 1 << 20 };

/* An address and the symbol it belongs to. */
struct place {
	uint64_t addr;
	uint32_t sym;
};

struct plt_places {
	struct place *items; /* sorted by address */
	size_t nr, cap;
};

/* The relocations that fill a slot. */
struct types {
	unsigned int jump_slot, glob_dat, irelative;
};

struct plt {
	struct symtab *t;
	const struct elf_from *from;
	struct types types;
	struct plt_places slots;  /* in the GOT */
	struct plt_places ifuncs; /* functions that choose a function when the file is loaded */
	GElf_Shdr syms;		  /* .dynsym; of a static file .symtab */
	uint32_t *names;	  /* of each of its symbols: place in the table of strings */
	size_t nr_names, cap_names;
	struct elf_strings strings;   /* names to copy */
	uint32_t first_kept, nr_kept; /* or ids of names that stay in the file */
	struct buf name;
};

/* Which slot the stub at @code jumps through, and how many bytes it has; false: it is none. */
typedef bool decode_fn(const unsigned char *code, size_t len, uint64_t addr, uint64_t *slot,
		       size_t *bytes);

/* [endbr64] [bnd] jmp *disp32(%rip), padded to 8 or 16 bytes. */
static bool decode_x86_64(const unsigned char *code, size_t len, uint64_t addr, uint64_t *slot,
			  size_t *bytes)
{
	static const unsigned char endbr64[] = { 0xf3, 0x0f, 0x1e, 0xfa };
	size_t at = 0;
	int32_t disp;

	if (addr % 8 || len < 8)
		return false;
	if (len >= 16 && !memcmp(code, endbr64, sizeof(endbr64)))
		at += sizeof(endbr64);
	if (code[at] == 0xf2)
		at++;
	if (len < at + 6 || code[at] != 0xff || code[at + 1] != 0x25)
		return false;
	memcpy(&disp, code + at + 2, sizeof(disp));
	*slot = addr + at + 6 + disp;
	/* Eight bytes unless more is needed, or a lazy stub goes on with its push. */
	*bytes = at + 6 > 8 || (len >= 16 && code[at + 6] == 0x68) ? 16 : 8;
	return true;
}

/* [bti c] adrp x16, page; ldr x17, [x16, #offset]; add x16, x16, #offset; br x17. */
static bool decode_arm64(const unsigned char *code, size_t len, uint64_t addr, uint64_t *slot,
			 size_t *bytes)
{
	uint32_t insn[3] = {};
	size_t at;
	int64_t page;

	if (addr % 4 || len < 16)
		return false;
	memcpy(insn, code, sizeof(insn));
	at = insn[0] == 0xd503245f;
	if ((insn[at] & 0x9f00001f) != 0x90000010 || (insn[at + 1] & 0xffc003ff) != 0xf9400211)
		return false;
	/* 21 signed bits: immhi is 23..5, immlo 30..29. */
	page = (int64_t)((uint64_t)(insn[at] >> 5 & 0x7ffff) << 45) >> 43 | (insn[at] >> 29 & 3);
	*slot = (addr & ~0xfffull) + ((uint64_t)page << 12) + (insn[at + 1] >> 10 & 0xfff) * 8;
	*bytes = 16 + 4 * at;
	return true;
}

static int compare_places(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->sym > y->sym) - (x->sym < y->sym);
}

static int add_place(struct plt_places *p, uint64_t addr, uint32_t sym)
{
	if (p->nr == PLACES_MAX)
		return 0;
	if (array__grow(&p->items, &p->cap, p->nr + 1))
		return -ENOMEM;
	p->items[p->nr++] = (struct place){ .addr = addr, .sym = sym };
	return 0;
}

static void sort_places(struct plt_places *p)
{
	if (p->nr)
		qsort(p->items, p->nr, sizeof(*p->items), compare_places);
}

/* The first one at @addr, or NULL. */
static const struct place *find_place(const struct plt_places *p, uint64_t addr)
{
	size_t lo = 0, hi = p->nr, mid;

	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (p->items[mid].addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < p->nr && p->items[lo].addr == addr ? &p->items[lo] : NULL;
}

static int add_symbol(struct plt *p, const GElf_Sym *sym)
{
	int err = array__grow(&p->names, &p->cap_names, p->nr_names + 1);

	if (err)
		return err;
	p->names[p->nr_names++] = sym->st_name;
	if (GELF_ST_TYPE(sym->st_info) != STT_GNU_IFUNC || sym->st_shndx == SHN_UNDEF)
		return 0;
	return add_place(&p->ifuncs, sym->st_value, p->nr_names - 1);
}

static int read_symbols(struct plt *p)
{
	struct elf_window w;
	GElf_Sym sym;
	int err = 0;

	elf_window__begin(&w, p->from, &p->syms, ELF_T_SYM, SYMTAB_MAX * sizeof(Elf64_Sym));
	while (!err && elf_window__next(&w)) {
		for (size_t i = 0; i < w.nr && !err; i++) {
			sym = elf_window__sym(&w, i);
			err = add_symbol(p, &sym);
		}
	}
	sort_places(&p->ifuncs);
	return err;
}

static int add_relocation(struct plt *p, const GElf_Rela *rela, bool has_symbols)
{
	unsigned int type = ELF64_R_TYPE(rela->r_info);
	const struct place *ifunc;

	if (type == p->types.irelative) {
		/* No symbol, but the address of the function that will choose. */
		ifunc = find_place(&p->ifuncs, rela->r_addend);
		return ifunc ? add_place(&p->slots, rela->r_offset, ifunc->sym) : 0;
	}
	if (!has_symbols || (type != p->types.jump_slot && type != p->types.glob_dat))
		return 0;
	return add_place(&p->slots, rela->r_offset, ELF64_R_SYM(rela->r_info));
}

/* All relocations that refer to .dynsym: .rela.plt for lazy stubs, .rela.dyn for .plt.got. */
static int read_slots(struct plt *p, size_t syms)
{
	size_t left = SYMTAB_MAX;
	struct elf_window w;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;
	GElf_Rela rela;
	int err = 0;

	while (!err && (scn = elf_nextscn(p->from->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA)
			continue;
		elf_window__begin(&w, p->from, &shdr, ELF_T_RELA, left * sizeof(Elf64_Rela));
		while (!err && elf_window__next(&w)) {
			left -= w.nr;
			for (size_t i = 0; i < w.nr && !err; i++) {
				rela = elf_window__rela(&w, i);
				err = add_relocation(p, &rela, shdr.sh_link == syms);
			}
		}
	}
	sort_places(&p->slots);
	return err;
}

/* As find_names() of elf_symbols.c, but with "@plt" behind each name. */
static int find_names(struct plt *p)
{
	GElf_Shdr shdr;
	int err = -ENOENT;

	if (p->from->fd >= 0 && gelf_getshdr(elf_getscn(p->from->elf, p->syms.sh_link), &shdr) &&
	    elf_bytes__section(&shdr, ELF_STRINGS_BYTES_MAX))
		err = symtab__keep_names(p->t, p->from->fd, shdr.sh_offset, shdr.sh_size, "@plt",
					 &p->first_kept);
	if (!err)
		p->nr_kept = shdr.sh_size;
	else if (err != -ENOMEM &&
		 elf_from__data(p->from, elf_getscn(p->from->elf, p->syms.sh_link),
				ELF_STRINGS_BYTES_MAX))
		p->strings = elf_strings__of(p->from->elf, p->syms.sh_link);
	return err == -ENOMEM ? err : 0;
}

static int read_names(struct plt *p)
{
	Elf *elf = p->from->elf;
	Elf_Scn *syms;
	int err;

	syms = elf_file__section_of_type(elf, SHT_DYNSYM, &p->syms);
	if (!syms)
		syms = elf_file__section_of_type(elf, SHT_SYMTAB, &p->syms);
	if (!syms)
		return 0;
	err = read_symbols(p);
	if (!err && p->nr_names)
		err = read_slots(p, elf_ndxscn(syms));
	return err || !p->slots.nr ? err : find_names(p);
}

static int add_stub(struct plt *p, uint64_t addr, size_t bytes, uint64_t slot_addr)
{
	const struct place *slot = find_place(&p->slots, slot_addr);
	const char *name;
	uint32_t at;
	size_t len;
	int err;

	if (!slot || slot->sym >= p->nr_names)
		return 0;
	at = p->names[slot->sym];
	if (p->nr_kept) {
		if (!at || at >= p->nr_kept)
			return 0;
		return symtab__add_kept(p->t, addr, bytes, p->first_kept + at, SYM_LOCAL);
	}
	name = elf_strings__get(&p->strings, at, &len);
	if (!name)
		return 0;
	buf__clear(&p->name);
	err = buf__put(&p->name, name, len);
	if (!err)
		err = buf__puts(&p->name, "@plt");
	if (err)
		return err;
	return symtab__add(p->t, addr, bytes, p->name.data, p->name.len, SYM_LOCAL);
}

static int add_stubs(struct plt *p, Elf_Scn *scn, const GElf_Shdr *shdr, decode_fn *decode)
{
	Elf_Data *data = elf_from__data(p->from, scn, MAX_CODE_BYTES);
	size_t at, bytes;
	uint64_t slot;
	int err;

	if (!data)
		return 0;
	for (at = 0; at < data->d_size; at += bytes) {
		const unsigned char *code = (unsigned char *)data->d_buf + at;
		uint64_t addr = shdr->sh_addr + at;

		bytes = 4;
		if (!decode(code, data->d_size - at, addr, &slot, &bytes))
			continue;
		err = add_stub(p, addr, bytes, slot);
		if (err)
			return err;
	}
	return 0;
}

/* Machines whose stubs are understood; NULL for others. */
static decode_fn *choose_decoder(struct plt *p, Elf *elf)
{
	GElf_Ehdr ehdr;

	if (!gelf_getehdr(elf, &ehdr) || ehdr.e_ident[EI_CLASS] != ELFCLASS64 ||
	    ehdr.e_ident[EI_DATA] != ELFDATA2LSB)
		return NULL;
	switch (ehdr.e_machine) {
	case EM_X86_64:
		p->types =
			(struct types){ R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_IRELATIVE };
		return decode_x86_64;
	case EM_AARCH64:
		p->types = (struct types){ R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT,
					   R_AARCH64_IRELATIVE };
		return decode_arm64;
	default:
		return NULL;
	}
}

int plt__add(struct symtab *t, const struct elf_from *from)
{
	static const char *const names[] = { ".plt", ".plt.sec", ".plt.got" };
	struct plt p = { .t = t, .from = from };
	decode_fn *decode = choose_decoder(&p, from->elf);
	GElf_Shdr shdr;
	Elf_Scn *scn;
	size_t i;
	int err;

	if (!decode)
		return 0;
	err = read_names(&p);
	for (i = 0; !err && p.slots.nr && i < ARRAY_SIZE(names); i++) {
		scn = elf_file__section_named(from->elf, names[i], &shdr);
		if (scn)
			err = add_stubs(&p, scn, &shdr, decode);
	}
	free(p.slots.items);
	free(p.ifuncs.items);
	free(p.names);
	buf__free(&p.name);
	return !err && allowance__has_refused(from->charge) ? -EDQUOT : err;
}
