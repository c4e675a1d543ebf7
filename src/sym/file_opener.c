// SPDX-License-Identifier: BSD-2-Clause
/* Answers requests for files: finds the path, opens it, and looks at what it is. */
#include "sym/file_opener.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/regular.h"
#include "sym/growing.h"
#include "sym/jitdump.h"
#include "sym/served.h"

enum { ROOT_BYTES = 256, DIRS_OPEN = 16 };

/* A process that has a jitdump. */
struct dumped {
	uint32_t pid, life;
	char *path;
};

/*
 * One whose perf map was asked for while it was there. Its /tmp is kept open, as its mounts have
 * it, for a map may be written at the very end; -1: too many are.
 */
struct lived {
	uint32_t life, inner_pid;
	uid_t uid;
	int tmp;
	bool gone; /* whoever has its pid by now is another process */
};

struct file_opener {
	char *proc_root;
	struct lived *lived;
	size_t nr_lived, cap_lived;
	unsigned nr_open;	   /* struct lived.tmp */
	struct mapped_file *files; /* by number; path NULL: not known */
	size_t nr, cap;
	struct dumped *dumps;
	size_t nr_dumps, cap_dumps;
	struct served *servers; /* NULL: none are asked */
};

struct file_opener *file_opener__new(const char *proc_root)
{
	struct file_opener *o = calloc(1, sizeof(*o));

	if (!o)
		return NULL;
	o->proc_root = strdup(proc_root);
	if (o->proc_root)
		return o;
	free(o);
	return NULL;
}

void file_opener__free(struct file_opener *o)
{
	if (!o)
		return;
	for (size_t i = 0; i < o->nr; i++)
		mapped_file__free(&o->files[i]);
	for (size_t i = 0; i < o->nr_dumps; i++)
		free(o->dumps[i].path);
	for (size_t i = 0; i < o->nr_lived; i++)
		if (o->lived[i].tmp >= 0)
			close(o->lived[i].tmp);
	free(o->lived);
	free(o->files);
	free(o->dumps);
	free(o->proc_root);
	free(o);
}

int file_opener__add(struct file_opener *o, uint32_t id, struct mapped_file *f)
{
	int err = array__grow(&o->files, &o->cap, (size_t)id + 1);

	if (err) {
		mapped_file__free(f);
		return err;
	}
	for (; o->nr <= id; o->nr++)
		o->files[o->nr] = (struct mapped_file){ .fd = -1 };
	mapped_file__free(&o->files[id]);
	o->files[id] = *f;
	return 0;
}

static struct mapped_file *file_of(const struct file_opener *o, uint32_t id)
{
	return id < o->nr && o->files[id].path ? &o->files[id] : NULL;
}

const struct file_identity *file_opener__identity(const struct file_opener *o, uint32_t id)
{
	const struct mapped_file *f = file_of(o, id);

	return f ? &f->identity : NULL;
}

const char *file_opener__path(const struct file_opener *o, uint32_t id)
{
	const struct mapped_file *f = file_of(o, id);

	return f ? f->path : NULL;
}

void file_opener__ask_servers(struct file_opener *o, struct served *servers)
{
	o->servers = servers;
}

bool file_opener__waits(const struct file_opener *o, uint32_t id)
{
	return o->servers && served__waits(o->servers, id);
}

/* By the descriptor that mapped_files__hold() has got; the file has that no longer. */
static int open_held(struct mapped_file *f, struct stat *st)
{
	char link[32];
	int fd;

	if (f->fd < 0)
		return -ENOENT;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", f->fd);
	fd = open_regular("", link, 0, st);
	if (fd == -EMFILE)
		return fd;
	close(f->fd);
	f->fd = -1;
	return fd;
}

/*
 * Where the file itself is not: what its build-id leads to, if that may stand for it. Two places
 * here, then what servers have.
 */
