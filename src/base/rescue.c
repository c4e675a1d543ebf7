// SPDX-License-Identifier: BSD-2-Clause
/* Makes a private file with a random name in TMPDIR, and writes parts of a result to it. */
#include "base/rescue.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sink.h"

enum { TRIES = 100 };

struct rescue {
	char *path;
	struct sink *sink;
	bool is_made; /* the file is there, made by us */
	bool has_part;
};

/* Tries random names until sink__open() finds one that is free (not -EEXIST). */
static int find_name(struct rescue *r, const char *ending)
{
	const char *dir = getenv("TMPDIR");
	int err = -EEXIST;

	for (unsigned i = 0; i < TRIES && err == -EEXIST; i++) {
		unsigned some = 0;

		if (getrandom(&some, sizeof(some), GRND_NONBLOCK) < 0)
			some = getpid() + i;
		free(r->path);
		if (asprintf(&r->path, "%s/pmutrace-%06x%s", dir && dir[0] ? dir : "/tmp",
			     some & 0xffffff, ending) < 0) {
			r->path = NULL;
			return -ENOMEM;
		}
		err = sink__open(&r->sink, r->path, SINK_PRIVATE);
	}
	return err;
}

int rescue__open(struct rescue **out, const char *ending)
{
	struct rescue *r = calloc(1, sizeof(*r));
	int err;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	err = find_name(r, ending);
	if (err) {
		rescue__close(r);
		return err;
	}
	*out = r;
	return 0;
}

int rescue__begin(struct rescue *r, FILE **f)
{
	int err = sink__begin(r->sink, f);
	struct stat st;

	r->is_made |= !err;
	if (!err && fstat(fileno(*f), &st))
		err = -errno;
	if (err)
		return err;
	return st.st_size >= RESCUE_BYTES ? -EFBIG : 0;
}

int rescue__end(struct rescue *r, int err)
{
	err = sink__end(r->sink, err);
	r->has_part |= !err;
	return err;
}

const char *rescue__path(const struct rescue *r)
{
	return r->path;
}

void rescue__close(struct rescue *r)
{
	if (!r)
		return;
	sink__free(r->sink);
	if (r->is_made && !r->has_part)
		unlink(r->path);
	free(r->path);
	free(r);
}
