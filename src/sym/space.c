// SPDX-License-Identifier: BSD-2-Clause
/* Puts mappings over others, remembers what they replace, and finds one by address and time. */
#include "sym/space.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct space {
	unsigned refs;
	unsigned changes, replaced;
	uint64_t changed_ns;
	struct mapping *now; /* sorted, without overlaps */
	size_t nr_now, cap_now;
	struct mapping *past; /* replaced ones, oldest first */
	size_t nr_past, cap_past;
};

struct space *space__new(void)
{
	struct space *s = calloc(1, sizeof(*s));

	if (s)
		s->refs = 1;
	return s;
}

struct space *space__share(struct space *s)
{
	s->refs++;
	return s;
}

void space__release(struct space *s)
{
	if (!s || --s->refs)
		return;
	free(s->now);
	free(s->past);
	free(s);
}

static int copy_mappings(struct mapping **to, size_t *cap, const struct mapping *from, size_t nr)
{
	int err = nr ? array__grow(to, cap, nr) : 0;

	if (!err && nr)
		memcpy(*to, from, nr * sizeof(*from));
	return err;
}

int space__own(struct space **s)
{
	struct space *copy;

	if ((*s)->refs == 1)
		return 0;
	copy = space__new();
	if (!copy || copy_mappings(&copy->now, &copy->cap_now, (*s)->now, (*s)->nr_now) ||
	    copy_mappings(&copy->past, &copy->cap_past, (*s)->past, (*s)->nr_past)) {
		space__release(copy);
		return -ENOMEM;
	}
	copy->nr_now = (*s)->nr_now;
	copy->nr_past = (*s)->nr_past;
	copy->changes = (*s)->changes;
	copy->replaced = (*s)->replaced;
	copy->changed_ns = (*s)->changed_ns;
	space__release(*s);
	*s = copy;
	return 0;
}

