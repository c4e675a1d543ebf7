// SPDX-License-Identifier: BSD-2-Clause
/* Writes a profile as a capture: what a window needs of strings, frames and stacks before it. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/leb128.h"
#include "base/strtab.h"
#include "model/profile.h"
#include "print/writer.h"
#include "tape/block.h"
#include "tape/capture.h"

enum {
	BLOCK_LEAST = 4 << 10, /* bytes of data, from which on a block is written: of the first */
	BLOCK_MOST = 64 << 10,
	BLOCK_SHARE = 8,      /* and of what is written; a cut takes the rest of a block */
	LIST_MOST = 8192,     /* items of a part */
	LIST_BYTES = 1 << 20, /* of strings of a part */
};

struct out {
	FILE *f;
	const struct profile *p;
	struct buf data; /* of the block */
	struct block_packer packer;
	uint64_t nr_blocks, nr_bytes;			   /* that are written; bytes of data */
	uint32_t nr_strings, nr_frames, nr_nodes, nr_rows; /* that are written, from the first on */
	size_t part;					   /* where the length of the part goes */
	int err;					   /* the first one */
};

static void put(struct out *o, const void *bytes, size_t len)
{
	if (!o->err)
		o->err = buf__put(&o->data, bytes, len);
}

static void put_number(struct out *o, uint64_t n)
{
	uint8_t bytes[LEB128_BYTES];

	put(o, bytes, leb128__put(bytes, n));
}

static void put_text(struct out *o, const char *s)
{
	size_t len = s ? strlen(s) : 0;

	put_number(o, len);
	put(o, s ? s : "", len);
}

static void put_u32(struct out *o, uint32_t v)
{
	v = htole32(v);
	put(o, &v, sizeof(v));
}

static void begin_part(struct out *o, enum capture_part kind)
{
	put_u32(o, kind);
	put_u32(o, 0);
	o->part = o->data.len;
}

static void write_bytes(struct out *o, const void *one, size_t one_len, const void *two, size_t len)
{
	struct writer w = { .f = o->f };

	if (o->err)
		return;
	writer__put(&w, one, one_len);
	writer__put(&w, two, len);
	o->err = writer__end(&w);
}

static void end_block(struct out *o)
{
	struct block_packer *p = &o->packer;

	p->b.number = o->nr_blocks++;
	if (!o->err)
		o->err = block__pack(p, CAPTURE_BLOCK, o->data.data, o->data.len);
	write_bytes(o, p->head, sizeof(p->head), p->stream, p->b.stream_bytes);
	o->nr_bytes += o->data.len;
	buf__clear(&o->data);
}

static bool is_enough(const struct out *o)
{
	const size_t len = o->data.len;

	return len >= BLOCK_MOST || (len >= BLOCK_LEAST && len >= o->nr_bytes / BLOCK_SHARE);
}

static void end_part(struct out *o)
{
	uint32_t len = htole32(o->data.len - o->part);

	if (o->err)
		return;
	memcpy(o->data.data + o->part - sizeof(len), &len, sizeof(len));
	if (is_enough(o))
		end_block(o);
}

static void put_about(struct out *o)
{
	const struct profile *p = o->p;

	begin_part(o, CAPTURE_ABOUT);
	put_number(o, p->about.begin_ns);
	put_number(o, p->duration_ns);
	put_number(o, p->nr_cpus);
	put_number(o, p->by & CAPTURE_BY);
	put_number(o, p->losses.untold ? CAPTURE_UNTOLD : 0);
	put_number(o, p->windows.nr ? p->windows.nr : 1);
	put_text(o, p->about.host);
	put_text(o, p->about.kernel);
	put_text(o, p->about.machine);
	put_text(o, p->about.cpu);
	end_part(o);
}

static bool is_marked(const struct profile_event *e, enum capture_part as)
{
	return as == CAPTURE_MEMBERS ? e->is_member : e->in_tick;
}

/* Which events of the next part are members, or in the tick. */
static void put_marked(struct out *o, enum capture_part as)
{
	size_t nr = 0;

	for (size_t i = 0; i < o->p->nr_events; i++)
		nr += is_marked(&o->p->events[i], as);
	if (!nr)
		return;
	begin_part(o, as);
	put_number(o, nr);
	for (size_t i = 0; i < o->p->nr_events; i++)
		if (is_marked(&o->p->events[i], as))
			put_number(o, i);
	end_part(o);
}

static void put_events(struct out *o)
{
	begin_part(o, CAPTURE_EVENTS);
	put_number(o, o->p->nr_events);
	for (size_t i = 0; i < o->p->nr_events; i++) {
		const struct profile_event *e = &o->p->events[i];

		put_text(o, e->name);
		put_text(o, e->unit);
		put_number(o, e->hz);
		put_number(o, e->period);
	}
	end_part(o);
}

/* As many as fit into one part. */
static uint32_t some_strings(const struct out *o, uint32_t until)
{
	size_t bytes = 0;
	uint32_t i = o->nr_strings;

	while (i < until && i - o->nr_strings < LIST_MOST && bytes < LIST_BYTES)
		bytes += strtab__len(o->p->strings, i++);
	return i;
}

