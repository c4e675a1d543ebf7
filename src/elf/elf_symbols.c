// SPDX-License-Identifier: BSD-2-Clause
/* Reads one symbol section, and adds the functions in it to a symtab. */
#include "elf/elf_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_file.h"

#define MAX_BYTES (SYMTAB_MAX * sizeof(Elf64_Sym))

/* Where a section lies in memory; end 0: not code. */
struct code_range {
	uint64_t addr, end;
	bool has_unsized;
};

struct reader {
	struct symtab *t;
	struct code_range *sections; /* by section number */
	size_t nr_sections;
	struct elf_strings strings;   /* names to copy */
	uint32_t first_kept, nr_kept; /* or ids of names that stay in the file */
	size_t nr_added;
};

static int read_sections(struct reader *r, Elf *elf)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr shdr;

	if (elf_getshdrnum(elf, &r->nr_sections))
		return 0;
	r->sections = calloc(r->nr_sections + 1, sizeof(*r->sections));
	if (!r->sections)
		return -ENOMEM;
	while ((scn = elf_nextscn(elf, scn))) {
		size_t id = elf_ndxscn(scn);

		if (id >= r->nr_sections || !gelf_getshdr(scn, &shdr) ||
		    !(shdr.sh_flags & SHF_EXECINSTR) || shdr.sh_size > UINT64_MAX - shdr.sh_addr)
			continue;
		r->sections[id].addr = shdr.sh_addr;
		r->sections[id].end = shdr.sh_addr + shdr.sh_size;
	}
	return 0;
}

/* Notes of assemblers and compilers to themselves: "$x" and "$d" on Arm, ".annobin_foo". */
static bool is_marker(const char first[2])
{
	return first[0] == '.' || (first[0] == '$' && first[1] && strchr("adtx", first[1]));
}

static struct code_range *code_of(struct reader *r, const GElf_Sym *sym)
{
	struct code_range *c;

	if (sym->st_shndx >= r->nr_sections)
		return NULL;
	c = &r->sections[sym->st_shndx];
	return sym->st_value >= c->addr && sym->st_value < c->end ? c : NULL;
}

static enum sym_rank rank_of(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_LOCAL:
		return SYM_LOCAL;
	case STB_WEAK:
		return SYM_WEAK;
	default:
		return SYM_GLOBAL;
	}
}

static int add_copied(struct reader *r, const GElf_Sym *sym)
{
	size_t len;
	const char *name = elf_strings__get(&r->strings, sym->st_name, &len);

	if (!name || (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE && is_marker(name)))
		return -ENOENT;
	return symtab__add(r->t, sym->st_value, sym->st_size, name, len, rank_of(sym));
}

static int add_kept(struct reader *r, const GElf_Sym *sym)
{
	uint32_t name = r->first_kept + sym->st_name;
	char first[2];

	if (!sym->st_name || sym->st_name >= r->nr_kept)
		return -ENOENT;
	if (GELF_ST_TYPE(sym->st_info) == STT_NOTYPE) {
		symtab__peek(r->t, name, first);
		if (!first[0] || is_marker(first))
			return -ENOENT;
	}
	return symtab__add_kept(r->t, sym->st_value, sym->st_size, name, rank_of(sym));
}

static int add_one(struct reader *r, const GElf_Sym *sym)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);
	struct code_range *code;
	int err;

	if (sym->st_shndx == SHN_UNDEF)
		return 0;
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return 0;
	code = code_of(r, sym);
	if (!code && (type == STT_NOTYPE || !sym->st_size))
		return 0;
	err = r->nr_kept ? add_kept(r, sym) : add_copied(r, sym);
	if (err)
		return err == -ENOENT ? 0 : err;
	if (code && !sym->st_size)
		code->has_unsized = true;
	r->nr_added++;
	return 0;
}

static int add_all(struct reader *r, const struct elf_from *from, const GElf_Shdr *shdr)
{
	struct elf_window w;
	GElf_Sym sym;
	int err = 0;

	elf_window__begin(&w, from, shdr, ELF_T_SYM, MAX_BYTES);
	while (!err && elf_window__next(&w)) {
		for (size_t i = 0; i < w.nr && !err; i++) {
			sym = elf_window__sym(&w, i);
			err = add_one(r, &sym);
		}
	}
	return err;
}

/* Where the names are: in the file, if there is one that can be kept open, else copied. */
static int find_names(struct reader *r, const struct elf_from *from, size_t section)
{
	GElf_Shdr shdr;
	int err = -ENOENT;

	if (from->fd >= 0 && gelf_getshdr(elf_getscn(from->elf, section), &shdr) &&
	    elf_bytes__section(&shdr, ELF_STRINGS_BYTES_MAX))
		err = symtab__keep_names(r->t, from->fd, shdr.sh_offset, shdr.sh_size, "",
					 &r->first_kept);
	if (!err)
		r->nr_kept = shdr.sh_size;
	else if (err != -ENOMEM &&
		 elf_from__data(from, elf_getscn(from->elf, section), ELF_STRINGS_BYTES_MAX))
		r->strings = elf_strings__of(from->elf, section);
	return err == -ENOMEM ? err : 0;
}

/* A symbol without a size ends where its section does. */
static int add_fences(struct reader *r)
{
	size_t i;
	int err;

	for (i = 0; i < r->nr_sections; i++) {
		if (!r->sections[i].has_unsized)
			continue;
		err = symtab__add(r->t, r->sections[i].end, 0, "", 0, SYM_WEAK);
		if (err)
			return err;
	}
	return 0;
}

int elf_symbols__add(struct symtab *t, const struct elf_from *from, unsigned int type, size_t *nr)
{
	struct reader r = { .t = t };
	GElf_Shdr shdr;
	int err;

	*nr = 0;
	if (!elf_file__section_of_type(from->elf, type, &shdr) ||
	    !elf_bytes__section(&shdr, MAX_BYTES))
		return 0;
	symtab__prefer_plain(t);
	symtab__charge(t, from->charge);
	err = find_names(&r, from, shdr.sh_link);
	if (!err)
		err = read_sections(&r, from->elf);
	if (!err && r.sections)
		err = add_all(&r, from, &shdr);
	if (!err && r.sections)
		err = add_fences(&r);
	if (!err && allowance__has_refused(from->charge))
		err = -EDQUOT;
	free(r.sections);
	*nr = r.nr_added;
	return err;
}
