// SPDX-License-Identifier: BSD-2-Clause
#include "sym/procs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "sym/maps_file.h"

enum { MANY_PIDS = 256, READING_MAX = 64 };

struct procs {
	char *root;
	struct mapped_files *files;
	uint32_t nr_lives; /* ever */
	void (*on_end)(void *arg, const struct process *proc);
	void *on_end_arg;
	struct idmap by_pid;	 /* pid -> index of its newest life */
	struct process **newest; /* NULL: all of its lives have been forgotten */
	size_t nr, cap;
	struct process *reading[READING_MAX]; /* whose maps are open */
	size_t nr_reading, next_reading;
	uint64_t lost_since_ns, lost_ns; /* events were lost then; 0: none */
	uint64_t nr_replaced;
};

struct procs *procs__new(const char *proc_root, struct mapped_files *files)
{
	struct procs *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->files = files;
	p->root = strdup(proc_root);
	if (!p->root) {
		free(p);
		return NULL;
	}
	return p;
}

void procs__on_end(struct procs *p, void (*fn)(void *arg, const struct process *proc), void *arg)
{
	p->on_end = fn;
	p->on_end_arg = arg;
}

static void close_maps(struct procs *p, struct process *proc)
{
	if (!proc->reading)
		return;
	maps_file__close(proc->reading);
	proc->reading = NULL;
	for (size_t i = 0; i < p->nr_reading; i++)
		if (p->reading[i] == proc)
			p->reading[i] = p->reading[--p->nr_reading];
}

static void free_process(struct procs *p, struct process *proc)
{
	close_maps(p, proc);
	if (p->on_end)
		p->on_end(p->on_end_arg, proc);
	space__release(proc->space);
	idmap__free(&proc->jit_names);
	idmap__free(&proc->jit_nameless);
	free(proc);
}

void procs__free(struct procs *p)
{
	struct process *proc, *older;

	if (!p)
		return;
	for (size_t i = 0; i < p->nr; i++) {
		for (proc = p->newest[i]; proc; proc = older) {
			older = proc->older;
			free_process(p, proc);
		}
	}
	free(p->newest);
	idmap__free(&p->by_pid);
	free(p->root);
	free(p);
}

const char *procs__root(const struct procs *p)
{
	return p->root;
}

static struct process *newest(const struct procs *p, uint32_t pid)
{
	uint32_t i;

	return idmap__get(&p->by_pid, pid, &i) ? p->newest[i] : NULL;
}

/* Begins a life of @pid; @space is taken, NULL for an empty one. NULL when out of memory. */
static struct process *begin(struct procs *p, uint32_t pid, uint64_t time_ns, struct space *space)
{
	struct process *proc = calloc(1, sizeof(*proc));
	uint32_t i;

	if (!space)
		space = space__new();
	if (!proc || !space)
		goto out_free;
	proc->pid = pid;
	proc->life = ++p->nr_lives;
	proc->start_ns = proc->sure_ns = time_ns;
	proc->space = space;
	if (!idmap__get(&p->by_pid, pid, &i)) {
		if (array__grow(&p->newest, &p->cap, p->nr + 1) ||
		    idmap__set(&p->by_pid, pid, p->nr))
			goto out_free;
		i = p->nr++;
		p->newest[i] = NULL;
	}
	proc->older = p->newest[i];
	if (proc->older && !proc->older->end_ns)
		proc->older->end_ns = time_ns ? time_ns : 1;
	p->newest[i] = proc;
	return proc;

out_free:
	space__release(space);
	free(proc);
	return NULL;
}

