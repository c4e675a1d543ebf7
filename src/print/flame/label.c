// SPDX-License-Identifier: BSD-2-Clause
/* Shortens names of functions by what they are made of, and cuts what is still too wide. */
#include "print/flame/label.h"

#include <ctype.h>
#include <string.h>

#include "base/array.h"
#include "base/utf8.h"
#include "print/flame/label_pieces.h"

/* Bytes of a part; all of them are no more than the name has. */
struct part {
	size_t len;
	char bytes[LABEL_BYTES];
};

static void put(struct part *to, const char *s, size_t len)
{
	memcpy(to->bytes + to->len, s, len);
	to->len += len;
}

static bool is_whole(const char *s, size_t len)
{
	struct piece p = {};

	while (p.kind != PIECE_END && p.kind != PIECE_BROKEN)
		p = label_piece__next(s, len, &p);
	return p.kind == PIECE_END;
}

/* Behind what a member function has after its parameters: " const &". */
static size_t skip_qualifiers(const char *s, size_t len, size_t at)
{
	static const char *const qualifiers[] = { " const", " volatile", " &&", " &" };

	for (size_t i = 0; i < ARRAY_SIZE(qualifiers); i++) {
		const size_t n = strlen(qualifiers[i]);

		if (len - at >= n && !memcmp(s + at, qualifiers[i], n))
			at += n;
	}
	return at;
}

static void put_brief(struct part *to, const char *s, size_t len);

/* What is in the brackets of a name has arguments, too. */
static void put_group(struct part *to, const char *s, const struct piece *p)
{
	const char *inner = s + p->begin + 1;
	const size_t len = p->end - p->begin - 2;

	put(to, s + p->begin, 1);
	if (is_whole(inner, len))
		put_brief(to, inner, len);
	else
		put(to, inner, len);
	put(to, s + p->end - 1, 1);
}

static void put_brief(struct part *to, const char *s, size_t len)
{
	struct piece p = {};

	while ((p = label_piece__next(s, len, &p)).kind != PIECE_END) {
		const bool is_list = p.kind == PIECE_ARGUMENTS || p.kind == PIECE_PARAMETERS;

		if (is_list && p.end - p.begin > 4) {
			put(to, s + p.begin, 1);
			put(to, "..", 2);
			put(to, s + p.end - 1, 1);
		} else if (p.kind == PIECE_GROUP) {
			put_group(to, s, &p);
		} else {
			put(to, s + p.begin, p.end - p.begin);
		}
		if (p.kind == PIECE_PARAMETERS)
			p.end = skip_qualifiers(s, len, p.end);
	}
}

/* "<alloc::vec::Vec<u8> as core::fmt::Debug>": "<Vec as Debug>" */
static void put_last_parts(struct part *to, const char *s, size_t len)
{
	struct piece p = {};
	size_t begin = to->len;

	while ((p = label_piece__next(s, len, &p)).kind != PIECE_END) {
		if (p.kind == PIECE_COLONS)
			to->len = begin;
		else if (p.kind == PIECE_GROUP)
			put_group(to, s, &p);
		else if (p.kind != PIECE_ARGUMENTS)
			put(to, s + p.begin, p.end - p.begin);
		if (p.kind == PIECE_BLANK)
			begin = to->len;
	}
}

static bool is_anonymous(const struct part *p)
{
	static const char gnu[] = "(anonymous namespace)", debug[] = "{anonymous}";

	return (p->len == sizeof(gnu) - 1 && !memcmp(p->bytes, gnu, p->len)) ||
	       (p->len == sizeof(debug) - 1 && !memcmp(p->bytes, debug, p->len));
}

/* "::h0123456789abcdef" at the end */
static bool is_hash(const char *s, size_t len, const struct piece *colons)
{
	enum { DIGITS = 16 };
	size_t at = colons->end;

	if (len - at != 1 + DIGITS || s[at] != 'h')
		return false;
	while (++at < len)
		if (!isxdigit((unsigned char)s[at]))
			return false;
	return true;
}

