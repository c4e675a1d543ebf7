// SPDX-License-Identifier: BSD-2-Clause
/* Reads a capture, block by block, and adds the windows that are wanted to a profile. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/leb128.h"
#include "tape/block.h"
#include "tape/capture_state.h"

bool capture__is_it(const char *bytes, size_t len)
{
	return len >= 8 && !memcmp(bytes, CAPTURE_MAGIC, 8);
}
/* A number of samples. */
static uint64_t take_samples(struct capture_in *in)
{
	uint64_t n = cursor__number(in->c);

	if (n > (uint64_t)INT64_MAX - in->sum)
		in->c->bad = true;
	else
		in->sum += n;
	return in->c->bad ? 0 : n;
}

static int take_losses(struct capture_in *in, struct losses *l)
{
	uint64_t nr;
	int err = 0;

	(void)cursor__number(in->c); /* seen: what is kept and lost */
	l->kept = take_samples(in);
	nr = cursor__number(in->c);
	if (nr > LOSSES_MAX)
		return -EBADMSG;
	for (uint32_t i = 0; i < nr && !err; i++) {
		struct loss loss = {};
		uint64_t flags;

		err = capture_tables__text(in, &loss.name, "other");
		if (!err)
			err = capture_tables__text(in, &loss.text, "for other reasons");
		if (!err)
			err = capture_tables__text(in, &loss.cure, "");
		flags = cursor__number(in->c);
		loss.n = take_samples(in);
		loss.flaw = flags & CAPTURE_FLAW;
		if (!(flags & CAPTURE_CURE))
			loss.cure = NULL;
		if (!err)
			losses__add(l, &loss);
	}
	return err;
}

static void add_times(struct capture_in *in)
{
	for (uint32_t i = 0; i < in->nr_events; i++) {
		struct profile_event *e = &in->p->events[in->events[i]];

		e->enabled_ns += in->w.times[i].enabled_ns;
		e->running_ns += in->w.times[i].running_ns;
		e->passed_over += in->w.times[i].passed_over;
	}
}

static void add_losses(struct capture_in *in)
{
	struct capture_window *w = &in->w;
	struct losses *to = &in->p->losses;
	const struct loss cut = { "capture_cut", "not in the capture: it is cut off or damaged",
				  NULL, false,
				  w->told > w->kept + w->full ? w->told - w->kept - w->full : 0 };
	const struct loss full = { "memory_full", "no memory for new rows and stacks",
				   "--max-memory SIZE", false, w->full };

	if (cut.n)
		losses__add(&w->losses, &cut);
	if (full.n)
		losses__add(&w->losses, &full);
	for (unsigned i = 0; i < w->losses.nr; i++)
		losses__add(to, &w->losses.by[i]);
	to->kept += w->kept;
	to->seen += w->kept + losses__sum(&w->losses);
}

/* The window that was read is complete, or no more of it comes. */
static int end_window(struct capture_in *in)
{
	struct capture_window *w = &in->w;
	struct tape_found *found = in->found;

	if (!w->is_open)
		return 0;
	w->is_open = false;
	found->nr_windows++;
	found->end_ns = w->end_ns;
	if (!w->is_wanted)
		return 0;
	if (!found->nr_used++) {
		found->used_from_ns = w->begin_ns;
		if (in->p->about.begin_ns)
			in->p->about.begin_ns += w->begin_ns;
	}
	found->used_to_ns = w->end_ns;
	in->p->duration_ns += w->end_ns - w->begin_ns;
	in->p->own_ns += w->own_ns;
	add_times(in);
	add_losses(in);
	if (!in->keeps_windows)
		return 0;
	return profile__close_window(in->p, w->end_ns - found->used_from_ns);
}

