// SPDX-License-Identifier: BSD-2-Clause
/* Processes that are unwound, and what programs have of them. */
#include "collect/unwinder.h"

#include <errno.h>
#include <stdlib.h>

#include "base/idmap.h"
#include "base/log.h"
#include "base/worker.h"
#include "collect/unwind_copies.h"
#include "collect/unwind_files.h"

static const uint64_t BUSY_NS = 1000000000;	 /* processes come and go */
static const uint64_t REREAD_NS = 100 * 1000000; /* least time between two looks at a map again */

struct unwound {
	uint32_t pid, life;
	unsigned changes; /* of its space, when its mappings were put there */
	bool published, stale;
	bool is_crowded; /* there was no room for its mappings */
	uint64_t published_ns;
	struct extent place;
	uint32_t *files; /* that it maps, once for each mapping */
	size_t nr_files, cap_files;
};

struct unwinder {
	struct unwind_maps *maps;
	struct procs *procs;
	struct unwind_files files;
	struct unwind_copies copies;
	struct unwound *unwound;
	size_t nr_unwound, cap_unwound;
	struct idmap by_pid;		 /* -> index in unwound; NOBODY: it has ended */
	struct unwind_mapping *mappings; /* scratch */
	size_t cap_mappings;
	bool waits;		      /* for mappings of a process, at the last poll */
	uint64_t polled_ns, added_ns; /* the last poll; when a process was last added */
	struct unwinder_stats stats;
};

#define NOBODY UINT32_MAX

void unwinder__close(struct unwinder *u)
{
	if (!u)
		return;
	for (size_t i = 0; i < u->nr_unwound; i++)
		free(u->unwound[i].files);
	free(u->unwound);
	unwind_files__end(&u->files);
	free(u->mappings);
	unwind_copies__end(&u->copies);
	idmap__free(&u->by_pid);
	free(u);
}

static void leave_files(struct unwinder *u, struct unwound *x)
{
	for (size_t i = 0; i < x->nr_files; i++)
		unwind_files__leave(&u->files, x->files[i]);
	x->nr_files = 0;
}

/* Its file is used by @x from now on. */
static int add_mapping(struct unwinder *u, struct unwound *x, const struct mapping *m,
		       struct unwind_mapping *out)
{
	bool complete;
	int err = unwind_files__mapping(&u->files, m, out, &complete);

	if (err || !unwind_files__is_of_file(m))
		return err;
	err = array__grow(&x->files, &x->cap_files, x->nr_files + 1);
	if (!err)
		x->files[x->nr_files++] = unwind_files__use(&u->files, m);
	return err;
}

/* Code made at run time may have thousands of mappings side by side: one will do for programs. */
static bool goes_on(const struct unwind_mapping *a, const struct unwind_mapping *b)
{
	return a->end == b->start && !a->nr_pages && !b->nr_pages && !a->first_page &&
	       !b->first_page;
}

static int publish(struct unwinder *u, struct unwound *x, const struct proc *proc)
{
	const struct mapping *all = space__now(proc->space);
	const size_t nr_all = space__nr(proc->space);
	uint32_t nr = 0;
	int err = array__grow(&u->mappings, &u->cap_mappings, nr_all + 1);

	leave_files(u, x);
	for (size_t i = 0; i < nr_all && !err; i++) {
		err = add_mapping(u, x, &all[i], &u->mappings[nr]);
		if (nr && goes_on(&u->mappings[nr - 1], &u->mappings[nr]))
			u->mappings[nr - 1].end = u->mappings[nr].end;
		else
			nr++;
	}
	if (!err)
		err = unwind_maps__process(u->maps, x->pid, u->mappings, nr, &x->place);
	x->is_crowded = err == -ENOSPC || err == -E2BIG;
	if (x->is_crowded) {
		u->stats.nr_crowded++;
		err = 0;
	}
	x->published = true;
	x->published_ns = u->polled_ns;
	x->stale = false;
	x->life = proc->life;
	x->changes = space__changes(proc->space);
	return err;
}

