// SPDX-License-Identifier: BSD-2-Clause
/* Numbers mapped files by build-id or inode, and holds them by O_PATH until they are read. */
#include "sym/mapped.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/files.h"
#include "base/regular.h"
#include "base/strtab.h"

enum { HELD_MAX = 256, SPARE = 16, PATH_BYTES = 4200 };

struct entry {
	struct mapped_file file;
	const char *name;
	bool given; /* with its descriptor: a copy of the path is left */
	bool by_build_id;
	uint8_t build_id[BUILD_ID_BYTES], build_id_len;
};

struct mapped_files {
	const char *proc_root;
	struct strtab *keys; /* string id - 1 == index of the entry */
	struct entry *entries;
	size_t nr, cap;
	uint32_t held[HELD_MAX]; /* a ring */
	size_t nr_held;		 /* ever */
};

struct mapped_files *mapped_files__new(const char *proc_root)
{
	struct mapped_files *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->proc_root = proc_root;
	t->keys = strtab__new();
	if (!t->keys) {
		free(t);
		return NULL;
	}
	return t;
}

void mapped_file__free(struct mapped_file *f)
{
	free(f->path);
	if (f->fd >= 0)
		close(f->fd);
	*f = (struct mapped_file){ .fd = -1 };
}

void mapped_files__free(struct mapped_files *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr; i++)
		mapped_file__free(&t->entries[i].file);
	free(t->entries);
	strtab__free(t->keys);
	free(t);
}

static void map_path(const char *proc_root, pid_t pid, uint64_t start, uint64_t end, char *path,
		     size_t size)
{
	snprintf(path, size, "%s/%d/map_files/%llx-%llx", proc_root, pid, (unsigned long long)start,
		 (unsigned long long)end);
}

/* Of the file that is mapped, whatever its path leads to. */
static uint32_t owner_of(const struct mapped_files *t, const struct binary_ref *ref)
{
	char path[PATH_BYTES];
	struct statx st;

	map_path(t->proc_root, ref->pid, ref->start, ref->end, path, sizeof(path));
	if (statx(AT_FDCWD, path, AT_STATX_DONT_SYNC, STATX_UID | STATX_MODE, &st) ||
	    (st.stx_mask & (STATX_UID | STATX_MODE)) != (STATX_UID | STATX_MODE))
		return FILE_OWNER_UNKNOWN;
	return file_owner(st.stx_uid, st.stx_mode);
}

static size_t put_build_id(char *key, const struct binary_ref *ref)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = 0;

	/* For each mapping of each new process: printf() would be too slow. */
	for (unsigned i = 0; i < ref->build_id_len; i++) {
		key[len++] = digits[ref->build_id[i] >> 4];
		key[len++] = digits[ref->build_id[i] & 15];
	}
	return len;
}

/* Root's are called by their build-id alone: if there is one, nobody need look whose this is. */
static size_t make_key(const struct mapped_files *t, const struct binary_ref *ref, char *key,
		       size_t size, uint32_t *owner)
{
	uint32_t seen;
	size_t len;

	*owner = 0;
	if (!ref->build_id_len)
		return snprintf(key, size, "%x:%x:%llx:%s", ref->dev_major, ref->dev_minor,
				(unsigned long long)ref->inode, ref->inode ? "" : ref->path);
	len = put_build_id(key, ref);
	if (strtab__find(t->keys, key, len, &seen))
		return len;
	*owner = owner_of(t, ref);
	if (*owner == FILE_OWNER_UNKNOWN)
		return len + snprintf(key + len, size - len, ":%s", ref->path);
	return *owner ? len + snprintf(key + len, size - len, ":%u", *owner) : len;
}

/* Without the " (deleted)" behind it. */
static size_t path_len(const char *path)
{
	static const char deleted[] = " (deleted)";
	const size_t len = strlen(path), tail = sizeof(deleted) - 1;

	return len > tail && !strcmp(path + len - tail, deleted) ? len - tail : len;
}

