// SPDX-License-Identifier: BSD-2-Clause
/* A function of a program or library -> its offset in the file. */
#include "lookup/file_lookup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/suggest.h"
#include "elf/demangle.h"
#include "elf/entry.h"

enum { LISTED_MAX = 8 };

/* What is being looked for, and what goes by that name. */
struct search {
	const char *path, *symbol;
	const struct elf_names *names;
	const struct elf_name **found;
	size_t nr, cap;
	struct strtab *readable; /* demangled names without parameters; NULL: not needed */
};

static const char *text_of(const struct search *s, const struct elf_name *item)
{
	return strtab__get(s->names->strings, item->name);
}

static int add_found(struct search *s, const struct elf_name *item)
{
	if (array__grow(&s->found, &s->cap, s->nr + 1))
		return -ENOMEM;
	s->found[s->nr++] = item;
	return 0;
}

/* "foo", "foo@V" and "foo@@V": names are unique strings, so their ids are compared. */
static int find_plain(struct search *s)
{
	const char *at = *s->symbol ? strchr(s->symbol + 1, '@') : NULL;
	size_t len = at ? (size_t)(at - s->symbol) : strlen(s->symbol), i;
	uint32_t name, version = 0;
	int err;

	err = strtab__add(s->names->strings, s->symbol, len, &name);
	if (!err && at) {
		at += strspn(at, "@");
		err = strtab__add(s->names->strings, at, strlen(at), &version);
	}
	for (i = 0; !err && i < s->names->nr; i++) {
		const struct elf_name *item = &s->names->items[i];

		if (item->name == name && (!version || item->version == version))
			err = add_found(s, item);
	}
	return err;
}

static bool is_mangled(const char *name)
{
	return name[0] == '_' && name[1] && strchr("ZRD", name[1]);
}

/* Is it this, but for the parameters? A compiler's ".cold" part is no overload. */
static bool is_without_parameters(const char *symbol, const char *readable, const char *mangled)
{
	size_t len = strlen(symbol);

	return !strncmp(readable, symbol, len) && readable[len] == '(' && !strchr(mangled, '.');
}

/* Without the parameters: they would make all names look far from what somebody typed. */
static size_t bare_len(const char *readable)
{
	size_t len = strcspn(readable, "(");

	return len && readable[len - 1] != ':' ? len : strlen(readable);
}

static int find_readable_pass(struct search *s, bool with_parameters)
{
	struct buf readable = {};
	int err = 0;
	size_t i;

	for (i = 0; !err && i < s->names->nr; i++) {
		const struct elf_name *item = &s->names->items[i];
		const char *name = text_of(s, item);
		uint32_t id;

		if (item->kind == ELF_NAME_IMPORT || !is_mangled(name))
			continue;
		buf__clear(&readable);
		err = demangle(&readable, name);
		if (!err && !with_parameters)
			err = strtab__add(s->readable, readable.data, bare_len(readable.data), &id);
		if (err)
			break;
		if (with_parameters ? !strcmp(readable.data, s->symbol)
				    : is_without_parameters(s->symbol, readable.data, name))
			err = add_found(s, item);
	}
	buf__free(&readable);
	return err;
}

static int find_readable(struct search *s)
{
	int err = find_readable_pass(s, true);

	if (err || s->nr)
		return err;
	s->readable = strtab__new();
	return s->readable ? find_readable_pass(s, false) : -ENOMEM;
}

typedef bool keep_fn(const struct elf_name *item);

static bool is_current(const struct elf_name *item)
{
	return !item->outdated;
}

static bool is_defined(const struct elf_name *item)
{
	return item->kind != ELF_NAME_IMPORT;
}

static bool is_function(const struct elf_name *item)
{
	return item->kind == ELF_NAME_FUNCTION;
}

static bool is_shared(const struct elf_name *item)
{
	return item->rank != SYM_LOCAL;
}

/* Keeps only the names that @keep accepts, unless it accepts none. */
static void prefer(struct search *s, keep_fn *keep)
{
	size_t i, kept = 0;

	for (i = 0; i < s->nr; i++)
		kept += keep(s->found[i]);
	if (!kept)
		return;
	for (i = kept = 0; i < s->nr; i++)
		if (keep(s->found[i]))
			s->found[kept++] = s->found[i];
	s->nr = kept;
}

static int by_place(const void *a, const void *b)
{
	const struct elf_name *x = *(const struct elf_name *const *)a;
	const struct elf_name *y = *(const struct elf_name *const *)b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return (x->offset > y->offset) - (x->offset < y->offset);
}

/* Sorts by kind and place, and keeps one name for each. */
static void drop_doubles(struct search *s)
{
	size_t i, kept = 1;

	qsort(s->found, s->nr, sizeof(*s->found), by_place);
	for (i = 1; i < s->nr; i++)
		if (by_place(&s->found[i], &s->found[kept - 1]))
			s->found[kept++] = s->found[i];
	s->nr = kept;
}

