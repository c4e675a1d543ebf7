// SPDX-License-Identifier: BSD-2-Clause
/* Opens events of a trace, and tells which numbers threads have there. */
#include "print/chrome_events.h"

#include "model/profile.h"

void chrome__begin(struct chrome *c, const struct chrome_event *e)
{
	const char ph[] = { e->phase, '\0' };
	struct json *j = &c->j;

	json__line(j);
	json__open(j, NULL);
	json__string(j, "ph", ph);
	json__string(j, "cat",
		     e->phase == 'M'   ? "__metadata"
		     : e->phase == 'P' ? "disabled-by-default-v8.cpu_profiler"
				       : "pmutrace");
	json__string(j, "name", e->name);
	if (e->id)
		json__string(j, "id", e->id);
	json__u64(j, "pid", e->pid);
	json__u64(j, "tid", e->tid);
	json__u64(j, "ts", e->us);
	json__open(j, "args");
}

void chrome__end(struct chrome *c)
{
	json__close(&c->j);
	json__close(&c->j);
}

/* Of a command it is that of its frame: another one for each name. */
static uint32_t command_of(const struct profile *p, uint32_t node)
{
	uint32_t frame;

	return profile__stack(p, node, &frame, 1) ? frame + 1 : 0;
}

uint32_t chrome__pid(const struct chrome *c, const struct thread_samples *thread)
{
	return c->p->by & (BY_PID | BY_TID) ? thread->pid : command_of(c->p, thread->most);
}

uint32_t chrome__tid(const struct chrome *c, const struct thread_samples *thread)
{
	return c->p->by & (BY_PID | BY_TID) ? thread->tid : command_of(c->p, thread->most);
}
