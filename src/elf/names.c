// SPDX-License-Identifier: BSD-2-Clause
/* Keeps a pool of copied names, and reads those that stay in files. */
#include "elf/names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	PEEK_BYTES = 4096,	       /* of a large table */
	PEEK_WHOLE_BYTES = 256 * 1024, /* a small one is read as a whole */
	USUAL_BYTES = 128,
	NAME_BYTES_MAX = 1 << 20,
};

struct names_file {
	int fd;
	uint64_t at;
	uint32_t first, len;
	const char *tail;
	off_t bytes; /* of the whole file, when it was opened */
	struct timespec changed;
	struct allowance *charge;
	char *peeked; /* what was read last, from peeked_id on; NULL: nothing */
	uint32_t peeked_id, nr_peeked;
};

void names__free(struct names *n)
{
	for (size_t i = 0; i < n->nr_files; i++) {
		close(n->files[i].fd);
		free(n->files[i].peeked);
	}
	free(n->files);
	buf__free(&n->pool);
	buf__free(&n->got);
	*n = (struct names){};
}

int names__add(struct names *n, const char *name, size_t len, uint32_t *id)
{
	size_t at = n->pool.len;

	if (len >= UINT32_MAX - n->nr_kept - at || buf__reserve(&n->pool, len + 1))
		return -ENOMEM;
	if (len)
		memcpy(n->pool.data + at, name, len);
	n->pool.data[at + len] = '\0';
	n->pool.len = at + len + 1;
	*id = at;
	return 0;
}

int names__keep(struct names *n, int fd, uint64_t at, uint64_t len, const char *tail,
		uint32_t *first)
{
	struct names_file file = { .at = at, .len = len, .tail = tail, .charge = n->charge };
	struct stat st;
	int err;

	/* At least half of the ids are left for the pool. */
	if (len > UINT32_MAX / 2 - n->nr_kept || UINT32_MAX - n->nr_kept - len < n->pool.len)
		return -E2BIG;
	err = array__grow(&n->files, &n->cap_files, n->nr_files + 1);
	if (err)
		return err;
	file.fd = fstat(fd, &st) ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (file.fd < 0)
		return -errno;
	file.bytes = st.st_size;
	file.changed = st.st_mtim;
	n->nr_kept += len;
	*first = file.first = UINT32_MAX - n->nr_kept;
	n->files[n->nr_files++] = file;
	return 0;
}

/* The file of a name, or NULL: it is in the pool. */
static struct names_file *file_of(const struct names *n, uint32_t id)
{
	for (size_t i = 0; i < n->nr_files; i++)
		if (id >= n->files[i].first && id - n->files[i].first < n->files[i].len)
			return &n->files[i];
	return NULL;
}

/* Of the bytes from @id on at most @max; less, or 0, where there are no more. */
static size_t read_from(const struct names_file *f, uint32_t id, char *to, size_t max)
{
	uint32_t at = id - f->first;
	ssize_t got;

	if (!allowance__spend(f->charge, max))
		return 0;
	got = pread(f->fd, to, f->len - at < max ? f->len - at : max, f->at + at);
	return got < 0 ? 0 : got;
}

static bool is_peeked(const struct names_file *f, uint32_t id)
{
	return f->peeked && id >= f->peeked_id && id - f->peeked_id < f->nr_peeked;
}

/* NUL for what is not there: behind the table, or behind the end of a file that was cut. */
static char peeked_byte(const struct names_file *f, uint32_t id)
{
	return is_peeked(f, id) ? f->peeked[id - f->peeked_id] : '\0';
}

/* A small table is read once, whatever is asked for: what it lacks then it lacks for good. */
static void peek_around(struct names_file *f, uint32_t id)
{
	bool whole = f->len <= PEEK_WHOLE_BYTES;
	size_t max = whole ? f->len : PEEK_BYTES;

	if (f->peeked && whole)
		return;
	if (!f->peeked)
		f->peeked = malloc(max);
	f->peeked_id = whole ? f->first : id;
	f->nr_peeked = f->peeked ? read_from(f, f->peeked_id, f->peeked, max) : 0;
}

void names__peek(struct names *n, uint32_t id, char first[2])
{
	struct names_file *f = file_of(n, id);

	if (f) {
		if (!is_peeked(f, id) || !is_peeked(f, id + 1))
			peek_around(f, id);
		first[0] = peeked_byte(f, id);
		first[1] = first[0] ? peeked_byte(f, id + 1) : '\0';
	} else {
		first[0] = n->pool.data[id];
		first[1] = first[0] ? n->pool.data[id + 1] : '\0';
	}
}

void names__settle(struct names *n)
{
	char *fit = n->pool.data ? realloc(n->pool.data, n->pool.len + 1) : NULL;

	if (fit) {
		n->pool.data = fit;
		n->pool.cap = n->pool.len + 1;
	}
	for (size_t i = 0; i < n->nr_files; i++) {
		free(n->files[i].peeked);
		n->files[i].peeked = NULL;
	}
}

static bool is_changed(const struct names_file *f)
{
	struct stat st;

	return fstat(f->fd, &st) || st.st_size != f->bytes ||
	       st.st_mtim.tv_sec != f->changed.tv_sec || st.st_mtim.tv_nsec != f->changed.tv_nsec;
}

/* One that has no end is none. */
static int read_name(struct names *n, const struct names_file *f, uint32_t id)
{
	size_t max, got, len;
	int err = 0;

	for (max = USUAL_BYTES; max <= NAME_BYTES_MAX; max *= 8) {
		buf__clear(&n->got);
		err = buf__reserve(&n->got, max);
		if (err)
			return err;
		got = read_from(f, id, n->got.data, max);
		len = strnlen(n->got.data, got);
		if (len < got) {
			n->got.len = len;
			return len ? buf__puts(&n->got, f->tail) : 0;
		}
		if (got < max)
			break;
	}
	return -ENODATA;
}

const char *names__get(struct names *n, uint32_t id)
{
	const struct names_file *f = file_of(n, id);
	const char *name = "";

	if (!f)
		return n->pool.data + id;
	allowance__begin(f->charge);
	if (!is_changed(f) && !read_name(n, f, id))
		name = n->got.data;
	allowance__end(f->charge);
	return name;
}

bool names__is_none(const struct names *n, uint32_t id)
{
	return !file_of(n, id) && !n->pool.data[id];
}

size_t names__nr_files(const struct names *n)
{
	return n->nr_files;
}
