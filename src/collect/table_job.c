// SPDX-License-Identifier: BSD-2-Clause
/* Opens files by descriptor, reads their segments, and has their tables built. */
#include "collect/table_job.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/allowance.h"
#include "elf/elf_file.h"
#include "elf/vdso.h"
#include "unwind/rules.h"

struct builder {
	struct unwind_rules rules;
	uint32_t nr_told; /* rules that answers had */
	size_t max_rows;
	struct allowance allowance; /* for strangers' files */
};

static void read_segments(struct table_job *j, Elf *elf)
{
	size_t nr = 0;
	GElf_Phdr phdr;

	if (elf_getphdrnum(elf, &nr))
		return;
	for (size_t i = 0; i < nr && j->nr_segments < CODE_SEGMENTS; i++)
		if (gelf_getphdr(elf, i, &phdr) && phdr.p_type == PT_LOAD && phdr.p_flags & PF_X)
			j->segments[j->nr_segments++] =
				(struct code_segment){ phdr.p_offset, phdr.p_vaddr, phdr.p_filesz };
}

static int build(struct builder *b, struct table_job *j, const struct elf_from *from)
{
	int err = unwind_table__build(&j->table, from, &b->rules, b->max_rows);

	if (err)
		return err;
	j->first_rule = b->nr_told;
	j->nr_rules = b->rules.nr - b->nr_told;
	j->rules = calloc(j->nr_rules + 1, sizeof(*j->rules));
	if (!j->rules)
		return -ENOMEM;
	memcpy(j->rules, &b->rules.all[b->nr_told], j->nr_rules * sizeof(*j->rules));
	b->nr_told = b->rules.nr;
	return 0;
}

static int build_file(struct builder *b, struct table_job *j)
{
	struct elf_from from;
	int err = 0;

	if (elf_from__open(&from, j->fd, &b->allowance)) {
		read_segments(j, from.elf);
		err = build(b, j, &from);
	}
	elf_from__close(&from);
	return err;
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
	if (from.elf) {
		read_segments(j, from.elf);
		err = build(b, j, &from);
	}
	elf_end(from.elf);
	free(copy);
	return err;
}

static void run(void *owner, struct job *job)
{
	struct table_job *j = (struct table_job *)job;
	struct builder *b = owner;

	j->err = j->fd == TABLE_OF_VDSO ? build_vdso(b, j) : build_file(b, j);
}

static void free_job(struct job *job)
{
	table_job__free((struct table_job *)job);
}

static void end(void *owner)
{
	struct builder *b = owner;

	unwind_rules__free(&b->rules);
	free(b);
}

int table_jobs__open(struct worker **out, size_t max_rows)
{
	struct builder *b = calloc(1, sizeof(*b));
	const struct worker_opts opts = { run, free_job, end, b };
	int err;

	*out = NULL;
	if (!b)
		return -ENOMEM;
	elf_version(EV_CURRENT); /* sets a global of libelf: before there are two threads */
	b->max_rows = max_rows;
	allowance__init(&b->allowance, 0, 0);
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