/* Index of the first mapping that ends behind @addr. */
static size_t first_behind(const struct space *s, uint64_t addr)
{
	size_t lo = 0, hi = s->nr_now;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (s->now[mid].end <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static int remember(struct space *s, const struct mapping *m)
{
	int err;

	if (s->nr_past == SPACE_PAST) {
		s->nr_past /= 2;
		memmove(s->past, s->past + s->nr_past, s->nr_past * sizeof(*s->past));
	}
	err = array__grow(&s->past, &s->cap_past, s->nr_past + 1);

	if (!err)
		s->past[s->nr_past++] = *m;
	return err;
}

static struct mapping cut(const struct mapping *m, uint64_t start, uint64_t end)
{
	struct mapping part = *m;

	part.offset += start - m->start;
	part.start = start;
	part.end = end;
	return part;
}

/* Do both map the same code where they overlap? */
static bool is_same_code(const struct mapping *a, const struct mapping *b)
{
	if (a->kind != b->kind)
		return false;
	return a->kind != MAPPING_FILE ||
	       (a->binary == b->binary && a->offset - a->start == b->offset - b->start);
}

/* What is there may have been seen in a map before its record came, which knows since when. */
static bool is_known(struct space *s, const struct mapping *m)
{
	const size_t i = first_behind(s, m->start);
	struct mapping *known = i < s->nr_now ? &s->now[i] : NULL;

	if (!known || known->start > m->start || known->end < m->end || !is_same_code(known, m))
		return false;
	if (known->start == m->start && known->end == m->end && known->since_ns > m->since_ns)
		known->since_ns = m->since_ns;
	return true;
}

int space__add(struct space *s, const struct mapping *m)
{
	size_t first, last, nr_keep = 0;
	struct mapping keep[3];
	int err;

	if (m->start >= m->end || is_known(s, m))
		return 0;
	s->changes++;
	if (s->changed_ns < m->since_ns)
		s->changed_ns = m->since_ns;
	if (s->nr_now >= SPACE_NOW)
		s->nr_now = 0;
	first = last = first_behind(s, m->start);
	for (; last < s->nr_now && s->now[last].start < m->end; last++) {
		const struct mapping *old = &s->now[last];

		err = remember(s, old);
		if (err)
			return err;
		s->replaced += old->kind == MAPPING_FILE && !is_same_code(old, m);
	}
	/* Of what was overlapped, the ends that stick out stay. */
	if (last > first && s->now[first].start < m->start)
		keep[nr_keep++] = cut(&s->now[first], s->now[first].start, m->start);
	keep[nr_keep++] = *m;
	if (last > first && s->now[last - 1].end > m->end)
		keep[nr_keep++] = cut(&s->now[last - 1], m->end, s->now[last - 1].end);

	err = array__grow(&s->now, &s->cap_now, s->nr_now + nr_keep);
	if (err)
		return err;
	memmove(&s->now[first + nr_keep], &s->now[last], (s->nr_now - last) * sizeof(*s->now));
	memcpy(&s->now[first], keep, nr_keep * sizeof(*keep));
	s->nr_now = s->nr_now - (last - first) + nr_keep;
	return 0;
}

int space__see(struct space *s, const struct mapping *m, uint64_t seen_ns)
{
	uint64_t at = m->start, end;
	int err = 0;

	for (; at < m->end && !err; at = end) {
		size_t i = first_behind(s, at);
		const struct mapping *next = i < s->nr_now ? &s->now[i] : NULL;
		bool covered = next && next->start <= at;
		struct mapping part;

		end = !next ? m->end : covered ? next->end : next->start;
		if (end > m->end)
			end = m->end;
		part = cut(m, at, end);
		if (covered && (is_same_code(next, &part) || next->since_ns > seen_ns))
			continue;
		if (covered)
			part.since_ns = seen_ns;
		err = space__add(s, &part);
	}
	return err;
}

int space__see_all(struct space *s, const struct space *other, uint64_t seen_ns)
{
	int err = 0;

	for (size_t i = 0; i < other->nr_now && !err; i++)
		err = space__see(s, &other->now[i], seen_ns);
	return err;
}

const struct mapping *space__find(const struct space *s, uint64_t addr, uint64_t time_ns)
{
	size_t i = first_behind(s, addr);
	const struct mapping *found = NULL;

	if (i < s->nr_now && s->now[i].start <= addr)
		found = &s->now[i];
	if (found && found->since_ns <= time_ns)
		return found;
	for (i = s->nr_past; i--;) {
		const struct mapping *m = &s->past[i];

		if (m->start <= addr && addr < m->end && m->since_ns <= time_ns)
			return m;
	}
	return found;
}

const struct mapping *space__now(const struct space *s)
{
	return s->now;
}

size_t space__nr(const struct space *s)
{
	return s->nr_now;
}

unsigned space__changes(const struct space *s)
{
	return s->changes;
}

uint64_t space__changed_ns(const struct space *s)
{
	return s->changed_ns;
}

bool space__vdso_ns(const struct space *s, uint64_t *since_ns)
{
	for (size_t i = 0; i < s->nr_now; i++)
		if (s->now[i].kind == MAPPING_VDSO) {
			*since_ns = s->now[i].since_ns;
			return true;
		}
	return false;
}

unsigned space__replaced(const struct space *s)
{
	return s->replaced;
}

enum mapping_kind mapping__kind(const char *name)
{
	static const char *const anonymous[] = {
		"//anon",  "/dev/zero", "/anon_hugepage", "/SYSV",
		"/memfd:", "[heap]",	"[stack",	  "[anon"
	};

	if (!strcmp(name, "[vdso]"))
		return MAPPING_VDSO;
	if (!strcmp(name, "[vsyscall]"))
		return MAPPING_VSYSCALL;
	if (name[0] != '/')
		return MAPPING_ANON;
	for (size_t i = 0; i < ARRAY_SIZE(anonymous); i++)
		if (!strncmp(name, anonymous[i], strlen(anonymous[i])))
			return MAPPING_ANON;
	return MAPPING_FILE;
}
