// SPDX-License-Identifier: BSD-2-Clause
/* Puts the lines of perf script together to samples; a text that was seen before is one look. */
#include "import/perf_script.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "import/intake.h"
#include "import/perf_text.h"
#include "import/source.h"

/*
 * Texts and what they are in the profile. With offsets (-F symoff, as is perf's way) they are many
 * more than frames: it is emptied when it is full.
 */
struct memo {
	struct strtab *texts;
	uint32_t *ids;
	size_t cap;
	size_t bytes;
};

enum { MEMO_BYTES = 16 << 20, MEMO_ENTRY_BYTES = 64 };

/* Where in a sample it is. */
enum state {
	BETWEEN, /* samples */
	WITHIN,	 /* one: its first line was read */
	SKIPPING /* the rest of one that cannot be read */
};

struct reader {
	struct intake in;
	struct perf_script_found *found;
	struct memo comms, events;
	struct memo frames[2]; /* of the lower half of all addresses, and of the kernel's */
	enum state state;
	struct row_key key; /* of the sample */
	uint64_t period;
	uint32_t comm;
	bool is_single;	 /* its frame was on its first line */
	int err;	 /* -ENOSPC: a part of it has no room */
	uint32_t *stack; /* frames, innermost first */
	size_t nr, cap;
	bool is_deep;
	uint64_t nr_line;
};

static int memo__new(struct memo *m)
{
	strtab__free(m->texts);
	m->texts = strtab__new();
	m->bytes = 0;
	return m->texts ? 0 : -ENOMEM;
}

static void memo__free(struct memo *m)
{
	strtab__free(m->texts);
	free(m->ids);
}

static bool memo__find(const struct memo *m, const struct perf_part *t, uint32_t *id)
{
	uint32_t entry;

	if (!t->len || !strtab__find(m->texts, t->s, t->len, &entry))
		return false;
	*id = m->ids[entry];
	return true;
}

static int memo__add(struct memo *m, const struct perf_part *t, uint32_t id)
{
	uint32_t entry;
	int err = 0;

	if (!t->len)
		return 0;
	if (m->bytes > MEMO_BYTES)
		err = memo__new(m);
	if (!err)
		err = strtab__add(m->texts, t->s, t->len, &entry);
	if (!err)
		err = array__grow(&m->ids, &m->cap, (size_t)entry + 1);
	if (err)
		return err;
	m->ids[entry] = id;
	m->bytes += t->len + MEMO_ENTRY_BYTES;
	return 0;
}

/* "[libfoo.so]", "[vdso]", "[unknown]" */
static int unknown_name(struct profile *p, const struct perf_part *module, uint32_t *name)
{
	struct buf b = {};
	int err;

	if (!module->len)
		return profile__string(p, "[unknown]", sizeof("[unknown]") - 1, name);
	if (module->s[0] == '[')
		return profile__string(p, module->s, module->len, name);
	err = buf__put(&b, "[", 1);
	if (!err)
		err = buf__put(&b, module->s, module->len);
	if (!err)
		err = buf__put(&b, "]", 1);
	if (!err)
		err = profile__string(p, b.data, b.len, name);
	buf__free(&b);
	return err;
}

static int new_frame(struct profile *p, const struct perf_frame *f, uint32_t *id)
{
	struct frame frame = { .kind = f->kind };
	int err = profile__string(p, f->module.s ? f->module.s : "", f->module.len, &frame.module);

	if (!err)
		err = f->name.len ? profile__string(p, f->name.s, f->name.len, &frame.name)
				  : unknown_name(p, &f->module, &frame.name);
	return err ? err : profile__frame(p, &frame, id);
}

static int frame_of(struct reader *r, const struct perf_part *behind, bool is_high, uint32_t *id)
{
	struct memo *m = &r->frames[is_high];
	struct perf_frame f;
	int err;

	if (memo__find(m, behind, id))
		return 0;
	perf_text__frame(behind, is_high, &f);
	err = new_frame(r->in.p, &f, id);
	return err ? err : memo__add(m, behind, *id);
}

