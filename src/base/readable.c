// SPDX-License-Identifier: BSD-2-Clause
/* Rounds a number to three digits and chooses its unit: ns to s, or none to G. */
#include "base/readable.h"

#include <stdio.h>
#include <string.h>

enum { UNITS = 4 };

/* Three digits without needless zeros, in the smallest unit that they fit in. */
static void put(double x, const char *const units[UNITS], char text[READABLE_CHARS])
{
	size_t i = 0, len;

	for (; x >= 999.5 && i + 1 < UNITS; i++)
		x /= 1000;
	len = snprintf(text, READABLE_CHARS - 4, "%.*f", x < 9.995 ? 2 : x < 99.95 ? 1 : 0, x);
	if (len > READABLE_CHARS - 5)
		len = READABLE_CHARS - 5;
	if (strchr(text, '.')) {
		while (text[len - 1] == '0')
			len--;
		len -= text[len - 1] == '.';
	}
	strcpy(text + len, units[i]);
}

void readable__time(double ns, char text[READABLE_CHARS])
{
	static const char *const units[UNITS] = { "ns", "us", "ms", "s" };

	put(ns, units, text);
}

void readable__number(double n, char text[READABLE_CHARS])
{
	static const char *const units[UNITS] = { "", "k", "M", "G" };

	put(n, units, text);
}
