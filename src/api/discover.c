// SPDX-License-Identifier: BSD-2-Clause
/* Lists what this machine has: events, PMUs, tracepoints, tracers, limits. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "api/error.h"
#include "event/event.h"
#include "event/pmu.h"
#include "event/pmu_words.h"
#include "event/tracefs.h"
#include "event/tracepoint.h"
#include "perf/open.h"

int pmutrace_supported(const char *spec, struct pmutrace_error *why)
{
	struct pmutrace_options options = { .size = sizeof(options), .all = true };
	struct pmutrace_events *e;
	int err = pmutrace_open(&e, spec ? spec : "dummy:u", NULL, &options, why);

	pmutrace_close(e);
	return err;
}

static int each_cache_event(int (*fn)(void *arg, const struct pmutrace_event_name *name), void *arg)
{
	struct pmutrace_event_name n = { .type = PERF_TYPE_HW_CACHE, .unit = "" };
	char name[64];
	int stop = 0;

	for (unsigned int i = 0; i < PERF_COUNT_HW_CACHE_MAX * PERF_COUNT_HW_CACHE_OP_MAX *
						 PERF_COUNT_HW_CACHE_RESULT_MAX &&
				 !stop;
	     i++) {
		unsigned int result = i % PERF_COUNT_HW_CACHE_RESULT_MAX;
		unsigned int op = i / PERF_COUNT_HW_CACHE_RESULT_MAX % PERF_COUNT_HW_CACHE_OP_MAX;

		n.config = i / PERF_COUNT_HW_CACHE_RESULT_MAX / PERF_COUNT_HW_CACHE_OP_MAX |
			   op << 8 | result << 16;
		n.name = name;
		if (perf_event__cache_name(n.config, name, sizeof(name)))
			stop = fn(arg, &n);
	}
	return stop;
}

int pmutrace_for_each_event(int (*fn)(void *arg, const struct pmutrace_event_name *name), void *arg)
{
	const struct perf_event_name *known;
	int stop = 0;

	for (size_t i = 0; (known = perf_event__name(i)) && !stop; i++) {
		struct pmutrace_event_name n = {
			.name = known->name,
			.alias = known->alias,
			.unit = known->unit,
			.type = known->type,
			.config = known->config,
		};

		stop = fn(arg, &n);
	}
	return stop ? stop : each_cache_event(fn, arg);
}

int pmutrace_for_each_pmu(int (*fn)(void *arg, const struct pmutrace_pmu *pmu), void *arg,
			  struct pmutrace_error *why)
{
	struct pmu *pmus;
	size_t nr;
	int err = pmus__read("", &pmus, &nr);

	if (err)
		return error__say(why, err, "/sys/bus/event_source/devices: %s", strerror(-err));
	error__none(why);
	for (size_t i = 0; i < nr && !err; i++) {
		struct pmutrace_pmu p = {
			.name = pmus[i].name,
			.type = pmus[i].type,
			.core = pmus[i].core,
			.max_precise = pmus[i].max_precise,
		};

		err = fn(arg, &p);
	}
	pmus__free(pmus, nr);
	return err;
}

/* What the files of a PMU say; the caller frees the words. 0 or -errno with @why. */
static int read_words(struct pmu_words *w, const char *pmu, struct pmutrace_error *why)
{
	struct buf text = {};
	int err = pmu_words__read(w, "", pmu);

	if (err == -ENOENT && pmus__explain_unknown("", pmu, strlen(pmu), &text))
		err = -ENOMEM;
	if (err)
		return error__set(why, err, &text);
	return error__none(why);
}

int pmutrace_for_each_pmu_format(const char *pmu,
				 int (*fn)(void *arg, const struct pmutrace_pmu_format *format),
				 void *arg, struct pmutrace_error *why)
{
	struct pmu_words w;
	int err = read_words(&w, pmu, why);

	if (err)
		return err;
	for (size_t i = 0; i < w.nr_formats && !err; i++) {
		struct pmutrace_pmu_format f = { .name = w.formats[i].name,
						 .bits = w.formats[i].bits };
		struct pmu_field field;

		if (!pmu_field__parse(&field, f.bits)) {
			f.word = field.word;
			f.mask = field.bits;
		}
		err = fn(arg, &f);
	}
	pmu_words__free(&w);
	return err;
}

