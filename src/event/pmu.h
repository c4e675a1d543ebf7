/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event/pmu.h - the PMUs of this machine: the CPU's own, those around it, the kernel's.
 *
 * Fields and events of one are in event/pmu_events.h, PMU/TERMS/ in event/pmu_terms.h.
 * Source: /sys/bus/event_source/devices/PMU/{type,cpumask,cpus,caps}. All functions take
 * @root: "" or a fixture tree.
 */
#ifndef PMUTRACE_EVENT_PMU_H
#define PMUTRACE_EVENT_PMU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/buf.h"

enum { PMU_PRECISE_UNKNOWN = 255 };

struct pmu {
	char *name;
	uint32_t type; /* of perf_event_attr */
	/*
	 * Where its events have to be opened. Around the CPU (uncore): one CPU for each package
	 * or die, and the count is that of the package. Of the CPU's own, where CPUs differ: those
	 * it belongs to.
	 */
	uint32_t *cpus; /* sorted */
	size_t nr_cpus; /* 0: none of its CPUs is online, unless any_cpu */
	bool any_cpu;	/* it does not say: any CPU will do */
	bool core;	/* one of the CPU's own: "cpu", or it has a file `cpus` */
	/* Highest precise_ip for its events (caps/max_precise), or PMU_PRECISE_UNKNOWN. */
	uint8_t max_precise;
};

/*
 * All of them, sorted by name, numbers in names by value; the caller calls pmus__free(). One that
 * goes away meanwhile, or whose files make no sense, is left out. 0; -ENOENT: this kernel shows
 * none (no sysfs?); another -errno.
 */
int pmus__read(const char *root, struct pmu **out, size_t *nr) must_check;
void pmus__free(struct pmu *pmus, size_t nr);

/*
 * Is that what the user means? As with perf: "uncore_imc" means uncore_imc, uncore_imc_0, _1, ..
 * and a number without '_' too; "smmuv3_pmcg" means smmuv3_pmcg_2b442 (an address, in hex);
 * "uncore_" may be left out; '*' and '?' are any characters. Unlike perf, "uncore_imc_1" does not
 * mean uncore_imc_10.
 */
bool pmu__matches(const char *pmu, const char *pattern, size_t len);

/* A sentence for a pattern that matches none of them: what is near it, what there is. */
int pmus__explain_unknown(const char *root, const char *pattern, size_t len,
			  struct buf *why) must_check;

/* Names in such a sentence: "a, b, c", and how many more there are. As nearest() of base/parse. */
int pmu__put_names(struct buf *out, const char *const *items, size_t nr, size_t stride) must_check;

#endif
