// SPDX-License-Identifier: BSD-2-Clause
/* Puts commas, keys, numbers and strings of a JSON document where they belong. */
#include "print/json.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/utf8.h"
#include "print/escape.h"

enum { SCHEMA = 1 }; /* of every command's output */

/* What has a short escape is not shown, or ends a string: escape__json_text() does the others. */
static void put_escaped(struct writer *w, const char *s)
{
	static const char specials[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";

	while (*s) {
		size_t plain = 0;
		const char *special;

		while ((unsigned char)s[plain] >= 0x20 && s[plain] != '"' && s[plain] != '\\')
			plain++;
		escape__json_text(w, s, plain);
		s += plain;
		if (!*s)
			return;
		special = strchr(specials, *s);
		if (special) {
			writer__putc(w, '\\');
			writer__putc(w, letters[special - specials]);
		} else {
			writer__printf(w, "\\u%04x", *s);
		}
		s++;
	}
}

static void put_string(struct json *j, const char *s)
{
	buf__clear(&j->text);
	json__fail(j, utf8__put_valid(&j->text, s, strlen(s)));
	writer__putc(&j->w, '"');
	put_escaped(&j->w, j->text.len ? j->text.data : "");
	writer__putc(&j->w, '"');
}

/* All that stands before a value. */
static void begin_value(struct json *j, const char *key)
{
	if (j->comma)
		writer__putc(&j->w, ',');
	if (j->begin_line)
		writer__putc(&j->w, '\n');
	j->comma = true;
	j->begin_line = false;
	if (!key)
		return;
	put_string(j, key);
	writer__putc(&j->w, ':');
}

static void open(struct json *j, const char *key, char bracket)
{
	begin_value(j, key);
	writer__putc(&j->w, bracket);
	j->comma = false;
}

static void close(struct json *j, char bracket)
{
	writer__putc(&j->w, bracket);
	j->comma = true;
	j->begin_line = false;
}

void json__begin_foreign(struct json *j, FILE *f, bool in_lines)
{
	*j = (struct json){ .w.f = f, .in_lines = in_lines };
	json__open(j, NULL);
}

void json__begin(struct json *j, FILE *f, const char *command, bool in_lines)
{
	json__begin_foreign(j, f, in_lines);
	json__u64(j, "schema", SCHEMA);
	json__string(j, "command", command);
	json__string(j, "version", PMUTRACE_VERSION);
}

void json__next(struct json *j)
{
	json__close(j);
	writer__putc(&j->w, '\n');
	j->comma = false;
	json__open(j, NULL);
}

int json__end(struct json *j)
{
	json__close(j);
	writer__putc(&j->w, '\n');
	buf__free(&j->text);
	return writer__end(&j->w);
}

void json__fail(struct json *j, int err)
{
	if (!j->w.err)
		j->w.err = err;
}

void json__line(struct json *j)
{
	j->begin_line = j->in_lines;
}

void json__open(struct json *j, const char *key)
{
	open(j, key, '{');
}

void json__close(struct json *j)
{
	close(j, '}');
}

void json__open_array(struct json *j, const char *key)
{
	open(j, key, '[');
}

void json__close_array(struct json *j)
{
	close(j, ']');
}

void json__null(struct json *j, const char *key)
{
	begin_value(j, key);
	writer__puts(&j->w, "null");
}

void json__bool(struct json *j, const char *key, bool b)
{
	begin_value(j, key);
	writer__puts(&j->w, b ? "true" : "false");
}

void json__u64(struct json *j, const char *key, uint64_t n)
{
	begin_value(j, key);
	writer__u64(&j->w, n);
}

void json__i64(struct json *j, const char *key, int64_t n)
{
	begin_value(j, key);
	if (n < 0)
		writer__putc(&j->w, '-');
	writer__u64(&j->w, n < 0 ? -(uint64_t)n : (uint64_t)n);
}

void json__double(struct json *j, const char *key, double x, int decimals)
{
	if (!isfinite(x)) {
		json__null(j, key);
		return;
	}
	begin_value(j, key);
	if (decimals < 0)
		writer__printf(&j->w, "%.15g", x);
	else
		writer__printf(&j->w, "%.*f", decimals, x);
}

void json__string(struct json *j, const char *key, const char *s)
{
	if (!s) {
		json__null(j, key);
		return;
	}
	begin_value(j, key);
	put_string(j, s);
}
