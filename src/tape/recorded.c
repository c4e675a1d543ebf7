// SPDX-License-Identifier: BSD-2-Clause
/* Goes through the intervals of a recording and adds up their samples. */
#include "tape/recorded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile.h"
#include "tape/liveread.h"

/* An interval, and when it began. */
struct interval {
	struct liveread_frame frame;
	uint8_t *stream;
	uint64_t first_ns;	   /* begin of the first one, since 1970; 0: not known yet */
	uint64_t begin_ns, end_ns; /* since then */
};

bool recorded__is_it(const char *bytes, size_t len)
{
	return len >= 8 && !memcmp(bytes, LIVEREAD_MAGIC, 8);
}

static int read_head(const struct tape_input *in)
{
	uint8_t bytes[LIVEREAD_HEAD_BYTES];
	struct liveread_head head;
	int err = tape__read(in, bytes, sizeof(bytes));

	if (err == 1 || err == -ENODATA)
		return -EPROTO;
	return err ? err : liveread__head(bytes, sizeof(bytes), &head);
}

/* As tape__read(). */
static int read_interval(const struct tape_input *in, struct interval *i)
{
	uint8_t bytes[LIVEREAD_FRAME_BYTES];
	int err = tape__read(in, bytes, sizeof(bytes));

	i->stream = NULL;
	if (!err)
		err = liveread__frame(bytes, &i->frame);
	if (err)
		return err;
	i->stream = malloc(i->frame.block.stream_bytes + 1);
	if (!i->stream)
		return -ENOMEM;
	err = tape__read(in, i->stream, i->frame.block.stream_bytes);
	return err == 1 ? -ENODATA : err;
}

/* There is no room for its stacks: its samples are lost, for a reason that is told. */
static void lose(struct profile *p, const struct profile *samples)
{
	const struct loss full = { "memory_full", "no memory for new rows and stacks",
				   "--max-memory SIZE", false, samples->losses.kept };

	p->losses.seen += samples->losses.seen;
	for (unsigned i = 0; i < samples->losses.nr; i++)
		losses__add(&p->losses, &samples->losses.by[i]);
	losses__add(&p->losses, &full);
}

/* -EBADMSG: more samples than anybody takes, whose sums would overflow. */
static int add_up(uint64_t *sum, uint64_t n)
{
	if (n > (uint64_t)INT64_MAX - *sum)
		return -EBADMSG;
	*sum += n;
	return 0;
}

/*
 * What samples of an interval say of their losses: seen is what is kept, that is in rows, and lost;
 * texts of losses live as long as @p.
 */
static int settle_losses(struct profile *p, struct profile *samples)
{
	struct losses *l = &samples->losses;
	uint64_t sum = p->losses.seen;
	int err = 0;

	l->kept = 0;
	for (size_t i = 0; i < samples->nr_rows && !err; i++) {
		l->kept += samples->rows[i].samples;
		err = add_up(&sum, samples->rows[i].samples);
	}
	for (unsigned i = 0; i < l->nr && !err; i++) {
		err = add_up(&sum, l->by[i].n);
		if (!err)
			err = profile__keep_loss(p, &l->by[i]);
	}
	l->seen = l->kept + losses__sum(l);
	return err;
}

static int add(struct profile *p, struct profile *samples, const struct tape_opts *o)
{
	int err = settle_losses(p, samples);

	if (err)
		return err;
	if (profile__bytes(p, 0) + profile__bytes(samples, 0) <= o->max_bytes)
		return profile__join(p, samples);
	lose(p, samples);
	return 0;
}

/* A frame tells when an interval ended, its samples how long they were taken. */
static void find_time(struct interval *i, uint64_t ns)
{
	const uint64_t at_ns = i->frame.block.number, before_ns = i->end_ns;

	if (!i->first_ns)
		i->first_ns = at_ns > ns ? at_ns - ns : 1;
	i->end_ns = at_ns > i->first_ns ? at_ns - i->first_ns : 0;
	if (i->end_ns < before_ns)
		i->end_ns = before_ns;
	i->begin_ns = i->end_ns - before_ns > ns ? i->end_ns - ns : before_ns;
}

static int take_interval(struct profile *p, struct interval *i, const struct tape_opts *o,
			 struct tape_found *found)
{
	struct profile *samples = NULL;
	int err = liveread__interval(&i->frame, i->stream, NULL, NULL, &samples);

	if (err)
		return err;
	find_time(i, samples ? samples->duration_ns : 0);
	found->nr_windows++;
	found->end_ns = i->end_ns;
	if (!samples) {
		found->nr_without++;
	} else if (tape__is_in_range(o, i->begin_ns)) {
		if (!found->nr_used++)
			found->used_from_ns = i->begin_ns;
		found->used_to_ns = i->end_ns;
		if (!p->nr_cpus)
			p->nr_cpus = samples->nr_cpus;
		err = add(p, samples, o);
	}
	profile__free(samples);
	return err;
}

int recorded__read(struct profile *p, const struct tape_input *in, const struct tape_opts *o,
		   struct tape_found *found)
{
	struct interval i = {};
	int err;

	*found = (struct tape_found){ .about = { "", "", "", "", 0 } };
	err = read_head(in);
	while (!err) {
		err = read_interval(in, &i);
		if (!err)
			err = take_interval(p, &i, o, found);
		free(i.stream);
	}
	if (err == -ENODATA)
		found->is_cut = true;
	return err == 1 || err == -ENODATA ? 0 : err;
}
