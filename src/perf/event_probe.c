// SPDX-License-Identifier: BSD-2-Clause
/*
 * Probes: kprobe, kretprobe, uprobe, uretprobe, usdt, through the kernel's kprobe and uprobe PMUs,
 * or where those are missing through tracefs. Source:
 * Documentation/ABI/testing/sysfs-bus-event_source-devices-{k,u}probe.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/parse.h"
#include "perf/event_parse.h"
#include "perf/pmu.h"
#include "perf/pmu_terms.h"
#include "perf/tracefs.h"
#include "perf/tracefs_probe.h"

enum kind { KPROBE, KRETPROBE, UPROBE, URETPROBE, USDT };

static const struct {
	const char *prefix;
	enum kind kind;
} prefixes[] = {
	{ "kprobe:", KPROBE }, { "k:", KPROBE },      { "kretprobe:", KRETPROBE },
	{ "kr:", KRETPROBE },  { "uprobe:", UPROBE }, { "u:", UPROBE },
	{ "ur:", URETPROBE },  { "usdt:", USDT },     { "uretprobe:", URETPROBE },
	{ "U:", USDT },
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

/* Cuts "+OFF" off the end of a function's name. */
static int cut_offset(struct event_parser *p, char *name, uint64_t *offset)
{
	char *plus = strrchr(name, '+');

	*offset = 0;
	if (!plus)
		return 0;
	if (parse__u64(plus + 1, 0, UINT32_MAX, offset))
		return event__refuse(p, -EINVAL, "'%s': '%s' is no offset", name, plus);
	*plus = '\0';
	return 0;
}

/* The PMU of probes and, if it exists, its bit for returns. -ENOENT: there is none that can be
 * used. */
static int find_pmu(struct event_parser *p, const char *pmu, bool returns,
		    struct perf_event_attr *attr)
{
	struct pmu_terms terms;
	struct pmu *pmus;
	size_t nr, i;
	int err = p->env->inherit ? -ENOENT : pmus__read(p->env->root, &pmus, &nr);

	if (err)
		return err;
	for (i = 0; i < nr && strcmp(pmus[i].name, pmu); i++)
		;
	if (i < nr)
		attr->type = pmus[i].type;
	err = i < nr ? 0 : -ENOENT;
	pmus__free(pmus, nr);
	if (err || !returns)
		return err;
	err = pmu__parse_terms(p->env->root, pmu, "retprobe=1", 10, &terms, p->why);
	if (!err)
		attr->config |= terms.config[0];
	return err;
}

struct event_fallback {
	struct tracefs_probe probe;
	char *tracefs;
};

/* An event in tracefs, which is removed with the list. */
static int fall_back(struct event_parser *p, struct perf_event_spec *ev,
		     enum tracefs_probe_kind kind, const char *what)
{
	struct event_fallback *f = calloc(1, sizeof(*f));
	struct buf path = {};
	int err = f ? tracefs__find(p->env->root, &path, p->why) : -ENOMEM;

	/* What runs that were killed have left. */
	if (!err && tracefs_probe__clean(path.data) < 0)
		log__debug("tracefs could not be cleaned up");
	if (!err)
		err = event__unknown_is_invalid(
			tracefs_probe__add(path.data, kind, what, &f->probe, p->why));
	if (err) {
		buf__free(&path);
		free(f);
		return err;
	}
	f->tracefs = path.data;
	ev->fallback = f;
	ev->attr.type = PERF_TYPE_TRACEPOINT;
	ev->attr.config = f->probe.id;
	return 0;
}

/* Fails if the events are still open somewhere; the next run cleans up then. */
void event__remove_fallback(struct event_fallback *f)
{
	if (!f)
		return;
	if (tracefs_probe__remove(f->tracefs, &f->probe))
		log__debug("%s:%s was left in tracefs", f->probe.category, f->probe.name);
	free(f->tracefs);
	free(f);
}

static int kernel_probe(struct event_parser *p, const char *text, size_t len, char *function,
			bool returns)
{
	struct perf_event_spec *ev;
	struct buf what = {};
	uint64_t offset;
	int err = cut_offset(p, function, &offset);

	if (err)
		return err;
	if (!*function) {
		event__at(p, text + len, 0);
		return event__refuse(p, -EINVAL, "a function is missing; write %.*sFUNCTION",
				     (int)len, text);
	}
	if (strpbrk(function, "*?: /"))
		return event__refuse(p, -EINVAL, "'%.*s': one function of the kernel, no pattern",
				     (int)len, text);
	if (returns && offset)
		return event__refuse(p, -EINVAL, "'%.*s': a return has no offset", (int)len, text);
	err = event__add(p, text, len);
	if (err)
		return err;
	ev = event__last(p);
	err = find_pmu(p, "kprobe", returns, &ev->attr);
	if (!err) {
		ev->text = strdup(function);
		ev->attr.config1 = (uintptr_t)ev->text;
		ev->attr.config2 = offset;
		return ev->text ? 0 : -ENOMEM;
	}
	if (err != -ENOENT)
		return err;
	err = offset ? buf__printf(&what, "%s+0x%llx", function, (unsigned long long)offset)
		     : buf__puts(&what, function);
	if (!err)
		err = fall_back(p, ev, returns ? TRACEFS_KRETPROBE : TRACEFS_KPROBE, what.data);
	buf__free(&what);
	return err;
}

