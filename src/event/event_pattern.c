// SPDX-License-Identifier: BSD-2-Clause
/* "kprobe:tcp_*", "uprobe:libc:str*": an event for each function that matches. */
#include <errno.h>
#include <stdlib.h>

#include "event/event_parse.h"

enum { DEFAULT_MAX_SITES = 1000 };

struct expansion {
	struct event_parser *p;
	enum perf_site_kind kind;
	const char *path; /* as it was written; NULL: the kernel's */
	size_t nr, max;
	size_t nr_skipped;
	struct buf name;    /* of the event being added */
	struct buf skipped; /* the first that was, and why */
};

static const char *kind_name(enum perf_site_kind kind)
{
	static const char *const names[] = {
		[SITE_KPROBE] = "kprobe",
		[SITE_KRETPROBE] = "kretprobe",
		[SITE_UPROBE] = "uprobe",
		[SITE_URETPROBE] = "uretprobe",
	};

	return names[kind];
}

/* Functions above the limit are counted only: the error message has their number. */
static int add_function(const struct perf_function *f, void *arg)
{
	struct expansion *x = arg;
	const struct perf_site site = {
		.kind = x->kind,
		.home = *f->home ? (char *)f->home : NULL,
		.name = (char *)f->name,
		.offset = f->offset,
		.at_entry = f->at_entry && x->kind == SITE_UPROBE,
	};
	int err;

	if (++x->nr > x->max)
		return 0;
	buf__clear(&x->name);
	err = x->path ? buf__printf(&x->name, "%s:%s:%s", kind_name(x->kind), x->path, f->name)
		      : buf__printf(&x->name, "%s:%s", kind_name(x->kind), f->name);
	return err ? err : event__add_probe(x->p, x->name.data, x->name.len, &site);
}

static int skip_function(const struct perf_function *f, void *arg)
{
	struct expansion *x = arg;
	const struct perf_event_env *env = x->p->env;
	int err = 0;

	if (!x->nr_skipped++)
		err = buf__printf(&x->skipped, "%s: %s", f->name, f->why_not);
	return !err && env->skipped ? env->skipped(f, env->skipped_arg) : err;
}

static int list_functions(struct expansion *x, const char *glob)
{
	const struct perf_event_env *env = x->p->env;

	if (!x->path)
		return event__unknown_is_invalid(
			env->kernel_functions(glob, add_function, skip_function, x, x->p->why));
	return event__explain_missing(x->p, x->path,
				      env->functions(x->path, glob, add_function, x, x->p->why));
}

/* Refuses a pattern that matches nothing, or too much. */
static int check_number(const struct expansion *x, const char *text, size_t len)
{
	if (x->nr > x->max)
		return event__refuse(x->p, -EINVAL,
				     "'%.*s' is %zu functions, and no more than %zu are probed at "
				     "once; write a pattern for fewer, or allow them with "
				     "--max-probes %zu",
				     (int)len, text, x->nr, x->max, x->nr);
	if (x->nr)
		return 0;
	if (x->nr_skipped)
		return event__refuse(x->p, -EINVAL,
				     "'%.*s': none of the %zu functions that match can be probed "
				     "(%s); write another pattern",
				     (int)len, text, x->nr_skipped, x->skipped.data);
	return event__refuse(x->p, -EINVAL,
			     "'%.*s': no function matches; 'pmutrace list' shows what there is",
			     (int)len, text);
}

int event__each_function(struct event_parser *p, const char *text, size_t len,
			 enum perf_site_kind kind, const char *path, const char *glob)
{
	struct expansion x = {
		.p = p,
		.kind = kind,
		.path = path,
		.max = p->env->max_sites ? p->env->max_sites : DEFAULT_MAX_SITES,
	};
	int err;

	if (path ? !p->env->functions : !p->env->kernel_functions)
		return event__refuse(p, -EINVAL, "'%.*s': patterns are not looked up here",
				     (int)len, text);
	err = list_functions(&x, glob);
	if (!err)
		err = check_number(&x, text, len);
	buf__free(&x.name);
	buf__free(&x.skipped);
	return err;
}
