// SPDX-License-Identifier: BSD-2-Clause
/* The kernel's functions that match a pattern. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "sym/kprobe_lists.h"
#include "sym/ksym_lines.h"
#include "sym/lookup.h"
#include "sym/pattern.h"
#include "sym/symtab.h"

struct function {
	const char *name, *module;
	uint64_t addr;
};

struct list {
	struct strtab *strings;
	struct kprobe_lists probes;
	struct pattern pattern;
	uint64_t init, init_end; /* code that was freed when the machine had booted */
	struct function *items;
	size_t nr, cap;
};

/* Code that is no function, or none that the kernel lets anybody probe. */
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
	if (err || !kprobe_lists__allow(&l->probes, name, module, line->addr))
		return err;
	if (array__grow(&l->items, &l->cap, l->nr + 1))
		return -ENOMEM;
	l->items[l->nr++] = (struct function){
		.name = strtab__get(l->strings, name),
		.module = strtab__get(l->strings, module),
		.addr = line->addr,
	};
	return 0;
}

static int by_name(const void *a, const void *b)
{
	const struct function *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	if (!order)
		order = strcmp(x->module, y->module);
	return order ? order : (x->addr > y->addr) - (x->addr < y->addr);
}

static void drop_init(struct list *l)
{
	size_t i, kept = 0;

	for (i = 0; i < l->nr; i++)
		if (l->items[i].addr < l->init || l->items[i].addr >= l->init_end)
			l->items[kept++] = l->items[i];
	l->nr = kept;
}

/* @nr functions of one name. Equal strings are one string: the table has each once. */
static int call_group(const struct function *f, size_t nr, lookup_kernel_fn *fn, void *arg)
{
	struct lookup_kernel_function out;
	size_t i;
	int err;

	for (i = 0; i < nr; i++) {
		if (i && f[i].module == f[i - 1].module)
			continue;
		out = (struct lookup_kernel_function){
			.name = f[i].name,
			.module = f[i].module,
			.addr = f[i].addr,
			.nr = nr,
		};
		err = fn(&out, arg);
		if (err)
			return err;
	}
	return 0;
}

static int call_each(const struct list *l, lookup_kernel_fn *fn, void *arg)
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

int lookup__each_kernel_function(const struct lookup_kernel_files *files, const char *glob,
				 lookup_kernel_fn *fn, void *arg, struct buf *why)
{
	struct list l = {};
	int err = pattern__compile(&l.pattern, glob, why);

	if (err)
		return err;
	l.strings = strtab__new();
	err = l.strings ? read_lists(&l, files, why) : -ENOMEM;
	if (!err) {
		drop_init(&l);
		if (l.nr)
			qsort(l.items, l.nr, sizeof(*l.items), by_name);
		err = call_each(&l, fn, arg);
	}
	free(l.items);
	kprobe_lists__free(&l.probes);
	strtab__free(l.strings);
	return err;
}
