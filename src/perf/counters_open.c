// SPDX-License-Identifier: BSD-2-Clause
/* Opening counters: what to do about each way in which the kernel refuses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/files.h"
#include "base/log.h"
#include "perf/counters_state.h"
#include "perf/open.h"

static int open_at(const struct perf_event_attr *attr, const struct counter_place *at, int group_fd)
{
	bool cgroup = at->cgroup_fd >= 0;

	return perf_open_at(attr, cgroup ? at->cgroup_fd : at->pid, at->cpu, group_fd,
			    cgroup ? PERF_FLAG_PID_CGROUP : 0);
}

/*
 * Cgroups of version 2 have perf_event without being told, but not before somebody has enabled
 * any controller there (cgroup_propagate_control(), kernel/cgroup/cgroup.c).
 */
static bool lacks_cgroups(const struct counters *c)
{
	const struct counter_place *at = &c->places[0];
	const struct perf_event_attr dummy = { .size = sizeof(dummy),
					       .type = PERF_TYPE_SOFTWARE,
					       .config = PERF_COUNT_SW_DUMMY };
	int fd;

	if (!c->nr_places || at->cgroup_fd < 0)
		return false;
	fd = open_at(&dummy, at, -1);
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

static int explain(const struct counters *c, int err, size_t spare_fds, struct buf *why)
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
	if (err == -ENOENT && lacks_cgroups(c)) {
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

static bool may_drop_kernel(const struct perf_event_attr *attr)
{
	return !attr->exclude_kernel && !attr->exclude_user && !perf_counts_kernel_only(attr);
}

/*
 * Which errno to report if an event is refused both with the kernel's part and without. A PMU of
 * sysfs that cannot leave the kernel out finds that invalid, and to count it takes a permission.
 */
static int worse_of(int with_kernel, int without, const struct perf_event_attr *attr)
{
	return without == -EINVAL && attr->type >= PERF_TYPE_MAX ? with_kernel : without;
}

/*
 * Opens an event on a place. If it is refused, tries a lower precise_ip, without the kernel, or
 * without PERF_FORMAT_GROUP, where that is allowed; what worked is then used on the next places.
 */
static int open_one(struct counters *c, const struct counters_opts *opts, size_t event,
		    const struct counter_place *at, int group_fd)
{
	const struct perf_event_spec *spec = &opts->events->items[event];
	struct opened *o = &c->opened[event];
	const bool hv = o->attr.exclude_hv;
	struct perf_event_attr attr;
	int fd, with_kernel = 0;

	for (;;) {
		attr = o->attr;
		if (group_fd >= 0)
			attr.disabled = attr.enable_on_exec = 0;
		fd = open_at(&attr, at, group_fd);
		if (fd >= 0) {
			o->user_only = o->user_only || with_kernel;
			return fd;
		}
		if (spec->most_precise && o->attr.precise_ip && !o->any && perf_is_too_precise(fd))
			o->attr.precise_ip--;
		else if ((fd == -EACCES || fd == -EPERM) && opts->user_only && !o->any &&
			 may_drop_kernel(&o->attr)) {
			o->attr.exclude_kernel = o->attr.exclude_hv = 1;
			with_kernel = fd;
		} else if (fd == -EINVAL && c->group_reads && !c->nr_open && o->attr.inherit) {
			c->group_reads = false;
			for (size_t i = 0; i < c->nr_events; i++)
				c->opened[i].attr.read_format &= ~PERF_FORMAT_GROUP;
		} else
			break;
	}
	if (!with_kernel)
		return fd;
	/* Other places may allow the kernel's part: leaving it out did not help here. */
	o->attr.exclude_kernel = 0;
	o->attr.exclude_hv = hv;
	return worse_of(with_kernel, fd, &o->attr);
}

static bool wants_cpu(const struct perf_event_spec *spec, int cpu)
{
	if (!spec->cpus || (cpu < 0 && !spec->for_cpus))
		return true;
	for (size_t i = 0; i < spec->nr_cpus; i++)
		if ((int)spec->cpus[i] == cpu)
			return true;
	return false;
}

/* Places that are gone since somebody looked. */
static bool is_gone(int err, const struct counter_place *at)
{
	return err == -ENODEV ? at->cpu >= 0 : err == -ESRCH ? at->pid > 0 : false;
}

static int set_filter(int fd, const struct perf_event_spec *spec, struct buf *why)
{
	int err = spec->filter ? perf_set_filter(fd, spec->filter) : 0, full;

	if (!err)
		return 0;
	full = buf__printf(why,
			   "the filter '%s' does not fit '%s': %s; 'pmutrace list --fields %s' "
			   "shows what it has",
			   spec->filter, spec->name, strerror(-err), spec->name);
	return full ? full : err;
}

/*
 * Why the kernel refuses a member of a group. Most PMUs look whether a group fits when it is made
 * (validate_group() in drivers/perf/arm_pmu.c and arch/x86/events/core.c). -ENOSPC: with any one
 * member it would go, so there are too many; -EXDEV: with one of them it would not; -EINVAL: nor
 * alone.
 */
static int why_refused(const struct counters *c, size_t event, size_t place)
{
	const struct counter_place *at = &c->places[place];
	struct perf_event_attr member = c->opened[event].attr;
	int first, second = open_at(&member, at, -1);

	if (second < 0)
		return second;
	close(second);
	member.disabled = member.enable_on_exec = 0;
	for (size_t i = c->opened[event].leader; i < event; i++) {
		if (*counters__fd_at(c, i, place) < 0)
			continue;
		first = open_at(&c->opened[i].attr, at, -1);
		if (first < 0)
			return first;
		second = open_at(&member, at, first);
		close(first);
		if (second < 0)
			return second == -EINVAL ? -EXDEV : second;
		close(second);
	}
	return -ENOSPC;
}

/* Closes a group whose members do not all fit: the rest would be another group. */
static void give_up_group(struct counters *c, size_t leader, size_t place)
{
	size_t nr_fit = 0;

	for (size_t i = leader; i < c->nr_events && c->opened[i].leader == leader; i++) {
		struct opened *o = &c->opened[i];
		int *fd = counters__fd_at(c, i, place);

		if (*fd >= 0) {
			close(*fd);
			nr_fit++;
			c->nr_open--;
			o->any = false;
			for (size_t k = 0; k < place && !o->any; k++)
				o->any = *counters__fd_at(c, i, k) >= 0;
		}
		*fd = o->err = -ENOSPC;
	}
	c->opened[leader].nr_fit = nr_fit;
}

int counters__open_place(struct counters *c, const struct counters_opts *opts, size_t place,
			 struct buf *why)
{
	const struct counter_place *at = &c->places[place];

	for (size_t i = 0; i < c->nr_events; i++) {
		const struct perf_event_spec *spec = &opts->events->items[i];
		struct opened *o = &c->opened[i];
		int group_fd = -1, fd, err;

		if (!wants_cpu(spec, at->cpu))
			continue;
		if (o->leader != i) {
			group_fd = *counters__fd_at(c, o->leader, place);
			/* A group is whole, or it is not. */
			if (group_fd < 0) {
				*counters__fd_at(c, i, place) = group_fd;
				if (!o->err)
					o->err = c->opened[o->leader].err;
				continue;
			}
		}
		fd = open_one(c, opts, i, at, group_fd);
		if (fd == -EINVAL && group_fd >= 0) {
			fd = why_refused(c, i, place);
			if (fd == -ENOSPC)
				give_up_group(c, o->leader, place);
		}
		*counters__fd_at(c, i, place) = fd < 0 && is_gone(fd, at) ? -ESRCH : fd;
		if (fd >= 0) {
			o->any = true;
			c->nr_open++;
			err = set_filter(fd, spec, why);
			if (err)
				return err;
		} else if (is_gone(fd, at)) {
			log__debug("'%s' skips a place that is gone", spec->name);
		} else if (fd == -EMFILE) {
			return fd;
		} else if (!o->err) {
			o->err = fd;
		}
	}
	return 0;
}

static void prepare(struct counters *c, const struct counters_opts *opts)
{
	for (size_t i = 0; i < c->nr_events; i++) {
		const struct perf_event_spec *spec = &opts->events->items[i];
		struct opened *o = &c->opened[i];

		o->leader = i;
		if (spec->group >= 0 && i && spec[-1].group == spec->group)
			o->leader = c->opened[i - 1].leader;
		c->opened[o->leader].nr_members++;
		o->attr = spec->attr;
		o->attr.disabled = 1;
		o->attr.inherit = opts->inherit && !spec->text; /* event/event.h says why */
		o->attr.enable_on_exec = opts->enable_on_exec;
		o->attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
				      PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_GROUP |
				      (opts->read_format & (PERF_FORMAT_ID | PERF_FORMAT_LOST));
	}
	/* Reading a single event takes six sevenths of the time without PERF_FORMAT_GROUP. */
	for (size_t i = 0; i < c->nr_events; i++)
		if (c->opened[c->opened[i].leader].nr_members == 1)
			c->opened[i].attr.read_format &= ~PERF_FORMAT_GROUP;
	c->value_words = 1 + !!(opts->read_format & PERF_FORMAT_ID);
	if (opts->read_format & PERF_FORMAT_LOST)
		c->lost_word = c->value_words++;
	for (size_t i = 0; i < c->nr_events; i++)
		if (c->max_words < 3 + c->opened[i].nr_members * c->value_words)
			c->max_words = 3 + c->opened[i].nr_members * c->value_words;
}

/* 0, or why there is nothing to count with. */
static int check_any(const struct counters *c, bool none)
{
	bool gone = false;
	int first = 0;

	for (size_t i = 0; i < c->nr_events; i++) {
		if (c->opened[i].any || c->opened[i].nr_fit)
			return 0;
		if (!first)
			first = c->opened[i].err;
	}
	for (size_t i = 0; i < c->nr_events * c->nr_places; i++)
		gone = gone || c->fds[i] == -ESRCH;
	if (!first && gone)
		return -ESRCH;
	if (none && !lacks_cgroups(c))
		return 0;
	return first ? first : -ESRCH;
}

int counters__open(struct counters **out, const struct counters_opts *opts, struct buf *why)
{
	size_t nr = opts->events->nr * opts->nr_places, i;
	struct counters *c = calloc(1, sizeof(*c));
	int err = -ENOMEM;

	*out = NULL;
	if (!c)
		return -ENOMEM;
	c->events = opts->events;
	c->nr_events = opts->events->nr;
	c->nr_places = opts->nr_places;
	c->opts = *opts;
	c->opts.places = NULL;
	c->group_reads = true;
	c->reader = opts->reader;
	c->opened = calloc(c->nr_events + 1, sizeof(*c->opened));
	c->places = calloc(c->nr_places + 1, sizeof(*c->places));
	c->fds = malloc((nr + 1) * sizeof(*c->fds));
	c->lives = calloc(c->nr_places + 1, sizeof(*c->lives));
	c->kept = calloc(nr + 1, sizeof(*c->kept));
	if (!c->opened || !c->places || !c->fds || !c->lives || !c->kept)
		goto out_close;
	for (i = 0; i < nr; i++)
		c->fds[i] = -ENODATA;
	memcpy(c->places, opts->places, c->nr_places * sizeof(*c->places));
	prepare(c, opts);
	c->words = malloc((c->max_words + 1) * sizeof(*c->words));
	if (!c->words)
		goto out_close;
	files__raise_limit(nr + opts->spare_fds);
	err = 0;
	for (i = 0; i < c->nr_places && !err; i++)
		err = counters__open_place(c, opts, i, why);
	if (!err)
		err = files__check_room(opts->spare_fds);
	if (!err)
		err = check_any(c, opts->none);
	if (err && !why->len)
		err = explain(c, err, opts->spare_fds, why);
	if (err)
		goto out_close;
	*out = c;
	return 0;
out_close:
	counters__close(c);
	return err;
}
