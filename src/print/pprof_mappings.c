// SPDX-License-Identifier: BSD-2-Clause
/* Goes through the frames that samples have, and puts the program first. */
#include "print/pprof_mappings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "model/profile.h"

enum { PAGE = 4096 };

/* How a file is told from others. */
struct mapping_key {
	uint64_t path_and_id, bias, has_place;
};

/* For each node: a stack ends at it, or below it. */
static void find_used(const struct profile *p, bool *used)
{
	for (size_t i = 0; i < p->nr_rows; i++)
		used[p->rows[i].key.stack] = true;
	for (size_t i = p->nr_nodes; i-- > 1;)
		if (used[i])
			used[p->nodes[i].parent] = true;
}

static bool has_file(const struct profile *p, const struct frame *f, struct code_place *at)
{
	*at = (struct code_place){ .path = f->module };
	(void)profile__place_of(p, f - p->frames, at);
	return f->kind != FRAME_COMM && f->kind != FRAME_NOTE && f->kind != FRAME_JIT && at->path;
}

static bool is_named(const struct profile *p, const struct frame *f)
{
	const char *name = strtab__get(p->strings, f->name);

	return *name && *name != '[';
}

/* Extends the mapping by what is known of one more frame in it. */
static void add(struct pprof_mapping *m, const struct profile *p, const struct frame *f,
		const struct code_place *at)
{
	m->has_functions |= is_named(p, f);
	m->has_lines |= at->line;
	m->has_inlined |= f->kind == FRAME_INLINED;
	if (!f->place)
		return;
	if (!m->limit || at->addr < m->start)
		m->start = at->addr;
	if (at->addr >= m->limit)
		m->limit = at->addr == UINT64_MAX ? at->addr : at->addr + 1;
	m->offset = at->addr - at->offset; /* the bias, until all is known */
}

static int mapping_of(struct pprof_mappings *m, struct tuples *keys, const struct profile *p,
		      const struct frame *f)
{
	struct code_place at;
	struct mapping_key key;
	uint32_t id;
	int err;

	if (!has_file(p, f, &at))
		return 0;
	key = (struct mapping_key){ (uint64_t)at.path << 32 | at.build_id, at.addr - at.offset,
				    f->place != 0 };
	err = tuples__add(keys, &key.path_and_id, &id);
	if (!err && id == m->nr) {
		err = array__grow(&m->items, &m->cap, m->nr + 1);
		if (!err)
			m->items[m->nr++] =
				(struct pprof_mapping){ .path = at.path, .build_id = at.build_id };
	}
	if (err)
		return err;
	m->of[f - p->frames] = id + 1;
	add(&m->items[id], p, f, &at);
	return 0;
}

/* Whole pages. Names in brackets are no files: there are no offsets in them. */
static void round_pages(struct pprof_mapping *m, const char *path)
{
	const uint64_t bias = m->offset;

	m->start &= ~(uint64_t)(PAGE - 1);
	m->limit = m->limit > UINT64_MAX - PAGE ? UINT64_MAX
						: (m->limit + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	m->offset = *path == '[' || bias > m->start ? 0 : m->start - bias;
}

static bool may_be_program(const char *path)
{
	return *path != '[' && !strstr(path, ".so");
}

/* Exchanges the program and what is first. */
static void put_program_first(struct pprof_mappings *m, const struct profile *p)
{
	size_t program = 0;
	uint64_t most = 0;
	struct pprof_mapping one;

	for (size_t i = 0; i < m->nr; i++) {
		if (m->items[i].begun <= most ||
		    !may_be_program(strtab__get(p->strings, m->items[i].path)))
			continue;
		most = m->items[i].begun;
		program = i;
	}
	if (!program)
		return;
	one = m->items[0];
	m->items[0] = m->items[program];
	m->items[program] = one;
	for (size_t i = 0; i < p->nr_frames; i++) {
		if (m->of[i] == 1)
			m->of[i] = program + 1;
		else if (m->of[i] == program + 1)
			m->of[i] = 1;
	}
}

static int find(struct pprof_mappings *m, const struct profile *p)
{
	struct tuples keys = { .width = sizeof(struct mapping_key) / sizeof(uint64_t) };
	bool *used = calloc(p->nr_nodes, sizeof(*used));
	bool *seen = calloc(p->nr_frames + 1, sizeof(*seen));
	int err = used && seen ? 0 : -ENOMEM;

	if (!err)
		find_used(p, used);
	for (size_t i = 1; i < p->nr_nodes && !err; i++) {
		const uint32_t frame = p->nodes[i].frame;

		if (!used[i] || seen[frame])
			continue;
		seen[frame] = true;
		err = mapping_of(m, &keys, p, &p->frames[frame]);
	}
	free(used);
	free(seen);
	tuples__free(&keys);
	return err;
}

/* Samples whose outermost frame is in each of them, which is that behind the command. */
static int count_begun(struct pprof_mappings *m, const struct profile *p)
{
	uint32_t *first = calloc(p->nr_nodes, sizeof(*first));

	if (!first)
		return -ENOMEM;
	for (uint32_t i = 1; i < p->nr_nodes; i++) {
		const uint32_t parent = p->nodes[i].parent;

		if (parent)
			first[i] = first[parent] ? first[parent] : i;
	}
	for (size_t i = 0; i < p->nr_rows; i++) {
		const uint32_t node = first[p->rows[i].key.stack];
		const uint32_t id = node ? m->of[p->nodes[node].frame] : 0;

		if (id)
			m->items[id - 1].begun += p->rows[i].samples;
	}
	free(first);
	return 0;
}

int pprof_mappings__find(struct pprof_mappings *m, const struct profile *p)
{
	int err;

	m->of = calloc(p->nr_frames + 1, sizeof(*m->of));
	if (!m->of)
		return -ENOMEM;
	err = find(m, p);
	for (size_t i = 0; i < m->nr && !err; i++)
		round_pages(&m->items[i], strtab__get(p->strings, m->items[i].path));
	if (!err && m->nr > 1)
		err = count_begun(m, p);
	if (!err)
		put_program_first(m, p);
	return err;
}

void pprof_mappings__free(struct pprof_mappings *m)
{
	free(m->items);
	free(m->of);
	*m = (struct pprof_mappings){};
}

uint64_t pprof_mappings__of(const struct pprof_mappings *m, uint32_t frame)
{
	return m->of[frame];
}
