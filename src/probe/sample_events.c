// SPDX-License-Identifier: BSD-2-Clause
/* Perf events of a sampling session on one CPU: opened, read, closed. */
#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

#include "object/attach.h"
#include "perf/open.h"
#include "probe/sample_session.h"
#include "probe/witness.h"

struct sample_place *sampler__place(const struct sampler *s, size_t event, size_t c)
{
	return &s->places[event * s->nr_cpus + c];
}

/* Enters a clock event into `clocks` by its id: so the rescuing program knows it (clock.bpf.h). */
static int introduce(const struct sampler *s, size_t event, struct sample_place *p)
{
	const struct perf_event_spec *ev = &s->events[event];
	struct sample_clock clock = {
		.event = event,
		.exclude = (ev->attr.exclude_user ? SAMPLE_NO_USER : 0) |
			   (ev->attr.exclude_kernel ? SAMPLE_NO_KERNEL : 0) |
			   (ev->attr.exclude_idle ? SAMPLE_NO_IDLE : 0),
	};
	int err;

	if (!witness__is_clock(ev))
		return 0;
	err = perf_id(p->fd, &p->id);
	return err ? err
		   : bpf_map_update_elem(bpf_map__fd(s->skel->maps.clocks), &p->id, &clock,
					 BPF_ANY);
}

static int put_member(struct sampler *s, size_t c, uint32_t i, int fd)
{
	const uint32_t at = s->cpus[c].cpu * SAMPLE_GROUP + i;

	return bpf_map_update_elem(bpf_map__fd(s->skel->maps.members), &at, &fd, BPF_ANY);
}

/* Opens the members of the first event's group, which begin to count with it, at 0. */
static int open_members(struct sampler *s, size_t c, struct buf *why)
{
	const int leader = sampler__place(s, 0, c)->fd;
	const struct sample_members none = {};
	struct sample_cpu *cpu = &s->cpus[c];
	int err;

	if (!s->nr_members || leader < 0)
		return 0;
	err = bpf_map_update_elem(bpf_map__fd(s->skel->maps.member_counts), &cpu->cpu, &none,
				  BPF_ANY);
	if (!err)
		err = put_member(s, c, 0, leader);
	for (size_t i = 0; i < s->nr_members && !err; i++) {
		err = attach__member(&s->events[s->nr_events + i], cpu->cpu, leader,
				     &cpu->members[i], why);
		if (!err && cpu->members[i] >= 0)
			err = put_member(s, c, 1 + i, cpu->members[i]);
	}
	return err;
}

/* A perf event array lets go of its events by itself only when who put them there is gone. */
static void close_members(struct sampler *s, size_t c)
{
	for (uint32_t i = 0; i < SAMPLE_GROUP && s->nr_members; i++) {
		const uint32_t at = s->cpus[c].cpu * SAMPLE_GROUP + i;
		int *fd = i ? &s->cpus[c].members[i - 1] : NULL;

		if (s->skel)
			bpf_map_delete_elem(bpf_map__fd(s->skel->maps.members), &at);
		if (fd && *fd >= 0)
			close(*fd);
		if (fd)
			*fd = -1;
	}
}

uint64_t sampler__halved(uint64_t hz, unsigned halvings)
{
	const uint64_t left = halvings < 64 ? hz >> halvings : 0;

	return left || !hz ? left : 1;
}

uint64_t sampler__doubled(uint64_t period, unsigned halvings)
{
	/* The kernel refuses the highest bit. */
	while (halvings-- && period < 1ull << 61)
		period *= 2;
	return period;
}

struct perf_event_spec sampler__spec(const struct sampler *s, size_t event)
{
	struct perf_event_spec ev = s->events[event];

	ev.hz = sampler__halved(ev.hz, s->thrift.halvings);
	ev.period = sampler__doubled(ev.period, s->thrift.halvings);
	return ev;
}

int sampler__open_cpu(struct sampler *s, size_t c, struct buf *why)
{
	for (size_t e = 0; e < s->nr_events; e++) {
		const struct perf_event_spec ev = sampler__spec(s, e);
		struct sample_place *p = sampler__place(s, e, c);
		int err = attach__event(&ev, s->cpus[c].cpu,
					bpf_program__fd(sampler__program(s, e)), &p->fd, why);

		if (!err && p->fd >= 0)
			err = introduce(s, e, p);
		if (!err && !e)
			err = open_members(s, c, why);
		if (err)
			return err;
		p->openings += p->fd >= 0;
	}
	return 0;
}

bool sampler__is_open(const struct sampler *s, size_t c)
{
	for (size_t e = 0; e < s->nr_events; e++)
		if (sampler__place(s, e, c)->fd < 0)
			return false;
	return true;
}

static int read_place(struct sample_place *p)
{
	uint64_t value[3]; /* count, enabled, running */
	ssize_t n = read(p->fd, value, sizeof(value));

	if (n < 0)
		return -errno;
	if (n != sizeof(value)) /* end of file: a pinned event that fell off its counter */
		return 0;
	p->now_counted = value[0];
	p->now_enabled_ns = value[1];
	p->now_running_ns = value[2];
	return 0;
}

int sampler__read_cpu(struct sampler *s, size_t c)
{
	int err = 0;

	for (size_t e = 0; e < s->nr_events && !err; e++)
		if (sampler__place(s, e, c)->fd >= 0)
			err = read_place(sampler__place(s, e, c));
	return err;
}

/* Closes a CPU's events, and keeps what they have counted. */
void sampler__close_cpu(struct sampler *s, size_t c)
{
	close_members(s, c);
	for (size_t e = 0; e < s->nr_events; e++) {
		struct sample_place *p = sampler__place(s, e, c);

		if (p->fd < 0)
			continue;
		close(p->fd);
		p->fd = -1;
		if (p->id)
			bpf_map_delete_elem(bpf_map__fd(s->skel->maps.clocks), &p->id);
		p->counted += p->now_counted;
		p->enabled_ns += p->now_enabled_ns;
		p->running_ns += p->now_running_ns;
		p->now_counted = p->now_enabled_ns = p->now_running_ns = 0;
	}
}

int sampler__renew_cpu(struct sampler *s, size_t c, struct buf *why)
{
	int err = sampler__read_cpu(s, c);

	sampler__close_cpu(s, c);
	if (!err)
		err = sampler__open_cpu(s, c, why);
	if (!err && !sampler__is_open(s, c)) /* gone again */
		sampler__close_cpu(s, c);
	for (size_t e = 0; e < s->thrift.nr_events && s->started && !err; e++)
		if (sampler__place(s, e, c)->fd >= 0)
			err = perf_enable(sampler__place(s, e, c)->fd);
	return err;
}
