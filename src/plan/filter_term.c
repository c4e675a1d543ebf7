// SPDX-License-Identifier: BSD-2-Clause
/*
 * A comparison in words -> one that bpf/filter.bpf.h makes, or the opposite of one; and the same in
 * the words of the kernel's event filters, where they mean the same.
 *
 * Source: Documentation/trace/events.rst, "Event filtering"; parse_pred() in
 * kernel/trace/trace_events_filter.c.
 */
#include "plan/filter_term.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/glob.h"
#include "base/parse.h"
#include "base/why.h"

enum {
	COMM_MAX = TARGET_COMM_LEN - 1,
	/* One byte more, and a longer string that was cut could not be told from it. */
	TEXT_MAX = FETCH_STRING_BYTES - 2,
};

static const struct relation {
	const char *text; /* longer ones first */
	enum filter_compare compare;
	bool negated;
	bool texts, numbers; /* which of them it compares */
} relations[] = {
	{ "==", FILTER_EQUAL, false, true, true },   { "!=", FILTER_EQUAL, true, true, true },
	{ "<=", FILTER_GREATER, true, false, true }, { ">=", FILTER_LESS, true, false, true },
	{ "<", FILTER_LESS, false, false, true },    { ">", FILTER_GREATER, false, false, true },
	{ "&", FILTER_ANY_BIT, false, false, true }, { "~", FILTER_GLOB, false, true, false },
};

struct comparison {
	const char *name;
	int name_len;
	struct field field;
	const struct relation *relation;
	const char *value;
	const char *text; /* of texts: the text without quotes */
	size_t text_len;
};

int filter__refuse(struct filter_parser *p, const char *bad, const char *fmt, ...)
{
	va_list ap;
	int err;

	p->bad = bad;
	va_start(ap, fmt);
	err = why__vrefuse(p->sentence, -EINVAL, fmt, ap);
	va_end(ap);
	return err;
}

void filter__skip_blanks(struct filter_parser *p)
{
	p->at += strspn(p->at, " \t\n");
}

static size_t name_len(const char *s)
{
	const char *at = s;

	while (isalnum((unsigned char)*at) || (*at && strchr("_.:", *at)) ||
	       (at > s && at[0] == '-' && at[1] == '>' &&
		(isalpha((unsigned char)at[2]) || at[2] == '_')))
		at += *at == '-' ? 2 : 1;
	return at - s;
}

/* Letters, digits, '_' and '-': what needs no quotes. */
static size_t word_len(const char *s)
{
	const char *at = s;

	while (isalnum((unsigned char)*at) || *at == '_' || *at == '-')
		at++;
	return at - s;
}

static int take_field(struct filter_parser *p, struct comparison *c)
{
	const char *name = p->at;
	size_t len = name_len(name);
	int err;

	if (!len || isdigit((unsigned char)*name))
		return filter__refuse(p, name,
				      "a field is missing here; comparisons are FIELD == VALUE");
	c->name = name;
	c->name_len = len < 128 ? len : 128; /* in sentences */
	p->at += len;
	/* The kernel's filters know these by their capitals. */
	if (len == 4 && !strncmp(name, "COMM", len))
		name = "comm";
	else if (len == 3 && !strncmp(name, "CPU", len))
		name = "cpu";
	err = fields__find(p->fields, name, len, &c->field, p->sentence);
	if (err)
		p->bad = c->name;
	return err;
}

static int refuse_relation(struct filter_parser *p, const struct comparison *c)
{
	bool text = c->field.kind == FIELD_TEXT;

	if (*p->at == '=')
		return filter__refuse(p, p->at, "write '==' for: is equal to");
	return filter__refuse(p, p->at, "'%.*s' is a %s: one of %s is missing behind it",
			      c->name_len, c->name, text ? "text" : "number",
			      text ? "== != ~" : "== != < <= > >= &");
}

