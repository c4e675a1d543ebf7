// SPDX-License-Identifier: BSD-2-Clause
/* The kernel's functions that match a pattern. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "base/suggest.h"
#include "elf/entry.h"
#include "elf/symtab.h"
#include "lookup/kprobe_lists.h"
#include "lookup/ksym_lines.h"
#include "lookup/lookup.h"
#include "lookup/pattern.h"

struct kernel_function {
	const char *name, *module;
	uint64_t addr;
	bool allowed;  /* by the lists */
	bool is_alias; /* another of these names is the same function */
};

struct list {
	struct strtab *strings;
	struct kprobe_lists probes;
	struct pattern pattern;
	uint64_t init, init_end; /* code that was freed when the machine had booted */
	struct kernel_function *items;
	size_t nr, cap;
};

/* Not BPF programs, pages that ftrace and kprobes make (__builtin__), or padding. */
static bool is_function(const struct ksym_line *line)
{
	return ksym_line__is_code(line) && strcmp(line->module, "bpf") &&
	       strncmp(line->module, "__builtin__", 11) && strncmp(line->name, "__pfx_", 6) &&
	       strncmp(line->name, "__cfi_", 6);
}

static int look_at(const struct ksym_line *line, void *arg)
{
	uint32_t name, module;
	struct list *l = arg;
	int err;

	if (!strcmp(line->name, "_sinittext"))
		l->init = line->addr;
	else if (!strcmp(line->name, "_einittext"))
		l->init_end = line->addr;
	if (!is_function(line) || !pattern__matches(&l->pattern, line->name))
		return 0;
	if (l->nr == SYMTAB_MAX)
		return -EFBIG;
	err = strtab__add(l->strings, line->name, strlen(line->name), &name);
	if (err)
		return err;
	err = strtab__add(l->strings, line->module, strlen(line->module), &module);
	if (err)
		return err;
	if (array__grow(&l->items, &l->cap, l->nr + 1))
		return -ENOMEM;
	l->items[l->nr++] = (struct kernel_function){
		.name = strtab__get(l->strings, name),
		.module = strtab__get(l->strings, module),
		.addr = line->addr,
		.allowed = kprobe_lists__allow(&l->probes, name, module, line->addr),
	};
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct kernel_function *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->module, y->module);
	return order ? order : (x->addr > y->addr) - (x->addr < y->addr);
}

/* Those that are listed first, for they have the name that the kernel prefers. */
static int by_addr(const void *a, const void *b)
{
	const struct kernel_function *x = a, *y = b;
	int order = (x->addr > y->addr) - (x->addr < y->addr);

	if (!order)
		order = y->allowed - x->allowed;
	return order ? order : by_name(a, b);
}

