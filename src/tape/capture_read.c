// SPDX-License-Identifier: BSD-2-Clause
/* Reads a capture, block by block, and adds the windows that are wanted to a profile. */
#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/buf.h"
#include "base/leb128.h"
#include "base/strtab.h"
#include "base/utf8.h"
#include "model/profile.h"
#include "tape/block.h"
#include "tape/capture.h"
#include "tape/cursor.h"

enum { TEXT_MAX = 4096 };

enum { GONE = UINT32_MAX }; /* there was no room for it in the profile */

struct node {
	uint32_t id, depth;
};

struct row_at {
	struct row_key key; /* with ids of the profile */
	uint32_t id;	    /* its row; GONE: none yet, or none */
};

/* The window whose entries are read. */
struct reading {
	bool is_open, is_wanted;
	uint64_t begin_ns, end_ns, own_ns;
	uint64_t told, kept, full; /* samples: told to be kept; read; without room */
	struct losses losses;
	struct window_times times[CAPTURE_EVENTS_MAX];
};

struct in {
	const struct tape_input *input;
	const struct tape_opts *o;
	struct tape_found *found;
	struct profile *p;
	struct cursor *c; /* the part that is read */
	struct buf text;
	uint64_t nr_blocks;
	bool has_about, has_events, at_end, keeps_windows;
	uint64_t sum; /* of samples told to be kept or lost: sums of them do not overflow */
	unsigned by;
	uint32_t events[CAPTURE_EVENTS_MAX], nr_events;
	uint32_t *strings, *frames; /* ids of the profile, or GONE */
	size_t nr_strings, cap_strings, nr_frames, cap_frames;
	struct node *nodes;
	size_t nr_nodes, cap_nodes;
	struct row_at *rows;
	size_t nr_rows, cap_rows;
	struct reading w;
};

bool capture__is_it(const char *bytes, size_t len)
{
	return len >= 8 && !memcmp(bytes, CAPTURE_MAGIC, 8);
}

/* -ENOSPC is no failure: *id is GONE then. */
static int or_gone(int err, uint32_t *id)
{
	if (err != -ENOSPC)
		return err;
	*id = GONE;
	return 0;
}

/* How many items follow, of a byte each at least. */
static uint32_t take_list(struct in *in)
{
	uint64_t nr = cursor__number(in->c);

	if (nr <= in->c->left)
		return nr;
	in->c->bad = true;
	return 0;
}

/* One line of UTF-8, in in->text. */
static int take_text(struct in *in)
{
	struct cursor bytes = cursor__part(in->c, cursor__number(in->c));

	buf__clear(&in->text);
	return utf8__put_line(&in->text, (const char *)bytes.at, bytes.left, TEXT_MAX);
}

/* *kept: the profile's own, or @otherwise if there is no room. */
static int take_kept_text(struct in *in, const char **kept, const char *otherwise)
{
	int err = take_text(in);
	uint32_t id;

	if (!err)
		err = profile__string(in->p, in->text.data, in->text.len, &id);
	*kept = err ? otherwise : strtab__get(in->p->strings, id);
	return err == -ENOSPC ? 0 : err;
}

/* What captures of several machines do not have in common is not known. */
static const char *common(const char *before, const char *now, bool is_first)
{
	return is_first || !strcmp(before, now) ? now : "";
}

static int take_about(struct in *in)
{
	struct profile *p = in->p;
	struct profile_about about = {};
	const bool is_first = !p->nr_events;
	unsigned nr_cpus;
	int err = in->has_about ? -EBADMSG : 0;

	in->has_about = true;
	about.begin_ns = cursor__number(in->c);
	(void)cursor__number(in->c); /* the duration is that of the windows */
	nr_cpus = cursor__number(in->c);
	p->nr_cpus = is_first || p->nr_cpus == nr_cpus ? nr_cpus : 0;
	in->by = cursor__number(in->c) & CAPTURE_BY;
	p->by |= in->by;
	p->losses.untold |= cursor__number(in->c) & CAPTURE_UNTOLD;
	in->keeps_windows = cursor__number(in->c) > 1 && is_first;
	if (!err)
		err = take_kept_text(in, &about.host, "");
	if (!err)
		err = take_kept_text(in, &about.kernel, "");
	if (!err)
		err = take_kept_text(in, &about.machine, "");
	if (!err)
		err = take_kept_text(in, &about.cpu, "");
	if (err)
		return err;
	in->found->about = about;
	p->about = (struct profile_about){
		.host = common(p->about.host, about.host, is_first),
		.kernel = common(p->about.kernel, about.kernel, is_first),
		.machine = common(p->about.machine, about.machine, is_first),
		.cpu = common(p->about.cpu, about.cpu, is_first),
		.begin_ns = is_first ? about.begin_ns : 0,
	};
	return 0;
}

