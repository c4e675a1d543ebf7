// SPDX-License-Identifier: BSD-2-Clause
#include "sym/namer.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/idmap.h"
#include "base/strtab.h"
#include "sym/demangle.h"

static const uint64_t LOOK_AGAIN_NS = 100 * 1000000; /* perf maps and lost mappings */
static const uint64_t OF_CALLERS_NS = 5000000000;    /* the same for a caller's mapping */

struct namer {
	struct procs *procs;
	struct binaries *binaries;
	struct namer_opts opts;

	struct kallsyms *kallsyms; /* NULL before it is opened and after an error */
	int kallsyms_err;
	bool kernel_asked, kernel_read;

	struct strtab *strings;
	struct sym_frame *frames;
	size_t nr_frames, cap_frames;
	struct idmap kernel;	 /* address -> frame */
	struct idmap *by_binary; /* for each binary: file offset -> frame and enum outermost */
	size_t nr_by_binary, cap_by_binary;
	struct idmap vdso;    /* offset -> frame and enum outermost */
	struct idmap by_name; /* hash of name, module, kind -> newest frame of them */
	uint32_t unknown;
	unsigned era; /* how often all names were forgotten */
	struct buf scratch;
};

/* Beside the number of a frame: of what is named, which is fewer than 2^30 addresses. */
enum { OUTERMOST_SHIFT = 30, FRAME_MASK = (1u << OUTERMOST_SHIFT) - 1 };

/* Equal frames are one: a function's many addresses share it. */
static int add_frame(struct namer *n, const char *name, size_t len, const char *module,
		     enum sym_kind kind, bool named, uint32_t *id)
{
	uint32_t name_id, module_id;
	uint64_t key;
	int err;

	err = strtab__add(n->strings, name, len, &name_id);
	if (!err)
		err = strtab__add(n->strings, module, strlen(module), &module_id);
	if (err)
		return err;
	/* Exact below 2^31 strings and 2^30 modules; both are far away. */
	key = (uint64_t)module_id << 34 | (uint64_t)kind << 32 | name_id;
	if (idmap__get(&n->by_name, key, id))
		return 0;
	err = array__grow(&n->frames, &n->cap_frames, n->nr_frames + 1);
	if (!err)
		err = idmap__set(&n->by_name, key, n->nr_frames);
	if (err)
		return err;
	n->frames[n->nr_frames] = (struct sym_frame){
		.name = strtab__get(n->strings, name_id),
		.module = strtab__get(n->strings, module_id),
		.kind = kind,
		.named = named,
		.cookie = UINT32_MAX,
	};
	*id = n->nr_frames++;
	return 0;
}

struct namer *namer__new(struct procs *procs, struct binaries *binaries,
			 const struct namer_opts *opts)
{
	struct namer *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->procs = procs;
	n->binaries = binaries;
	n->opts = *opts;
	n->strings = strtab__new();
	if (!n->strings || add_frame(n, "[unknown]", 9, "", SYM_USER, false, &n->unknown)) {
		namer__free(n);
		return NULL;
	}
	return n;
}

void namer__free(struct namer *n)
{
	if (!n)
		return;
	kallsyms__close(n->kallsyms);
	strtab__free(n->strings);
	free(n->frames);
	idmap__free(&n->kernel);
	for (size_t i = 0; i < n->nr_by_binary; i++)
		idmap__free(&n->by_binary[i]);
	free(n->by_binary);
	idmap__free(&n->vdso);
	idmap__free(&n->by_name);
	buf__free(&n->scratch);
	free(n);
}

static int add_symbol(struct namer *n, const char *symbol, const char *module, enum sym_kind kind,
		      uint32_t *id)
{
	int err;

	buf__clear(&n->scratch);
	err = n->opts.demangle && kind == SYM_USER ? demangle(&n->scratch, symbol)
						   : buf__puts(&n->scratch, symbol);
	if (err)
		return err;
	return add_frame(n, n->scratch.data, n->scratch.len, module, kind, true, id);
}

static int add_placeholder(struct namer *n, const char *module, uint64_t offset, enum sym_kind kind,
			   uint32_t *id)
{
	int err;

	buf__clear(&n->scratch);
	err = buf__printf(&n->scratch, "[%s+0x%llx]", module, (unsigned long long)offset);
	if (err)
		return err;
	return add_frame(n, n->scratch.data, n->scratch.len, module, kind, false, id);
}

int namer__kernel_error(const struct namer *n)
{
	return n->kallsyms_err;
}