int pmutrace_for_each_pmu_event(const char *pmu,
				int (*fn)(void *arg, const struct pmutrace_pmu_event *event),
				void *arg, struct pmutrace_error *why)
{
	struct pmu_words w;
	int err = read_words(&w, pmu, why);

	if (err)
		return err;
	for (size_t i = 0; i < w.nr_events && !err; i++) {
		struct pmutrace_pmu_event ev = {
			.name = w.events[i].name,
			.terms = w.events[i].terms,
			.unit = w.events[i].unit,
			.scale = w.events[i].scale,
		};

		err = fn(arg, &ev);
	}
	pmu_words__free(&w);
	return err;
}

int pmutrace_for_each_tracepoint(const char *pattern,
				 int (*fn)(void *arg, const char *category, const char *name),
				 void *arg, struct pmutrace_error *why)
{
	struct tracepoint_name *names = NULL;
	struct buf path = {}, text = {};
	size_t nr = 0;
	int err = tracefs__find("", &path, &text);

	if (!err) {
		err = tracepoints__list(path.data, pattern, &names, &nr);
		if (err == -EINVAL &&
		    buf__printf(&text, "'%s' is no pattern CATEGORY:NAME", pattern))
			err = -ENOMEM;
	}
	buf__free(&path);
	if (err)
		return error__set(why, err, &text);
	error__none(why);
	for (size_t i = 0; i < nr && !err; i++)
		err = fn(arg, names[i].category, names[i].name);
	tracepoint_names__free(names, nr);
	buf__free(&text);
	return err;
}

int pmutrace_for_each_tracer(int (*fn)(void *arg, const char *name, bool current), void *arg,
			     struct pmutrace_error *why)
{
	struct buf path = {}, text = {};
	struct tracers t = {};
	int err = tracefs__find("", &path, &text);

	if (!err)
		err = tracefs__tracers(path.data, &t);
	buf__free(&path);
	if (err)
		return error__set(why, err, &text);
	error__none(why);
	for (size_t i = 0; i < t.nr && !err; i++)
		err = fn(arg, t.available[i], !strcmp(t.available[i], t.current));
	tracers__free(&t);
	buf__free(&text);
	return err;
}

int pmutrace_tracepoint_id(const char *category, const char *name, uint32_t *id,
			   struct pmutrace_error *why)
{
	struct buf path = {}, text = {};
	int err = tracefs__find("", &path, &text);

	*id = 0;
	if (!err)
		err = tracepoint__id(path.data, category, name, id, &text);
	buf__free(&path);
	if (err)
		return error__set(why, err, &text);
	buf__free(&text);
	return error__none(why);
}

static int put_path(char *path, size_t size, int err, struct buf *found, struct buf *text,
		    struct pmutrace_error *why)
{
	if (size)
		*path = '\0';
	if (!err && found->len >= size)
		err = -ERANGE;
	if (!err)
		memcpy(path, found->data, found->len + 1);
	buf__free(found);
	if (err)
		return error__set(why, err, text);
	buf__free(text);
	return error__none(why);
}

int pmutrace_tracefs(char *path, size_t size, struct pmutrace_error *why)
{
	struct buf found = {}, text = {};
	int err = tracefs__find("", &found, &text);

	return put_path(path, size, err, &found, &text, why);
}

int pmutrace_debugfs(char *path, size_t size, struct pmutrace_error *why)
{
	struct buf found = {}, text = {};
	int err = tracefs__debugfs("", &found);

	if (err == -ENOENT && buf__puts(&text, "debugfs is not mounted: mount -t debugfs debugfs "
					       "/sys/kernel/debug"))
		err = -ENOMEM;
	return put_path(path, size, err, &found, &text, why);
}

void pmutrace_limits(struct pmutrace_limits *out)
{
	struct rlimit files;

	*out = (struct pmutrace_limits){
		.paranoid = perf_sysctl("perf_event_paranoid", LONG_MIN),
		.max_sample_rate_hz = perf_sysctl("perf_event_max_sample_rate", -1),
		.mlock_kb = perf_sysctl("perf_event_mlock_kb", -1),
		.max_stack = perf_sysctl("perf_event_max_stack", -1),
		.max_contexts = perf_sysctl("perf_event_max_contexts_per_stack", -1),
		.open_files = -1,
	};
	if (!getrlimit(RLIMIT_NOFILE, &files))
		out->open_files = (long)files.rlim_max;
}
