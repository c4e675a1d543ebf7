// SPDX-License-Identifier: BSD-2-Clause
/* Sorts fields, filters and --match of calls to the entry probe or the return probe. */
#include "plan/func_fields.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/why.h"
#include "plan/fields.h"
#include "plan/filter.h"

/* Fields of each function's entry, and of its return: of[0] and of[1], in one allocation. */
struct both {
	struct func_plan *p;
	struct fields **of[2];
};

static struct fields_group group_of(const struct both *b, bool leave)
{
	return (struct fields_group){ b->of[leave], b->p->nr_functions };
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* "ret", "ret:s32", "ret->x" */
static bool is_ret(const char *text, size_t len)
{
	return len >= 3 && !strncmp(text, "ret", 3) && (len == 3 || !is_word(text[3]));
}

static bool is_of_task(const char *text, size_t len)
{
	static const char *const names[] = { "comm", "COMM", "pid", "tid", "cpu", "CPU", "uid" };
	static const char task[] = "TASK->";

	if (len > strlen(task) && !strncmp(text, task, strlen(task)))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (strlen(names[i]) == len && !strncmp(names[i], text, len))
			return true;
	return false;
}

/* Length of a field with its members and type: "sk->__sk_common.skc_dport:x16". */
static size_t field_len(const char *s)
{
	size_t n = 0;

	for (;;) {
		while (is_word(s[n]))
			n++;
		if ((s[n] == '.' || s[n] == ':') && is_word(s[n + 1]))
			n++;
		else if (s[n] == '-' && s[n + 1] == '>')
			n += 2;
		else
			return n;
	}
}

/* Behind a field there is a relation: it is compared. The `&&` of `a && b` is none. */
static bool is_compared(const char *s)
{
	s += strspn(s, " \t");
	return strchr("=!<>~", *s) ? *s != '\0' : *s == '&' && s[1] != '&';
}

unsigned func_filter__of(const char *text)
{
	unsigned of = FILTER_OF_TASK;
	char quote = '\0';

	for (const char *s = text; *s;) {
		size_t n = quote ? 0 : field_len(s);

		if (quote || *s == '"' || *s == '\'')
			quote = !quote ? *s : *s == quote ? '\0' : quote;
		if (n && is_compared(s + n) && !isdigit((unsigned char)*s) && !is_of_task(s, n))
			of |= is_ret(s, n) ? FILTER_OF_RETURN : FILTER_OF_ENTRY;
		s += n ? n : 1;
	}
	return of;
}

/*
 * Looks a field up for all functions, at their entries or returns. @set gets each; for functions
 * without that probe (of --from, --to) an empty one.
 */
static int each_field(const struct both *b, bool leave, const char *what, const char *text,
		      size_t len, enum field_kind *kind,
		      void (*set)(struct func_probe *f, const struct field *field, bool leave),
		      struct buf *why)
{
	struct func_plan *p = b->p;
	bool is_first = true;

