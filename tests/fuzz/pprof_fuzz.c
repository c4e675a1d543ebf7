// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a profile of pprof. What was read is written as one, and that one is read again: as
 * many samples, the same losses.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "import/pprof.h"
#include "import/source.h"
#include "model/profile.h"
#include "print/pprof.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct profile *read_bytes(const void *data, size_t len, bool must)
{
	static const struct pprof_in_opts opts = { .comm = "file",
						   .places = true,
						   .max_bytes = 64 << 20 };
	int fd = memfd_create("pprof", MFD_CLOEXEC), err;
	struct profile *p = profile__new();
	struct pprof_found found;
	struct source *s;
	struct buf why = {};
	uint64_t kept = 0;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || !p || write(fd, data, len) != (ssize_t)len || source__open(&s, path, &why))
		abort();
	(void)pprof__is_it((const char *)data, len);
	err = import__pprof(p, s, &opts, &found);
	if (err &&
	    (must || (err != -EPROTO && err != -EFBIG && err != -ENODATA && err != -EBADMSG)))
		abort();
	for (size_t i = 0; i < p->nr_rows; i++)
		kept += p->rows[i].samples;
	if (kept != p->losses.kept || kept + losses__sum(&p->losses) != p->losses.seen)
		abort();
	source__close(s);
	close(fd);
	return p;
}

static uint64_t samples_of(const struct profile *p)
{
	uint64_t nr = 0;

	for (size_t i = 0; i < p->nr_events; i++)
		nr += p->events[i].samples;
	return nr;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	const struct pprof_opts opts = { .command = "report", .weights = len & 1 };
	struct profile *p = read_bytes(data, len, false), *again;
	char *bytes = NULL;
	size_t nr;
	FILE *f;

	/* Events beyond these are not read again. */
	if (p->nr_events && p->nr_events < 50) {
		f = open_memstream(&bytes, &nr);
		if (!f || print__pprof(f, p, &opts) || fclose(f))
			abort();
		again = read_bytes(bytes, nr, true);
		if (p->nr_events == 1 && samples_of(again) != samples_of(p))
			abort();
		profile__free(again);
		free(bytes);
	}
	profile__free(p);
	return 0;
}
