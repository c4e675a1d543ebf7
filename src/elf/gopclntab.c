// SPDX-License-Identifier: BSD-2-Clause
/* Finds Go's table of functions, and goes through it from one end to the other. */
#include "elf/gopclntab.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "elf/elf_file.h"

#define TABLE_BYTES_MAX (512u << 20)

enum {
	FIXED_BYTES = 8, /* of a header: its magic, two zeros, how code is aligned, pointer_bytes */
	WORDS = 8,	 /* of a pointer's size behind those */
	HEADER_BYTES = FIXED_BYTES + WORDS * sizeof(uint64_t),
	TEXT_WORD = 2,	       /* of the header, from Go 1.18 on: address of the code */
	MODULE_TEXT_WORD = 22, /* the same in runtime.firstmoduledata */
	MOVES_1_18 = 16,
	FLAGS_1_18 = 37,
	FLAGS_1_20 = 41, /* in a function */
};

enum { GO_1_2 = 0xfffffffb, GO_1_16 = 0xfffffffa, GO_1_18 = 0xfffffff0, GO_1_20 = 0xfffffff1 };

static uint32_t u32(const unsigned char *p)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return v;
}

static uint64_t word(const unsigned char *p, unsigned bytes)
{
	uint64_t v;

	if (bytes == sizeof(uint32_t))
		return u32(p);
	memcpy(&v, p, sizeof(v));
	return v;
}

static bool is_header(const unsigned char *p)
{
	const uint32_t magic = u32(p);

	return (magic == GO_1_2 || magic == GO_1_16 || magic == GO_1_18 || magic == GO_1_20) &&
	       !p[4] && !p[5] && (p[6] == 1 || p[6] == 2 || p[6] == 4) &&
	       (p[7] == sizeof(uint32_t) || p[7] == sizeof(uint64_t));
}

/* The same in all versions but for the order of words. */
static bool take_header(struct gopclntab *t, const unsigned char *p)
{
	const uint32_t magic = u32(p);
	uint64_t words[WORDS] = {}, names_end, room;

	if (!is_header(p))
		return false;
	t->is_relative = magic == GO_1_18 || magic == GO_1_20;
	t->code_bytes = p[6];
	t->pointer_bytes = p[7];
	for (size_t i = 0; i < WORDS; i++)
		words[i] = word(p + FIXED_BYTES + i * t->pointer_bytes, t->pointer_bytes);
	t->half_bytes = t->is_relative ? sizeof(uint32_t) : t->pointer_bytes;
	t->text = t->is_relative ? words[TEXT_WORD] : 0;
	if (magic == GO_1_2) {
		t->entries = FIXED_BYTES + t->pointer_bytes;
		t->functions = t->names = 0;
		names_end = t->len;
	} else {
		t->entries = t->functions = words[t->is_relative ? 7 : 6];
		t->names = words[t->is_relative ? 3 : 2];
		names_end = words[t->is_relative ? 4 : 3];
	}
	t->flags_at = magic == GO_1_20 ? FLAGS_1_20 : magic == GO_1_18 ? FLAGS_1_18 : 0;
	if (t->flags_at && words[6] < words[7] && words[7] <= t->len) {
		t->moves = words[6];
		t->moves_len = words[7] - words[6];
	}
	if (t->entries > t->len || t->len - t->entries < t->half_bytes || names_end > t->len ||
	    t->names >= names_end)
		return false;
	t->names_len = names_end - t->names;
	room = (t->len - t->entries - t->half_bytes) / (2 * t->half_bytes);
	t->nr = words[0] < room ? words[0] : room;
	if (t->nr > SYMTAB_MAX)
		t->nr = SYMTAB_MAX;
	return t->nr;
}

static bool is_readable(const GElf_Shdr *shdr)
{
	return !(shdr->sh_flags & SHF_COMPRESSED) && elf_bytes__section(shdr, TABLE_BYTES_MAX);
}

/* The table in a section: at its beginning, or anywhere. @addr: its own. */
static bool find_in(struct gopclntab *t, const struct elf_from *from, const GElf_Shdr *shdr,
		    bool anywhere, uint64_t *addr)
{
	struct elf_part w = { .from = from, .at = shdr->sh_offset, .len = shdr->sh_size };
	const unsigned char *p;
	uint64_t at = 0;

	while ((p = elf_part__look(&w, at, HEADER_BYTES))) {
		t->at = shdr->sh_offset + at;
		t->len = shdr->sh_size - at;
		*addr = shdr->sh_addr + at;
		if (take_header(t, p))
			return true;
		if (!anywhere)
			break;
		at += sizeof(uint64_t);
	}
	return false;
}

static bool find_table(struct gopclntab *t, const struct elf_from *from, uint64_t *addr)
{
	static const char *const names[] = { ".gopclntab", ".data.rel.ro.gopclntab" };
	GElf_Shdr shdr;

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (elf_file__section_named(from->elf, names[i], &shdr))
			return is_readable(&shdr) && find_in(t, from, &shdr, false, addr);
	return elf_file__section_named(from->elf, ".go.buildinfo", &shdr) &&
	       elf_file__section_named(from->elf, ".data.rel.ro", &shdr) && is_readable(&shdr) &&
	       find_in(t, from, &shdr, true, addr);
}