/* The first of those that begin there; @l is sorted by address. */
static struct kernel_function *first_at(const struct list *l, uint64_t addr)
{
	size_t low = 0, high = l->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (l->items[middle].addr < addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low < l->nr && l->items[low].addr == addr ? &l->items[low] : NULL;
}

/* The kernel lists one name of a function. What it allows by that, it allows by the others. */
static int allow_others(const struct ksym_line *line, void *arg)
{
	struct list *l = arg;
	struct kernel_function *f = is_function(line) ? first_at(l, line->addr) : NULL;
	uint32_t name, module;
	int err;

	if (!f || f->allowed)
		return 0;
	err = strtab__add(l->strings, line->name, strlen(line->name), &name);
	if (!err)
		err = strtab__add(l->strings, line->module, strlen(line->module), &module);
	if (!err)
		f->allowed = kprobe_lists__allow(&l->probes, name, module, line->addr);
	return err;
}

/* What has several names is one function: without that its calls would be counted twice. */
static int find_aliases(struct list *l, const char *kallsyms)
{
	size_t i;
	int err;

	if (!l->nr)
		return 0;
	qsort(l->items, l->nr, sizeof(*l->items), by_addr);
	if (!l->items[l->nr - 1].addr) /* hidden */
		return 0;
	err = ksym_lines__each(kallsyms, allow_others, l);
	for (i = 1; i < l->nr; i++)
		l->items[i].is_alias = l->items[i].addr == l->items[i - 1].addr &&
				       (l->items[i - 1].allowed || l->items[i - 1].is_alias);
	return err;
}

/* Drops code that was freed after boot and, unless @all, what the lists do not allow. Sorts. */
static void tidy(struct list *l, bool all)
{
	size_t i, kept = 0;

	for (i = 0; i < l->nr; i++)
		if ((l->items[i].addr < l->init || l->items[i].addr >= l->init_end) &&
		    (all || l->items[i].allowed))
			l->items[kept++] = l->items[i];
	l->nr = kept;
	if (l->nr)
		qsort(l->items, l->nr, sizeof(*l->items), by_name);
}

static const char *why_not(const struct kernel_function *f, size_t nr)
{
	if (nr > 1)
		return "several functions of that name";
	if (entry__is_cold(f->name))
		return "a part of another function";
	return f->allowed ? NULL : "not among those that the kernel allows to trace";
}

/* @nr functions of one name. Equal strings are one string: the table has each once. */
static int call_group(const struct kernel_function *f, size_t nr, lookup_kernel_probe_fn *fn,
		      void *arg)
{
	struct lookup_kernel_function out;
	size_t i;
	int err;

	for (i = 0; i < nr; i++) {
		if (f[i].is_alias || (i && f[i].module == f[i - 1].module))
			continue;
		out = (struct lookup_kernel_function){
			.name = f[i].name,
			.module = f[i].module,
			.addr = f[i].addr,
			.nr = nr,
		};
		err = fn(&out, why_not(&f[i], nr), arg);
		if (err)
			return err;
	}
	return 0;
}

static int call_each(const struct list *l, lookup_kernel_probe_fn *fn, void *arg)
{
	size_t start, end;
	int err = 0;

	for (start = 0; !err && start < l->nr; start = end) {
		for (end = start + 1; end < l->nr; end++)
			if (l->items[end].name != l->items[start].name)
				break;
		err = call_group(&l->items[start], end - start, fn, arg);
	}
	return err;
}

static int cannot_read(const char *path, int err, struct buf *why)
{
	if (err != -ENOMEM && buf__printf(why, "cannot read %s: %s", path, strerror(-err)))
		return -ENOMEM;
	return err;
}

static int read_lists(struct list *l, const struct lookup_kernel_files *files, struct buf *why)
{
	int err = 0;

	if (files->traceable) {
		err = kprobe_lists__read_traceable(&l->probes, l->strings, files->traceable);
		if (err)
			return cannot_read(files->traceable, err, why);
	}
	if (files->blacklist)
		err = kprobe_lists__read_blacklist(&l->probes, files->blacklist);
	if (err == -ENOMEM)
		return err;
	err = ksym_lines__each(files->kallsyms, look_at, l);
	return err ? cannot_read(files->kallsyms, err, why) : 0;
}

/* To be closed in any case. */
static int open_list(struct list *l, const struct lookup_kernel_files *files, const char *glob,
		     struct buf *why)
{
	int err = pattern__compile(&l->pattern, glob, why);

	if (err)
		return err;
	l->strings = strtab__new();
	return l->strings ? read_lists(l, files, why) : -ENOMEM;
}

static void close_list(struct list *l)
{
	free(l->items);
	kprobe_lists__free(&l->probes);
	strtab__free(l->strings);
}

struct plain {
	lookup_kernel_fn *fn;
	void *arg;
};

static int call_plain(const struct lookup_kernel_function *f, const char *reason, void *arg)
{
	const struct plain *p = arg;

	return p->fn(f, p->arg);
}

int lookup__each_kernel_function(const struct lookup_kernel_files *files, const char *glob,
				 lookup_kernel_fn *fn, void *arg, struct buf *why)
{
	struct plain plain = { fn, arg };
	struct list l = {};
	int err = open_list(&l, files, glob, why);

	if (!err) {
		tidy(&l, false);
		err = call_each(&l, call_plain, &plain);
	}
	close_list(&l);
	return err;
}

static int keep_name(const struct lookup_kernel_function *f, void *arg)
{
	uint32_t id;

	return strtab__add(arg, f->name, strlen(f->name), &id);
}

static int no_match(const char *kallsyms, const char *glob, struct buf *why)
{
	const struct lookup_kernel_files all = { .kallsyms = kallsyms };
	struct strtab *t = strtab__new();
	int err = t ? buf__printf(why, "no function of the kernel matches '%s'", glob) : -ENOMEM;

	if (!err)
		err = lookup__each_kernel_function(&all, "*", keep_name, t, why);
	if (!err)
		err = suggest_of(why, glob, t);
	strtab__free(t);
	return err ? err : -ENOENT;
}

int lookup__each_kernel_probe(const struct lookup_kernel_files *files, const char *glob,
			      lookup_kernel_probe_fn *fn, void *arg, struct buf *why)
{
	struct list l = {};
	int err = open_list(&l, files, glob, why);

	if (!err)
		err = find_aliases(&l, files->kallsyms);
	if (!err) {
		tidy(&l, true);
		err = l.nr ? call_each(&l, fn, arg) : no_match(files->kallsyms, glob, why);
	}
	close_list(&l);
	return err;
}
