// SPDX-License-Identifier: BSD-2-Clause
/* Hands sections to the reader of debug information, and keeps names and paths. */
#include "sym/inlines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/idmap.h"
#include "base/strtab.h"
#include "dwarf/dwarf.h"
#include "elf/debugfile.h"
#include "elf/demangle.h"
#include "elf/elf_file.h"
#include "elf/elf_pages.h"

enum { ALT_LINK_BYTES_MAX = 8192, ID_BYTES_MAX = 64, NAME_BYTES_MAX = 16 * 1024 };

#define MAX_BYTES	  (192u << 20)
#define SPLIT_BYTES_MAX	  (64u << 20) /* of a .dwo */
#define STRINGS_BYTES_MAX (64u << 20)

/* A file and its sections. */
struct source {
	struct elf_from from;
	bool owned; /* opened here */
	struct elf_pages pages;
	struct elf_section sections[ELF_PAGES_SECTIONS_MAX];
	unsigned nr;
};

struct inlines {
	struct inlines_opts opts;
	struct source program, alt, package;
	struct dwarf_package packed;
	struct dwarf *dwarf;
	struct dwarf_chain chain;
	struct strtab *strings;
	size_t string_bytes;
	struct idmap names, paths; /* keys of dwarf/dwarf.h to strings; 0: there is none */
	struct idmap starts;	   /* the same to lines */
	struct buf buf;
};

/* Opens a section for the reader. */
static int add_section(struct source *s, const char *name, struct dwarf_section *to)
{
	struct elf_section *section = &s->sections[s->nr];
	int err;

	*to = (struct dwarf_section){};
	err = elf_pages__section(&s->pages, name, section);
	if (err || !section->len)
		return err;
	s->nr++;
	*to = (struct dwarf_section){ .len = section->len,
				      .window = elf_section__window,
				      .string = elf_section__string,
				      .arg = section };
	return 0;
}

struct named_section {
	const char *name;
	struct dwarf_section *to;
};

static int add_sections(struct source *s, const struct named_section *all, size_t nr)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		err = add_section(s, all[i].name, all[i].to);
	return err;
}

static void close_source(struct source *s)
{
	elf_pages__close(&s->pages);
	if (!s->owned)
		return;
	elf_from__close(&s->from);
	close(s->from.fd);
	s->owned = false;
}

/* What was stripped from a file. */
static int open_debug(const struct inlines *x, const struct elf_from *from)
{
	unsigned char id[ID_BYTES_MAX];
	const size_t len = elf_file__build_id(from->elf, id, sizeof(id));
	int fd = debugfile__open_by_id(&x->opts.others, id, len, from->run);

	if (fd < 0)
		fd = debugfile__open_by_link(&x->opts.others, from);
	return fd < 0 ? debugfile__open_by_server(&x->opts.others, id, len, from->run) : fd;
}

/* May it be read? @fd: taken if not. */
static int only_trusted(const struct inlines *x, int fd)
{
	struct stat st;

	if (fd < 0 || !x->opts.trusted_only || (!fstat(fd, &st) && !allowance__is_for(&st)))
		return fd;
	close(fd);
	return -EACCES;
}

/*
 * Another file. @fd: taken; an error if there is none. @run: allowance for reading it; @max: of
 * what is read in.
 */
static int open_source(struct inlines *x, struct source *s, int fd, struct allowance *run,
		       size_t max)
{
	int err;

	fd = only_trusted(x, fd);
	if (fd < 0)
		return fd;
	if (!elf_from__open(&s->from, fd, run)) {
		elf_from__close(&s->from);
		close(fd);
		return -ENOENT;
	}
	s->owned = true;
	s->nr = 0;
	err = elf_pages__open(&s->pages, &s->from, max, x->opts.max_bytes / 4 * 3);
	if (err)
		close_source(s);
	return err;
}

static bool has_info(Elf *elf)
{
	GElf_Shdr shdr;

	return (elf_file__section_named(elf, ".debug_info", &shdr) && shdr.sh_type != SHT_NOBITS) ||
	       elf_file__section_named(elf, ".zdebug_info", &shdr);
}

/* The file itself, or the one that its debug information was moved to. */
static int open_program(struct inlines *x, const struct elf_from *from)
{
	if (!has_info(from->elf))
		return open_source(x, &x->program, open_debug(x, from), from->run,
				   x->opts.max_bytes / 4);
	x->program.from = *from;
	return elf_pages__open(&x->program.pages, from, x->opts.max_bytes / 4,
			       x->opts.max_bytes / 4 * 3);
}

static int add_program(struct source *s, struct dwarf_sections *to)
{
	const struct named_section all[] = {
		{ ".debug_info", &to->info },	      { ".debug_abbrev", &to->abbrev },
		{ ".debug_line", &to->line },	      { ".debug_str", &to->str },
		{ ".debug_line_str", &to->line_str }, { ".debug_str_offsets", &to->str_offsets },
		{ ".debug_addr", &to->addr },	      { ".debug_ranges", &to->ranges },
		{ ".debug_rnglists", &to->rnglists }, { ".debug_aranges", &to->aranges },
	};

	return add_sections(s, all, ARRAY_SIZE(all));
}

