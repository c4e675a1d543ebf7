// SPDX-License-Identifier: BSD-2-Clause
/* Reads USDT probes from .note.stapsdt of an ELF file; finds those of one name. */
#include "lookup/file_lookup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "base/suggest.h"
#include "base/why.h"

#define OWNER	       "stapsdt"
#define NOTE_BYTES_MAX (16u << 20)

enum { NOTE_TYPE = 3 };

/* What precedes the strings of a note. */
struct addresses {
	uint64_t pc, base, semaphore;
};

struct reader {
	const struct file_lookup *file;
	Elf_Data *notes;
	uint64_t base;		   /* where .stapsdt.base is now; 0: the file was not prelinked */
	struct usdt_probe *probes; /* strings are in @notes */
	size_t nr, cap;
};

/* The string at *@at, which moves behind it. NULL: it does not end. */
static const char *take_string(const char **at, const char *end)
{
	const char *s = *at, *nul = memchr(s, '\0', end - s);

	if (nul)
		*at = nul + 1;
	return nul ? s : NULL;
}

/* 0; -EINVAL: this is no probe. */
static int read_note(const struct reader *r, const char *desc, size_t len, struct usdt_probe *p)
{
	const char *at = desc + sizeof(struct addresses), *end = desc + len;
	struct addresses a;
	uint64_t moved;

	if (len < sizeof(a))
		return -EINVAL;
	memcpy(&a, desc, sizeof(a));
	p->provider = take_string(&at, end);
	p->name = p->provider ? take_string(&at, end) : NULL;
	p->args = p->name ? take_string(&at, end) : NULL;
	if (!p->args || !*p->provider || !*p->name)
		return -EINVAL;
	moved = r->base && a.base ? r->base - a.base : 0;
	if (!elf_image__offset(&r->file->img, a.pc + moved, ELF_CODE, &p->offset))
		return -EINVAL;
	p->semaphore = 0;
	if (a.semaphore &&
	    !elf_image__offset(&r->file->img, a.semaphore + moved, ELF_WRITABLE, &p->semaphore))
		return -EINVAL;
	return 0;
}

static int read_notes(struct reader *r)
{
	size_t at = 0, name, desc;
	struct usdt_probe p;
	const char *bytes;
	GElf_Nhdr note;

	if (!r->notes)
		return 0;
	bytes = r->notes->d_buf;
	while ((at = gelf_getnote(r->notes, at, &note, &name, &desc))) {
		if (note.n_type != NOTE_TYPE || note.n_namesz != sizeof(OWNER) ||
		    memcmp(bytes + name, OWNER, sizeof(OWNER)) ||
		    read_note(r, bytes + desc, note.n_descsz, &p))
			continue;
		if (array__grow(&r->probes, &r->cap, r->nr + 1))
			return -ENOMEM;
		r->probes[r->nr++] = p;
	}
	return 0;
}

static int compare(const struct usdt_probe *x, const struct usdt_probe *y)
{
	int order = strcmp(x->provider, y->provider);

	if (!order)
		order = strcmp(x->name, y->name);
	return order ? order : (x->offset > y->offset) - (x->offset < y->offset);
}

static int by_name(const void *a, const void *b)
{
	return compare(a, b);
}

static void sort(struct reader *r)
{
	size_t i, kept = 0;

	if (!r->nr)
		return;
	qsort(r->probes, r->nr, sizeof(*r->probes), by_name);
	for (i = 1; i < r->nr; i++)
		if (compare(&r->probes[i], &r->probes[kept]))
			r->probes[++kept] = r->probes[i];
	r->nr = kept + 1;
}

static int check_kind(Elf *elf, const char *path, struct buf *why)
{
	const unsigned char *ident = (const unsigned char *)elf_getident(elf, NULL);
	const uint16_t one = 1;
	bool is_little = *(const unsigned char *)&one;
	int err;

	if (!ident || ident[EI_CLASS] != ELFCLASS64)
		err = buf__printf(why, "%s is a 32-bit program: its probes cannot be read", path);
	else if (ident[EI_DATA] != (is_little ? ELFDATA2LSB : ELFDATA2MSB))
		err = buf__printf(why, "%s is a program for another kind of CPU", path);
	else
		return 0;
	return err ? err : -ENOEXEC;
}

