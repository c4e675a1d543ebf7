// SPDX-License-Identifier: BSD-2-Clause
/* Reads a tracepoint's id and format from its folder in tracefs: its fields, its print format. */
#include "event/tracepoint.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "base/why.h"

/* A run of bytes inside the text. */
struct span {
	const char *at;
	size_t len;
};

/* While the text is being read. */
struct reading {
	struct tracepoint_format *out;
	size_t cap_fields;
	bool in_fields;	  /* behind "format:" */
	bool past_common; /* behind the blank line that ends the common fields */
	bool has_id;
};

static struct span trim(struct span s)
{
	while (s.len && isblank((unsigned char)*s.at)) {
		s.at++;
		s.len--;
	}
	while (s.len && isblank((unsigned char)s.at[s.len - 1]))
		s.len--;
	return s;
}

/* Cuts the prefix off if it is there. */
static bool take_prefix(struct span *s, const char *prefix)
{
	size_t len = strlen(prefix);

	if (s->len < len || memcmp(s->at, prefix, len))
		return false;
	s->at += len;
	s->len -= len;
	return true;
}

/* What lies before the byte, which is passed over; false if it is not there. */
static bool take_until(struct span *s, char end, struct span *out)
{
	const char *found = memchr(s->at, end, s->len);

	if (!found)
		return false;
	*out = (struct span){ s->at, found - s->at };
	s->len -= out->len + 1;
	s->at = found + 1;
	return true;
}

static int copy(struct span s, char **out)
{
	if (!s.len || *out)
		return -EINVAL;
	*out = strndup(s.at, s.len);
	return *out ? 0 : -ENOMEM;
}

static int take_number(struct span s, uint32_t *out)
{
	char digits[16];
	uint64_t v;

	s = trim(s);
	if (s.len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, s.at, s.len);
	digits[s.len] = '\0';
	if (parse__u64(digits, 0, UINT32_MAX, &v))
		return -EINVAL;
	*out = v;
	return 0;
}

/* Cuts "[16]", "[]" or "[sizeof(int[2])]" off the end. */
static bool take_brackets(struct span *s)
{
	size_t depth = 0;

	if (!s->len || s->at[s->len - 1] != ']')
		return false;
	for (size_t i = s->len; i-- > 0;) {
		if (s->at[i] == ']')
			depth++;
		else if (s->at[i] == '[' && !--depth) {
			*s = trim((struct span){ s->at, i });
			return true;
		}
	}
	return false;
}

/*
 * "TYPE NAME", "TYPE NAME[LEN]", "__data_loc TYPE[] NAME" or "__rel_loc TYPE NAME[]": the kernel
 * moves the brackets of all but __data_loc behind the name.
 */
static int parse_declaration(struct tracepoint_field *f, struct span s)
{
	struct span name;
	int err;

	s = trim(s);
	f->is_relative = take_prefix(&s, "__rel_loc ");
	f->is_dynamic = f->is_relative || take_prefix(&s, "__data_loc ");
	while (take_brackets(&s))
		f->is_array = true;

	name = (struct span){ s.at + s.len, 0 };
	while (s.len && (isalnum((unsigned char)name.at[-1]) || name.at[-1] == '_')) {
		name.at--;
		name.len++;
		s.len--;
	}
	s = trim(s);
	while (take_brackets(&s))
		f->is_array = true;
	err = copy(name, &f->name);
	return err ? err : copy(s, &f->type);
}

/* "offset:8;	size:16;	signed:0;" */
static int parse_place(struct tracepoint_field *f, struct span s)
{
	bool has_offset = false, has_size = false;
	struct span item;
	uint32_t sign = 0;
	int err = 0;

	while (!err && take_until(&s, ';', &item)) {
		item = trim(item);
		if (take_prefix(&item, "offset:")) {
			has_offset = true;
			err = take_number(item, &f->offset);
		} else if (take_prefix(&item, "size:")) {
			has_size = true;
			err = take_number(item, &f->size);
		} else if (take_prefix(&item, "signed:")) {
			err = take_number(item, &sign);
		}
	}
	if (err)
		return err;
	f->is_signed = sign;
	if (!has_offset || !has_size || f->size > UINT32_MAX - f->offset)
		return -EINVAL;
	return 0;
}

static int parse_field(struct reading *r, struct span line)
{
	struct tracepoint_format *out = r->out;
	struct tracepoint_field *f;
	struct span declaration;
	int err;

	if (out->nr == TRACEPOINT_FIELDS_MAX)
		return -E2BIG;
	if (!take_until(&line, ';', &declaration))
		return -EINVAL;
	err = array__grow(&out->fields, &r->cap_fields, out->nr + 1);
	if (err)
		return err;
	f = &out->fields[out->nr++];
	*f = (struct tracepoint_field){ .common = !r->past_common };
	err = parse_declaration(f, declaration);
	return err ? err : parse_place(f, line);
}

