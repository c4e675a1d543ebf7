// SPDX-License-Identifier: BSD-2-Clause
/* Filters and sorts the rows of an interval; keeps selection, tags and folds. */
#include "tui/view.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tui/view_tree.h"

enum { UNFOLD_MAX = 1024 }; /* ancestors */

void view__free(struct view *v)
{
	live_rows__free(&v->rows);
	live_rows__free(&v->sums);
	idmap__free(&v->folds);
	free(v->lines);
	for (size_t i = 0; i < ARRAY_SIZE(v->tags); i++)
		free(v->tags[i].ids);
	free(v->sort);
	*v = (struct view){};
}

const struct live_row *view__row(const struct view *v, size_t line)
{
	return &v->rows.items[v->lines[line].row];
}

const struct live_row *view__selected(const struct view *v)
{
	const struct live_row *row = v->nr ? view__row(v, v->at) : NULL;

	return row && v->has_selected && row->id != v->selected ? NULL : row;
}

const struct process *view__process(const struct view *v, const struct view_data *d,
				    const struct live_row *row)
{
	bool has_one = v->by == LIVE_PROCESSES || v->by == LIVE_THREADS;

	return has_one && d->processes ? processes__find(d->processes, row->tgid) : NULL;
}

const char *view__name(const struct view *v, const struct view_data *d, const struct live_row *row)
{
	const struct process *p = view__process(v, d, row);
	const char *name = row->comm;

	if (v->by == LIVE_CGROUPS)
		name = d->processes ? processes__cgroup(d->processes, row->id) : NULL;
	else if (v->full_commands && p && p->command && *p->command)
		name = p->command;
	return name ? name : "";
}

static bool has_word(const struct view *v, const struct view_data *d, const struct live_row *row,
		     const char *word)
{
	const struct process *p = view__process(v, d, row);
	char id[24];

	if (strcasestr(view__name(v, d, row), word) || strcasestr(row->comm, word))
		return true;
	if (p && p->command && strcasestr(p->command, word))
		return true;
	snprintf(id, sizeof(id), "%llu", (unsigned long long)row->id);
	return !strcmp(id, word);
}

static bool is_users(const struct view_data *d, const struct process *p, const char *user)
{
	const char *name;
	char id[16];

	if (!p || p->uid == PROCESS_NO_USER)
		return false;
	name = processes__user(d->processes, p->uid);
	snprintf(id, sizeof(id), "%u", p->uid);
	return !strcmp(id, user) || (name && !strcmp(name, user));
}

bool view__wants_process(const struct view *v, const struct view_data *d, uint32_t tgid)
{
	const struct process *p = d->processes ? processes__find(d->processes, tgid) : NULL;

	if (!tgid) /* idle tasks, which have no user, are part of a CPU's row */
		return !v->user[0];
	if (v->hides_kernel && p && p->is_kernel)
		return false;
	return !v->user[0] || is_users(d, p, v->user);
}

/* The argument of wants_task() and the like. */
struct wanted {
	const struct view *view;
	const struct view_data *data;
};

static bool wants_task(const void *arg, const struct live_task *t)
{
	const struct wanted *w = arg;
	const struct view *v = w->view;
	const struct view_data *d = w->data;

	if (d->filter && !d->filter->wants(d->filter->arg, t))
		return false;
	if (v->only_tgid && t->tgid != v->tgid)
		return false;
	if (v->only_cgroup && t->cgroup != v->cgroup)
		return false;
	return view__wants_process(v, d, t->tgid);
}

/* Drops rows without the filter's text, before they are sorted. */
static void keep_matches(struct view *v, const struct view_data *d)
{
	size_t nr = 0;

	for (size_t i = 0; v->filter[0] && i < v->rows.nr; i++)
		if (has_word(v, d, &v->rows.items[i], v->filter))
			v->rows.items[nr++] = v->rows.items[i];
	if (v->filter[0])
		v->rows.nr = nr;
}

int view__sort_by(struct view *v, const char *column)
{
	char *copy = strdup(column);

	if (!copy)
		return -ENOMEM;
	free(v->sort);
	v->sort = copy;
	return 0;
}

bool view__is_sorted_by(const struct view *v, const char *column)
{
	return v->sort && !strcmp(v->sort, column);
}

static void sort(const struct view *v, const struct view_data *d, struct live_rows *rows)
{
	int by = v->sort ? columns__find(d->columns, v->sort) : -1;

	if (by < 0)
		live_rows__sort(rows, LIVE_VALUES, v->invert);
	else
		columns__sort(&d->columns->items[by], live__interval(d->live), rows, v->invert);
}

static void find_selection(struct view *v)
{
	for (size_t i = 0; v->has_selected && i < v->nr; i++)
		if (view__row(v, i)->id == v->selected) {
			v->at = i;
			return;
		}
	if (v->at >= v->nr)
		v->at = v->nr ? v->nr - 1 : 0;
}

static int list_lines(struct view *v)
{
	int err = array__grow(&v->lines, &v->cap, v->rows.nr + 1);

	v->nr = 0;
	for (size_t i = 0; !err && i < v->rows.nr; i++)
		v->lines[v->nr++] = (struct view_line){ .row = i };
	return err;
}