static int open_debug_file(const struct file_opener *o, uint32_t id, unsigned nr, struct stat *st)
{
	enum { PLACES_HERE = 2 };
	const struct mapped_file *f = &o->files[id];
	struct debug_place place = { .kind = PLACE_BY_ID,
				     .id = f->identity.build_id,
				     .id_len = f->identity.build_id_len };
	struct debug_places places = { .root = f->debug_root, .any_owner = true };
	int fd = -ENODATA;

	if (!f->debug_root || !f->identity.build_id_len)
		return fd;
	if (nr < PLACES_HERE) {
		fd = debug_places__open(&places, id, &place, nr);
	} else if (o->servers) {
		place.kind = PLACE_BY_SERVER;
		fd = served__open(o->servers, id, &f->identity, &place, nr - PLACES_HERE);
	}
	if (fd >= 0 && fstat(fd, st)) {
		close(fd);
		return -ENOENT;
	}
	return fd;
}

static int open_place(const struct file_opener *o, uint32_t id, unsigned nr, struct stat *st)
{
	struct mapped_file *f = &o->files[id];
	char path[ROOT_BYTES + 64];

	switch (nr) {
	case 0:
		return open_held(f, st);
	case 1:
		snprintf(path, sizeof(path), "%s/%d/map_files/%llx-%llx", o->proc_root, f->pid,
			 (unsigned long long)f->start, (unsigned long long)f->end);
		return open_regular("", path, 0, st);
	case 2:
		snprintf(path, sizeof(path), "%s/%d/root", o->proc_root, f->pid);
		return open_regular(path, f->path, 0, st);
	case 3:
		return open_regular("", f->path, 0, st);
	default:
		return open_debug_file(o, id, nr - 4, st);
	}
}

static int open_mapped(struct file_opener *o, uint32_t id, unsigned nr)
{
	struct mapped_file *f = file_of(o, id);
	struct stat st;
	int fd;

	if (!f)
		return -ENODATA;
	fd = open_place(o, id, nr, &st);
	/* Whether it is what is mapped its reader finds out; and then asks for debug files. */
	if (fd >= 0)
		f->opened_owner = file_owner(st.st_uid, st.st_mode);
	return fd;
}

static int open_other(struct file_opener *o, const struct file_request *r)
{
	const struct mapped_file *f = file_of(o, r->file);
	char root[ROOT_BYTES + 32];
	struct debug_places places;

	if (!f)
		return -ENODATA;
	if (r->place.kind == PLACE_BY_SERVER)
		return o->servers
			       ? served__open(o->servers, r->file, &f->identity, &r->place, r->nr)
			       : -ENODATA;
	snprintf(root, sizeof(root), "%s/%d/root", o->proc_root, f->pid);
	places = (struct debug_places){ .root = root, .path = f->path, .owner = f->opened_owner };
	return debug_places__open(&places, r->file, &r->place, r->nr);
}

/* The pid that the process itself sees: the last one in the NSpid line of its status. */
static uint32_t innermost_pid(const struct file_opener *o, uint32_t pid)
{
	struct buf text = {};
	char path[ROOT_BYTES + 32], *line, *last;
	uint32_t found = pid;

	snprintf(path, sizeof(path), "%s/%u/status", o->proc_root, pid);
	if (!buf__read_file(&text, path, 65536) && (line = strstr(text.data, "\nNSpid:"))) {
		line = strtok_r(line + 1, "\n", &last);
		line = line ? strrchr(line, '\t') : NULL;
		if (line)
			found = strtoul(line + 1, NULL, 10);
	}
	buf__free(&text);
	return found;
}

/* Who the owner of a process that is gone was is not known, so that no path can be trusted. */
static int open_written(const struct file_opener *o, uint32_t pid, const char *path)
{
	char root[ROOT_BYTES + 32];
	struct stat st;

	snprintf(root, sizeof(root), "%s/%u", o->proc_root, pid);
	if (stat(root, &st))
		return -ESRCH;
	snprintf(root, sizeof(root), "%s/%u/root", o->proc_root, pid);
	return growing__open(root, path, st.st_uid);
}

static struct dumped *dump_of(const struct file_opener *o, uint32_t life)
{
	for (size_t i = 0; i < o->nr_dumps; i++)
		if (o->dumps[i].life == life)
			return &o->dumps[i];
	return NULL;
}

