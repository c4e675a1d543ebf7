// SPDX-License-Identifier: BSD-2-Clause
/* Opens perf events for programs and attaches these by ioctl(2), or by a BPF link with cookie. */
#include "object/attach.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "perf/open.h"

static int refused(struct buf *why, const char *name, int err)
{
	/* A tracepoint takes a program once; for a second event it has to be another program. */
	if (err == -EEXIST)
		return buf__printf(why, "'%s': this program is attached to it already", name)
			       ? -ENOMEM
			       : err;
	return buf__printf(why, "'%s': the kernel does not let BPF programs attach to it: %s", name,
			   strerror(-err))
		       ? -ENOMEM
		       : err;
}

int attach__event(const struct perf_event_spec *ev, int cpu, int prog_fd, int *fd, struct buf *why)
{
	struct perf_event_attr attr = ev->attr;
	int err;

	attr.disabled = 1;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	/* Or attaching ends with EPROTO: perf_event_set_bpf_handler(), kernel/events/core.c */
	if (attr.precise_ip)
		attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.freq = ev->hz > 0;
	attr.sample_period = ev->hz ? ev->hz : ev->period;
	*fd = perf_open(&attr, -1, cpu, -1);
	/* ":P": the highest precise_ip that the kernel takes. */
	while (perf_is_too_precise(*fd) && ev->most_precise && attr.precise_ip) {
		attr.precise_ip--;
		*fd = perf_open(&attr, -1, cpu, -1);
	}
	if (*fd >= 0 && attr.precise_ip < ev->attr.precise_ip)
		log__notice("'%s': on CPU %d precise_ip %u is the most that there is", ev->name,
			    cpu, attr.precise_ip);
	if (*fd == -ENODEV) {
		*fd = -1;
		return 0;
	}
	if (*fd < 0) {
		err = *fd;
		*fd = -1;
		return perf_open__explain(why, err, &attr, ev->name, READER_PERSON) ? -ENOMEM : err;
	}
	err = perf_set_bpf(*fd, prog_fd);
	if (!err)
		return 0;
	return refused(why, ev->name, err);
}

int attach__member(const struct perf_event_spec *ev, int cpu, int leader, int *fd, struct buf *why)
{
	struct perf_event_attr attr = ev->attr;
	int err, alone;

	/* Of these only the leader can be one: perf_event_open() of the kernel. */
	attr.precise_ip = attr.pinned = attr.exclusive = 0;
	*fd = perf_open(&attr, -1, cpu, leader);
	if (*fd >= 0)
		return 0;
	err = *fd;
	*fd = -1;
	if (err == -ENODEV)
		return 0;
	/* Most PMUs check whether a group fits when an event joins it. */
	alone = err == -EINVAL ? perf_open(&attr, -1, cpu, -1) : -1;
	if (alone < 0)
		return perf_open__explain(why, err, &attr, ev->name, READER_PERSON) ? -ENOMEM : err;
	close(alone);
	return buf__printf(why,
			   "'%s' does not go with the event that is sampled: it is of another PMU, "
			   "or they need more counters than there are",
			   ev->name)
		       ? -ENOMEM
		       : err;
}

static int open_probe(const struct perf_event_spec *ev, int cpu, int *fd, struct buf *why)
{
	struct perf_event_attr attr = ev->attr;
	int err;

	/* The program runs all the same; an enabled event would count hits that it passes on. */
	attr.disabled = 1;
	attr.sample_period = 1;
	*fd = perf_open(&attr, -1, cpu, -1);
	if (*fd >= 0)
		return 0;
	err = *fd;
	*fd = -1;
	return perf_open__explain(why, err, &attr, ev->name, READER_PERSON) ? -ENOMEM : err;
}

int attach__probe(const struct perf_event_spec *ev, int cpu, int prog_fd, int *fd, struct buf *why)
{
	int err = open_probe(ev, cpu, fd, why);

	if (err)
		return err;
	err = perf_set_bpf(*fd, prog_fd);
	return err ? refused(why, ev->name, err) : 0;
}

int attach__link(const struct perf_event_spec *ev, int cpu, int prog_fd, uint64_t cookie, int *fd,
		 struct buf *why)
{
	LIBBPF_OPTS(bpf_link_create_opts, opts, .perf_event.bpf_cookie = cookie);
	int event, err = open_probe(ev, cpu, &event, why);

	*fd = -1;
	if (err)
		return err;
	*fd = bpf_link_create(prog_fd, event, BPF_PERF_EVENT, &opts);
	close(event);
	if (*fd >= 0)
		return 0;
	err = *fd;
	*fd = -1;
	return refused(why, ev->name, err);
}

int attach__times(const int *fds, size_t nr, uint64_t *enabled_ns, uint64_t *running_ns)
{
	for (size_t i = 0; i < nr; i++) {
		uint64_t value[3]; /* count, enabled, running */
		ssize_t n;

		if (fds[i] < 0)
			continue;
		n = read(fds[i], value, sizeof(value));
		if (n < 0)
			return -errno;
		if (n != sizeof(value)) /* end of file: a pinned event that fell off its counter */
			continue;
		*enabled_ns += value[1];
		*running_ns += value[2];
	}
	return 0;
}