static void put_strings(struct out *o, uint32_t until)
{
	while (!o->err && o->nr_strings < until) {
		uint32_t end = some_strings(o, until);

		begin_part(o, CAPTURE_STRINGS);
		put_number(o, end - o->nr_strings);
		for (; o->nr_strings < end; o->nr_strings++) {
			size_t len = strtab__len(o->p->strings, o->nr_strings);

			put_number(o, len);
			put(o, strtab__get(o->p->strings, o->nr_strings), len);
		}
		end_part(o);
	}
}

static uint32_t part_end(uint32_t begin, uint32_t until)
{
	return until - begin < LIST_MOST ? until : begin + LIST_MOST;
}

static uint32_t string_behind(const struct code_place *at)
{
	uint32_t last = at->path > at->build_id ? at->path : at->build_id;

	return (last > at->source ? last : at->source) + 1;
}

/* Addresses as what they are from the one before. */
static void put_place(struct out *o, uint32_t frame, const struct code_place *at,
		      const struct code_place *before)
{
	put_number(o, frame);
	put_number(o, at->path);
	put_number(o, at->build_id);
	put_number(o, leb128__fold(at->addr - before->addr));
	put_number(o, leb128__fold(at->addr - at->offset));
	put_number(o, at->source);
	put_number(o, at->line);
	put_number(o, at->start_line);
}

/* Of frames from @begin on that have one; before the part with the frames. */
static void put_places(struct out *o, uint32_t begin, uint32_t end)
{
	struct code_place at = {}, before = {};
	uint32_t nr = 0;

	for (uint32_t i = begin; i < end; i++)
		nr += o->p->frames[i].place != 0;
	if (!nr)
		return;
	begin_part(o, CAPTURE_PLACES);
	put_number(o, nr);
	for (uint32_t i = begin; i < end; i++) {
		if (!profile__place_of(o->p, i, &at))
			continue;
		put_place(o, i, &at, &before);
		before = at;
	}
	end_part(o);
}

static void put_frames(struct out *o, uint32_t until)
{
	uint32_t strings = 0;
	struct code_place at;

	for (uint32_t i = o->nr_frames; i < until; i++) {
		const struct frame *f = &o->p->frames[i];

		strings = f->name >= strings ? f->name + 1 : strings;
		strings = f->module >= strings ? f->module + 1 : strings;
		if (profile__place_of(o->p, i, &at) && string_behind(&at) > strings)
			strings = string_behind(&at);
	}
	put_strings(o, strings);
	while (!o->err && o->nr_frames < until) {
		uint32_t end = part_end(o->nr_frames, until);

		put_places(o, o->nr_frames, end);
		begin_part(o, CAPTURE_FRAMES);
		put_number(o, end - o->nr_frames);
		for (; o->nr_frames < end; o->nr_frames++) {
			const struct frame *f = &o->p->frames[o->nr_frames];

			put_number(o, f->name);
			put_number(o, f->module);
			put_number(o, f->kind);
		}
		end_part(o);
	}
}

static void put_nodes(struct out *o, uint32_t until)
{
	uint32_t frames = 0;

	for (uint32_t i = o->nr_nodes; i < until; i++)
		if (o->p->nodes[i].frame >= frames)
			frames = o->p->nodes[i].frame + 1;
	put_frames(o, frames);
	while (!o->err && o->nr_nodes < until) {
		uint32_t end = part_end(o->nr_nodes, until);

		begin_part(o, CAPTURE_NODES);
		put_number(o, end - o->nr_nodes);
		for (; o->nr_nodes < end; o->nr_nodes++) {
			const struct stack_node *n = &o->p->nodes[o->nr_nodes];

			put_number(o, o->nr_nodes - n->parent);
			put_number(o, n->frame);
		}
		end_part(o);
	}
}

static void put_row(struct out *o, const struct row_key *k, uint32_t stack_before)
{
	const unsigned by = o->p->by;

	if (!o->err && profile__stack(o->p, k->stack, NULL, 0) > CAPTURE_DEPTH_MAX)
		o->err = -EFBIG;
	put_number(o, k->event);
	put_number(o, leb128__fold((int64_t)k->stack - stack_before));
	if (by & BY_PID)
		put_number(o, k->pid);
	if (by & BY_TID)
		put_number(o, k->tid);
	if (by & BY_CPU)
		put_number(o, k->cpu);
	if (by & BY_CGROUP)
		put_number(o, k->cgroup);
}

