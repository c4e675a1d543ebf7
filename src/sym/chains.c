// SPDX-License-Identifier: BSD-2-Clause
/* Opens debug information of files, keeps it within limits, and writes what it says as names. */
#include "sym/chains.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/log.h"
#include "sym/inlines.h"
#include "sym/source_lines.h"

enum { DROPS_MAX = 8, OPEN_MAX = 16, DEPTH_MAX = 64 };

#define MAX_BYTES (256u << 20)

struct opened_chains {
	struct inlines *inlines;
	struct elf_from from;
	uint64_t used_at; /* struct chains.nr_uses of the last time */
};

struct file {
	struct opened_chains *opened;
	bool hopeless; /* it has no debug information that may be read, or was read too often */
	bool no_room;  /* for that reason */
	unsigned nr_drops;
};

struct chains {
	struct chains_opts opts;
	struct file *files; /* by the number of the file */
	size_t nr, cap;
	uint64_t nr_uses;
	struct inlined_chain chain;
};

struct chains *chains__new(const struct chains_opts *opts)
{
	struct chains *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	c->opts = *opts;
	if (!c->opts.max_bytes)
		c->opts.max_bytes = MAX_BYTES;
	return c;
}

static void close_opened(struct opened_chains *o)
{
	if (!o)
		return;
	inlines__close(o->inlines);
	elf_from__close(&o->from);
	if (o->from.fd >= 0)
		close(o->from.fd);
	free(o);
}

void chains__free(struct chains *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->nr; i++)
		close_opened(c->files[i].opened);
	free(c->files);
	free(c->chain.frames);
	free(c);
}

static bool is_trusted(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && !allowance__is_for(&st);
}

static int read_opened(struct chains *c, struct binaries *binaries, uint32_t file,
		       struct opened_chains *o)
{
	const struct inlines_opts opts = { .others = binaries__others(binaries, file),
					   .trusted_only = c->opts.trusted_only,
					   .mangled = !c->opts.demangle,
					   .starts = c->opts.places,
					   .max_bytes = c->opts.max_bytes / 4 * 3 };

	o->from.fd = binaries__descriptor(binaries, file);
	if (o->from.fd < 0 || (c->opts.trusted_only && !is_trusted(o->from.fd)))
		return -ENOENT;
	if (!elf_from__open(&o->from, o->from.fd, binaries__allowance(binaries)))
		return -ENOENT;
	return inlines__open(&o->inlines, &o->from, &opts);
}

static struct file *least_used(struct chains *c, const struct file *but)
{
	struct file *f, *found = NULL;

	for (size_t i = 0; i < c->nr; i++) {
		f = &c->files[i];
		if (f->opened && f != but &&
		    (!found || f->opened->used_at < found->opened->used_at))
			found = f;
	}
	return found;
}

static void drop(struct file *f)
{
	close_opened(f->opened);
	f->opened = NULL;
	if (++f->nr_drops == DROPS_MAX)
		f->hopeless = true;
}

static void keep_to_limits(struct chains *c, const struct file *but)
{
	struct file *other;
	size_t bytes, nr;

	for (;;) {
		bytes = nr = 0;
		for (size_t i = 0; i < c->nr; i++) {
			if (!c->files[i].opened)
				continue;
			bytes += inlines__bytes(c->files[i].opened->inlines);
			nr++;
		}
		if (bytes <= c->opts.max_bytes && nr <= OPEN_MAX)
			return;
		other = least_used(c, but);
		if (!other)
			return;
		log__debug("debug information of a file is dropped: %zu files have %zu bytes", nr,
			   bytes);
		drop(other);
	}
}

int chains__open_file(struct chains *c, struct binaries *binaries, uint32_t file)
{
	int err = array__grow(&c->files, &c->cap, (size_t)file + 1);
	struct opened_chains *o;
	struct file *f;

	if (err)
		return err;
	for (; c->nr <= file; c->nr++)
		c->files[c->nr] = (struct file){};
	f = &c->files[file];
	if (f->opened || f->hopeless)
		return 0;
	o = calloc(1, sizeof(*o));
	if (!o)
		return -ENOMEM;
	o->used_at = ++c->nr_uses;
	err = read_opened(c, binaries, file, o);
	if (!err) {
		f->opened = o;
		keep_to_limits(c, f);
		return 0;
	}
	close_opened(o);
	if (err == -EAGAIN)
		return err;
	f->hopeless = true;
	f->no_room = err == -ENOMEM;
	return 0;
}

bool chains__had_no_room(const struct chains *c, uint32_t file)
{
	return file < c->nr && c->files[file].no_room;
}

/* " (file.c:12)" */
static int put_line(const struct chains *c, struct buf *b, const struct inlined_frame *frame)
{
	const char *slash;

	if (!c->opts.lines || !frame->path || !frame->line)
		return 0;
	slash = strrchr(frame->path, '/');
	return buf__printf(b, " (%s:%u)", slash ? slash + 1 : frame->path, frame->line);
}

static int put_inlined(const struct chains *c, struct buf *b, const struct inlined_frame *frame)
{
	int err = buf__puts(b, frame->name ? frame->name : "[unknown]");

	if (!err)
		err = put_line(c, b, frame);
	return err ? err : buf__put(b, "", 1);
}

static int put_source(const struct chains *c, struct buf *b, const struct inlined_frame *frame)
{
	const char *path = frame->path ? frame->path : "";
	const struct source_line line = { path, strlen(path), frame->line, frame->start_line };

	return c->opts.places ? source_lines__put(b, &line) : 0;
}

int chains__find(struct chains *c, uint32_t file, uint64_t vaddr, struct buf *name,
		 struct buf *inlined, size_t *nr, struct buf *lines)
{
	struct opened_chains *o = file < c->nr ? c->files[file].opened : NULL;
	const struct inlined_chain *chain = &c->chain;
	size_t outer;
	int err;

	*nr = 0;
	if (!o)
		return 0;
	o->used_at = ++c->nr_uses;
	err = inlines__find(o->inlines, vaddr, &c->chain);
	if (err || !chain->nr) /* also without memory: what is inlined is a refinement */
		return 0;
	outer = chain->nr - 1;
	if (!name->len && chain->frames[outer].name)
		err = buf__puts(name, chain->frames[outer].name);
	if (err || !name->len)
		return err;
	err = put_line(c, name, &chain->frames[outer]);
	if (!err)
		err = put_source(c, lines, &chain->frames[outer]);
	for (size_t i = outer; i-- && !err && c->opts.inlines && *nr < DEPTH_MAX; ++*nr) {
		err = put_inlined(c, inlined, &chain->frames[i]);
		if (!err)
			err = put_source(c, lines, &chain->frames[i]);
	}
	keep_to_limits(c, &c->files[file]);
	return err;
}
