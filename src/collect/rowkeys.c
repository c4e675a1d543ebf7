// SPDX-License-Identifier: BSD-2-Clause
#include "collect/rowkeys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct part {
	const char *name;
	unsigned by;
	enum rowfield_from from; /* where `by` is 0 */
} parts[] = {
	{ "comm", BY_COMM, 0 },
	{ "pid", BY_PID, 0 },
	{ "tid", BY_TID, 0 },
	{ "cpu", BY_CPU, 0 },
	{ "cgroup", BY_CGROUP, 0 },
	{ "kstack", BY_KSTACK, 0 },
	{ "ustack", BY_USTACK, 0 },
	{ "stack", BY_KSTACK | BY_USTACK, 0 },
	{ "probe", 0, ROWFIELD_PROBE },
	{ "func", 0, ROWFIELD_FUNCTION },
	{ "container", 0, ROWFIELD_CONTAINER },
};

static const struct part *find_part(const char *text, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strlen(parts[i].name) == len && !strncmp(parts[i].name, text, len))
			return &parts[i];
	return NULL;
}

int rowkeys__add(struct rowkeys *k, const char *name, size_t len, enum field_kind kind,
		 enum rowfield_from from)
{
	struct rowfield *f;
	int err = array__grow(&k->fields, &k->cap_fields, k->nr_fields + 1);

	if (err)
		return err;
	f = &k->fields[k->nr_fields];
	*f = (struct rowfield){ .name = strndup(name, len), .kind = kind, .from = from };
	if (!f->name)
		return -ENOMEM;
	k->nr_fields++;
	return 0;
}

int rowkeys__parse(struct rowkeys *k, const char *by,
		   int (*other)(void *arg, const char *text, size_t len, struct buf *why),
		   void *arg, struct buf *why)
{
	size_t len;
	int err = 0;

	for (const char *s = by; !err; s += len + 1) {
		const struct part *part;

		len = strcspn(s, ",");
		part = find_part(s, len);
		if (!len)
			return buf__puts(why, "--by: a key is missing") ? -ENOMEM : -EINVAL;
		if (part && part->by)
			k->by |= part->by;
		else
			err = part ? rowkeys__add(k, s, len, FIELD_TEXT, part->from)
				   : other(arg, s, len, why);
		if (!s[len])
			break;
	}
	return err;
}

bool rowkeys__have(const struct rowkeys *k, enum rowfield_from from)
{
	for (size_t i = 0; i < k->nr_fields; i++)
		if (k->fields[i].from == from)
			return true;
	return false;
}

void rowkeys__free(struct rowkeys *k)
{
	for (size_t i = 0; i < k->nr_fields; i++)
		free((char *)k->fields[i].name);
	free(k->fields);
	*k = (struct rowkeys){};
}
