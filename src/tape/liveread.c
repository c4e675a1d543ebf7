// SPDX-License-Identifier: BSD-2-Clause
/* Checks the head and the frames of a recording; inflates intervals, goes through their parts. */
#include "tape/liveread.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tape/liveread_parts.h"

static uint32_t get_u32(const uint8_t *at)
{
	uint32_t v;

	memcpy(&v, at, sizeof(v));
	return le32toh(v);
}

int liveread__head(const void *bytes, size_t len, struct liveread_head *h)
{
	const uint8_t *at = bytes;

	if (len < LIVEREAD_HEAD_BYTES || memcmp(at, LIVEREAD_MAGIC, 8))
		return -EPROTO;
	if (get_u32(at + 20) != crc32(0, at, 20))
		return -EBADMSG;
	if (get_u32(at + 8) != LIVEREAD_VERSION)
		return -EPROTONOSUPPORT;
	h->nr_values = get_u32(at + 12);
	h->asked = get_u32(at + 16) & LIVEREAD_ASKED;
	h->samples_only = get_u32(at + 16) & LIVEREAD_SAMPLES_ONLY;
	h->no_pmu = get_u32(at + 16) & LIVEREAD_NO_PMU;
	return h->nr_values && h->nr_values <= LIVE_VALUES ? 0 : -EBADMSG;
}

int liveread__frame(const void *bytes, struct liveread_frame *f)
{
	int err = block__head(bytes, LIVEREAD_FRAME, &f->block);

	f->anew = !err && f->block.flags & LIVEREAD_ANEW;
	return err;
}

/* Empties the model: what this interval does not tell is not known, whatever was before. */
static int begin(const struct liveread_frame *f, struct live *l)
{
	int err = live__clear(l);

	if (!err)
		live__about(l)->at_ns = f->block.number;
	return err;
}

static int take_parts(struct cursor *data, struct live *l, struct processes *p,
		      struct profile **samples)
{
	struct liveread_state s = { .live = l, .processes = p, .samples = samples };
	int err = 0;

	while (!err && data->left) {
		uint32_t kind = cursor__u32(data);
		struct cursor part = cursor__part(data, cursor__u32(data));

		err = data->bad ? -EBADMSG : liveread__part(&s, kind, &part);
		if (!err && part.bad)
			err = -EBADMSG;
	}
	if (!err && l)
		err = liveread__mark_ended(&s);
	buf__free(&s.text);
	buf__free(&s.more);
	return err;
}

int liveread__interval(const struct liveread_frame *f, const void *stream, struct live *l,
		       struct processes *p, struct profile **samples)
{
	struct cursor data = {};
	uint8_t *bytes = NULL;
	int err;

	if (samples)
		*samples = NULL;
	err = block__unpack(&f->block, stream, &bytes);
	if (!err) {
		data = (struct cursor){ .at = bytes, .left = f->block.data_bytes };
		if (f->anew && p)
			processes__clear(p);
		err = l ? begin(f, l) : 0;
	}
	if (!err)
		err = take_parts(&data, l, p, samples);
	if (err && samples) {
		profile__free(*samples);
		*samples = NULL;
	}
	free(bytes);
	return err;
}
