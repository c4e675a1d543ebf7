/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/sample_session.h - the inside of a sampling session, shared by its two sources:
 *	sample.c	life: open, start, poll, stop
 *	sample_load.c	sizes, configuration, loading
 */
#ifndef PMUTRACE_PROBE_SAMPLE_SESSION_H
#define PMUTRACE_PROBE_SAMPLE_SESSION_H

#include <bpf/libbpf.h>
#include <stdbool.h>
#include <stddef.h>

#include "probe/keyed.h"
#include "probe/sample.h"
#include "probe/targets.h"
#include "sample.skel.h"

struct sampler {
	struct sample_bpf *skel;
	struct targets_links followers;
	struct keyed keyed;
	int *fds; /* [event * nr_cpus + cpu], -1 where a CPU was offline */
	size_t nr_events, nr_cpus;
	bool stopped;
};

/* Decides the sizes, loads the programs, fills the targets. @why: on error a sentence. */
int sampler__load(struct sampler *s, const struct sampler_opts *opts, struct buf *why) must_check;

struct tables_maps sampler__maps(const struct sampler *s);
struct targets_parts sampler__targets(const struct sampler *s);

/* The program of an event's slot. */
struct bpf_program *sampler__program(const struct sampler *s, size_t event);

#endif
