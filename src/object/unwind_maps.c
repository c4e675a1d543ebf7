// SPDX-License-Identifier: BSD-2-Clause
#include "object/unwind_maps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "object/grace.h"
#include "object/unwind_procs.h"

enum {
	PROCS_MIN = 1024,
	BYTES_PER_PROC = 4096, /* of the whole: how many processes there is room for */
};

/* Of the whole, in hundredths. */
enum { ROWS_SHARE = 80, PAGES_SHARE = 8, RULES_SHARE = 4, MAPPINGS_SHARE = 8 };

static int size_map(const struct bpf_object *obj, const char *name, uint64_t bytes,
		    size_t value_bytes)
{
	struct bpf_map *map = bpf_object__find_map_by_name(obj, name);
	uint64_t nr = (bytes + value_bytes - 1) / value_bytes;

	if (!map)
		return -ENOENT;
	if (nr > UINT32_MAX / 2)
		nr = UINT32_MAX / 2;
	return bpf_map__set_max_entries(map, nr ? nr : 1);
}

static uint32_t buckets_of(uint64_t bytes)
{
	uint64_t procs = bytes / BYTES_PER_PROC;

	return unwind_procs__buckets(bytes && procs < PROCS_MIN ? PROCS_MIN : procs);
}

static int size_tables(const struct bpf_object *obj, uint64_t bytes)
{
	uint64_t rules = bytes / 100 * RULES_SHARE, rows = bytes / 100 * ROWS_SHARE;
	int err;

	if (rules > UNWIND_RULES_MAX * sizeof(struct unwind_rule))
		rules = UNWIND_RULES_MAX * sizeof(struct unwind_rule);
	/* Rows are counted in 32 bits. */
	if (rows > UINT32_MAX / UNWIND_CHUNK_ROWS * sizeof(struct unwind_chunk))
		rows = UINT32_MAX / UNWIND_CHUNK_ROWS * sizeof(struct unwind_chunk);
	err = size_map(obj, "unwind_rows", rows, sizeof(struct unwind_chunk));
	if (!err)
		err = size_map(obj, "unwind_pages", bytes / 100 * PAGES_SHARE, sizeof(uint64_t));
	if (!err)
		err = size_map(obj, "unwind_rules", rules, sizeof(struct unwind_rule));
	if (!err)
		err = size_map(obj, "unwind_mappings", bytes / 100 * MAPPINGS_SHARE,
			       sizeof(struct unwind_mapping));
	return err ? err : size_map(obj, "unwind_procs", buckets_of(bytes), 1);
}

/* Programs that copy no stacks have no maps for them. */
static bool has_copies(const struct bpf_object *obj)
{
	return bpf_object__find_map_by_name(obj, "unwind_copies");
}

static int size_copies(const struct bpf_object *obj, const struct stack_cfg *cfg, uint32_t places)
{
	int err = size_map(obj, "unwind_copies", (uint64_t)places * cfg->copies, 1);

	if (!err)
		err = size_map(obj, "unwind_stacks", (uint64_t)places * cfg->copy_pages, 1);
	return err ? err : size_map(obj, "unwind_taken", cfg->copies ? places : 1, 1);
}

int unwind_maps__prepare(const struct bpf_object *obj, struct stack_cfg *cfg,
			 const struct unwind_room *room)
{
	const uint64_t bytes = cfg->user ? room->bytes : 0;
	const bool copies = has_copies(obj);
	int err = size_tables(obj, bytes);

	cfg->unwind = bytes != 0;
	cfg->buckets = buckets_of(bytes);
	cfg->copies = cfg->unwind && copies ? room->copies : 0;
	cfg->copy_pages = cfg->unwind && copies ? room->copy_pages : 0;
	return err || !copies ? err : size_copies(obj, cfg, room->places);
}

int unwind_maps__share(const struct bpf_object *obj, const struct bpf_object *with)
{
	static const char *const names[] = { "unwind_rows",	"unwind_pages", "unwind_rules",
					     "unwind_mappings", "unwind_asked", "unwind_procs" };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(names) && !err; i++) {
		struct bpf_map *map = bpf_object__find_map_by_name(obj, names[i]);
		const struct bpf_map *of = bpf_object__find_map_by_name(with, names[i]);

		err = map && of ? bpf_map__reuse_fd(map, bpf_map__fd(of)) : -ENOENT;
	}
	return err;
}

