// SPDX-License-Identifier: BSD-2-Clause
/* Takes the name of a function apart: words, brackets of several meanings, operators. */
#include "print/flame/label_pieces.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/array.h"

enum { DEPTH = 64 }; /* brackets in brackets; more are none */

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || (c & 0x80);
}

static bool begins(const char *s, size_t len, size_t at, const char *with)
{
	const size_t n = strlen(with);

	return len - at >= n && !memcmp(s + at, with, n);
}

/* Behind the word operator and its sign; @at: there is none. */
static size_t operator_end(const char *s, size_t len, size_t at)
{
	static const char *const signs[] = { "()", "[]", "<=>", "<<=", ">>=", "->*", "<<",
					     ">>", "->", "<=",	">=",  "<",   ">" };
	size_t end = at + 8;

	if (!begins(s, len, at, "operator") || (at && is_word(s[at - 1])) ||
	    (end < len && is_word(s[end])))
		return at;
	for (size_t i = 0; i < ARRAY_SIZE(signs); i++)
		if (begins(s, len, end, signs[i]))
			return end + strlen(signs[i]);
	while (end < len && strchr("=!+-*/%^&|~,\"", s[end]))
		end++;
	return end;
}

static char opener_of(char c)
{
	return c == ')' ? '(' : c == ']' ? '[' : '{';
}

/* Behind the bracket that closes the one at @at; 0: nothing does. A < may be a comparison. */
static size_t group_end(const char *s, size_t len, size_t at)
{
	char open[DEPTH];
	size_t depth = 0, i = at;

	while (i < len) {
		const size_t end = operator_end(s, len, i);
		const char c = s[i];

		if (end > i) {
			i = end;
			continue;
		}
		if (strchr("<([{", c)) {
			if (depth == DEPTH)
				return 0;
			open[depth++] = c;
		} else if (c == '>') {
			depth -= depth && open[depth - 1] == '<' && s[i - 1] != '-';
		} else if (strchr(")]}", c)) {
			while (depth && open[depth - 1] == '<')
				depth--;
			if (!depth || open[depth - 1] != opener_of(c))
				return 0;
			depth--;
		}
		i++;
		if (!depth)
			return i;
	}
	return 0;
}

/* A type may have brackets, and blanks, and end in [], before its parameters. */
static size_t conversion_end(const char *s, size_t len, size_t at)
{
	while (at < len && s[at] != '(') {
		const size_t end = strchr("<[{", s[at]) ? group_end(s, len, at) : at + 1;

		if (!end)
			return len;
		at = end;
	}
	return at;
}

static struct piece operator_at(const char *s, size_t len, size_t at, size_t end)
{
	if (begins(s, len, end, " <"))
		return (struct piece){ PIECE_OPERATOR, at, end + 1 };
	if (begins(s, len, end, " "))
		return (struct piece){ PIECE_CONVERSION, at, conversion_end(s, len, end) };
	return (struct piece){ PIECE_OPERATOR, at, end };
}

/* Of <..>: is it what the name before it is made with? */
static bool is_arguments(const char *s, size_t len, const struct piece *before, size_t end)
{
	const size_t at = before->end;

	switch (before->kind) {
	case PIECE_TEXT:
		return is_word(s[at - 1]);
	case PIECE_COLONS: /* Rust: drop_in_place::<T>, but <impl T for U>; GCC: <lambda(int)> */
		return !begins(s, len, at, "<impl ") && !begins(s, len, at, "<lambda") &&
		       (end == len || s[end] == '(' || begins(s, len, end, "::"));
	case PIECE_NONE:
	case PIECE_BLANK:
		return false;
	default:
		return true;
	}
}

/* Of (..): a list of parameters has a name before it, and nothing or another part behind it. */
static bool is_parameters(const char *s, size_t len, const struct piece *before, size_t end)
{
	switch (before->kind) {
	case PIECE_TEXT:
		if (!is_word(s[before->end - 1]))
			return false;
		break;
	case PIECE_NONE:
	case PIECE_COLONS:
	case PIECE_BLANK:
		return false;
	default:
		break;
	}
	return end == len || strchr(" :.[#", s[end]);
}

static struct piece brackets_at(const char *s, size_t len, const struct piece *before)
{
	const size_t at = before->end, end = group_end(s, len, at);
	struct piece p = { PIECE_GROUP, at, end };

	if (!end)
		p.kind = PIECE_BROKEN;
	else if (s[at] == '<' && is_arguments(s, len, before, end))
		p.kind = PIECE_ARGUMENTS;
	else if (s[at] == '(' && is_parameters(s, len, before, end))
		p.kind = PIECE_PARAMETERS;
	return p;
}

static struct piece text_at(const char *s, size_t len, size_t at)
{
	size_t end = at;

	while (end < len && !strchr("<([{>)]} ", s[end]) && !begins(s, len, end, "::") &&
	       operator_end(s, len, end) == end)
		end += begins(s, len, end, "->") ? 2 : 1;
	return (struct piece){ end > at ? PIECE_TEXT : PIECE_BROKEN, at, end };
}

struct piece label_piece__next(const char *s, size_t len, const struct piece *before)
{
	const size_t at = before->end, end = at < len ? operator_end(s, len, at) : at;

	if (at >= len)
		return (struct piece){ PIECE_END, len, len };
	if (end > at)
		return operator_at(s, len, at, end);
	if (begins(s, len, at, "::"))
		return (struct piece){ PIECE_COLONS, at, at + 2 };
	if (s[at] == ' ')
		return (struct piece){ PIECE_BLANK, at, at + 1 };
	if (strchr("<([{", s[at]))
		return brackets_at(s, len, before);
	return text_at(s, len, at);
}
