/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/pmu_events.h - what the kernel says about one PMU: its fields and its named events.
 *
 * Source: /sys/bus/event_source/devices/PMU/{format,events}/.
 */
#ifndef PMUTRACE_EVENT_PMU_EVENTS_H
#define PMUTRACE_EVENT_PMU_EVENTS_H

#include <stddef.h>

#include "base/array.h"

struct pmu_format {
	char *name; /* "umask" */
	char *bits; /* "config:8-15" */
};

struct pmu_event {
	char *name;   /* "cas_count_read" */
	char *terms;  /* "event=0x04,umask=0x03" */
	char *unit;   /* what count * scale is in: "MiB"; "" when not said */
	double scale; /* 1 when not said; NAN when what is said is no number above 0 */
};

/*
 * Sorted by name. @root: "" or a fixture tree. A file that cannot be read is left out; a PMU that
 * has none, or does not exist, gives an empty list. 0, -EINVAL: no name of a PMU, -EFBIG, -ENOMEM.
 */
int pmu__formats(const char *root, const char *pmu, struct pmu_format **out, size_t *nr) must_check;
void pmu_formats__free(struct pmu_format *formats, size_t nr);

int pmu__events(const char *root, const char *pmu, struct pmu_event **out, size_t *nr) must_check;
void pmu_events__free(struct pmu_event *events, size_t nr);

#endif