static int comm_of(struct reader *r, const struct perf_part *comm, uint32_t *id)
{
	const struct perf_frame f = { .name = *comm, .kind = FRAME_COMM };
	int err;

	if (memo__find(&r->comms, comm, id))
		return 0;
	err = new_frame(r->in.p, &f, id);
	return err ? err : memo__add(&r->comms, comm, *id);
}

/* "cpu-clock:u" and its like weigh nanoseconds. */
static const char *unit_of(const struct perf_part *event)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock" };

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		const size_t len = strlen(clocks[i]);

		if (event->len >= len && !memcmp(event->s, clocks[i], len) &&
		    (event->len == len || event->s[len] == ':'))
			return "ns";
	}
	return "";
}

static int event_of(struct reader *r, const struct perf_part *event, uint32_t *id)
{
	static const struct perf_part samples = { "samples", sizeof("samples") - 1 };
	const struct perf_part *t = event->len ? event : &samples;
	int err;

	if (memo__find(&r->events, t, id))
		return 0;
	err = intake__event(&r->in, t->s, t->len, unit_of(t), id);
	return err ? err : memo__add(&r->events, t, *id);
}

/* What has no room makes a loss of the sample, when that is added. */
static int note_full(struct reader *r, int err)
{
	if (err != -ENOSPC)
		return err;
	r->err = err;
	return 0;
}

/* Of more frames than are kept the innermost give way. */
static int push(struct reader *r, uint32_t frame)
{
	int err = array__grow(&r->stack, &r->cap, r->nr + 1);

	if (err)
		return err;
	r->stack[r->nr++] = frame;
	if (r->nr < 2 * INTAKE_FRAMES)
		return 0;
	r->is_deep = true;
	r->nr -= INTAKE_FRAMES;
	memmove(r->stack, r->stack + INTAKE_FRAMES, r->nr * sizeof(*r->stack));
	return 0;
}

static int push_line(struct reader *r, const struct perf_part *behind, bool is_high)
{
	uint32_t frame;
	int err = frame_of(r, behind, is_high, &frame);

	return err ? note_full(r, err) : push(r, frame);
}

/* The sample is whole: adds it. */
static int finish(struct reader *r)
{
	uint32_t *frames = r->stack;
	int err = r->err;

	if (r->state != WITHIN)
		return 0;
	r->state = BETWEEN;
	if (!err)
		err = push(r, r->comm);
	if (err && err != -ENOSPC)
		return err;
	frames = r->stack;
	if (r->nr > INTAKE_FRAMES) {
		frames += r->nr - INTAKE_FRAMES;
		r->nr = INTAKE_FRAMES;
		r->is_deep = true;
	}
	if (!err)
		err = intake__stack(&r->in, frames, r->nr, &r->key.stack);
	if (!err && r->is_deep)
		err = intake__truncated(&r->in, r->key.stack, &r->key.stack);
	r->found->nr_samples++;
	return intake__add(&r->in, &r->key, 1, r->period, r->is_deep, err);
}

static void bad_line(struct reader *r)
{
	if (!r->found->nr_bad++)
		r->found->first_bad = r->nr_line;
	r->state = SKIPPING;
}

static int begin_sample(struct reader *r, const struct perf_head *h)
{
	struct profile *p = r->in.p;
	struct perf_part behind;
	bool is_high;
	int err;

	if (h->period > INTAKE_MAX - r->in.weight || r->in.sum == INTAKE_MAX) {
		bad_line(r);
		return 0;
	}
	r->in.weight += h->period;
	p->by |= (h->has_pid ? BY_PID : 0) | (h->has_tid ? BY_TID : 0) | (h->has_cpu ? BY_CPU : 0);
	r->state = WITHIN;
	r->key = (struct row_key){ .pid = h->pid, .tid = h->tid, .cpu = h->cpu };
	r->period = h->period;
	r->nr = 0;
	r->is_deep = false;
	r->err = 0;
	err = note_full(r, event_of(r, &h->event, &r->key.event));
	if (!err)
		err = note_full(r, comm_of(r, &h->comm, &r->comm));
	r->is_single = !err && perf_text__only_address(&h->rest, &is_high, &behind);
	return r->is_single ? push_line(r, &behind, is_high) : err;
}

