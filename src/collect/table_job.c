// SPDX-License-Identifier: BSD-2-Clause
/* Opens files by descriptor, reads their segments, and has their tables built. */
#include "collect/table_job.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allowance.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/log.h"
#include "elf/elf_file.h"
#include "elf/vdso.h"
#include "unwind/rules.h"
#include "unwind/table_reader.h"

static const uint64_t WASTE_NS = 20000000000ull; /* in readers that came to nothing */

struct builder {
	struct jail *jail;     /* NULL: there is none */
	struct jailed *reader; /* NULL: not started, or it came to nothing */
	uint64_t wasted_ns;
	struct unwind_rules rules;
	uint32_t nr_told; /* rules that answers had */
	size_t max_rows;
};

/* Rules that are new since the last answer. */
static int tell_rules(struct builder *b, struct table_job *j)
{
	j->first_rule = b->nr_told;
	j->nr_rules = b->rules.nr - b->nr_told;
	j->rules = calloc(j->nr_rules + 1, sizeof(*j->rules));
	if (!j->rules)
		return -ENOMEM;
	memcpy(j->rules, &b->rules.all[b->nr_told], j->nr_rules * sizeof(*j->rules));
	b->nr_told = b->rules.nr;
	return 0;
}

static int build(struct builder *b, struct table_job *j, const struct elf_from *from)
{
	const int err = unwind_table__build(&j->table, from, &b->rules, b->max_rows);

	return err ? err : tell_rules(b, j);
}

/* Root's files, and our own. */
static int build_here(struct builder *b, struct table_job *j)
{
	struct elf_from from;
	struct stat st;
	int err = 0;

	if (fstat(j->fd, &st) || allowance__is_for(&st))
		return -ENOTSUP;
	if (elf_from__open(&from, j->fd, NULL))
		err = build(b, j, &from);
	elf_from__close(&from);
	return err;
}

static void path_of(const struct table_job *j, char *path, size_t size)
{
	char self[32];
	ssize_t len;

	snprintf(self, sizeof(self), "/proc/self/fd/%d", j->fd);
	len = readlink(self, path, size - 1);
	path[len < 0 ? 0 : len] = '\0';
}

/* The file's reader came to nothing: the next file gets another one. */
static int give_up(struct builder *b, const struct table_job *j, uint64_t since_ns)
{
	char path[PATH_MAX];
	struct buf why = {};

	path_of(j, path, sizeof(path));
	b->wasted_ns += clock__now_ns() - since_ns;
	if (!jailed__why(b->reader, &why))
		log__notice("%s: no unwind table: %s; its code is unwound by frame pointer", path,
			    why.data);
	if (b->wasted_ns > WASTE_NS)
		log__notice("no more unwind tables are made: files that cannot be read have taken "
			    "%.0f s",
			    b->wasted_ns / 1e9);
	buf__free(&why);
	jailed__close(b->reader);
	b->reader = NULL;
	return -ENOTSUP;
}

/* False: nobody waits for tables any more. */
static bool start_reader(struct builder *b)
{
	int err = 0;

	if (b->jail && !b->reader)
		err = jailed__open(&b->reader, b->jail, &table_reader);
	if (err)
		log__debug("no reader for files: %s", strerror(-err));
	return err != -ESHUTDOWN;
}

static int build_in_jail(struct builder *b, struct table_job *j)
{
	const uint64_t since_ns = clock__now_ns();
	int err = 0;

	if (b->wasted_ns > WASTE_NS || !start_reader(b))
		return -ENOTSUP;
	if (!b->reader)
		return build_here(b, j);
	err = table_reader__build(b->reader, j->fd, &j->table, &b->rules, b->max_rows);
	if (err && err != -E2BIG && err != -ENOMEM)
		return give_up(b, j, since_ns);
	return err ? err : tell_rules(b, j);
}

static int build_vdso(struct builder *b, struct table_job *j)
{
	struct elf_from from = { .fd = -1 };
	const void *image;
	char *copy = NULL;
	size_t len;
	int err = 0;

	image = vdso__image(&len);
	if (image)
		copy = malloc(len);
	if (!copy)
		return image ? -ENOMEM : 0;
	memcpy(copy, image, len);
	from.elf = elf_file__open_memory(copy, len);
	if (from.elf)
		err = build(b, j, &from);
	elf_end(from.elf);
	free(copy);
	return err;
}

static void log_table(const struct table_job *j)
{
	char path[PATH_MAX] = "[vdso]";

	if (j->fd != TABLE_OF_VDSO)
		path_of(j, path, sizeof(path));
	if (j->err)
		log__debug("unwind table of %s: %s", path, strerror(-j->err));
	else
		log__debug("unwind table of %s: %u rows%s", path, j->table.nr_rows,
			   j->lacks_rules ? ", some of them without their rule" : "");
}

static void run(void *owner, struct job *job)
{
	struct table_job *j = (struct table_job *)job;
	struct builder *b = owner;
	const uint64_t nr_refused = b->rules.nr_refused;

	/* The vdso's comes first, before anything is measured: a good time to start the reader. */
	if (j->fd == TABLE_OF_VDSO) {
		j->err = build_vdso(b, j);
		start_reader(b);
	} else {
		j->err = b->jail ? build_in_jail(b, j) : build_here(b, j);
	}
	j->lacks_rules = b->rules.nr_refused != nr_refused;
	log_table(j);
}

static void free_job(struct job *job)
{
	table_job__free((struct table_job *)job);
}

static void end(void *owner)
{
	struct builder *b = owner;

	jailed__close(b->reader);
	jail__leave(b->jail);
	unwind_rules__free(&b->rules);
	free(b);
}

int table_jobs__open(struct worker **out, size_t max_rows, uint32_t max_rules, struct jail *jail)
{
	struct builder *b = calloc(1, sizeof(*b));
	/* Files come open: reading them takes no capability. */
	const struct worker_opts opts = { .run = run, .free = free_job, .end = end, .owner = b };
	int err;

	*out = NULL;
	if (!b)
		return -ENOMEM;
	elf_version(EV_CURRENT); /* sets a global of libelf: before there are two threads */
	b->max_rows = max_rows;
	b->rules.max = max_rules;
	b->jail = jail__hold(jail);
	err = worker__open(out, &opts);
	if (err)
		end(b);
	return err;
}

int table_job__give(struct worker *w, uint32_t file, int fd)
{
	struct table_job *j = calloc(1, sizeof(*j));

	if (!j) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	j->file = file;
	j->fd = fd;
	worker__give(w, &j->job);
	return 0;
}

void table_job__free(struct table_job *j)
{
	if (!j)
		return;
	if (j->fd >= 0)
		close(j->fd);
	unwind_table__free(&j->table);
	free(j->rules);
	free(j);
}
