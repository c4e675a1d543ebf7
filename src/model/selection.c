// SPDX-License-Identifier: BSD-2-Clause
/* Marks frames by patterns, and then stacks by their frames, once for all rows; compares keys. */
#include "model/selection.h"

#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/glob.h"
#include "base/parse.h"
#include "base/strtab.h"
#include "base/why.h"
#include "model/profile.h"

enum mark {
	MARK_COMM = 1,	 /* the command is wanted */
	MARK_FOCUS = 2,	 /* a function is asked for */
	MARK_IGNORE = 4, /* a function is not wanted */
};

struct expression {
	bool is_there;
	regex_t compiled;
};

struct numbers {
	uint32_t *items; /* NULL: not asked for */
	size_t nr;
};

struct selection {
	bool by_comm;
	struct glob comm;
	struct expression focus, ignore;
	struct numbers pids, tids;
	char *cgroup;		/* begins with "/"; NULL: not asked for */
	uint32_t cgroup_before; /* string id of the row before, and what came of it; 0: none */
	bool was_wanted;
	uint8_t *frames, *nodes; /* bits enum mark; of a node: of all up to the root */
	size_t cap_frames, cap_nodes;
};

static int compile(struct expression *e, const char *option, const char *text, struct buf *why)
{
	char problem[128];
	int err;

	if (!text)
		return 0;
	err = regcomp(&e->compiled, text, REG_EXTENDED | REG_NOSUB);
	e->is_there = !err;
	if (!err)
		return 0;
	regerror(err, &e->compiled, problem, sizeof(problem));
	return err == REG_ESPACE
		       ? -ENOMEM
		       : why__refuse(why, -EINVAL, "%s '%s' is no extended regular expression: %s",
				     option, text, problem);
}

static int compile_comm(struct selection *s, const char *pattern, struct buf *why)
{
	int err;

	if (!pattern)
		return 0;
	err = glob__compile(&s->comm, pattern);
	s->by_comm = !err;
	return err ? why__refuse(why, -EINVAL, "--comm '%s': %s", pattern,
				 err == -E2BIG ? "a pattern has 62 characters at most"
					       : "a pattern is not empty")
		   : 0;
}

static int take_numbers(struct numbers *n, const char *option, const char *text, struct buf *why)
{
	int err = text ? parse__list(text, UINT32_MAX - 1, &n->items, &n->nr) : 0;

	return err == -EINVAL || err == -ERANGE
		       ? why__refuse(why, -EINVAL, "%s '%s': numbers such as 12,100-199", option,
				     text)
		       : err;
}

static int take_cgroup(struct selection *s, const char *pattern)
{
	if (!pattern)
		return 0;
	return asprintf(&s->cgroup, "/%s", pattern + strspn(pattern, "/")) < 0 ? -ENOMEM : 0;
}

int selection__open(struct selection **out, const struct selection_opts *o, struct buf *why)
{
	struct selection *s = calloc(1, sizeof(*s));
	int err = s ? 0 : -ENOMEM;

	*out = NULL;
	if (!err)
		err = compile_comm(s, o->comm, why);
	if (!err)
		err = compile(&s->focus, "--focus", o->focus, why);
	if (!err)
		err = compile(&s->ignore, "--ignore", o->ignore, why);
	if (!err)
		err = take_numbers(&s->pids, "--pid", o->pids, why);
	if (!err)
		err = take_numbers(&s->tids, "--tid", o->tids, why);
	if (!err)
		err = take_cgroup(s, o->cgroup);
	if (err) {
		selection__close(s);
		return err;
	}
	*out = s;
	return 0;
}

void selection__close(struct selection *s)
{
	if (!s)
		return;
	if (s->focus.is_there)
		regfree(&s->focus.compiled);
	if (s->ignore.is_there)
		regfree(&s->ignore.compiled);
	free(s->pids.items);
	free(s->tids.items);
	free(s->cgroup);
	free(s->frames);
	free(s->nodes);
	free(s);
}

bool selection__selects(const struct selection *s)
{
	return s->by_comm || s->focus.is_there || s->ignore.is_there || s->pids.items ||
	       s->tids.items || s->cgroup;
}

const char *selection__unknown(const struct selection *s, const struct profile *p)
{
	if (s->pids.items && !(p->by & BY_PID))
		return "--pid";
	if (s->tids.items && !(p->by & BY_TID))
		return "--tid";
	return s->cgroup && !(p->by & BY_CGROUP) ? "--cgroup" : NULL;
}

static bool matches(const struct expression *e, const char *name)
{
	return e->is_there && !regexec(&e->compiled, name, 0, NULL, 0);
}

static uint8_t marks_of(const struct selection *s, const struct profile *p, size_t frame)
{
	const char *name = profile__name(p, frame);

	switch (p->frames[frame].kind) {
	case FRAME_NOTE:
		return 0;
	case FRAME_COMM:
		return s->by_comm && glob__matches(&s->comm, name) ? MARK_COMM : 0;
	default:
		return (matches(&s->focus, name) ? MARK_FOCUS : 0) |
		       (matches(&s->ignore, name) ? MARK_IGNORE : 0);
	}
}

int selection__look(struct selection *s, const struct profile *p)
{
	int err = array__grow(&s->frames, &s->cap_frames, p->nr_frames);

	if (!err)
		err = array__grow(&s->nodes, &s->cap_nodes, p->nr_nodes);
	if (err)
		return err;
	for (size_t i = 0; i < p->nr_frames; i++)
		s->frames[i] = marks_of(s, p, i);
	s->nodes[0] = 0;
	s->cgroup_before = 0;
	for (size_t i = 1; i < p->nr_nodes; i++) {
		const struct stack_node *n = &p->nodes[i];

		s->nodes[i] = s->nodes[n->parent] | s->frames[n->frame];
	}
	return 0;
}

static bool has(const struct numbers *n, uint32_t number)
{
	for (size_t i = 0; i < n->nr; i++)
		if (n->items[i] == number)
			return true;
	return !n->items;
}

/* Rows of the same cgroup stand together, mostly. */
static bool is_in_cgroup(struct selection *s, const struct profile *p, uint32_t cgroup)
{
	if (!s->cgroup)
		return true;
	if (!cgroup)
		return false;
	if (cgroup != s->cgroup_before) {
		const char *path = strtab__get(p->strings, cgroup);

		s->cgroup_before = cgroup;
		s->was_wanted = !fnmatch(s->cgroup, path, FNM_LEADING_DIR);
	}
	return s->was_wanted;
}

bool selection__wants(void *arg, const struct profile *p, const struct row *row)
{
	struct selection *s = arg;
	const uint8_t marks = s->nodes[row->key.stack];

	if (!has(&s->pids, row->key.pid) || !has(&s->tids, row->key.tid) ||
	    !is_in_cgroup(s, p, row->key.cgroup))
		return false;
	if (s->by_comm && !(marks & MARK_COMM))
		return false;
	if (s->focus.is_there && !(marks & MARK_FOCUS))
		return false;
	return !(marks & MARK_IGNORE);
}
