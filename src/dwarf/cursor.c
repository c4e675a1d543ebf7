// SPDX-License-Identifier: BSD-2-Clause
/* Has a section's bytes brought where a cursor comes to them. */
#include "dwarf/cursor.h"

enum { STRING_BYTES_MAX = 1 << 20 };

struct dwarf_cursor cursor__at(const struct dwarf_section *s, uint64_t at, uint64_t end)
{
	struct dwarf_cursor c = { .section = s };

	c.end = end < s->len ? end : s->len;
	c.over = at > c.end;
	c.ready_at = c.over ? c.end : at;
	if (s->bytes) {
		c.at = s->bytes + c.ready_at;
		c.ready = s->bytes + c.end;
		c.ready_at = c.end;
	}
	return c;
}

bool cursor__load(struct dwarf_cursor *c, uint64_t len)
{
	const struct dwarf_section *s = c->section;
	const uint64_t at = cursor__offset(c), left = cursor__left(c);
	const uint8_t *bytes = NULL;
	uint64_t nr = 0;

	if (!c->over && len <= left && s->window)
		bytes = s->window(s->arg, s->base + at, &nr);
	if (nr > left)
		nr = left;
	if (!bytes || nr < len) {
		cursor__end(c);
		return false;
	}
	c->at = bytes;
	c->ready = bytes + nr;
	c->ready_at = at + nr;
	return true;
}

void cursor__skip_string(struct dwarf_cursor *c)
{
	const uint8_t *nul;

	while (cursor__has(c, 1)) {
		nul = memchr(c->at, 0, c->ready - c->at);
		if (nul) {
			c->at = nul + 1;
			return;
		}
		c->at = c->ready;
	}
}

bool cursor__take_length(struct dwarf_cursor *c, uint64_t *len, uint8_t *offset_bytes)
{
	*len = take_number(c, 4);
	*offset_bytes = 4;
	if (*len == 0xffffffff) {
		*len = take_number(c, 8);
		*offset_bytes = 8;
	} else if (*len >= 0xfffffff0) {
		return false;
	}
	return !c->over;
}

struct dwarf_section dwarf_section__part(const struct dwarf_section *s, uint64_t at, uint64_t len)
{
	struct dwarf_section part = *s;

	if (at > s->len || len > s->len - at || !len)
		return (struct dwarf_section){};
	if (part.bytes)
		part.bytes += at;
	part.len = len;
	part.base += at;
	return part;
}

const char *dwarf_section__string(const struct dwarf_section *s, uint64_t at)
{
	uint64_t max = at < s->len ? s->len - at : 0;

	if (max > STRING_BYTES_MAX)
		max = STRING_BYTES_MAX;
	if (!max || !s->bytes)
		return max ? s->string(s->arg, s->base + at, max) : NULL;
	return memchr(s->bytes + at, 0, max) ? (const char *)s->bytes + at : NULL;
}

bool dwarf_section__number(const struct dwarf_section *s, uint64_t at, unsigned nr_bytes,
			   uint64_t *v)
{
	struct dwarf_cursor c = cursor__at(s, at, s->len);

	*v = take_number(&c, nr_bytes);
	return !c.over;
}
