// SPDX-License-Identifier: BSD-2-Clause
/* Tables of characters that are not shown, and putting a mark in their place. */
#include "base/visible.h"

#include <string.h>

#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static const struct range {
	uint32_t first, last;
} hidden_ranges[] = {
	{ 0x00, 0x1f },	      { 0x7f, 0x9f },	    { 0xad, 0xad },	  { 0x61c, 0x61c },
	{ 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },   { 0x180e, 0x180e },	  { 0x200b, 0x200b },
	{ 0x200e, 0x200f },   { 0x2028, 0x202e },   { 0x2060, 0x206f },	  { 0x3164, 0x3164 },
	{ 0xfeff, 0xfeff },   { 0xffa0, 0xffa0 },   { 0xfff0, 0xfffb },	  { 0x1bca0, 0x1bca3 },
	{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe001f }, { 0xe0080, 0xe00ff }, { 0xe01f0, 0xe0fff },
};

/* Joiners, variation selectors, tags: they belong to the character before them. */
static bool is_joined(uint32_t c)
{
	return c == 0x34f || (c >= 0x180b && c <= 0x180f && c != 0x180e) || c == 0x200c ||
	       c == 0x200d || (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0xe0020 && c <= 0xe007f) ||
	       (c >= 0xe0100 && c <= 0xe01ef);
}

bool visible__is(uint32_t c, uint32_t behind)
{
	if (is_joined(c))
		return behind >= 0x80;
	if ((c & 0xfffe) == 0xfffe)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(hidden_ranges); i++)
		if (c <= hidden_ranges[i].last)
			return c < hidden_ranges[i].first;
	return true;
}

size_t visible__span(const char *s, size_t len, size_t *hidden)
{
	uint32_t c, behind = 0;
	size_t i = 0, n;

	*hidden = 0;
	for (; i < len; i += n, behind = c) {
		c = utf8__decode(s + i, len - i, &n);
		/* U+FFFD is a character like others, unless it stands for a byte that is none. */
		if (visible__is(c, behind) && utf8__sequence(s + i, len - i))
			continue;
		*hidden = n;
		break;
	}
	return i;
}

int visible__put(struct buf *out, const char *s, size_t len, const char *mark)
{
	size_t hidden, n;
	int err = buf__put(out, "", 0); /* a text, though it may be empty */

	for (; len && !err; s += n + hidden, len -= n + hidden) {
		n = visible__span(s, len, &hidden);
		err = buf__put(out, s, n);
		if (!err && hidden)
			err = buf__puts(out, mark);
	}
	return err;
}

int visible__put_message(struct buf *out, const char *s, size_t len)
{
	const char *const end = s + len;
	int err = 0;

	for (size_t n; !err; s += n + 1) {
		for (n = 0; s + n < end && s[n] != '\n' && s[n] != '\t'; n++)
			;
		err = visible__put(out, s, n, REPLACEMENT);
		if (err || s + n == end)
			break;
		err = buf__put(out, s + n, 1);
		/* A line that begins at the left is a message of its own. */
		if (!err && s[n] == '\n' && s + n + 1 < end && !strchr(" \t\n", s[n + 1]))
			err = buf__puts(out, "  ");
	}
	return err;
}