int file_opener__dump(struct file_opener *o, uint32_t pid, uint32_t life, const char *path)
{
	struct dumped *d = dump_of(o, life);
	char *copy;

	if (!jitdump__is_path(path, innermost_pid(o, pid)) || (d && !strcmp(d->path, path)))
		return 0;
	if (!d && array__grow(&o->dumps, &o->cap_dumps, o->nr_dumps + 1))
		return -ENOMEM;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	if (!d) {
		d = &o->dumps[o->nr_dumps++];
		d->path = NULL;
	}
	free(d->path);
	d->pid = pid;
	d->life = life;
	d->path = copy;
	return 1;
}

static struct lived *lived_of(const struct file_opener *o, uint32_t life)
{
	for (size_t i = 0; i < o->nr_lived; i++)
		if (o->lived[i].life == life)
			return &o->lived[i];
	return NULL;
}

static void close_tmp(struct file_opener *o, struct lived *l)
{
	if (l->tmp < 0)
		return;
	close(l->tmp);
	l->tmp = -1;
	o->nr_open--;
}

void file_opener__end_life(struct file_opener *o, uint32_t life)
{
	struct dumped *d = dump_of(o, life);
	struct lived *l = lived_of(o, life);

	if (d) {
		free(d->path);
		*d = o->dumps[--o->nr_dumps];
	}
	if (l) {
		close_tmp(o, l);
		*l = o->lived[--o->nr_lived];
	}
}

/* Notes where its map is to be, and who its owner is. */
static int note_lived(struct file_opener *o, const struct file_request *r, uid_t uid,
		      struct lived **out)
{
	struct lived *l = lived_of(o, r->life);
	char root[ROOT_BYTES + 32];

	if (!l) {
		if (array__grow(&o->lived, &o->cap_lived, o->nr_lived + 1))
			return -ENOMEM;
		l = &o->lived[o->nr_lived++];
		*l = (struct lived){ r->life, innermost_pid(o, r->pid), uid, -1, false };
	}
	l->uid = uid;
	snprintf(root, sizeof(root), "%s/%u/root", o->proc_root, r->pid);
	if (l->tmp < 0 && o->nr_open < DIRS_OPEN) {
		l->tmp = open_directory(root, "/tmp");
		o->nr_open += l->tmp >= 0;
	}
	*out = l;
	return 0;
}

static int open_in_tmp(const struct lived *l)
{
	char root[64], name[64];

	snprintf(root, sizeof(root), "/proc/self/fd/%d", l->tmp);
	snprintf(name, sizeof(name), "perf-%u.map", l->inner_pid);
	return growing__open(root, name, l->uid);
}

/* What it has left, once. */
static int open_last_map(struct file_opener *o, uint32_t life)
{
	struct lived *l = lived_of(o, life);
	int fd;

	if (l)
		l->gone = true;
	if (!l || l->tmp < 0)
		return -ESRCH;
	fd = open_in_tmp(l);
	close_tmp(o, l);
	return fd < 0 ? -ESRCH : fd;
}

static int open_map(struct file_opener *o, const struct file_request *r)
{
	char path[ROOT_BYTES + 32];
	struct lived *l = lived_of(o, r->life);
	struct stat st;
	int err;

	snprintf(path, sizeof(path), "%s/%u", o->proc_root, r->pid);
	if ((l && l->gone) || stat(path, &st))
		return open_last_map(o, r->life);
	err = note_lived(o, r, st.st_uid, &l);
	if (err)
		return err;
	if (l->tmp >= 0)
		return open_in_tmp(l);
	snprintf(path, sizeof(path), "/tmp/perf-%u.map", l->inner_pid);
	return open_written(o, r->pid, path);
}

static int answer(void *opener, const struct file_request *r)
{
	struct file_opener *o = opener;
	const struct dumped *d;

	switch (r->kind) {
	case REQUEST_MAPPED:
		return elf_alone(open_mapped(o, r->file, r->nr));
	case REQUEST_OTHER:
		return elf_alone(open_other(o, r));
	case REQUEST_MAP:
		return open_map(o, r);
	case REQUEST_DUMP:
		d = dump_of(o, r->life);
		return d ? open_written(o, d->pid, d->path) : -ENOENT;
	case REQUEST_KINDS:
		break;
	}
	return -EINVAL;
}

struct file_source file_opener__source(struct file_opener *o)
{
	return (struct file_source){ answer, o };
}
