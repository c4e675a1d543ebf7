// SPDX-License-Identifier: BSD-2-Clause
/* Names of code made at run time: asked for again while maps grow, and once more at the end. */
#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/strtab.h"
#include "sym/namer_state.h"
#include "sym/procs_maps.h"

/* Least time between two questions for the same address. */
enum { NAMELESS_MS = 500 };

/* Asks for a life's addresses that had no name, for the last time. */
static int ask_late(void *arg, struct proc *proc)
{
	const struct proc *newest;
	struct namer *n = arg;
	struct find *f;

	if (!proc->late.nr)
		return 0;
	f = find__new(FIND_LATE, 0);
	if (!f)
		return -ENOMEM;
	f->pid = proc->pid;
	f->life = proc->life;
	newest = procs__newest(n->procs, proc->pid);
	f->is_over = newest && newest->life > proc->life;
	f->late = proc->late.addrs;
	f->nr_late = proc->late.nr;
	proc->late.addrs = NULL;
	late_life__free(&proc->late);
	n->nr_late_asked++;
	namer__ask(n, f);
	return 0;
}

/* Without memory its names stay until the end. */
void namer_jit__end_life(void *arg, struct proc *proc)
{
	struct namer *n = arg;
	struct find *f;

	if (!proc->has_jit) /* it has no perf map */
		return;
	f = ask_late(n, proc) ? NULL : find__new(FIND_LIFE_END, 0);
	if (!f)
		return;
	f->life = proc->life;
	worker__give(n->finder, &f->job);
}

/* A jitdump that the process maps since it was last asked about. */
static int tell_dump(struct namer *n, struct proc *proc)
{
	struct find *f;
	int err;

	if (!proc->dump_path)
		return 0;
	f = find__new(FIND_DUMP, 0);
	err = f ? buf__puts(&f->text, proc->dump_path) : -ENOMEM;
	if (err) {
		find__free(f);
		return err;
	}
	f->pid = proc->pid;
	f->life = proc->life;
	free(proc->dump_path);
	proc->dump_path = NULL;
	worker__give(n->finder, &f->job);
	return 0;
}

/* @soon: the first one of a process, which may be gone in a moment with all it has written. */
static int ask_jit(struct namer *n, struct proc *proc, uint64_t addr, bool soon)
{
	struct find *f;
	int err;

	if (!namer__may_ask(n))
		return 0;
	err = tell_dump(n, proc);
	if (err)
		return err;
	f = find__new(FIND_JIT, addr);
	err = f ? idmap__set(&proc->jit_names, addr, FRAME_ASKED) : -ENOMEM;
	if (err) {
		find__free(f);
		return err;
	}
	f->pid = proc->pid;
	f->life = proc->life;
	if (soon)
		namer__ask(n, f);
	else
		namer__ask_later(n, f);
	return 0;
}

/*
 * The frame of an address that has no name so far, by the mapping's @start; of its own if its name
 * may come late.
 */
static int add_nameless(struct namer *n, struct proc *proc, uint64_t start, uint64_t addr,
			uint32_t *id)
{
	struct late_addr *late = late_life__find(&proc->late, addr);
	int err = late ? 0 : n->late ? late__add(n->late, &proc->late, addr, &late) : -ENOSPC;

	if (err == -ENOSPC)
		return frames__add_address(&n->frames, "jit", start, SYM_JIT, id);
	if (!err && late->frame == LATE_NO_FRAME)
		err = frames__add_late(&n->frames, "jit", start, late->number, &late->frame);
	if (!err)
		*id = late->frame;
	return err;
}

/* Frames of another era have been forgotten. */
static void begin_era(struct namer *n, struct proc *proc)
{
	if (proc->jit_era == n->era)
		return;
	idmap__clear(&proc->jit_names);
	idmap__clear(&proc->jit_nameless);
	for (size_t i = 0; i < proc->late.nr; i++)
		proc->late.addrs[i].frame = LATE_NO_FRAME;
	proc->jit_era = n->era;
}

/* As it is in jit_nameless. */
static uint32_t ms_of(uint64_t ns)
{
	return (uint32_t)(ns / 1000000);
}

/* Looked for and not found, and not long ago: from the answer on, whenever that came. */
static bool is_nameless(const struct proc *proc, uint64_t addr, uint64_t now_ns)
{
	uint32_t at_ms;

	return idmap__get(&proc->jit_nameless, addr, &at_ms) && ms_of(now_ns) - at_ms < NAMELESS_MS;
}

/*
 * What has no name is asked for again after NAMELESS_MS, the map may have grown, unless names
 * are waited for: then at the end. Until then all of a mapping has one name, by @start.
 */
int namer_jit__name(struct namer *n, struct proc *proc, uint64_t start, uint64_t addr, uint32_t *id)
{
	const bool first = !proc->has_jit;
	const uint64_t now = clock__now_ns();
	int err = 0;

	begin_era(n, proc);
	if (late_life__find(&proc->late, addr))
		return add_nameless(n, proc, start, addr, id);
	proc->has_jit = true;
	if (is_nameless(proc, addr, now))
		return add_nameless(n, proc, start, addr, id);
	if (!idmap__get(&proc->jit_names, addr, id) || *id == FRAME_NAMELESS) {
		err = ask_jit(n, proc, addr, first);
		*id = FRAME_ASKED;
	}
	if (err || *id != FRAME_ASKED)
		return err;
	if (!n->hurries)
		return -EAGAIN;
	n->nr_hurried++;
	n->nr_changes++;
	return add_nameless(n, proc, start, addr, id);
}

/* Names of a map that was read again are asked for anew: code may have moved. */
int namer_jit__take(struct namer *n, const struct find *f)
{
	struct proc *proc = procs__by_life(n->procs, f->pid, f->life);
	uint32_t id;
	int err;

	if (!proc)
		return 0;
	if (f->answer.map != proc->jit_map)
		idmap__clear(&proc->jit_names);
	proc->jit_map = f->answer.map;
	if (!f->answer.named) {
		err = idmap__set(&proc->jit_nameless, f->at, ms_of(clock__now_ns()));
		return err ? err : idmap__set(&proc->jit_names, f->at, FRAME_NAMELESS);
	}
	err = namer__add_found(n, f, "jit", SYM_JIT, f->at, &id);
	return err ? err : idmap__set(&proc->jit_names, f->at, id);
}

int namer_jit__take_late(struct namer *n, const struct find *f)
{
	int err = 0;

	n->nr_late_asked--;
	for (size_t i = 0; i < f->nr_late && !err; i++)
		if (f->late[i].name)
			err = late__name(n->late, f->late[i].number,
					 strtab__get(f->late_names, f->late[i].name));
	return err;
}

int namer__ask_late(struct namer *n)
{
	return procs__each(n->procs, ask_late, n);
}

size_t namer__nr_late_asked(const struct namer *n)
{
	return n->nr_late_asked;
}

const char *namer__late(const struct namer *n, uint32_t number)
{
	return n->late ? late__get(n->late, number) : NULL;
}

uint64_t namer__nr_late_refused(const struct namer *n)
{
	return n->late ? late__nr_refused(n->late) : 0;
}