static int take_events(struct in *in)
{
	uint64_t nr = cursor__number(in->c);
	int err = in->has_events || !in->has_about || nr > CAPTURE_EVENTS_MAX ? -EBADMSG : 0;

	in->has_events = true;
	for (uint32_t i = 0; i < nr && !err; i++) {
		struct profile_event e = {};

		err = take_kept_text(in, &e.name, "other");
		if (!err)
			err = take_kept_text(in, &e.unit, "");
		e.hz = cursor__number(in->c);
		e.period = cursor__number(in->c);
		if (!err)
			err = profile__same_event(in->p, &e, &in->events[i]);
		in->nr_events++;
	}
	return err;
}

static int take_strings(struct in *in)
{
	uint32_t nr = take_list(in);
	int err = array__grow(&in->strings, &in->cap_strings, in->nr_strings + nr);

	for (uint32_t i = 0; i < nr && !err; i++) {
		struct cursor text = cursor__part(in->c, cursor__number(in->c));
		uint32_t *id = &in->strings[in->nr_strings];

		err = or_gone(profile__string(in->p, (const char *)text.at, text.left, id), id);
		in->nr_strings++;
	}
	return err;
}

static int take_frames(struct in *in)
{
	uint32_t nr = take_list(in);
	int err = array__grow(&in->frames, &in->cap_frames, in->nr_frames + nr);

	for (uint32_t i = 0; i < nr && !err; i++) {
		uint64_t name = cursor__number(in->c), module = cursor__number(in->c);
		uint64_t kind = cursor__number(in->c);
		uint32_t *id = &in->frames[in->nr_frames];
		struct frame f = { .kind = kind };

		if (name >= in->nr_strings || module >= in->nr_strings || kind >= FRAME_KINDS)
			return -EBADMSG;
		f.name = in->strings[name];
		f.module = in->strings[module];
		*id = GONE;
		if (f.name != GONE && f.module != GONE)
			err = or_gone(profile__frame(in->p, &f, id), id);
		in->nr_frames++;
	}
	return err;
}

/* Commands are below the root, and nowhere else. */
static int check_level(const struct in *in, uint32_t frame, bool is_first)
{
	return (in->p->frames[frame].kind == FRAME_COMM) == is_first ? 0 : -EBADMSG;
}

static int take_node(struct in *in)
{
	uint64_t back = cursor__number(in->c), frame = cursor__number(in->c);
	struct node *new = &in->nodes[in->nr_nodes];
	const struct node *parent;
	int err = 0;

	if (!back || back > in->nr_nodes || frame >= in->nr_frames)
		return -EBADMSG;
	parent = new - back;
	*new = (struct node){ GONE, parent->depth + 1 };
	if (new->depth > CAPTURE_DEPTH_MAX)
		return -EBADMSG;
	if (in->frames[frame] != GONE)
		err = check_level(in, in->frames[frame], new->depth == 1);
	if (!err && in->frames[frame] != GONE && parent->id != GONE)
		err = or_gone(profile__child(in->p, parent->id, in->frames[frame], &new->id),
			      &new->id);
	in->nr_nodes++;
	return err;
}

static int take_nodes(struct in *in)
{
	uint32_t nr = take_list(in);
	int err = array__grow(&in->nodes, &in->cap_nodes, in->nr_nodes + nr);

	for (uint32_t i = 0; i < nr && !err && !in->c->bad; i++)
		err = take_node(in);
	return err;
}

static int take_row(struct in *in, uint64_t *stack)
{
	uint64_t event = cursor__number(in->c), cgroup = 0;
	struct row_at *new = &in->rows[in->nr_rows];

	*new = (struct row_at){ .id = GONE };
	*stack += leb128__unfold(cursor__number(in->c));
	if (in->by & BY_PID)
		new->key.pid = cursor__number(in->c);
	if (in->by & BY_TID)
		new->key.tid = cursor__number(in->c);
	if (in->by & BY_CPU)
		new->key.cpu = cursor__number(in->c);
	if (in->by & BY_CGROUP)
		cgroup = cursor__number(in->c);
	if (event >= in->nr_events || !*stack || *stack >= in->nr_nodes || cgroup >= in->nr_strings)
		return -EBADMSG;
	new->key.event = in->events[event];
	new->key.stack = in->nodes[*stack].id;
	new->key.cgroup = in->strings[cgroup];
	in->nr_rows++;
	return 0;
}

