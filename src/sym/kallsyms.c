// SPDX-License-Identifier: BSD-2-Clause
/* Reads /proc/kallsyms into a symtab, and lists the BPF programs that came later. */
#include "sym/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/lines.h"
#include "base/strtab.h"

/*
 * The list has no sizes, so the last symbol before a hole (behind a module, between programs)
 * would name all of the hole. No function of the kernel is this long.
 */
#define MAX_REACH_BYTES (1u << 20)

/* A symbol added after the table was read. */
struct late {
	uint64_t addr;
	uint32_t len;
	uint32_t name;
};

/* While the list is being read. */
struct reading {
	struct lines lines;
	size_t nr_hidden; /* address 0: all of them when kptr_restrict is on */
	size_t nr_kept;
};

/* A name in the table is "NAME\0" or "NAME\0[MODULE": both live in one string. */
struct kallsyms {
	struct reading *reading; /* NULL: complete */
	struct symtab *syms;
	struct late *late;	     /* the newest last */
	size_t nr_late, cap_late;    /* none of which another one covers */
	uint64_t late_min, late_end; /* all of them lie inside */
	struct strtab *late_names;
};

static bool has_prefix(const char *s, size_t len, const char *prefix)
{
	size_t n = strlen(prefix);

	return len >= n && !memcmp(s, prefix, n);
}

static bool equals(const char *s, size_t len, const char *other)
{
	return len == strlen(other) && !memcmp(s, other, len);
}

/* False for what holds no code. */
static bool code_rank(char type, enum sym_rank *rank)
{
	switch (type) {
	case 'T':
		*rank = SYM_GLOBAL;
		return true;
	case 't':
		*rank = SYM_LOCAL;
		return true;
	case 'W':
	case 'w':
		*rank = SYM_WEAK;
		return true;
	default:
		return false;
	}
}

/* "NAME" or "NAME\t[MODULE]", turned into the form that the table keeps. */
static int add_symbol(struct symtab *t, uint64_t addr, char *s, size_t len, enum sym_rank rank)
{
	char *tab = memchr(s, '\t', len);
	size_t name_len = tab ? (size_t)(tab - s) : len;

	/* The padding in front of a function; nothing runs there (CONFIG_FUNCTION_PADDING). */
	if (!name_len || has_prefix(s, name_len, "__pfx_") || memchr(s, '\0', len))
		return 0;
	if (equals(s, name_len, "_etext") || equals(s, name_len, "_einittext"))
		return symtab__add(t, addr, 0, "", 0, rank);
	if (tab && len > name_len + 3 && tab[1] == '[' && s[len - 1] == ']')
		len--;
	else
		len = name_len + 1;
	s[name_len] = '\0';
	return symtab__add(t, addr, 0, s, len, rank);
}

/* "ADDRESS TYPE NAME[\t[MODULE]]"; anything else is skipped. */
static int add_line(struct symtab *t, char *line, size_t len, struct reading *r)
{
	const char *p = line, *end = line + len;
	enum sym_rank rank;
	uint64_t addr;

	if (!parse_hex(&p, end, &addr) || end - p < 4 || p[0] != ' ' || p[2] != ' ')
		return 0;
	if (!code_rank(p[1], &rank))
		return 0;
	if (!addr) {
		r->nr_hidden++;
		return 0;
	}
	p += 3;
	r->nr_kept++;
	return add_symbol(t, addr, line + (p - line), end - p, rank);
}

static void end_reading(struct kallsyms *k)
{
	if (k->reading)
		close(k->reading->lines.fd);
	free(k->reading);
	k->reading = NULL;
}

int kallsyms__open(struct kallsyms **out, const char *path)
{
	struct kallsyms *k = calloc(1, sizeof(*k));
	int err = -ENOMEM;

	*out = NULL;
	if (!k)
		return -ENOMEM;
	k->syms = symtab__new();
	k->late_names = strtab__new();
	k->reading = calloc(1, sizeof(*k->reading));
	if (k->reading) {
		k->reading->lines.fd = open(path, O_RDONLY | O_CLOEXEC);
		err = k->reading->lines.fd < 0 ? -errno : 0;
	}
	if (!err && (!k->syms || !k->late_names))
		err = -ENOMEM;
	if (err) {
		kallsyms__close(k);
		return err;
	}
	*out = k;
	return 0;
}

void kallsyms__close(struct kallsyms *k)
{
	if (!k)
		return;
	end_reading(k);
	symtab__free(k->syms);
	strtab__free(k->late_names);
	free(k->late);
	free(k);
}

static int read_lines(struct symtab *t, struct reading *r)
{
	size_t len;
	char *line;
	int err;

	while ((err = lines__next(&r->lines, &line, &len)) > 0) {
		err = r->nr_kept < SYMTAB_MAX ? add_line(t, line, len, r) : -EFBIG;
		if (err)
			return err;
	}
	return err;
}

int kallsyms__read(struct kallsyms *k)
{
	struct reading *r = k->reading;
	int err = read_lines(k->syms, r);

	if (!err && !r->nr_kept)
		err = r->nr_hidden ? -EACCES : -ENODATA;
	end_reading(k);
	return err ? err : symtab__finish(k->syms);
}

static const struct late *find_late(const struct kallsyms *k, uint64_t addr)
{
	size_t i;

	if (addr < k->late_min || addr >= k->late_end)
		return NULL;
	for (i = k->nr_late; i-- > 0;)
		if (addr >= k->late[i].addr && addr - k->late[i].addr < k->late[i].len)
			return &k->late[i];
	return NULL;
}

bool kallsyms__find(const struct kallsyms *k, uint64_t addr, struct ksym *out)
{
	const struct late *late = find_late(k, addr);
	const char *behind;
	struct sym sym;

	if (late) {
		*out = (struct ksym){
			.name = strtab__get(k->late_names, late->name),
			.module = "bpf",
			.offset = addr - late->addr,
		};
		return true;
	}
	if (k->reading || !symtab__find(k->syms, addr, &sym) || addr - sym.addr > MAX_REACH_BYTES)
		return false;
	behind = sym.name + strlen(sym.name) + 1;
	*out = (struct ksym){
		.name = sym.name,
		.module = *behind == '[' ? behind + 1 : "kernel",
		.offset = addr - sym.addr,
	};
	return true;
}

/* What was there before, began at the same place, or is covered. Others stay in their order. */
static void forget_replaced(struct kallsyms *k, uint64_t addr, uint32_t len)
{
	size_t nr = 0;

	for (size_t i = 0; i < k->nr_late; i++) {
		const struct late *l = &k->late[i];
		const bool is_inside =
			l->addr >= addr && l->addr - addr < len && l->len <= len - (l->addr - addr);

		if (l->addr != addr && !is_inside)
			k->late[nr++] = *l;
	}
	k->nr_late = nr;
}

int kallsyms__add(struct kallsyms *k, uint64_t addr, uint32_t len, const char *name)
{
	const struct late *known = find_late(k, addr);
	uint32_t id;
	int err;

	if (!len || len > UINT64_MAX - addr)
		return 0;
	err = strtab__add(k->late_names, name, strlen(name), &id);
	if (err)
		return err;
	if (known && known->addr == addr && known->len == len && known->name == id)
		return 0;
	forget_replaced(k, addr, len);
	if (array__grow(&k->late, &k->cap_late, k->nr_late + 1))
		return -ENOMEM;
	if (!k->late_end || addr < k->late_min)
		k->late_min = addr;
	if (addr + len > k->late_end)
		k->late_end = addr + len;
	k->late[k->nr_late++] = (struct late){ .addr = addr, .len = len, .name = id };
	return 0;
}
