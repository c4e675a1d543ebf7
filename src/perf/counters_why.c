// SPDX-License-Identifier: BSD-2-Clause
/* Why nothing could be opened. */
#include <errno.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "perf/counters_parts.h"
#include "perf/open.h"

/*
 * Cgroups of version 2 have perf_event without being told, but not before somebody has enabled
 * any controller there (cgroup_propagate_control(), kernel/cgroup/cgroup.c).
 */
bool counters__lacks_cgroups(const struct counters *c)
{
	const struct counter_place *at = &c->places[0];
	const struct perf_event_attr dummy = { .size = sizeof(dummy),
					       .type = PERF_TYPE_SOFTWARE,
					       .config = PERF_COUNT_SW_DUMMY };
	int fd;

	if (!c->nr_places || at->cgroup_fd < 0)
		return false;
	fd = counters__open_at(&dummy, at, -1);
	if (fd >= 0)
		close(fd);
	return fd == -ENOENT;
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/*
 * With EMFILE all descriptors below the limit are in use: those that are no counters are others.
 * Some inherited from a parent may be above the limit: the advice is rounded up.
 */
static int explain_nofile(const struct counters *c, size_t spare_fds, struct buf *why)
{
	size_t need = c->nr_events * c->nr_places, others;
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return -errno;
	others = limit.rlim_cur - c->nr_open + spare_fds;
	return buf__printf(why,
			   "%zu event%s in %zu place%s (CPUs or tasks) need%s %zu open file%s, "
			   "besides %zu others; the limit is %zu: %s %zu",
			   c->nr_events, plural(c->nr_events), c->nr_places, plural(c->nr_places),
			   c->nr_events == 1 ? "s" : "", need, plural(need), others,
			   (size_t)limit.rlim_cur, advice(ADVICE_OPEN_FILES, c->reader),
			   (need + others + 63) / 64 * 64);
}

/* The first event that none of the places is for; nr_events if there is none. */
static size_t find_unwanted(const struct counters *c)
{
	size_t i, k;

	for (i = 0; i < c->nr_events; i++) {
		for (k = 0; k < c->nr_places; k++)
			if (*counters__fd_at(c, i, k) != -ENODATA)
				break;
		if (c->nr_places && k == c->nr_places)
			break;
	}
	return i;
}

static int explain_unwanted(const struct counters *c, size_t event, struct buf *why)
{
	const struct perf_event_spec *spec = &c->events->items[event];
	int err;

	if (c->places[0].cpu < 0 || !spec->nr_cpus)
		return buf__printf(why, "'%s' counts for CPUs, not for tasks: %s", spec->name,
				   advice(ADVICE_FOR_CPUS, c->reader));
	err = buf__printf(why, "'%s' is counted on other CPUs only:", spec->name);
	for (size_t i = 0; i < spec->nr_cpus && !err; i++)
		err = buf__printf(why, "%s%u", i ? "," : " ", (unsigned)spec->cpus[i]);
	return err;
}

int counters__explain(const struct counters *c, int err, size_t spare_fds, struct buf *why)
{
	size_t i = find_unwanted(c);
	int full;

	if (err == -ESRCH && i < c->nr_events) {
		full = explain_unwanted(c, i, why);
		return full ? full : err;
	}
	if (err == -EMFILE) {
		full = explain_nofile(c, spare_fds, why);
		return full ? full : err;
	}
	if (err == -ENOENT && counters__lacks_cgroups(c)) {
		full = buf__puts(why, "the kernel counts no cgroups before a controller is enabled "
				      "for them: echo +pids >cgroup.subtree_control in the "
				      "directory of the root cgroup");
		return full ? full : err;
	}
	for (i = 0; i + 1 < c->nr_events && !c->opened[i].err; i++)
		;
	full = perf_open__explain(why, err, &c->opened[i].attr, c->events->items[i].name,
				  c->reader);
	return full ? full : err;
}

bool counters__has_programs(const struct counters *c, size_t event)
{
	size_t nr = 0;
	int err = -ENODATA;

	for (size_t i = 0; i < c->nr_places && err == -ENODATA; i++)
		if (counters__is_open(c, event, i))
			err = perf_query_bpf(*counters__fd_at(c, event, i), NULL, 0, &nr);
	return (!err || err == -ENOSPC) && nr;
}

void counters__tell_programs(const struct counters *c)
{
	for (size_t i = 0; i < c->nr_events; i++)
		if (c->opened[i].attr.type == PERF_TYPE_TRACEPOINT && counters__has_programs(c, i))
			log__notice("BPF programs are attached to %s: hits that one of them keeps "
				    "to itself are not counted",
				    c->events->items[i].name);
}