/* The last two parts. */
struct tail {
	struct part before, last;
};

static void end_part(struct tail *t)
{
	if (t->last.len && !is_anonymous(&t->last)) {
		t->before.len = 0;
		put(&t->before, t->last.bytes, t->last.len);
	}
	t->last.len = 0;
}

static void put_name_group(struct part *to, const char *s, const struct piece *p)
{
	const char *inner = s + p->begin + 1;
	const size_t len = p->end - p->begin - 2;

	if (s[p->begin] != '<' || !is_whole(inner, len)) {
		put_group(to, s, p);
		return;
	}
	put(to, "<", 1);
	put_last_parts(to, inner, len);
	put(to, ">", 1);
}

static bool has_parameters(const char *s, size_t len)
{
	struct piece p = {};

	while ((p = label_piece__next(s, len, &p)).kind != PIECE_END)
		if (p.kind == PIECE_PARAMETERS)
			return true;
	return false;
}

static void find_tail(struct tail *t, const char *s, size_t len)
{
	const bool is_function = has_parameters(s, len);
	struct piece p = {};

	while ((p = label_piece__next(s, len, &p)).kind != PIECE_END) {
		if (p.kind == PIECE_COLONS) {
			if (is_hash(s, len, &p))
				break;
			if (label_piece__next(s, len, &p).kind != PIECE_ARGUMENTS)
				end_part(t);
		} else if (p.kind == PIECE_BLANK && is_function) {
			t->before.len = t->last.len = 0; /* a type that is returned */
		} else if (p.kind == PIECE_GROUP) {
			put_name_group(&t->last, s, &p);
		} else if (p.kind == PIECE_PARAMETERS) {
			if (p.end == len || s[p.end] != ':')
				break;
		} else if (p.kind != PIECE_ARGUMENTS) {
			put(&t->last, s + p.begin, p.end - p.begin);
		}
	}
}

/* Of Go: "github.com/x/pkg" of "github.com/x/pkg.(*T).Method" is left out up to the last slash. */
static size_t path_length(const char *s, size_t len)
{
	size_t at = 0, i;

	if (!len || !isalpha((unsigned char)s[0]) || memmem(s, len, "::", 2))
		return 0;
	for (i = 0; i < len && !strchr("([{< ", s[i]); i++)
		if (s[i] == '/')
			at = i + 1;
	return at && memchr(s + at, '.', i - at) ? at : 0;
}

static void put_tail(struct part *to, const char *s, size_t len)
{
	const size_t path = path_length(s, len);
	struct tail t;

	t.before.len = t.last.len = 0;
	find_tail(&t, s + path, len - path);
	if (t.before.len) {
		put(to, t.before.bytes, t.before.len);
		put(to, "::", 2);
	}
	put(to, t.last.bytes, t.last.len);
}

static bool fits(const char *s, size_t len, size_t columns)
{
	size_t used;

	return utf8__fit(s, len, columns, &used) == len;
}

static void keep(struct label *l, const struct part *p)
{
	memcpy(l->bytes, p->bytes, p->len);
	l->s = l->bytes;
	l->len = p->len;
}

void label__fit(struct label *l, const char *name, size_t len, size_t columns)
{
	struct part p;
	size_t used;

	l->s = name;
	l->len = len;
	l->is_cut = false;
	if (fits(name, len, columns))
		return;
	if (len <= LABEL_BYTES && is_whole(name, len)) {
		p.len = 0;
		put_brief(&p, name, len);
		if (!fits(p.bytes, p.len, columns)) {
			p.len = 0;
			put_tail(&p, name, len);
		}
		if (p.len)
			keep(l, &p);
	}
	if (fits(l->s, l->len, columns))
		return;
	l->len = utf8__fit(l->s, l->len, columns ? columns - 1 : 0, &used);
	l->is_cut = true;
}
