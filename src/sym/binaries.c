// SPDX-License-Identifier: BSD-2-Clause
#include "sym/binaries.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/regular.h"
#include "base/strtab.h"

struct entry {
	char *path; /* without " (deleted)" */
	const char *name;
	uint8_t build_id[20];
	uint8_t build_id_len;
	uint32_t dev_major, dev_minor;
	uint64_t inode; /* 0: not known */
	pid_t pid;
	uint64_t start, end;
	struct binary *binary; /* NULL until opened */
	bool used;	       /* somebody has asked for it */
	uint64_t used_at;      /* struct binaries.nr_uses of the last time */
	size_t symbol_bytes;   /* as far as they were counted */
	unsigned nr_drops;     /* of symbols */
};

enum { HELD_MAX = 256, DROPS_MAX = 8 };

/* A busy machine has a million or two, of 16 bytes each. */
#define SYMBOL_BYTES_MAX (512u << 20)

struct binaries {
	struct strtab *keys; /* string id - 1 == index of the entry */
	struct entry *entries;
	size_t nr, cap;
	uint32_t held[HELD_MAX]; /* opened unasked, a ring */
	size_t nr_held;		 /* ever */
	uint64_t nr_uses;
	uint32_t used_last; /* if there were any uses */
	size_t symbol_bytes, max_symbol_bytes;
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
	t->keys = strtab__new();
	if (!t->keys) {
		free(t);
		return NULL;
	}
	return t;
}

void binaries__free(struct binaries *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr; i++) {
		free(t->entries[i].path);
		binary__close(t->entries[i].binary);
	}
	free(t->entries);
	strtab__free(t->keys);
	binary__close(t->vdso);
	free(t);
}

struct allowance *binaries__allowance(struct binaries *t)
{
	return &t->allowance;
}

static size_t make_key(char *key, size_t size, const struct binary_ref *ref)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = 0;

	if (!ref->build_id_len)
		return snprintf(key, size, "%x:%x:%llx:%s", ref->dev_major, ref->dev_minor,
				(unsigned long long)ref->inode, ref->inode ? "" : ref->path);
	/* Of each mapping of each process that begins: not through printf. */
	for (unsigned i = 0; i < ref->build_id_len; i++) {
		key[len++] = digits[ref->build_id[i] >> 4];
		key[len++] = digits[ref->build_id[i] & 15];
	}
	return len;
}

static int add_entry(struct binaries *t, const struct binary_ref *ref)
{
	static const char deleted[] = " (deleted)";
	size_t len = strlen(ref->path), tail = sizeof(deleted) - 1;
	struct entry *e;
	const char *slash;
	int err = array__grow(&t->entries, &t->cap, t->nr + 1);

	if (err)
		return err;
	e = &t->entries[t->nr];
	*e = (struct entry){ .dev_major = ref->dev_major,
			     .dev_minor = ref->dev_minor,
			     .inode = ref->inode,
			     .pid = ref->pid,
			     .start = ref->start,
			     .end = ref->end,
			     .build_id_len = ref->build_id_len };
	memcpy(e->build_id, ref->build_id ? ref->build_id : e->build_id, ref->build_id_len);
	if (len > tail && !strcmp(ref->path + len - tail, deleted))
		len -= tail;
	e->path = strndup(ref->path, len);
	if (!e->path)
		return -ENOMEM;
	slash = strrchr(e->path, '/');
	e->name = slash && slash[1] ? slash + 1 : e->path;
	t->nr++;
	return 0;
}

int binaries__id(struct binaries *t, const struct binary_ref *ref, uint32_t *id)
{
	char key[4400];
	size_t len = make_key(key, sizeof(key), ref);
	uint32_t string;
	int err;

	if (ref->build_id_len > sizeof(t->entries->build_id))
		return -EINVAL;
	if (len >= sizeof(key))
		len = sizeof(key) - 1;
	err = strtab__add(t->keys, key, len, &string);
	if (err)
		return err;
	if (string > t->nr) {
		err = add_entry(t, ref);
		if (err)
			return err;
	}
	*id = string - 1;
	return 0;
}

/*
 * Mappings name the device of the file system. stat(2) names another one where that has several
 * (subvolumes of btrfs, layers of overlayfs); these have no number of a driver: major 0.
 */
static bool is_same_device(const struct entry *e, dev_t dev)
{
	return !e->dev_major || !major(dev) ||
	       (e->dev_major == major(dev) && e->dev_minor == minor(dev));
}

/* True if what was opened is the file that was mapped, as far as can be told. */
static bool is_same(const struct entry *e, const struct stat *st, struct binary *b)
{
	const unsigned char *id;

	if (e->build_id_len)
		return binary__build_id(b, &id) == e->build_id_len &&
		       !memcmp(id, e->build_id, e->build_id_len);
	return !e->inode || (st->st_ino == e->inode && is_same_device(e, st->st_dev));
}

