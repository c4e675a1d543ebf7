// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a text of perf script, whether it looks like one or not. Samples are kept or lost,
 * and what is kept of each event is written as folded stacks, which are read without a loss.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "import/folded.h"
#include "import/perf_script.h"
#include "import/source.h"
#include "model/profile.h"
#include "print/folded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

enum { MAX_BYTES = 64 << 20 };

static int read_perf_script(struct profile *p, struct source *s)
{
	static const struct perf_script_opts opts = { .max_bytes = MAX_BYTES };
	struct perf_script_found found;
	const char *text;
	size_t len;

	if (source__peek(s, &text, &len))
		abort();
	(void)!perf_script__is_it(text, len);
	return import__perf_script(p, s, &opts, &found);
}

static int read_folded(struct profile *p, struct source *s)
{
	static const struct folded_opts opts = { .max_bytes = MAX_BYTES };
	struct folded_found found;

	return import__folded(p, s, &opts, &found);
}

static struct profile *read_bytes(const void *data, size_t len,
				  int (*reader)(struct profile *p, struct source *s))
{
	int fd = memfd_create("perf_script", MFD_CLOEXEC), err;
	struct profile *p = profile__new();
	struct source *s;
	struct buf why = {};
	uint64_t kept = 0;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || !p || write(fd, data, len) != (ssize_t)len || source__open(&s, path, &why))
		abort();
	err = reader(p, s);
	if (err && err != -ENODATA && err != -EBADMSG)
		abort();
	for (size_t i = 0; i < p->nr_rows; i++)
		kept += p->rows[i].samples;
	if (kept != p->losses.kept || kept + losses__sum(&p->losses) != p->losses.seen)
		abort();
	source__close(s);
	close(fd);
	return p;
}

static void check_event(const struct profile *p, uint32_t event)
{
	size_t len;
	char *text = NULL;
	FILE *f = open_memstream(&text, &len);
	struct profile *again;

	if (!f || print__folded(f, p, event) || fclose(f))
		abort();
	again = read_bytes(text, len, read_folded);
	if (again->losses.kept != p->events[event].samples || losses__sum(&again->losses))
		abort();
	profile__free(again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	enum { EVENTS = 8 };
	struct profile *p = read_bytes(data, len, read_perf_script);

	for (uint32_t i = 0; i < p->nr_events && i < EVENTS; i++)
		check_event(p, i);
	profile__free(p);
	return 0;
}