static int take_relation(struct filter_parser *p, struct comparison *c)
{
	filter__skip_blanks(p);
	for (size_t i = 0; i < ARRAY_SIZE(relations); i++) {
		const struct relation *r = &relations[i];

		if (strncmp(p->at, r->text, strlen(r->text)))
			continue;
		if (!strncmp(p->at, "&&", 2) ||
		    (c->field.kind == FIELD_TEXT ? !r->texts : !r->numbers))
			break;
		c->relation = r;
		p->at += strlen(r->text);
		filter__skip_blanks(p);
		c->value = p->at;
		return 0;
	}
	return refuse_relation(p, c);
}

/*
 * How many bits a field's numbers have. Where its sign differs from that of the load it has been
 * converted, and may be any number of 64 bits.
 */
static unsigned bits_of(const struct field *field)
{
	const struct fetch *f = &field->fetch;
	const struct fetch_load *l = f->nr_steps ? &f->steps[f->nr_steps - 1] : &f->load;
	bool is_signed = field->kind == FIELD_SIGNED;

	if (!f->nr_steps && f->source != FETCH_CONTEXT)
		return f->source == FETCH_CONSTANT || is_signed ? 64 : 32;
	if (l->is_signed != is_signed)
		return 64;
	if (l->bits)
		return l->bits;
	return l->size && l->size < 8 ? 8 * l->size : 64;
}

/*
 * Whether the field can be @v, or -@v with @minus. Where only bits matter, hex numbers of a signed
 * field may set the sign bit: 0xffffffff of an s32 is -1.
 */
static bool fits(const struct comparison *c, uint64_t v, bool minus, __u64 *right)
{
	uint64_t max = UINT64_MAX >> (64 - bits_of(&c->field));
	enum filter_compare compare = c->relation->compare;
	bool hex = !minus && v && (c->value[1] | 32) == 'x';

	*right = minus ? -v : v;
	if (c->field.kind != FIELD_SIGNED)
		return v <= max && (!minus || !v);
	if (minus)
		return v <= max / 2 + 1;
	if (v <= max / 2)
		return true;
	*right = v | ~max;
	return hex && v <= max && (compare == FILTER_EQUAL || compare == FILTER_ANY_BIT);
}

static int refuse_range(struct filter_parser *p, const struct comparison *c, int len)
{
	unsigned bits = bits_of(&c->field);
	uint64_t max = UINT64_MAX >> (64 - bits);
	char hint[192] = "";

	if (c->field.kind != FIELD_SIGNED)
		return filter__refuse(p, c->value, "'%.*s' is 0 to %" PRIu64 ", never %.*s",
				      c->name_len, c->name, max, len, c->value);
	if (*c->value != '-' && !memchr(c->name, ':', c->name_len) && !(bits & (bits - 1)))
		snprintf(hint, sizeof(hint), "; '%.*s:u%u' is the same bits without a sign",
			 c->name_len, c->name, bits);
	return filter__refuse(p, c->value, "'%.*s' is %" PRId64 " to %" PRId64 ", never %.*s%s",
			      c->name_len, c->name, -(int64_t)(max / 2) - 1, (int64_t)(max / 2),
			      len, c->value, hint);
}

/* A word that is to be a number. */
static int parse_number(struct filter_parser *p, const struct comparison *c, size_t len,
			uint64_t *v)
{
	bool minus = *c->value == '-';
	char digits[32] = "";
	int err = -EINVAL;

	if (len - minus < sizeof(digits)) {
		memcpy(digits, c->value + minus, len - minus);
		err = parse__u64(digits, 0, UINT64_MAX, v);
	}
	if (err == -EINVAL)
		return filter__refuse(p, c->value,
				      "'%.*s' is a number, '%.*s' is none: decimal, or hex with 0x",
				      c->name_len, c->name, len < 64 ? (int)len : 64, c->value);
	return err ? refuse_range(p, c, len) : 0;
}

