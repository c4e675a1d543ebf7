// SPDX-License-Identifier: BSD-2-Clause
/* Names the lines of a location, and tells where they are. */
#include "import/pprof_frames.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

enum { LINES_MAX = 1024 }; /* of a location */

/* Where @id is in a table of messages; the first one counts. */
static int number_ids(struct idmap *m, size_t nr,
		      uint64_t (*id_of)(const Pprof__Profile *p, size_t i), const Pprof__Profile *p)
{
	uint32_t before;
	int err = 0;

	for (size_t i = 0; i < nr && !err; i++)
		if (!idmap__get(m, id_of(p, i), &before))
			err = idmap__set(m, id_of(p, i), i);
	return err;
}

static uint64_t mapping_id(const Pprof__Profile *p, size_t i)
{
	return p->mapping[i]->id;
}

static uint64_t location_id(const Pprof__Profile *p, size_t i)
{
	return p->location[i]->id;
}

static uint64_t function_id(const Pprof__Profile *p, size_t i)
{
	return p->function[i]->id;
}

int pprof_frames__begin(struct pprof_frames *x)
{
	const Pprof__Profile *from = x->from;
	int err;

	x->of = calloc(from->n_location + 1, sizeof(*x->of));
	if (!x->of)
		return -ENOMEM;
	err = number_ids(&x->mappings, from->n_mapping, mapping_id, from);
	if (!err)
		err = number_ids(&x->locations, from->n_location, location_id, from);
	return err ? err : number_ids(&x->functions, from->n_function, function_id, from);
}

void pprof_frames__free(struct pprof_frames *x)
{
	idmap__free(&x->mappings);
	idmap__free(&x->locations);
	idmap__free(&x->functions);
	free(x->of);
	free(x->all);
}

const char *pprof_frames__string(const struct pprof_frames *x, int64_t id)
{
	return id >= 0 && (uint64_t)id < x->from->n_string_table ? x->from->string_table[id] : "";
}

static const Pprof__Mapping *mapping_of(const struct pprof_frames *x, uint64_t id)
{
	uint32_t i;

	return id && idmap__get(&x->mappings, id, &i) ? x->from->mapping[i] : NULL;
}

static const Pprof__Function *function_of(const struct pprof_frames *x, uint64_t id)
{
	uint32_t i;

	return id && idmap__get(&x->functions, id, &i) ? x->from->function[i] : NULL;
}

static const char *path_of(const struct pprof_frames *x, const Pprof__Mapping *m)
{
	return m ? pprof_frames__string(x, m->filename) : "";
}