static int not_found(const struct search *s, struct buf *why)
{
	const struct strtab *t =
		s->readable && strchr(s->symbol, ':') ? s->readable : s->names->strings;
	const char **names = NULL;
	size_t nr = 0, cap = 0, i;
	int err = buf__printf(why, "no function '%s' in %s", s->symbol, s->path);

	if (t == s->readable) {
		for (i = 1; !err && i < strtab__nr(t); i++) {
			err = array__grow(&names, &cap, nr + 1);
			if (!err)
				names[nr++] = strtab__get(t, i);
		}
	} else {
		for (i = 0; !err && i < s->names->nr; i++) {
			if (s->names->items[i].kind != ELF_NAME_FUNCTION)
				continue;
			err = array__grow(&names, &cap, nr + 1);
			if (!err)
				names[nr++] = text_of(s, &s->names->items[i]);
		}
	}
	if (!err)
		err = nr ? suggest(why, s->symbol, names, nr)
			 : buf__puts(why, ": it has no symbols");
	free(names);
	return err ? err : -ENOENT;
}

static int not_unique(const struct search *s, struct buf *why)
{
	size_t i, nr = s->nr < LISTED_MAX ? s->nr : LISTED_MAX;
	struct buf name = {};
	int err;

	err = buf__printf(why, "'%s' is %zu functions in %s, at the offsets ", s->symbol, s->nr,
			  s->path);
	for (i = 0; !err && i < nr; i++) {
		buf__clear(&name);
		err = buf__printf(why, "%s0x%llx", i ? ", " : "",
				  (unsigned long long)s->found[i]->offset);
		if (!err)
			err = s->found[i]->outdated ? elf_names__put(s->names, s->found[i], &name)
						    : demangle(&name, text_of(s, s->found[i]));
		if (!err && strcmp(name.data, s->symbol))
			err = buf__printf(why, " (%s)", name.data);
	}
	if (!err)
		err = buf__printf(why, "%s: name one by its offset, such as 0x%llx",
				  s->nr > nr ? ", ..." : "",
				  (unsigned long long)s->found[0]->offset);
	buf__free(&name);
	return err ? err : -ENOTUNIQ;
}

static int cannot_probe(const struct search *s, enum elf_name_kind kind, struct buf *why)
{
	int err;

	if (kind == ELF_NAME_DATA)
		err = buf__printf(why, "'%s' in %s is data, not a function", s->symbol, s->path);
	else if (kind == ELF_NAME_IFUNC)
		err = buf__printf(
			why,
			"'%s' in %s is an indirect function (IFUNC): which code it stands "
			"for is chosen at run time; name that function instead",
			s->symbol, s->path);
	else
		err = buf__printf(why,
				  "%s calls '%s', but does not have it: it is in one of the "
				  "libraries that it is linked with",
				  s->path, s->symbol);
	return err ? err : -EINVAL;
}

static int choose(struct search *s, uint64_t *offset, uint64_t *size, struct buf *why)
{
	if (!s->nr)
		return not_found(s, why);
	prefer(s, is_defined);
	prefer(s, is_current);
	prefer(s, is_function);
	prefer(s, is_shared);
	drop_doubles(s);
	if (s->found[0]->kind != ELF_NAME_FUNCTION)
		return cannot_probe(s, s->found[0]->kind, why);
	if (s->nr > 1)
		return not_unique(s, why);
	*offset = s->found[0]->offset;
	*size = s->found[0]->size;
	return 0;
}

static int take_offset(const struct elf_image *img, const char *path, uint64_t offset,
		       struct buf *why)
{
	uint64_t at;
	int err;

	if (elf_image__is_code(img, offset))
		return 0;
	err = buf__printf(why, "offset 0x%llx of %s is not code", (unsigned long long)offset, path);
	if (!err && elf_image__offset(img, offset, ELF_CODE, &at))
		err = buf__printf(why,
				  "; as an address it is: write its offset in the file, 0x%llx",
				  (unsigned long long)at);
	return err ? err : -EINVAL;
}

static int find(struct search *s, uint64_t *offset, uint64_t *size, struct buf *why)
{
	int err = find_plain(s);

	if (!err && !s->nr)
		err = find_readable(s);
	if (!err)
		err = choose(s, offset, size, why);
	strtab__free(s->readable);
	free(s->found);
	return err;
}

int file_lookup__function(struct file_lookup *f, const char *symbol, struct lookup_function *out,
			  struct buf *why)
{
	struct search s = { .path = f->path, .symbol = symbol };
	int err;

	*out = (struct lookup_function){};
	if (!strncmp(symbol, "0x", 2) && !parse__u64(symbol, 0, UINT64_MAX, &out->offset))
		return take_offset(&f->img, f->path, out->offset, why);
	err = file_lookup__read_names(f);
	if (err)
		return err;
	s.names = &f->names;
	err = find(&s, &out->offset, &out->size, why);
	if (!err)
		out->skip = entry__skip(&f->img, out->offset, out->size);
	return err;
}