/* What a loader writes at an address, less where the program is loaded; 0: nothing. */
static uint64_t relocated(const struct elf_from *from, uint64_t addr)
{
	uint64_t left = TABLE_BYTES_MAX; /* of all sections together */
	struct elf_window w;
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	while ((scn = elf_nextscn(from->elf, scn))) {
		if (!gelf_getshdr(scn, &shdr) || shdr.sh_type != SHT_RELA || shdr.sh_size > left)
			continue;
		left -= shdr.sh_size;
		elf_window__begin(&w, from, &shdr, ELF_T_RELA, TABLE_BYTES_MAX);
		if (w.entry_bytes != sizeof(GElf_Rela))
			continue;
		while (elf_window__next(&w)) {
			for (size_t i = 0; i < w.nr; i++) {
				GElf_Rela rela = elf_window__rela(&w, i);

				if (rela.r_offset == addr && !GELF_R_SYM(rela.r_info))
					return rela.r_addend;
			}
		}
	}
	return 0;
}

/* From Go 1.26 on it is here alone. */
static uint64_t text_of_module(const struct elf_from *from, unsigned pointer_bytes)
{
	const uint64_t at = MODULE_TEXT_WORD * pointer_bytes;
	unsigned char bytes[sizeof(uint64_t)] = "";
	GElf_Shdr shdr;
	uint64_t text;

	if (!elf_file__section_named(from->elf, ".go.module", &shdr) || !is_readable(&shdr) ||
	    shdr.sh_size < at + pointer_bytes ||
	    !elf_bytes__read(from, shdr.sh_offset + at, bytes, pointer_bytes))
		return 0;
	text = word(bytes, pointer_bytes);
	return text ? text : relocated(from, shdr.sh_addr + at);
}

/*
 * Not always the beginning of .text: code of C may lie there. Linkers that leave words empty which
 * the loader fills tell what it is in a relocation.
 */
static uint64_t find_text(const struct elf_from *from, unsigned pointer_bytes, uint64_t table)
{
	uint64_t text = relocated(from, table + FIXED_BYTES + TEXT_WORD * pointer_bytes);
	GElf_Shdr shdr;

	if (!text)
		text = text_of_module(from, pointer_bytes);
	if (!text && elf_file__section_named(from->elf, ".text", &shdr))
		text = shdr.sh_addr;
	return text;
}

bool gopclntab__find(struct gopclntab *t, const struct elf_from *from)
{
	GElf_Ehdr header;
	uint64_t addr;

	*t = (struct gopclntab){};
	if (!gelf_getehdr(from->elf, &header) ||
	    header.e_ident[EI_DATA] != (BYTE_ORDER == LITTLE_ENDIAN ? ELFDATA2LSB : ELFDATA2MSB) ||
	    !find_table(t, from, &addr))
		return false;
	if (t->is_relative && !t->text)
		t->text = find_text(from, t->pointer_bytes, addr);
	return true;
}

/* Half of the i-th pair: the address, or the place; false: they are not in the file. */
static bool read_half(const struct gopclntab *t, struct elf_part *w, size_t half, uint64_t *value)
{
	const unsigned char *p =
		elf_part__look(w, t->entries + half * t->half_bytes, t->half_bytes);

	if (p)
		*value = word(p, t->half_bytes);
	return p;
}

/* A function begins with its address, and its name. */
static bool read_function(const struct gopclntab *t, struct elf_part *w, uint64_t place,
			  struct go_function *f)
{
	const size_t len = t->flags_at ? t->flags_at + 1 : t->half_bytes + sizeof(f->name);
	const unsigned char *p;

	if (place > t->len - t->functions)
		return false;
	p = elf_part__look(w, t->functions + place, len);
	if (!p)
		return false;
	f->name = u32(p + t->half_bytes);
	f->moves = t->flags_at ? u32(p + MOVES_1_18) : 0;
	f->flags = t->flags_at ? p[t->flags_at] : 0;
	return true;
}

int gopclntab__read(const struct gopclntab *t, const struct elf_from *from, go_function_fn *fn,
		    void *arg)
{
	struct elf_part entries = { .from = from, .at = t->at, .len = t->len };
	struct elf_part functions = { .from = from, .at = t->at, .len = t->len };
	uint64_t addr, next, place, seen = 0;
	struct go_function f;
	int err = 0;

	if (!read_half(t, &entries, 0, &addr))
		return 0;
	for (size_t i = 0; i < t->nr && !err; i++, addr = next) {
		/* Linkers write functions in a row. */
		if (!read_half(t, &entries, 2 * i + 1, &place) || (i && place <= seen) ||
		    !read_half(t, &entries, 2 * i + 2, &next) ||
		    !read_function(t, &functions, place, &f))
			break;
		seen = place;
		f.size = next - addr;
		if (next > addr && !__builtin_add_overflow(t->text, addr, &f.addr) &&
		    f.addr <= UINT64_MAX - f.size && f.name < t->names_len)
			err = fn(&f, arg);
	}
	return err;
}

struct adding {
	struct symtab *t;
	uint32_t first_name;
	size_t nr;
};

static int add_one(const struct go_function *f, void *arg)
{
	struct adding *a = arg;

	a->nr++;
	return symtab__add_kept(a->t, f->addr, f->size, a->first_name + f->name, SYM_GLOBAL);
}

int gopclntab__add(struct symtab *t, const struct elf_from *from, size_t *nr)
{
	struct adding a = { .t = t };
	struct gopclntab table;
	int err;

	*nr = 0;
	if (from->fd < 0 || !gopclntab__find(&table, from))
		return 0;
	symtab__prefer_plain(t);
	symtab__charge(t, from->charge);
	err = symtab__keep_names(t, from->fd, table.at + table.names, table.names_len, "",
				 &a.first_name);
	if (err)
		return err == -ENOMEM ? err : 0;
	err = gopclntab__read(&table, from, add_one, &a);
	*nr = a.nr;
	return !err && allowance__has_refused(from->charge) ? -EDQUOT : err;
}
