// SPDX-License-Identifier: BSD-2-Clause
/* Events of the PMUs in sysfs: "PMU/TERMS/", and names in events/ of the CPU's own. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "event/event_parse.h"
#include "event/pmu.h"
#include "event/pmu_terms.h"

static int copy_cpus(struct perf_event_spec *ev, const struct pmu *pmu)
{
	if (pmu->any_cpu)
		return 0;
	ev->cpus = malloc((pmu->nr_cpus + 1) * sizeof(*ev->cpus));
	if (!ev->cpus)
		return -ENOMEM;
	memcpy(ev->cpus, pmu->cpus, pmu->nr_cpus * sizeof(*ev->cpus));
	ev->nr_cpus = pmu->nr_cpus;
	ev->for_cpus = !pmu->core;
	return 0;
}

int event__add_terms(struct event_parser *p, uint32_t type, const struct pmu_terms *t,
		     const char *name, size_t len)
{
	struct perf_event_spec *ev;
	int err;

	if (t->name[0])
		err = event__add(p, t->name, strlen(t->name));
	else
		err = event__add(p, name, len);
	if (err)
		return err;
	ev = event__last(p);
	ev->named = t->name[0];
	ev->attr.type = type;
	ev->attr.config = t->config[0];
	ev->attr.config1 = t->config[1];
	ev->attr.config2 = t->config[2];
#ifdef PERF_ATTR_SIZE_VER8 /* Linux 6.3 */
	ev->attr.config3 = t->config[3];
#else
	if (t->config[3])
		return event__refuse(p, -EINVAL,
				     "'%.*s' needs config3, which this build does not know",
				     (int)len, name);
#endif
	ev->hz = t->hz;
	ev->period = t->period;
	ev->scale = t->scale;
	snprintf(ev->unit, sizeof(ev->unit), "%s", t->unit);
	return 0;
}

/* @name: of the event as written. */
static int add(struct event_parser *p, const struct pmu *pmu, const struct pmu_terms *t,
	       const char *name, size_t len)
{
	int err = event__add_terms(p, pmu->type, t, name, len);

	return err ? err : copy_cpus(event__last(p), pmu);
}

int event__pmu(struct event_parser *p, const char *pmu, size_t pmu_len, const char *terms,
	       size_t terms_len)
{
	uint32_t first = p->list->nr;
	struct pmu_terms parsed;
	struct pmu *pmus;
	size_t nr, i;
	int err = pmus__read(p->env->root, &pmus, &nr);

	if (err)
		return event__refuse(p, err, "the PMUs cannot be read from /sys: %s",
				     strerror(-err));
	for (i = 0; i < nr && !err; i++) {
		if (!pmu__matches(pmus[i].name, pmu, pmu_len))
			continue;
		err = pmu__parse_terms(p->env->root, pmus[i].name, terms, terms_len, &parsed,
				       p->why);
		if (err)
			event__at(p, terms + parsed.bad, parsed.bad_len);
		else
			err = add(p, &pmus[i], &parsed, pmu, pmu_len + terms_len + 2);
		if (!err)
			event__last(p)->part_of = first;
	}
	pmus__free(pmus, nr);
	if (err)
		return err;
	if (p->list->nr == first) {
		event__at(p, pmu, pmu_len);
		err = pmus__explain_unknown(p->env->root, pmu, pmu_len, p->why);
		return err ? err : -EINVAL;
	}
	if (p->group >= 0 && p->list->nr > first + 1)
		return event__refuse(p, -EINVAL,
				     "'%.*s' are several PMUs, which cannot be in one group",
				     (int)pmu_len, pmu);
	return 0;
}

/* Is there events/NAME? Case aside, as with perf (comp_pmu() of util/parse-events.c). */
static int has_event(struct event_parser *p, const struct pmu *pmu, const char *name, size_t len,
		     bool *has)
{
	struct pmu_event *events;
	size_t nr, i;
	int err = pmu__events(p->env->root, pmu->name, &events, &nr);

	*has = false;
	if (err)
		return err;
	for (i = 0; i < nr && !*has; i++)
		*has = strlen(events[i].name) == len && !strncasecmp(events[i].name, name, len);
	pmu_events__free(events, nr);
	return 0;
}

int event__pmu_alias(struct event_parser *p, const char *name, size_t len)
{
	uint32_t first = p->list->nr;
	struct pmu_terms parsed;
	struct pmu *pmus;
	bool has = false;
	size_t nr, i;
	int err = pmus__read(p->env->root, &pmus, &nr);

	if (err)
		return err == -ENOMEM ? err : -ENOENT;
	for (i = 0; i < nr && !err; i++) {
		if (!pmus[i].core)
			continue;
		err = has_event(p, &pmus[i], name, len, &has);
		if (err || !has)
			continue;
		err = pmu__parse_terms(p->env->root, pmus[i].name, name, len, &parsed, p->why);
		if (!err)
			err = add(p, &pmus[i], &parsed, name, len);
		if (!err)
			event__last(p)->part_of = first;
	}
	pmus__free(pmus, nr);
	if (!err && p->list->nr == first)
		err = -ENOENT;
	return err;
}
