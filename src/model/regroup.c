// SPDX-License-Identifier: BSD-2-Clause
/* Copies a profile, with keys of rows and stacks cut down to what is asked for. */
#include "model/regroup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/strtab.h"
#include "model/profile.h"
#include "model/profile_copy.h"

struct regroup {
	struct profile *to;
	const struct profile *from;
	const struct regroup_opts *o;
	uint32_t any;		/* node of "[any]" */
	uint32_t *nodes, *rows; /* what each has become */
};

static int add_any(struct regroup *r)
{
	struct frame f = { .kind = FRAME_COMM };
	uint32_t frame;
	int err = profile__string(r->to, "[any]", 5, &f.name);

	if (!err)
		err = profile__frame(r->to, &f, &frame);
	return err ? err : profile__child(r->to, 0, frame, &r->any);
}

/* Parents have been copied. */
static int copy_node(struct regroup *r, uint32_t node)
{
	const struct stack_node *n = &r->from->nodes[node];
	uint32_t frame;
	int err;

	if (!n->parent && !(r->o->by & BY_COMM)) {
		r->nodes[node] = r->any;
		return 0;
	}
	if (n->parent && !(r->o->by & (BY_KSTACK | BY_USTACK))) {
		r->nodes[node] = r->nodes[n->parent];
		return 0;
	}
	err = profile_copy__frame(r->to, r->from, n->frame, !r->o->by_function, &frame);
	return err ? err : profile__child(r->to, r->nodes[n->parent], frame, &r->nodes[node]);
}

static int copy_nodes(struct regroup *r)
{
	int err = r->o->by & BY_COMM ? 0 : add_any(r);

	r->nodes[0] = r->any;
	for (size_t i = 1; i < r->from->nr_nodes && !err; i++)
		err = copy_node(r, i);
	return err;
}

/* The tuple of the field "function". */
static int function_of(struct regroup *r, uint32_t node, uint32_t *tuple)
{
	const struct stack_node *n = &r->from->nodes[node];
	const char *name = node && n->parent ? profile__name(r->from, n->frame) : "-";
	uint64_t word;
	uint32_t id;
	int err;

	*tuple = 0;
	if (!r->o->by_function)
		return 0;
	if (!*name)
		name = "[unknown]";
	err = profile__string(r->to, name, strlen(name), &id);
	word = id;
	return err ? err : profile__tuple(r->to, &word, tuple);
}

static int copy_row(struct regroup *r, size_t i)
{
	const struct row *row = &r->from->rows[i];
	const unsigned by = r->o->by;
	struct row_key key = {
		.event = row->key.event,
		.pid = by & BY_PID ? row->key.pid : 0,
		.tid = by & BY_TID ? row->key.tid : 0,
		.cpu = by & BY_CPU ? row->key.cpu : 0,
		.stack = r->nodes[row->key.stack],
	};
	int err = function_of(r, row->key.stack, &key.fields);

	if (!err && by & BY_CGROUP)
		err = profile_copy__string(r->to, r->from, row->key.cgroup, &key.cgroup);
	if (!err)
		err = profile__row(r->to, &key, &r->rows[i]);
	if (!err)
		profile__grow(r->to, r->rows[i], row->samples, row->weight);
	return err;
}

static int copy_rows(struct regroup *r)
{
	int err = 0;

	for (size_t i = 0; i < r->from->nr_rows && !err; i++)
		err = copy_row(r, i);
	if (!err)
		err = windows__copy(&r->to->windows, &r->from->windows, r->rows,
				    r->from->nr_events);
	return err ? err : windows__join(&r->to->windows, r->to->nr_rows);
}

static int copy_run(struct regroup *r)
{
	uint32_t *events = calloc(r->from->nr_events + 1, sizeof(*events));

	if (!events)
		return -ENOMEM;
	for (size_t i = 0; i < r->from->nr_events; i++)
		events[i] = i;
	profile_copy__run(r->to, r->from, events, r->from->losses.seen, r->from->losses.kept);
	free(events);
	return 0;
}

int regroup__new(struct profile **out, const struct profile *p, const struct regroup_opts *o)
{
	struct regroup r = { .from = p, .o = o };
	int err = -ENOMEM;

	*out = NULL;
	if (p->nr_fields || p->nr_metrics)
		return -EINVAL;
	r.to = profile__like(p);
	r.nodes = calloc(p->nr_nodes, sizeof(*r.nodes));
	r.rows = calloc(p->nr_rows + 1, sizeof(*r.rows));
	if (!r.to || !r.nodes || !r.rows)
		goto out_free;
	r.to->by = o->by;
	err = o->by_function ? profile__field(r.to, "function", FIELD_TEXT) : 0;
	if (!err)
		err = copy_nodes(&r);
	if (!err)
		err = copy_rows(&r);
	if (!err)
		err = copy_run(&r);
out_free:
	free(r.nodes);
	free(r.rows);
	if (err)
		profile__free(r.to);
	else
		*out = r.to;
	return err;
}
