// SPDX-License-Identifier: BSD-2-Clause
#include "base/visible.h"

#include <string.h>

#include "base/utf8.h"

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

static const struct range {
	uint32_t first, last;
} hidden_ranges[] = {
	{ 0x00, 0x1f },	    { 0x7f, 0x9f },	{ 0xad, 0xad },	    { 0x61c, 0x61c },
	{ 0x180e, 0x180e }, { 0x200b, 0x200b }, { 0x200e, 0x200f }, { 0x2028, 0x202e },
	{ 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff9, 0xfffb }, { 0xe0000, 0xe001f },
};

/* They belong to the character before them. */
static bool is_joined(uint32_t c)
{
	return c == 0x200c || c == 0x200d || (c >= 0xe0020 && c < 0xe0080);
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

static int put(struct buf *out, const char *s, size_t len, const char *mark, const char *keep)
{
	size_t hidden, n;
	int err = buf__put(out, "", 0); /* a text, though it may be empty */

	for (; len && !err; s += n + hidden, len -= n + hidden) {
		n = visible__span(s, len, &hidden);
		err = buf__put(out, s, n);
		if (err || !hidden)
			continue;
		if (s[n] && strchr(keep, s[n]))
			err = buf__put(out, s + n, 1);
		else
			err = buf__puts(out, mark);
	}
	return err;
}

int visible__put(struct buf *out, const char *s, size_t len, const char *mark)
{
	return put(out, s, len, mark, "");
}

int visible__put_message(struct buf *out, const char *s, size_t len)
{
	return put(out, s, len, REPLACEMENT, "\n\t");
}
