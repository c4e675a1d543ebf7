// SPDX-License-Identifier: BSD-2-Clause
/* Probes by name or pattern: kprobe, kretprobe, uprobe, uretprobe, usdt. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parse.h"
#include "event/event_parse.h"

static const struct {
	const char *prefix;
	enum perf_site_kind kind;
} prefixes[] = {
	{ "kprobe:", SITE_KPROBE },	  { "k:", SITE_KPROBE },
	{ "kretprobe:", SITE_KRETPROBE }, { "kr:", SITE_KRETPROBE },
	{ "uprobe:", SITE_UPROBE },	  { "u:", SITE_UPROBE },
	{ "uretprobe:", SITE_URETPROBE }, { "ur:", SITE_URETPROBE },
	{ "usdt:", SITE_USDT },		  { "U:", SITE_USDT },
};

static bool find_prefix(const char *text, size_t len, size_t *i)
{
	for (*i = 0; *i < ARRAY_SIZE(prefixes); ++*i) {
		size_t n = strlen(prefixes[*i].prefix);

		if (len >= n && !strncmp(text, prefixes[*i].prefix, n))
			return true;
	}
	return false;
}

size_t event__probe_prefix(const char *text, size_t len)
{
	size_t i;

	return find_prefix(text, len, &i) ? strlen(prefixes[i].prefix) : 0;
}

/* Cuts "+OFF" off the end of a function's name. @given: there was one, which may be 0. */
static int cut_offset(struct event_parser *p, char *name, uint64_t *offset, bool *given)
{
	char *plus = strrchr(name, '+');

	*offset = 0;
	*given = plus;
	if (!plus)
		return 0;
	if (parse__u64(plus + 1, 0, UINT32_MAX, offset))
		return event__refuse(p, -EINVAL, "'%s': '%s' is no offset", name, plus);
	*plus = '\0';
	return 0;
}

/* @pattern: several functions, and an offset was given. */
static int check_offset(struct event_parser *p, const char *text, size_t len,
			const struct perf_site *site, bool pattern)
{
	bool returns = site->kind == SITE_KRETPROBE || site->kind == SITE_URETPROBE;

	if (returns && site->offset)
		return event__refuse(p, -EINVAL, "'%.*s': a return has no offset", (int)len, text);
	if (pattern)
		return event__refuse(p, -EINVAL,
				     "'%.*s': an offset goes with one function, not with a pattern",
				     (int)len, text);
	return 0;
}

/* The name of a function stands for several. */
static bool has_pattern(const char *function)
{
	return strpbrk(function, "*?");
}

/* An event in code of the kernel, or of a program; @site's strings are copied. */
static int add_probe(struct event_parser *p, const char *name, size_t len,
		     const struct perf_site *site)
{
	int err = event__add(p, name, len);

	if (!err)
		err = event__set_site(p, site);
	if (err)
		return err;
	event__last(p)->attr.type = PERF_TYPE_MAX;
	return p->env->sites ? 0 : perf_event__make(event__last(p), p->env, p->why);
}

/* -ENOENT of a file that is not there -> -EINVAL, and how else to write it. */
static int explain_missing(struct event_parser *p, const char *path, int err)
{
	bool missing = err == -ENOENT && strchr(path, '/') && access(path, F_OK);

	if (missing && buf__puts(p->why, "; write the path of a program or library, or a name: "
					 "bash, libc"))
		return -ENOMEM;
	return event__unknown_is_invalid(err);
}

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
	return err ? err : add_probe(x->p, x->name.data, x->name.len, &site);
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
	return explain_missing(
		x->p, x->path,
		env->functions(env->reader_of_files, x->path, glob, add_function, x, x->p->why));
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

/*
 * An event for each function of the kernel or, with @path, of a file that matches, as many as the
 * environment allows. @text: as it was written.
 */
