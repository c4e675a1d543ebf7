// SPDX-License-Identifier: BSD-2-Clause
/*
 * Counts many system calls by two raw tracepoints, sys_enter and sys_exit, which all of them hit: a
 * program for each shape of key looks up their number. Perf events of their own tracepoints would
 * take a grace period each to be closed, and as many programs and maps as there are calls.
 */
#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "event/syscalls.h"
#include "object/bpf.h"
#include "probe/count_session.h"

#define ENTER "sys_enter_"
#define EXIT  "sys_exit_"

static bool begins(const char *s, const char *with)
{
	return !strncmp(s, with, strlen(with));
}

/* The probe's system call by number, and *at_exit. -ENOENT: it is on none of their tracepoints. */
static int number_of(const struct count_probe *p, bool *at_exit)
{
	const struct perf_site *site = &p->event->site;
	int number;

	if (site->kind != SITE_TRACEPOINT || strcmp(site->home, "syscalls"))
		return -ENOENT;
	*at_exit = begins(site->name, EXIT);
	if (!*at_exit && !begins(site->name, ENTER))
		return -ENOENT;
	number = syscall__number(site->name + strlen(*at_exit ? EXIT : ENTER));
	return number < COUNT_CALLS ? number : -ENOENT;
}

bool count_probe__is_call(const struct count_probe *probe)
{
	bool at_exit;

	return number_of(probe, &at_exit) >= 0;
}

static uint32_t arg_of(const struct fetch *f)
{
	const int first = offsetof(struct count_syscall, args);

	if (f->source != FETCH_CONTEXT || f->load.offset < first)
		return 0;
	return 1u << ((f->load.offset - first) / 8 & 31);
}

/* Bits of the arguments that the probe's key, measure and filter use. */
static uint32_t args_of(const struct count_probe *p)
{
	uint32_t args = arg_of(&p->measure);

	for (size_t i = 0; i < p->nr_by; i++)
		args |= arg_of(&p->by[i]);
	for (size_t i = 0; p->filter && i < p->filter->nr; i++)
		args |= arg_of(&p->filter->terms[i].left);
	return args;
}

/* Adds the @n-th of the hook's probes to the first program that fits and lacks its call. */
static int add_call(struct hook *k, size_t n)
{
	const struct count_probe *probe = k->probes[n];
	struct call_plan *plans = k->calls;
	bool at_exit;
	int number = number_of(probe, &at_exit);
	size_t i = 0;

	for (; i < k->nr_calls; i++)
		if (plans[i].at_exit == at_exit && !plans[i].sources[number] &&
		    count_probe__same_shape(plans[i].probe, probe))
			break;
	if (i == k->nr_calls) {
		plans = realloc(plans, (i + 1) * sizeof(*plans));
		if (!plans)
			return -ENOMEM;
		plans[i] = (struct call_plan){ probe, at_exit, args_of(probe), {} };
		k->calls = plans;
		k->nr_calls++;
	}
	plans[i].sources[number] = n + 1;
	return 0;
}

/* Tells the @n-th program which calls are wanted: of totals by probe, of keys by its number. */
static int fill(struct hook *k, size_t n)
{
	int fd = bpf_map__fd(k->skel->maps.calls), err = 0;

	for (uint32_t i = 0; i < COUNT_CALLS && !err; i++) {
		uint32_t source = k->calls[n].sources[i], at = n * COUNT_CALLS + i;

		if (!source)
			continue;
		if (!k->object.has_no_keys)
			source = k->probes[source - 1]->number + 1;
		err = bpf_map_update_elem(fd, &at, &source, BPF_ANY);
	}
	return err;
}

static int attach(struct hook *k, size_t n, const struct count_opts *opts, struct buf *why)
{
	const char *name = k->calls[n].at_exit ? "sys_exit" : "sys_enter";
	int prog_fd, err = fill(k, n);

	if (!err) {
		err = hook__program(k, n, opts, &prog_fd);
		if (err)
			err = bpf__explain_load(why, err, NULL);
	}
	return err ? err : sites__attach_raw(&k->sites, name, prog_fd, why);
}

int count__open_calls(struct count *h, const struct count_opts *opts,
		      const struct count_probe *const *probes, size_t nr, struct buf *why)
{
	struct hook *k;
	int err = hook__new(&k, probes, nr);

	if (!err)
		k->way = SITES_RAW;
	for (size_t i = 0; i < nr && !err; i++)
		err = add_call(k, i);
	if (!err)
		err = hook__load(h, k, opts, why);
	for (size_t i = 0; !err && i < k->nr_calls; i++)
		err = attach(k, i, opts, why);
	if (!err)
		err = count__add_hook(h, k);
	if (err) {
		hook__close(k);
		return err;
	}
	k->sites.nr_places = nr;
	log__debug("%zu system calls by %zu program%s on all of them", nr, k->nr_calls,
		   k->nr_calls == 1 ? "" : "s");
	return 0;
}
