// SPDX-License-Identifier: BSD-2-Clause
/* Reads USDT probes from .note.stapsdt of an ELF file; finds those of one name. */
#include "lookup/usdt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "base/suggest.h"
#include "base/why.h"
#include "elf/elf_image.h"

#define OWNER	       "stapsdt"
#define NOTE_BYTES_MAX (16u << 20)

enum { NOTE_TYPE = 3 };

/* What precedes the strings of a note. */
struct addresses {
	uint64_t pc, base, semaphore;
};

struct reader {
	struct elf_image img;
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
	if (!elf_image__offset(&r->img, a.pc + moved, ELF_CODE, &p->offset))
		return -EINVAL;
	p->semaphore = 0;
	if (a.semaphore &&
	    !elf_image__offset(&r->img, a.semaphore + moved, ELF_WRITABLE, &p->semaphore))
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

static void close_reader(struct reader *r)
{
	elf_image__close(&r->img);
	free(r->probes);
}

/* Give it to close_reader() after 0 only. */
static int read_file(struct reader *r, const char *path, struct buf *why)
{
	GElf_Shdr shdr;
	int err;

	*r = (struct reader){};
	err = elf_image__open(&r->img, path, why);
	if (err)
		return err;
	err = check_kind(r->img.elf, path, why);
	if (!err) {
		if (elf_file__section_named(r->img.elf, ".stapsdt.base", &shdr))
			r->base = shdr.sh_addr;
		r->notes =
			elf_file__data(elf_file__section_named(r->img.elf, ".note.stapsdt", &shdr),
				       NOTE_BYTES_MAX);
		err = read_notes(r);
	}
	if (err)
		close_reader(r);
	else
		sort(r);
	return err;
}

int usdt__each(const char *path, usdt_fn *fn, void *arg, struct buf *why)
{
	struct reader r;
	int err = read_file(&r, path, why);
	size_t i;

	if (err)
		return err;
	for (i = 0; !err && i < r.nr; i++)
		err = fn(&r.probes[i], arg);
	close_reader(&r);
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

static size_t text_bytes(const struct usdt_probe *p)
{
	return strlen(p->provider) + strlen(p->name) + strlen(p->args) + 3;
}

static const char *put(char **at, const char *s)
{
	char *start = *at;

	*at = stpcpy(start, s) + 1;
	return start;
}

/* The first @nr of @probes in one piece of memory. */
static struct usdt_probe *copy(const struct usdt_probe *probes, size_t nr)
{
	size_t bytes = nr * sizeof(*probes), i;
	struct usdt_probe *out;
	char *at;

	for (i = 0; i < nr; i++)
		bytes += text_bytes(&probes[i]);
	out = malloc(bytes);
	if (!out)
		return NULL;
	at = (char *)&out[nr];
	for (i = 0; i < nr; i++) {
		out[i] = probes[i];
		out[i].provider = put(&at, probes[i].provider);
		out[i].name = put(&at, probes[i].name);
		out[i].args = put(&at, probes[i].args);
	}
	return out;
}

int usdt__find(const char *path, const char *provider, const char *name, struct usdt_probe **out,
	       size_t *nr, struct buf *why)
{
	struct usdt_probe *p;
	struct reader r;
	size_t i, kept = 0;
	int err;

	*out = NULL;
	*nr = 0;
	err = read_file(&r, path, why);
	if (err)
		return err;
	p = r.probes;
	for (i = 0; i < r.nr; i++)
		if (is_asked_for(&p[i], provider, name))
			p[kept++] = p[i];
	if (!kept) {
		err = not_found(&r, path, provider, name, why);
	} else if (strcmp(p[0].provider, p[kept - 1].provider)) {
		err = not_unique(path, &p[0], &p[kept - 1], why);
	} else {
		*out = copy(p, kept);
		*nr = *out ? kept : 0;
		err = *out ? 0 : -ENOMEM;
	}
	close_reader(&r);
	return err;
}
