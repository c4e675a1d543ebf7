// SPDX-License-Identifier: BSD-2-Clause
/* Finds the intervals of a recording in its file, and reads any of them with its names. */
#include "tape/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/regular.h"
#include "base/why.h"
#include "tape/liveread.h"

struct interval {
	uint64_t offset; /* of its stream */
	struct liveread_frame frame;
	bool damaged; /* it was read, and is not read again */
};

struct replay {
	int fd;
	char *path;
	struct interval *items;
	size_t nr, cap;
	const char *flaw;
	struct liveread_head head;
	struct live *live, *filled; /* the interval, and the one that is read: it may be damaged */
	struct processes *processes;
	struct profile *samples;
	size_t next; /* names are those of the interval before this one; 0: of none */
	uint8_t *stream;
	size_t cap_stream;
};

/* All of it: 0; -ENODATA: the file ends before; or another -errno. */
static int read_at(const struct replay *r, void *out, size_t len, uint64_t offset)
{
	uint8_t *at = out;

	while (len) {
		ssize_t n = pread(r->fd, at, len, offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n ? -errno : -ENODATA;
		at += n;
		len -= n;
		offset += n;
	}
	return 0;
}

static int explain(const struct replay *r, int err, struct buf *why, const char *text)
{
	int full = buf__printf(why, "%s: %s", r->path, text ? text : strerror(-err));

	return full ? full : err;
}

static int read_head(struct replay *r, struct buf *why)
{
	uint8_t head[LIVEREAD_HEAD_BYTES];
	const char *text = NULL;
	int err = read_at(r, head, sizeof(head), 0);

	if (!err)
		err = liveread__head(head, sizeof(head), &r->head);
	if (err == -ENODATA || err == -EPROTO) {
		text = "this is no recording of pmutrace top";
		err = -EPROTO;
	}
	if (err == -EPROTONOSUPPORT)
		text = "recorded by a newer pmutrace, of which this one knows nothing";
	if (err == -EBADMSG)
		text = "the head of the recording is damaged";
	if (err)
		return explain(r, err, why, text);
	r->live = live__new(r->head.nr_values);
	r->filled = live__new(r->head.nr_values);
	r->processes = processes__new();
	return r->live && r->filled && r->processes ? 0 : -ENOMEM;
}

static int add_interval(struct replay *r, const struct liveread_frame *f, uint64_t offset)
{
	int err = array__grow(&r->items, &r->cap, r->nr + 1);

	if (!err)
		r->items[r->nr++] = (struct interval){ .offset = offset, .frame = *f };
	return err;
}

/* Finds the frames of all intervals, up to where it is cut off or damaged. */
static int look_through(struct replay *r, uint64_t size, struct buf *why)
{
	uint64_t at = LIVEREAD_HEAD_BYTES;
	size_t since_anew = 0;
	int err = 0;

	while (!err && at < size) {
		uint8_t bytes[LIVEREAD_FRAME_BYTES];
		struct liveread_frame f = {};

		err = read_at(r, bytes, sizeof(bytes), at);
		if (!err)
			err = liveread__frame(bytes, &f);
		at += sizeof(bytes);
		since_anew = err || f.anew ? 0 : since_anew + 1;
		if (since_anew >= LIVEREAD_ANEW_WITHIN)
			err = -EBADMSG;
		if (!err && f.block.stream_bytes > size - at)
			err = -ENODATA;
		if (!err)
			err = add_interval(r, &f, at);
		if (!err)
			at += f.block.stream_bytes;
	}
	if (err == -ENODATA)
		r->flaw = "the last interval is not complete: the recording was cut off";
	else if (err == -EBADMSG)
		r->flaw = "what follows is damaged";
	else if (err)
		return explain(r, err, why, NULL);
	if (r->nr)
		return 0;
	return explain(r, -ENODATA, why,
		       r->flaw ? "damaged or cut off before the end of the first interval"
			       : "the recording has no intervals");
}

int replay__open(struct replay **out, const char *path, struct buf *why)
{
	struct replay *r = calloc(1, sizeof(*r));
	struct stat st;
	int err = 0;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	r->fd = open_regular("", path, 0, &st);
	r->path = strdup(path);
	if (!r->path)
		err = -ENOMEM;
	else if (r->fd == -EPERM)
		err = explain(r, -EPROTO, why, "this is no file that can be gone back in");
	else if (r->fd < 0)
		err = explain(r, r->fd, why, NULL);
	if (!err)
		err = read_head(r, why);
	if (!err)
		err = look_through(r, st.st_size, why);
	if (err) {
		replay__close(r);
		return err;
	}
	*out = r;
	return 0;
}

void replay__close(struct replay *r)
{
	if (!r)
		return;
	if (r->fd >= 0)
		close(r->fd);
	live__free(r->live);
	live__free(r->filled);
	processes__free(r->processes);
	profile__free(r->samples);
	free(r->path);
	free(r->items);
	free(r->stream);
	free(r);
}

bool replay__events_asked(const struct replay *r)
{
	return r->head.asked;
}

bool replay__has_no_pmu(const struct replay *r)
{
	return r->head.no_pmu;
}

bool replay__has_samples_only(const struct replay *r)
{
	return r->head.samples_only;
}

const char *replay__flaw(const struct replay *r)
{
	return r->flaw;
}

size_t replay__nr(const struct replay *r)
{
	return r->nr;
}

/* @l, @p: either may be NULL, what they are for is not taken then. */
static int read_interval(struct replay *r, size_t i, struct live *l, struct processes *p,
			 struct profile **samples)
{
	struct interval *at = &r->items[i];
	int err;

	if (at->damaged)
		return -EBADMSG;
	err = array__grow(&r->stream, &r->cap_stream, at->frame.block.stream_bytes);
	if (!err)
		err = read_at(r, r->stream, at->frame.block.stream_bytes, at->offset);
	if (!err)
		err = liveread__interval(&at->frame, r->stream, l, p, samples);
	if (err == -ENODATA) /* somebody has truncated it */
		err = -EBADMSG;
	at->damaged = err == -EBADMSG;
	return err;
}

/* The first interval that has to be read for the names that are known in @i. */
static size_t first_needed(const struct replay *r, size_t i)
{
	size_t first = i;

	while (first && first != r->next && !r->items[first].frame.anew)
		first--;
	return first;
}

static int read_names(struct replay *r, size_t i)
{
	size_t first = first_needed(r, i);
	int err = 0;

	if (first != r->next)
		processes__clear(r->processes);
	/* A damaged one on the way: names are missing that it had, which is no reason to stop. */
	for (size_t k = first; k <= i && (!err || err == -EBADMSG); k++)
		err = read_interval(r, k, NULL, r->processes, NULL);
	r->next = i + 1;
	return err;
}

/*
 * Names come last, unless they are those of the next interval: going back for them is work, and of
 * no use if the interval is damaged.
 */
static int read_all(struct replay *r, size_t i, struct profile **samples)
{
	bool is_next = i == r->next;
	int err = read_interval(r, i, r->filled, is_next ? r->processes : NULL, samples);

	if (is_next)
		r->next++;
	else if (!err)
		err = read_names(r, i);
	return err;
}

int replay__go(struct replay *r, size_t i, struct buf *why)
{
	struct profile *samples = NULL;
	struct live *last = r->live;
	int err = read_all(r, i, &samples);

	if (!err) {
		profile__free(r->samples);
		r->samples = samples;
		r->live = r->filled;
		r->filled = last;
		return 0;
	}
	profile__free(samples);
	if (err != -EBADMSG)
		return explain(r, err, why, NULL);
	return why__refuse(why, -EBADMSG, "%s: interval %zu of %zu is damaged", r->path, i + 1,
			   r->nr);
}

const struct live *replay__live(const struct replay *r)
{
	return r->live;
}

const struct processes *replay__processes(const struct replay *r)
{
	return r->processes;
}

const struct profile *replay__samples(const struct replay *r)
{
	return r->samples;
}
