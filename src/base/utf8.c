// SPDX-License-Identifier: BSD-2-Clause
/* Checks, decodes, encodes, repairs and measures UTF-8. */
#include "base/utf8.h"

size_t utf8__sequence(const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;
	unsigned char lo = 0x80, hi = 0xbf;
	size_t n, i;

	if (!len)
		return 0;
	if (u[0] < 0x80)
		return 1;
	if (u[0] >= 0xc2 && u[0] <= 0xdf)
		n = 2;
	else if (u[0] >= 0xe0 && u[0] <= 0xef)
		n = 3;
	else if (u[0] >= 0xf0 && u[0] <= 0xf4)
		n = 4;
	else
		return 0;
	/* Overlong forms, surrogates and code points past U+10FFFF show in the second byte. */
	if (u[0] == 0xe0)
		lo = 0xa0;
	if (u[0] == 0xed)
		hi = 0x9f;
	if (u[0] == 0xf0)
		lo = 0x90;
	if (u[0] == 0xf4)
		hi = 0x8f;
	if (len < n || u[1] < lo || u[1] > hi)
		return 0;
	for (i = 2; i < n; i++)
		if (u[i] < 0x80 || u[i] > 0xbf)
			return 0;
	return n;
}

int utf8__put_valid(struct buf *out, const char *s, size_t len)
{
	size_t i = 0, good = 0, n;
	int err;

	while (i < len) {
		n = utf8__sequence(s + i, len - i);
		if (n) {
			i += n;
			continue;
		}
		err = buf__put(out, s + good, i - good);
		if (!err)
			err = buf__puts(out, "\xef\xbf\xbd");
		if (err)
			return err;
		good = ++i;
	}
	return buf__put(out, s + good, i - good);
}

int utf8__put(struct buf *out, uint32_t character)
{
	char bytes[4];
	size_t n = character < 0x80 ? 1 : character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;

	if (character > 0x10ffff || (character >= 0xd800 && character < 0xe000))
		return utf8__put(out, 0xfffd);
	for (size_t i = n; --i;) {
		bytes[i] = 0x80 | (character & 0x3f);
		character >>= 6;
	}
	bytes[0] = n == 1 ? character : (0xf00 >> n & 0xff) | character;
	return buf__put(out, bytes, n);
}

uint32_t utf8__decode(const char *s, size_t len, size_t *bytes)
{
	const unsigned char *u = (const unsigned char *)s;
	size_t n = utf8__sequence(s, len), i;
	uint32_t c;

	*bytes = n ? n : 1;
	if (!n)
		return 0xfffd;
	if (n == 1)
		return u[0];
	c = u[0] & (0x7f >> n);
	for (i = 1; i < n; i++)
		c = c << 6 | (u[i] & 0x3f);
	return c;
}

/* Good enough to keep columns straight; the exact answer depends on the font. */
static size_t cells_of(uint32_t c)
{
	if ((c >= 0x300 && c < 0x370) || (c >= 0x180b && c < 0x1810) || c == 0x200c ||
	    c == 0x200d || (c >= 0xfe00 && c < 0xfe10) || (c >= 0xe0020 && c < 0xe0080) ||
	    (c >= 0xe0100 && c < 0xe01f0))
		return 0;
	if ((c >= 0x1100 && c < 0x1160) || (c >= 0x2e80 && c < 0xa4d0) ||
	    (c >= 0xac00 && c < 0xd7a4) || (c >= 0xf900 && c < 0xfb00) ||
	    (c >= 0xfe30 && c < 0xfe70) || (c >= 0xff00 && c < 0xff61) ||
	    (c >= 0x1f300 && c < 0x1f650) || (c >= 0x20000 && c < 0x3fffe))
		return 2;
	return 1;
}

size_t utf8__fit(const char *s, size_t len, size_t cells, size_t *used)
{
	size_t i = 0, n, wide;

	for (*used = 0; i < len; i += n) {
		wide = cells_of(utf8__decode(s + i, len - i, &n));
		if (*used + wide > cells)
			break;
		*used += wide;
	}
	return i;
}

/* Length of the control character at @s, or 0. */
static size_t control(const char *s, size_t len)
{
	const unsigned char *u = (const unsigned char *)s;

	if (u[0] < 0x20 || u[0] == 0x7f)
		return 1;
	/* U+0080 to U+009F: terminals take them for the beginning of a sequence. */
	return len > 1 && u[0] == 0xc2 && u[1] >= 0x80 && u[1] <= 0x9f ? 2 : 0;
}

int utf8__put_line(struct buf *out, const char *s, size_t len, size_t limit)
{
	size_t start = out->len, end = start;
	int err = buf__reserve(out, 0);

	for (size_t i = 0, n; i < len && !err; i += n) {
		struct {
			const char *s;
			size_t len;
		} put = { "\xef\xbf\xbd", 3 };

		n = control(s + i, len - i);
		if (n) {
			put.s = " ";
			put.len = 1;
		} else {
			n = utf8__sequence(s + i, len - i);
			if (n) {
				put.s = s + i;
				put.len = n;
			}
			n += !n;
		}
		if (put.len > limit - (out->len - start))
			break;
		err = buf__put(out, put.s, put.len);
		if (*put.s != ' ')
			end = out->len;
	}
	if (err)
		return err;
	out->len = end;
	out->data[end] = '\0';
	return 0;
}