	for (size_t i = 0; i < p->nr_functions; i++) {
		struct field field = {};
		int err = 0;

		if (b->of[leave][i])
			err = fields__find(b->of[leave][i], text, len, &field, why);
		if (err)
			return err;
		if (field.kind == FIELD_TEXT)
			return why__refuse(why, -EINVAL,
					   "%s: '%.*s' is a text, and what is remembered of a "
					   "call are numbers; `pmutrace count --by %.*s` has it",
					   what, (int)len, text, (int)len, text);
		if (b->of[leave][i] && (is_first || field.kind == FIELD_SIGNED))
			*kind = field.kind;
		is_first &= !b->of[leave][i];
		set(&p->functions[i], &field, leave);
	}
	return 0;
}

static void append_by(struct func_probe *f, const struct field *field, bool leave)
{
	f->by_ret |= (uint32_t)leave << f->nr_by;
	f->by[f->nr_by++] = field->fetch;
}

static int add_field(void *arg, const char *text, size_t len, struct buf *why)
{
	const struct both *b = arg;
	struct func_plan *p = b->p;
	enum field_kind kind = FIELD_UNSIGNED;
	int err;

	if (len == strlen("caller") && !strncmp(text, "caller", len)) {
		p->key.by |= BY_CALLER;
		return 0;
	}
	if (p->functions->nr_by == FUNC_FIELDS)
		return why__refuse(why, -EINVAL, "--by: at most %d fields of calls", FUNC_FIELDS);
	err = each_field(b, is_ret(text, len), "--by", text, len, &kind, append_by, why);
	return err ? err : rowkeys__add(&p->key, text, len, kind, ROWFIELD_WORDS);
}

static int plan_keys(struct both *b, const char *by, struct buf *why)
{
	const struct fields_group entries = group_of(b, false);
	int err = rowkeys__parse(&b->p->key, by, &entries, add_field, b, why);

	if (!err && b->p->key.by & BY_CPU)
		return why__refuse(why, -EINVAL,
				   "--by: a call may be on several CPUs: cpu is no key of "
				   "it; -C CPU counts on one");
	return err;
}

static int plan_filters(const struct both *b, const char *text, struct buf *why)
{
	struct func_plan *p = b->p;
	unsigned of = func_filter__of(text);
	bool leave = of & FILTER_OF_RETURN;
	int err = 0;

	if (of == (FILTER_OF_ENTRY | FILTER_OF_RETURN))
		return why__refuse(why, -EINVAL,
				   "--filter: `ret` is known at the return, other fields "
				   "at the entry; write a filter of either");
	p->filters = calloc(p->nr_functions, sizeof(*p->filters));
	if (!p->filters)
		return -ENOMEM;
	for (size_t i = 0; i < p->nr_functions && !err; i++) {
		if (!b->of[leave][i])
			continue;
		err = filter__compile(&p->filters[i], text, b->of[leave][i], NULL, why);
		p->functions[i].filter = &p->filters[i];
		p->functions[i].filter_ret = leave;
	}
	return err;
}

static void set_match(struct func_probe *f, const struct field *field, bool leave)
{
	f->match[leave] = field->fetch;
}

static int plan_match(const struct both *b, const char *text, struct buf *why)
{
	const struct fields_group ends = { b->of[0], 2 * b->p->nr_functions };
	enum field_kind kind;
	int err = fields__check_both(&ends, text, why);

	if (!err)
		err = each_field(b, false, "--match", text, strlen(text), &kind, set_match, why);
	return err ? err
		   : each_field(b, true, "--match", text, strlen(text), &kind, set_match, why);
}

static int open_fields(struct both *b)
{
	struct func_plan *p = b->p;
	int err = 0;

	b->of[0] = calloc(2 * p->nr_functions, sizeof(*b->of[0]));
	if (!b->of[0])
		return -ENOMEM;
	b->of[1] = b->of[0] + p->nr_functions;
	for (size_t i = 0; i < p->nr_functions && !err; i++) {
		if (p->functions[i].entry)
			err = fields__open(&b->of[0][i], p->functions[i].entry);
		if (!err && p->functions[i].leave)
			err = fields__open(&b->of[1][i], p->functions[i].leave);
	}
	for (int leave = 0; leave < 2; leave++) {
		const struct fields_group group = group_of(b, leave);

		fields__put_together(&group);
	}
	return err;
}

int func_plan__fields(struct func_plan *p, const struct func_plan_opts *opts, struct buf *why)
{
	struct both b = { .p = p };
	int err = open_fields(&b);

	if (!err)
		err = plan_keys(&b, opts->by ? opts->by : "func", why);
	if (!err && opts->filter)
		err = plan_filters(&b, opts->filter, why);
	if (!err && opts->match)
		err = plan_match(&b, opts->match, why);
	for (size_t i = 0; b.of[0] && i < 2 * p->nr_functions; i++)
		fields__close(b.of[0][i]);
	free(b.of[0]);
	return err;
}