static int end(struct unwinder *u, struct unwound *x)
{
	int err = unwind_maps__forget(u->maps, x->pid, &x->place);
	const uint32_t last = --u->nr_unwound;

	leave_files(u, x);
	free(x->files);
	if (!err)
		err = idmap__set(&u->by_pid, x->pid, NOBODY);
	if (x == &u->unwound[last])
		return err;
	*x = u->unwound[last];
	return err ? err : idmap__set(&u->by_pid, x->pid, x - u->unwound);
}

/* One that is known: its mappings again if they have changed. *ended: it is not there any more. */
static int refresh(struct unwinder *u, struct unwound *x, uint64_t now_ns, bool *ended)
{
	struct proc *proc;
	int err = procs__find(u->procs, x->pid, now_ns, &proc);

	*ended = !err && (proc->gone || proc->end_ns);
	if (err || *ended)
		return err ? err : end(u, x);
	if (x->published && proc->life != x->life) /* an exec: programs see another address space */
		x->stale = true;
	u->waits |= !proc__is_read(proc) || !space__nr(proc->space);
	if (!proc__is_read(proc) || !space__nr(proc->space))
		return 0;
	if (x->published && !x->stale && x->changes == space__changes(proc->space))
		return 0;
	if (x->is_crowded && now_ns < x->published_ns + REREAD_NS)
		return 0;
	return publish(u, x, proc);
}

static int ask_again(struct unwinder *u, struct unwound *x, uint64_t now_ns)
{
	struct proc *proc;
	int err = procs__find(u->procs, x->pid, now_ns, &proc);

	/* Code that is in none of its mappings: something was not reported. */
	if (!err && x->published && !proc->end_ns && now_ns > x->published_ns + REREAD_NS)
		err = procs__reread(u->procs, proc, now_ns, REREAD_NS);
	x->stale = true;
	return err;
}

static int add(struct unwinder *u, uint32_t pid, uint64_t now_ns)
{
	uint32_t i;
	int err;

	if (idmap__get(&u->by_pid, pid, &i) && i != NOBODY) {
		u->waits |= !u->unwound[i].is_crowded;
		return ask_again(u, &u->unwound[i], now_ns);
	}
	u->waits = true;
	err = array__grow(&u->unwound, &u->cap_unwound, u->nr_unwound + 1);
	if (!err)
		err = idmap__set(&u->by_pid, pid, u->nr_unwound);
	if (!err)
		u->unwound[u->nr_unwound++] = (struct unwound){ .pid = pid };
	u->added_ns = u->polled_ns;
	return err;
}

/* unwind_files_changed_fn: whoever maps the file gets its table with the next look. */
static void make_stale(void *arg, uint32_t file)
{
	struct unwinder *u = arg;

	for (size_t i = 0; i < u->nr_unwound; i++)
		for (size_t n = 0; n < u->unwound[i].nr_files; n++)
			u->unwound[i].stale |= u->unwound[i].files[n] == file;
}

/* copied_space_fn: its mappings as they were. These may be awaited, and tables of its files. */
static int space_of(void *arg, const struct proc *proc, struct copied_space *out)
{
	struct unwinder *u = arg;
	const struct mapping *all = space__now(proc->space);
	const size_t nr_all = space__nr(proc->space);
	int err = array__grow(&u->mappings, &u->cap_mappings, nr_all + 1);

	out->nr = 0;
	out->complete = proc->gone || proc__is_read(proc);
	for (size_t i = 0; i < nr_all && !err; i++) {
		err = unwind_files__mapping(&u->files, &all[i], &u->mappings[out->nr],
					    &out->complete);
		out->nr++;
	}
	out->mappings = u->mappings;
	return err;
}

int unwinder__open(struct unwinder **out, struct unwind_maps *maps, struct procs *procs,
		   struct namer *namer, struct jail *jail, struct verifier *verifier,
		   size_t max_frames)
{
	struct unwinder *u = calloc(1, sizeof(*u));
	int err;

	*out = NULL;
	if (!u)
		return -ENOMEM;
	u->maps = maps;
	u->procs = procs;
	err = unwind_copies__init(&u->copies, &(struct unwind_copies){ .maps = maps,
								       .procs = procs,
								       .verifier = verifier,
								       .max_frames = max_frames,
								       .space = space_of,
								       .arg = u });
	if (!err)
		err = unwind_files__init(&u->files,
					 &(struct unwind_files){ .maps = maps,
								 .namer = namer,
								 .verifier = verifier,
								 .changed = make_stale,
								 .arg = u },
					 jail);
	if (err) {
		unwinder__close(u);
		return err;
	}
	*out = u;
	return 0;
}

