// SPDX-License-Identifier: BSD-2-Clause
/* Answers requests for names from kallsyms, binaries and perf maps, on the finder's thread. */
#include "sym/finder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/privileges.h"
#include "elf/demangle.h"
#include "elf/elf_file.h"
#include "sym/binaries.h"
#include "sym/kallsyms.h"
#include "sym/perfmap.h"

static const uint64_t LOOK_AGAIN_NS = 100 * 1000000;

/* Code that a process makes at run time. */
struct jit {
	uint32_t life;
	uint32_t number; /* of the map, a new one whenever it is read; 0: none yet */
	struct perfmap *map;
	uint64_t looked_ns; /* when it was last looked at; 0: never */
};

struct finder {
	bool demangle;
	char *kallsyms_path, *proc_root;
	struct kallsyms *kallsyms; /* NULL before it is read and after an error */
	bool kallsyms_tried;
	int kallsyms_err;
	struct binaries *binaries;
	struct jit *jits;
	size_t nr_jits, cap_jits;
	uint32_t nr_maps; /* ever read */
	uint64_t nr_unstored;
	struct perfmaps perfmaps;
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

	return err ? err : find_in_binary(x, f, binaries__get(x->binaries, f->file));
}

static int open_file(struct finder *x, struct find *f)
{
	int err = add_file(x, f);

	if (!err)
		f->fd = binaries__descriptor(x->binaries, f->file);
	return err;
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

/* Reads what is new in the process's perf map: slice by slice. */
static int refresh_perfmap(struct finder *x, struct jit *jit, uint32_t pid)
{
	uint64_t now = clock__now_ns();
	char path[64], root[256];
	struct stat st;
	int state;

	if (jit->looked_ns && now - jit->looked_ns < LOOK_AGAIN_NS)
		return 0;
	snprintf(root, sizeof(root), "%s/%u", x->proc_root, pid);
	if (stat(root, &st)) /* gone: who its owner was is not known, so no file can be trusted */
		return 0;
	snprintf(root, sizeof(root), "%s/%u/root", x->proc_root, pid);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", innermost_pid(x->proc_root, pid));
	if (!jit->map)
		jit->map = perfmap__new(&x->perfmaps);
	if (!jit->map)
		return -ENOMEM;
	do {
		state = perfmap__read(jit->map, root, path, st.st_uid);
		if (state > GROWING_SAME)
			jit->number = ++x->nr_maps;
	} while (state == GROWING_MORE);
	jit->looked_ns = clock__now_ns();
	return state == -ENOMEM ? state : 0;
}

static struct jit *jit_of(struct finder *x, uint32_t life)
{
	for (size_t i = 0; i < x->nr_jits; i++)
		if (x->jits[i].life == life)
			return &x->jits[i];
	if (array__grow(&x->jits, &x->cap_jits, x->nr_jits + 1))
		return NULL;
	x->jits[x->nr_jits] = (struct jit){ .life = life };
	return &x->jits[x->nr_jits++];
}

static int find_in_jit(struct finder *x, struct find *f)
{
	struct jit *jit = jit_of(x, f->life);
	struct sym sym;
	int err = 0;

	if (!jit)
		return -ENOMEM;
	if (!jit->map || !perfmap__find(jit->map, f->at, &sym))
		err = refresh_perfmap(x, jit, f->pid);
	if (!err && jit->map && perfmap__find(jit->map, f->at, &sym)) {
		f->named = true;
		err = buf__puts(&f->name, sym.name);
	}
	f->map = jit->number;
	return err;
}

static void end_life(struct finder *x, uint32_t life)
{
	for (size_t i = 0; i < x->nr_jits; i++) {
		if (x->jits[i].life != life)
			continue;
		perfmap__free(x->jits[i].map);
		x->jits[i] = x->jits[--x->nr_jits];
		return;
	}
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
	case FIND_LIFE_END:
		end_life(x, f->life);
		break;
	}
	f->nr_unread = binaries__allowance(x->binaries)->nr_files_cut;
	f->nr_unstored = x->nr_unstored;
	f->nr_maps_cut = x->perfmaps.nr_cut;
}

static void end(void *owner)
{
	struct finder *x = owner;

	for (size_t i = 0; i < x->nr_jits; i++)
		perfmap__free(x->jits[i].map);
	free(x->jits);
	kallsyms__close(x->kallsyms);
	binaries__free(x->binaries);
	free(x->kallsyms_path);
	free(x->proc_root);
	free(x);
}

int finder__open(struct worker **out, const struct finder_opts *opts)
{
	struct finder *x = calloc(1, sizeof(*x));
	const struct worker_opts worker = { run, free_job, end, x, PRIVILEGES_SYMBOLS };
	int err = -ENOMEM;

	*out = NULL;
	if (!x)
		return -ENOMEM;
	elf_version(EV_CURRENT); /* sets a global of libelf: before there are two threads */
	x->demangle = opts->demangle;
	x->kallsyms_path = strdup(opts->kallsyms);
	x->proc_root = strdup(opts->proc_root);
	x->binaries = binaries__new(opts->symbol_bytes);
	x->perfmaps.room.max_bytes = PERFMAPS_BYTES;
	if (x->binaries)
		x->perfmaps.run = binaries__allowance(x->binaries);
	if (x->kallsyms_path && x->proc_root && x->binaries)
		err = worker__open(out, &worker);
	if (err)
		end(x);
	return err;
}