static int take_window(struct capture_in *in)
{
	struct capture_window *w = &in->w;
	const uint64_t ended_ns = w->end_ns;
	int err = end_window(in);

	if (err)
		return err;
	if (!in->has_events)
		return -EBADMSG;
	*w = (struct capture_window){ .is_open = true };
	w->begin_ns = cursor__number(in->c);
	w->end_ns = cursor__number(in->c);
	w->own_ns = cursor__number(in->c);
	if (w->begin_ns < ended_ns || w->end_ns < w->begin_ns)
		w->is_open = false;
	w->is_wanted = tape__is_in_range(in->o, w->begin_ns);
	err = w->is_open ? take_losses(in, &w->losses) : -EBADMSG;
	w->told = w->losses.kept;
	for (uint32_t i = 0; i < in->nr_events; i++) {
		w->times[i].enabled_ns = cursor__number(in->c);
		w->times[i].running_ns = cursor__number(in->c);
		w->times[i].passed_over = cursor__number(in->c);
	}
	if (in->c->bad)
		w->is_open = false;
	return err;
}

/* False: the sums of the event would overflow. */
static bool fits(const struct profile_event *e, uint64_t samples, uint64_t weight)
{
	return samples <= UINT64_MAX - e->samples && weight <= UINT64_MAX - e->weight;
}

/* Two events, or cgroups, of a damaged file may have one name: their rows are looked up. */
static int find_row(struct capture_in *in, struct capture_row *row)
{
	const bool is_new = in->is_new && in->nr_events == 1 && !(in->by & BY_CGROUP);
	int err = is_new ? profile__append_row(in->p, &row->key, &row->id)
			 : profile__row(in->p, &row->key, &row->id);

	return capture_tables__or_gone(err, &row->id);
}

static int add_entry(struct capture_in *in, struct capture_row *row, uint64_t samples,
		     uint64_t weight)
{
	int err = 0;

	if (!fits(&in->p->events[row->key.event], samples, weight) ||
	    (samples && in->p->events[row->key.event].is_member))
		return -EBADMSG;
	if (row->id == CAPTURE_GONE && row->key.stack != CAPTURE_GONE &&
	    row->key.cgroup != CAPTURE_GONE)
		err = find_row(in, row);
	if (err)
		return err;
	if (row->id == CAPTURE_GONE) {
		in->w.full += samples;
		return 0;
	}
	profile__grow(in->p, row->id, samples, weight);
	in->w.kept += samples;
	return 0;
}

static int take_entries(struct capture_in *in)
{
	uint32_t nr = capture_tables__list(in);
	uint64_t row = 0;
	int err = in->w.is_open ? 0 : -EBADMSG;

	for (uint32_t i = 0; i < nr && !err; i++) {
		uint64_t samples, weight;

		row += leb128__unfold(cursor__number(in->c));
		samples = cursor__number(in->c);
		weight = cursor__number(in->c);
		if (in->c->bad || row >= in->nr_rows ||
		    samples > in->w.told - in->w.kept - in->w.full)
			return -EBADMSG;
		if (in->w.is_wanted)
			err = add_entry(in, &in->rows[row], samples, weight);
		else
			in->w.kept += samples;
	}
	return err;
}

static int take_end(struct capture_in *in)
{
	in->at_end = true;
	return end_window(in);
}

static int take_parts(struct capture_in *in, struct cursor *data)
{
	static int (*const takes[])(struct capture_in * in) = {
		[CAPTURE_ABOUT] = capture_tables__about,
		[CAPTURE_MEMBERS] = capture_tables__members,
		[CAPTURE_IN_TICK] = capture_tables__in_tick,
		[CAPTURE_EVENTS] = capture_tables__events,
		[CAPTURE_STRINGS] = capture_tables__strings,
		[CAPTURE_FRAMES] = capture_tables__frames,
		[CAPTURE_PLACES] = capture_tables__places,
		[CAPTURE_NODES] = capture_tables__nodes,
		[CAPTURE_ROWS] = capture_tables__rows,
		[CAPTURE_WINDOW] = take_window,
		[CAPTURE_ENTRIES] = take_entries,
		[CAPTURE_END] = take_end,
	};
	int err = 0;

	while (!err && data->left && !in->at_end) {
		uint32_t kind = cursor__u32(data);
		struct cursor part = cursor__part(data, cursor__u32(data));

		if (data->bad)
			return -EBADMSG;
		in->c = &part;
		if (kind < ARRAY_SIZE(takes) && takes[kind])
			err = takes[kind](in);
		if (!err && part.bad)
			err = -EBADMSG;
	}
	return err;
}

