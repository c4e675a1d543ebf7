// SPDX-License-Identifier: BSD-2-Clause
/* Parses a field's text, and finds whose the name is: the task's, a record's, an argument. */
#include "plan/fields.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "plan/field_place.h"
#include "plan/kernel_types.h"

int fields__open_at(struct fields **out, const struct perf_event_spec *ev, const char *root,
		    const struct btf *btf)
{
	*out = calloc(1, sizeof(**out));
	if (!*out)
		return -ENOMEM;
	**out = (struct fields){ .ev = ev, .root = root, .btf = btf, .has_looked = btf };
	return 0;
}

int fields__open(struct fields **out, const struct perf_event_spec *ev)
{
	return fields__open_at(out, ev, "", NULL);
}

void fields__close(struct fields *f)
{
	if (!f)
		return;
	if (f->holds_types)
		kernel_types__put();
	tracepoint_format__free(&f->format);
	free(f);
}

void fields__put_together(const struct fields_group *g)
{
	for (size_t i = 0; i < g->nr; i++)
		if (g->all[i])
			g->all[i]->group = *g;
}

static bool find_of_task(const char *name, struct field_place *out)
{
	static const struct {
		const char *name;
		enum fetch_source source;
	} all[] = {
		{ "comm", FETCH_COMM }, { "pid", FETCH_PID }, { "tid", FETCH_TID },
		{ "cpu", FETCH_CPU },	{ "uid", FETCH_UID },
	};

	for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
		if (strcmp(all[i].name, name))
			continue;
		out->fetch.source = all[i].source;
		out->is_task = true;
		return true;
	}
	return false;
}

/* Whether it is a tracepoint whose record has that field. 1, 0 or -errno with @why. */
static int record_has(struct fields *f, const char *name, struct buf *why)
{
	const struct tracepoint_format *format;
	int err;

	if (f->ev->site.kind != SITE_TRACEPOINT)
		return 0;
	err = fields__format(f, &format, why);
	if (err)
		return err;
	for (size_t i = 0; i < format->nr; i++)
		if (!strcmp(format->fields[i].name, name))
			return 1;
	return 0;
}

/* Finds the first probe that has the field, *with, and the first that has not; NULL: none. */
static int divide(const struct fields_group *g, const char *name, const struct fields **with,
		  const struct fields **without, struct buf *why)
{
	*with = *without = NULL;
	for (size_t i = 0; i < g->nr && (!*with || !*without); i++) {
		int has = g->all[i] ? record_has(g->all[i], name, why) : -ENOENT;

		if (has < 0 && g->all[i])
			return has;
		if (has > 0 && !*with)
			*with = g->all[i];
		if (!has && !*without)
			*without = g->all[i];
	}
	return 0;
}

int fields__check_task(const struct fields_group *g, const char *name, struct buf *why)
{
	const struct fields *with, *without;
	int err = divide(g, name, &with, &without, why);

	if (err || !with || without)
		return err;
	return refuse(why,
		      "'%s' is of the task at hand, and a field of %s too: write TASK->%s for the "
		      "task's, REC->%s for the field",
		      name, with->ev->name, name, name);
}

int fields__check_both(const struct fields_group *g, const char *text, struct buf *why)
{
	const struct fields *with, *without;
	struct field_place place = {};
	char *name = strndup(text, strcspn(text, ":.-"));
	int err = name ? 0 : -ENOMEM;

	if (err || !find_of_task(name, &place))
		goto out_free;
	err = divide(g, name, &with, &without, why);
	if (!err && with && without)
		err = refuse(why,
			     "'%s' is of the task at hand, and a field of %s, which %s has not: "
			     "write TASK->%s for the task's, or a field that both have",
			     name, with->ev->name, without->ev->name, name);
out_free:
	free(name);
	return err;
}

static int check_task(struct fields *f, const char *name, struct buf *why)
{
	struct fields_group alone = { &f, 1 };

	return fields__check_task(f->group.nr ? &f->group : &alone, name, why);
}

