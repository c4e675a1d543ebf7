// SPDX-License-Identifier: BSD-2-Clause
/* Places in code -> perf events: by the kernel's kprobe and uprobe PMUs, else by tracefs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "event/event_parse.h"
#include "event/pmu.h"
#include "event/pmu_terms.h"
#include "event/tracefs.h"
#include "event/tracefs_probe.h"

struct event_fallback {
	struct tracefs_probe probe;
	char *tracefs;
};

int event__unknown_is_invalid(int err)
{
	return err == -ENOENT ? -EINVAL : err;
}

/*
 * The PMU of probes and, if it exists, its bit for returns. -ENOENT: there is none that can be
 * used. Source: Documentation/ABI/testing/sysfs-bus-event_source-devices-kprobe and -uprobe.
 */
static int find_pmu(const struct perf_event_env *env, const char *pmu, bool returns,
		    struct perf_event_attr *attr, struct buf *why)
{
	struct pmu_terms terms;
	struct pmu *pmus;
	size_t nr, i;
	int err = pmus__read(env->root, &pmus, &nr);

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
	err = pmu__parse_terms(env->root, pmu, "retprobe=1", 10, &terms, why);
	if (!err)
		attr->config |= terms.config[0];
	return err;
}

/* An event in tracefs, which is removed with the list. */
static int fall_back(struct perf_event_spec *ev, const struct perf_event_env *env,
		     enum tracefs_probe_kind kind, const char *what, struct buf *why)
{
	struct event_fallback *f = calloc(1, sizeof(*f));
	struct buf path = {};
	int err = f ? tracefs__find(env->root, &path, why) : -ENOMEM;

	/* What runs that were killed have left. */
	if (!err && tracefs_probe__clean(path.data) < 0)
		log__debug("tracefs could not be cleaned up");
	if (!err)
		err = event__unknown_is_invalid(
			tracefs_probe__add(path.data, kind, what, &f->probe, why));
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

/* As tracefs has it: "FUNCTION+0xOFFSET", "PATH:0xOFFSET(0xCOUNTER)". */
static int put_place(struct buf *out, const struct perf_site *site, bool is_kernel)
{
	unsigned long long offset = site->offset, counter = site->counter_offset;
	int err;

	if (is_kernel && !offset)
		return buf__puts(out, site->name);
	if (is_kernel)
		return buf__printf(out, "%s+0x%llx", site->name, offset);
	err = buf__printf(out, "%s:0x%llx", site->home, offset);
	return err || !counter ? err : buf__printf(out, "(0x%llx)", counter);
}

static int make_in_pmu(struct perf_event_spec *ev, const struct perf_event_env *env, bool is_kernel,
		       bool returns, struct buf *why)
{
	const struct perf_site *site = &ev->site;
	int err = find_pmu(env, is_kernel ? "kprobe" : "uprobe", returns, &ev->attr, why);

	if (err)
		return err;
	ev->text = strdup(is_kernel ? site->name : site->home);
	ev->attr.config1 = (uintptr_t)ev->text;
	ev->attr.config2 = site->offset;
	/* ref_ctr_offset is config:32-63 */
	ev->attr.config |= site->counter_offset << 32;
	return ev->text ? 0 : -ENOMEM;
}

static int make_in_tracefs(struct perf_event_spec *ev, const struct perf_event_env *env,
			   bool is_kernel, bool returns, struct buf *why)
{
	enum tracefs_probe_kind kind = is_kernel ? TRACEFS_KPROBE : TRACEFS_UPROBE;
	struct buf what = {};
	int err = put_place(&what, &ev->site, is_kernel);

	if (returns)
		kind = is_kernel ? TRACEFS_KRETPROBE : TRACEFS_URETPROBE;
	if (!err)
		err = fall_back(ev, env, kind, what.data, why);
	buf__free(&what);
	return err;
}

/*
 * Returns of the kernel's functions are missed when more calls are under way than there are CPUs,
 * unless tracefs is told how many there may be. Where it makes none, a PMU is better than nothing.
 */
static int make_kretprobe(struct perf_event_spec *ev, const struct perf_event_env *env,
			  struct buf *why)
{
	struct buf refused = {};
	int err = make_in_tracefs(ev, env, true, true, &refused), in_pmu;

	if (!err || err == -ENOMEM)
		goto out_free;
	in_pmu = make_in_pmu(ev, env, true, true, why);
	if (in_pmu != -ENOENT)
		err = in_pmu;
	else if (refused.len && buf__puts(why, refused.data))
		err = -ENOMEM;
out_free:
	buf__free(&refused);
	return err;
}

/* A PMU's probe vanishes with its event, so it is preferred. Inherited, it makes forks fail. */
static int make(struct perf_event_spec *ev, const struct perf_event_env *env, bool is_kernel,
		bool returns, struct buf *why)
{
	int err = -ENOENT;

	if (!env->inherit && is_kernel && returns)
		return make_kretprobe(ev, env, why);
	if (!env->inherit)
		err = make_in_pmu(ev, env, is_kernel, returns, why);
	return err == -ENOENT ? make_in_tracefs(ev, env, is_kernel, returns, why) : err;
}

int perf_event__make(struct perf_event_spec *ev, const struct perf_event_env *env, struct buf *why)
{
	static const struct perf_event_env system_env = { .root = "" };

	/* The type tells nothing: the kernel's first PMU of its own has PERF_TYPE_MAX. */
	if (ev->text || ev->fallback)
		return 0;
	if (!env)
		env = &system_env;
	switch (ev->site.kind) {
	case SITE_KPROBE:
	case SITE_KRETPROBE:
		return make(ev, env, true, ev->site.kind == SITE_KRETPROBE, why);
	case SITE_UPROBE:
	case SITE_URETPROBE:
	case SITE_USDT:
		return make(ev, env, false, ev->site.kind == SITE_URETPROBE, why);
	default:
		return 0;
	}
}
