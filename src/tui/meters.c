// SPDX-License-Identifier: BSD-2-Clause
/* The last values of a number, drawn as a line of blocks; a share drawn as a bar. */
#include "tui/meters.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void history__add(struct history *h, double value)
{
	h->values[h->next] = value;
	h->next = (h->next + 1) % HISTORY;
	if (h->nr < HISTORY)
		h->nr++;
}

double history__at(const struct history *h, unsigned back)
{
	return back < h->nr ? h->values[(h->next + HISTORY - 1 - back) % HISTORY] : NAN;
}

static double largest(const struct history *h, int width)
{
	double most = 0;

	for (int i = 0; i < width; i++)
		if (history__at(h, i) > most)
			most = history__at(h, i);
	return most;
}

void meter__spark(struct canvas *c, int x, int y, int width, const struct history *h, double full)
{
	static const char *const blocks[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const letters[] = { "_", "_", ".", ".", "-", "-", "=", "#" };
	const int most = ARRAY_SIZE(blocks) - 1;

	if (!full)
		full = largest(h, width);
	for (int i = 0; i < width; i++) {
		double value = history__at(h, i);
		int step = full > 0 ? (int)lround(value / full * most) : 0;

		if (isnan(value))
			continue;
		step = step < 0 ? 0 : step > most ? most : step;
		canvas__put(c, x + width - 1 - i, y, 1, STYLE_LABEL,
			    c->is_ascii ? letters[step] : blocks[step]);
	}
}

static enum style style_of(double share)
{
	return share < 0.5 ? STYLE_LOW : share < 0.8 ? STYLE_HALF : STYLE_HIGH;
}

void meter__bar(struct canvas *c, int x, int y, int width, double share)
{
	char text[16] = "-";
	int inside = width - 2, filled = 0;

	if (!isnan(share)) {
		snprintf(text, sizeof(text), "%.1f%%", share * 100);
		filled = lround((share > 1 ? 1 : share < 0 ? 0 : share) * inside);
	}
	canvas__put(c, x, y, 1, STYLE_STRONG, "[");
	for (int i = 0; i < filled; i++)
		canvas__put(c, x + 1 + i, y, 1, style_of(share), "|");
	/* The number stands on top of the bar's end. */
	canvas__put(c, x + 1 + inside - (int)strlen(text), y, inside, STYLE_STRONG, text);
	canvas__put(c, x + width - 1, y, 1, STYLE_STRONG, "]");
}