static void put_rows(struct out *o, uint32_t until)
{
	uint32_t strings = 0, nodes = 0;

	for (uint32_t i = o->nr_rows; i < until; i++) {
		const struct row_key *k = &o->p->rows[i].key;

		nodes = k->stack >= nodes ? k->stack + 1 : nodes;
		strings = k->cgroup >= strings ? k->cgroup + 1 : strings;
	}
	put_nodes(o, nodes);
	put_strings(o, strings);
	while (!o->err && o->nr_rows < until) {
		uint32_t end = part_end(o->nr_rows, until), before = 0;

		begin_part(o, CAPTURE_ROWS);
		put_number(o, end - o->nr_rows);
		for (; o->nr_rows < end; o->nr_rows++) {
			const struct row_key *k = &o->p->rows[o->nr_rows].key;

			put_row(o, k, before);
			before = k->stack;
		}
		end_part(o);
	}
}

static void put_losses(struct out *o, const struct losses *l)
{
	put_number(o, l->seen);
	put_number(o, l->kept);
	put_number(o, l->nr);
	for (unsigned i = 0; i < l->nr; i++) {
		const struct loss *loss = &l->by[i];

		put_text(o, loss->name);
		put_text(o, loss->text);
		put_text(o, loss->cure);
		put_number(o, (loss->cure ? CAPTURE_CURE : 0) | (loss->flaw ? CAPTURE_FLAW : 0));
		put_number(o, loss->n);
	}
}

/* Entries from @first on, their rows before them. */
static void put_entries(struct out *o, const struct window_entry *entries, size_t nr)
{
	uint32_t rows = 0, before = 0;

	for (size_t i = 0; i < nr; i++)
		if (entries[i].row >= rows)
			rows = entries[i].row + 1;
	put_rows(o, rows);
	begin_part(o, CAPTURE_ENTRIES);
	put_number(o, nr);
	for (size_t i = 0; i < nr; i++) {
		put_number(o, leb128__fold((int64_t)entries[i].row - before));
		put_number(o, entries[i].samples);
		put_number(o, entries[i].weight);
		before = entries[i].row;
	}
	end_part(o);
}

static void put_window(struct out *o, const struct window *w, const struct window_times *times)
{
	begin_part(o, CAPTURE_WINDOW);
	put_number(o, w->begin_ns);
	put_number(o, w->end_ns);
	put_number(o, w->own_ns);
	put_losses(o, &w->losses);
	for (size_t i = 0; i < o->p->nr_events; i++) {
		put_number(o, times[i].enabled_ns);
		put_number(o, times[i].running_ns);
		put_number(o, times[i].passed_over);
	}
	end_part(o);
}

static void put_windows(struct out *o, const struct windows *w)
{
	for (size_t i = 0; i < w->nr && !o->err; i++) {
		size_t at = windows__first(w, i), end = w->items[i].end_entries;

		put_window(o, &w->items[i], &w->times[i * o->p->nr_events]);
		for (size_t n; at < end && !o->err; at += n) {
			n = end - at < LIST_MOST ? end - at : LIST_MOST;
			put_entries(o, w->entries + at, n);
		}
	}
}

/* A run without windows is one. */
static void put_whole(struct out *o)
{
	const struct profile *p = o->p;
	const struct window whole = { .end_ns = p->duration_ns,
				      .own_ns = p->own_ns,
				      .losses = p->losses };
	struct window_times times[CAPTURE_EVENTS_MAX];
	struct window_entry some[256];
	size_t nr;

	for (size_t i = 0; i < p->nr_events; i++)
		times[i] = (struct window_times){ p->events[i].enabled_ns, p->events[i].running_ns,
						  p->events[i].passed_over };
	put_window(o, &whole, times);
	for (size_t i = 0; i < p->nr_rows && !o->err; i += nr) {
		for (nr = 0; nr < ARRAY_SIZE(some) && i + nr < p->nr_rows; nr++)
			some[nr] = (struct window_entry){ i + nr, p->rows[i + nr].samples,
							  p->rows[i + nr].weight };
		put_entries(o, some, nr);
	}
}

static void put_head(struct out *o)
{
	uint32_t crc;

	put(o, CAPTURE_MAGIC, 8);
	put_u32(o, CAPTURE_VERSION);
	crc = o->err ? 0 : crc32(0, (const Bytef *)o->data.data, o->data.len);
	put_u32(o, crc);
	write_bytes(o, o->data.data, o->data.len, "", 0);
	buf__clear(&o->data);
}

int capture__write(FILE *f, const struct profile *p)
{
	/* String 0 is empty in every profile, node 0 the root: they are not written. */
	struct out o = { .f = f, .p = p, .nr_strings = 1, .nr_nodes = 1 };

	if (p->nr_fields || p->nr_metrics)
		return -EINVAL;
	if (p->nr_events > CAPTURE_EVENTS_MAX)
		return -EFBIG;
	put_head(&o);
	put_about(&o);
	put_marked(&o, CAPTURE_MEMBERS);
	put_marked(&o, CAPTURE_IN_TICK);
	put_events(&o);
	if (p->windows.nr)
		put_windows(&o, &p->windows);
	else
		put_whole(&o);
	begin_part(&o, CAPTURE_END);
	end_part(&o);
	end_block(&o);
	buf__free(&o.data);
	block_packer__free(&o.packer);
	return o.err;
}
