// SPDX-License-Identifier: BSD-2-Clause
/* Fills, sorts and searches what is shown: rows of tasks, CPUs and cgroups, functions, stacks. */
#include "tui/screen_rows.h"

#include "tui/screen_subject.h"

/* Why there is no profile: samples that were not recorded do not come later; live ones do. */
static const char *missing_samples(const struct view_data *d)
{
	return d->nr_intervals ? "this interval has no samples: functions were not looked at"
			       : "samples come with the next interval";
}

static int fill_table(struct screen *s)
{
	const struct view_data *d = s->opts.data;
	int err = 0;

	/* If the column it was sorted by is not shown any more, sort by the first one. */
	if (d->columns->nr && columns__find(d->columns, s->view.sort) < 0)
		err = view__sort_by(&s->view, d->columns->items[0].name);
	return err ? err : view__fill(&s->view, d);
}

static bool wants_row(const void *screen, const struct profile *p, const struct row *row)
{
	const struct screen *s = screen;

	return view__wants_process(&s->view, s->opts.data, row->key.pid);
}

struct scope screen__scope(const struct screen *s)
{
	const struct view *v = &s->view;
	struct scope scope = {};

	if (s->only_tid)
		scope = (struct scope){ .of = SCOPE_THREADS, .ids = &s->tid, .nr_ids = 1 };
	else if (v->only_tgid)
		scope = (struct scope){ .of = SCOPE_PROCESSES, .ids = &v->tgid, .nr_ids = 1 };
	if (v->user[0] || v->hides_kernel) {
		scope.wants = wants_row;
		scope.arg = s;
	}
	return scope;
}

int screen__refill(struct screen *s)
{
	const struct view_data *d = s->opts.data;
	const struct scope scope = screen__scope(s);

	if (!screen__has_samples(s->what))
		return fill_table(s);
	s->funcs.missing = s->stacks.missing = missing_samples(d);
	s->funcs.empty = s->stacks.empty = screen__missing(s, "no samples");
	if (s->what == SCREEN_STACKS)
		return stack_page__fill(&s->stacks, d->profile, &scope);
	return funcs__fill(&s->funcs, d->profile, &scope);
}

bool screen__has_selected(struct screen *s)
{
	bool is_there = s->what == SCREEN_FUNCTIONS ? funcs__selected(&s->funcs) != NULL
						    : view__selected(&s->view) != NULL;

	if (!is_there && (s->what == SCREEN_FUNCTIONS ? s->funcs.nr : s->view.nr))
		screen__tell(s, true, "what is selected is not there now");
	return is_there;
}

int screen__refilter(struct screen *s)
{
	int err = screen__refill(s);

	if (err)
		return err;
	if (s->what == SCREEN_FUNCTIONS)
		funcs__let_go(&s->funcs);
	else if (s->what != SCREEN_STACKS)
		view__let_go(&s->view);
	return 0;
}

void screen__move(struct screen *s, long lines)
{
	if (s->what == SCREEN_FUNCTIONS)
		funcs__move(&s->funcs, lines);
	else
		view__move(&s->view, lines);
}

static int find(struct screen *s, const char *word, bool next, bool *found)
{
	if (s->what == SCREEN_STACKS)
		return stack_page__find(&s->stacks, word, next, found);
	if (s->what == SCREEN_FUNCTIONS)
		*found = funcs__search(&s->funcs, word, s->funcs.at + next);
	else
		*found = view__search(&s->view, s->opts.data, word, s->view.at + next);
	if (!*found && s->what != SCREEN_FUNCTIONS)
		return view__reveal(&s->view, s->opts.data, word, found);
	return 0;
}

int screen__search(struct screen *s, bool next)
{
	bool found = true;
	int err = s->search[0] ? find(s, s->search, next, &found) : 0;

	if (!err && !found)
		screen__tell(s, true, "no row has '%s'", s->search);
	return err;
}

int screen__sort_by(struct screen *s, size_t column)
{
	const struct columns *all = s->opts.data->columns;
	int err;

	if (column >= all->nr)
		return 0;
	err = view__sort_by(&s->view, all->items[column].name);
	return err ? err : screen__refill(s);
}

/* Functions have columns of their own. */
int screen__sort_functions(struct screen *s, enum funcs_sort sort)
{
	s->funcs.sort = sort;
	return screen__refill(s);
}

int screen__sort_beside(struct screen *s, int step)
{
	const struct columns *all = s->opts.data->columns;
	int now = columns__find(all, s->view.sort);

	if (s->what == SCREEN_FUNCTIONS)
		return screen__sort_functions(s, !s->funcs.sort);
	return all->nr ? screen__sort_by(s, (now + (int)all->nr + step) % (int)all->nr) : 0;
}

int screen__invert(struct screen *s)
{
	bool *inverted = s->what == SCREEN_FUNCTIONS ? &s->funcs.invert : &s->view.invert;

	*inverted = !*inverted;
	return screen__refill(s);
}