/* ".gnu_debugaltlink": a name, and behind its NUL the build-id. */
static int add_alt(struct inlines *x, struct dwarf_sections *to)
{
	const struct named_section all[] = {
		{ ".debug_info", &to->alt_info },
		{ ".debug_abbrev", &to->alt_abbrev },
		{ ".debug_str", &to->alt_str },
		{ ".debug_line_str", &to->alt_line_str },
	};
	GElf_Shdr shdr;
	Elf_Scn *scn = elf_file__section_named(x->program.from.elf, ".gnu_debugaltlink", &shdr);
	Elf_Data *data = elf_from__data(&x->program.from, scn, ALT_LINK_BYTES_MAX);
	const char *nul = data ? memchr(data->d_buf, 0, data->d_size) : NULL;
	int fd, err;

	if (!nul)
		return 0;
	fd = debugfile__open_alt(&x->opts.others, data->d_buf, (const unsigned char *)nul + 1,
				 data->d_size - (nul + 1 - (const char *)data->d_buf),
				 x->program.from.run);
	err = open_source(x, &x->alt, fd, x->program.from.run, x->opts.max_bytes / 4);
	if (!err)
		err = add_sections(&x->alt, all, ARRAY_SIZE(all));
	return err == -ENOMEM || err == -EAGAIN ? err : 0;
}

static int add_split_sections(struct source *s, struct dwarf_split *to)
{
	const struct named_section all[] = {
		{ ".debug_info.dwo", &to->info },
		{ ".debug_abbrev.dwo", &to->abbrev },
		{ ".debug_line.dwo", &to->line },
		{ ".debug_str.dwo", &to->str },
		{ ".debug_str_offsets.dwo", &to->str_offsets },
		{ ".debug_rnglists.dwo", &to->rnglists },
	};

	return add_sections(s, all, ARRAY_SIZE(all));
}

static int add_package(struct inlines *x)
{
	const struct debug_place place = { .kind = PLACE_PACKAGE };
	const int fd = debugfile__open_any(&x->opts.others, &place);
	int err;

	err = open_source(x, &x->package, fd, x->program.from.run, x->opts.max_bytes / 4);
	if (!err)
		err = add_section(&x->package, ".debug_cu_index", &x->packed.index);
	if (!err)
		err = add_split_sections(&x->package, &x->packed.sections);
	return err == -ENOMEM ? err : 0;
}

static int open_split(void *arg, const char *comp_dir, const char *name, uint64_t id,
		      struct dwarf_split *out)
{
	struct inlines *x = arg;
	const struct debug_place place = { .kind = PLACE_SPLIT, .name = name, .dir = comp_dir };
	struct source *s = calloc(1, sizeof(*s));
	int err;

	*out = (struct dwarf_split){};
	if (!s)
		return -ENOMEM;
	err = open_source(x, s, debugfile__open_any(&x->opts.others, &place), x->program.from.run,
			  SPLIT_BYTES_MAX);
	if (!err) {
		err = add_split_sections(s, out);
		if (err)
			close_source(s);
	}
	if (err)
		free(s);
	else
		out->token = s;
	return err;
}

static void close_split(void *arg, struct dwarf_split *split)
{
	close_source(split->token);
	free(split->token);
}

/* Where the code is: what lies elsewhere was left out by the linker. */
static void find_text(Elf *elf, uint64_t *low, uint64_t *high)
{
	GElf_Phdr phdr;
	size_t nr = 0;

	*low = UINT64_MAX;
	*high = 0;
	if (elf_getphdrnum(elf, &nr))
		nr = 0;
	for (size_t i = 0; i < nr; i++) {
		if (!gelf_getphdr(elf, i, &phdr) || phdr.p_type != PT_LOAD ||
		    !(phdr.p_flags & PF_X) || phdr.p_vaddr > UINT64_MAX - phdr.p_memsz)
			continue;
		if (phdr.p_vaddr < *low)
			*low = phdr.p_vaddr;
		if (phdr.p_vaddr + phdr.p_memsz > *high)
			*high = phdr.p_vaddr + phdr.p_memsz;
	}
	if (*low >= *high) {
		*low = 0;
		*high = UINT64_MAX - 2;
	}
}

static int open_dwarf(struct inlines *x, const struct elf_from *from)
{
	struct dwarf_opts opts = { .max_bytes = x->opts.max_bytes / 4 * 3,
				   .open_split = open_split,
				   .close_split = close_split,
				   .arg = x };
	struct dwarf_sections sections = {};
	int err;

	err = open_program(x, from);
	if (!err)
		err = add_program(&x->program, &sections);
	if (!err)
		err = add_alt(x, &sections);
	if (!err)
		err = add_package(x);
	if (err)
		return err;
	/* A part of it would be names without lines, or lines without names. */
	if (x->program.pages.nr_refused)
		return -ENOMEM;
	if (opts.max_bytes > x->program.pages.unpacked + x->opts.max_bytes / 4)
		opts.max_bytes -= x->program.pages.unpacked;
	else
		opts.max_bytes = x->opts.max_bytes / 4;
	find_text(from->elf, &opts.text_low, &opts.text_high);
	if (x->packed.index.len)
		opts.package = &x->packed;
	return dwarf__open(&x->dwarf, &sections, &opts);
}