static int add_entry(struct mapped_files *t, const struct binary_ref *ref, uint32_t owner)
{
	struct entry *e;
	const char *slash;
	int err = array__grow(&t->entries, &t->cap, t->nr + 1);

	if (err)
		return err;
	e = &t->entries[t->nr];
	*e = (struct entry){ .by_build_id = ref->build_id_len,
			     .file = { .identity = { .dev_major = ref->dev_major,
						     .dev_minor = ref->dev_minor,
						     .inode = ref->inode,
						     .owner = owner,
						     .build_id_len = ref->build_id_len },
				       .pid = ref->pid,
				       .start = ref->start,
				       .end = ref->end,
				       .fd = -1 } };
	if (ref->build_id_len)
		memcpy(e->file.identity.build_id, ref->build_id, ref->build_id_len);
	memcpy(e->build_id, e->file.identity.build_id, sizeof(e->build_id));
	e->build_id_len = ref->build_id_len;
	e->file.path = strndup(ref->path, path_len(ref->path));
	if (!e->file.path)
		return -ENOMEM;
	slash = strrchr(e->file.path, '/');
	e->name = slash && slash[1] ? slash + 1 : e->file.path;
	t->nr++;
	return 0;
}

int mapped_files__id(struct mapped_files *t, const struct binary_ref *ref, uint32_t *id)
{
	char key[4400];
	uint32_t string, owner;
	size_t len;
	int err;

	if (ref->build_id_len > BUILD_ID_BYTES)
		return -EINVAL;
	len = make_key(t, ref, key, sizeof(key), &owner);
	if (len >= sizeof(key))
		len = sizeof(key) - 1;
	err = strtab__add(t->keys, key, len, &string);
	if (!err && string > t->nr)
		err = add_entry(t, ref, owner);
	if (!err)
		*id = string - 1;
	return err;
}

static void let_go(struct mapped_file *f)
{
	if (f->fd >= 0)
		close(f->fd);
	f->fd = -1;
}

static bool grasp(const struct mapped_files *t, struct mapped_file *f)
{
	char path[PATH_BYTES];
	uint64_t limit;

	if (f->fd >= 0)
		return true;
	map_path(t->proc_root, f->pid, f->start, f->end, path, sizeof(path));
	f->fd = open(path, O_PATH | O_CLOEXEC);
	/* fd is the lowest free number: the last SPARE are for reading files. */
	limit = f->fd < 0 ? 0 : files__limit();
	if (limit && (uint64_t)f->fd + SPARE >= limit)
		let_go(f);
	return f->fd >= 0;
}

void mapped_files__hold(struct mapped_files *t, uint32_t id)
{
	struct mapped_file *f = &t->entries[id].file;
	uint32_t *place = &t->held[t->nr_held % HELD_MAX];

	if (t->entries[id].given || f->fd >= 0 || !grasp(t, f))
		return;
	if (t->nr_held >= HELD_MAX && *place != id)
		let_go(&t->entries[*place].file);
	*place = id;
	t->nr_held++;
}

const char *mapped_files__name(const struct mapped_files *t, uint32_t id)
{
	return t->entries[id].name;
}

const char *mapped_files__path(const struct mapped_files *t, uint32_t id)
{
	return t->entries[id].file.path;
}

bool mapped_files__is_by_build_id(const struct mapped_files *t, uint32_t id, const char *path)
{
	const struct entry *e = &t->entries[id];
	const size_t len = path_len(path);

	return e->by_build_id && !strncmp(e->file.path, path, len) && !e->file.path[len];
}

size_t mapped_files__build_id(const struct mapped_files *t, uint32_t id, const uint8_t **bytes)
{
	*bytes = t->entries[id].build_id;
	return t->entries[id].build_id_len;
}

void mapped_files__tell_build_id(struct mapped_files *t, uint32_t id, const uint8_t *bytes,
				 size_t len)
{
	struct entry *e = &t->entries[id];

	if (e->build_id_len || len > sizeof(e->build_id))
		return;
	memcpy(e->build_id, bytes, len);
	e->build_id_len = len;
}

int mapped_files__give(struct mapped_files *t, uint32_t id, struct mapped_file *out)
{
	struct entry *e = &t->entries[id];
	const size_t name = e->name - e->file.path;
	char *path;

	if (e->given)
		return 0;
	path = strdup(e->file.path);
	if (!path)
		return -ENOMEM;
	if (!grasp(t, &e->file))
		e->file.fd = -1; /* found by its path, if at all */
	*out = e->file;
	e->file = (struct mapped_file){ .path = path, .fd = -1 };
	e->name = path + name;
	e->given = true;
	return 1;
}