/* Prefixes that say whose field a name is. */
static const struct owner {
	const char *prefix;
	size_t len;
} of_record = { "REC->", 5 }, of_task = { "TASK->", 6 }, of_any = { "", 0 };

static const struct owner *owner_of(const char *text)
{
	if (!strncmp(text, of_record.prefix, of_record.len))
		return &of_record;
	return strncmp(text, of_task.prefix, of_task.len) ? &of_any : &of_task;
}

static int find_place(struct fields *f, const struct owner *owner, const char *name,
		      struct field_place *out, struct buf *why)
{
	*out = (struct field_place){};
	if (owner == &of_record && f->ev->site.kind != SITE_TRACEPOINT)
		return refuse(why, "REC is the record of a tracepoint, and %s is none",
			      f->ev->name);
	if (owner != &of_record && find_of_task(name, out))
		return owner == &of_task ? 0 : check_task(f, name, why);
	if (owner == &of_task)
		return refuse(why,
			      "TASK is the task at hand, which has comm, pid, tid, cpu and "
			      "uid, and no '%s'",
			      name);
	return f->ev->site.kind == SITE_TRACEPOINT ? fields__record(f, name, out, why)
						   : fields__argument(f, name, out, why);
}

static size_t name_len(const char *s)
{
	size_t len = 0;

	while (isalnum((unsigned char)s[len]) || s[len] == '_')
		len++;
	return len;
}

static int no_name(const char *text, struct buf *why)
{
	return refuse(why,
		      "'%s' is not a field: they are written NAME, NAME->MEMBER, NAME.MEMBER, "
		      "NAME:TYPE",
		      text);
}

/* A tracepoint's field has its type as text: found in the BTF when a member is asked for. */
static int look_up_type(struct fields *f, struct field_place *p)
{
	struct field_type type;
	const struct btf *btf;
	int err;

	if (!p->text)
		return 0;
	err = fields__types(f, &btf);
	if (!err && btf && field_type__named(btf, p->text, &type) && type.shape == p->type.shape) {
		p->type.btf = type.btf;
		p->type.id = type.id;
	}
	p->text = NULL;
	return err;
}

/* Follows "->MEMBER" at @at, which is cut off @text meanwhile: messages quote what is before. */
static int one_member(struct fields *f, char *text, char **at, struct field_place *p,
		      struct buf *why)
{
	bool arrow = **at == '-';
	char *member = *at + (arrow ? 2 : 1), *end = member + name_len(member), cut = *end;
	char op = **at;
	int err;

	if (end == member)
		return no_name(text, why);
	err = look_up_type(f, p);
	if (err)
		return err;
	**at = '\0';
	*end = '\0';
	err = field_place__member(p, text, arrow, member, why);
	**at = op;
	*end = cut;
	*at = end;
	return err;
}

/* A member follows the name. */
static bool is_member(const char *at)
{
	return *at == '.' || !strncmp(at, "->", 2);
}

/* @text is changed and put back. */
static int find(struct fields *f, char *text, const char *as, struct field *out, struct buf *why)
{
	const struct owner *owner = owner_of(text);
	char *name = text + owner->len, *at = name + name_len(name), cut = *at;
	struct field_place p;
	int err;

	if (at == name || (cut && !is_member(at)))
		return no_name(text, why);
	*at = '\0';
	err = find_place(f, owner, name, &p, why);
	*at = cut;
	while (!err && is_member(at))
		err = one_member(f, text, &at, &p, why);
	if (err)
		return err;
	if (*at)
		return no_name(text, why);
	return field_place__take(&p, text, as, out, why);
}

int fields__find(struct fields *f, const char *text, size_t len, struct field *out, struct buf *why)
{
	char *copy = strndup(text, len), *colon;
	int err;

	if (!copy)
		return -ENOMEM;
	colon = strchr(copy, ':');
	if (colon)
		*colon = '\0';
	err = find(f, copy, colon ? colon + 1 : NULL, out, why);
	free(copy);
	return err;
}
