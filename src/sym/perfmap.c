// SPDX-License-Identifier: BSD-2-Clause
/* Parses the lines of perf maps, within their room. */
#include "sym/perfmap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/lines.h"

struct perfmap {
	struct perfmaps *all;
	struct spans *spans;
	bool is_skipping; /* the rest of a line that was too long */
	struct growing file;
};

struct perfmap *perfmap__new(struct perfmaps *all)
{
	struct perfmap *m = calloc(1, sizeof(*m));

	if (!m)
		return NULL;
	m->all = all;
	m->spans = spans__new(&all->room);
	if (!m->spans) {
		free(m);
		return NULL;
	}
	return m;
}

void perfmap__free(struct perfmap *m)
{
	if (!m)
		return;
	spans__free(m->spans);
	free(m);
}

static const char *skip_spaces(const char *p, const char *end)
{
	while (p < end && (*p == ' ' || *p == '\t'))
		p++;
	return p;
}

/* "START SIZE NAME"; the name may have spaces in it. */
static int add_line(struct spans *t, const char *p, size_t len)
{
	const char *end = p + len, *gap;
	uint64_t addr, size;

	p = skip_spaces(p, end);
	if (!parse_hex(&p, end, &addr))
		return 0;
	gap = p;
	p = skip_spaces(p, end);
	if (p == gap || !parse_hex(&p, end, &size))
		return 0;
	gap = p;
	p = skip_spaces(p, end);
	if (end > p && end[-1] == '\r')
		end--;
	if (p == gap || p == end || !*p || !size || size > UINT64_MAX - addr)
		return 0;
	return spans__put(t, addr, size, p, end - p);
}

/* All lines that have an end; their bytes in *used. */
static int add_lines(struct perfmap *m, const char *text, size_t len, size_t *used)
{
	const char *eol;
	int err = 0;

	*used = 0;
	while (!err && (eol = memchr(text + *used, '\n', len - *used))) {
		if (!m->is_skipping)
			err = add_line(m->spans, text + *used, eol - text - *used);
		m->is_skipping = false;
		*used = eol + 1 - text;
	}
	return err;
}

/*
 * A last line without an end may be half of one: it is taken as it is, since no more may come, and
 * again when more has come.
 */
static int parse_part(void *arg, const struct growing_part *part, uint64_t *used)
{
	struct perfmap *m = arg;
	size_t whole;
	int err = add_lines(m, part->bytes, part->len, &whole);

	*used = whole;
	if (err || whole)
		return err;
	if (part->len < GROWING_PART_BYTES)
		return m->is_skipping ? 0 : add_line(m->spans, part->bytes, part->len);
	m->is_skipping = true; /* longer than any line of use */
	*used = part->len;
	return 0;
}

static int restart(void *arg)
{
	struct perfmap *m = arg;
	struct spans *fresh = spans__new(&m->all->room);

	if (!fresh)
		return -ENOMEM;
	spans__free(m->spans);
	m->spans = fresh;
	m->is_skipping = false;
	return 0;
}

int perfmap__read(struct perfmap *m, int fd)
{
	const struct growing_fns fns = { parse_part, restart, m, m->all->run, &m->all->nr_cut };

	return growing__read(&m->file, fd, &fns);
}

int perfmap__parse(struct perfmap *m, const char *text, size_t len)
{
	size_t used;
	int err = add_lines(m, text, len, &used);

	return err ? err : add_line(m->spans, text + used, len - used);
}

bool perfmap__find(const struct perfmap *m, uint64_t addr, struct sym *out)
{
	return spans__find(m->spans, addr, out);
}
