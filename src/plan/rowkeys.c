// SPDX-License-Identifier: BSD-2-Clause
/* The table of key parts common to all probes, and the parser of --by. */
#include "plan/rowkeys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/fields.h"

static const char task[] = "TASK->";

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

static bool is_of_task(const struct part *part)
{
	return part->by & (BY_COMM | BY_PID | BY_TID | BY_CPU);
}

static const struct part *find_part(const char *text, size_t len)
{
	size_t skip = len > strlen(task) && !strncmp(text, task, strlen(task)) ? strlen(task) : 0;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++)
		if (strlen(parts[i].name) == len - skip &&
		    !strncmp(parts[i].name, text + skip, len - skip))
			return skip && !is_of_task(&parts[i]) ? NULL : &parts[i];
	return NULL;
}

static int add_part(struct rowkeys *k, const struct part *part, const char *text, size_t len,
		    const struct fields_group *fields, struct buf *why)
{
	if (!part->by)
		return rowkeys__add(k, text, len, FIELD_TEXT, part->from);
	k->by |= part->by;
	return is_of_task(part) && strlen(part->name) == len
		       ? fields__check_task(fields, part->name, why)
		       : 0;
}

int rowkeys__add(struct rowkeys *k, const char *name, size_t len, enum field_kind kind,
		 enum rowfield_from from)
{
	struct rowfield *f;
	int err = array__grow(&k->fields, &k->cap_fields, k->nr_fields + 1);

	if (len > strlen(task) && !strncmp(name, task, strlen(task))) {
		name += strlen(task); /* TASK->uid is uid */
		len -= strlen(task);
	}
	if (err)
		return err;
	f = &k->fields[k->nr_fields];
	*f = (struct rowfield){ .name = strndup(name, len), .kind = kind, .from = from };
	if (!f->name)
		return -ENOMEM;
	k->nr_fields++;
	return 0;
}

int rowkeys__parse(struct rowkeys *k, const char *by, const struct fields_group *fields,
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
		err = part ? add_part(k, part, s, len, fields, why) : other(arg, s, len, why);
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
