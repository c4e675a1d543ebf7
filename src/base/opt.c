// SPDX-License-Identifier: BSD-2-Clause
/* Parses command lines by option tables, and prints the tables as --help. */
#include "base/opt.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/parse.h"
#include "base/why.h"

static const struct opt *by_letter(const struct opt *table, char c)
{
	for (; table->type != OPT_END; table++)
		if (table->letter && table->letter == c)
			return table;
	return NULL;
}

static const struct opt *by_name(const struct opt *table, const char *name, size_t len)
{
	for (; table->type != OPT_END; table++)
		if (table->name && strlen(table->name) == len && !strncmp(table->name, name, len))
			return table;
	return NULL;
}

static size_t table_len(const struct opt *table)
{
	size_t n = 0;

	while (table[n].type != OPT_END)
		n++;
	return n;
}

static int bad_value(const struct opt *o, const char *name, const char *value, int err,
		     struct buf *why)
{
	static const char *const kinds[] = {
		[OPT_U32] = "a whole number above 0",
		[OPT_MOST] = "a whole number above 0, nor 'all'",
		[OPT_COUNT] = "a whole number above 0, such as 100000 or 100k",
		[OPT_TIME] = "a time above 0, such as 5, 0.5 or 200ms",
		[OPT_MSEC] = "a time of 1 ms or more, such as 500 or 1s",
	};

	return why__refuse(why, -EINVAL, "%s: '%s' is not %s%s", name, value, kinds[o->type],
			   err == -ERANGE && value[strspn(value, "0")] ? " (too large)" : "");
}

/* 0; -EINVAL or -ERANGE: it is no such value; -ENOMEM. */
static int store_value(const struct opt *o, void *into, const char *value)
{
	void *at = (char *)into + o->offset;
	struct opt_strs *strs;
	uint64_t v;
	int err = 0;

	switch (o->type) {
	case OPT_BOOL:
		*(bool *)at = true;
		return 0;
	case OPT_STR:
		*(const char **)at = value;
		return 0;
	case OPT_STRS:
		strs = at;
		err = array__grow(&strs->items, &strs->cap, strs->nr + 1);
		if (!err)
			strs->items[strs->nr++] = value;
		return err;
	case OPT_U32:
		err = parse__u64(value, 1, UINT32_MAX, &v);
		if (!err)
			*(uint32_t *)at = v;
		break;
	case OPT_MOST:
		v = UINT32_MAX;
		err = strcmp(value, "all") ? parse__u64(value, 1, UINT32_MAX, &v) : 0;
		if (!err)
			*(uint32_t *)at = v;
		break;
	case OPT_COUNT:
		err = parse__count(value, 1, INT64_MAX, &v);
		if (!err)
			*(uint64_t *)at = v;
		break;
	case OPT_TIME:
		err = parse__time(value, 1000000000, &v);
		if (!err && !v)
			err = -EINVAL;
		if (!err)
			*(uint64_t *)at = v;
		break;
	case OPT_MSEC:
		err = parse__time(value, 1000000, &v);
		if (!err && v < 1000000)
			err = -EINVAL;
		if (!err)
			*(uint64_t *)at = v;
		break;
	case OPT_END:
	case OPT_HEAD:
		return -EINVAL;
	}
	return err;
}

static int store(const struct opt *o, void *into, const char *value, struct buf *why)
{
	int err = store_value(o, into, value);
	char name[64];

	if (!err || err == -ENOMEM)
		return err;
	if (o->name)
		snprintf(name, sizeof(name), "--%s", o->name);
	else
		snprintf(name, sizeof(name), "-%c", o->letter);
	return bad_value(o, name, value, err, why);
}

static int long_option(const struct opt *table, void *into, char **argv, int *i, struct buf *why)
{
	const char *word = argv[*i] + 2, *eq = strchrnul(word, '='), *near;
	const struct opt *o = by_name(table, word, eq - word);

	if (!o) {
		near = nearest(word, &table->name, table_len(table), sizeof(*table));
		return why__refuse(why, -EINVAL, "unknown option '%s'%s%s%s", argv[*i],
				   near ? "; did you mean --" : "", near ? near : "",
				   near ? "?" : "");
	}
	if (o->type == OPT_BOOL) {
		if (!*eq)
			return store(o, into, NULL, why);
		return why__refuse(why, -EINVAL, "--%s takes no value", o->name);
	}
	if (*eq)
		return store(o, into, eq + 1, why);
	if (!argv[*i + 1]) {
		return why__refuse(why, -EINVAL, "--%s needs a value: --%s %s", o->name, o->name,
				   o->value);
	}
	return store(o, into, argv[++*i], why);
}

