// SPDX-License-Identifier: BSD-2-Clause
/* Begins, ends, finds and forgets the lives of each pid, as events and /proc tell. */
#include "sym/procs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sym/procs_maps.h"

enum { MANY_PIDS = 256 };

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

void procs__on_end(struct procs *p, void (*fn)(void *arg, struct proc *proc), void *arg)
{
	p->on_end = fn;
	p->on_end_arg = arg;
}

static void free_process(struct procs *p, struct proc *proc)
{
	proc__close_maps(p, proc);
	if (p->on_end)
		p->on_end(p->on_end_arg, proc);
	space__release(proc->space);
	idmap__free(&proc->jit_names);
	idmap__free(&proc->jit_nameless);
	late_life__free(&proc->late);
	free(proc->dump_path);
	free(proc);
}

void procs__free(struct procs *p)
{
	struct proc *proc, *older;

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

/* Begins a life of @pid; @space is taken, NULL for an empty one. NULL when out of memory. */
static struct proc *begin(struct procs *p, uint32_t pid, uint64_t time_ns, struct space *space)
{
	struct proc *proc = calloc(1, sizeof(*proc));
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

int procs__fork(struct procs *p, uint32_t parent, uint32_t child, uint64_t time_ns)
{
	struct proc *from;
	struct proc *to;
	int err;

	if (parent == child)
		return 0;
	err = procs__find(p, parent, time_ns, &from);
	if (err)
		return err;
	to = begin(p, child, time_ns, space__share(from->space));
	if (!to)
		return -ENOMEM;
	to->maps_read = !from->gone && proc__is_read(from);
	if (!from->gone && !to->maps_read) {
		to->parent_pid = from->pid;
		to->parent_life = from->life;
	}
	return 0;
}

int procs__exec(struct procs *p, uint32_t pid, uint64_t time_ns)
{
	struct proc *proc = begin(p, pid, time_ns, NULL);

	if (!proc)
		return -ENOMEM;
	proc->maps_read = true; /* all of its mappings will be reported */
	return 0;
}

void procs__exit(struct procs *p, uint32_t pid, uint64_t time_ns)
{
	struct proc *proc = procs__newest(p, pid);

	if (proc && !proc->end_ns)
		proc->end_ns = time_ns;
}

int procs__map(struct procs *p, uint32_t pid, const struct mapping *m, const char *name,
	       const struct binary_ref *ref)
{
	struct mapping mapping = *m;
	struct proc *proc;
	int err;

	/* Of a process never heard of, this is one mapping of many: /proc knows the others. */
	err = procs__find(p, pid, m->since_ns, &proc);
	if (!err)
		err = proc__add_mapping(p, proc, &mapping, name, ref, 0);
	if (err || mapping.kind != MAPPING_FILE)
		return err;
	/* A short-lived process in another mount namespace takes its files along. */
	mapped_files__hold(p->files, mapping.binary);
	return 0;
}

void procs__lost(struct procs *p, uint64_t since_ns, uint64_t until_ns)
{
	/* Losses that overlap, of several CPUs, are one, since the first. */
	if (since_ns < p->lost_since_ns || since_ns > p->lost_ns)
		p->lost_since_ns = since_ns;
	if (until_ns > p->lost_ns)
		p->lost_ns = until_ns;
}

/* After a loss: a new life for @proc, the newest of its pid, with what /proc says. */
static int look_anew(struct procs *p, struct proc **proc)
{
	uint64_t since_ns = p->lost_since_ns;
	struct maps_file *file;
	struct proc *fresh;
	int err = procs__open_maps(p, (*proc)->pid, &file);

	if (err == -EMFILE || err == -ENOMEM)
		return err == -ENOMEM ? err : 0;
	(*proc)->sure_ns = p->lost_ns;
	/* A zombie's file opens, and is empty. */
	if (!err && maps_file__is_cut(file)) {
		maps_file__close(file);
		err = -ESRCH;
	}
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
	return proc__begin_reading(p, fresh, file);
}

int procs__find(struct procs *p, uint32_t pid, uint64_t time_ns, struct proc **out)
{
	struct proc *proc = procs__newest(p, pid);
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
	return proc->maps_read ? 0 : proc__read_maps(p, proc);
}

/* Drops pids without any life left from the table, once they are the most. */
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
		struct proc **at = &p->newest[i];

		while (*at) {
			struct proc *proc = *at;

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

int procs__each(struct procs *p, int (*fn)(void *arg, struct proc *proc), void *arg)
{
	int ret = 0;

	for (size_t i = 0; i < p->nr && !ret; i++)
		for (struct proc *proc = p->newest[i]; proc && !ret; proc = proc->older)
			ret = fn(arg, proc);
	return ret;
}

void procs__forget_names(struct procs *p)
{
	for (size_t i = 0; i < p->nr; i++)
		for (struct proc *proc = p->newest[i]; proc; proc = proc->older) {
			idmap__free(&proc->jit_names);
			idmap__free(&proc->jit_nameless);
		}
}

size_t procs__name_bytes(const struct procs *p)
{
	size_t bytes = 0;

	for (size_t i = 0; i < p->nr; i++)
		for (const struct proc *proc = p->newest[i]; proc; proc = proc->older)
			bytes += idmap__bytes(&proc->jit_names, proc->jit_names.nr) +
				 idmap__bytes(&proc->jit_nameless, proc->jit_nameless.nr);
	return bytes;
}

uint64_t procs__nr_replaced(const struct procs *p)
{
	return p->nr_replaced;
}