static int take_number(struct filter_parser *p, const struct comparison *c, struct filter_term *t)
{
	size_t len = word_len(c->value);
	uint64_t v = 0;
	int err;

	if (*c->value == '"' || *c->value == '\'')
		return filter__refuse(p, c->value, "'%.*s' is a number: leave out the quotes",
				      c->name_len, c->name);
	if (!len)
		return filter__refuse(p, c->value, "a number is missing behind '%s'",
				      c->relation->text);
	err = parse_number(p, c, len, &v);
	if (err)
		return err;
	if (!fits(c, v, *c->value == '-', &t->right))
		return refuse_range(p, c, len);
	if (c->relation->compare == FILTER_ANY_BIT && !v)
		return filter__refuse(p, c->value, "no bit of 0 is ever set; write another number");
	p->at += len;
	t->compare = c->relation->compare;
	t->is_signed = c->field.kind == FIELD_SIGNED &&
		       (t->compare == FILTER_LESS || t->compare == FILTER_GREATER);
	return 0;
}

/* Takes a text, quoted or bare: *out, of *len bytes. */
static int take_word(struct filter_parser *p, const struct comparison *c, const char **out,
		     size_t *len)
{
	char quote = *c->value;
	const char *end;

	if (quote == '"' || quote == '\'') {
		end = strchr(c->value + 1, quote);
		if (!end)
			return filter__refuse(p, c->value, "a %c without the one at the end",
					      quote);
		*out = c->value + 1;
		*len = end - *out;
		p->at = end + 1;
		return 0;
	}
	*out = c->value;
	*len = word_len(c->value);
	p->at += *len;
	if (*p->at && !strchr(" \t\n)&|", *p->at))
		return filter__refuse(
			p, p->at, "texts of more than letters, digits, '_' and '-' need quotes");
	if (!*len)
		return filter__refuse(p, c->value, "a text is missing behind '%s'",
				      c->relation->text);
	return 0;
}

static int take_glob(struct filter_parser *p, const struct comparison *c, const char *pattern,
		     struct filter_term *t)
{
	struct glob glob;
	struct target_glob g, *globs = p->out->globs;
	int err = glob__compile(&glob, pattern);

	if (err == -E2BIG)
		return filter__refuse(p, c->value,
				      "the pattern is too long: at most 62 characters");
	if (strchr(pattern, '['))
		return filter__refuse(p, c->value,
				      "'[' in patterns is not supported; '?' is any character");
	_Static_assert(sizeof(g.accepts) == sizeof(glob.accepts), "a word for each byte");
	memcpy(g.accepts, glob.accepts, sizeof(g.accepts));
	g.stars = glob.stars;
	g.end = glob.end;
	t->compare = FILTER_GLOB;
	for (t->glob = 0; t->glob < FILTER_GLOBS && globs[t->glob].end; t->glob++)
		if (!memcmp(&globs[t->glob], &g, sizeof(g)))
			return 0;
	if (t->glob == FILTER_GLOBS)
		return filter__refuse(
			p, c->value,
			"more than %d patterns; write the other ones with == or !=", FILTER_GLOBS);
	globs[t->glob] = g;
	return 0;
}

static int take_text(struct filter_parser *p, struct comparison *c, struct filter_term *t)
{
	bool is_comm = c->field.fetch.source == FETCH_COMM;
	size_t len = 0, max = is_comm ? COMM_MAX : TEXT_MAX;
	char pattern[128] = "";
	const char *text = "";
	int err = take_word(p, c, &text, &len);

	if (err)
		return err;
	c->text = text;
	c->text_len = len;
	if (c->relation->compare == FILTER_GLOB && len < sizeof(pattern)) {
		memcpy(pattern, text, len);
		if (strpbrk(pattern, "*?["))
			return take_glob(p, c, pattern, t);
	}
	if (len > max && is_comm)
		return filter__refuse(p, c->value, "'%.*s' has at most %zu bytes, this has %zu",
				      c->name_len, c->name, max, len);
	if (len > max)
		return filter__refuse(p, c->value,
				      "at most %zu bytes can be compared, this has %zu; "
				      "write its beginning as a pattern: ~ \"begin*\"",
				      max, len);
	t->compare = FILTER_SAME_TEXT;
	memcpy(t->text, text, len);
	return 0;
}

