// SPDX-License-Identifier: BSD-2-Clause
/* Finds and opens mapped files, and keeps their symbols and open files within limits. */
#include "sym/binaries.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/regular.h"
#include "elf/vdso.h"

struct entry {
	struct mapped_file file;
	struct binary *binary; /* NULL until opened */
	uint64_t used_at;      /* struct binaries.nr_uses of the last time */
	/* As of the last count_symbols(). */
	size_t symbol_bytes;
	size_t nr_open;	   /* descriptors for its symbols */
	unsigned nr_drops; /* how often its symbols were dropped for memory */
};

enum { DROPS_MAX = 8, OPEN_MAX = 64 };

/* A busy machine has a million or two symbols, of 16 bytes each. */
#define SYMBOL_BYTES_MAX (512u << 20)

struct binaries {
	struct entry *entries; /* by the number of the file */
	size_t nr, cap;
	uint64_t nr_uses;
	uint32_t used_last; /* if there were any uses */
	size_t symbol_bytes, max_symbol_bytes;
	size_t nr_open; /* descriptors for symbols */
	struct binary *vdso;
	bool vdso_tried;
	struct allowance allowance;
};

struct binaries *binaries__new(size_t symbol_bytes)
{
	struct binaries *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->max_symbol_bytes = symbol_bytes ? symbol_bytes : SYMBOL_BYTES_MAX;
	allowance__init(&t->allowance, 0, 0);
	return t;
}

void binaries__free(struct binaries *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr; i++) {
		mapped_file__free(&t->entries[i].file);
		binary__close(t->entries[i].binary);
	}
	free(t->entries);
	binary__close(t->vdso);
	free(t);
}

struct allowance *binaries__allowance(struct binaries *t)
{
	return &t->allowance;
}

int binaries__add(struct binaries *t, uint32_t id, struct mapped_file *f)
{
	int err = array__grow(&t->entries, &t->cap, (size_t)id + 1);

	if (err) {
		mapped_file__free(f);
		return err;
	}
	for (; t->nr <= id; t->nr++)
		t->entries[t->nr] = (struct entry){ .file.fd = -1 };
	t->entries[id].file = *f;
	return 0;
}

/*
 * Mappings name the device of the file system. stat(2) names another one where that has several
 * (subvolumes of btrfs, layers of overlayfs); these have no number of a driver: major 0.
 */
static bool is_same_device(const struct entry *e, dev_t dev)
{
	return !e->file.dev_major || !major(dev) ||
	       (e->file.dev_major == major(dev) && e->file.dev_minor == minor(dev));
}

/* True if what was opened is the file that was mapped, as far as can be told. */
static bool is_same(const struct entry *e, const struct stat *st, struct binary *b)
{
	const unsigned char *id;

	if (e->file.build_id_len)
		return binary__build_id(b, &id) == e->file.build_id_len &&
		       !memcmp(id, e->file.build_id, e->file.build_id_len);
	return !e->file.inode || (st->st_ino == e->file.inode && is_same_device(e, st->st_dev));
}

/* The least recently used file but @id, of those with symbols (@open: with open files); or NULL. */
static struct entry *least_used(struct binaries *t, uint32_t id, bool open)
{
	struct entry *e, *found = NULL;

	for (size_t i = 0; i < t->nr; i++) {
		e = &t->entries[i];
		if ((open ? e->nr_open : e->symbol_bytes) && i != id &&
		    (!found || e->used_at < found->used_at))
			found = e;
	}
	return found;
}

static void drop(struct binaries *t, struct entry *e)
{
	binary__close(e->binary);
	e->binary = NULL;
	t->symbol_bytes -= e->symbol_bytes;
	t->nr_open -= e->nr_open;
	e->symbol_bytes = e->nr_open = 0;
}

/* As open_regular(); if no descriptor is left, files that are open for their names are dropped. */
static int open_file(struct binaries *t, const struct entry *e, const char *root, const char *path,
		     struct stat *st)
{
	struct entry *other;
	int fd;

	while ((fd = open_regular(root, path, 0, st)) == -EMFILE &&
	       (other = least_used(t, e - t->entries, true)))
		drop(t, other);
	return fd;
}

