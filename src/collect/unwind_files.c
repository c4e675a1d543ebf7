// SPDX-License-Identifier: BSD-2-Clause
/* Files by number, from when they are first mapped until they have a table. */
#include "collect/unwind_files.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "collect/table_job.h"

enum file_state {
	FILE_NEW,
	FILE_ASKED, /* its descriptor, or its table */
	FILE_READY, /* it has a table, unless that has given way since */
	FILE_FULL,  /* there is no room for its table beside those that are in use */
	FILE_NONE,  /* it has no rules */
	FILE_NEVER, /* it may have rules, but cannot be read, or there is no room for its table */
};

struct unwind_file_state {
	enum file_state state;
	bool was_full;		    /* ever */
	struct table_ref table;	    /* FILE_READY */
	uint32_t nr_rows, nr_pages; /* FILE_FULL: what its table needs */
	uint32_t nr_users;	    /* mappings of processes */
};

enum { VDSO_FILE = 0 };

static const uint64_t LOOK_NS = 1000000000; /* least time between two looks for room */

static int file_at(struct unwind_files *fs, size_t i, struct unwind_file_state **out)
{
	int err = array__grow(&fs->all, &fs->cap, i + 1);

	if (err)
		return err;
	for (; fs->nr <= i; fs->nr++)
		fs->all[fs->nr] = (struct unwind_file_state){};
	*out = &fs->all[i];
	return 0;
}

