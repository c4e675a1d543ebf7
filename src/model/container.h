/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * model/container.h - the container that a cgroup is of, by the names that runtimes give to their
 * cgroups.
 *
 *	docker-ID.scope, cri-containerd-ID.scope, crio-ID.scope, libpod-ID.scope	(systemd)
 *	docker/ID, kubepods/.../podUID/ID, libpod_parent/libpod-ID			(cgroupfs)
 *	lxc.payload.NAME, lxc/NAME, machine-NAME.scope (systemd-nspawn, libvirt)
 * ID: 64 hex digits, of which the first 12 are shown, as `docker ps` does.
 */
#ifndef PMUTRACE_MODEL_CONTAINER_H
#define PMUTRACE_MODEL_CONTAINER_H

#include <stdbool.h>
#include <stddef.h>

#include "base/array.h"
#include "base/buf.h"

enum { CONTAINER_ID = 64 };

/* Parts of the path. */
struct container {
	const char *runtime; /* "docker", "podman", "containerd", "crio", "lxc", "machine"; a
				literal; NULL: not known */
	const char *name;    /* what is shown of it: name_len bytes */
	size_t name_len;
	bool is_id;	 /* and there are CONTAINER_ID digits at name */
	const char *pod; /* UID of its Kubernetes pod, pod_len bytes; NULL: none */
	size_t pod_len;
	const char *rest; /* below the container: "", "/init.scope" */
};

/* The innermost of a cgroup's path. False: it is no container's. */
bool container__parse(const char *path, struct container *c);

/* Its id or name, part of @path, *len bytes of it; NULL: the cgroup is no container's. */
const char *container__of_path(const char *path, size_t *len);

/*
 * As people read it: "docker:1a2b3c4d5e6f", "pod:1234abcd/1a2b3c4d5e6f", "lxc:web", of a cgroup
 * inside of one with the rest of its path behind. @name: known from elsewhere, instead of id and
 * pod; or NULL. Appended to @out. 0 or -ENOMEM.
 */
int container__put(struct buf *out, const struct container *c, const char *name) must_check;

#endif
