// SPDX-License-Identifier: BSD-2-Clause
#include <errno.h>

#include "base/why.h"
#include "plan/trigger_parts.h"

struct search {
	struct trigger *t;
	struct fields **fields;
};

int trigger__each_field(struct trigger *t, struct fields **fields, const char *text, size_t len,
			enum field_kind *kind, int (*set)(struct hits_probe *p, struct field *f),
			struct buf *why)
{
	for (size_t i = 0; i < t->nr_probes; i++) {
		struct field field = {};
		int err = fields__find(fields[i], text, len, &field, why);

		if (err)
			return err;
		if (i && (field.kind == FIELD_TEXT) != (*kind == FIELD_TEXT))
			return why__refuse(why, -EINVAL,
					   "'%.*s' is a text of some probes and a number of "
					   "others; count them one by one",
					   (int)len, text);
		/* Wider for all: what is negative for one must not look huge. */
		if (!i || field.kind == FIELD_SIGNED)
			*kind = field.kind;
		err = set(&t->probes[i], &field);
		if (err == -E2BIG)
			return why__refuse(why, -EINVAL, "--by: at most %d fields", COUNT_FIELDS);
		if (err)
			return err;
	}
	return 0;
}

static int append_by(struct hits_probe *p, struct field *f)
{
	if (p->nr_by == COUNT_FIELDS)
		return -E2BIG;
	p->by[p->nr_by++] = f->fetch;
	return 0;
}

static int add_field(void *arg, const char *text, size_t len, struct buf *why)
{
	const struct search *s = arg;
	enum field_kind kind = FIELD_UNSIGNED;
	int err = trigger__each_field(s->t, s->fields, text, len, &kind, append_by, why);

	return err ? err : rowkeys__add(&s->t->key, text, len, kind, ROWFIELD_WORDS);
}

int trigger__keys(struct trigger *t, const char *by, struct fields **fields, struct buf *why)
{
	const struct fields_group group = { fields, t->nr_probes };
	struct search search = { t, fields };

	return rowkeys__parse(&t->key, by, &group, add_field, &search, why);
}
