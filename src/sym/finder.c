// SPDX-License-Identifier: BSD-2-Clause
/* Answers requests from kallsyms, binaries and what JITs write down, on the finder's thread. */
#include "sym/finder.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/privileges.h"
#include "elf/demangle.h"
#include "elf/elf_file.h"
#include "sym/binaries.h"
#include "sym/chains.h"
#include "sym/jits.h"
#include "sym/kallsyms.h"

struct finder {
	bool demangle;
	char *kallsyms_path;
	struct kallsyms *kallsyms; /* NULL before it is read and after an error */
	bool kallsyms_tried;
	int kallsyms_err;
	struct binaries *binaries;
	struct chains *chains; /* NULL: not asked for */
	struct jits *jits;
	uint64_t nr_unstored;
};

struct find *find__new(enum find_kind kind, uint64_t at)
{
	struct find *f = calloc(1, sizeof(*f));

	if (f)
		*f = (struct find){ .kind = kind, .at = at, .mapped.fd = -1, .fd = -1 };
	return f;
}

void find__free(struct find *f)
{
	if (!f)
		return;
	if (f->has_mapped)
		mapped_file__free(&f->mapped);
	if (f->fd >= 0)
		close(f->fd);
	buf__free(&f->name);
	buf__free(&f->inlined);
	free(f);
}

static void free_job(struct job *job)
{
	find__free((struct find *)job);
}

/* The whole list at once: some 50 ms, seconds on an emulated machine. */
static int read_kallsyms(struct finder *x)
{
	int err;

	if (x->kallsyms_tried)
		return x->kallsyms_err;
	x->kallsyms_tried = true;
	err = kallsyms__open(&x->kallsyms, x->kallsyms_path);
	if (!err)
		err = kallsyms__read(x->kallsyms);
	if (err) {
		kallsyms__close(x->kallsyms);
		x->kallsyms = NULL;
	}
	x->kallsyms_err = err;
	return err;
}

static int find_kernel(struct finder *x, struct find *f)
{
	struct ksym sym;
	size_t len;
	int err = read_kallsyms(x);

	if (err || !kallsyms__find(x->kallsyms, f->at, &sym))
		return err;
	f->named = true;
	len = strlen(sym.name) + 1;
	err = buf__put(&f->name, sym.name, len);
	if (!err)
		err = buf__puts(&f->name, sym.module);
	if (!err)
		f->module = f->name.data + len;
	return err;
}

static int put_name(const struct finder *x, struct find *f, const char *symbol)
{
	f->named = true;
	return x->demangle ? demangle(&f->name, symbol) : buf__puts(&f->name, symbol);
}

static int find_in_binary(struct finder *x, struct find *f, struct binary *b)
{
	struct sym sym;
	bool named, lacked;

	f->vaddr = f->at;
	if (!b)
		return 0;
	lacked = binary__lacked_memory(b);
	named = binary__find(b, f->at, &sym, &f->vaddr);
	x->nr_unstored += !lacked && binary__lacked_memory(b);
	f->what = binary__outermost(b, f->vaddr, named ? sym.name : NULL);
	f->in_function = !named && binary__function(b, f->vaddr, &f->function);
	return named ? put_name(x, f, sym.name) : 0;
}

static int add_file(struct finder *x, struct find *f)
{
	if (!f->has_mapped)
		return 0;
	f->has_mapped = false;
	return binaries__add(x->binaries, f->file, &f->mapped);
}

static int find_in_file(struct finder *x, struct find *f)
{
	int err = add_file(x, f);

	/* Before the symbols are read: then the file is closed. */
	if (!err && x->chains)
		err = chains__open_file(x->chains, x->binaries, f->file);
	if (!err)
		err = find_in_binary(x, f, binaries__get(x->binaries, f->file));
	if (!err && x->chains && f->named)
		err = chains__find(x->chains, f->file, f->vaddr, &f->name, &f->inlined,
				   &f->nr_inlined);
	return err;
}

static int open_file(struct finder *x, struct find *f)
{
	int err = add_file(x, f);

	if (!err)
		f->fd = binaries__descriptor(x->binaries, f->file);
	return err;
}

static int find_in_jit(struct finder *x, struct find *f)
{
	struct sym sym;
	int found = jits__find(x->jits, f->pid, f->life, f->at, &sym, &f->map);

	if (found <= 0)
		return found;
	f->named = true;
	return buf__puts(&f->name, sym.name);
}

static void run(void *owner, struct job *job)
{
	struct find *f = (struct find *)job;
	struct finder *x = owner;

	switch (f->kind) {
	case FIND_KERNEL:
		f->err = find_kernel(x, f);
		break;
	case FIND_FILE:
		f->err = find_in_file(x, f);
		break;
	case FIND_VDSO:
		f->err = find_in_binary(x, f, binaries__vdso(x->binaries));
		break;
	case FIND_JIT:
		f->err = find_in_jit(x, f);
		break;
	case FIND_OPEN:
		f->err = open_file(x, f);
		break;
	case FIND_KSYMBOL:
		/* Before the list is read it is not needed: the list will have it. */
		if (x->kallsyms)
			f->err = kallsyms__add(x->kallsyms, f->at, f->len, f->name.data);
		break;
	case FIND_DUMP:
		f->err = jits__dump(x->jits, f->pid, f->life, f->name.data);
		break;
	case FIND_LIFE_END:
		jits__end(x->jits, f->life);
		break;
	}
	f->nr_unread = binaries__allowance(x->binaries)->nr_files_cut;
	f->nr_unstored = x->nr_unstored;
	f->nr_maps_cut = jits__nr_maps_cut(x->jits);
	f->nr_dumps_cut = jits__nr_dumps_cut(x->jits);
}

static void end(void *owner)
{
	struct finder *x = owner;

	jits__free(x->jits);
	kallsyms__close(x->kallsyms);
	chains__free(x->chains);
	binaries__free(x->binaries);
	free(x->kallsyms_path);
	free(x);
}

int finder__open(struct worker **out, const struct finder_opts *opts)
{
	struct finder *x = calloc(1, sizeof(*x));
	const struct worker_opts worker = { run, free_job, end, x, PRIVILEGES_SYMBOLS };
	const struct chains_opts chains = { .demangle = opts->demangle,
					    .inlines = opts->inlines,
					    .lines = opts->lines,
					    .proc_root = opts->proc_root };
	int err = -ENOMEM;

	*out = NULL;
	if (!x)
		return -ENOMEM;
	elf_version(EV_CURRENT); /* sets a global of libelf: before there are two threads */
	x->demangle = opts->demangle;
	x->kallsyms_path = strdup(opts->kallsyms);
	x->binaries = binaries__new(opts->symbol_bytes);
	if (x->binaries)
		x->jits = jits__new(opts->proc_root, binaries__allowance(x->binaries));
	if (opts->inlines || opts->lines)
		x->chains = chains__new(&chains);
	if (x->kallsyms_path && x->jits && (x->chains || !(opts->inlines || opts->lines)))
		err = worker__open(out, &worker);
	if (err)
		end(x);
	return err;
}
