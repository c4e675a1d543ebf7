// SPDX-License-Identifier: BSD-2-Clause
/* Reads symbol sections, sorts symbols into kinds, and finds their versions. */
#include "elf/elf_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "elf/elf_sources.h"
#include "elf/gopclntab.h"

#define MAX_BYTES (SYMTAB_MAX * sizeof(Elf64_Sym))

enum {
	VERSION_HIDDEN = 0x8000, /* a bit of .gnu.version: outdated */
	VERSION_MAX = 0x7fff,
	VERSION_NAME_MAX = 255,
	VERSIONS_BYTES_MAX = 1 << 20,
};

struct reader {
	struct elf_names *n;
	const struct elf_image *img;
	Elf *elf;
	struct elf_strings strings;
	Elf_Data *versym;   /* NULL: only "foo@V" in a name is a version */
	uint32_t *versions; /* by index in versym: id in n->strings */
	size_t nr_functions;
};

static int add_version(struct reader *r, struct elf_strings *strings, Elf_Data *data, size_t at,
		       const GElf_Verdef *def)
{
	GElf_Verdaux aux;
	const char *name;
	size_t len;

	if (def->vd_flags & VER_FLG_BASE || def->vd_ndx > VERSION_MAX ||
	    def->vd_aux > data->d_size - at ||
	    !gelf_getverdaux(data, (int)(at + def->vd_aux), &aux))
		return 0;
	name = elf_strings__get(strings, aux.vda_name, &len);
	if (!name || len > VERSION_NAME_MAX)
		return 0;
	return strtab__add(r->n->strings, name, len, &r->versions[def->vd_ndx]);
}

/* Only the file's own .dynsym has these sections; in .symtab the version is part of the name. */
static int read_versions(struct reader *r)
{
	struct elf_strings strings;
	GElf_Shdr shdr;
	GElf_Verdef def;
	Elf_Data *data;
	size_t at = 0, i;
	int err;

	r->versym = elf_file__data(elf_file__section_of_type(r->elf, SHT_GNU_versym, &shdr),
				   SYMTAB_MAX * sizeof(GElf_Versym));
	data = elf_file__data(elf_file__section_of_type(r->elf, SHT_GNU_verdef, &shdr),
			      VERSIONS_BYTES_MAX);
	r->versions = calloc(VERSION_MAX + 1, sizeof(*r->versions));
	if (!r->versions)
		return -ENOMEM;
	if (!data)
		return 0;
	strings = elf_strings__of(r->elf, shdr.sh_link);
	for (i = 0; i < VERSION_MAX && gelf_getverdef(data, (int)at, &def); i++) {
		err = add_version(r, &strings, data, at, &def);
		if (err)
			return err;
		if (!def.vd_next || def.vd_next >= data->d_size - at)
			break;
		at += def.vd_next;
	}
	return 0;
}

static bool in_code_section(Elf *elf, size_t section)
{
	GElf_Shdr shdr;

	return section < SHN_LORESERVE && gelf_getshdr(elf_getscn(elf, section), &shdr) &&
	       shdr.sh_flags & SHF_EXECINSTR;
}

/* Notes of assemblers and compilers to themselves: "$x" and "$d" on Arm, ".annobin_foo". */
static bool is_marker(const char *name)
{
	return name[0] == '.' || (name[0] == '$' && name[1] && strchr("adtx", name[1]));
}

/* False for what nobody asks for by name. */
static bool classify(const struct reader *r, const GElf_Sym *sym, const char *name,
		     struct elf_name *out)
{
	bool is_code = elf_image__offset(r->img, sym->st_value, ELF_CODE, &out->offset);

	out->kind = ELF_NAME_DATA;
	switch (GELF_ST_TYPE(sym->st_info)) {
	case STT_FUNC:
		out->kind = ELF_NAME_FUNCTION;
		break;
	case STT_GNU_IFUNC:
		out->kind = ELF_NAME_IFUNC;
		break;
	case STT_NOTYPE:
		if (is_marker(name))
			return false;
		if (is_code && in_code_section(r->elf, sym->st_shndx))
			out->kind = ELF_NAME_FUNCTION;
		break;
	case STT_OBJECT:
	case STT_COMMON:
	case STT_TLS:
		break;
	default:
		return false;
	}
	if (sym->st_shndx == SHN_UNDEF)
		out->kind = ELF_NAME_IMPORT;
	return out->kind != ELF_NAME_FUNCTION || is_code;
}

static void rank(const GElf_Sym *sym, struct elf_name *out)
{
	unsigned int bind = GELF_ST_BIND(sym->st_info);

	out->rank = bind == STB_LOCAL ? SYM_LOCAL : bind == STB_WEAK ? SYM_WEAK : SYM_GLOBAL;
}

