// SPDX-License-Identifier: BSD-2-Clause
/* Reads a profile whole, finds out which events its values are of, and adds its samples. */
#include "import/pprof.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "import/bounded.h"
#include "import/intake.h"
#include "import/pprof_frames.h"
#include "import/source.h"

enum {
	TYPES_MAX = 256,
	READ_BYTES = 64 << 10,
	LOST_PREFIX = 7, /* "[lost: " */
};

/* Which values of a sample are an event's. */
struct event_values {
	uint32_t event;
	int samples, weight; /* indexes; -1: there is none */
};

struct reader {
	struct intake in;
	struct pprof_frames frames;
	const Pprof__Profile *from;
	const struct pprof_in_opts *o;
	struct pprof_found *found;
	struct event_values events[TYPES_MAX];
	size_t nr_events;
	bool is_cut;	 /* the stack that is read: a location had too many lines */
	uint32_t *stack; /* frames, the innermost first, the command last */
	size_t nr, cap;
	const char *comm; /* of samples without a label for it */
	bool is_ours;	  /* and of one event: its losses are told */
};

static int read_all(struct buf *all, struct source *s, uint64_t max)
{
	char piece[READ_BYTES];
	size_t len;
	int err;

	do {
		len = sizeof(piece);
		err = source__bytes(s, piece, &len);
		if (!err && all->len + len > max)
			err = -EFBIG;
		if (!err)
			err = buf__put(all, piece, len);
	} while (!err && len == sizeof(piece));
	return err;
}

static const char *text(const struct reader *r, int64_t id)
{
	return pprof_frames__string(&r->frames, id);
}

static bool is_type(const struct reader *r, size_t i, const char *name, const char *unit)
{
	const Pprof__ValueType *t = r->from->sample_type[i];

	return !strcmp(text(r, t->type), name) && (!unit || !strcmp(text(r, t->unit), unit));
}

static int find_type(const struct reader *r, const char *name, const char *unit)
{
	for (size_t i = 0; i < r->from->n_sample_type; i++)
		if (is_type(r, i, name, unit))
			return i;
	return -1;
}

static const char *unit_of(const struct reader *r, int type)
{
	return type >= 0 && !strcmp(text(r, r->from->sample_type[type]->unit), "nanoseconds") ? "ns"
											      : "";
}

/* -ENOSPC is no failure: samples of such an event are lost. */
static int add_event(struct reader *r, const char *name, size_t len, int samples, int weight)
{
	struct event_values *e = &r->events[r->nr_events];
	int err = intake__event(&r->in, name, len, unit_of(r, weight), &e->event);

	e->samples = samples;
	e->weight = weight;
	r->nr_events++;
	return err == -ENOSPC ? 0 : err;
}

/* "EV_sample": the event EV. *pairs: how many there are. */
static int add_pairs(struct reader *r, size_t *pairs)
{
	static const char ending[] = "_sample";
	const size_t end = sizeof(ending) - 1;
	struct buf other = {};
	int err = 0;

	*pairs = 0;
	for (size_t i = 0; i < r->from->n_sample_type && !err; i++) {
		const char *name = text(r, r->from->sample_type[i]->type);
		const size_t len = strlen(name);

		if (len <= end || strcmp(name + len - end, ending))
			continue;
		++*pairs;
		buf__clear(&other);
		err = buf__put(&other, name, len - end);
		if (!err)
			err = buf__puts(&other, "_event");
		if (!err)
			err = add_event(r, name, len - end, i, find_type(r, other.data, NULL));
	}
	buf__free(&other);
	return err;
}

/* "EV_event" without an "EV_sample" beside those of others: counted at the samples of the first. */
static int add_member(struct reader *r, size_t i, bool *is_one)
{
	static const char ending[] = "_event";
	const char *name = text(r, r->from->sample_type[i]->type);
	const size_t len = strlen(name), end = sizeof(ending) - 1;
	struct event_values *e = &r->events[r->nr_events];
	int err;

	*is_one = len > end && !strcmp(name + len - end, ending);
	if (!*is_one)
		return 0;
	err = intake__member(&r->in, name, len - end, unit_of(r, (int)i), r->events->event,
			     &e->event);
	e->samples = -1;
	e->weight = (int)i;
	r->nr_events++;
	return err == -ENOSPC ? 0 : err;
}