/* Takes the file at @path below @root if it is the right one: 0, -ENOENT, or -ENOMEM. */
static int try_path(struct binaries *t, struct entry *e, const char *path, const char *root,
		    const char *its_root)
{
	struct binary *b;
	struct stat st;
	int fd = open_file(t, e, root, path, &st), err;

	if (fd < 0)
		return -ENOENT;
	err = binary__open(&b, fd, e->file.path, its_root, &t->allowance);
	if (err)
		return err;
	if (!is_same(e, &st, b)) {
		binary__close(b);
		return -ENOENT;
	}
	e->binary = b;
	return 0;
}

/* By the descriptor that mapped_files__hold() has got: 0, -ENOENT, or -ENOMEM. */
static int try_held(struct binaries *t, struct entry *e, const char *root)
{
	char link[32];
	int err;

	if (e->file.fd < 0)
		return -ENOENT;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", e->file.fd);
	err = try_path(t, e, link, "", root);
	close(e->file.fd);
	e->file.fd = -1;
	return err;
}

/* Through the process that maps it, then as we see it: 0, -ENOENT, or -ENOMEM. */
static int find_file(struct binaries *t, struct entry *e)
{
	char link[80], root[32];
	int err;

	if (!e->file.path)
		return -ENOENT;
	snprintf(root, sizeof(root), "/proc/%d/root", e->file.pid);
	err = try_held(t, e, root);
	if (err != -ENOENT)
		return err;
	snprintf(link, sizeof(link), "/proc/%d/map_files/%llx-%llx", e->file.pid,
		 (unsigned long long)e->file.start, (unsigned long long)e->file.end);
	err = try_path(t, e, link, "", root);
	if (err == -ENOENT)
		err = try_path(t, e, e->file.path, root, root);
	return err == -ENOENT ? try_path(t, e, e->file.path, "", "") : err;
}

static int open_entry(struct binaries *t, uint32_t id)
{
	struct entry *e = &t->entries[id];
	int err;

	if (e->binary)
		return 0;
	err = e->nr_drops < DROPS_MAX ? find_file(t, e) : -ENOENT;
	/* Gone, or read too often: keep the object, so that nobody tries again. */
	if (err == -ENOENT)
		err = binary__open(&e->binary, -1, e->file.path ? e->file.path : "", "", NULL);
	return err;
}

/* Of the file given out last: its symbols were read after binaries__get() had returned. */
static void count_symbols(struct binaries *t)
{
	struct entry *e = &t->entries[t->used_last];

	if (!t->nr_uses || !e->binary)
		return;
	t->symbol_bytes -= e->symbol_bytes;
	e->symbol_bytes = binary__symbol_bytes(e->binary);
	t->symbol_bytes += e->symbol_bytes;
	t->nr_open -= e->nr_open;
	e->nr_open = binary__nr_files(e->binary);
	t->nr_open += e->nr_open;
}

static void keep_to_limits(struct binaries *t, uint32_t id)
{
	struct entry *other;

	while (t->symbol_bytes > t->max_symbol_bytes && (other = least_used(t, id, false))) {
		log__debug("symbols of a file are dropped: those of all files take %zu bytes",
			   t->symbol_bytes);
		other->nr_drops++;
		drop(t, other);
	}
	while (t->nr_open > OPEN_MAX && (other = least_used(t, id, true)))
		drop(t, other);
}

struct binary *binaries__get(struct binaries *t, uint32_t id)
{
	struct entry *e = &t->entries[id];

	count_symbols(t);
	keep_to_limits(t, id);
	e->used_at = ++t->nr_uses;
	t->used_last = id;
	return open_entry(t, id) ? NULL : t->entries[id].binary;
}

int binaries__descriptor(struct binaries *t, uint32_t id)
{
	struct binary *b = binaries__get(t, id), *again;
	struct entry *e = &t->entries[id];
	int fd = b ? binary__dup(b) : -1;

	if (!b || fd >= 0)
		return fd;
	/* Closed since its symbols were read: opened once more, beside what is known of it. */
	e->binary = NULL;
	if (!find_file(t, e) && e->binary)
		fd = binary__dup(e->binary);
	again = e->binary;
	e->binary = b;
	binary__close(again);
	return fd;
}

const char *binaries__path(const struct binaries *t, uint32_t id, pid_t *pid)
{
	*pid = t->entries[id].file.pid;
	return t->entries[id].file.path;
}

struct binary *binaries__vdso(struct binaries *t)
{
	const void *image;
	size_t len;

	if (t->vdso || t->vdso_tried)
		return t->vdso;
	t->vdso_tried = true;
	image = vdso__image(&len);
	if (image && binary__open_memory(&t->vdso, image, len, "[vdso]"))
		t->vdso = NULL;
	return t->vdso;
}