/* Splits "foo@V" or "foo@@V"; the version of "foo" is what .gnu.version says of the i-th symbol. */
static int name_it(struct reader *r, size_t i, const char *name, size_t len, struct elf_name *out)
{
	const char *at = len > 1 ? memchr(name + 1, '@', len - 1) : NULL;
	const char *version, *end = name + len;
	GElf_Versym v;

	if (!at) {
		if (r->versym && gelf_getversym(r->versym, (int)i, &v)) {
			out->version = r->versions[v & VERSION_MAX];
			out->outdated = v & VERSION_HIDDEN && out->version;
		}
		return strtab__add(r->n->strings, name, len, &out->name);
	}
	version = at + 1;
	out->outdated = version == end || *version != '@';
	version += !out->outdated;
	if (end - version <= VERSION_NAME_MAX &&
	    strtab__add(r->n->strings, version, end - version, &out->version))
		return -ENOMEM;
	return strtab__add(r->n->strings, name, at - name, &out->name);
}

static int add_symbol(struct reader *r, size_t i, const GElf_Sym *sym)
{
	struct elf_name item = { .size = sym->st_size };
	struct elf_names *n = r->n;
	const char *name;
	size_t len;
	int err;

	name = elf_strings__get(&r->strings, sym->st_name, &len);
	if (!name || !classify(r, sym, name, &item))
		return 0;
	rank(sym, &item);
	err = name_it(r, i, name, len, &item);
	if (!err)
		err = array__grow(&n->items, &n->cap, n->nr + 1);
	if (err)
		return err;
	n->items[n->nr++] = item;
	r->nr_functions += item.kind == ELF_NAME_FUNCTION;
	return 0;
}

static int read_section(const struct elf_from *from, unsigned int type, struct reader *r)
{
	Elf *elf = from->elf;
	GElf_Shdr shdr;
	Elf_Data *data;
	GElf_Sym sym;
	int err = 0;
	size_t i;

	r->elf = elf;
	r->nr_functions = 0;
	data = elf_file__data(elf_file__section_of_type(elf, type, &shdr), MAX_BYTES);
	if (!data)
		return 0;
	r->strings = elf_strings__of(elf, shdr.sh_link);
	if (type == SHT_DYNSYM)
		err = read_versions(r);
	for (i = 0; !err && r->n->nr < SYMTAB_MAX && gelf_getsym(data, (int)i, &sym); i++)
		err = add_symbol(r, i, &sym);
	return err;
}

static int add_go(const struct go_function *f, void *arg)
{
	struct elf_name item = { .size = f->size, .kind = ELF_NAME_FUNCTION, .rank = SYM_GLOBAL };
	struct reader *r = arg;
	struct elf_names *n = r->n;
	const char *name;
	size_t len;
	int err;

	name = elf_strings__get(&r->strings, f->name, &len);
	if (!name || !elf_image__offset(r->img, f->addr, ELF_CODE, &item.offset))
		return 0;
	err = strtab__add(n->strings, name, len, &item.name);
	if (!err)
		err = array__grow(&n->items, &n->cap, n->nr + 1);
	if (err)
		return err;
	n->items[n->nr++] = item;
	r->nr_functions++;
	return 0;
}

static int read_go(const struct elf_from *from, struct reader *r)
{
	struct gopclntab t;
	char *names;
	int err = 0;

	r->nr_functions = 0;
	if (!gopclntab__find(&t, from) || t.names_len > ELF_STRINGS_BYTES_MAX)
		return 0;
	names = malloc(t.names_len);
	if (!names)
		return -ENOMEM;
	if (elf_bytes__read(from, t.at + t.names, names, t.names_len)) {
		r->strings = (struct elf_strings){ names, t.names_len, 4 * t.names_len };
		err = gopclntab__read(&t, from, add_go, r);
	}
	free(names);
	return err;
}

static int read_source(const struct elf_from *from, unsigned int type, size_t *nr, void *arg)
{
	struct reader *r = arg;
	int err = type == ELF_SOURCE_GO ? read_go(from, r) : read_section(from, type, r);

	*nr = r->nr_functions;
	return err;
}

int elf_names__read(struct elf_names *n, const struct elf_image *img, const struct opener *others)
{
	const struct elf_from from = { .elf = img->elf, .fd = img->fd };
	struct reader r = { .n = n, .img = img };
	int err;

	*n = (struct elf_names){ .strings = strtab__new() };
	err = n->strings ? elf_sources__read(&from, others, read_source, &r) : -ENOMEM;
	free(r.versions);
	if (err)
		elf_names__free(n);
	return err;
}

void elf_names__free(struct elf_names *n)
{
	strtab__free(n->strings);
	free(n->items);
	*n = (struct elf_names){};
}

int elf_names__put(const struct elf_names *n, const struct elf_name *item, struct buf *out)
{
	int err = buf__puts(out, strtab__get(n->strings, item->name));

	if (err || !item->outdated)
		return err;
	return buf__printf(out, "@%s", strtab__get(n->strings, item->version));
}