static int take_rows(struct in *in)
{
	uint32_t nr = take_list(in);
	uint64_t stack = 0;
	int err = array__grow(&in->rows, &in->cap_rows, in->nr_rows + nr);

	for (uint32_t i = 0; i < nr && !err && !in->c->bad; i++)
		err = take_row(in, &stack);
	return err;
}

/* A number of samples. */
static uint64_t take_samples(struct in *in)
{
	uint64_t n = cursor__number(in->c);

	if (n > (uint64_t)INT64_MAX - in->sum)
		in->c->bad = true;
	else
		in->sum += n;
	return in->c->bad ? 0 : n;
}

static int take_losses(struct in *in, struct losses *l)
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

		err = take_kept_text(in, &loss.name, "other");
		if (!err)
			err = take_kept_text(in, &loss.text, "for other reasons");
		if (!err)
			err = take_kept_text(in, &loss.cure, "");
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

static void add_times(struct in *in)
{
	for (uint32_t i = 0; i < in->nr_events; i++) {
		struct profile_event *e = &in->p->events[in->events[i]];

		e->enabled_ns += in->w.times[i].enabled_ns;
		e->running_ns += in->w.times[i].running_ns;
		e->passed_over += in->w.times[i].passed_over;
	}
}

static void add_losses(struct in *in)
{
	struct reading *w = &in->w;
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
static int end_window(struct in *in)
{
	struct reading *w = &in->w;
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

static int take_window(struct in *in)
{
	struct reading *w = &in->w;
	const uint64_t ended_ns = w->end_ns;
	int err = end_window(in);

	if (err)
		return err;
	if (!in->has_events)
		return -EBADMSG;
	*w = (struct reading){ .is_open = true };
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

static int add_entry(struct in *in, struct row_at *row, uint64_t samples, uint64_t weight)
{
	int err = 0;

	if (!fits(&in->p->events[row->key.event], samples, weight))
		return -EBADMSG;
	if (row->id == GONE && row->key.stack != GONE && row->key.cgroup != GONE)
		err = or_gone(profile__row(in->p, &row->key, &row->id), &row->id);
	if (err)
		return err;
	if (row->id == GONE) {
		in->w.full += samples;
		return 0;
	}
	profile__grow(in->p, row->id, samples, weight);
	in->w.kept += samples;
	return 0;
}

static int take_entries(struct in *in)
{
	uint32_t nr = take_list(in);
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

static int take_end(struct in *in)
{
	in->at_end = true;
	return end_window(in);
}

static int take_parts(struct in *in, struct cursor *data)
{
	static int (*const takes[])(struct in * in) = {
		[CAPTURE_ABOUT] = take_about,	  [CAPTURE_EVENTS] = take_events,
		[CAPTURE_STRINGS] = take_strings, [CAPTURE_FRAMES] = take_frames,
		[CAPTURE_NODES] = take_nodes,	  [CAPTURE_ROWS] = take_rows,
		[CAPTURE_WINDOW] = take_window,	  [CAPTURE_ENTRIES] = take_entries,
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
static bool is_too_much(const struct in *in)
{
	return in->cap_strings * sizeof(*in->strings) + in->cap_frames * sizeof(*in->frames) +
		       in->cap_nodes * sizeof(*in->nodes) + in->cap_rows * sizeof(*in->rows) >
	       in->o->max_bytes;
}

static int read_block(struct in *in)
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

static int read_head(const struct in *in)
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
static int begin(struct in *in)
{
	int err = array__grow(&in->strings, &in->cap_strings, 1);

	if (!err)
		err = array__grow(&in->nodes, &in->cap_nodes, 1);
	if (err)
		return err;
	in->nodes[in->nr_nodes++] = (struct node){};
	return or_gone(profile__string(in->p, "", 0, &in->strings[in->nr_strings++]),
		       &in->strings[0]);
}

int capture__read(struct profile *p, const struct tape_input *input, const struct tape_opts *o,
		  struct tape_found *found)
{
	struct in in = { .input = input, .o = o, .found = found, .p = p, .sum = p->losses.seen };
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
	free(in.nodes);
	free(in.rows);
	buf__free(&in.text);
	return err ? err : ended;
}
