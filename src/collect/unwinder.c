// SPDX-License-Identifier: BSD-2-Clause
/* Processes that are unwound, files that have tables, and the jobs that build these. */
#include "collect/unwinder.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/idmap.h"
#include "base/log.h"
#include "base/worker.h"
#include "collect/table_job.h"
#include "collect/unwind_copies.h"
#include "collect/unwind_tables.h"

static const uint64_t BUSY_NS = 1000000000;	 /* processes come and go */
static const uint64_t REREAD_NS = 100 * 1000000; /* least time between two looks at a map again */

enum file_state {
	FILE_NEW,
	FILE_ASKED, /* its descriptor, or its table */
	FILE_READY, /* it has a table, unless that has given way since */
	FILE_FULL,  /* there is no room for its table beside those that are in use */
	FILE_NONE,  /* it has no rules */
	FILE_NEVER, /* it may have rules, but cannot be read, or there is no room for its table */
};

struct file {
	enum file_state state;
	bool was_full;		    /* ever */
	struct table_ref table;	    /* FILE_READY */
	uint32_t nr_rows, nr_pages; /* FILE_FULL: what its table needs */
	uint32_t nr_users;	    /* mappings of processes */
};

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
	struct namer *namer;
	struct worker *builder;
	struct verifier *verifier; /* NULL: there is none */
	struct unwind_tables tables;
	struct unwind_copies copies;
	struct file *files; /* by number + 1; the first is the vdso */
	size_t nr_files, cap_files;
	struct unwound *unwound;
	size_t nr_unwound, cap_unwound;
	struct idmap by_pid;		 /* -> index in unwound; NOBODY: it has ended */
	struct unwind_mapping *mappings; /* scratch */
	size_t cap_mappings;
	size_t nr_asked;	      /* files whose table is awaited */
	size_t nr_full;		      /* files without room, of which ... */
	uint64_t full_left, full_ns;  /* ... since then no more room has been looked for */
	bool waits;		      /* for mappings of a process, at the last poll */
	uint64_t polled_ns, added_ns; /* the last poll; when a process was last added */
	struct unwinder_stats stats;
};

enum { VDSO_FILE = 0 };

#define NOBODY UINT32_MAX

void unwinder__close(struct unwinder *u)
{
	if (!u)
		return;
	if (u->builder)
		worker__close(u->builder);
	for (size_t i = 0; i < u->nr_unwound; i++)
		free(u->unwound[i].files);
	free(u->unwound);
	unwind_tables__end(&u->tables);
	free(u->files);
	free(u->mappings);
	unwind_copies__end(&u->copies);
	idmap__free(&u->by_pid);
	free(u);
}

static int file_at(struct unwinder *u, size_t i, struct file **out)
{
	int err = array__grow(&u->files, &u->cap_files, i + 1);

	if (err)
		return err;
	for (; u->nr_files <= i; u->nr_files++)
		u->files[u->nr_files] = (struct file){};
	*out = &u->files[i];
	return 0;
}

/* Has the table of a file built: of others than the vdso when their descriptor is there. */
static int ask_for(struct unwinder *u, struct file *f, size_t i)
{
	int err;

	f->state = FILE_ASKED;
	u->nr_asked++;
	if (i != VDSO_FILE)
		return namer__open_file(u->namer, i - 1);
	err = table_job__give(u->builder, VDSO_FILE, TABLE_OF_VDSO);
	return err;
}

/* The place in the file's pages of what is mapped at @offset; false: that is not code of it. */
static bool place_of(const struct shared_table *t, const struct mapping *m, __u64 *bias)
{
	for (unsigned i = 0; i < t->nr_segments; i++) {
		const struct unwind_segment *s = &t->segments[i];

		if (m->offset + (m->end - m->start) <= s->offset ||
		    m->offset >= s->offset + s->bytes)
			continue;
		*bias = m->start - (s->vaddr - s->offset + m->offset - t->base);
		return true;
	}
	return false;
}

