/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live/containers.h - names of containers, out of the files that their runtimes keep.
 *
 *	docker			var/lib/docker/containers/ID/config.v2.json		Name
 *	containerd, k3s		run/.../io.containerd.runtime.v2.task/NS/ID/config.json	annotations
 *	CRI-O			.../overlay-containers/ID/userdata/config.json		annotations
 *	podman, CRI-O		.../overlay-containers/{,volatile-}containers.json	names
 *
 * No daemon is asked. Such files may be of strangers: what is too large, no JSON or not of that
 * form is a container without a name.
 */
#ifndef PMUTRACE_LIVE_CONTAINERS_H
#define PMUTRACE_LIVE_CONTAINERS_H

#include "base/array.h"
#include "base/buf.h"
#include "model/container.h"

/*
 * Appends its name, one line; of Kubernetes NAMESPACE/POD/CONTAINER. @root: "", or a fixture. 0;
 * -ENOENT: it is not known; -ENOMEM.
 */
int containers__name(struct buf *name, const char *root, const struct container *c) must_check;

#endif