static int short_options(const struct opt *table, void *into, char **argv, int *i, struct buf *why)
{
	const char *c = argv[*i] + 1;
	int err;

	for (; *c; c++) {
		const struct opt *o = by_letter(table, *c);

		if (!o) {
			return why__refuse(why, -EINVAL, "unknown option '-%c'", *c);
		}
		if (o->type == OPT_BOOL) {
			err = store(o, into, NULL, why);
			if (err)
				return err;
			continue;
		}
		if (c[1])
			return store(o, into, c + 1, why);
		if (argv[*i + 1])
			return store(o, into, argv[++*i], why);
		return why__refuse(why, -EINVAL, "-%c needs a value: -%c %s", *c, *c, o->value);
	}
	return 0;
}

int opt__parse(const struct opt *table, void *into, int argc, char **argv, int *first, int *dashes,
	       struct buf *why)
{
	int nr_words = 0, i, err;

	*dashes = 0;
	*first = argc;
	/* Words that are no options move to the front, in order; then behind the options. */
	for (i = 1; i < argc; i++) {
		char *word = argv[i];

		if (!strcmp(word, "--")) {
			*dashes = i + 1;
			break;
		}
		if (word[0] != '-' || !word[1]) {
			argv[1 + nr_words++] = word;
			continue;
		}
		err = word[1] == '-' ? long_option(table, into, argv, &i, why)
				     : short_options(table, into, argv, &i, why);
		if (err)
			return err;
	}
	*first = i - nr_words;
	memmove(&argv[*first], &argv[1], nr_words * sizeof(*argv));
	return 0;
}

static int put_flag(const struct opt *o, void *into, const char *value, struct buf *why)
{
	bool *flag = (bool *)((char *)into + o->offset);

	if (!strcmp(value, "true") || !strcmp(value, "yes"))
		*flag = true;
	else if (!strcmp(value, "false") || !strcmp(value, "no"))
		*flag = false;
	else
		return why__refuse(why, -EINVAL, "%s is true or false, not '%s'", o->name, value);
	return 0;
}

int opt__put(const struct opt *table, void *into, const char *name, const char *const *values,
	     size_t nr, struct buf *why)
{
	const struct opt *o = by_name(table, name, strlen(name));
	const char *near = o ? NULL : nearest(name, &table->name, table_len(table), sizeof(*table));
	int err = 0;

	if (!o)
		return why__refuse(why, -EINVAL, "unknown option '%s'%s%s%s", name,
				   near ? "; did you mean " : "", near ? near : "",
				   near ? "?" : "");
	if (nr != 1 && o->type != OPT_STRS)
		return why__refuse(why, -EINVAL, "%s has one value", name);
	for (size_t v = 0; v < nr && !err; v++) {
		if (o->type == OPT_BOOL)
			return put_flag(o, into, values[v], why);
		err = store_value(o, into, values[v]);
		if (err && err != -ENOMEM)
			err = bad_value(o, name, values[v], err, why);
	}
	return err;
}

static size_t value_bytes(enum opt_type type)
{
	static const size_t bytes[] = {
		[OPT_BOOL] = sizeof(bool),
		[OPT_U32] = sizeof(uint32_t),
		[OPT_MOST] = sizeof(uint32_t),
		[OPT_COUNT] = sizeof(uint64_t),
		[OPT_TIME] = sizeof(uint64_t),
		[OPT_MSEC] = sizeof(uint64_t),
		[OPT_STR] = sizeof(char *),
		[OPT_STRS] = sizeof(struct opt_strs),
		[OPT_HEAD] = 0,
	};

	return bytes[type];
}

bool opt__is_given(const struct opt *table, const char *name, const void *opts,
		   const void *defaults)
{
	const struct opt *o = by_name(table, name, strlen(name));

	return o && memcmp((const char *)opts + o->offset, (const char *)defaults + o->offset,
			   value_bytes(o->type));
}

static void help_line(const struct opt *o, FILE *f)
{
	enum { WIDTH = 28 };
	char left[64];

	snprintf(left, sizeof(left), "%c%c%s%s%s%s%s", o->letter ? '-' : ' ',
		 o->letter ? o->letter : ' ', o->letter && o->name ? ", " : (o->letter ? "" : "  "),
		 o->name ? "--" : "", o->name ? o->name : "", o->value ? " " : "",
		 o->value ? o->value : "");
	/* What is longer has a line of its own. */
	if (strlen(left) > WIDTH)
		fprintf(f, "  %s\n  %*s %s\n", left, WIDTH, "", o->help);
	else
		fprintf(f, "  %-*s %s\n", WIDTH, left, o->help);
}

void opt__help(const struct opt *table, FILE *f)
{
	static const struct opt help = { OPT_BOOL, 'h', "help", NULL, 0, "this text" };

	for (; table->type != OPT_END; table++) {
		if (table->type == OPT_HEAD)
			fprintf(f, "\n%s:\n", table->help);
		else
			help_line(table, f);
	}
	help_line(&help, f);
}
