// SPDX-License-Identifier: BSD-2-Clause
/* Puts intervals into the file of --record, or when it takes no more into a rescue. */
#include "tape/recording.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/rescue.h"
#include "base/sink.h"
#include "tape/livefile.h"

struct recording {
	const char *path;
	struct sink *sink;
	struct livefile *file; /* NULL: before its first interval */
	int failed;	       /* -errno: intervals go to the rescue from here on */
	struct rescue *rescue;
};

static int cannot_write(const struct recording *r, int err, struct buf *why)
{
	return buf__printf(why, "cannot record into %s: %s", r->path, sink__strerror(err)) ? -ENOMEM
											   : err;
}

int recording__open(struct recording **out, const char *path, struct buf *why)
{
	struct recording *r = calloc(1, sizeof(*r));
	int err;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	r->path = path;
	err = sink__open(&r->sink, path, SINK_PARTS);
	if (err) {
		err = cannot_write(r, err, why);
		recording__close(r);
		return err;
	}
	*out = r;
	return 0;
}

struct interval {
	const struct live *live;
	const struct processes *processes;
	const struct profile *samples;
	unsigned flags;
};

static int put(struct recording *r, FILE *f, const struct interval *i)
{
	int err = 0;

	if (!r->file)
		err = livefile__open(&r->file, f, live__nr_values(i->live), i->flags);
	return err ? err : livefile__put(r->file, i->live, i->processes, i->samples);
}

static int put_file(struct recording *r, const struct interval *i)
{
	FILE *f;
	int err = sink__begin(r->sink, &f);

	return err ? err : sink__end(r->sink, put(r, f, i));
}

static int put_rescue(struct recording *r, const struct interval *i)
{
	FILE *f;
	int err = r->rescue ? 0 : rescue__open(&r->rescue, ".top");

	if (!err)
		err = rescue__begin(r->rescue, &f);
	return err ? err : rescue__end(r->rescue, put(r, f, i));
}

/* The file stays a recording up to here; what follows is another one, in the rescue. */
static int put_elsewhere(struct recording *r, int err, const struct interval *i, struct buf *why)
{
	livefile__close(r->file);
	r->file = NULL;
	if (err == -EPIPE || put_rescue(r, i))
		return cannot_write(r, err, why);
	r->failed = err;
	log__notice("cannot record into %s: %s; from here on into %s", r->path, strerror(-err),
		    rescue__path(r->rescue));
	return 0;
}

int recording__put(struct recording *r, const struct live *live, const struct processes *p,
		   const struct profile *samples, unsigned flags, struct buf *why)
{
	const struct interval i = { live, p, samples, flags };
	int err = r->failed ? put_rescue(r, &i) : put_file(r, &i);

	if (!err)
		return 0;
	if (!r->failed)
		return put_elsewhere(r, err, &i, why);
	return buf__printf(why, "cannot record into %s: %s", rescue__path(r->rescue),
			   strerror(-err))
		       ? -ENOMEM
		       : err;
}

int recording__end(struct recording *r, struct buf *why)
{
	int err = sink__close(r->sink);

	if (r->failed)
		return buf__printf(why, "cannot record into %s: %s; what follows is in %s", r->path,
				   strerror(-r->failed), rescue__path(r->rescue))
			       ? -ENOMEM
			       : r->failed;
	return err ? cannot_write(r, err, why) : 0;
}

void recording__close(struct recording *r)
{
	if (!r)
		return;
	livefile__close(r->file);
	sink__free(r->sink);
	rescue__close(r->rescue);
	free(r);
}