static void leave_files(struct unwinder *u, struct unwound *x)
{
	for (size_t i = 0; i < x->nr_files; i++) {
		struct file *f = &u->files[x->files[i]];

		f->nr_users--;
		unwind_tables__leave(&u->tables, &f->table);
	}
	x->nr_files = 0;
}

/* A mapping as programs see it; its file is asked for if it is new. *complete: else false. */
static int make_mapping(struct unwinder *u, const struct mapping *m, struct unwind_mapping *out,
			bool *complete)
{
	const size_t i = m->kind == MAPPING_VDSO ? VDSO_FILE : (size_t)m->binary + 1;
	const struct shared_table *t = NULL;
	struct file *f;
	int err;

	*out = (struct unwind_mapping){ .start = m->start, .end = m->end };
	if (m->kind != MAPPING_FILE && m->kind != MAPPING_VDSO)
		return 0;
	err = file_at(u, i, &f);
	if (!err && f->state == FILE_READY) {
		t = unwind_tables__get(&u->tables, &f->table);
		if (!t)
			f->state = FILE_NEW;
	}
	if (!err && f->state == FILE_NEW)
		err = ask_for(u, f, i);
	if (err)
		return err;
	if (f->state == FILE_ASKED) {
		out->first_page = UNWIND_NOT_YET;
		*complete = false;
	}
	if (f->state == FILE_NEVER || f->state == FILE_FULL)
		out->first_page = UNWIND_NEVER;
	if (t && place_of(t, m, &out->bias)) {
		out->first_page = t->where.pages.first;
		out->nr_pages = t->where.pages.nr;
	}
	return 0;
}

/* Its file is used by @x from now on. */
static int add_mapping(struct unwinder *u, struct unwound *x, const struct mapping *m,
		       struct unwind_mapping *out)
{
	struct file *f;
	bool complete;
	int err = make_mapping(u, m, out, &complete);