int inlines__open(struct inlines **out, const struct elf_from *from,
		  const struct inlines_opts *opts)
{
	struct inlines *x = calloc(1, sizeof(*x));
	int err = -ENOMEM;

	*out = NULL;
	if (!x)
		return -ENOMEM;
	x->opts = *opts;
	if (!x->opts.max_bytes)
		x->opts.max_bytes = MAX_BYTES;
	allowance__begin(from->charge);
	x->strings = strtab__new();
	if (x->strings)
		err = open_dwarf(x, from);
	allowance__end(from->charge);
	if (err) {
		inlines__close(x);
		return err == -ENOMEM || err == -EAGAIN ? err : -ENOENT;
	}
	*out = x;
	return 0;
}

void inlines__close(struct inlines *x)
{
	if (!x)
		return;
	dwarf__close(x->dwarf);
	close_source(&x->package);
	close_source(&x->alt);
	close_source(&x->program);
	strtab__free(x->strings);
	idmap__free(&x->names);
	idmap__free(&x->paths);
	idmap__free(&x->starts);
	free(x->chain.frames);
	buf__free(&x->buf);
	free(x);
}

/* Keeps what is in x->buf; id 0 if there is nothing, or too much was kept. */
static int keep_string(struct inlines *x, struct idmap *in, uint64_t key, uint32_t *id)
{
	int err = 0;

	*id = 0;
	if (x->buf.len && x->string_bytes + x->buf.len <= STRINGS_BYTES_MAX) {
		err = strtab__add(x->strings, x->buf.data, x->buf.len, id);
		x->string_bytes += x->buf.len;
	}
	return err ? err : idmap__set(in, key, *id);
}

static int name_of(struct inlines *x, uint64_t key, const char **out)
{
	const char *name;
	uint32_t id = 0;
	int err = 0;

	if (key && !idmap__get(&x->names, key, &id)) {
		buf__clear(&x->buf);
		name = dwarf__name(x->dwarf, key);
		if (name && strnlen(name, NAME_BYTES_MAX) < NAME_BYTES_MAX)
			err = x->opts.mangled ? buf__puts(&x->buf, name) : demangle(&x->buf, name);
		if (!err)
			err = keep_string(x, &x->names, key, &id);
	}
	*out = id ? strtab__get(x->strings, id) : NULL;
	return err;
}

static int path_of(struct inlines *x, uint64_t key, const char **out)
{
	uint32_t id = 0;
	int err = 0;

	if (key && !idmap__get(&x->paths, key, &id)) {
		buf__clear(&x->buf);
		err = dwarf__path(x->dwarf, key, &x->buf);
		if (err == -ENOENT)
			err = 0;
		if (!err)
			err = keep_string(x, &x->paths, key, &id);
	}
	*out = id ? strtab__get(x->strings, id) : NULL;
	return err;
}

static int start_of(struct inlines *x, uint64_t key, uint32_t *line)
{
	*line = 0;
	if (!x->opts.starts || !key || idmap__get(&x->starts, key, line))
		return 0;
	*line = dwarf__start_line(x->dwarf, key);
	return idmap__set(&x->starts, key, *line);
}

static int find(struct inlines *x, uint64_t vaddr, struct inlined_chain *out)
{
	int err = dwarf__find(x->dwarf, vaddr, &x->chain);

	if (!err)
		err = array__grow(&out->frames, &out->cap, x->chain.nr);
	for (size_t i = 0; i < x->chain.nr && !err; i++) {
		const struct dwarf_frame *from = &x->chain.frames[i];
		struct inlined_frame *to = &out->frames[i];

		to->line = from->line;
		to->inlined = from->inlined;
		err = name_of(x, from->name, &to->name);
		if (!err)
			err = path_of(x, from->path, &to->path);
		if (!err)
			err = start_of(x, from->name, &to->start_line);
	}
	if (!err)
		out->nr = x->chain.nr;
	return err;
}

int inlines__find(struct inlines *x, uint64_t vaddr, struct inlined_chain *out)
{
	int err;

	out->nr = 0;
	allowance__begin(x->program.from.charge);
	err = find(x, vaddr, out);
	allowance__end(x->program.from.charge);
	return err;
}

size_t inlines__bytes(const struct inlines *x)
{
	return dwarf__bytes(x->dwarf) + x->string_bytes + idmap__bytes(&x->names, 0) +
	       idmap__bytes(&x->paths, 0) + idmap__bytes(&x->starts, 0) +
	       elf_pages__bytes(&x->program.pages) + elf_pages__bytes(&x->alt.pages) +
	       elf_pages__bytes(&x->package.pages);
}
