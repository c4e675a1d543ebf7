// SPDX-License-Identifier: BSD-2-Clause
/* Opens files of processes, and has a reader look into them, on a thread of its own. */
#include "serve/context_asker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/privileges.h"
#include "jail/jail.h"

/* The thread's own once there is one. */
struct context_looker {
	struct jail *jail; /* held */
	char *proc;
	struct jailed *reader; /* NULL: none was needed yet, or it has failed */
};

struct context_asker {
	struct worker *worker;	       /* NULL: nobody has asked yet */
	struct context_looker *looker; /* until then */
};

static int open_of(const struct context_looker *l, uint32_t pid, const char *name)
{
	char path[4096];
	const int n = snprintf(path, sizeof(path), "%s/%u/%s", l->proc, pid, name);
	const int fd = n < (int)sizeof(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	return fd < 0 ? -ENOENT : fd;
}

static bool is_readers_fault(int err)
{
	return err && err != -EALREADY && err != -ENOENT && err != -EAGAIN && err != -EPROTO;
}

/* Of a process that is gone, or may not be looked into: -ENOENT. */
static void look(struct context_looker *l, struct context_question *q)
{
	const int maps = open_of(l, q->pid, "maps");
	const int mem = maps < 0 ? maps : open_of(l, q->pid, "mem");

	q->err = mem < 0 ? mem : 0;
	if (!q->err && !l->reader)
		q->err = jailed__open(&l->reader, l->jail, &context_reader_kind);
	if (!q->err)
		q->err = context_reader__ask(l->reader, maps, mem, &q->place, &q->says);
	if (is_readers_fault(q->err)) {
		jailed__close(l->reader);
		l->reader = NULL;
	}
	if (maps >= 0)
		close(maps);
	if (mem >= 0)
		close(mem);
}

static void run(void *owner, struct job *job)
{
	look(owner, (struct context_question *)job);
}

static void free_job(struct job *job)
{
	free((struct context_question *)job);
}

static void free_looker(void *owner)
{
	struct context_looker *l = owner;

	if (!l)
		return;
	jailed__close(l->reader);
	jail__leave(l->jail);
	free(l->proc);
	free(l);
}

int context_asker__open(struct context_asker **out, struct jail *jail, const char *proc)
{
	struct context_question self = { .pid = getpid() };
	struct context_asker *a = calloc(1, sizeof(*a));

	*out = NULL;
	if (!a)
		return -ENOMEM;
	a->looker = calloc(1, sizeof(*a->looker));
	if (a->looker) {
		a->looker->jail = jail__hold(jail);
		a->looker->proc = strdup(proc);
	}
	if (!a->looker || !a->looker->proc) {
		context_asker__close(a);
		return -ENOMEM;
	}
	/* A reader that cannot be caged ends: better known now. */
	look(a->looker, &self);
	if (is_readers_fault(self.err)) {
		context_asker__close(a);
		return self.err;
	}
	*out = a;
	return 0;
}

void context_asker__close(struct context_asker *a)
{
	if (!a)
		return;
	if (a->worker)
		worker__close(a->worker);
	free_looker(a->looker);
	free(a);
}

static int start(struct context_asker *a)
{
	const struct worker_opts opts = {
		.run = run,
		.free = free_job,
		.end = free_looker,
		.owner = a->looker,
		.privileges = PRIVILEGE(CAP_DAC_READ_SEARCH) | PRIVILEGE(CAP_SYS_PTRACE),
	};
	const int err = worker__open(&a->worker, &opts);

	if (!err)
		a->looker = NULL;
	return err;
}

int context_asker__ask(struct context_asker *a, const struct context_question *q)
{
	struct context_question *copy = malloc(sizeof(*copy));
	int err = !copy ? -ENOMEM : a->worker ? 0 : start(a);

	if (err) {
		free(copy);
		return err;
	}
	*copy = *q;
	worker__give(a->worker, &copy->job);
	return 0;
}

struct context_question *context_asker__take(struct context_asker *a)
{
	return a->worker ? (struct context_question *)worker__take(a->worker) : NULL;
}

void context_asker__wait(struct context_asker *a, uint64_t until_ns)
{
	if (a->worker)
		(void)worker__wait(a->worker, until_ns);
}