/* "alloc_space (bytes)"; a count has no unit. */
static int add_single(struct reader *r, size_t i)
{
	const Pprof__ValueType *t = r->from->sample_type[i];
	const char *unit = text(r, t->unit);
	const bool has_unit = *unit && strcmp(unit, "count");
	struct buf name = {};
	int err = buf__printf(&name, "%s%s%s%s", text(r, t->type), has_unit ? " (" : "",
			      has_unit ? unit : "", has_unit ? ")" : "");

	if (!err)
		err = add_event(r, name.data, name.len, i, -1);
	buf__free(&name);
	return err;
}

static bool is_part_of_pair(const struct reader *r, size_t i)
{
	for (size_t k = 0; k < r->nr_events; k++)
		if (r->events[k].samples == (int)i || r->events[k].weight == (int)i)
			return true;
	return false;
}

static int add_events(struct reader *r)
{
	const int samples = find_type(r, "samples", "count");
	const int cpu = find_type(r, "cpu", "nanoseconds");
	size_t pairs;
	int err;

	if (r->from->n_sample_type > TYPES_MAX)
		return -EPROTO;
	err = add_pairs(r, &pairs);
	r->is_ours &= pairs == 1;
	if (!err && !pairs && samples >= 0 && cpu >= 0)
		err = add_event(r, "cpu", 3, samples, cpu);
	for (size_t i = 0; i < r->from->n_sample_type && !err; i++) {
		/* What pairs tell once more, for tools that want these names. */
		const bool again = pairs && ((int)i == samples || (int)i == cpu);
		bool is_member = false;

		if (is_part_of_pair(r, i) || again)
			continue;
		if (pairs)
			err = add_member(r, i, &is_member);
		if (!err && !is_member)
			err = add_single(r, i);
	}
	return err;
}

/* "[lost: table_full]" */
static bool is_lost(const struct reader *r, const Pprof__Sample *s, const char **reason)
{
	if (s->n_location_id != 1)
		return false;
	*reason = pprof_frames__only_name(&r->frames, s->location_id[0]);
	if (strncmp(*reason, "[lost: ", LOST_PREFIX))
		return false;
	*reason += LOST_PREFIX;
	return true;
}

static int add_lost(struct reader *r, const char *reason, uint64_t n)
{
	struct profile *p = r->in.p;
	struct loss loss = { .text = "told by the file", .n = n };
	struct buf name = {};
	int err = n > INTAKE_MAX - r->in.sum ? -EPROTO
					     : buf__put(&name, reason, strcspn(reason, "]"));

	loss.name = err ? "" : name.data;
	if (!err)
		err = profile__keep_loss(p, &loss);
	if (!err) {
		losses__add(&p->losses, &loss);
		p->losses.seen += n;
		r->in.sum += n;
		r->in.sum_before += n;
	}
	buf__free(&name);
	return err;
}

static int put_comm(struct reader *r, const char *comm)
{
	struct frame f = { .kind = FRAME_COMM };
	int err = profile__string(r->in.p, comm, strlen(comm), &f.name);

	if (!err)
		err = array__grow(&r->stack, &r->cap, r->nr + 1);
	if (!err)
		err = profile__frame(r->in.p, &f, &r->stack[r->nr]);
	r->nr += !err;
	return err;
}

/*
 * The innermost location that is of use: what is inside of it is too deep. A file may name one of
 * many frames any number of times: these are not copied first.
 */