static int map_memory(struct unwind_map *m, const struct bpf_object *obj, const char *name)
{
	const struct bpf_map *map = bpf_object__find_map_by_name(obj, name);
	const size_t page = sysconf(_SC_PAGESIZE);
	void *at;

	if (!map)
		return -ENOENT;
	m->nr = bpf_map__max_entries(map);
	m->bytes = (size_t)m->nr * bpf_map__value_size(map);
	m->bytes = (m->bytes + page - 1) / page * page;
	at = mmap(NULL, m->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);
	if (at == MAP_FAILED)
		return -errno;
	m->at = at;
	return 0;
}

static int map_copies(struct unwind_maps *m, const struct bpf_object *obj)
{
	int err = map_memory(&m->copies, obj, "unwind_copies");

	if (!err)
		err = map_memory(&m->stacks, obj, "unwind_stacks");
	return err ? err : map_memory(&m->taken, obj, "unwind_taken");
}

uint32_t unwind_maps__rows(const struct unwind_maps *m)
{
	return m->rows.nr * UNWIND_CHUNK_ROWS;
}

int unwind_maps__map(struct unwind_maps *m, const struct bpf_object *obj, uint64_t code_mask)
{
	int err;

	*m = (struct unwind_maps){ .code_mask = code_mask };
	err = map_memory(&m->rows, obj, "unwind_rows");
	if (!err)
		err = map_memory(&m->pages, obj, "unwind_pages");
	if (!err)
		err = map_memory(&m->rules, obj, "unwind_rules");
	if (!err)
		err = map_memory(&m->mappings, obj, "unwind_mappings");
	if (!err)
		err = map_memory(&m->asked, obj, "unwind_asked");
	if (!err)
		err = map_memory(&m->procs, obj, "unwind_procs");
	if (!err && has_copies(obj))
		err = map_copies(m, obj);
	if (!err)
		err = extents__init(&m->free_rows, unwind_maps__rows(m));
	if (!err)
		err = extents__init(&m->free_pages, m->pages.nr);
	if (!err)
		err = extents__init(&m->free_mappings, m->mappings.nr);
	if (err) {
		unwind_maps__unmap(m);
		return err;
	}
	m->told = targets__told(obj, &m->targets_fd);
	return 0;
}

static void unmap(struct unwind_map *m)
{
	if (m->at)
		munmap(m->at, m->bytes);
}

void unwind_maps__unmap(struct unwind_maps *m)
{
	unmap(&m->rows);
	unmap(&m->pages);
	unmap(&m->rules);
	unmap(&m->mappings);
	unmap(&m->asked);
	unmap(&m->procs);
	unmap(&m->copies);
	unmap(&m->stacks);
	unmap(&m->taken);
	extents__end(&m->free_rows);
	extents__end(&m->free_pages);
	extents__end(&m->free_mappings);
	free(m->old_rows);
	free(m->old_pages);
	free(m->old_mappings);
	*m = (struct unwind_maps){};
}

int unwind_maps__rules(struct unwind_maps *m, uint32_t first, const struct unwind_rule *rules,
		       uint32_t nr)
{
	struct unwind_rule *to = m->rules.at;

	if (first > m->rules.nr || nr > m->rules.nr - first)
		return -ENOSPC;
	if (nr)
		memcpy(&to[first], rules, nr * sizeof(*rules));
	return 0;
}

static int give_all(struct extents *to, struct extent *old, size_t *nr)
{
	for (; *nr; --*nr) {
		int err = extents__give(to, old[*nr - 1].first, old[*nr - 1].nr);

		if (err)
			return err;
	}
	return 0;
}

