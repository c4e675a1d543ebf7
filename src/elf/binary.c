// SPDX-License-Identifier: BSD-2-Clause
/* Opens a file or image; its segments, build-id and symbols are read when first asked for. */
#include "elf/binary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf/bounds.h"
#include "elf/elf_file.h"
#include "elf/elf_sources.h"
#include "elf/elf_symbols.h"
#include "elf/gopclntab.h"
#include "elf/plt.h"

enum { MAX_BUILD_ID_BYTES = 64 };

struct segment {
	uint64_t offset, vaddr, bytes;
	bool is_code;
};

struct binary {
	int fd; /* -1 once the symbols are read */
	char *image;
	size_t image_len;
	struct opener others;
	struct allowance *run;
	bool waits;		       /* for a debug file, which is being fetched */
	bool has_headers, has_symbols; /* reading them has been tried */
	bool lacked_memory;	       /* for the symbols */
	struct segment *segments;
	size_t nr_segments;
	unsigned char build_id[MAX_BUILD_ID_BYTES];
	size_t build_id_len;
	struct symtab *syms; /* NULL: nothing has a name */
	struct outermosts outermosts;
	struct bounds bounds;
};

static int new_binary(struct binary **out)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	(*out)->fd = -1;
	return 0;
}

int binary__open(struct binary **out, int fd, const struct opener *others, struct allowance *run)
{
	int err = new_binary(out);

	if (err) {
		if (fd >= 0)
			close(fd);
		return err;
	}
	(*out)->fd = fd;
	(*out)->others = *others;
	(*out)->run = run;
	return 0;
}

int binary__open_memory(struct binary **out, const void *image, size_t len)
{
	int err = new_binary(out);

	if (err)
		return err;
	(*out)->image = malloc(len + 1);
	if (!(*out)->image) {
		binary__close(*out);
		*out = NULL;
		return -ENOMEM;
	}
	memcpy((*out)->image, image, len);
	(*out)->image_len = len;
	return 0;
}

/* Once its symbols are read; they keep the file open if their names are in it. */
static void drop_file(struct binary *b)
{
	if (b->fd >= 0)
		close(b->fd);
	b->fd = -1;
	free(b->image);
	b->image = NULL;
}

int binary__dup(const struct binary *b)
{
	return b->fd < 0 ? -1 : fcntl(b->fd, F_DUPFD_CLOEXEC, 0);
}

void binary__close(struct binary *b)
{
	if (!b)
		return;
	drop_file(b);
	symtab__free(b->syms);
	outermosts__free(&b->outermosts);
	bounds__free(&b->bounds);
	free(b->segments);
	free(b);
}

static bool open_elf(struct binary *b, struct elf_from *from)
{
	if (!b->image)
		return elf_from__open(from, b->fd, b->run);
	*from = (struct elf_from){ .fd = -1 };
	from->elf = elf_file__open_memory(b->image, b->image_len);
	return from->elf;
}

static void read_segments(struct binary *b, Elf *elf)
{
	GElf_Phdr phdr;
	size_t i, nr;

	if (elf_getphdrnum(elf, &nr) || !nr)
		return;
	b->segments = calloc(nr, sizeof(*b->segments));
	for (i = 0; b->segments && i < nr; i++) {
		if (!gelf_getphdr(elf, i, &phdr) || phdr.p_type != PT_LOAD)
			continue;
		b->segments[b->nr_segments++] = (struct segment){
			.offset = phdr.p_offset,
			.vaddr = phdr.p_vaddr,
			.bytes = phdr.p_filesz,
			.is_code = phdr.p_flags & PF_X,
		};
	}
}

static void read_headers(struct binary *b, Elf *elf)
{
	b->has_headers = true;
	read_segments(b, elf);
	b->build_id_len = elf_file__build_id(elf, b->build_id, sizeof(b->build_id));
}

static int add_symbols(const struct elf_from *from, unsigned int type, size_t *nr, void *arg)
{
	return type == ELF_SOURCE_GO ? gopclntab__add(arg, from, nr)
				     : elf_symbols__add(arg, from, type, nr);
}

/* NULL: no memory, or no allowance for all: with a part, code would get the names of others. */
static struct symtab *read_symbols(struct binary *b, const struct elf_from *from, bool separate)
{
	const struct opener none = {};
	struct symtab *t = symtab__new();
	int err = t ? 0 : -ENOMEM;

