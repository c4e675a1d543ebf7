// SPDX-License-Identifier: BSD-2-Clause
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
