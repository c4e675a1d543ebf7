// SPDX-License-Identifier: BSD-2-Clause
/* Holds a file to the build-ids that are its own, and keeps jobs until a fetch is settled. */
#include "sym/served.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "sym/fetches.h"

struct served_id {
	unsigned char bytes[PLACE_ID_BYTES];
	size_t len; /* 0: none yet */
};

struct served_file {
	struct served_id ids[SERVED_IDS];
	unsigned nr_waits;
	bool waits;
	uint32_t fetch; /* what for */
	struct job *first, **end;
};

struct served {
	struct fetches *from;
	struct served_file **files; /* by number; NULL: nothing was asked for it */
	size_t nr, cap;
};

struct served *served__new(struct fetches *from)
{
	struct served *s = calloc(1, sizeof(*s));

	if (s)
		s->from = from;
	return s;
}

void served__free(struct served *s, void (*free_job)(struct job *job))
{
	struct job *job, *next;

	if (!s)
		return;
	for (size_t i = 0; i < s->nr; i++) {
		for (job = s->files[i] ? s->files[i]->first : NULL; job; job = next) {
			next = job->next;
			free_job(job);
		}
		free(s->files[i]);
	}
	free(s->files);
	free(s);
}

static struct served_file *file_of(const struct served *s, uint32_t file)
{
	return file < s->nr ? s->files[file] : NULL;
}

static int add_file(struct served *s, uint32_t file, const struct file_identity *is)
{
	int err = array__grow(&s->files, &s->cap, (size_t)file + 1);
	struct served_file *x;

	if (err)
		return err;
	while (s->nr <= file)
		s->files[s->nr++] = NULL;
	x = calloc(1, sizeof(*x));
	if (!x)
		return -ENOMEM;
	memcpy(x->ids[0].bytes, is->build_id, is->build_id_len);
	x->ids[0].len = is->build_id_len;
	x->end = &x->first;
	s->files[file] = x;
	return 0;
}

static bool may_have(struct served_file *x, const unsigned char *id, size_t len)
{
	struct served_id *own;

	if (!len || len > PLACE_ID_BYTES)
		return false;
	for (own = x->ids; own < x->ids + SERVED_IDS && own->len; own++)
		if (own->len == len && !memcmp(own->bytes, id, len))
			return true;
	if (own == x->ids + SERVED_IDS)
		return false;
	memcpy(own->bytes, id, len);
	own->len = len;
	return true;
}

int served__open(struct served *s, uint32_t file, const struct file_identity *is,
		 const struct debug_place *place, unsigned nr)
{
	struct served_file *x = file_of(s, file);
	uint32_t fetch;
	int fd, err = x ? 0 : add_file(s, file, is);

	if (err)
		return err;
	x = file_of(s, file);
	if (nr > 1 || !may_have(x, place->id, place->id_len))
		return -ENODATA;
	if (nr) {
		fetches__refuse(s->from, place->id, place->id_len);
		return -ENODATA;
	}
	if (!x->waits && x->nr_waits >= SERVED_WAITS)
		return -ENOENT;
	fd = fetches__open_file(s->from, place->id, place->id_len);
	if (fd != -EAGAIN)
		return fd;
	fetch = fetches__waited_for(s->from);
	x->nr_waits += !x->waits || x->fetch != fetch;
	x->waits = true;
	x->fetch = fetch;
	return fd;
}

bool served__waits(const struct served *s, uint32_t file)
{
	const struct served_file *x = file_of(s, file);

	return x && x->waits;
}

void served__put_off(struct served *s, uint32_t file, struct job *job)
{
	struct served_file *x = s->files[file];

	worker__put_off(job);
	job->next = NULL;
	*x->end = job;
	x->end = &job->next;
}

static void ask_again(struct served_file *x, struct worker *worker)
{
	struct job *job, *next;

	for (job = x->first; job; job = next) {
		next = job->next;
		worker__go_on(worker, job);
	}
	x->first = NULL;
	x->end = &x->first;
	x->waits = false;
}

void served__go_on(struct served *s, struct worker *worker)
{
	uint32_t fetch;

	while (fetches__take(s->from, &fetch))
		for (size_t i = 0; i < s->nr; i++)
			if (s->files[i] && s->files[i]->waits && s->files[i]->fetch == fetch)
				ask_again(s->files[i], worker);
}