static int find_first(struct reader *r, const Pprof__Sample *s, size_t *first)
{
	const uint32_t *frames;
	size_t depth = 0;
	uint32_t nr;
	int err = 0;

	for (*first = s->n_location_id; *first && depth < INTAKE_FRAMES && !err; --*first) {
		err = pprof_frames__of(&r->frames, s->location_id[*first - 1], &frames, &nr);
		depth += err ? 0 : nr;
	}
	return err;
}

static int put_frames(struct reader *r, uint64_t location)
{
	const uint32_t *frames;
	uint32_t nr;
	int err = pprof_frames__of(&r->frames, location, &frames, &nr);

	if (!err)
		err = array__grow(&r->stack, &r->cap, r->nr + nr);
	if (err)
		return err;
	memcpy(r->stack + r->nr, frames, nr * sizeof(*frames));
	r->nr += nr;
	r->is_cut |= pprof_frames__is_cut(&r->frames, location);
	return 0;
}

static uint32_t number_of(const Pprof__Label *l)
{
	return l->num > 0 && l->num <= UINT32_MAX ? l->num : 0;
}

/* What labels tell of the key; *comm. */
static int take_labels(struct reader *r, const Pprof__Sample *s, struct row_key *key,
		       const char **comm)
{
	struct profile *p = r->in.p;
	const char *cgroup = "";

	for (size_t i = 0; i < s->n_label; i++) {
		const Pprof__Label *l = s->label[i];
		const char *name = text(r, l->key), *value = text(r, l->str);

		if (!strcmp(name, "comm") && *value) {
			*comm = value;
		} else if (!strcmp(name, "pid") && !l->str) {
			key->pid = number_of(l);
			p->by |= BY_PID;
		} else if (!strcmp(name, "tid") && !l->str) {
			key->tid = number_of(l);
			p->by |= BY_TID;
		} else if (!strcmp(name, "cpu") && !l->str) {
			key->cpu = number_of(l);
			p->by |= BY_CPU;
		} else if (!strcmp(name, "cgroup") && *value) {
			cgroup = value;
		}
	}
	if (!*cgroup)
		return 0;
	p->by |= BY_CGROUP;
	return profile__string(p, cgroup, strlen(cgroup), &key->cgroup);
}

/* The outermost frames of a stack that is too deep stay, and its command. */
static bool cut(struct reader *r)
{
	const size_t more = r->nr > INTAKE_FRAMES ? r->nr - INTAKE_FRAMES : 0;

	if (more)
		memmove(r->stack, r->stack + more, INTAKE_FRAMES * sizeof(*r->stack));
	r->nr -= more;
	return more;
}

static bool has_bad_value(const struct reader *r, const Pprof__Sample *s)
{
	if (s->n_value != r->from->n_sample_type)
		return true;
	for (size_t i = 0; i < s->n_value; i++)
		if (s->value[i] < 0 || (uint64_t)s->value[i] > INTAKE_MAX)
			return true;
	return false;
}

static int add_values(struct reader *r, const Pprof__Sample *s, struct row_key *key, bool is_deep,
		      int stack_err)
{
	int err = 0;

	for (size_t i = 0; i < r->nr_events && !err; i++) {
		const struct event_values *e = &r->events[i];
		const uint64_t n = e->samples < 0 ? 0 : s->value[e->samples];
		const uint64_t weight = e->weight < 0 ? 0 : s->value[e->weight];

		if (n > INTAKE_MAX - r->in.sum || weight > INTAKE_MAX - r->in.weight)
			return -EPROTO;
		r->in.weight += weight;
		key->event = e->event;
		if (n || e->samples < 0)
			err = intake__add(&r->in, key, n, weight, is_deep, stack_err);
	}
	return err;
}