int unwinder__poll(struct unwinder *u, uint64_t now_ns, bool last, const struct rows_reader *reader)
{
	uint32_t pids[UNWIND_ASKED];
	const size_t nr = unwind_maps__asked(u->maps, pids);
	int err = unwind_files__poll(&u->files, now_ns);
	bool ended;

	u->polled_ns = now_ns;
	u->waits = false;
	for (size_t i = 0; i < nr && !err; i++)
		err = add(u, pids[i], now_ns);
	for (size_t i = 0; i < u->nr_unwound && !err; i += !ended)
		err = refresh(u, &u->unwound[i], now_ns, &ended);
	return err ? err : unwind_copies__take(&u->copies, now_ns, last, reader, &u->waits);
}

int unwinder__expect(struct unwinder *u, uint32_t pid)
{
	uint32_t i;

	return idmap__get(&u->by_pid, pid, &i) && i != NOBODY ? 0 : add(u, pid, 0);
}

int unwinder__began(struct unwinder *u, uint32_t pid)
{
	return unwind_maps__expects(u->maps, pid) ? unwinder__expect(u, pid) : 0;
}

bool unwinder__waits(const struct unwinder *u)
{
	return u->waits || u->files.nr_asked;
}

unsigned unwinder__patience_ms(const struct unwinder *u)
{
	enum { SOON_MS = 2, BUSY_MS = 10, LATE_MS = 50 };

	if (unwinder__waits(u))
		return SOON_MS;
	return u->polled_ns < u->added_ns + BUSY_NS ? BUSY_MS : LATE_MS;
}

uint64_t unwinder__since_ns(const struct unwinder *u)
{
	return unwind_copies__since_ns(&u->copies);
}

int unwinder__fd(const struct unwinder *u)
{
	return worker__fd(u->files.builder);
}

void unwinder__stats(const struct unwinder *u, struct unwinder_stats *out)
{
	*out = u->stats;
	out->nr_copies = u->maps->nr_taken;
	out->nr_processes = u->nr_unwound;
	out->nr_refused = u->files.nr_refused;
	out->nr_shared = u->files.tables.nr_shared;
	out->nr_evicted = u->files.tables.nr_evicted;
	for (size_t i = 0; i < u->files.tables.nr; i++) {
		const struct shared_table *t = &u->files.tables.all[i];

		if (!t->life)
			continue;
		out->nr_tables++;
		out->nr_rows += t->where.nr_rows;
		out->bytes += sizeof(uint32_t) * (uint64_t)t->where.nr_rows +
			      sizeof(uint64_t) * t->where.pages.nr;
	}
	out->build_ns = worker__cpu_ns(u->files.builder);
}

void unwinder__tell(const struct unwinder *u)
{
	struct unwinder_stats s;

	unwinder__stats(u, &s);
	if (s.nr_refused)
		log__notice(
			"unwind rules of %llu file%s had no room for some of the time: their code "
			"was unwound by frame pointer (--unwind-mem SIZE)",
			(unsigned long long)s.nr_refused, s.nr_refused == 1 ? "" : "s");
	if (s.nr_crowded)
		log__notice("mappings of processes had no room: code there was unwound by frame "
			    "pointer (--unwind-mem SIZE)");
	log__debug("unwinding: %llu stacks were copied; %zu tables of %llu rows in %llu kB; %llu "
		   "were shared, %llu gave way",
		   (unsigned long long)s.nr_copies, s.nr_tables, (unsigned long long)s.nr_rows,
		   (unsigned long long)s.bytes / 1000, (unsigned long long)s.nr_shared,
		   (unsigned long long)s.nr_evicted);
}
