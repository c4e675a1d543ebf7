// SPDX-License-Identifier: BSD-2-Clause
/* Looks for the function that is asked for, and writes its callers and callees. */
#include "cmd/report_calls.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/strtab.h"
#include "base/suggest.h"
#include "base/why.h"
#include "cmd/outputs.h"
#include "cmd/profile_output.h"
#include "cmd/results.h"
#include "model/callers.h"
#include "model/profile.h"
#include "print/callers_table.h"
#include "print/lossline.h"

static const char *name_of(const struct report_calls_opts *o)
{
	return o->callers ? o->callers : o->callees;
}

int report_calls__check(const struct report_calls_opts *o, const struct outputs *outputs,
			struct buf *why)
{
	if (!name_of(o))
		return 0;
	if (o->callers && o->callees && strcmp(o->callers, o->callees))
		return why__refuse(why, -EINVAL, "--callers and --callees are of one function");
	for (size_t i = 0; i < outputs->nr; i++)
		if (outputs->items[i].format != FORMAT_TABLE)
			return why__refuse(why, -EINVAL,
					   "--callers and --callees are tables; in other formats "
					   "--focus '^%s$' chooses stacks",
					   name_of(o));
	return 0;
}

/* Each name of a function once. */
static int names_of(const struct profile *p, const char ***out, size_t *nr)
{
	bool *seen = calloc(strtab__nr(p->strings), sizeof(*seen));
	const char **names = calloc(p->nr_frames + 1, sizeof(*names));

	*nr = 0;
	if (seen && names)
		for (size_t i = 0; i < p->nr_frames; i++) {
			const struct frame *f = &p->frames[i];

			if (f->kind == FRAME_COMM || f->kind == FRAME_NOTE || seen[f->name])
				continue;
			seen[f->name] = true;
			names[(*nr)++] = profile__name(p, i);
		}
	*out = names;
	if (seen && names) {
		free(seen);
		return 0;
	}
	free(seen);
	free(names);
	return -ENOMEM;
}

int report_calls__find(const struct report_calls_opts *o, const struct profile *p, struct buf *why)
{
	const char *name = name_of(o), **names;
	size_t nr;
	int err;

	if (!name)
		return 0;
	err = names_of(p, &names, &nr);
	if (err)
		return err;
	for (size_t i = 0; i < nr; i++)
		if (callers__is_named(names[i], name)) {
			free(names);
			return 0;
		}
	err = buf__printf(why, "no function is called '%s'", name);
	if (!err)
		err = suggest(why, name, names, nr);
	free(names);
	return err ? err : -EPROTO;
}

static int write_event(const struct report_calls_opts *o, FILE *f, const struct profile *p,
		       uint32_t event, unsigned rows)
{
	const struct callers_table_opts table = {
		.name = name_of(o),
		.callers = o->callers,
		.callees = o->callees,
		.rows = rows,
		.width = results__width(f),
		.color = results__color(f),
	};
	struct callers *c;
	int err = callers__new(&c, p, event, table.name);

	if (!err)
		err = print__callers_table(f, p, event, c, &table);
	callers__free(c);
	return err;
}

int report_calls__write(const struct report_calls_opts *o, FILE *f,
			const struct profile_output *out)
{
	const struct profile *p = out->profile;
	struct buf text = {};
	int err = 0;

	for (uint32_t i = 0; i < p->nr_events && !err; i++)
		if (!p->events[i].is_member && (!out->one_event || i == out->svg.event))
			err = write_event(o, f, p, i, out->rows);
	if (!err)
		err = print__loss_line(&text, "samples", &p->losses);
	if (!err && (fprintf(f, "%s\n", text.data) < 0 || fflush(f)))
		err = errno ? -errno : -EIO;
	buf__free(&text);
	return err;
}