/* "[kernel.kallsyms]", "[guest.kernel..", a module: "[xfs]". */
static bool is_kernel(const char *path)
{
	return *path == '[' && strncmp(path, "[vdso]", 6) && strncmp(path, "[vsyscall]", 10) &&
	       strncmp(path, "[heap]", 6) && strncmp(path, "[anon", 5);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

static int put_string(struct profile *p, const char *s, uint32_t *id)
{
	return profile__string(p, s, strlen(s), id);
}

/* What our own profiles have there: a file's name, a module of the kernel, "kernel". */
static int put_module(struct pprof_frames *x, const char *path, uint32_t *id)
{
	if (!is_kernel(path))
		return put_string(x->p, base_name(path), id);
	if (!strncmp(path, "[kernel.kallsyms]", 17))
		return put_string(x->p, "kernel", id);
	return profile__string(x->p, path + 1, strcspn(path + 1, "]"), id);
}

static uint64_t offset_of(const Pprof__Location *l, const Pprof__Mapping *m, const char *path)
{
	return is_kernel(path) ? l->address : l->address - m->memory_start + m->file_offset;
}

static int put_place(struct pprof_frames *x, const Pprof__Location *l, const Pprof__Line *line,
		     const Pprof__Function *f, uint32_t *id)
{
	const Pprof__Mapping *m = mapping_of(x, l->mapping_id);
	const char *path = path_of(x, m);
	struct code_place at = { .addr = l->address };
	int err;

	if (!x->places || !l->address || !*path)
		return 0;
	at.offset = offset_of(l, m, path);
	at.line = line && line->line > 0 && line->line <= UINT32_MAX ? line->line : 0;
	at.start_line = f && f->start_line > 0 && f->start_line <= UINT32_MAX ? f->start_line : 0;
	err = put_string(x->p, path, &at.path);
	if (!err)
		err = put_string(x->p, pprof_frames__string(x, m->build_id), &at.build_id);
	if (!err)
		err = put_string(x->p, f ? pprof_frames__string(x, f->filename) : "", &at.source);
	return err ? err : profile__place(x->p, &at, id);
}

/* "[libfoo.so+0x1234]": where it is in its file. */
static int put_address(struct pprof_frames *x, const Pprof__Location *l, uint32_t *id)
{
	const Pprof__Mapping *m = mapping_of(x, l->mapping_id);
	const char *path = path_of(x, m);
	char name[300];
	int len;

	if (!*path)
		return put_string(x->p, "[unknown]", id);
	len = snprintf(name, sizeof(name), "[%.250s+0x%llx]",
		       is_kernel(path) ? "kernel" : base_name(path),
		       (unsigned long long)offset_of(l, m, path));
	return profile__string(x->p, name, len, id);
}

/* Names in brackets that are in no file are no code: "[truncated]". */
static enum frame_kind kind_of(const char *name, const char *path, bool inlined)
{
	if (inlined)
		return FRAME_INLINED;
	if (is_kernel(path))
		return FRAME_KERNEL;
	return !*path && *name == '[' ? FRAME_NOTE : FRAME_USER;
}

/* @line: NULL: the location has none. */
static int add_frame(struct pprof_frames *x, const Pprof__Location *l, const Pprof__Line *line,
		     bool inlined)
{
	const Pprof__Function *function = line ? function_of(x, line->function_id) : NULL;
	const char *name = function ? pprof_frames__string(x, function->name) : "";
	const char *path = path_of(x, mapping_of(x, l->mapping_id));
	struct frame f = { .kind = kind_of(name, path, inlined) };
	int err = *name ? put_string(x->p, name, &f.name) : put_address(x, l, &f.name);

	if (!err && f.kind != FRAME_NOTE)
		err = put_module(x, path, &f.module);
	if (!err)
		err = put_place(x, l, line, function, &f.place);
	if (!err)
		err = array__grow(&x->all, &x->cap_all, x->nr_all + 1);
	if (!err)
		err = profile__frame(x->p, &f, &x->all[x->nr_all]);
	x->nr_all += !err;
	return err;
}

static int add_frames(struct pprof_frames *x, const Pprof__Location *l)
{
	const size_t nr = l->n_line < LINES_MAX ? l->n_line : LINES_MAX;
	int err = 0;

	if (!nr)
		return add_frame(x, l, NULL, false);
	for (size_t i = 0; i < nr && !err; i++)
		err = add_frame(x, l, l->line[i], i + 1 < nr);
	return err;
}

int pprof_frames__of(struct pprof_frames *x, uint64_t location, const uint32_t **frames,
		     uint32_t *nr)
{
	struct location_frames *of;
	uint32_t i;

	if (!idmap__get(&x->locations, location, &i))
		return -EPROTO;
	of = &x->of[i];
	if (!of->nr && !of->err) {
		of->first = x->nr_all;
		of->err = add_frames(x, x->from->location[i]);
		of->nr = x->nr_all - of->first;
	}
	*frames = x->all + of->first;
	*nr = of->nr;
	return of->err;
}

bool pprof_frames__is_cut(const struct pprof_frames *x, uint64_t location)
{
	uint32_t i;

	return idmap__get(&x->locations, location, &i) && x->from->location[i]->n_line > LINES_MAX;
}

const char *pprof_frames__only_name(const struct pprof_frames *x, uint64_t location)
{
	const Pprof__Function *f;
	uint32_t i;

	if (!idmap__get(&x->locations, location, &i) || x->from->location[i]->n_line != 1)
		return "";
	f = function_of(x, x->from->location[i]->line[0]->function_id);
	return f ? pprof_frames__string(x, f->name) : "";
}