	if (err || (m->kind != MAPPING_FILE && m->kind != MAPPING_VDSO))
		return err;
	err = array__grow(&x->files, &x->cap_files, x->nr_files + 1);
	if (err)
		return err;
	x->files[x->nr_files] = m->kind == MAPPING_VDSO ? VDSO_FILE : m->binary + 1;
	f = &u->files[x->files[x->nr_files++]];
	f->nr_users++;
	unwind_tables__use(&u->tables, &f->table);
	return 0;
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

/* Whoever maps the file gets its table with the next look. */
static void make_stale(struct unwinder *u, uint32_t file)
{
	for (size_t i = 0; i < u->nr_unwound; i++)
		for (size_t n = 0; n < u->unwound[i].nr_files; n++)
			u->unwound[i].stale |= u->unwound[i].files[n] == file;
}

static int put_table(struct unwinder *u, struct file *f, const struct table_job *job)
{
	const struct unwind_table *t = &job->table;
	int err = unwind_maps__rules(u->maps, job->first_rule, job->rules, job->nr_rules);

	if (!err)
		err = unwind_tables__put(&u->tables, t, f->nr_users, &f->table);
	if (!err)
		f->state = FILE_READY;
	return err;
}

static void count_refused(struct unwinder *u, struct file *f)
{
	u->stats.nr_refused += !f->was_full;
	f->was_full = true;
}

/* It is looked at again when tables have come out of use. */
static void note_full(struct unwinder *u, struct file *f, const struct unwind_table *t)
{
	count_refused(u, f);
	/* Without a table it has more rows than there is room for at all. */
	f->state = t->nr_rows ? FILE_FULL : FILE_NEVER;
	if (f->state == FILE_NEVER)
		return;
	f->nr_rows = t->nr_rows;
	f->nr_pages = t->nr_pages;
	if (unwind_tables__has_room(&u->tables, f->nr_rows, f->nr_pages))
		f->nr_rows = unwind_tables__room(&u->tables) + 1;
	if (!u->nr_full++)
		u->full_left = u->tables.nr_left;
}

static int take_table(struct unwinder *u, const struct table_job *job)
{
	struct file *f = &u->files[job->file];
	int err = job->err;

	f->state = err ? FILE_NEVER : FILE_NONE;
	u->nr_asked--;
	if (!err && job->table.nr_rows) {
		f->state = FILE_NEVER;
		err = put_table(u, f, job);
	}
	/* -ENOTSUP: its reader came to nothing, which has been told. */
	if (err == -ENOSPC || err == -E2BIG)
		note_full(u, f, &job->table);
	if (job->lacks_rules)
		count_refused(u, f);
	make_stale(u, job->file);
	return err == -ENOMEM ? err : 0;
}

/* Files for which there was no room, and is room now, are read again: once in a while. */
static void look_for_room(struct unwinder *u)
{
	if (!u->nr_full || u->full_left == u->tables.nr_left || u->polled_ns < u->full_ns + BUSY_NS)
		return;
	u->full_left = u->tables.nr_left;
	u->full_ns = u->polled_ns;
	for (size_t i = 0; i < u->nr_files; i++) {
		struct file *f = &u->files[i];

		if (f->state != FILE_FULL ||
		    !unwind_tables__has_room(&u->tables, f->nr_rows, f->nr_pages))
			continue;
		f->state = FILE_NEW;
		u->nr_full--;
		make_stale(u, i);
	}
}

static int take_all(struct unwinder *u)
{
	struct job *job;
	uint32_t file;
	int err = 0, fd;

	while (!err && namer__opened(u->namer, &file, &fd)) {
		if (fd < 0) {
			u->files[file + 1].state = FILE_NEVER;
			u->nr_asked--;
			make_stale(u, file + 1);
			continue;
		}
		if (u->verifier)
			err = verifier__file(u->verifier, file + 1, fd);
		if (err)
			close(fd);
		else
			err = table_job__give(u->builder, file + 1, fd);
	}
	worker__log(u->builder);
	while (!err && (job = worker__take(u->builder))) {
		err = take_table(u, (struct table_job *)job);
		table_job__free((struct table_job *)job);
	}
	return err;
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
		err = make_mapping(u, &all[i], &u->mappings[out->nr], &out->complete);
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
	struct file *vdso;
	int err;

	*out = NULL;
	if (!u)
		return -ENOMEM;
	u->maps = maps;
	u->procs = procs;
	u->namer = namer;
	u->verifier = verifier;
	err = unwind_copies__init(&u->copies, &(struct unwind_copies){ .maps = maps,
								       .procs = procs,
								       .verifier = verifier,
								       .max_frames = max_frames,
								       .space = space_of,
								       .arg = u });
	unwind_tables__init(&u->tables, maps);
	if (!err)
		err = table_jobs__open(&u->builder, unwind_maps__rows(maps), maps->rules.nr, jail);
	if (!err)
		err = file_at(u, VDSO_FILE, &vdso);
	if (!err)
		err = ask_for(u, vdso, VDSO_FILE);
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
	int err = take_all(u);
	bool ended;

	u->polled_ns = now_ns;
	u->waits = false;
	look_for_room(u);
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
	return u->waits || u->nr_asked;
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
	return worker__fd(u->builder);
}

void unwinder__stats(const struct unwinder *u, struct unwinder_stats *out)
{
	*out = u->stats;
	out->nr_copies = u->maps->nr_taken;
	out->nr_processes = u->nr_unwound;
	out->nr_shared = u->tables.nr_shared;
	out->nr_evicted = u->tables.nr_evicted;
	for (size_t i = 0; i < u->tables.nr; i++) {
		const struct shared_table *t = &u->tables.all[i];

		if (!t->life)
			continue;
		out->nr_tables++;
		out->nr_rows += t->where.nr_rows;
		out->bytes += sizeof(uint32_t) * (uint64_t)t->where.nr_rows +
			      sizeof(uint64_t) * t->where.pages.nr;
	}
	out->build_ns = worker__cpu_ns(u->builder);
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