/* Has the table of a file built: of others than the vdso when their descriptor is there. */
static int ask_for(struct unwind_files *fs, struct unwind_file_state *f, size_t i)
{
	f->state = FILE_ASKED;
	fs->nr_asked++;
	if (i != VDSO_FILE)
		return namer__open_file(fs->namer, i - 1);
	return table_job__give(fs->builder, VDSO_FILE, TABLE_OF_VDSO);
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

bool unwind_files__is_of_file(const struct mapping *m)
{
	return m->kind == MAPPING_FILE || m->kind == MAPPING_VDSO;
}

static uint32_t number_of(const struct mapping *m)
{
	return m->kind == MAPPING_VDSO ? VDSO_FILE : m->binary + 1;
}

int unwind_files__mapping(struct unwind_files *fs, const struct mapping *m,
			  struct unwind_mapping *out, bool *complete)
{
	const size_t i = number_of(m);
	const struct shared_table *t = NULL;
	struct unwind_file_state *f;
	int err;

	*out = (struct unwind_mapping){ .start = m->start, .end = m->end };
	if (!unwind_files__is_of_file(m))
		return 0;
	err = file_at(fs, i, &f);
	if (!err && f->state == FILE_READY) {
		t = unwind_tables__get(&fs->tables, &f->table);
		if (!t)
			f->state = FILE_NEW;
	}
	if (!err && f->state == FILE_NEW)
		err = ask_for(fs, f, i);
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

static int put_table(struct unwind_files *fs, struct unwind_file_state *f,
		     const struct table_job *job)
{
	const struct unwind_table *t = &job->table;
	int err = unwind_maps__rules(fs->maps, job->first_rule, job->rules, job->nr_rules);

	if (!err)
		err = unwind_tables__put(&fs->tables, t, f->nr_users, &f->table);
	if (!err)
		f->state = FILE_READY;
	return err;
}

static void count_refused(struct unwind_files *fs, struct unwind_file_state *f)
{
	fs->nr_refused += !f->was_full;
	f->was_full = true;
}

/* It is looked at again when tables have come out of use. */
static void note_full(struct unwind_files *fs, struct unwind_file_state *f,
		      const struct unwind_table *t)
{
	count_refused(fs, f);
	/* Without a table it has more rows than there is room for at all. */
	f->state = t->nr_rows ? FILE_FULL : FILE_NEVER;
	if (f->state == FILE_NEVER)
		return;
	f->nr_rows = t->nr_rows;
	f->nr_pages = t->nr_pages;
	if (unwind_tables__has_room(&fs->tables, f->nr_rows, f->nr_pages))
		f->nr_rows = unwind_tables__room(&fs->tables) + 1;
	if (!fs->nr_full++)
		fs->full_left = fs->tables.nr_left;
}

static int take_table(struct unwind_files *fs, const struct table_job *job)
{
	struct unwind_file_state *f = &fs->all[job->file];
	int err = job->err;

	f->state = err ? FILE_NEVER : FILE_NONE;
	fs->nr_asked--;
	if (!err && job->table.nr_rows) {
		f->state = FILE_NEVER;
		err = put_table(fs, f, job);
	}
	/* -ENOTSUP: its reader came to nothing, which has been told. */
	if (err == -ENOSPC || err == -E2BIG)
		note_full(fs, f, &job->table);
	if (job->lacks_rules)
		count_refused(fs, f);
	fs->changed(fs->arg, job->file);
	return err == -ENOMEM ? err : 0;
}

/* Files for which there was no room, and is room now, are read again: once in a while. */
static void look_for_room(struct unwind_files *fs, uint64_t now_ns)
{
	if (!fs->nr_full || fs->full_left == fs->tables.nr_left || now_ns < fs->full_ns + LOOK_NS)
		return;
	fs->full_left = fs->tables.nr_left;
	fs->full_ns = now_ns;
	for (size_t i = 0; i < fs->nr; i++) {
		struct unwind_file_state *f = &fs->all[i];

		if (f->state != FILE_FULL ||
		    !unwind_tables__has_room(&fs->tables, f->nr_rows, f->nr_pages))
			continue;
		f->state = FILE_NEW;
		fs->nr_full--;
		fs->changed(fs->arg, i);
	}
}

static int take_all(struct unwind_files *fs)
{
	struct job *job;
	uint32_t file;
	int err = 0, fd;

	while (!err && namer__opened(fs->namer, &file, &fd)) {
		if (fd < 0) {
			fs->all[file + 1].state = FILE_NEVER;
			fs->nr_asked--;
			fs->changed(fs->arg, file + 1);
			continue;
		}
		if (fs->verifier)
			err = verifier__file(fs->verifier, file + 1, fd);
		if (err)
			close(fd);
		else
			err = table_job__give(fs->builder, file + 1, fd);
	}
	worker__log(fs->builder);
	while (!err && (job = worker__take(fs->builder))) {
		err = take_table(fs, (struct table_job *)job);
		table_job__free((struct table_job *)job);
	}
	return err;
}

int unwind_files__poll(struct unwind_files *fs, uint64_t now_ns)
{
	int err = take_all(fs);

	look_for_room(fs, now_ns);
	return err;
}

uint32_t unwind_files__use(struct unwind_files *fs, const struct mapping *m)
{
	const uint32_t file = number_of(m);

	fs->all[file].nr_users++;
	unwind_tables__use(&fs->tables, &fs->all[file].table);
	return file;
}

void unwind_files__leave(struct unwind_files *fs, uint32_t file)
{
	fs->all[file].nr_users--;
	unwind_tables__leave(&fs->tables, &fs->all[file].table);
}

int unwind_files__init(struct unwind_files *fs, const struct unwind_files *with, struct jail *jail)
{
	struct unwind_file_state *vdso;
	int err;

	*fs = *with;
	unwind_tables__init(&fs->tables, fs->maps);
	err = table_jobs__open(&fs->builder, unwind_maps__rows(fs->maps), fs->maps->rules.nr, jail);
	if (!err)
		err = file_at(fs, VDSO_FILE, &vdso);
	return err ? err : ask_for(fs, vdso, VDSO_FILE);
}

void unwind_files__end(struct unwind_files *fs)
{
	if (fs->builder)
		worker__close(fs->builder);
	unwind_tables__end(&fs->tables);
	free(fs->all);
	*fs = (struct unwind_files){};
}