/* Memory of the numbers of the file; they may be as many as a small file can be unpacked to. */
static bool is_too_much(const struct capture_in *in)
{
	return in->cap_strings * sizeof(*in->strings) + in->cap_frames * sizeof(*in->frames) +
		       in->cap_nodes * sizeof(*in->nodes) + in->cap_rows * sizeof(*in->rows) >
	       in->o->max_bytes;
}

static int read_block(struct capture_in *in)
{
	uint8_t head[BLOCK_HEAD_BYTES], *stream, *bytes = NULL;
	struct cursor data;
	struct block b;
	int err = tape__read(in->input, head, sizeof(head));

	if (!err)
		err = block__head(head, CAPTURE_BLOCK, &b);
	if (!err && b.number != in->nr_blocks++)
		err = -EBADMSG;
	if (err)
		return err;
	stream = malloc(b.stream_bytes + 1);
	if (!stream)
		return -ENOMEM;
	err = b.stream_bytes ? tape__read(in->input, stream, b.stream_bytes) : -EBADMSG;
	if (!err)
		err = block__unpack(&b, stream, &bytes);
	free(stream);
	if (!err) {
		data = (struct cursor){ .at = bytes, .left = b.data_bytes };
		err = take_parts(in, &data);
	}
	free(bytes);
	if (!err && is_too_much(in))
		err = -EFBIG;
	if (!err && profile__bytes(in->p, 25) > in->o->max_bytes)
		profile__seal(in->p, PROFILE_NOTHING);
	return err;
}

static int read_head(const struct capture_in *in)
{
	uint8_t head[CAPTURE_HEAD_BYTES];
	uint32_t version, crc;
	int err = tape__read(in->input, head, sizeof(head));

	if (err == 1 || err == -ENODATA ||
	    (!err && !capture__is_it((const char *)head, sizeof(head))))
		return -EPROTO;
	if (err)
		return err;
	memcpy(&version, head + 8, sizeof(version));
	memcpy(&crc, head + 12, sizeof(crc));
	if (le32toh(crc) != crc32(0, head, 12))
		return -EBADMSG;
	return le32toh(version) == CAPTURE_VERSION ? 0 : -EPROTONOSUPPORT;
}

/* String 0 is empty, node 0 the root: both are not written. */
static int begin(struct capture_in *in)
{
	int err = array__grow(&in->strings, &in->cap_strings, 1);

	if (!err)
		err = array__grow(&in->nodes, &in->cap_nodes, 1);
	if (err)
		return err;
	in->nodes[in->nr_nodes++] = (struct capture_node){};
	return capture_tables__or_gone(
		profile__string(in->p, "", 0, &in->strings[in->nr_strings++]), &in->strings[0]);
}

int capture__read(struct profile *p, const struct tape_input *input, const struct tape_opts *o,
		  struct tape_found *found)
{
	struct capture_in in = {
		.input = input, .o = o, .found = found, .p = p, .sum = p->losses.seen
	};
	int err, ended;

	*found = (struct tape_found){ .about = { "", "", "", "", 0 } };
	/* Of several files windows do not follow one another. */
	windows__free(&p->windows);
	err = read_head(&in);
	if (!err)
		err = begin(&in);
	while (!err && !in.at_end)
		err = read_block(&in);
	if (err == 1 || err == -ENODATA) {
		found->is_cut = true;
		err = 0;
	}
	ended = err == -ENOMEM ? 0 : end_window(&in);
	free(in.strings);
	free(in.frames);
	free(in.places);
	free(in.nodes);
	free(in.rows);
	buf__free(&in.text);
	return err ? err : ended;
}