/* Free its probes after 0. */
static int read_file(struct reader *r, const struct file_lookup *f, struct buf *why)
{
	GElf_Shdr shdr;
	int err = check_kind(f->img.elf, f->path, why);

	*r = (struct reader){ .file = f };
	if (err)
		return err;
	if (elf_file__section_named(f->img.elf, ".stapsdt.base", &shdr))
		r->base = shdr.sh_addr;
	r->notes = elf_file__data(elf_file__section_named(f->img.elf, ".note.stapsdt", &shdr),
				  NOTE_BYTES_MAX);
	err = read_notes(r);
	if (err)
		free(r->probes);
	else
		sort(r);
	return err;
}

static int call_each(const struct usdt_probe *probes, size_t nr, usdt_fn *fn, void *arg)
{
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		err = fn(&probes[i], arg);
	return err;
}

int file_lookup__each_usdt(struct file_lookup *f, usdt_fn *fn, void *arg, struct buf *why)
{
	struct reader r;
	int err = read_file(&r, f, why);

	if (err)
		return err;
	err = call_each(r.probes, r.nr, fn, arg);
	free(r.probes);
	return err;
}

static bool is_asked_for(const struct usdt_probe *p, const char *provider, const char *name)
{
	return !strcmp(p->name, name) && (!provider || !strcmp(p->provider, provider));
}

/* "PROVIDER:NAME" of all, or the names alone if no provider was asked for. */
static int suggest_probes(const struct reader *r, const char *asked, bool with_provider,
			  struct buf *why)
{
	struct strtab *t = strtab__new();
	struct buf full = {};
	const char **names = NULL;
	int err = t ? 0 : -ENOMEM;
	uint32_t id;
	size_t i, nr;

	for (i = 0; !err && i < r->nr; i++) {
		buf__clear(&full);
		err = buf__printf(&full, "%s%s%s", with_provider ? r->probes[i].provider : "",
				  with_provider ? ":" : "", r->probes[i].name);
		if (!err)
			err = strtab__add(t, full.data, full.len, &id);
	}
	nr = err ? 0 : strtab__nr(t);
	names = calloc(nr + 1, sizeof(*names));
	for (i = 1; names && i < nr; i++)
		names[i] = strtab__get(t, i);
	if (!err)
		err = names ? suggest(why, asked, names, nr) : -ENOMEM;
	free(names);
	buf__free(&full);
	strtab__free(t);
	return err;
}

static int not_found(const struct reader *r, const char *path, const char *provider,
		     const char *name, struct buf *why)
{
	struct buf asked = {};
	int err =
		buf__printf(&asked, "%s%s%s", provider ? provider : "", provider ? ":" : "", name);

	if (!err)
		err = r->nr ? buf__printf(why, "no USDT probe '%s' in %s", asked.data, path)
			    : buf__printf(why, "there are no USDT probes in %s", path);
	if (!err && r->nr)
		err = suggest_probes(r, asked.data, provider, why);
	buf__free(&asked);
	return err ? err : -ENOENT;
}

static int not_unique(const char *path, const struct usdt_probe *a, const struct usdt_probe *b,
		      struct buf *why)
{
	return why__refuse(why, -ENOTUNIQ,
			   "'%s' in %s is a probe of several providers, such as %s and %s", a->name,
			   path, a->provider, b->provider);
}

int file_lookup__find_usdt(struct file_lookup *f, const char *provider, const char *name,
			   usdt_fn *fn, void *arg, struct buf *why)
{
	struct usdt_probe *p;
	struct reader r;
	size_t i, kept = 0;
	int err = read_file(&r, f, why);

	if (err)
		return err;
	p = r.probes;
	for (i = 0; i < r.nr; i++)
		if (is_asked_for(&p[i], provider, name))
			p[kept++] = p[i];
	if (!kept)
		err = not_found(&r, f->path, provider, name, why);
	else if (strcmp(p[0].provider, p[kept - 1].provider))
		err = not_unique(f->path, &p[0], &p[kept - 1], why);
	else
		err = call_each(p, kept, fn, arg);
	free(p);
	return err;
}