static int read_head(struct reader *r, const char *line, size_t len, bool *is_head)
{
	struct perf_head h;
	const enum perf_line kind = perf_text__head(line, len, &h);
	int err;

	*is_head = kind != PERF_OTHER;
	if (!*is_head)
		return 0;
	err = finish(r);
	if (kind == PERF_RECORD)
		r->state = SKIPPING;
	return err || kind == PERF_RECORD ? err : begin_sample(r, &h);
}

/* What looked like the only frame was data of the event (-F addr), if frames come behind it. */
static int read_frame(struct reader *r, const struct perf_part *behind, bool is_high)
{
	if (r->state == SKIPPING)
		return 0;
	if (r->state == BETWEEN) {
		bad_line(r);
		return 0;
	}
	if (r->is_single)
		r->nr = 0;
	r->is_single = false;
	return push_line(r, behind, is_high);
}

/*
 * Frames begin with a tab; other blanks are those before a command that is short, of a text whose
 * tabs somebody has replaced, or of lines of source code (-F srcline) between frames.
 */
static int read_line(struct reader *r, char *line, size_t len)
{
	struct perf_part behind;
	bool is_head, is_high;
	int err;

	for (char *at = line; (at = memchr(at, '\0', line + len - at)); at++)
		*at = '?';
	if (!len) {
		err = finish(r);
		r->state = BETWEEN;
		return err;
	}
	if (*line == '#')
		return 0;
	intake__look_at_room(&r->in, len);
	if (*line == '\t' && perf_text__address(line, len, &is_high, &behind))
		return read_frame(r, &behind, is_high);
	err = read_head(r, line, len, &is_head);
	if (is_head)
		return err;
	if (*line == ' ' && perf_text__address(line, len, &is_high, &behind))
		return read_frame(r, &behind, is_high);
	if (r->state == SKIPPING || (*line == ' ' && r->state == WITHIN && r->nr))
		return 0;
	/* Between the frames of a sample others may be missing, too; one that has none is whole. */
	err = !r->nr || r->is_single ? finish(r) : 0;
	bad_line(r);
	return err;
}

bool perf_script__is_it(const char *text, size_t len)
{
	/* Of a machine with many CPUs it is longer than what is looked at. */
	static const char header[] = "# ========\n# captured on ";
	bool was_head = false, is_high;
	struct perf_part behind;
	const char *end;

	if (len > sizeof(header) - 1 && !memcmp(text, header, sizeof(header) - 1))
		return true;
	for (; (end = memchr(text, '\n', len)); len -= end + 1 - text, text = end + 1) {
		struct perf_head h;

		if (was_head && *text == '\t' &&
		    perf_text__address(text, end - text, &is_high, &behind))
			return true;
		was_head = *text != '#' && perf_text__head(text, end - text, &h) == PERF_HEAD;
		if (was_head && h.has_time && h.has_tid && h.event.len)
			return true;
		if (was_head && perf_text__only_address(&h.rest, &is_high, &behind))
			return true;
	}
	return false;
}

static int begin(struct reader *r)
{
	struct memo *const memos[] = { &r->comms, &r->events, &r->frames[0], &r->frames[1] };
	int err = 0;

	for (size_t i = 0; i < ARRAY_SIZE(memos) && !err; i++)
		err = memo__new(memos[i]);
	return err;
}

static void end(struct reader *r)
{
	intake__end(&r->in);
	memo__free(&r->comms);
	memo__free(&r->events);
	memo__free(&r->frames[0]);
	memo__free(&r->frames[1]);
	free(r->stack);
}

int import__perf_script(struct profile *p, struct source *s, const struct perf_script_opts *o,
			struct perf_script_found *found)
{
	struct reader r = { .found = found };
	size_t len;
	char *line;
	int err, n = 0;

	*found = (struct perf_script_found){};
	intake__begin(&r.in, p, o->max_bytes);
	err = begin(&r);
	while (!err && (n = source__line(s, &line, &len))) {
		r.nr_line++;
		if (n == 1)
			err = read_line(&r, line, len);
		else if (n != -EMSGSIZE)
			err = n;
		else
			bad_line(&r);
	}
	if (!err)
		err = finish(&r);
	end(&r);
	return err;
}
