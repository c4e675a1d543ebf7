// SPDX-License-Identifier: BSD-2-Clause
/* Loads what a cursor comes to, more at a time the further it goes. */
#include "dwarf/cursor.h"

enum { WINDOW_MIN = 512, WINDOW_MAX = 64 * 1024, STRING_BYTES_MAX = 1 << 20 };

struct dwarf_cursor cursor__at(const struct dwarf_section *s, uint64_t at, uint64_t end)
{
	struct dwarf_cursor c = { .section = s, .window = WINDOW_MIN };

	if (end > s->len)
		end = s->len;
	if (at > end) {
		at = end;
		c.over = true;
	}
	/* An absent section has no address to add to. */
	c.at = c.ready = s->len ? s->bytes + at : s->bytes;
	c.end = s->len ? s->bytes + end : s->bytes;
	if (!s->load)
		c.ready = c.end;
	return c;
}

bool cursor__load(struct dwarf_cursor *c, uint64_t len)
{
	const struct dwarf_section *s = c->section;
	uint64_t want = len > c->window ? len : c->window;

	if (!c->over && len <= cursor__left(c) && s->load) {
		if (want > cursor__left(c))
			want = cursor__left(c);
		if (c->window < WINDOW_MAX)
			c->window *= 2;
		if (s->load(s->arg, s->base + cursor__offset(c), want)) {
			c->ready = c->at + want;
			return true;
		}
	}
	c->over = true;
	c->at = c->ready = c->end;
	return false;
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
	part.bytes += at;
	part.len = len;
	part.base += at;
	return part;
}

const char *dwarf_section__string(const struct dwarf_section *s, uint64_t at)
{
	struct dwarf_cursor c = cursor__at(s, at, s->len);

	if (cursor__left(&c) > STRING_BYTES_MAX)
		c.end = c.at + STRING_BYTES_MAX;
	if (c.ready > c.end)
		c.ready = c.end;
	cursor__skip_string(&c);
	return c.over ? NULL : (const char *)s->bytes + at;
}

bool dwarf_section__number(const struct dwarf_section *s, uint64_t at, unsigned nr_bytes,
			   uint64_t *v)
{
	struct dwarf_cursor c = cursor__at(s, at, s->len);

	*v = take_number(&c, nr_bytes);
	return !c.over;
}