/* A place in a file, found already. */
static int user_probe(struct event_parser *p, const char *text, size_t len,
		      const struct perf_location *at, bool returns)
{
	struct perf_event_spec *ev;
	struct buf what = {};
	int err = event__add(p, text, len);

	if (err)
		return err;
	ev = event__last(p);
	err = find_pmu(p, "uprobe", returns, &ev->attr);
	if (!err) {
		ev->text = strdup(at->path);
		ev->attr.config1 = (uintptr_t)ev->text;
		ev->attr.config2 = at->offset;
		/* ref_ctr_offset is config:32-63 */
		ev->attr.config |= at->counter_offset << 32;
		return ev->text ? 0 : -ENOMEM;
	}
	if (err != -ENOENT)
		return err;
	err = buf__printf(&what, "%s:0x%llx", at->path, (unsigned long long)at->offset);
	if (!err && at->counter_offset)
		err = buf__printf(&what, "(0x%llx)", (unsigned long long)at->counter_offset);
	if (!err)
		err = fall_back(p, ev, returns ? TRACEFS_URETPROBE : TRACEFS_UPROBE, what.data);
	buf__free(&what);
	return err;
}

/* -EINVAL: a name that does not exist; of a file it is said how else to write it. */
static int explain_missing(struct event_parser *p, const char *path, int err)
{
	bool missing = err == -ENOENT && strchr(path, '/') && access(path, F_OK);

	if (missing && buf__puts(p->why, "; write the path of a program or library, or a name: "
					 "bash, libc"))
		return -ENOMEM;
	return event__unknown_is_invalid(err);
}

/* "PATH:SYMBOL+OFF" or "PATH:0xOFFSET" of the file. */
static int function_probe(struct event_parser *p, const char *text, size_t len, char *what,
			  bool returns)
{
	struct perf_location at = {};
	char *symbol = strrchr(what, ':');
	uint64_t offset;
	int err;

	if (!symbol || symbol == what || !symbol[1])
		return event__refuse(p, -EINVAL, "'%.*s': write PATH:FUNCTION", (int)len, text);
	*symbol++ = '\0';
	if (!p->env->function)
		return event__refuse(p, -EINVAL, "'%.*s': programs are not looked into here",
				     (int)len, text);
	err = cut_offset(p, symbol, &offset);
	if (!err && returns && offset)
		err = event__refuse(p, -EINVAL, "'%.*s': a return has no offset", (int)len, text);
	if (!err)
		err = explain_missing(p, what, p->env->function(what, symbol, &at, p->why));
	at.offset += offset;
	if (!err)
		err = user_probe(p, text, len, &at, returns);
	free(at.path);
	return err;
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
		return event__refuse(p, -EINVAL, "'%.*s': programs are not looked into here",
				     (int)len, text);
	err = explain_missing(p, what, p->env->usdt(what, provider, name, &at, &nr, p->why));
	for (i = 0; i < nr; i++) {
		if (!err)
			err = user_probe(p, text, len, &at[i], false);
		if (!err)
			event__last(p)->part_of = first;
		free(at[i].path);
	}
	free(at);
	return err;
}

int event__probe(struct event_parser *p, const char *text, size_t len)
{
	size_t i, prefix;
	enum kind kind;
	char *what;
	int err;

	if (!find_prefix(text, len, &i))
		return -EINVAL;
	prefix = strlen(prefixes[i].prefix);
	kind = prefixes[i].kind;
	what = strndup(text + prefix, len - prefix);
	if (!what)
		return -ENOMEM;
	switch (kind) {
	case KPROBE:
	case KRETPROBE:
		err = kernel_probe(p, text, len, what, kind == KRETPROBE);
		break;
	case UPROBE:
	case URETPROBE:
		err = function_probe(p, text, len, what, kind == URETPROBE);
		break;
	default:
		err = usdt_probe(p, text, len, what);
		break;
	}
	free(what);
	return err;
}
