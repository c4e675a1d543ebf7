// SPDX-License-Identifier: BSD-2-Clause
/* Has mapped files opened, and keeps their symbols and open files within limits. */
#include "sym/binaries.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/log.h"
#include "base/regular.h"

struct entry {
	struct file_identity is;
	bool known;
	struct binary *binary; /* NULL until opened */
	uint64_t used_at;      /* struct binaries.nr_uses of the last time */
	/* As of the last count_symbols(). */
	size_t symbol_bytes;
	size_t nr_open;	   /* descriptors for its symbols */
	unsigned nr_drops; /* how often its symbols were dropped for memory */
};

enum { DROPS_MAX = 8, OPEN_MAX = 64, PLACES_MAX = 16 };

/* A busy machine has a million or two symbols, of 16 bytes each. */
#define SYMBOL_BYTES_MAX (512u << 20)

struct binaries {
	struct entry *entries; /* by the number of the file */
	size_t nr, cap;
	uint64_t nr_uses;
	uint32_t used_last; /* if there were any uses */
	size_t symbol_bytes, max_symbol_bytes;
	size_t nr_open; /* descriptors for symbols */
	struct file_source source;
	struct allowance allowance;
};

struct binaries *binaries__new(const struct file_source *source, size_t symbol_bytes)
{
	struct binaries *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->source = *source;
	t->max_symbol_bytes = symbol_bytes ? symbol_bytes : SYMBOL_BYTES_MAX;
	allowance__init(&t->allowance, 0, 0);
	return t;
}

void binaries__free(struct binaries *t)
{
	if (!t)
		return;
	for (size_t i = 0; i < t->nr; i++)
		binary__close(t->entries[i].binary);
	free(t->entries);
	free(t);
}

struct allowance *binaries__allowance(struct binaries *t)
{
	return &t->allowance;
}

int binaries__add(struct binaries *t, uint32_t id, const struct file_identity *is)
{
	int err = array__grow(&t->entries, &t->cap, (size_t)id + 1);

	if (err)
		return err;
	for (; t->nr <= id; t->nr++)
		t->entries[t->nr] = (struct entry){};
	t->entries[id].is = *is;
	t->entries[id].known = true;
	return 0;
}

bool binaries__knows(const struct binaries *t, uint32_t id)
{
	return id < t->nr && t->entries[id].known;
}

static int open_other(void *binaries, uint32_t file, const struct debug_place *place, unsigned nr)
{
	const struct binaries *t = binaries;
	const struct file_request r = {
		.kind = REQUEST_OTHER, .file = file, .nr = nr, .place = *place
	};

	return t->source.open(t->source.arg, &r);
}

struct opener binaries__others(struct binaries *t, uint32_t id)
{
	return (struct opener){ .open = open_other, .arg = t, .file = id };
}

/*
 * Mappings name the device of the file system. stat(2) names another one where that has several
 * (subvolumes of btrfs, layers of overlayfs); these have no number of a driver: major 0.
 */
static bool is_same_device(const struct entry *e, dev_t dev)
{
	return !e->is.dev_major || !major(dev) ||
	       (e->is.dev_major == major(dev) && e->is.dev_minor == minor(dev));
}

/*
 * True if what was opened is the file that was mapped, as far as can be told: anybody can give it
 * the build-id.
 */
static bool is_same(const struct entry *e, const struct stat *st, struct binary *b)
{
	const unsigned char *id;

	if (e->is.build_id_len)
		return binary__build_id(b, &id) == e->is.build_id_len &&
		       !memcmp(id, e->is.build_id, e->is.build_id_len) &&
		       (e->is.owner == FILE_OWNER_UNKNOWN ||
			e->is.owner == file_owner(st->st_uid, st->st_mode));
	return !e->is.inode || (st->st_ino == e->is.inode && is_same_device(e, st->st_dev));
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

/*
 * Opens what is at a place of the file; if no descriptor is left, files that are open for their
 * names are dropped.
 */
static int open_place(struct binaries *t, uint32_t id, unsigned nr)
{
	const struct file_request r = { .kind = REQUEST_MAPPED, .file = id, .nr = nr };
	struct entry *other;
	int fd;

	while ((fd = t->source.open(t->source.arg, &r)) == -EMFILE &&
	       (other = least_used(t, id, true)))
		drop(t, other);
	return fd;
}

/* The file at the first place that has it: 0, -ENOENT, -ENOMEM, or -EAGAIN: it is being fetched. */
static int find_file(struct binaries *t, uint32_t id, struct binary **out)
{
	const struct opener others = binaries__others(t, id);
	struct stat st;
	int fd, err;

	for (unsigned nr = 0; (fd = open_place(t, id, nr)) != -ENODATA && nr < PLACES_MAX; nr++) {
		if (fd == -EAGAIN) {
			*out = NULL;
			return fd;
		}
		if (fd < 0)
			continue;
		if (fstat(fd, &st)) {
			close(fd);
			continue;
		}
		err = binary__open(out, fd, &others, &t->allowance);
		if (err || is_same(&t->entries[id], &st, *out))
			return err;
		binary__close(*out);
	}
	*out = NULL;
	return -ENOENT;
}

static int open_entry(struct binaries *t, uint32_t id)
{
	struct entry *e = &t->entries[id];
	const struct opener none = {};
	int err;

	if (e->binary)
		return 0;
	err = e->nr_drops < DROPS_MAX ? find_file(t, id, &e->binary) : -ENOENT;
	/* Gone, or read too often: keep the object, so that nobody tries again. */
	return err == -ENOENT ? binary__open(&e->binary, -1, &none, NULL) : err;
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

bool binaries__is_fetched(struct binaries *t, uint32_t id)
{
	return open_entry(t, id) == -EAGAIN;
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

int binaries__reopen(struct binaries *t, uint32_t id)
{
	struct binary *b;
	int fd;

	if (find_file(t, id, &b))
		return -1;
	fd = binary__dup(b);
	binary__close(b);
	return fd;
}

int binaries__descriptor(struct binaries *t, uint32_t id)
{
	const struct binary *b = binaries__get(t, id);
	const int fd = b ? binary__dup(b) : -1;

	/* Closed since its symbols were read: opened once more, beside what is known of it. */
	return b && fd < 0 ? binaries__reopen(t, id) : fd;
}
