// SPDX-License-Identifier: BSD-2-Clause
/* Keeps the views to go back to, and turns sampling on and off with the view. */
#include "tui/screen_go.h"

#include <errno.h>
#include <string.h>

#include "tui/screen_rows.h"
#include "tui/screen_subject.h"

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
		.subject = s->subject,
		.cpu = v->cpu,
		.cgroup = v->cgroup,
		.selected = v->selected,
		.has_selected = v->has_selected,
		.function = s->funcs.selected,
		.has_function = s->funcs.has_selected,
	};

	memcpy(p.filter, s->what == SCREEN_FUNCTIONS ? s->funcs.filter : v->filter,
	       sizeof(p.filter));
	return p;
}

/*
 * Starts sampling on the way to functions and stacks, stops it on the way to other views. *works:
 * false if it could not be started; the user has been told.
 */
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

/* Shows another view. *moved: false if that is not possible: the user has been told why. */
static int go(struct screen *s, const struct screen_place *p, bool *moved)
{
	struct view *v = &s->view;
	int err;

	*moved = false;
	if (s->opts.data->has_samples_only && !screen__has_samples(p->what)) {
		screen__tell(s, true, "nothing was counted in this recording: functions alone");
		return 0;
	}
	err = switch_sampling(s, p->what, moved);
	if (err || !*moved)
		return err;
	s->what = p->what;
	s->only_tid = p->only_tid;
	s->tid = p->tid;
	s->subject = p->subject;
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
	memcpy(screen__filter(s), p->filter, sizeof(p->filter));
	s->funcs.selected = p->function;
	s->funcs.has_selected = p->has_function;
	s->grid.first = 0;
	return screen__refill(s);
}

int screen__go_to(struct screen *s, enum screen_what what)
{
	struct screen_place p = { .what = what };
	bool moved;
	int err;

	memcpy(p.filter, screen__filter(s), sizeof(p.filter));
	err = go(s, &p, &moved);
	if (moved)
		s->nr_trail = 0;
	return err;
}

int screen__step_view(struct screen *s, int step)
{
	int now = s->what < SCREEN_VIEWS ? s->what : SCREEN_FUNCTIONS;
	enum screen_what next = (now + SCREEN_VIEWS + step) % SCREEN_VIEWS;
	int err = screen__go_to(s, next);

	/* It could not be shown: skip it. */
	if (!err && s->what != next)
		err = screen__go_to(s, (next + SCREEN_VIEWS + step) % SCREEN_VIEWS);
	return err;
}

/* Changes @p, a view that has @row, to the one that shows what is in that row. */
static void go_inside(struct screen_place *p, const struct live_row *row)
{
	switch (p->what) {
	case SCREEN_PROCESSES:
		p->what = SCREEN_THREADS;
		p->only_tgid = true;
		p->tgid = row->tgid;
		break;
	case SCREEN_THREADS:
		p->what = SCREEN_FUNCTIONS;
		p->only_tid = true;
		p->tid = row->id;
		break;
	case SCREEN_CGROUPS:
		p->what = SCREEN_PROCESSES;
		p->only_cgroup = true;
		p->cgroup = row->id;
		break;
	default:
		p->what = SCREEN_THREADS;
		p->only_cpu = true;
		p->cpu = row->id;
		break;
	}
	p->has_selected = false;
}

/* The row is selected by its id, so that it is selected when Esc leads back. */
static void enter_row(struct screen *s, struct screen_place *from, struct screen_place *to)
{
	view__select(&s->view, s->view.at);
	*from = *to = here(s);
	screen__begin_subject(to, s->opts.data->live, view__selected(&s->view));
	go_inside(to, view__selected(&s->view));
}

static void enter_function(struct screen *s, struct screen_place *from, struct screen_place *to)
{
	funcs__select(&s->funcs, s->funcs.at);
	*from = *to = here(s);
	to->what = SCREEN_STACKS;
}

int screen__enter(struct screen *s)
{
	const struct function *function = NULL;
	struct screen_place from, to;
	bool moved;
	int err;

	if (s->nr_trail == TRAIL || !screen__has_selected(s))
		return 0;
	if (s->what == SCREEN_FUNCTIONS) {
		function = funcs__selected(&s->funcs);
		enter_function(s, &from, &to);
	} else {
		enter_row(s, &from, &to);
	}
	to.filter[0] = '\0';
	err = go(s, &to, &moved);
	if (err || !moved)
		return err;
	s->trail[s->nr_trail++] = from;
	return function ? stack_page__open_at(&s->stacks, function->frame) : 0;
}

int screen__back(struct screen *s)
{
	bool moved;
	int err;

	if (s->nr_trail) {
		err = go(s, &s->trail[s->nr_trail - 1], &moved);
		s->nr_trail -= moved;
		return err;
	}
	view__untag_all(&s->view);
	screen__filter(s)[0] = s->view.user[0] = '\0';
	return screen__refill(s);
}