static int keep(struct filter_parser *p, const char *begin, const struct filter_term *t,
		unsigned *term)
{
	struct filter_term *terms = p->out->terms;

	for (*term = 0; *term < p->out->nr; ++*term)
		if (!memcmp(&terms[*term], t, sizeof(*t)))
			return 0;
	if (*term == FILTER_TERMS)
		return filter__refuse(p, begin, "more than %d comparisons: leave some of them out",
				      FILTER_TERMS);
	terms[p->out->nr++] = *t;
	return 0;
}

/* The name of a member, and no more. */
static bool is_plain(const char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) && name[i] != '_')
			return false;
	return true;
}

/*
 * The kernel's filter would compare the same value: a member neither converted, nor behind
 * a pointer, nor the narrower argument of a system call, whose whole register the kernel compares.
 */
static bool is_member(const struct fetch *f)
{
	bool narrowed = f->is_user && f->form == FETCH_NUMBER && f->load.size < 8;

	return f->source == FETCH_CONTEXT && !f->nr_steps && !f->load.bits && !narrowed &&
	       f->form != FETCH_STRING && f->form != FETCH_USER_STRING;
}

/* In the kernel's quotes a backslash is one, in its patterns it is not. */
static char quote_for(const struct comparison *c)
{
	if (memchr(c->text, '\\', c->text_len))
		return 0;
	if (!memchr(c->text, '"', c->text_len))
		return '"';
	return memchr(c->text, '\'', c->text_len) ? 0 : '\'';
}

static int put_text(struct filter_parser *p, const char *name, int len, const struct comparison *c)
{
	char quote = quote_for(c);

	if (!quote || !c->text_len) {
		p->beyond_kernel = true;
		return 0;
	}
	return buf__printf(p->kernel, "%.*s %s %c%.*s%c", len, name, c->relation->text, quote,
			   (int)c->text_len, c->text, quote);
}

/* Appends the comparison, in the kernel's words, to p->kernel. */
static int put_kernel(struct filter_parser *p, const struct comparison *c,
		      const struct filter_term *t)
{
	const char *name = c->name, prefix[] = "REC->";
	const struct field *field = &c->field;
	size_t len = c->name_len;

	if (field->fetch.source == FETCH_COMM)
		return put_text(p, "COMM", strlen("COMM"), c);
	if (len > strlen(prefix) && !strncmp(name, prefix, strlen(prefix))) {
		name += strlen(prefix);
		len -= strlen(prefix);
	}
	p->beyond_kernel |= !is_member(&field->fetch) || !is_plain(name, len);
	if (field->kind == FIELD_TEXT)
		return put_text(p, name, len, c);
	if (field->kind == FIELD_SIGNED)
		return buf__printf(p->kernel, "%.*s %s %" PRId64, (int)len, name, c->relation->text,
				   (int64_t)t->right);
	return buf__printf(p->kernel, "%.*s %s %" PRIu64, (int)len, name, c->relation->text,
			   (uint64_t)t->right);
}

int filter__comparison(struct filter_parser *p, unsigned *term, bool *negated)
{
	const char *begin = p->at;
	struct comparison c = {};
	struct filter_term t = {};
	int err = take_field(p, &c);

	if (!err)
		err = take_relation(p, &c);
	if (err)
		return err;
	t.left = c.field.fetch;
	*negated = c.relation->negated;
	err = c.field.kind == FIELD_TEXT ? take_text(p, &c, &t) : take_number(p, &c, &t);
	if (!err)
		err = put_kernel(p, &c, &t);
	return err ? err : keep(p, begin, &t, term);
}