static int parse_line(struct reading *r, struct span line)
{
	line = trim(line);
	if (take_prefix(&line, "name:"))
		return copy(trim(line), &r->out->name);
	if (take_prefix(&line, "ID:")) {
		r->has_id = true;
		return take_number(line, &r->out->id);
	}
	if (take_prefix(&line, "format:"))
		r->in_fields = true;
	else if (r->in_fields && take_prefix(&line, "field:"))
		return parse_field(r, line);
	else if (r->out->nr && !line.len)
		r->past_common = true;
	return 0;
}

static int parse_text(struct reading *r, struct span text)
{
	struct span line;
	int err = 0;

	while (!err && text.len) {
		if (take_prefix(&text, "print fmt:")) {
			while (text.len && text.at[text.len - 1] == '\n')
				text.len--;
			text = trim(text);
			return text.len ? copy(text, &r->out->print) : 0;
		}
		if (!take_until(&text, '\n', &line)) {
			line = text;
			text.len = 0;
		}
		err = parse_line(r, line);
	}
	return err;
}

int tracepoint_format__parse(const char *text, size_t len, struct tracepoint_format *out)
{
	struct reading r = { .out = out };
	int err;

	*out = (struct tracepoint_format){};
	if (len > TRACEPOINT_TEXT_MAX)
		return -E2BIG;
	if (!len || memchr(text, '\0', len))
		return -EINVAL;
	err = parse_text(&r, (struct span){ text, len });
	if (!err && (!out->name || !r.has_id))
		err = -EINVAL;
	if (err)
		tracepoint_format__free(out);
	return err;
}

void tracepoint_format__free(struct tracepoint_format *f)
{
	for (size_t i = 0; i < f->nr; i++) {
		free(f->fields[i].name);
		free(f->fields[i].type);
	}
	free(f->fields);
	free(f->name);
	free(f->print);
	*f = (struct tracepoint_format){};
}

static int explain(int err, const char *tracefs, const char *category, const char *name,
		   struct buf *why)
{
	int failed;

	if (err == -ENOENT)
		return tracepoint__explain_unknown(tracefs, category, name, why);
	if (err == -EACCES || err == -EPERM)
		failed = buf__printf(why,
				     "tracepoint '%s:%s' is not readable by this user: run as "
				     "root, or let a group read it: `mount -o "
				     "remount,gid=GROUP,mode=750 %s`",
				     category, name, tracefs);
	else
		failed = buf__printf(why, "cannot read tracepoint '%s:%s': %s", category, name,
				     strerror(-err));
	if (failed)
		return failed;
	return err == -EPERM ? -EACCES : err;
}

static bool is_name(const char *s)
{
	return *s && *s != '.' && !strchr(s, '/');
}

/* A file of a tracepoint, appended to @text. */
static int read_file(const char *tracefs, const char *category, const char *name, const char *file,
		     struct buf *text, struct buf *why)
{
	struct buf path = {};
	int err;

	if (!is_name(category) || !is_name(name)) {
		return why__refuse(why, -EINVAL, "'%s:%s' is no tracepoint: write CATEGORY:NAME",
				   category, name);
	}
	err = buf__printf(&path, "%s/events/%s/%s/%s", tracefs, category, name, file);
	if (!err)
		err = buf__read_file(text, path.data, TRACEPOINT_TEXT_MAX);
	buf__free(&path);
	return err ? explain(err, tracefs, category, name, why) : 0;
}

int tracepoint__id(const char *tracefs, const char *category, const char *name, uint32_t *id,
		   struct buf *why)
{
	struct buf text = {};
	int err = read_file(tracefs, category, name, "id", &text, why);
	uint64_t v;

	if (!err) {
		text.data[strcspn(text.data, "\n")] = '\0';
		err = parse__u64(text.data, 1, UINT32_MAX, &v);
		if (err)
			err = explain(-EBADMSG, tracefs, category, name, why);
		else
			*id = v;
	}
	buf__free(&text);
	return err;
}

int tracepoint__format(const char *tracefs, const char *category, const char *name,
		       struct tracepoint_format *out, struct buf *why)
{
	struct buf text = {};
	int err = read_file(tracefs, category, name, "format", &text, why);

	*out = (struct tracepoint_format){};
	if (!err) {
		err = tracepoint_format__parse(text.data, text.len, out);
		if (err)
			err = explain(err == -EINVAL ? -EBADMSG : err, tracefs, category, name,
				      why);
	}
	buf__free(&text);
	return err;
}