/* Whether an ancestor that has not run passes the filters; a row is all that is known of it. */
static bool wants_waiting(const void *arg, const struct live_row *row)
{
	const struct wanted *w = arg;
	struct live_task t = { .tgid = row->tgid, .tid = row->tgid };

	memcpy(t.comm, row->comm, sizeof(t.comm));
	return wants_task(w, &t) &&
	       (!w->view->filter[0] || has_word(w->view, w->data, row, w->view->filter));
}

static void sort_sums(const void *arg, struct live_rows *sums)
{
	const struct wanted *w = arg;

	sort(w->view, w->data, sums);
}

bool view__is_tree(const struct view *v, const struct view_data *d)
{
	return v->tree && v->by == LIVE_PROCESSES && d->processes;
}

const struct live_row *view__used(const struct view *v, const struct view_line *line)
{
	return line->is_folded ? &v->sums.items[line->sum] : &v->rows.items[line->row];
}

int view__fill(struct view *v, const struct view_data *d)
{
	const struct wanted wanted = { v, d };
	const struct live_filter filter = { wants_task, &wanted, v->only_cpu, v->cpu };
	const struct view_tree_how how = { wants_waiting, sort_sums, &wanted };
	int err = live__rows_of(d->live, v->by, &filter, &v->rows);

	if (err)
		return err;
	if (v->by == LIVE_PROCESSES && d->processes)
		processes__name_rows(d->processes, &v->rows);
	keep_matches(v, d);
	if (view__is_tree(v, d)) {
		err = view_tree__arrange(v, d->processes, &how);
	} else {
		sort(v, d, &v->rows);
		err = list_lines(v);
	}
	if (!err)
		find_selection(v);
	return err;
}

void view__select(struct view *v, size_t line)
{
	if (!v->nr)
		return;
	v->at = line < v->nr ? line : v->nr - 1;
	v->selected = view__row(v, v->at)->id;
	v->has_selected = true;
}

int view__fold(struct view *v, bool fold)
{
	const struct view_line *line = v->lines + v->at;
	size_t above = v->at;

	if (!view__selected(v))
		return 0;
	if (fold && (line->is_folded || !line->nr_below)) {
		while (above && v->lines[above].depth >= line->depth)
			above--;
		view__select(v, line->depth ? above : v->at);
		return 0;
	}
	view__select(v, v->at);
	return line->is_folded == fold ? 0 : idmap__set(&v->folds, v->selected, fold);
}

void view__let_go(struct view *v)
{
	if (v->nr && !view__selected(v))
		v->has_selected = false;
}

void view__move(struct view *v, long lines)
{
	view__select(v, lines < 0 && (size_t)-lines > v->at ? 0 : v->at + lines);
}

bool view__search(struct view *v, const struct view_data *d, const char *word, size_t from)
{
	for (size_t i = 0; i < v->nr; i++) {
		size_t line = (from + i) % v->nr;

		if (!has_word(v, d, view__row(v, line), word))
			continue;
		view__select(v, line);
		return true;
	}
	return false;
}

/* UNFOLD_MAX ends cycles of parents, which pids that were reused can make. */
static int unfold_above(struct view *v, const struct processes *processes, uint32_t pid)
{
	const struct process *p = processes__find(processes, pid);
	int err = 0;

	for (int i = 0; !err && p && p->parent && i < UNFOLD_MAX; i++) {
		uint32_t folded = false;

		if (idmap__get(&v->folds, p->parent, &folded) && folded)
			err = idmap__set(&v->folds, p->parent, false);
		p = processes__find(processes, p->parent);
	}
	return err;
}

int view__reveal(struct view *v, const struct view_data *d, const char *word, bool *found)
{
	size_t i = 0;
	int err;

	*found = false;
	while (i < v->rows.nr && !has_word(v, d, &v->rows.items[i], word))
		i++;
	if (i == v->rows.nr || !view__is_tree(v, d))
		return 0;
	v->selected = v->rows.items[i].id;
	v->has_selected = *found = true;
	err = unfold_above(v, d->processes, v->selected);
	return err ? err : view__fill(v, d);
}

static size_t find_tag(const struct view_tags *tags, uint64_t id)
{
	size_t i = 0;

	while (i < tags->nr && tags->ids[i] != id)
		i++;
	return i;
}

bool view__is_tagged(const struct view *v, uint64_t id)
{
	return find_tag(&v->tags[v->by], id) < v->tags[v->by].nr;
}

int view__toggle_tag(struct view *v, uint64_t id)
{
	struct view_tags *tags = &v->tags[v->by];
	size_t i = find_tag(tags, id);
	int err;

	if (i < tags->nr) {
		tags->ids[i] = tags->ids[--tags->nr];
		return 0;
	}
	err = array__grow(&tags->ids, &tags->cap, tags->nr + 1);
	if (!err)
		tags->ids[tags->nr++] = id;
	return err;
}

void view__untag_all(struct view *v)
{
	for (size_t i = 0; i < ARRAY_SIZE(v->tags); i++)
		v->tags[i].nr = 0;
}
