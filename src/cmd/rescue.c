// SPDX-License-Identifier: BSD-2-Clause
#include "cmd/rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/sink.h"

struct rescue {
	char *path;
	struct sink *sink;
	bool has_part;
};

static int make_file(struct rescue *r, const char *ending)
{
	const char *dir = getenv("TMPDIR");
	int fd;

	if (asprintf(&r->path, "%s/pmutrace-XXXXXX%s", dir && dir[0] ? dir : "/tmp", ending) < 0) {
		r->path = NULL;
		return -ENOMEM;
	}
	fd = mkostemps(r->path, strlen(ending), O_CLOEXEC);
	if (fd >= 0) {
		close(fd);
		return 0;
	}
	fd = -errno;
	free(r->path);
	r->path = NULL;
	return fd;
}

int rescue__open(struct rescue **out, const char *ending)
{
	struct rescue *r = calloc(1, sizeof(*r));
	int err;

	*out = NULL;
	if (!r)
		return -ENOMEM;
	err = make_file(r, ending);
	if (!err)
		err = sink__open(&r->sink, r->path, SINK_PARTS);
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
	if (r->path && !r->has_part)
		unlink(r->path);
	free(r->path);
	free(r);
}
