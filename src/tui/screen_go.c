// SPDX-License-Identifier: BSD-2-Clause
/* From one view into another, and back. */
#include <errno.h>
#include <string.h>

#include "tui/screen_parts.h"

bool screen__has_samples(enum screen_what what)
{
	return what == SCREEN_FUNCTIONS || what == SCREEN_STACKS;
}

static enum live_by by_of(enum screen_what what)
{
	switch (what) {
	case SCREEN_THREADS:
		return LIVE_THREADS;
	case SCREEN_CGROUPS:
		return LIVE_CGROUPS;
	case SCREEN_CPUS:
		return LIVE_CPUS;
	default:
		return LIVE_PROCESSES;
	}
}

static struct screen_place here(const struct screen *s)
{
	const struct view *v = &s->view;
	struct screen_place p = {
		.what = s->what,
		.only_tgid = v->only_tgid,
		.only_tid = s->only_tid,
		.only_cgroup = v->only_cgroup,
		.only_cpu = v->only_cpu,
		.tgid = v->tgid,
		.tid = s->tid,
		.cpu = v->cpu,
		.cgroup = v->cgroup,
		.selected = v->selected,
		.has_selected = v->has_selected,
	};

	memcpy(p.filter, s->what == SCREEN_FUNCTIONS ? s->funcs.filter : v->filter,
	       sizeof(p.filter));
	memcpy(p.function, s->funcs.selected, sizeof(p.function));
	return p;
}

/* Sampling costs: only while somebody looks. False: it cannot be done, which is told. */
static int switch_sampling(struct screen *s, enum screen_what to, bool *works)
{
	const struct screen_fns *fns = &s->opts.fns;
	bool had = screen__has_samples(s->what), wanted = screen__has_samples(to);
	struct buf why = {};
	int err = 0;

	*works = true;
	if (had == wanted)
		return 0;
	if (had) {
		err = funcs__fill(&s->funcs, NULL, NULL);
		if (!err)
			err = stack_page__fill(&s->stacks, NULL, NULL);
	}
	if (!err)
		err = fns->sample ? fns->sample(fns->arg, wanted, &why) : -ENOSYS;
	if (err && err != -ENOMEM) {
		screen__tell(s, true, "%s", why.len ? why.data : "functions are not known here");
		*works = !wanted;
		err = 0;
	}
	buf__free(&why);
	return err;
}

static int go(struct screen *s, const struct screen_place *p)
{
	struct view *v = &s->view;
	bool works;
	int err;

	if (s->opts.data->has_samples_only && !screen__has_samples(p->what)) {
		screen__tell(s, true, "nothing was counted in this recording: functions alone");
		return 0;
	}
	err = switch_sampling(s, p->what, &works);
	if (err || !works)
		return err;
	s->what = p->what;
	s->only_tid = p->only_tid;
	s->tid = p->tid;
	v->by = by_of(p->what);
	v->only_tgid = p->only_tgid;
	v->only_cgroup = p->only_cgroup;
	v->only_cpu = p->only_cpu;
	v->tgid = p->tgid;
	v->cgroup = p->cgroup;
	v->cpu = p->cpu;
	v->selected = p->selected;
	v->has_selected = p->has_selected;
	v->at = 0;
	v->nr_tags = 0;
	memcpy(screen__filter(s), p->filter, sizeof(p->filter));
	memcpy(s->funcs.selected, p->function, sizeof(p->function));
	s->grid.first = 0;
	return screen__refill(s);
}

int screen__go_to(struct screen *s, enum screen_what what)
{
	struct screen_place p = { .what = what };

	memcpy(p.filter, screen__filter(s), sizeof(p.filter));
	s->nr_trail = 0;
	return go(s, &p);
}

int screen__step_view(struct screen *s, int step)
{
	int now = s->what < SCREEN_VIEWS ? s->what : SCREEN_FUNCTIONS;
	enum screen_what next = (now + SCREEN_VIEWS + step) % SCREEN_VIEWS;
	int err = screen__go_to(s, next);

	/* One that does not work is not in the way. */
	if (!err && s->what != next)
		err = screen__go_to(s, (next + SCREEN_VIEWS + step) % SCREEN_VIEWS);
	return err;
}

/* Where Enter leads from the selected row. False: nowhere. */
static bool find_inside(const struct screen *s, struct screen_place *p)
{
	const struct live_row *row = view__selected(&s->view);

	switch (s->what) {
	case SCREEN_PROCESSES:
		p->what = SCREEN_THREADS;
		p->only_tgid = true;
		p->tgid = row ? row->tgid : 0;
		return row;
	case SCREEN_THREADS:
		p->what = SCREEN_FUNCTIONS;
		p->only_tid = true;
		p->tid = row ? row->id : 0;
		return row;
	case SCREEN_CGROUPS:
		p->what = SCREEN_PROCESSES;
		p->only_cgroup = true;
		p->cgroup = row ? row->id : 0;
		return row;
	case SCREEN_CPUS:
		p->what = SCREEN_THREADS;
		p->only_cpu = true;
		p->cpu = row ? row->id : 0;
		return row;
	case SCREEN_FUNCTIONS:
		p->what = SCREEN_STACKS;
		return funcs__selected(&s->funcs);
	default:
		return false;
	}
}

int screen__enter(struct screen *s)
{
	struct screen_place from = here(s), to = from;
	bool found;
	int err;

	if (s->nr_trail == TRAIL || !find_inside(s, &to))
		return 0;
	to.filter[0] = '\0';
	to.has_selected = false;
	err = go(s, &to);
	if (err || s->what != to.what)
		return err;
	s->trail[s->nr_trail++] = from;
	if (s->what == SCREEN_STACKS)
		err = stack_page__open_at(&s->stacks, s->funcs.selected, &found);
	return err;
}

int screen__back(struct screen *s)
{
	if (s->nr_trail)
		return go(s, &s->trail[--s->nr_trail]);
	s->view.nr_tags = 0;
	screen__filter(s)[0] = s->view.user[0] = '\0';
	return screen__refill(s);
}

char *screen__filter(struct screen *s)
{
	_Static_assert((int)VIEW_WORD == (int)FUNCS_WORD, "one for both");
	return s->what == SCREEN_FUNCTIONS ? s->funcs.filter : s->view.filter;
}

void screen__move(struct screen *s, long lines)
{
	if (s->what == SCREEN_FUNCTIONS)
		funcs__move(&s->funcs, lines);
	else
		view__move(&s->view, lines);
}

bool screen__find(struct screen *s, const char *word, bool next)
{
	if (s->what == SCREEN_FUNCTIONS)
		return funcs__search(&s->funcs, word, s->funcs.at + next);
	return view__search(&s->view, s->opts.data, word, s->view.at + next);
}
