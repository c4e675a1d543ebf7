/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * serve/origins.h - whose the samples of a profile are: of a container, of a service, or of the
 * rest of the host; and the labels that say so.
 *
 *	a container	container="web", of Kubernetes namespace and pod, too; service_name: its
 *			name, or what is known of its id
 *	a service	below /system.slice, its unit: unit="nginx.service", service_name="nginx"
 *	the rest	user.slice, init.scope, the kernel's: service_name="host"
 *	a process	of any of these that publishes a context (import/process_context.h): the
 *			labels above, but its own service_name, and what else it says:
 *			service.namespace, service.instance.id, service.version and
 *			deployment.environment.name. All that say the same are one
 *
 * The first three are by the path of the cgroup that a row is of, which is what ids of cgroups
 * become once: one that was removed before anybody could ask is of the rest. So is who comes when
 * there are ORIGINS: who may make cgroups could make any number of containers. Of origins by
 * contexts there are ORIGINS_BY_CONTEXT, as anybody can publish one; beyond these a process is of
 * its cgroup.
 */
#ifndef PMUTRACE_SERVE_ORIGINS_H
#define PMUTRACE_SERVE_ORIGINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "import/process_context.h"
#include "serve/push_profile.h"

struct origins;
struct profile;

enum { ORIGINS = 500, ORIGINS_BY_CONTEXT = 250, ORIGIN_LABELS = 4 + CONTEXT_PARTS };

struct origins_opts {
	const char *root; /* "", or a fixture, where runtimes keep names of containers */
	/* What a process says, or NULL; borrowed until the split returns. NULL: nobody is asked. */
	const struct process_context *(*context_of)(void *arg, uint32_t pid);
	void *arg;
	bool keeps_pids; /* rows of origins are by pid if the profile was */
};

/* One of a window's origins. Strings: until the next split. */
struct origin {
	const char *whose; /* "docker:web", "nginx.service", "host"; "docker:web/shop" */
	struct push_label labels[ORIGIN_LABELS];
	size_t nr_labels;
	struct profile *profile; /* its rows, by what they were but for the cgroup and the pid */
};

/* 0 or -ENOMEM. */
int origins__open(struct origins **out, const struct origins_opts *opts) must_check;
void origins__close(struct origins *o);

/**
 * origins__split() - a profile that is by cgroup as one for each origin
 * @p: by pid, too, where contexts count; its rows are not by cgroup any more, nor by pid
 *
 * The host's comes first, and has all losses; it is there if it has samples, or there are losses.
 * What samples, weights and losses of all of them add up to is the profile's own; times are the
 * same in each. *parts is borrowed until the next call. 0 or -ENOMEM; then there are none.
 */
int origins__split(struct origins *o, struct profile *p, const struct origin **parts,
		   size_t *nr) must_check;

#endif
