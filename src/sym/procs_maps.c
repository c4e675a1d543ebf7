// SPDX-License-Identifier: BSD-2-Clause
/* The part of sym/procs.h that reads /proc/PID/maps, slice by slice, into a process's mappings. */
#include "sym/procs_maps.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sym/jitdump.h"

struct proc *procs__newest(const struct procs *p, uint32_t pid)
{
	uint32_t i;

	return idmap__get(&p->by_pid, pid, &i) ? p->newest[i] : NULL;
}

struct proc *procs__by_life(const struct procs *p, uint32_t pid, uint32_t life)
{
	struct proc *proc = procs__newest(p, pid);

	while (proc && proc->life != life)
		proc = proc->older;
	return proc;
}

/* Of several dumps the last one that was mapped is the process's. */
static int note_dump(struct proc *proc, const char *path)
{
	free(proc->dump_path);
	proc->dump_path = strdup(path);
	return proc->dump_path ? 0 : -ENOMEM;
}

/*
 * A map does not tell the build-id by which a record has told a file. One of that path, mapped
 * there in the same way, is that file.
 */
static bool is_told_by_record(const struct procs *p, const struct proc *proc,
			      const struct mapping *m, const char *path, uint32_t *file)
{
	const struct mapping *known = space__find(proc->space, m->start, UINT64_MAX);

	if (!known || known->kind != MAPPING_FILE ||
	    m->offset - m->start != known->offset - known->start ||
	    !mapped_files__is_by_build_id(p->files, known->binary, path))
		return false;
	*file = known->binary;
	return true;
}

int proc__add_mapping(struct procs *p, struct proc *proc, struct mapping *m, const char *name,
		      const struct binary_ref *ref, uint64_t seen_ns)
{
	unsigned replaced;
	int err = 0;

	m->kind = mapping__kind(name);
	if (m->kind == MAPPING_FILE) {
		if (!seen_ns || !is_told_by_record(p, proc, m, name, &m->binary))
			err = mapped_files__id(p->files, ref, &m->binary);
		if (!err && jitdump__is_any(name))
			err = note_dump(proc, name);
		if (err)
			return err;
	}
	err = space__own(&proc->space);
	if (err)
		return err;
	replaced = space__replaced(proc->space);
	err = seen_ns ? space__see(proc->space, m, seen_ns) : space__add(proc->space, m);
	p->nr_replaced += space__replaced(proc->space) - replaced;
	return err;
}

void proc__close_maps(struct procs *p, struct proc *proc)
{
	if (!proc->reading)
		return;
	maps_file__close(proc->reading);
	proc->reading = NULL;
	for (size_t i = 0; i < p->nr_reading; i++)
		if (p->reading[i] == proc)
			p->reading[i] = p->reading[--p->nr_reading];
}

static int see_line(struct procs *p, struct proc *proc, const struct maps_line *line,
		    uint64_t now_ns)
{
	struct mapping m = {
		.start = line->start,
		.end = line->end,
		.offset = line->offset,
		.since_ns = proc->seen_ns,
	};
	struct binary_ref ref = {
		.dev_major = line->dev_major,
		.dev_minor = line->dev_minor,
		.inode = line->inode,
		.pid = proc->pid,
		.start = line->start,
		.end = line->end,
	};
	char name[4200];

	snprintf(name, sizeof(name), "%.*s", (int)(line->name_len < 4096 ? line->name_len : 4096),
		 line->name);
	ref.path = name;
	return proc__add_mapping(p, proc, &m, name, &ref, proc->asked_ns ? proc->asked_ns : now_ns);
}

/* One that is gone, and was forked while its parent's map was being read, has what that had. */
static int inherit(struct procs *p, struct proc *proc)
{
	struct proc *parent = procs__by_life(p, proc->parent_pid, proc->parent_life);
	int err;

	if (!parent || !parent->maps_read)
		return 0;
	if (parent->reading) { /* later */
		proc->maps_read = false;
		return 0;
	}
	proc->gone = parent->gone;
	proc->parent_life = 0;
	err = space__own(&proc->space);
	return err ? err : space__see_all(proc->space, parent->space, proc->start_ns);
}

