// SPDX-License-Identifier: BSD-2-Clause
/* Tracepoints by name: "CATEGORY:NAME", or several by globs; raw ones. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parse.h"
#include "event/event_parse.h"
#include "event/tracefs.h"
#include "event/tracepoint.h"

static int add(struct event_parser *p, const char *tracefs, const char *category, const char *name)
{
	const struct perf_site site = {
		.kind = SITE_TRACEPOINT,
		.home = (char *)category,
		.name = (char *)name,
	};
	char text[512];
	uint32_t id;
	int err = tracepoint__id(tracefs, category, name, &id, p->why);

	if (err)
		return err;
	snprintf(text, sizeof(text), "%s:%s", category, name);
	err = event__add(p, text, strlen(text));
	if (err)
		return err;
	event__last(p)->attr.type = PERF_TYPE_TRACEPOINT;
	event__last(p)->attr.config = id;
	return event__set_site(p, &site);
}

/* Each that matches is an event of its own. */
static int add_all(struct event_parser *p, const char *tracefs, const char *pattern)
{
	struct tracepoint_name *names;
	size_t nr, i;
	int err = tracepoints__list(tracefs, pattern, &names, &nr);

	if (err)
		return event__refuse(p, err, "'%s': %s", pattern, strerror(-err));
	for (i = 0; i < nr && !err; i++) {
		err = add(p, tracefs, names[i].category, names[i].name);
		/* Some of the kernel's own are not for perf. */
		if (err == -ENOENT) {
			buf__clear(p->why);
			err = 0;
		}
	}
	tracepoint_names__free(names, nr);
	if (!err && !nr)
		err = event__refuse(p, -EINVAL, "no tracepoint matches '%s'", pattern);
	return err;
}

bool event__is_function(const struct event_parser *p, const char *path, const char *name)
{
	struct perf_location at = {};
	struct buf why = {};
	bool is = p->env->function &&
		  !p->env->function(p->env->reader_of_files, path, name, &at, &why);

	free(at.path);
	buf__free(&why);
	return is;
}

static int add_one(struct event_parser *p, const char *tracefs, const char *category,
		   const char *name)
{
	int err = add(p, tracefs, category, name);

	if (err != -ENOENT || !event__is_function(p, category, name))
		return event__unknown_is_invalid(err);
	buf__clear(p->why);
	return event__refuse(p, -EINVAL,
			     "unknown tracepoint '%s:%s'; a function of a program or library is "
			     "written uprobe:%s:%s",
			     category, name, category, name);
}

int event__tracepoint(struct event_parser *p, const char *category, size_t category_len,
		      const char *name, size_t name_len)
{
	char *c = strndup(category, category_len), *n = strndup(name, name_len);
	struct buf path = {}, pattern = {};
	int err = c && n ? 0 : -ENOMEM;

	if (!err)
		err = tracefs__find(p->env->root, &path, p->why);
	if (!err && (strpbrk(c, "*?") || strpbrk(n, "*?"))) {
		err = buf__printf(&pattern, "%s:%s", c, n);
		if (!err)
			err = add_all(p, path.data, pattern.data);
	} else if (!err) {
		err = add_one(p, path.data, c, n);
	}
	buf__free(&path);
	buf__free(&pattern);
	free(c);
	free(n);
	return err;
}

/* Those of system calls are made from two raw ones, sys_enter and sys_exit. */
static bool is_raw(const struct tracepoint_name *t)
{
	return strcmp(t->category, "syscalls");
}

/* Some raw tracepoints are not in tracefs, but the kernel has a symbol for each. */
static bool is_symbol(const struct event_parser *p, const char *name)
{
	struct buf symbol = {}, why = {};
	uint64_t addr;
	bool is = p->env->kernel_address && !buf__printf(&symbol, "__tracepoint_%s", name) &&
		  !p->env->kernel_address(symbol.data, &addr, &why);

	buf__free(&symbol);
	buf__free(&why);
	return is;
}

static int refuse_raw(struct event_parser *p, const char *name, const struct tracepoint_name *all,
		      size_t nr)
{
	const char *near;

	for (size_t i = 0; i < nr; i++)
		if (!is_raw(&all[i]) && !strcmp(all[i].name, name))
			return event__refuse(p, -EINVAL,
					     "'%s' is no raw tracepoint, those of system calls are "
					     "sys_enter and sys_exit; or write syscalls:%s",
					     name, name);
	near = nr ? nearest(name, (const char *const *)&all->name, nr, sizeof(*all)) : NULL;
	if (near)
		return event__refuse(p, -EINVAL, "unknown raw tracepoint '%s'; did you mean %s?",
				     name, near);
	return event__refuse(p, -EINVAL,
			     "unknown raw tracepoint '%s'; 'pmutrace list' shows the tracepoints",
			     name);
}

/* Where tracefs cannot be read every name passes: the kernel checks it later. */
static int check_raw(struct event_parser *p, const char *name)
{
	struct tracepoint_name *all = NULL;
	struct buf path = {}, why = {};
	size_t nr = 0, i;
	int err = 0;

	if (!tracefs__find(p->env->root, &path, &why) &&
	    !tracepoints__list(path.data, NULL, &all, &nr)) {
		for (i = 0; i < nr && (!is_raw(&all[i]) || strcmp(all[i].name, name)); i++)
			;
		if (i == nr && !is_symbol(p, name))
			err = refuse_raw(p, name, all, nr);
	}
	tracepoint_names__free(all, nr);
	buf__free(&path);
	buf__free(&why);
	return err;
}

int event__raw_tracepoint(struct event_parser *p, const char *text, size_t len, size_t prefix)
{
	struct perf_site site = { .kind = SITE_RAW_TRACEPOINT };
	int err;

	if (!p->env->sites)
		return event__refuse(p, -EINVAL,
				     "'%.*s': raw tracepoints are no perf events; use the "
				     "tracepoint CATEGORY:NAME",
				     (int)len, text);
	site.name = strndup(text + prefix, len - prefix);
	if (!site.name)
		return -ENOMEM;
	if (!*site.name || strpbrk(site.name, "*?:/"))
		err = event__refuse(p, -EINVAL,
				    "'%.*s': write %.*sNAME, one tracepoint without its category",
				    (int)len, text, (int)prefix, text);
	else
		err = check_raw(p, site.name);
	if (!err)
		err = event__add(p, text, len);
	if (!err)
		err = event__set_site(p, &site);
	if (!err)
		event__last(p)->attr.type = PERF_TYPE_MAX;
	free(site.name);
	return err;
}
