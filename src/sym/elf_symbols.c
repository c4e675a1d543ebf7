// SPDX-License-Identifier: BSD-2-Clause
#include "sym/elf_symbols.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MAX_BYTES (SYMTAB_MAX * sizeof(Elf64_Sym))

/* Where a section lies in memory; end 0: not code. */
struct code {
	uint64_t addr, end;
	bool has_unsized;
};

struct reader {
	struct symtab *t;
	struct code *sections; /* by section number */
	size_t nr_sections;
	struct elf_strings strings;
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
static bool is_marker(const char *name)
{
	return name[0] == '.' || (name[0] == '$' && name[1] && strchr("adtx", name[1]));
}

static struct code *code_of(struct reader *r, const GElf_Sym *sym)
{
	struct code *c;

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

static int add_one(struct reader *r, const GElf_Sym *sym, bool underscore)
{
	unsigned int type = GELF_ST_TYPE(sym->st_info);
	struct code *code;
	const char *name;
	size_t len;

	if (sym->st_shndx == SHN_UNDEF)
		return 0;
	if (type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE)
		return 0;
	code = code_of(r, sym);
	if (!code && (type == STT_NOTYPE || !sym->st_size))
		return 0;
	if (sym->st_name >= r->strings.len || (r->strings.data[sym->st_name] == '_') != underscore)
		return 0;
	name = elf_strings__get(&r->strings, sym->st_name, &len);
	if (!name || (type == STT_NOTYPE && is_marker(name)))
		return 0;
	if (code && !sym->st_size)
		code->has_unsized = true;
	r->nr_added++;
	return symtab__add(r->t, sym->st_value, sym->st_size, name, len, rank_of(sym));
}

/*
 * Of several names of equal rank for one address the first one added stays: "malloc", not
 * "__libc_malloc". So names that begin with an underscore come last.
 */
static int add_all(struct reader *r, Elf_Data *data, size_t nr)
{
	GElf_Sym sym;
	int pass, err;
	size_t i;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < nr; i++) {
			if (!gelf_getsym(data, i, &sym))
				return 0;
			err = add_one(r, &sym, pass);
			if (err)
				return err;
		}
	}
	return 0;
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

int elf_symbols__add(struct symtab *t, Elf *elf, unsigned int type, size_t *nr)
{
	struct reader r = { .t = t };
	Elf_Data *data;
	GElf_Shdr shdr;
	size_t bytes;
	int err;

	*nr = 0;
	data = elf_file__data(elf_file__section_of_type(elf, type, &shdr), MAX_BYTES);
	bytes = gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT);
	if (!data || !bytes)
		return 0;
	r.strings = elf_strings__of(elf, shdr.sh_link);
	err = read_sections(&r, elf);
	if (!err && r.sections)
		err = add_all(&r, data, data->d_size / bytes);
	if (!err && r.sections)
		err = add_fences(&r);
	free(r.sections);
	*nr = r.nr_added;
	return err;
}