int namer__read_kernel(struct namer *n, uint64_t budget_ns, bool *more)
{
	int err = 0;

	*more = false;
	if (!n->kernel_asked || n->kernel_read)
		return 0;
	if (!n->kallsyms)
		err = kallsyms__open(&n->kallsyms, n->opts.kallsyms);
	if (!err)
		err = kallsyms__read(n->kallsyms, budget_ns);
	if (!err) {
		*more = true;
		return 0;
	}
	if (err < 0) {
		kallsyms__close(n->kallsyms);
		n->kallsyms = NULL;
		n->kallsyms_err = err;
	}
	n->kernel_read = true;
	idmap__clear(&n->kernel);
	return err == -ENOMEM ? err : 0;
}

bool namer__kernel_read(const struct namer *n)
{
	return n->kernel_read;
}

int namer__kernel_added(struct namer *n, uint64_t addr, uint32_t len, const char *name)
{
	return n->kallsyms ? kallsyms__add(n->kallsyms, addr, len, name) : 0;
}

int namer__kernel(struct namer *n, uint64_t addr, bool caller, struct sym_frame **out)
{
	uint64_t at = addr - caller;
	struct ksym sym;
	uint32_t id;
	int err = 0;

	n->kernel_asked = true;
	if (!idmap__get(&n->kernel, at, &id)) {
		if (n->kallsyms && kallsyms__find(n->kallsyms, at, &sym))
			err = add_symbol(n, sym.name, sym.module, SYM_KERNEL, &id);
		else
			err = add_placeholder(n, "kernel", at, SYM_KERNEL, &id);
		if (!err)
			err = idmap__set(&n->kernel, at, id);
		if (err)
			return err;
	}
	*out = &n->frames[id];
	return 0;
}

/* In a binary, or in the vdso: what counts is the place in the file, not in memory. */
static int name_in_file(struct namer *n, struct idmap *known, struct binary *b, const char *module,
			uint64_t offset, uint32_t *id)
{
	enum outermost what = OUTERMOST_NOT;
	uint64_t vaddr = offset;
	bool has_name;
	struct sym sym;
	int err;

	if (idmap__get(known, offset, id))
		return 0;
	has_name = b && binary__find(b, offset, &sym, &vaddr);
	if (b)
		what = binary__outermost(b, vaddr, has_name ? sym.name : NULL);
	if (has_name)
		err = add_symbol(n, sym.name, module, SYM_USER, id);
	else
		err = add_placeholder(n, module, vaddr, SYM_USER, id);
	if (err)
		return err;
	*id |= (uint32_t)what << OUTERMOST_SHIFT;
	return idmap__set(known, offset, *id);
}

static int name_in_binary(struct namer *n, uint32_t binary, uint64_t offset, uint32_t *id)
{
	if (binary >= n->nr_by_binary) {
		int err = array__grow(&n->by_binary, &n->cap_by_binary, binary + 1);

		if (err)
			return err;
		memset(&n->by_binary[n->nr_by_binary], 0,
		       (binary + 1 - n->nr_by_binary) * sizeof(*n->by_binary));
		n->nr_by_binary = binary + 1;
	}
	if (idmap__get(&n->by_binary[binary], offset, id))
		return 0;
	return name_in_file(n, &n->by_binary[binary], binaries__get(n->binaries, binary),
			    binaries__name(n->binaries, binary), offset, id);
}

/* The pid that the process itself sees: the last one in the NSpid line of its status. */
static uint32_t innermost_pid(const char *proc_root, uint32_t pid)
{
	struct buf text = {};
	char path[256], *line, *last;
	uint32_t found = pid;

	snprintf(path, sizeof(path), "%s/%u/status", proc_root, pid);
	if (!buf__read_file(&text, path, 65536) && (line = strstr(text.data, "\nNSpid:"))) {
		line = strtok_r(line + 1, "\n", &last);
		line = line ? strrchr(line, '\t') : NULL;
		if (line)
			found = strtoul(line + 1, NULL, 10);
	}
	buf__free(&text);
	return found;
}

