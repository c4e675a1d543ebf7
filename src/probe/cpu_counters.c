// SPDX-License-Identifier: BSD-2-Clause
/* Opens counting events on each CPU, puts them into a perf event array, reopens them there. */
#include "probe/cpu_counters.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "machine/cpus.h"
#include "perf/open.h"

/* A pinned event without a counter reads as end of file. */
static int check_counter(const struct perf_event_spec *ev, int fd, int cpu, struct buf *why)
{
	uint64_t value[3]; /* count, enabled, running */
	ssize_t n = read(fd, value, sizeof(value));
	int err;

	if (n == sizeof(value))
		return 0;
	err = n < 0 ? -errno : -EBUSY;
	return buf__printf(why,
			   "'%s': no counter of CPU %d is free; ask for fewer events, or see "
			   "`pmutrace doctor` for who holds one",
			   ev->name, cpu)
		       ? -ENOMEM
		       : err;
}

/* Most PMUs check whether a group fits when an event joins it; EINVAL then stands for any flaw. */
static int explain(struct buf *why, int err, const struct perf_event_attr *attr, const char *name,
		   int cpu, bool in_group)
{
	int alone = in_group && err == -EINVAL ? perf_open(attr, -1, cpu, -1) : -1;

	if (alone >= 0)
		close(alone);
	if (alone >= 0)
		return buf__printf(why,
				   "'%s' does not go with the others of its group: it is of "
				   "another PMU, or they need more counters than there are",
				   name);
	return perf_open__explain(why, err, attr, name, READER_PERSON);
}

static int open_counter(const struct perf_event_spec *ev, int cpu, int group_fd, bool shared,
			int *fd, struct buf *why)
{
	struct perf_event_attr attr = ev->attr;
	int err;

	attr.pinned = !shared && perf_event__is_hardware(&attr);
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	*fd = perf_open(&attr, -1, cpu, group_fd);
	if (*fd == -ENODEV) { /* went offline */
		*fd = -1;
		return 0;
	}
	if (*fd < 0) {
		err = *fd;
		*fd = -1;
		return explain(why, err, &attr, ev->name, cpu, group_fd >= 0) ? -ENOMEM : err;
	}
	return shared ? 0 : check_counter(ev, *fd, cpu, why);
}

static bool is_left_out(const struct cpu_counters_opts *opts, size_t event)
{
	return !opts->events[event] || (opts->left_out && opts->left_out[event].why.len);
}

/* The first of the event's group that is open on the CPU; -1: none, or it has no group. */
static int leader_of(const struct cpu_counters *c, const struct cpu_counters_opts *opts, size_t cpu,
		     size_t event)
{
	const int group = opts->events[event]->group;

	for (size_t e = 0; e < event && opts->shared && group != EVENT_NO_GROUP; e++)
		if (opts->events[e] && opts->events[e]->group == group &&
		    c->fds[cpu * opts->per_cpu + e] >= 0)
			return c->fds[cpu * opts->per_cpu + e];
	return -1;
}

/* Opens all events on a CPU. *event: on error the one that failed. */
static int open_cpu(struct cpu_counters *c, const struct cpu_counters_opts *opts, uint32_t cpu,
		    size_t *event, struct buf *why)
{
	int err = 0;

	for (size_t e = 0; e < opts->nr_events && !err; e++) {
		size_t at = cpu * opts->per_cpu + e;

		if (is_left_out(opts, e))
			continue;
		if (at >= c->nr)
			return -ERANGE;
		*event = e;
		err = open_counter(opts->events[e], cpu, leader_of(c, opts, cpu, e), opts->shared,
				   &c->fds[at], why);
	}
	return err;
}

static void close_all(struct cpu_counters *c)
{
	for (size_t i = 0; i < c->nr; i++) {
		if (c->fds[i] >= 0)
			close(c->fds[i]);
		c->fds[i] = -1;
	}
}

/* Opens all or none: without one of its events a group would be another group. */
static int open_all(struct cpu_counters *c, const struct cpu_counters_opts *opts,
		    const uint32_t *online, size_t nr, struct buf *why)
{
	for (;;) {
		size_t event = opts->nr_events;
		struct buf reason = {};
		int err = 0;

		for (size_t i = 0; i < nr && !err; i++)
			err = open_cpu(c, opts, online[i], &event, &reason);
		if (!err) {
			buf__free(&reason);
			return 0;
		}
		close_all(c);
		if (!opts->left_out || event == opts->nr_events || err == -ENOMEM ||
		    err == -EMFILE || !reason.len) {
			if (reason.len && buf__puts(why, reason.data))
				err = -ENOMEM;
			buf__free(&reason);
			return err;
		}
		opts->left_out[event] = (struct cpu_counters_left){ reason, err };
	}
}

