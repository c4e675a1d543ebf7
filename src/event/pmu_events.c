// SPDX-License-Identifier: BSD-2-Clause
/* Reads the folders format/ and events/ of a PMU, with the unit and scale of each event. */
#include "event/pmu_events.h"

#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "event/pmu_sysfs.h"

/* Files of a folder that is not there, or gone by now. */
static int list_files(const char *root, const char *pmu, const char *dir, char ***names, size_t *nr)
{
	int err = pmu_sysfs__list(root, pmu, dir, names, nr);

	return err == -ENOENT || err == -ENOTDIR || err == -EACCES ? 0 : err;
}

int pmu__formats(const char *root, const char *pmu, struct pmu_format **out, size_t *nr)
{
	size_t nr_names, cap = 0, i;
	struct buf text = {};
	char **names;
	int err;

	*out = NULL;
	*nr = 0;
	err = list_files(root, pmu, "format", &names, &nr_names);
	if (err)
		return err;
	for (i = 0; i < nr_names; i++) {
		err = pmu_sysfs__read(root, pmu, "format", names[i], &text);
		if (err && err != -ENOMEM)
			continue;
		if (!err)
			err = array__grow(out, &cap, *nr + 1);
		if (err)
			goto out_free;
		(*out)[*nr] = (struct pmu_format){ .name = names[i], .bits = strdup(text.data) };
		names[i] = NULL;
		if (!(*out)[(*nr)++].bits) {
			err = -ENOMEM;
			goto out_free;
		}
	}
	err = 0;
out_free:
	pmu_sysfs__free(names, nr_names);
	buf__free(&text);
	if (err) {
		pmu_formats__free(*out, *nr);
		*out = NULL;
		*nr = 0;
	}
	return err;
}

void pmu_formats__free(struct pmu_format *formats, size_t nr)
{
	while (nr) {
		free(formats[--nr].name);
		free(formats[nr].bits);
	}
	free(formats);
}

/* "EVENT.scale" and its like say something about EVENT (tools/perf/util/pmu.c). */
static bool is_event(const char *name)
{
	static const char *const about[] = { ".scale", ".unit", ".per-pkg", ".snapshot" };
	size_t len = strlen(name), n;

	for (size_t i = 0; i < ARRAY_SIZE(about); i++) {
		n = strlen(about[i]);
		if (len > n && !strcmp(name + len - n, about[i]))
			return false;
	}
	return true;
}

/* The kernel writes a '.', whatever the user's language. */
static int parse_scale(const char *s, double *out)
{
	locale_t c = newlocale(LC_NUMERIC_MASK, "C", NULL);
	char *end;

	if (!c)
		return -ENOMEM;
	*out = strtod_l(s, &end, c);
	freelocale(c);
	if (end == s || *end || !isfinite(*out) || *out <= 0)
		*out = NAN;
	return 0;
}

/* The text of EVENT.scale or EVENT.unit; -ENOENT when it is not said. */
static int read_about(const char *root, const char *pmu, const char *event, const char *suffix,
		      struct buf *text)
{
	char name[300]; /* NAME_MAX is 255 */

	snprintf(name, sizeof(name), "%s%s", event, suffix);
	return pmu_sysfs__read(root, pmu, "events", name, text);
}

/* @e has its name; half-built on error. */
static int read_event(const char *root, const char *pmu, struct pmu_event *e, struct buf *text)
{
	int err = pmu_sysfs__read(root, pmu, "events", e->name, text);

	if (err)
		return err;
	e->terms = strdup(text->data);
	err = read_about(root, pmu, e->name, ".unit", text);
	if (err == -ENOMEM)
		return err;
	e->unit = strdup(err ? "" : text->data);
	if (!e->terms || !e->unit)
		return -ENOMEM;
	err = read_about(root, pmu, e->name, ".scale", text);
	if (!err)
		return parse_scale(text->data, &e->scale);
	e->scale = err == -ENOENT ? 1 : NAN;
	return err == -ENOMEM ? err : 0;
}

int pmu__events(const char *root, const char *pmu, struct pmu_event **out, size_t *nr)
{
	size_t nr_names, cap = 0, i;
	struct buf text = {};
	char **names;
	int err;

	*out = NULL;
	*nr = 0;
	err = list_files(root, pmu, "events", &names, &nr_names);
	if (err)
		return err;
	for (i = 0; i < nr_names; i++) {
		if (!is_event(names[i]))
			continue;
		err = array__grow(out, &cap, *nr + 1);
		if (err)
			goto out_free;
		(*out)[*nr] = (struct pmu_event){ .name = names[i] };
		names[i] = NULL;
		err = read_event(root, pmu, &(*out)[(*nr)++], &text);
		if (err == -ENOMEM)
			goto out_free;
		if (err)
			free((*out)[--*nr].name);
	}
	err = 0;
out_free:
	pmu_sysfs__free(names, nr_names);
	buf__free(&text);
	if (err) {
		pmu_events__free(*out, *nr);
		*out = NULL;
		*nr = 0;
	}
	return err;
}

void pmu_events__free(struct pmu_event *events, size_t nr)
{
	while (nr) {
		nr--;
		free(events[nr].name);
		free(events[nr].terms);
		free(events[nr].unit);
	}
	free(events);
}