/* What was given back may be used again, as no program reads it any more. 0; -ENOSPC: nothing. */
static int reclaim(struct unwind_maps *m)
{
	int err;

	if (!m->nr_old_rows && !m->nr_old_pages && !m->nr_old_mappings)
		return -ENOSPC;
	err = grace__wait();
	if (!err)
		err = give_all(&m->free_rows, m->old_rows, &m->nr_old_rows);
	if (!err)
		err = give_all(&m->free_pages, m->old_pages, &m->nr_old_pages);
	return err ? err : give_all(&m->free_mappings, m->old_mappings, &m->nr_old_mappings);
}

static int take(struct unwind_maps *m, struct extents *from, uint32_t nr, struct extent *out)
{
	int err = extents__take(from, nr, &out->first);

	if (err == -ENOSPC) {
		err = reclaim(m);
		if (!err)
			err = extents__take(from, nr, &out->first);
	}
	out->nr = err ? 0 : nr;
	return err;
}

static int retire(struct extent **old, size_t *nr, size_t *cap, const struct extent *x)
{
	int err = x->nr ? array__grow(old, cap, *nr + 1) : 0;

	if (!err && x->nr)
		(*old)[(*nr)++] = *x;
	return err;
}

bool unwind_maps__has(const struct unwind_maps *m, const struct unwind_file *f,
		      const uint32_t *rows, const uint32_t *pages, uint32_t nr_pages)
{
	const uint64_t *page = m->pages.at;
	const uint32_t *row = m->rows.at;

	if (f->pages.nr != nr_pages || f->nr_rows != pages[nr_pages] - pages[0])
		return false;
	for (uint32_t i = 0; i < nr_pages; i++) {
		const uint64_t p = page[f->pages.first + i];
		const uint32_t nr = pages[i + 1] - pages[i];

		if (UNWIND_PAGE_NR(p) != nr ||
		    memcmp(&row[UNWIND_PAGE_FIRST(p)], &rows[pages[i]], nr * sizeof(*rows)))
			return false;
	}
	return true;
}

static uint64_t sum_of(const struct extents *free, const struct extent *old, size_t nr_old)
{
	uint64_t nr = free->nr_free;

	for (size_t i = 0; i < nr_old; i++)
		nr += old[i].nr;
	return nr;
}

void unwind_maps__free(const struct unwind_maps *m, uint64_t *rows, uint64_t *pages)
{
	*rows = sum_of(&m->free_rows, m->old_rows, m->nr_old_rows);
	*pages = sum_of(&m->free_pages, m->old_pages, m->nr_old_pages);
}

/* Room for pages from *@page on, as many as it has. 0, -ENOSPC, -ENOMEM. */
static int take_piece(struct unwind_maps *m, const uint32_t *pages, uint32_t nr_pages,
		      uint32_t *page, struct unwind_file *f)
{
	const uint32_t first = pages[*page];
	struct extent x;
	uint32_t nr;
	int err = array__grow(&f->pieces, &f->cap_pieces, f->nr_pieces + 1);

	if (!err)
		err = extents__take_some(&m->free_rows, pages[*page + 1] - first,
					 pages[nr_pages] - first, &x);
	if (err)
		return err;
	while (*page < nr_pages && pages[*page + 1] - first <= x.nr)
		++*page;
	nr = pages[*page] - first;
	f->pieces[f->nr_pieces++] = (struct extent){ x.first, nr };
	f->nr_rows += nr;
	return extents__give(&m->free_rows, x.first + nr, x.nr - nr);
}

/* Nobody has seen it. */
static int give_pieces(struct unwind_maps *m, struct unwind_file *f)
{
	int err = 0;

	for (size_t i = 0; i < f->nr_pieces && !err; i++)
		err = extents__give(&m->free_rows, f->pieces[i].first, f->pieces[i].nr);
	f->nr_pieces = 0;
	f->nr_rows = 0;
	return err;
}

static int take_all_pieces(struct unwind_maps *m, const uint32_t *pages, uint32_t nr_pages,
			   struct unwind_file *f)
{
	uint32_t page = 0;
	int err = 0, given;

	while (page < nr_pages && !err)
		err = take_piece(m, pages, nr_pages, &page, f);
	given = err ? give_pieces(m, f) : 0;
	return given ? given : err;
}

static int take_rows(struct unwind_maps *m, const uint32_t *pages, uint32_t nr_pages,
		     struct unwind_file *f)
{
	int err = take_all_pieces(m, pages, nr_pages, f);