static int end_reading(struct procs *p, struct proc *proc)
{
	bool cut = !proc->reading || maps_file__is_cut(proc->reading);

	proc__close_maps(p, proc);
	if (!cut || (proc->reread_ns && space__nr(proc->space)))
		return 0;
	proc->gone = proc->took_ns || !space__nr(proc->space) || proc->parent_life;
	return inherit(p, proc);
}

static int read_slice(struct procs *p, struct proc *proc)
{
	uint64_t start_ns = clock__now_ns();
	int more = maps_file__read(proc->reading), err = 0;
	struct maps_line line;

	while (!err && maps_file__next(proc->reading, &line))
		if (line.executable)
			err = see_line(p, proc, &line, start_ns);
	proc->took_ns += clock__now_ns() - start_ns;
	return err || more ? err : end_reading(p, proc);
}

int proc__begin_reading(struct procs *p, struct proc *proc, struct maps_file *file)
{
	int err;

	proc->reading = file;
	p->reading[p->nr_reading++] = proc;
	proc->took_ns = 0;
	err = read_slice(p, proc);
	if (!proc->reading) /* it is a small one */
		proc->took_ns = 0;
	return err;
}

int procs__open_maps(const struct procs *p, uint32_t pid, struct maps_file **file)
{
	char path[4200];
	int err;

	if (p->nr_reading == READING_MAX)
		return -EMFILE;
	snprintf(path, sizeof(path), "%s/%u/maps", p->root, pid);
	err = maps_file__open(file, path);
	if (err == -EMFILE || err == -ENFILE)
		return p->nr_reading ? -EMFILE : -ENOENT;
	return err;
}

int proc__read_maps(struct procs *p, struct proc *proc)
{
	struct maps_file *file;
	int err = procs__open_maps(p, proc->pid, &file);

	if (err == -EMFILE || err == -ENOMEM)
		return err == -ENOMEM ? err : 0;
	proc->maps_read = true;
	proc->took_ns = 0;
	return err ? end_reading(p, proc) : proc__begin_reading(p, proc, file);
}

bool proc__is_read(const struct proc *proc)
{
	return proc->maps_read && !proc->reading;
}

int procs__read_on(struct procs *p, uint64_t budget_ns, size_t *nr)
{
	const uint64_t start_ns = clock__now_ns();
	int err = 0;

	*nr = 0;
	while (p->nr_reading && !err) {
		size_t before = p->nr_reading;
		struct proc *proc = p->reading[p->next_reading++ % before];

		err = read_slice(p, proc);
		*nr += before - p->nr_reading;
		if (!proc->reading && proc->reread_ns) /* the next time counts from the end */
			proc->reread_ns = clock__now_ns();
		if (clock__now_ns() - start_ns >= budget_ns)
			break;
	}
	return err;
}

size_t procs__nr_reading(const struct procs *p)
{
	return p->nr_reading;
}

int procs__reread(struct procs *p, struct proc *proc, uint64_t now_ns, uint64_t every_ns)
{
	enum { SHARE = 10 };
	uint64_t least_ns = SHARE * proc->took_ns;

	if (proc->gone || proc->end_ns || proc->reading ||
	    now_ns - proc->reread_ns < (every_ns > least_ns ? every_ns : least_ns))
		return 0;
	/*
	 * What is new in the map, and was in no other's place, has come since it was asked for
	 * before. Of another's place only the moment of reading is sure: its record may be on the
	 * way, and tells when it came.
	 */
	proc->seen_ns = proc->asked_ns;
	proc->asked_ns = proc->reread_ns = now_ns;
	return proc__read_maps(p, proc);
}
