// SPDX-License-Identifier: BSD-2-Clause
/* Keys and names of rows, and totals of events, for all who print a live view. */
#include "print/top_page.h"

const char *live_by__name(enum live_by by)
{
	static const char *const names[] = {
		[LIVE_PROCESSES] = "process",
		[LIVE_THREADS] = "thread",
		[LIVE_CGROUPS] = "cgroup",
		[LIVE_CPUS] = "cpu",
	};

	return names[by];
}

size_t top_page__nr_rows(const struct top_page *p)
{
	return p->rows->nr < p->max_rows ? p->rows->nr : p->max_rows;
}

const char *top_page__cgroup(const struct top_page *p, uint64_t id)
{
	return p->processes ? processes__cgroup(p->processes, id) : NULL;
}

const struct process *top_page__process(const struct top_page *p, const struct live_row *row)
{
	bool has_one = p->by == LIVE_PROCESSES || p->by == LIVE_THREADS;

	return has_one && p->processes ? processes__find(p->processes, row->tgid) : NULL;
}

const char *top_page__name(const struct top_page *p, const struct live_row *row)
{
	const struct process *one = p->full ? top_page__process(p, row) : NULL;

	if (p->by == LIVE_CGROUPS)
		return top_page__cgroup(p, row->id);
	/* Kernel threads have no command line, nor has what ended before it was looked up. */
	return one && one->command[0] ? one->command : row->comm;
}

static struct top_key_part number(const char *name, uint64_t n)
{
	return (struct top_key_part){ .name = name, .number = n, .is_number = true };
}

static struct top_key_part text(const char *name, const char *s)
{
	return (struct top_key_part){ .name = name, .text = s };
}

size_t top_page__key(const struct top_page *p, const struct live_row *row,
		     struct top_key_part parts[TOP_KEY_PARTS])
{
	static const struct live_row none;
	size_t nr = 0;

	row = row ? row : &none;
	switch (p->by) {
	case LIVE_CPUS:
		parts[nr++] = number("cpu", row->id);
		break;
	case LIVE_CGROUPS:
		parts[nr++] = number("cgroup_id", row->id);
		parts[nr++] = text("cgroup", top_page__cgroup(p, row->id));
		break;
	case LIVE_THREADS:
		parts[nr++] = number("tid", row->id);
		/* fallthrough */
	case LIVE_PROCESSES:
		parts[nr++] = number("pid", row->tgid);
		parts[nr++] = text("comm", row->comm);
		break;
	}
	return nr;
}

struct event_count top_page__total(const struct top_page *p, size_t event)
{
	const struct live_event *e = &live__interval(p->live)->events[event];
	uint64_t values[LIVE_VALUES];
	struct event_count c = { .enabled_ns = e->enabled_ns, .running_ns = e->running_ns };

	live__totals(p->live, values);
	if (e->why) {
		c.state = e->state;
		return c;
	}
	c.raw = c.value = values[LIVE_EVENTS + event];
	if (e->group >= 0) /* else it is counted all the time, whatever its times are */
		event_count__settle(&c);
	return c;
}

uint64_t top_page__idle(const struct top_page *p, size_t event)
{
	uint64_t values[LIVE_VALUES];

	live__idle(p->live, values);
	return values[LIVE_EVENTS + event];
}
