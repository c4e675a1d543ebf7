// SPDX-License-Identifier: BSD-2-Clause
/* Opens and closes events of a trace. */
#include "print/chrome_events.h"

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