/* Takes the file at @path below @root if it is the right one: 0, -ENOENT, or -ENOMEM. */
static int try_path(struct binaries *t, struct entry *e, const char *path, const char *root,
		    const char *its_root)
{
	struct binary *b;
	struct stat st;
	int fd = open_regular(root, path, 0, &st), err;

	if (fd < 0)
		return -ENOENT;
	err = binary__open(&b, fd, e->path, its_root, &t->allowance);
	if (err)
		return err;
	if (!is_same(e, &st, b)) {
		binary__close(b);
		return -ENOENT;
	}
	e->binary = b;
	return 0;
}

/* Through the process that maps it, then as we see it: 0, -ENOENT, or -ENOMEM. */
static int find_file(struct binaries *t, struct entry *e)
{
	char link[80], root[32];
	int err;

	snprintf(root, sizeof(root), "/proc/%d/root", e->pid);
	snprintf(link, sizeof(link), "/proc/%d/map_files/%llx-%llx", e->pid,
		 (unsigned long long)e->start, (unsigned long long)e->end);
	err = try_path(t, e, link, "", root);
	if (err == -ENOENT)
		err = try_path(t, e, e->path, root, root);
	return err == -ENOENT ? try_path(t, e, e->path, "", "") : err;
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
		err = binary__open(&e->binary, -1, e->path, "", NULL);
	return err;
}

const char *binaries__name(const struct binaries *t, uint32_t id)
{
	return t->entries[id].name;
}

/* Symbols are read by whom the file was given to: they are counted the next time. */
static void count_symbols(struct binaries *t)
{
	struct entry *e = &t->entries[t->used_last];

	if (!t->nr_uses || !e->binary)
		return;
	t->symbol_bytes -= e->symbol_bytes;
	e->symbol_bytes = binary__symbol_bytes(e->binary);
	t->symbol_bytes += e->symbol_bytes;
}

/* The one with symbols, other than @id, that was not asked for longest; or NULL. */
static struct entry *least_used(struct binaries *t, uint32_t id)
{
	struct entry *e, *found = NULL;

	for (size_t i = 0; i < t->nr; i++) {
		e = &t->entries[i];
		if (e->symbol_bytes && i != id && (!found || e->used_at < found->used_at))
			found = e;
	}
	return found;
}

static void drop(struct binaries *t, struct entry *e)
{
	log__debug("symbols of a file are dropped: those of all files take %zu bytes",
		   t->symbol_bytes);
	binary__close(e->binary);
	e->binary = NULL;
	e->nr_drops++;
	t->symbol_bytes -= e->symbol_bytes;
	e->symbol_bytes = 0;
}

struct binary *binaries__get(struct binaries *t, uint32_t id)
{
	struct entry *e = &t->entries[id], *other;

	count_symbols(t);
	while (t->symbol_bytes > t->max_symbol_bytes && (other = least_used(t, id)))
		drop(t, other);
	e->used = true;
	e->used_at = ++t->nr_uses;
	t->used_last = id;
	return open_entry(t, id) ? NULL : t->entries[id].binary;
}

int binaries__hold(struct binaries *t, uint32_t id)
{
	uint32_t *place = &t->held[t->nr_held % HELD_MAX];
	struct entry *oldest;

	if (t->entries[id].binary)
		return 0;
	if (t->nr_held >= HELD_MAX) {
		oldest = &t->entries[*place];
		if (!oldest->used) {
			binary__close(oldest->binary);
			oldest->binary =
				NULL; /* opened again if it is asked for, by then by its path */
		}
	}
	*place = id;
	t->nr_held++;
	return open_entry(t, id);
}

struct binary *binaries__vdso(struct binaries *t)
{
	/* Two pages and a bit at most today; what lies behind it is not ours to read. */
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t len = sysconf(_SC_PAGESIZE);

	if (!t->vdso && !t->vdso_tried && image) {
		struct buf maps = {};

		t->vdso_tried = true;
		if (!buf__read_file(&maps, "/proc/self/maps", 1 << 24)) {
			const char *line = strstr(maps.data, "[vdso]");
			unsigned long long start, end;

			while (line && line > maps.data && line[-1] != '\n')
				line--;
			if (line && sscanf(line, "%llx-%llx", &start, &end) == 2 && end > start)
				len = end - start;
		}
		buf__free(&maps);
		if (binary__open_memory(&t->vdso, image, len, "[vdso]"))
			t->vdso = NULL;
	}
	return t->vdso;
}
