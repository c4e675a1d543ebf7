// SPDX-License-Identifier: BSD-2-Clause
/* Notes by how much a profile grew since the last window ended. */
#include "model/windows.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile.h"

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

/* A sum for each row. */
static int reserve_rows(struct windows *w, const struct profile *p)
{
	int err = array__grow(&w->rows, &w->cap_rows, p->nr_rows);

	if (!err && w->nr_rows < p->nr_rows)
		memset(w->rows + w->nr_rows, 0, (p->nr_rows - w->nr_rows) * sizeof(*w->rows));
	if (!err)
		w->nr_rows = p->nr_rows;
	return err;
}

/* Room for another window. */
static int reserve(struct windows *w, const struct profile *p)
{
	int err = array__grow(&w->items, &w->cap, w->nr + 1);

	if (!err)
		err = array__grow(&w->times, &w->cap_times, (w->nr + 1) * p->nr_events);
	if (!err)
		err = reserve_rows(w, p);
	if (err)
		return err;
	if (!w->cap_events) {
		err = array__grow(&w->events, &w->cap_events, p->nr_events + 1);
		if (!err)
			memset(w->events, 0, w->cap_events * sizeof(*w->events));
	}
	return err;
}

static int put_entries(struct windows *w, const struct profile *p)
{
	const size_t first = w->nr_entries;

	for (size_t i = 0; i < p->nr_rows; i++) {
		const struct row *row = &p->rows[i];
		struct window_sum *sum = &w->rows[i];
		struct window_entry e = { i, row->samples - sum->samples,
					  row->weight - sum->weight };

		if (!e.samples && !e.weight)
			continue;
		if (array__grow(&w->entries, &w->cap_entries, w->nr_entries + 1)) {
			w->nr_entries = first;
			return -ENOMEM;
		}
		w->entries[w->nr_entries++] = e;
	}
	for (size_t i = first; i < w->nr_entries; i++) {
		const struct window_entry *e = &w->entries[i];

		w->rows[e->row].samples += e->samples;
		w->rows[e->row].weight += e->weight;
	}
	return 0;
}

static void put_times(struct windows *w, const struct profile *p)
{
	struct window_times *to = &w->times[w->nr * p->nr_events];

	for (size_t i = 0; i < p->nr_events; i++) {
		const struct profile_event *e = &p->events[i];
		struct window_times *sum = &w->events[i];

		to[i].enabled_ns = e->enabled_ns - sum->enabled_ns;
		to[i].running_ns = e->running_ns - sum->running_ns;
		to[i].passed_over = e->passed_over - sum->passed_over;
		*sum = (struct window_times){ e->enabled_ns, e->running_ns, e->passed_over };
	}
}

int profile__close_window(struct profile *p, uint64_t end_ns)
{
	struct windows *w = &p->windows;
	struct window *new;
	int err = reserve(w, p);

	if (!err)
		err = put_entries(w, p);
	if (err)
		return err;
	put_times(w, p);
	new = &w->items[w->nr];
	*new = (struct window){
		.begin_ns = w->nr ? new[-1].end_ns : 0,
		.end_ns = end_ns,
		.own_ns = p->own_ns - w->own_ns,
		.end_entries = w->nr_entries,
		.losses = p->losses,
	};
	losses__subtract(&new->losses, &w->losses);
	new->losses.kept = p->losses.kept - w->losses.kept;
	new->losses.seen = new->losses.kept + losses__sum(&new->losses);
	w->own_ns = p->own_ns;
	w->losses = p->losses;
	w->nr++;
	return 0;
}

int profile__grow_late(struct profile *p, uint32_t window, uint32_t row, uint64_t samples,
		       uint64_t weight)
{
	struct windows *w = &p->windows;
	struct losses *l = &w->items[window].losses;
	int err = reserve_rows(w, p);

	if (!err)
		err = array__grow(&w->late, &w->cap_late, w->nr_late + 1);
	if (err)
		return err;
	w->late[w->nr_late++] = (struct late_entry){ window, { row, samples, weight } };
	w->rows[row].samples += samples;
	w->rows[row].weight += weight;
	l->kept += samples;
	l->seen += samples;
	w->losses.kept += samples;
	profile__grow(p, row, samples, weight);
	return 0;
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
