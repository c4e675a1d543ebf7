// SPDX-License-Identifier: BSD-2-Clause
/* A file of columns and sets, then behind a line "---" what is chosen of it. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "columns/column_defs.h"
#include "columns/columns.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct live_event events[] = {
	{ .name = "cycles", .group = 0, .enabled_ns = 10, .running_ns = 10 },
	{ .name = "instructions", .group = 0, .enabled_ns = 10, .running_ns = 10 },
	{ .name = "cache-misses", .group = 1, .enabled_ns = 10, .running_ns = 3 },
	{ .name = "page-faults", .group = -1 },
	{ .name = "branches", .group = 2, .enabled_ns = 10 },
	{ .name = "LLC-loads", .group = 3, .why = "not here" },
};

static const struct live_about about = {
	.interval_ns = 1000000007,
	.nr_cpus = 2,
	.events = events,
	.nr_events = ARRAY_SIZE(events),
};

static void check_column(struct columns *c, size_t i)
{
	const struct column *column = &c->items[i];
	struct live_row items[] = {
		{ .id = 1, .nr_tasks = 2, .values = { 5000000, 3, 700, 900, 11, 13, 17 } },
		{ .id = 2, .values = { UINT64_MAX, 0, UINT64_MAX, 0, 1, 0, 0 } },
		{ .id = 3 },
	};
	struct live_rows rows = { .items = items, .nr = ARRAY_SIZE(items) };
	double share = column__share(column, &about);
	bool known = true;

	if (!(share >= 0 && share <= 1) || columns__find(c, column->name) != (int)i)
		abort();
	columns__sort(column, &about, &rows, false);
	for (size_t k = 0; k < rows.nr; k++) {
		double value = column__value(column, &about, &items[k]);
		char text[READABLE_CHARS];

		if (isinf(value) || (!isnan(value) && (!known || share == 0)))
			abort();
		known = !isnan(value);
		if (k && known && value > column__value(column, &about, &items[k - 1]))
			abort();
		column__text(column, value, text);
		if (!memchr(text, '\0', sizeof(text)) || !text[0])
			abort();
	}
	/* Without a value it says why. */
	if (share == 0 && !column->why)
		abort();
}

static int look(void *arg, const char *event, bool *turns, struct buf *why)
{
	*turns = !strchr(event, 'f');
	return 0;
}

static void check_choice(const struct column_defs *defs, const char *choice)
{
	struct columns c = {};
	struct buf why = {}, text = {};

	if (column_defs__events(defs, choice, look, NULL, &text, &why) && !why.len)
		abort();
	buf__clear(&why);
	if (columns__choose(&c, defs, choice, events, ARRAY_SIZE(events), strchr(choice, 's'),
			    &why)) {
		if (!why.len || c.items)
			abort();
	} else {
		if (columns__explain(&c, &about))
			abort();
		for (size_t i = 0; i < c.nr; i++)
			check_column(&c, i);
	}
	columns__free(&c);
	buf__free(&why);
	buf__free(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct column_defs *defs = column_defs__new();
	const char *text = (const char *)data, *end = memmem(text, size, "\n---\n", 5);
	char *choice = end ? strndup(end + 5, text + size - end - 5) : strdup("default");
	struct buf why = {};

	if (!defs || !choice)
		abort();
	if (!column_defs__read(defs, "f", text, end ? (size_t)(end - text) : size, &why)) {
		/* The user's are in front. */
		for (size_t i = 0; column_defs__set_at(defs, i)->line; i++)
			check_choice(defs, column_defs__set_at(defs, i)->name);
		check_choice(defs, choice);
	} else if (!why.data || strncmp(why.data, "f:", 2) || why.data[2] < '1' ||
		   why.data[2] > '9') {
		abort(); /* failing is fine, failing without a line is not */
	}
	free(choice);
	column_defs__free(defs);
	buf__free(&why);
	return 0;
}
