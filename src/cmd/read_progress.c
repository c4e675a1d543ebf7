// SPDX-License-Identifier: BSD-2-Clause
/* Tells on stderr how much of a file was read. */
#include "cmd/read_progress.h"

#include <stdio.h>

#include "base/clock.h"
#include "import/source.h"

static const uint64_t FIRST_NS = 500 * 1000000ull, STEP_NS = 100 * 1000000ull;

static void show(struct read_progress *p, uint64_t read, uint64_t size)
{
	fprintf(stderr, "\r\033[Kreading %s: ", p->name);
	if (size && read <= size)
		fprintf(stderr, "%u %% of %.1f MB ", (unsigned)(read * 100 / size), size / 1e6);
	else
		fprintf(stderr, "%.1f MB ", read / 1e6);
	p->shown = true;
}

void read_progress__end(struct read_progress *p)
{
	if (p->shown)
		fputs("\r\033[K", stderr);
	p->shown = false;
}

static void tell(void *arg, uint64_t read, uint64_t size, bool at_end)
{
	struct read_progress *p = arg;
	const uint64_t now_ns = clock__now_ns();

	if (at_end)
		read_progress__end(p);
	else if (now_ns - p->begin_ns >= FIRST_NS && now_ns - p->told_ns >= STEP_NS) {
		p->told_ns = now_ns;
		show(p, read, size);
	}
}

void read_progress__begin(struct read_progress *p, struct source *s)
{
	*p = (struct read_progress){ .name = source__name(s), .begin_ns = clock__now_ns() };
	source__on_progress(s, tell, p);
}