	if (err != -ENOSPC)
		return err;
	err = reclaim(m);
	return err ? err : take_all_pieces(m, pages, nr_pages, f);
}

static void write_pages(struct unwind_maps *m, const uint32_t *rows, const uint32_t *pages,
			const struct unwind_file *f)
{
	uint64_t *page = m->pages.at;
	uint32_t *row = m->rows.at, i = 0;

	for (size_t p = 0; p < f->nr_pieces; p++) {
		const struct extent *x = &f->pieces[p];
		const uint32_t from = pages[i];

		memcpy(&row[x->first], &rows[from], x->nr * sizeof(*rows));
		for (; i < f->pages.nr && pages[i + 1] - from <= x->nr; i++)
			page[f->pages.first + i] =
				UNWIND_PAGE(x->first + pages[i] - from, pages[i + 1] - pages[i]);
	}
}

int unwind_maps__add(struct unwind_maps *m, const uint32_t *rows, const uint32_t *pages,
		     uint32_t nr_pages, struct unwind_file *out)
{
	struct unwind_file f = {};
	int err = take_rows(m, pages, nr_pages, &f), given = 0;

	*out = (struct unwind_file){};
	if (!err) {
		err = take(m, &m->free_pages, nr_pages, &f.pages);
		given = err ? give_pieces(m, &f) : 0;
	}
	if (err) {
		free(f.pieces);
		return given ? given : err;
	}
	write_pages(m, rows, pages, &f);
	*out = f;
	return 0;
}

int unwind_maps__remove(struct unwind_maps *m, struct unwind_file *f)
{
	int err = 0;

	for (size_t i = 0; i < f->nr_pieces && !err; i++)
		err = retire(&m->old_rows, &m->nr_old_rows, &m->cap_old_rows, &f->pieces[i]);
	if (!err)
		err = retire(&m->old_pages, &m->nr_old_pages, &m->cap_old_pages, &f->pages);
	free(f->pieces);
	*f = (struct unwind_file){};
	return err;
}

int unwind_maps__process(struct unwind_maps *m, uint32_t pid, const struct unwind_mapping *mappings,
			 uint32_t nr, struct extent *old)
{
	struct unwind_mapping *to = m->mappings.at;
	struct extent place;
	int err = take(m, &m->free_mappings, nr, &place), left;

	if (err) {
		left = unwind_maps__forget(m, pid, old);
		return left ? left : err;
	}
	if (nr)
		memcpy(&to[place.first], mappings, nr * sizeof(*mappings));
	err = unwind_procs__put(m->procs.at, m->procs.nr, pid, ++m->nr_lives, place.first, nr);
	if (err) {
		left = extents__give(&m->free_mappings, place.first, place.nr);
		if (!left)
			left = unwind_maps__forget(m, pid, old);
		return left ? left : err;
	}
	err = retire(&m->old_mappings, &m->nr_old_mappings, &m->cap_old_mappings, old);
	*old = place;
	return err;
}

int unwind_maps__forget(struct unwind_maps *m, uint32_t pid, struct extent *old)
{
	int err;

	unwind_procs__forget(m->procs.at, m->procs.nr, pid);
	err = retire(&m->old_mappings, &m->nr_old_mappings, &m->cap_old_mappings, old);
	*old = (struct extent){};
	return err;
}

bool unwind_maps__expects(const struct unwind_maps *m, uint32_t pid)
{
	uint8_t is_target;

	if (m->told != TARGETS_BY_ID)
		return m->told == TARGETS_ALL;
	return !bpf_map_lookup_elem(m->targets_fd, &pid, &is_target);
}

size_t unwind_maps__asked(struct unwind_maps *m, uint32_t pids[UNWIND_ASKED])
{
	volatile uint64_t *asked = m->asked.at;
	size_t nr = 0;

	for (size_t i = 0; i < UNWIND_ASKED && asked; i++) {
		const uint32_t pid = asked[i];

		if (!pid)
			continue;
		asked[i] = 0;
		pids[nr++] = pid;
	}
	return nr;
}