/* Leaves out events that are not of each CPU by itself: known before they are opened. */
static int leave_out(const struct cpu_counters_opts *opts)
{
	int err = 0;

	for (size_t e = 0; e < opts->nr_events && opts->left_out && !err; e++) {
		const struct perf_event_spec *ev = opts->events[e];
		struct cpu_counters_left *left = &opts->left_out[e];

		left->err = ev && (ev->for_cpus || ev->nr_cpus) ? -EOPNOTSUPP : 0;
		if (ev && ev->for_cpus)
			err = buf__printf(&left->why,
					  "'%s' counts for several CPUs at once, and knows no task",
					  ev->name);
		else if (ev && ev->nr_cpus)
			err = buf__printf(&left->why, "'%s' is counted on some CPUs only",
					  ev->name);
	}
	return err;
}

int cpu_counters__open(struct cpu_counters *c, const struct cpu_counters_opts *opts,
		       struct buf *why)
{
	uint32_t *online, possible;
	size_t nr;
	int err = cpus__possible("", &possible);

	if (err)
		return err;
	c->fds = malloc((possible * opts->per_cpu + 1) * sizeof(*c->fds));
	if (!c->fds)
		return -ENOMEM;
	c->nr = possible * opts->per_cpu;
	for (size_t i = 0; i < c->nr; i++)
		c->fds[i] = -1;
	err = leave_out(opts);
	if (!err)
		err = cpus__online("", &online, &nr);
	if (err)
		return err;
	err = open_all(c, opts, online, nr, why);
	free(online);
	return err;
}

int cpu_counters__put(const struct cpu_counters *c, int map_fd)
{
	int err = 0;

	for (uint32_t i = 0; i < c->nr && !err; i++)
		if (c->fds[i] >= 0)
			err = bpf_map_update_elem(map_fd, &i, &c->fds[i], BPF_ANY);
	return err;
}

bool cpu_counters__are_open(const struct cpu_counters *c, const struct cpu_counters_opts *opts,
			    uint32_t cpu)
{
	for (size_t e = 0; e < opts->nr_events; e++) {
		size_t at = cpu * opts->per_cpu + e;

		if (!is_left_out(opts, e) && (at >= c->nr || c->fds[at] < 0))
			return false;
	}
	return true;
}

int cpu_counters__drop(struct cpu_counters *c, const struct cpu_counters_opts *opts, uint32_t cpu,
		       int map_fd)
{
	int err = 0;

	for (size_t e = 0; e < opts->nr_events; e++) {
		uint32_t at = cpu * opts->per_cpu + e;
		int gone;

		if (at >= c->nr || c->fds[at] < 0)
			continue;
		close(c->fds[at]);
		c->fds[at] = -1;
		gone = bpf_map_delete_elem(map_fd, &at);
		if (gone && gone != -ENOENT)
			err = gone;
	}
	return err;
}

static int put_cpu(const struct cpu_counters *c, const struct cpu_counters_opts *opts, uint32_t cpu,
		   int map_fd)
{
	int err = 0;

	for (size_t e = 0; e < opts->nr_events && !err; e++) {
		uint32_t at = cpu * opts->per_cpu + e;

		if (!is_left_out(opts, e))
			err = bpf_map_update_elem(map_fd, &at, &c->fds[at], BPF_ANY);
	}
	return err;
}

int cpu_counters__reopen(struct cpu_counters *c, const struct cpu_counters_opts *opts, uint32_t cpu,
			 int map_fd, struct buf *why)
{
	size_t event;
	int err = open_cpu(c, opts, cpu, &event, why), gone;

	if (!err && !cpu_counters__are_open(c, opts, cpu))
		err = -ENODEV;
	if (!err)
		err = put_cpu(c, opts, cpu, map_fd);
	if (!err)
		return 0;
	gone = cpu_counters__drop(c, opts, cpu, map_fd);
	return gone ? gone : err;
}

void cpu_counters__close(struct cpu_counters *c)
{
	close_all(c);
	free(c->fds);
	*c = (struct cpu_counters){};
}
