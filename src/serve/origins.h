/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/origins.h - whose the samples of a profile are: of a container, of a service, or of the
 * rest of the host; and the labels that say so.
 *
 *	a container	container="web", of Kubernetes namespace and pod, too; service_name: its
 *			name, or what is known of its id
 *	a service	below /system.slice, its unit: unit="nginx.service", service_name="nginx"
 *	the rest	user.slice, init.scope, the kernel's: service_name="host"
 *
 * By the path of the cgroup that a row is of, which is what ids of cgroups become once: one that
 * was removed before anybody could ask is of the rest. So is who comes when there are ORIGINS: who
 * may make cgroups could make any number of containers.
 */
#ifndef PMUTRACE_SERVE_ORIGINS_H
#define PMUTRACE_SERVE_ORIGINS_H

#include <stddef.h>

#include "base/array.h"
#include "serve/push_profile.h"

struct origins;
struct profile;

enum { ORIGINS = 500, ORIGIN_LABELS = 5 };

/* One of a window's origins. Strings: until the next split. */
struct origin {
	const char *whose; /* "docker:web", "nginx.service", "host" */
	struct push_label labels[ORIGIN_LABELS];
	size_t nr_labels;
	struct profile *profile; /* its rows, by what they were but for the cgroup */
};

/* @root: "", or a fixture, where runtimes keep names of containers. 0 or -ENOMEM. */
int origins__open(struct origins **out, const char *root) must_check;
void origins__close(struct origins *o);

/**
 * origins__split() - a profile that is by cgroup as one for each origin
 * @p: its rows are not by cgroup any more
 *
 * The host's comes first, and has all losses; it is there if it has samples, or there are losses.
 * What samples, weights and losses of all of them add up to is the profile's own; times are the
 * same in each. *parts is borrowed until the next call. 0 or -ENOMEM; then there are none.
 */
int origins__split(struct origins *o, struct profile *p, const struct origin **parts,
		   size_t *nr) must_check;

#endif