/* (Re)reads the process's perf map if there is news in it. */
static void refresh_perfmap(struct namer *n, struct process *proc)
{
	const char *root = procs__root(n->procs);
	uint64_t now = clock__now_ns();
	struct perfmap *fresh;
	struct stat st;
	char path[256];

	if (proc->perfmap_tried && now - proc->perfmap_ns < LOOK_AGAIN_NS)
		return;
	proc->perfmap_tried = true;
	proc->perfmap_ns = now;
	if (proc->perfmap && !perfmap__stale(proc->perfmap))
		return;
	snprintf(path, sizeof(path), "%s/%u", root, proc->pid);
	if (stat(path, &st)) /* gone; an owner is still needed, and nobody's file is trusted */
		return;
	snprintf(path, sizeof(path), "%s/%u/root/tmp/perf-%u.map", root, proc->pid,
		 innermost_pid(root, proc->pid));
	if (perfmap__open(&fresh, path, st.st_uid))
		return;
	perfmap__close(proc->perfmap);
	proc->perfmap = fresh;
	idmap__clear(&proc->jit_names);
}

static int name_in_jit(struct namer *n, struct process *proc, uint64_t addr, uint32_t *id)
{
	struct sym sym;
	int err;

	if (proc->jit_era != n->era)
		idmap__clear(&proc->jit_names);
	proc->jit_era = n->era;
	if (idmap__get(&proc->jit_names, addr, id))
		return 0;
	if (!proc->perfmap || !perfmap__find(proc->perfmap, addr, &sym))
		refresh_perfmap(n, proc);
	if (!proc->perfmap || !perfmap__find(proc->perfmap, addr, &sym))
		return add_placeholder(n, "jit", addr, SYM_JIT, id); /* may get a name later */
	err = add_symbol(n, sym.name, "jit", SYM_JIT, id);
	return err ? err : idmap__set(&proc->jit_names, addr, *id);
}

/*
 * A record of the mapping was lost, or there is none (mremap): the process itself is asked. Of
 * callers rarely, and not of one that lives for a moment only: most of these are no return
 * addresses, but what code without frame pointers had in their place.
 */
static int look_again(struct namer *n, struct process *proc, bool caller)
{
	uint64_t now_ns = clock__now_ns();

	if (caller && now_ns - proc->start_ns < OF_CALLERS_NS)
		return 0;
	return procs__reread(n->procs, proc, now_ns, caller ? OF_CALLERS_NS : LOOK_AGAIN_NS);
}

int namer__user(struct namer *n, struct process *proc, uint64_t time_ns, uint64_t addr, bool caller,
		struct sym_frame **out, enum outermost *what)
{
	uint64_t at = addr - caller;
	const struct mapping *m = space__find(proc->space, at, time_ns);
	uint32_t id = n->unknown;
	int err = 0;

	/*
	 * In the middle of an exec the registers of user space are still the old program's, but all
	 * else is new: such an address means the life before.
	 */
	if (!m && proc->older)
		m = space__find(proc->older->space, at, time_ns);
	if (!m) {
		err = look_again(n, proc, caller);
		if (err)
			return err;
		m = space__find(proc->space, at, time_ns);
	}
	if (m) {
		switch (m->kind) {
		case MAPPING_FILE:
			err = name_in_binary(n, m->binary, at - m->start + m->offset, &id);
			break;
		case MAPPING_VDSO:
			err = name_in_file(n, &n->vdso, binaries__vdso(n->binaries), "[vdso]",
					   at - m->start, &id);
			break;
		case MAPPING_VSYSCALL:
			err = add_placeholder(n, "[vsyscall]", at - m->start, SYM_USER, &id);
			break;
		case MAPPING_ANON:
			err = name_in_jit(n, proc, at, &id);
			break;
		}
	}
	if (err)
		return err;
	*out = &n->frames[id & FRAME_MASK];
	*what = id >> OUTERMOST_SHIFT;
	return 0;
}

void namer__forget_cookies(struct namer *n)
{
	for (size_t i = 0; i < n->nr_frames; i++)
		n->frames[i].cookie = UINT32_MAX;
}

int namer__forget(struct namer *n)
{
	struct strtab *fresh = strtab__new();

	if (!fresh)
		return -ENOMEM;
	strtab__free(n->strings);
	n->strings = fresh;
	free(n->frames);
	n->frames = NULL;
	n->nr_frames = n->cap_frames = 0;
	idmap__free(&n->kernel);
	idmap__free(&n->vdso);
	idmap__free(&n->by_name);
	for (size_t i = 0; i < n->nr_by_binary; i++)
		idmap__free(&n->by_binary[i]);
	n->era++;
	return add_frame(n, "[unknown]", 9, "", SYM_USER, false, &n->unknown);
}

size_t namer__nr_names(const struct namer *n)
{
	size_t nr = n->kernel.nr + n->vdso.nr + n->nr_frames;

	for (size_t i = 0; i < n->nr_by_binary; i++)
		nr += n->by_binary[i].nr;
	return nr;
}
