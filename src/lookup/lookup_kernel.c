// SPDX-License-Identifier: BSD-2-Clause
/* A symbol of the kernel -> its address. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "base/suggest.h"
#include "base/why.h"
#include "elf/symtab.h"
#include "lookup/ksym_lines.h"
#include "lookup/lookup.h"

enum { LISTED_MAX = 8 };

struct search {
	const char *symbol;
	uint64_t found[LISTED_MAX]; /* different addresses */
	size_t nr;		    /* also those that did not fit */
	bool is_hidden;		    /* until any address is not 0 */
	bool is_there;
	uint64_t percpu, percpu_end;
	size_t nr_code, nr_data;
};

static bool is_known(const struct search *s, uint64_t addr)
{
	size_t i;

	for (i = 0; i < s->nr && i < LISTED_MAX; i++)
		if (s->found[i] == addr)
			return true;
	return false;
}

static int look_at(const struct ksym_line *line, void *arg)
{
	struct search *s = arg;

	if (ksym_line__is_code(line))
		s->nr_code++;
	else
		s->nr_data++;
	if (line->addr)
		s->is_hidden = false;
	if (!strcmp(line->name, "__per_cpu_start"))
		s->percpu = line->addr;
	else if (!strcmp(line->name, "__per_cpu_end"))
		s->percpu_end = line->addr;
	if (strcmp(line->name, s->symbol))
		return 0;
	s->is_there = true;
	if (is_known(s, line->addr))
		return 0;
	if (s->nr < LISTED_MAX)
		s->found[s->nr] = line->addr;
	s->nr++;
	return 0;
}

/* Nobody means the padding in front of a function, or what the linker made of it. */
static bool may_be_meant(const char *name)
{
	return strncmp(name, "__pfx_", 6) && strncmp(name, "__cfi_", 6);
}

static int keep_name(const struct ksym_line *line, void *arg)
{
	struct strtab *t = arg;
	uint32_t id;

	if (!may_be_meant(line->name) || strtab__nr(t) >= SYMTAB_MAX)
		return 0;
	return strtab__add(t, line->name, strlen(line->name), &id);
}

static int suggest_names(const char *kallsyms, const char *symbol, struct buf *why)
{
	struct strtab *t = strtab__new();
	int err = -ENOMEM;

	if (t && !ksym_lines__each(kallsyms, keep_name, t))
		err = suggest_of(why, symbol, t);
	strtab__free(t);
	return err;
}

static int not_found(const struct search *s, const char *kallsyms, struct buf *why)
{
	int err = buf__printf(why, "no symbol '%s' in the kernel", s->symbol);

	/* Some data is listed in any case: what the linker script names. */
	if (!err && s->nr_data < s->nr_code / 100)
		err = buf__puts(why, ", which lists hardly any data (CONFIG_KALLSYMS_ALL is off)");
	if (!err)
		err = suggest_names(kallsyms, s->symbol, why);
	return err ? err : -ENOENT;
}

static int hidden(const struct search *s, struct buf *why)
{
	return why__refuse(why, -EACCES,
			   "the kernel hides the address of '%s': run as root, with "
			   "/proc/sys/kernel/kptr_restrict at 0 or 1",
			   s->symbol);
}

static int not_unique(const struct search *s, struct buf *why)
{
	size_t i, nr = s->nr < LISTED_MAX ? s->nr : LISTED_MAX;
	int err = buf__printf(why, "'%s' is %zu symbols in the kernel, at ", s->symbol, s->nr);

	for (i = 0; !err && i < nr; i++)
		err = buf__printf(why, "%s0x%llx", i ? ", " : "", (unsigned long long)s->found[i]);
	if (!err)
		err = buf__printf(why, "%s: name one by its address, such as 0x%llx",
				  s->nr > nr ? ", ..." : "", (unsigned long long)s->found[0]);
	return err ? err : -ENOTUNIQ;
}

/* Each CPU has a copy elsewhere; what the list has is an offset, or memory freed after boot. */
static bool is_percpu(const struct search *s)
{
	return !(s->found[0] >> 63) || (s->found[0] >= s->percpu && s->found[0] < s->percpu_end);
}

static int per_cpu(const struct search *s, struct buf *why)
{
	return why__refuse(why, -EINVAL,
			   "'%s' is a per-CPU variable: it has an address on each CPU, "
			   "and none of its own",
			   s->symbol);
}

int lookup__kernel(const char *kallsyms, const char *symbol, uint64_t *addr, struct buf *why)
{
	struct search s = { .symbol = symbol, .is_hidden = true };
	int err = ksym_lines__each(kallsyms, look_at, &s);

	if (err) {
		if (err != -ENOMEM &&
		    buf__printf(why, "cannot read %s: %s", kallsyms, strerror(-err)))
			return -ENOMEM;
		return err;
	}
	if (!s.is_there)
		return not_found(&s, kallsyms, why);
	if (s.is_hidden)
		return hidden(&s, why);
	if (s.nr > 1)
		return not_unique(&s, why);
	if (is_percpu(&s))
		return per_cpu(&s, why);
	*addr = s.found[0];
	return 0;
}
