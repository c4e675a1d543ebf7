// SPDX-License-Identifier: BSD-2-Clause
/* Takes numbers and parts out of bytes, little-endian, and remembers where too few are left. */
#include "tape/cursor.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/leb128.h"
#include "base/utf8.h"
#include "tape/liveread.h"

struct cursor cursor__part(struct cursor *c, size_t bytes)
{
	struct cursor part = { .at = c->at, .left = bytes };

	if (c->bad || bytes > c->left) {
		c->bad = true;
		return (struct cursor){ .at = c->at, .bad = true };
	}
	c->at += bytes;
	c->left -= bytes;
	return part;
}

static void take(struct cursor *c, void *out, size_t bytes)
{
	struct cursor part = cursor__part(c, bytes);

	memset(out, 0, bytes);
	if (!part.bad)
		memcpy(out, part.at, bytes);
}

uint32_t cursor__u32(struct cursor *c)
{
	uint32_t v;

	take(c, &v, sizeof(v));
	return le32toh(v);
}

uint64_t cursor__u64(struct cursor *c)
{
	uint64_t v;

	take(c, &v, sizeof(v));
	return le64toh(v);
}

uint16_t cursor__u16(struct cursor *c)
{
	uint16_t v;

	take(c, &v, sizeof(v));
	return le16toh(v);
}

uint64_t cursor__number(struct cursor *c)
{
	struct leb128 leb = {};

	for (size_t i = 0; i < c->left && i < LEB128_BYTES; i++)
		if (!leb128__add(&leb, c->at[i])) {
			c->at += i + 1;
			c->left -= i + 1;
			return leb.v;
		}
	c->bad = true;
	return 0;
}

int cursor__text(struct cursor *c, struct buf *out)
{
	struct cursor bytes = cursor__part(c, cursor__u16(c));

	buf__clear(out);
	return utf8__put_line(out, (const char *)bytes.at, bytes.left, UINT16_MAX);
}

void cursor__comm(struct cursor *c, char comm[LIVE_COMM])
{
	take(c, comm, LIVE_COMM);
	comm[LIVE_COMM - 1] = '\0';
}

int cursor__copy(struct cursor *c, struct buf *text, const char **out)
{
	int err = cursor__text(c, text);

	if (err)
		return err;
	*out = strdup(text->data);
	return *out ? 0 : -ENOMEM;
}

int cursor__loss(struct cursor *c, struct buf *text, struct loss *loss)
{
	const char **texts[] = { &loss->name, &loss->text, &loss->cure };
	uint32_t flags;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		int err = cursor__copy(c, text, texts[i]);

		if (err)
			return err;
	}
	flags = cursor__u32(c);
	if (!(flags & LIVEREAD_CURE)) {
		free((void *)loss->cure);
		loss->cure = NULL;
	}
	loss->flaw = flags & LIVEREAD_FLAW;
	loss->n = cursor__u64(c);
	return 0;
}
