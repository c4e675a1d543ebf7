// SPDX-License-Identifier: BSD-2-Clause
/* Entries of windows: late ones, other numbers of rows, copies. */
#include "model/windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void windows__free(struct windows *w)
{
	free(w->items);
	free(w->entries);
	free(w->times);
	free(w->late);
	free(w->rows);
	free(w->events);
	*w = (struct windows){};
}

size_t windows__bytes(const struct windows *w)
{
	return w->cap * sizeof(*w->items) + w->cap_entries * sizeof(*w->entries) +
	       w->cap_times * sizeof(*w->times) + w->cap_late * sizeof(*w->late) +
	       w->cap_rows * sizeof(*w->rows);
}

size_t windows__first(const struct windows *w, size_t window)
{
	return window ? w->items[window - 1].end_entries : 0;
}

bool windows__at(const struct windows *w, uint64_t ns, uint32_t *window)
{
	size_t i = w->nr;

	if (!i || ns >= w->items[i - 1].end_ns)
		return false;
	while (i > 1 && ns < w->items[i - 2].end_ns)
		i--;
	*window = i - 1;
	return true;
}

/* From the last window to the first: entries move up, late ones are put behind those of theirs. */
int windows__settle(struct windows *w)
{
	size_t *nr = calloc(w->nr + 1, sizeof(*nr)), from = w->nr_entries, to;
	int err = nr ? 0 : -ENOMEM;

	if (!err)
		err = array__grow(&w->entries, &w->cap_entries, w->nr_entries + w->nr_late);
	if (err) {
		free(nr);
		return err;
	}
	for (size_t i = 0; i < w->nr_late; i++)
		nr[w->late[i].window]++;
	to = w->nr_entries + w->nr_late;
	for (size_t i = w->nr; i-- > 0;) {
		size_t first = windows__first(w, i), own = from - first;

		w->items[i].end_entries = to;
		to -= nr[i];
		memmove(w->entries + to - own, w->entries + first, own * sizeof(*w->entries));
		nr[i] = to; /* where the next late one goes */
		to -= own;
		from = first;
	}
	for (size_t i = 0; i < w->nr_late; i++)
		w->entries[nr[w->late[i].window]++] = w->late[i].entry;
	w->nr_entries += w->nr_late;
	w->nr_late = 0;
	free(nr);
	return 0;
}

static void renumber_sums(struct windows *w, const uint32_t *rows)
{
	struct window_sum sum;

	/* A row's new number is at most its old one. */
	for (size_t i = 0; i < w->nr_rows; i++) {
		sum = w->rows[i];
		w->rows[i] = (struct window_sum){};
		if (rows[i] == UINT32_MAX)
			continue;
		w->rows[rows[i]].samples += sum.samples;
		w->rows[rows[i]].weight += sum.weight;
	}
}

void windows__renumber(struct windows *w, const uint32_t *rows)
{
	size_t nr = 0, at = 0;

	renumber_sums(w, rows);
	for (size_t i = 0; i < w->nr; i++) {
		for (; at < w->items[i].end_entries; at++) {
			struct window_entry e = w->entries[at];

			e.row = rows[e.row];
			if (e.row != UINT32_MAX)
				w->entries[nr++] = e;
		}
		w->items[i].end_entries = nr;
	}
	w->nr_entries = nr;
	for (size_t i = 0; i < w->nr_late; i++)
		w->late[i].entry.row = rows[w->late[i].entry.row];
}

int windows__copy(struct windows *to, const struct windows *from, const uint32_t *rows,
		  size_t nr_events)
{
	const size_t nr_times = from->nr * nr_events;
	int err = array__grow(&to->items, &to->cap, from->nr);

	if (!err)
		err = array__grow(&to->entries, &to->cap_entries, from->nr_entries);
	if (!err)
		err = array__grow(&to->times, &to->cap_times, nr_times);
	if (err || !from->nr) {
		windows__free(to);
		return err;
	}
	memcpy(to->items, from->items, from->nr * sizeof(*to->items));
	if (from->nr_entries)
		memcpy(to->entries, from->entries, from->nr_entries * sizeof(*to->entries));
	if (nr_times)
		memcpy(to->times, from->times, nr_times * sizeof(*to->times));
	to->nr = from->nr;
	to->nr_entries = from->nr_entries;
	windows__renumber(to, rows);
	return 0;
}

int windows__join(struct windows *w, size_t nr_rows)
{
	/* Index behind the last entry of each row; in the window at hand if behind its first. */
	size_t *places = calloc(nr_rows + 1, sizeof(*places)), nr = 0, at = 0;

	if (!places)
		return -ENOMEM;
	for (size_t i = 0; i < w->nr; i++) {
		const size_t first = nr;

		for (; at < w->items[i].end_entries; at++) {
			const struct window_entry e = w->entries[at];
			size_t *place = &places[e.row];

			if (*place > first) {
				w->entries[*place - 1].samples += e.samples;
				w->entries[*place - 1].weight += e.weight;
			} else {
				w->entries[nr++] = e;
				*place = nr;
			}
		}
		w->items[i].end_entries = nr;
	}
	w->nr_entries = nr;
	free(places);
	return 0;
}
