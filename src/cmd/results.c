// SPDX-License-Identifier: BSD-2-Clause
/* The terminal, losses, and the one event that folded stacks and flame graphs show. */
#include "cmd/results.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/log.h"
#include "model/profile.h"
#include "print/lossline.h"

unsigned results__width(FILE *f)
{
	struct winsize size = {};

	return isatty(fileno(f)) && !ioctl(fileno(f), TIOCGWINSZ, &size) ? size.ws_col : 0;
}

bool results__color(FILE *f)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	return isatty(fileno(f)) && !(no && no[0]) && term && strcmp(term, "dumb");
}

void results__tell_losses(const struct outputs *o, const char *what, const struct losses *l)
{
	struct buf line = {};

	for (size_t i = 0; i < o->nr; i++)
		if (o->items[i].format == FORMAT_TABLE && !o->items[i].path)
			return;
	if (!print__loss_line(&line, what, l) && line.len) {
		if (line.data[line.len - 1] == '\n')
			line.data[--line.len] = '\0';
		log__notice("%s", line.data);
	}
	buf__free(&line);
}

bool results__lost(const struct profile *p)
{
	for (size_t i = 0; i < p->nr_events; i++)
		if (p->events[i].running_ns < p->events[i].enabled_ns)
			return true;
	return losses__sum(&p->losses) > 0;
}

int results__choose_event(const char *name, const char *const *names, size_t nr, size_t stride,
			  uint32_t *event, struct buf *why)
{
	*event = 0;
	if (!name)
		return 0;
	for (; *event < nr; ++*event, names = (const void *)((const char *)names + stride))
		if (!strcmp(*names, name))
			return 0;
	return buf__printf(why, "--event: '%s' is not among the events of this run", name)
		       ? -ENOMEM
		       : -EINVAL;
}

void results__tell_event(const struct outputs *o, const char *name, bool folded_shows_all)
{
	for (size_t i = 0; i < o->nr; i++) {
		const struct output *out = &o->items[i];

		if (folded_shows_all && out->format == FORMAT_FOLDED)
			continue;
		if (format__is(out->format, FORMAT_OF_ONE_EVENT))
			log__notice("%s shows %s; --event chooses another",
				    out->path ? out->path : "the output", name);
	}
}
