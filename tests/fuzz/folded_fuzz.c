// SPDX-License-Identifier: BSD-2-Clause
/*
 * Any bytes as a file of folded stacks. What was read is written as such a file, and that one is
 * read without a loss, and as it was written.
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
#include "import/source.h"
#include "model/profile.h"
#include "print/folded.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static struct profile *read_bytes(const void *data, size_t len)
{
	static const struct folded_opts opts = { .max_bytes = 64 << 20 };
	int fd = memfd_create("folded", MFD_CLOEXEC), err;
	struct profile *p = profile__new();
	struct folded_found found;
	struct source *s;
	struct buf why = {};
	uint64_t kept = 0;
	char path[32];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	if (fd < 0 || !p || write(fd, data, len) != (ssize_t)len || source__open(&s, path, &why))
		abort();
	err = import__folded(p, s, &opts, &found);
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

static char *written(const struct profile *p, size_t *len)
{
	char *text = NULL;
	FILE *f = open_memstream(&text, len);

	if (!f)
		abort();
	if (p->nr_events > 1 ? print__folded_all(f, p) : p->nr_events && print__folded(f, p, 0))
		abort();
	if (fclose(f))
		abort();
	return text;
}

/*
 * The samples of what was written, by a reader of its own: a line ends in a blank and a number, as
 * often as there are events. Of several the first line has the names.
 */
static uint64_t sum_of(const char *text, size_t nr_events)
{
	uint64_t sum = 0;

	if (nr_events > 1)
		text = strchr(text, '\n') + 1;
	for (const char *line = text, *end; (end = strchr(line, '\n')); line = end + 1) {
		const char *count = end;

		for (size_t i = 0; i < nr_events; i++) {
			count = memrchr(line, ' ', count - line);
			if (!count)
				abort();
			sum += strtoull(count, NULL, 10);
		}
	}
	return sum;
}

/* Characters that are not shown are replaced the first time, and lines in another order then. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct profile *p = read_bytes(data, len);
	size_t len_before, len_text;
	char *before = written(p, &len_before), *text;

	if (sum_of(before, p->nr_events) != p->losses.kept)
		abort();
	for (unsigned i = 0; i < 2; i++) {
		const uint64_t kept = p->losses.kept;

		profile__free(p);
		p = read_bytes(before, len_before);
		text = written(p, &len_text);
		if (p->losses.kept != kept || losses__sum(&p->losses))
			abort();
		if (i && (len_text != len_before || memcmp(text, before, len_text)))
			abort();
		free(before);
		before = text;
		len_before = len_text;
	}
	free(before);
	profile__free(p);
	return 0;
}
