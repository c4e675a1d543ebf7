// SPDX-License-Identifier: BSD-2-Clause
/* Parses the records of jitdumps, within their room, and keeps the files open. */
#include "sym/jitdump.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 1, PID_DIGITS = 10 };

static const uint32_t MAGIC = 0x4a695444; /* "JiTD" */

struct dump_header {
	uint32_t magic, version, total_size, elf_mach, pad, pid;
	uint64_t timestamp, flags;
};

enum record_id { JIT_CODE_LOAD, JIT_CODE_MOVE };

struct record {
	uint32_t id, total_size;
	uint64_t timestamp;
};

struct code_load {
	struct record record;
	uint32_t pid, tid;
	uint64_t vma, addr, size, index;
	/* Its name with a NUL and the code follow. */
};

struct code_move {
	struct record record;
	uint32_t pid, tid;
	uint64_t vma, old_addr, new_addr, size, index;
};

_Static_assert(sizeof(struct dump_header) == 40 && sizeof(struct record) == 16 &&
		       sizeof(struct code_load) == 56 && sizeof(struct code_move) == 64,
	       "as in the file");

struct jitdump {
	struct jitdumps *all;
	struct spans *spans;
	int fd; /* -1: it was not opened, or is not kept */
	bool has_header;
	struct growing file;
};

struct jitdump *jitdump__new(struct jitdumps *all)
{
	struct jitdump *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->all = all;
	d->fd = -1;
	d->spans = spans__new(all->room);
	if (!d->spans) {
		free(d);
		return NULL;
	}
	return d;
}

void jitdump__free(struct jitdump *d)
{
	if (!d)
		return;
	if (d->fd >= 0) {
		close(d->fd);
		d->all->nr_open--;
	}
	spans__free(d->spans);
	free(d);
}

/* Where the pid begins; NULL: no dump has this name. */
static const char *pid_in(const char *path)
{
	const char *name = strrchr(path, '/');
	size_t digits;

	if (!name || strncmp(name, "/jit-", 5))
		return NULL;
	name += 5;
	digits = strspn(name, "0123456789");
	if (!digits || digits > PID_DIGITS || strcmp(name + digits, ".dump"))
		return NULL;
	return name;
}

bool jitdump__is_path(const char *path, uint32_t pid)
{
	const char *digits = pid_in(path);

	return digits && strtoull(digits, NULL, 10) == pid;
}

bool jitdump__is_any(const char *path)
{
	return pid_in(path);
}

static int take_header(struct jitdump *d, const struct growing_part *part, uint64_t *used)
{
	struct dump_header h;

	if (part->len < sizeof(h))
		return 0;
	memcpy(&h, part->bytes, sizeof(h));
	if (h.magic == bswap_32(MAGIC))
		return -EPROTO;
	if (h.magic != MAGIC)
		return -ENOEXEC;
	if (h.version != VERSION)
		return -EPROTO;
	if (h.total_size < sizeof(h))
		return -EBADMSG;
	if (h.total_size > part->left)
		return 0;
	d->has_header = true;
	*used = h.total_size;
	return 0;
}

/* @len: bytes that are there of the record; its name may be cut. */
static int load(struct jitdump *d, const char *at, size_t len)
{
	struct code_load r;
	size_t name_len;

	if (len < sizeof(r))
		return -EBADMSG;
	memcpy(&r, at, sizeof(r));
	name_len = strnlen(at + sizeof(r), len - sizeof(r));
	if (!name_len || !r.size || r.size > UINT64_MAX - r.addr)
		return 0;
	return spans__put(d->spans, r.addr, r.size, at + sizeof(r), name_len);
}

/* What was at the old address stays there: nobody says that it is gone. */
static int move(struct jitdump *d, const char *at, size_t len)
{
	char name[SPANS_NAME_BYTES];
	struct code_move r;
	size_t name_len;
	struct sym sym;

	if (len < sizeof(r))
		return -EBADMSG;
	memcpy(&r, at, sizeof(r));
	if (!r.size || r.size > UINT64_MAX - r.new_addr ||
	    !spans__find(d->spans, r.old_addr, &sym) || sym.addr != r.old_addr)
		return 0;
	name_len = strlen(sym.name);
	memcpy(name, sym.name, name_len);
	return spans__put(d->spans, r.new_addr, r.size, name, name_len);
}

/* One record: *size, of which part of the code may not have been read; 0: it is not all there. */
static int take_record(struct jitdump *d, const char *at, size_t len, uint64_t left, uint64_t *size)
{
	enum { NAMED = sizeof(struct code_load) + SPANS_NAME_BYTES + 1 };
	struct record r;

	*size = 0;
	if (len < sizeof(r))
		return 0;
	memcpy(&r, at, sizeof(r));
	if (r.total_size < sizeof(r))
		return -EBADMSG;
	if (r.total_size > left)
		return 0;
	if (len > r.total_size)
		len = r.total_size;
	else if (len < r.total_size && len < NAMED)
		return 0; /* the next part begins with it */
	*size = r.total_size;
	switch (r.id) {
	case JIT_CODE_LOAD:
		return load(d, at, len);
	case JIT_CODE_MOVE:
		return move(d, at, len);
	default:
		return 0;
	}
}

int jitdump__parse(struct jitdump *d, const struct growing_part *part, uint64_t *used)
{
	uint64_t size = 0;
	int err = 0;

	*used = 0;
	if (!d->has_header)
		err = take_header(d, part, used);
	while (!err && d->has_header && *used < part->len) {
		err = take_record(d, part->bytes + *used, part->len - *used, part->left - *used,
				  &size);
		if (!size)
			break;
		*used += size;
	}
	return err;
}

static int parse_part(void *arg, const struct growing_part *part, uint64_t *used)
{
	return jitdump__parse(arg, part, used);
}

static int restart(void *arg)
{
	struct jitdump *d = arg;
	struct spans *fresh = spans__new(d->all->room);

	if (!fresh)
		return -ENOMEM;
	spans__free(d->spans);
	d->spans = fresh;
	d->has_header = false;
	return 0;
}

bool jitdump__is_open(const struct jitdump *d)
{
	return d->fd >= 0;
}

int jitdump__read(struct jitdump *d, int fd)
{
	const struct growing_fns fns = { parse_part, restart, d, d->all->run, &d->all->nr_cut };
	const int state = growing__read(&d->file, fd < 0 ? d->fd : fd, &fns);

	if (fd < 0)
		return state;
	if (d->fd < 0 && d->all->nr_open < JITDUMPS_OPEN) {
		d->fd = fd;
		d->all->nr_open++;
	} else {
		close(fd);
	}
	return state;
}

const char *jitdump__strerror(int err)
{
	switch (err) {
	case -ENOEXEC:
		return "not a jitdump";
	case -EPROTO:
		return "a jitdump of another byte order or version";
	case -EBADMSG:
		return "a record that cannot be";
	default:
		return strerror(-err);
	}
}

bool jitdump__find(const struct jitdump *d, uint64_t addr, struct sym *out)
{
	return spans__find(d->spans, addr, out);
}
