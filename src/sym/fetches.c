// SPDX-License-Identifier: BSD-2-Clause
/* Remembers which debug files were asked for, and has a thread that waits for servers. */
#include "sym/fetches.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/worker.h"
#include "sym/debuginfod.h"

enum { ID_BYTES = 64 };

struct debug_fetch {
	unsigned char id[ID_BYTES];
	size_t id_len;
	enum { UNDER_WAY, MISSING, THERE, SHUT } state; /* SHUT: there, and closed to have room */
	int fd;						/* THERE */
	const char *server;				/* that has sent it */
	uint64_t used_at;
};

struct fetch_job {
	struct job job;
	uint32_t fetch;
	unsigned char id[ID_BYTES];
	size_t id_len;
	int fd; /* the answer, or -1 */
	const char *server;
};

/* What the other thread has; it may be left behind with it. */
struct errand {
	struct debuginfod *from;
	pthread_mutex_t lock;
	void (*told)(void *arg); /* NULL: nobody is there any more */
	void *arg;
};

struct fetches {
	struct worker *worker;
	struct errand *errand;
	struct debug_fetch *all;
	size_t nr, cap, nr_open;
	uint64_t nr_uses;
	uint32_t waited_for;
	bool told_wrong;
};

static void run(void *owner, struct job *job)
{
	struct errand *e = owner;
	struct fetch_job *j = (struct fetch_job *)job;

	j->fd = debuginfod__fetch(e->from, j->id, j->id_len, &j->server);
}

/* The job is in the list of those that are done only when run() has returned. */
static void done(void *owner)
{
	struct errand *e = owner;

	pthread_mutex_lock(&e->lock);
	if (e->told)
		e->told(e->arg);
	pthread_mutex_unlock(&e->lock);
}

static void free_job(struct job *job)
{
	struct fetch_job *j = (struct fetch_job *)job;

	if (j->fd >= 0)
		close(j->fd);
	free(j);
}

static void end(void *owner)
{
	struct errand *e = owner;

	debuginfod__release(e->from);
	pthread_mutex_destroy(&e->lock);
	free(e);
}

int fetches__open(struct fetches **out, const struct fetches_opts *opts)
{
	struct fetches *f = calloc(1, sizeof(*f));
	struct errand *e = calloc(1, sizeof(*e));
	const struct worker_opts worker = {
		.run = run, .free = free_job, .end = end, .owner = e, .done = done
	};
	int err = f && e ? 0 : -ENOMEM;

	*out = NULL;
	if (!err) {
		*e = (struct errand){ .from = debuginfod__hold(opts->from),
				      .told = opts->told,
				      .arg = opts->arg };
		pthread_mutex_init(&e->lock, NULL);
		err = worker__open(&f->worker, &worker);
		if (err)
			debuginfod__release(e->from);
	}
	if (err) {
		free(e);
		free(f);
		return err;
	}
	f->errand = e;
	*out = f;
	return 0;
}

void fetches__close(struct fetches *f)
{
	if (!f)
		return;
	pthread_mutex_lock(&f->errand->lock);
	f->errand->told = NULL;
	pthread_mutex_unlock(&f->errand->lock);
	worker__close(f->worker);
	for (size_t i = 0; i < f->nr; i++)
		if (f->all[i].state == THERE)
			close(f->all[i].fd);
	free(f->all);
	free(f);
}

static void close_file(struct fetches *f, struct debug_fetch *x)
{
	close(x->fd);
	x->fd = -1;
	f->nr_open--;
}

/* Closes the file that was not used for longest. */
static void make_room(struct fetches *f)
{
	struct debug_fetch *oldest = NULL;

	for (size_t i = 0; i < f->nr; i++)
		if (f->all[i].state == THERE && (!oldest || f->all[i].used_at < oldest->used_at))
			oldest = &f->all[i];
	if (!oldest)
		return;
	close_file(f, oldest);
	oldest->state = SHUT;
}

static int ask(struct fetches *f, struct debug_fetch *x)
{
	struct fetch_job *j = calloc(1, sizeof(*j));

	if (!j)
		return -ENOMEM;
	j->fd = -1;
	j->fetch = x - f->all;
	j->id_len = x->id_len;
	memcpy(j->id, x->id, x->id_len);
	x->state = UNDER_WAY;
	worker__give(f->worker, &j->job);
	return -EAGAIN;
}

static struct debug_fetch *find(struct fetches *f, const unsigned char *id, size_t len)
{
	for (size_t i = 0; i < f->nr; i++)
		if (f->all[i].id_len == len && !memcmp(f->all[i].id, id, len))
			return &f->all[i];
	return NULL;
}

int fetches__open_file(struct fetches *f, const unsigned char *id, size_t len)
{
	struct debug_fetch *x;
	int err, fd;

	if (!len || len > ID_BYTES)
		return -ENOENT;
	x = find(f, id, len);
	if (!x) {
		err = array__grow(&f->all, &f->cap, f->nr + 1);
		if (err)
			return err;
		x = &f->all[f->nr++];
		*x = (struct debug_fetch){ .id_len = len, .state = SHUT, .fd = -1 };
		memcpy(x->id, id, len);
	}
	x->used_at = ++f->nr_uses;
	f->waited_for = x - f->all;
	switch (x->state) {
	case SHUT:
		return ask(f, x);
	case UNDER_WAY:
		return -EAGAIN;
	case THERE:
		fd = fcntl(x->fd, F_DUPFD_CLOEXEC, 0);
		return fd < 0 ? -errno : fd;
	case MISSING:
		break;
	}
	return -ENOENT;
}

uint32_t fetches__waited_for(const struct fetches *f)
{
	return f->waited_for;
}

void fetches__refuse(struct fetches *f, const unsigned char *id, size_t len)
{
	struct debug_fetch *x = find(f, id, len);

	if (!x || x->state != THERE)
		return;
	close_file(f, x);
	x->state = MISSING;
	if (!f->told_wrong)
		log__notice("%s has sent something else than the debug file that was asked for: "
			    "such files are not used",
			    x->server);
	f->told_wrong = true;
}

bool fetches__take(struct fetches *f, uint32_t *fetch)
{
	struct fetch_job *j;
	struct debug_fetch *x;

	worker__log(f->worker);
	j = (struct fetch_job *)worker__take(f->worker);
	if (!j)
		return false;
	*fetch = j->fetch;
	x = &f->all[j->fetch];
	x->state = MISSING;
	if (j->fd >= 0) {
		while (f->nr_open >= FETCHES_OPEN)
			make_room(f);
		x->state = THERE;
		x->fd = j->fd;
		x->server = j->server;
		x->used_at = ++f->nr_uses;
		f->nr_open++;
		j->fd = -1;
	}
	free_job(&j->job);
	return true;
}
