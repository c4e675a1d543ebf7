// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sample.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/files.h"
#include "base/log.h"
#include "perf/open.h"
#include "probe/attach.h"
#include "probe/grace.h"
#include "probe/sample_session.h"

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
			int err = attach__event(&opts->events[e], opts->target->cpus[c], prog_fd,
						&s->fds[e * s->nr_cpus + c], why);

			if (err)
				return err;
		}
	}
	return 0;
}

int sampler__open(struct sampler **out, const struct sampler_opts *opts, struct buf *why)
{
	struct targets_parts targets;
	struct sampler *s;
	int err;

	*out = NULL;
	if (!opts->nr_events || opts->nr_events > SAMPLE_EVENTS || !opts->max_stack ||
	    opts->max_stack > STACK_MAX_FRAMES)
		return -EINVAL;
	s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	files__raise_limit(SIZE_MAX); /* E x CPUs descriptors */
	err = sampler__load(s, opts, why);
	if (err) {
		sampler__close(s);
		return err;
	}
	targets = sampler__targets(s);
	err = targets__follow(&s->followers, &targets, why);
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
	targets__unfollow(&s->followers);
	tables__unmap(&s->keyed.tables);
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

int sampler__poll(struct sampler *s, const struct sampler_fns *fns)
{
	return keyed__poll(&s->keyed, s->stopped, fns);
}

int sampler__flush(struct sampler *s, const struct sampler_fns *fns)
{
	int err;

	keyed__flip(&s->keyed);
	err = grace__wait();
	if (!err)
		err = fns->closed(fns->arg);
	return err ? err : keyed__drain(&s->keyed, fns);
}

unsigned sampler__patience_ms(const struct sampler *s)
{
	return tables__patience_ms(&s->keyed.tables);
}

void sampler__stats(const struct sampler *s, struct sampler_stats *out)
{
	*out = (struct sampler_stats){
		.own_ns = tables__own_ns(&s->keyed.tables),
		.children_dropped = s->skel->bss->target_control.children_dropped,
		.max_stacks = s->keyed.tables.cfg.max_keys,
		.nr_drains = s->keyed.tables.nr_drains,
	};
	tables__stats(&s->keyed.tables, &out->seen, out->lost);
}

uint64_t sampler__seen(const struct sampler *s)
{
	return tables__seen(&s->keyed.tables);
}

int sampler__times(const struct sampler *s, size_t event, uint64_t *enabled_ns,
		   uint64_t *running_ns)
{
	*enabled_ns = *running_ns = 0;
	return attach__times(s->fds + event * s->nr_cpus, s->nr_cpus, enabled_ns, running_ns);
}
