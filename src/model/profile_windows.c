// SPDX-License-Identifier: BSD-2-Clause
/* Notes by how much a profile grew since the last window ended. */
#include <errno.h>
#include <string.h>

#include "model/profile.h"

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