	if (!err)
		err = elf_sources__read(from, separate ? &b->others : &none, add_symbols, t);
	if (!err)
		err = plt__add(t, from);
	if (!err)
		err = symtab__finish(t);
	if (!err && allowance__has_refused(from->charge))
		err = -EDQUOT;
	if (!err)
		return t;
	symtab__free(t);
	b->lacked_memory = err == -ENOMEM;
	b->waits = err == -EAGAIN;
	/* A stranger's debug file must not cost a file of root's the names that it has itself. */
	return err == -EDQUOT && separate && !from->charge ? read_symbols(b, from, false) : NULL;
}

/* Without memory there are none: stacks that end in the file then count as cut off. */
static void read_outermosts(struct binary *b, const struct elf_from *from)
{
	if (outermosts__read(&b->outermosts, from))
		outermosts__free(&b->outermosts);
}

/* Without memory, or allowance for all of them, code without a symbol has addresses for names. */
static void read_bounds(struct binary *b, const struct elf_from *from)
{
	if (bounds__read(&b->bounds, from) || allowance__has_refused(from->charge))
		bounds__free(&b->bounds);
}

/*
 * Each thing is tried once: what failed would fail again, and cost as much. What is being fetched
 * will be there.
 */
static void load(struct binary *b, bool need_symbols)
{
	struct elf_from from;
	bool is_elf;

	if (b->has_symbols || (b->has_headers && !need_symbols))
		return;
	b->waits = false;
	is_elf = open_elf(b, &from);
	if (is_elf && !b->has_headers)
		read_headers(b, from.elf);
	b->has_headers = true;
	if (need_symbols) {
		if (is_elf)
			b->syms = read_symbols(b, &from, true);
		b->has_symbols = !b->waits;
		if (is_elf && b->has_symbols) {
			read_outermosts(b, &from);
			read_bounds(b, &from);
		}
	}
	elf_from__close(&from);
	if (b->has_symbols)
		drop_file(b);
}

/*
 * Memory is mapped by the page, so one page of the file may be mapped twice,
 * with different segments around it: code wins.
 */
static uint64_t offset_to_vaddr(const struct binary *b, uint64_t offset)
{
	const struct segment *s, *found = NULL;
	size_t i;

	for (i = 0; i < b->nr_segments; i++) {
		s = &b->segments[i];
		if (offset < s->offset || offset - s->offset >= s->bytes)
			continue;
		if (!found || (s->is_code && !found->is_code))
			found = s;
	}
	return found ? offset - found->offset + found->vaddr : offset;
}

/* One whose size is not known, such as a label of assembly code, ends where a function begins. */
static bool reaches(const struct binary *b, const struct sym *sym, uint64_t vaddr)
{
	const struct bound *f = sym->size ? NULL : bounds__find(&b->bounds, vaddr);

	return !f || f->start <= sym->addr;
}

static bool find_loaded(const struct binary *b, uint64_t vaddr, struct sym *sym)
{
	return b->syms && symtab__find(b->syms, vaddr, sym) && reaches(b, sym, vaddr);
}

bool binary__find(struct binary *b, uint64_t offset, struct sym *sym, uint64_t *vaddr)
{
	load(b, true);
	*vaddr = offset_to_vaddr(b, offset);
	return find_loaded(b, *vaddr, sym);
}

bool binary__find_at(struct binary *b, uint64_t vaddr, struct sym *sym)
{
	load(b, true);
	return find_loaded(b, vaddr, sym);
}

bool binary__has_no_code(struct binary *b)
{
	bool has_segment = false;

	load(b, false);
	for (size_t i = 0; i < b->nr_segments; i++) {
		has_segment |= b->segments[i].is_code;
		if (b->segments[i].is_code && b->segments[i].bytes)
			return false;
	}
	return has_segment;
}

bool binary__function(struct binary *b, uint64_t vaddr, uint64_t *start)
{
	const struct bound *f;

	load(b, true);
	f = bounds__find(&b->bounds, vaddr);
	if (!f || vaddr - f->start >= f->bytes)
		return false;
	*start = f->start;
	return true;
}

bool binary__waits(const struct binary *b)
{
	return b->waits;
}

bool binary__lacked_memory(const struct binary *b)
{
	return b->lacked_memory;
}

enum outermost binary__outermost(struct binary *b, uint64_t vaddr, const char *name)
{
	load(b, true);
	return outermosts__find(&b->outermosts, vaddr, name);
}

size_t binary__symbol_bytes(const struct binary *b)
{
	return (b->syms ? symtab__bytes(b->syms) : 0) + b->bounds.cap * sizeof(*b->bounds.all);
}

size_t binary__nr_files(const struct binary *b)
{
	return (b->fd >= 0) + (b->syms ? symtab__nr_files(b->syms) : 0);
}

size_t binary__build_id(struct binary *b, const unsigned char **id)
{
	load(b, false);
	*id = b->build_id;
	return b->build_id_len;
}
