// SPDX-License-Identifier: BSD-2-Clause
/* Interns strings, frames and stacks; estimates memory. */
#include "model/profile.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/strtab.h"
#include "base/utf8.h"
#include "model/profile_index.h"

struct profile *profile__new(void)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return NULL;
	p->strings = strtab__new();
	p->index = calloc(1, sizeof(*p->index));
	if (!p->strings || !p->index || array__grow(&p->nodes, &p->cap_nodes, 1)) {
		profile__free(p);
		return NULL;
	}
	p->index->seed = hash_seed();
	p->nodes[p->nr_nodes++] = (struct stack_node){ .frame = NONE };
	p->index->nr_nodes = 1;
	p->about = (struct profile_about){ "", "", "", "", 0 };
	return p;
}

void profile__free(struct profile *p)
{
	if (!p)
		return;
	if (p->index) {
		idmap__free(&p->index->frames);
		trie__free(&p->index->nodes);
		idmap__free(&p->index->rows);
		free(p->index->next_frame);
		free(p->index->next_row);
		buf__free(&p->index->scratch);
		free(p->index);
	}
	strtab__free(p->strings);
	free(p->frames);
	free(p->nodes);
	free(p->rows);
	free(p->events);
	free(p->fields);
	free(p->metrics);
	free(p->values);
	free(p->exemplars);
	tuples__free(&p->tuples);
	tuples__free(&p->places);
	windows__free(&p->windows);
	free(p);
}

int profile__string(struct profile *p, const char *s, size_t len, uint32_t *id)
{
	struct buf *scratch = &p->index->scratch;
	const char *end = memchr(s, '\0', len);
	int err;

	if (end)
		len = end - s;
	buf__clear(scratch);
	err = utf8__put_valid(scratch, s, len);
	if (err)
		return err;
	if (p->sealed)
		return strtab__find(p->strings, scratch->data, scratch->len, id) ? 0 : -ENOSPC;
	return strtab__add(p->strings, scratch->data, scratch->len, id);
}

int profile__tuple(struct profile *p, const uint64_t *words, uint32_t *id)
{
	if (p->sealed == PROFILE_NOTHING)
		return tuples__find(&p->tuples, words, id) ? 0 : -ENOSPC;
	return tuples__add(&p->tuples, words, id);
}

void profile__seal(struct profile *p, enum profile_seal seal)
{
	p->sealed = seal;
}

static size_t ahead(size_t nr, unsigned percent)
{
	enum { MORE = 4096 };

	return nr + nr * percent / 100 + MORE;
}

/* Of its index, once that is filled. */
enum { APPENDED_NODE_BYTES = 16 };

size_t profile__bytes(const struct profile *p, unsigned percent)
{
	const struct profile_index *x = p->index;
	const bool stacks = !p->sealed;
	const size_t nr_frames = stacks ? ahead(p->nr_frames, percent) : p->nr_frames;
	const size_t nr_nodes = stacks ? ahead(p->nr_nodes, percent) : p->nr_nodes;
	const size_t nr_rows = ahead(p->nr_rows, percent);
	const size_t appended = p->nr_nodes - x->nr_nodes;

	return strtab__bytes(p->strings, stacks ? percent : 0, stacks ? ahead(0, 0) : 0) +
	       array__capacity(p->cap_frames, nr_frames) * sizeof(*p->frames) +
	       array__capacity(x->cap_next_frame, nr_frames) * sizeof(*x->next_frame) +
	       idmap__bytes(&x->frames, nr_frames) +
	       array__capacity(p->cap_nodes, nr_nodes) * sizeof(*p->nodes) +
	       trie__bytes(&x->nodes, nr_nodes - appended) + appended * APPENDED_NODE_BYTES +
	       array__capacity(p->cap_rows, nr_rows) * sizeof(*p->rows) +
	       array__capacity(x->cap_next_row, nr_rows) * sizeof(*x->next_row) +
	       array__capacity(p->cap_values, nr_rows * p->nr_metrics) * sizeof(*p->values) +
	       array__capacity(p->cap_exemplars, p->nr_exemplars ? nr_rows : 0) *
		       sizeof(*p->exemplars) +
	       idmap__bytes(&x->rows, nr_rows) +
	       tuples__bytes(&p->tuples, ahead(p->tuples.nr, percent)) +
	       tuples__bytes(&p->places,
			     stacks && p->places.nr ? ahead(p->places.nr, percent) : p->places.nr) +
	       windows__bytes(&p->windows);
}

size_t profile__nr(const struct profile *p)
{
	return strtab__nr(p->strings) + p->nr_frames + p->nr_nodes + p->nr_rows + p->tuples.nr +
	       p->places.nr;
}

uint64_t profile_index__frame_hash(const struct frame *f)
{
	return hash_u64(((uint64_t)f->module << 32 | f->name) ^ (uint64_t)f->kind << 61) ^
	       hash_u64((uint64_t)f->place << 32 | f->late);
}

int profile__frame(struct profile *p, const struct frame *f, uint32_t *id)
{
	uint64_t h = profile_index__frame_hash(f);
	struct profile_index *x = p->index;
	uint32_t first = NONE, i;
	int err;

	if (idmap__get(&x->frames, h, &first)) {
		for (i = first; i != NONE; i = x->next_frame[i]) {
			const struct frame *o = &p->frames[i];

			if (o->name == f->name && o->module == f->module && o->kind == f->kind &&
			    o->late == f->late && o->place == f->place) {
				*id = i;
				return 0;
			}
		}
	}
	if (p->sealed)
		return -ENOSPC;
	err = array__grow(&p->frames, &p->cap_frames, p->nr_frames + 1);
	if (!err)
		err = array__grow(&x->next_frame, &x->cap_next_frame, p->nr_frames + 1);
	if (!err)
		err = idmap__set(&x->frames, h, p->nr_frames);
	if (err)
		return err;
	p->frames[p->nr_frames] = *f;
	x->next_frame[p->nr_frames] = first;
	*id = p->nr_frames++;
	return 0;
}