static int each_function(struct event_parser *p, const char *text, size_t len,
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

static int kernel_probe(struct event_parser *p, const char *text, size_t len,
			enum perf_site_kind kind, char *function)
{
	struct perf_site site = { .kind = kind, .name = function };
	bool given, is_pattern;
	int err = cut_offset(p, function, &site.offset, &given);

	if (err)
		return err;
	if (!*function) {
		event__at(p, text + len, 0);
		return event__refuse(p, -EINVAL, "a function is missing; write %.*sFUNCTION",
				     (int)len, text);
	}
	is_pattern = p->env->sites && has_pattern(function);
	if (strpbrk(function, ": /"))
		return event__refuse(p, -EINVAL,
				     "'%.*s': only the name of a function of the kernel goes there",
				     (int)len, text);
	if (!is_pattern && has_pattern(function))
		return event__refuse(p, -EINVAL, "'%.*s': one function of the kernel, no pattern",
				     (int)len, text);
	err = check_offset(p, text, len, &site, is_pattern && given);
	if (!err && site.offset && p->env->kernel_instruction)
		err = p->env->kernel_instruction(function, site.offset, p->why);
	if (err)
		return err;
	return is_pattern ? each_function(p, text, len, kind, NULL, function)
			  : add_probe(p, text, len, &site);
}

static int not_looked_into(struct event_parser *p, const char *text, size_t len)
{
	return event__refuse(p, -EINVAL, "'%.*s': programs are not looked into here", (int)len,
			     text);
}

static void free_location(struct perf_location *at)
{
	free(at->path);
	free(at->provider);
	free(at->args);
}

/* One function by its name, or an offset of the file. @given: "+OFF" was behind it. */
static int one_function(struct event_parser *p, const char *text, size_t len,
			struct perf_site *site, const char *path, char *symbol, bool given)
{
	struct perf_location at = {};
	int err = explain_missing(
		p, path, p->env->function(p->env->reader_of_files, path, symbol, &at, p->why));

	if (!err) {
		bool is_offset = !strncmp(symbol, "0x", 2), is_inside = is_offset || site->offset;

		/* What was returned from is left: the frame is its caller's. */
		site->at_entry = at.at_entry && !site->offset && site->kind == SITE_UPROBE;
		site->offset += at.offset + (given ? 0 : at.skip);
		site->home = at.path;
		site->name = is_offset ? NULL : symbol;
		if (is_inside && p->env->instruction)
			err = p->env->instruction(p->env->reader_of_files, at.path, site->offset,
						  p->why);
	}
	if (!err)
		err = add_probe(p, text, len, site);
	free_location(&at);
	return err;
}

/* "PATH:SYMBOL+OFF" or "PATH:0xOFFSET" of the file. */
static int function_probe(struct event_parser *p, const char *text, size_t len,
			  enum perf_site_kind kind, char *what)
{
	struct perf_site site = { .kind = kind };
	char *symbol = strrchr(what, ':');
	bool given, is_pattern;
	int err;

	if (!symbol || symbol == what || !symbol[1])
		return event__refuse(p, -EINVAL, "'%.*s': write PATH:FUNCTION", (int)len, text);
	*symbol++ = '\0';
	if (!p->env->function)
		return not_looked_into(p, text, len);
	err = cut_offset(p, symbol, &site.offset, &given);
	is_pattern = p->env->sites && has_pattern(symbol);
	if (!err)
		err = check_offset(p, text, len, &site, is_pattern && given);
	if (err)
		return err;
	return is_pattern ? each_function(p, text, len, kind, what, symbol)
			  : one_function(p, text, len, &site, what, symbol, given);
}

/* "PATH:PROVIDER:NAME" or "PATH:NAME": an event for each place. */
static int usdt_probe(struct event_parser *p, const char *text, size_t len, char *what)
{
	char *name = strrchr(what, ':'), *provider;
	uint32_t first = p->list->nr;
	struct perf_location *at = NULL;
	size_t nr = 0, i;
	int err;

	if (!name || name == what || !name[1])
		return event__refuse(p, -EINVAL, "'%.*s': write usdt:PATH:PROVIDER:NAME", (int)len,
				     text);
	*name++ = '\0';
	provider = strrchr(what, ':');
	if (provider)
		*provider++ = '\0';
	if (!p->env->usdt)
		return not_looked_into(p, text, len);
	err = explain_missing(
		p, what,
		p->env->usdt(p->env->reader_of_files, what, provider, name, &at, &nr, p->why));
	for (i = 0; i < nr; i++) {
		const struct perf_site site = {
			.kind = SITE_USDT,
			.home = at[i].path,
			.name = name,
			.vendor = at[i].provider ? at[i].provider : provider,
			.args = at[i].args ? at[i].args : (char[]){ "" },
			.offset = at[i].offset,
			.counter_offset = at[i].counter_offset,
		};

		if (!err)
			err = add_probe(p, text, len, &site);
		if (!err)
			event__last(p)->part_of = first;
		free_location(&at[i]);
	}
	free(at);
	return err;
}

int event__probe(struct event_parser *p, const char *text, size_t len)
{
	enum perf_site_kind kind;
	size_t i, prefix;
	char *what;
	int err;

	if (!find_prefix(text, len, &i))
		return -EINVAL;
	prefix = strlen(prefixes[i].prefix);
	kind = prefixes[i].kind;
	what = strndup(text + prefix, len - prefix);
	if (!what)
		return -ENOMEM;
	if (kind == SITE_USDT)
		err = usdt_probe(p, text, len, what);
	else if (kind == SITE_KPROBE || kind == SITE_KRETPROBE)
		err = kernel_probe(p, text, len, kind, what);
	else
		err = function_probe(p, text, len, kind, what);
	free(what);
	return err;
}