/* Sets what is known of @m from its file. @seen_ns: it is a line of a map; 0: it was told. */
static int add_mapping(struct procs *p, struct process *proc, struct mapping *m, const char *name,
		       const struct binary_ref *ref, uint64_t seen_ns)
{
	unsigned replaced;
	int err;

	m->kind = mapping__kind(name);
	if (m->kind == MAPPING_FILE) {
		err = mapped_files__id(p->files, ref, &m->binary);
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

static int see_line(struct procs *p, struct process *proc, const struct maps_line *line,
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
	return add_mapping(p, proc, &m, name, &ref, proc->seen_ns ? proc->seen_ns : now_ns);
}

/* One that was forked while its parent's map was being read has what that had, if it is gone. */
static int inherit(struct procs *p, struct process *proc)
{
	struct process *parent = procs__by_life(p, proc->parent_pid, proc->parent_life);
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

static int end_reading(struct procs *p, struct process *proc)
{
	bool cut = !proc->reading || maps_file__is_cut(proc->reading);

	close_maps(p, proc);
	if (!cut || (proc->reread_ns && space__nr(proc->space)))
		return 0;
	proc->gone = proc->took_ns || !space__nr(proc->space) || proc->parent_life;
	return inherit(p, proc);
}

static int read_slice(struct procs *p, struct process *proc)
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

static int begin_reading(struct procs *p, struct process *proc, struct maps_file *file)
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

/* 0; -EMFILE: too many are open, which whoever needs it is to try again; or another -errno. */
static int open_maps(const struct procs *p, uint32_t pid, struct maps_file **file)
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

static int read_maps(struct procs *p, struct process *proc)
{
	struct maps_file *file;
	int err = open_maps(p, proc->pid, &file);

	if (err == -EMFILE || err == -ENOMEM)
		return err == -ENOMEM ? err : 0;
	proc->maps_read = true;
	proc->took_ns = 0;
	return err ? end_reading(p, proc) : begin_reading(p, proc, file);
}

bool process__is_read(const struct process *proc)
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
		struct process *proc = p->reading[p->next_reading++ % before];

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

int procs__fork(struct procs *p, uint32_t parent, uint32_t child, uint64_t time_ns)
{
	struct process *from;
	struct process *to;
	int err;

	if (parent == child)
		return 0;
	err = procs__find(p, parent, time_ns, &from);
	if (err)
		return err;
	to = begin(p, child, time_ns, space__share(from->space));
	if (!to)
		return -ENOMEM;
	to->maps_read = !from->gone && process__is_read(from);
	if (!from->gone && !to->maps_read) {
		to->parent_pid = from->pid;
		to->parent_life = from->life;
	}
	return 0;
}

int procs__exec(struct procs *p, uint32_t pid, uint64_t time_ns)
{
	struct process *proc = begin(p, pid, time_ns, NULL);

	if (!proc)
		return -ENOMEM;
	proc->maps_read = true; /* all of its mappings will be reported */
	return 0;
}

void procs__exit(struct procs *p, uint32_t pid, uint64_t time_ns)
{
	struct process *proc = newest(p, pid);

	if (proc && !proc->end_ns)
		proc->end_ns = time_ns;
}

int procs__map(struct procs *p, uint32_t pid, const struct mapping *m, const char *name,
	       const struct binary_ref *ref)
{
	struct mapping mapping = *m;
	struct process *proc;
	int err;

	/* Of a process never heard of, this is one mapping of many: /proc knows the others. */
	err = procs__find(p, pid, m->since_ns, &proc);
	if (!err)
		err = add_mapping(p, proc, &mapping, name, ref, 0);
	if (err || mapping.kind != MAPPING_FILE)
		return err;
	/* A short-lived process in another mount namespace takes its files along. */
	mapped_files__hold(p->files, mapping.binary);
	return 0;
}

void procs__lost(struct procs *p, uint64_t since_ns, uint64_t until_ns)
{
	/* Of several CPUs at once: since the first. */
	if (since_ns < p->lost_since_ns || since_ns > p->lost_ns)
		p->lost_since_ns = since_ns;
	if (until_ns > p->lost_ns)
		p->lost_ns = until_ns;
}

/* What lost events may have changed of @proc, the newest life of its pid, /proc tells. */
static int look_anew(struct procs *p, struct process **proc)
{
	uint64_t since_ns = p->lost_since_ns;
	struct maps_file *file;
	struct process *fresh;
	int err = open_maps(p, (*proc)->pid, &file);

	if (err == -EMFILE || err == -ENOMEM)
		return err == -ENOMEM ? err : 0;
	(*proc)->sure_ns = p->lost_ns;
	if (err)
		return 0;
	if (since_ns < (*proc)->start_ns)
		since_ns = (*proc)->start_ns;
	fresh = begin(p, (*proc)->pid, since_ns, NULL);
	if (!fresh) {
		maps_file__close(file);
		return -ENOMEM;
	}
	fresh->sure_ns = p->lost_ns;
	fresh->maps_read = true;
	*proc = fresh;
	return begin_reading(p, fresh, file);
}

int procs__find(struct procs *p, uint32_t pid, uint64_t time_ns, struct process **out)
{
	struct process *proc = newest(p, pid);
	int err;

	if (proc && proc->sure_ns < p->lost_ns && time_ns >= p->lost_since_ns) {
		err = look_anew(p, &proc);
		if (err)
			return err;
	}
	while (proc && proc->start_ns > time_ns && proc->older)
		proc = proc->older;
	if (!proc) {
		proc = begin(p, pid, 0, NULL);
		if (!proc)
			return -ENOMEM;
		proc->sure_ns = p->lost_ns;
	}
	*out = proc;
	return proc->maps_read ? 0 : read_maps(p, proc);
}

struct process *procs__by_life(const struct procs *p, uint32_t pid, uint32_t life)
{
	struct process *proc = newest(p, pid);

	while (proc && proc->life != life)
		proc = proc->older;
	return proc;
}

int procs__reread(struct procs *p, struct process *proc, uint64_t now_ns, uint64_t every_ns)
{
	enum { SHARE = 10 };
	uint64_t least_ns = SHARE * proc->took_ns;

	if (proc->gone || proc->end_ns || proc->reading ||
	    now_ns - proc->reread_ns < (every_ns > least_ns ? every_ns : least_ns))
		return 0;
	proc->seen_ns = proc->asked_ns;
	proc->asked_ns = proc->reread_ns = now_ns;
	return read_maps(p, proc);
}

/* Pids without any life left behind take no place, once they are the most. */
static int compact(struct procs *p, size_t nr_left)
{
	struct idmap by_pid = {};
	size_t nr = 0;
	int err = 0;

	if (p->nr < 2 * nr_left + MANY_PIDS)
		return 0;
	for (size_t i = 0; i < p->nr && !err; i++)
		if (p->newest[i])
			err = idmap__set(&by_pid, p->newest[i]->pid, nr++);
	if (err) {
		idmap__free(&by_pid);
		return err;
	}
	nr = 0;
	for (size_t i = 0; i < p->nr; i++)
		if (p->newest[i])
			p->newest[nr++] = p->newest[i];
	p->nr = nr;
	idmap__free(&p->by_pid);
	p->by_pid = by_pid;
	return 0;
}

int procs__forget(struct procs *p, uint64_t before_ns)
{
	size_t nr_left = 0;

	for (size_t i = 0; i < p->nr; i++) {
		struct process **at = &p->newest[i];

		while (*at) {
			struct process *proc = *at;

			if (proc->end_ns && proc->end_ns < before_ns) {
				*at = proc->older;
				free_process(p, proc);
			} else {
				at = &proc->older;
			}
		}
		nr_left += !!p->newest[i];
	}
	return compact(p, nr_left);
}

size_t procs__nr(const struct procs *p)
{
	return p->nr;
}

void procs__forget_names(struct procs *p)
{
	for (size_t i = 0; i < p->nr; i++)
		for (struct process *proc = p->newest[i]; proc; proc = proc->older) {
			idmap__free(&proc->jit_names);
			idmap__free(&proc->jit_nameless);
		}
}

size_t procs__name_bytes(const struct procs *p)
{
	size_t bytes = 0;

	for (size_t i = 0; i < p->nr; i++)
		for (const struct process *proc = p->newest[i]; proc; proc = proc->older)
			bytes += idmap__bytes(&proc->jit_names, proc->jit_names.nr) +
				 idmap__bytes(&proc->jit_nameless, proc->jit_nameless.nr);
	return bytes;
}

uint64_t procs__nr_replaced(const struct procs *p)
{
	return p->nr_replaced;
}