static int index_node(struct profile *p, uint32_t parent, uint32_t frame)
{
	int err = trie__add(&p->index->nodes, parent, frame);

	if (!err)
		p->index->nr_nodes++;
	return err;
}

int profile_index__all_nodes(struct profile *p)
{
	int err = 0;

	for (size_t i = p->index->nr_nodes; i < p->nr_nodes && !err; i++)
		err = index_node(p, p->nodes[i].parent, p->nodes[i].frame);
	return err;
}

static void put_node(struct profile *p, uint32_t parent, uint32_t frame, uint32_t *node)
{
	p->nodes[p->nr_nodes] = (struct stack_node){ .parent = parent, .frame = frame };
	*node = p->nr_nodes++;
}

int profile__append_child(struct profile *p, uint32_t parent, uint32_t frame, uint32_t *node)
{
	int err = p->sealed ? -ENOSPC : array__grow(&p->nodes, &p->cap_nodes, p->nr_nodes + 1);

	if (!err)
		put_node(p, parent, frame, node);
	return err;
}

int profile__child(struct profile *p, uint32_t parent, uint32_t frame, uint32_t *node)
{
	int err = profile_index__all_nodes(p);

	if (err)
		return err;
	if (trie__get(&p->index->nodes, parent, frame, node))
		return 0;
	if (p->sealed)
		return -ENOSPC;
	err = array__grow(&p->nodes, &p->cap_nodes, p->nr_nodes + 1);
	if (!err)
		err = index_node(p, parent, frame);
	if (!err)
		put_node(p, parent, frame, node);
	return err;
}

/* Replaces both by the profile's own. */
static int keep_words(struct profile *p, const char **one, const char **two)
{
	uint32_t one_id, two_id;
	int err = profile__string(p, *one, strlen(*one), &one_id);

	if (!err)
		err = profile__string(p, *two, strlen(*two), &two_id);
	if (err)
		return err;
	*one = strtab__get(p->strings, one_id);
	*two = strtab__get(p->strings, two_id);
	return 0;
}

int profile__event(struct profile *p, const struct profile_event *ev, uint32_t *id)
{
	struct profile_event copy = *ev;
	int err = keep_words(p, &copy.name, &copy.unit);

	if (!err && copy.is_member)
		err = keep_words(p, &copy.name, &copy.leader);
	if (!err)
		err = array__grow(&p->events, &p->cap_events, p->nr_events + 1);
	if (err)
		return err;
	p->events[p->nr_events] = copy;
	*id = p->nr_events++;
	return 0;
}

size_t profile__nr_sampled(const struct profile *p)
{
	size_t nr = 0;

	for (size_t i = 0; i < p->nr_events; i++)
		nr += !p->events[i].is_member;
	return nr;
}

int profile__field(struct profile *p, const char *name, enum field_kind kind)
{
	uint32_t id;
	int err = profile__string(p, name, strlen(name), &id);

	if (!err)
		err = array__grow(&p->fields, &p->cap_fields, p->nr_fields + 1);
	if (err)
		return err;
	p->fields[p->nr_fields++] =
		(struct profile_field){ .name = strtab__get(p->strings, id), .kind = kind };
	p->tuples.width = p->nr_fields;
	return 0;
}

int profile__metric(struct profile *p, const struct profile_metric *metric)
{
	struct profile_metric copy = *metric;
	int err = keep_words(p, &copy.name, &copy.unit);

	if (!err)
		err = array__grow(&p->metrics, &p->cap_metrics, p->nr_metrics + 1);
	if (!err)
		p->metrics[p->nr_metrics++] = copy;
	return err;
}

int profile__set_buckets(struct profile *p, const struct buckets *b)
{
	struct buckets copy = *b;
	int err = b->metric ? keep_words(p, &copy.metric, &copy.unit) : 0;

	if (!err)
		p->buckets = copy;
	return err;
}

int profile__set_about(struct profile *p, const struct profile_about *about)
{
	struct profile_about copy = *about;
	int err = keep_words(p, &copy.host, &copy.kernel);

	if (!err)
		err = keep_words(p, &copy.machine, &copy.cpu);
	if (!err)
		p->about = copy;
	return err;
}

int profile__keep_loss(struct profile *p, struct loss *loss)
{
	const char *none = "";
	int err = keep_words(p, &loss->name, &loss->text);

	if (!err)
		err = keep_words(p, loss->cure ? &loss->cure : &none, &none);
	if (err != -ENOSPC)
		return err;
	*loss = (struct loss){ loss->flaw ? "other_flaws" : "other", "for other reasons", NULL,
			       loss->flaw, loss->n };
	return 0;
}

const char *profile__name(const struct profile *p, uint32_t frame)
{
	return strtab__get(p->strings, p->frames[frame].name);
}

size_t profile__stack(const struct profile *p, uint32_t node, uint32_t *frames, size_t max)
{
	size_t depth = 0, i;
	uint32_t n;

	for (n = node; n; n = p->nodes[n].parent)
		depth++;
	for (i = depth, n = node; n; n = p->nodes[n].parent)
		if (--i < max)
			frames[i] = p->nodes[n].frame;
	return depth;
}

const char *profile__comm(const struct profile *p, uint32_t node)
{
	uint32_t frame;

	return profile__stack(p, node, &frame, 1) ? profile__name(p, frame) : "";
}
