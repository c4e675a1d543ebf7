// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sample.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/log.h"
#include "perf/open.h"
#include "probe/grace.h"
#include "probe/sample_session.h"
#include "probe/sample_tables.h"

/* E x CPUs descriptors: take what the hard limit gives. */
static void raise_nofile(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur == limit.rlim_max)
		return;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		log__debug("RLIMIT_NOFILE stays at %llu", (unsigned long long)limit.rlim_cur);
}

static int follow_tasks(struct sampler *s, struct buf *why)
{
	struct bpf_program *programs[NR_FOLLOWERS] = { s->skel->progs.target_fork,
						       s->skel->progs.target_exec,
						       s->skel->progs.target_exit };

	for (size_t i = 0; i < NR_FOLLOWERS; i++) {
		int err;

		if (!bpf_program__autoload(programs[i]))
			continue;
		s->followers[i] = bpf_program__attach(programs[i]);
		if (s->followers[i])
			continue;
		err = -errno;
		if (buf__printf(why, "cannot attach to the scheduler's tracepoints: %s",
				strerror(-err)))
			return -ENOMEM;
		return err;
	}
	return 0;
}

/* One event on one CPU: *fd, or -1 where the CPU went offline. */
static int open_event(const struct perf_event_spec *ev, int cpu, int prog_fd, int *fd,
		      struct buf *why)
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
	/* :P asks for the best that there is. */
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
		return perf_open__explain(why, err, &attr, ev->name) ? -ENOMEM : err;
	}
	err = perf_set_bpf(*fd, prog_fd);
	if (!err)
		return 0;
	return buf__printf(why, "'%s': the kernel does not let BPF programs attach to it: %s",
			   ev->name, strerror(-err))
		       ? -ENOMEM
		       : err;
}

static int open_events(struct sampler *s, const struct sampler_opts *opts, struct buf *why)
{
	size_t nr = opts->nr_events * opts->target->nr_cpus;

	s->fds = malloc(nr * sizeof(*s->fds));
	if (!s->fds)
		return -ENOMEM;
	memset(s->fds, 0xff, nr * sizeof(*s->fds));
	s->nr_events = opts->nr_events;
	s->nr_cpus = opts->target->nr_cpus;
	for (size_t e = 0; e < s->nr_events; e++) {
		int prog_fd = bpf_program__fd(sampler__program(s, e));

		for (size_t c = 0; c < s->nr_cpus; c++) {
			int err = open_event(&opts->events[e], opts->target->cpus[c], prog_fd,
					     &s->fds[e * s->nr_cpus + c], why);

			if (err)
				return err;
		}
	}
	return 0;
}

int sampler__open(struct sampler **out, const struct sampler_opts *opts, struct buf *why)
{
	struct sampler *s;
	int err;

	*out = NULL;
	if (!opts->nr_events || opts->nr_events > SAMPLE_EVENTS || !opts->max_stack ||
	    opts->max_stack > SAMPLE_MAX_STACK)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	raise_nofile();
	err = sampler__load(s, opts, why);
	if (!err)
		err = follow_tasks(s, why);
	if (!err)
		err = open_events(s, opts, why);
	if (err) {
		sampler__close(s);
		return err;
	}
	*out = s;
	return 0;
}

void sampler__close(struct sampler *s)
{
	if (!s)
		return;
	for (size_t i = 0; s->fds && i < s->nr_events * s->nr_cpus; i++)
		if (s->fds[i] >= 0)
			close(s->fds[i]);
	free(s->fds);
	for (size_t i = 0; i < NR_FOLLOWERS; i++)
		bpf_link__destroy(s->followers[i]);
	sample_tables__unmap(&s->tables);
	sample_bpf__destroy(s->skel);
	free(s);
}

static int for_each_fd(struct sampler *s, int (*fn)(int fd))
{
	for (size_t i = 0; i < s->nr_events * s->nr_cpus; i++) {
		int err = s->fds[i] < 0 ? 0 : fn(s->fds[i]);

		if (err)
			return err;
	}
	return 0;
}

int sampler__start(struct sampler *s)
{
	return for_each_fd(s, perf_enable);
}

int sampler__stop(struct sampler *s)
{
	/* Disabling runs on the event's own CPU: no program is under way when it returns. */
	int err = for_each_fd(s, perf_disable);

	s->stopped = true;
	return err;
}

static int drain_active(struct sampler *s, const struct sampler_fns *fns)
{
	unsigned old = s->skel->bss->control.active & 1;
	int err;

	__atomic_store_n(&s->skel->bss->control.active, old ^ 1, __ATOMIC_RELEASE);
	err = grace__wait();
	if (err)
		return err;
	s->nr_drains++;
	err = fns->closed(fns->arg);
	return err ? err : sample_tables__drain(&s->tables, old, fns);
}

int sampler__poll(struct sampler *s, const struct sampler_fns *fns)
{
	unsigned active = s->skel->bss->control.active & 1;
	int err;

	if (s->stopped) {
		err = fns->closed(fns->arg);
		return err ? err : sample_tables__drain(&s->tables, active, fns);
	}
	err = sample_tables__show(&s->tables, active, false, fns);
	if (!err && sample_tables__fill(&s->tables, active) > 0.5)
		err = drain_active(s, fns);
	return err;
}

unsigned sampler__patience_ms(const struct sampler *s)
{
	enum { SHORT_MS = 10, LONG_MS = 100 };
	double fill = sample_tables__fill(&s->tables, s->skel->bss->control.active & 1);

	return fill > 0.1 ? SHORT_MS : LONG_MS;
}

void sampler__stats(const struct sampler *s, struct sampler_stats *out)
{
	*out = (struct sampler_stats){
		.children_dropped = s->skel->bss->control.children_dropped,
		.max_stacks = s->tables.max_stacks,
		.nr_drains = s->nr_drains,
	};
	for (uint32_t cpu = 0; cpu < s->tables.nr_cpus; cpu++) {
		const struct sample_cpu *c = &s->tables.cpus[cpu];

		out->seen += c->seen;
		for (unsigned i = 0; i < SAMPLE_LOST_NR; i++)
			out->lost[i] += c->lost[i];
	}
}

int sampler__times(const struct sampler *s, size_t event, uint64_t *enabled_ns,
		   uint64_t *running_ns)
{
	*enabled_ns = *running_ns = 0;
	for (size_t c = 0; c < s->nr_cpus; c++) {
		int fd = s->fds[event * s->nr_cpus + c];
		uint64_t value[3]; /* count, enabled, running */
		ssize_t n;

		if (fd < 0)
			continue;
		n = read(fd, value, sizeof(value));
		if (n < 0)
			return -errno;
		if (n != sizeof(value)) /* end of file: a pinned event that fell off its counter */
			continue;
		*enabled_ns += value[1];
		*running_ns += value[2];
	}
	return 0;
}