static int add_sample(struct reader *r, const Pprof__Sample *s)
{
	const char *comm = r->comm, *reason;
	struct row_key key = {};
	bool is_deep = false;
	size_t first = 0;
	int err;

	if (has_bad_value(r, s)) {
		r->found->nr_bad++;
		return 0;
	}
	if (r->nr_events == 1 && is_lost(r, s, &reason))
		return add_lost(r, reason, s->value[r->events[0].samples]);
	r->nr = 0;
	r->is_cut = false;
	err = take_labels(r, s, &key, &comm);
	if (!err)
		err = find_first(r, s, &first);
	for (size_t i = first; i < s->n_location_id && !err; i++)
		err = put_frames(r, s->location_id[i]);
	if (err == -EPROTO) {
		r->found->nr_bad++;
		return 0;
	}
	if (!err)
		err = put_comm(r, comm);
	if (!err) {
		/* With the command it has more, if any was left out. */
		is_deep = cut(r) || r->is_cut;
		err = intake__stack(&r->in, r->stack, r->nr, &key.stack);
	}
	if (err && err != -ENOSPC)
		return err;
	r->found->nr_samples++;
	return add_values(r, s, &key, is_deep, err);
}

/* A program's profile is of the program: its first file. */
static const char *first_file(const struct reader *r)
{
	const char *path = r->from->n_mapping ? text(r, r->from->mapping[0]->filename) : "", *slash;

	slash = strrchr(path, '/');
	path = slash ? slash + 1 : path;
	return *path && *path != '[' ? path : r->o->comm;
}

/* Its first comment says who wrote it, and one of them what it does not know. */
static bool tells_losses(const struct reader *r)
{
	bool ours = false;

	for (size_t i = 0; i < r->from->n_comment; i++) {
		const char *comment = text(r, r->from->comment[i]);

		if (!i)
			ours = !strncmp(comment, "pmutrace ", 9);
		if (strstr(comment, "what was lost before is not told"))
			return false;
	}
	return ours;
}

static int add_all(struct reader *r)
{
	struct profile *p = r->in.p;
	const bool is_first = !p->nr_events;
	int err = add_events(r);

	if (is_first && r->from->time_nanos > 0)
		p->about.begin_ns = r->from->time_nanos;
	p->duration_ns += r->from->duration_nanos > 0 ? r->from->duration_nanos : 0;
	if (!r->nr_events)
		return err ? err : -EPROTO;
	for (size_t i = 0; i < r->from->n_sample && !err; i++) {
		err = add_sample(r, r->from->sample[i]);
		intake__look_at_room(&r->in, 16 * (1 + r->nr + r->from->sample[i]->n_label));
	}
	return err;
}

static int take(struct profile *p, const Pprof__Profile *from, const struct pprof_in_opts *o,
		struct pprof_found *found)
{
	const bool untold = p->losses.untold;
	struct reader *r = calloc(1, sizeof(*r));
	int err;

	if (!r)
		return -ENOMEM;
	intake__begin(&r->in, p, o->max_bytes);
	r->from = from;
	r->o = o;
	r->found = found;
	r->frames = (struct pprof_frames){ .p = p, .from = from, .places = o->places };
	r->comm = first_file(r);
	r->is_ours = tells_losses(r);
	err = pprof_frames__begin(&r->frames);
	if (!err)
		err = add_all(r);
	intake__end(&r->in);
	p->losses.untold = untold || !r->is_ours;
	pprof_frames__free(&r->frames);
	free(r->stack);
	free(r);
	return err;
}

int import__pprof(struct profile *p, struct source *s, const struct pprof_in_opts *o,
		  struct pprof_found *found)
{
	struct bounded memory = { .left = o->max_bytes };
	ProtobufCAllocator allocator = { bounded__alloc, bounded__free, &memory };
	Pprof__Profile *from = NULL;
	struct buf all = {};
	int err = read_all(&all, s, o->max_bytes);

	*found = (struct pprof_found){};
	if (!err)
		from = pprof__profile__unpack(&allocator, all.len, (const uint8_t *)all.data);
	if (!err && !from)
		err = memory.has_refused ? -EFBIG : -EPROTO;
	buf__free(&all);
	if (!err)
		err = take(p, from, o, found);
	if (from)
		pprof__profile__free_unpacked(from, &allocator);
	return err;
}
