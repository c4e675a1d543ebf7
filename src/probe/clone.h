/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * probe/clone.h - a loaded program once more, with a read-only configuration of its own.
 *
 * All else it shares with the first: code, maps, what libbpf has relocated for this kernel. That
 * takes a call of the verifier, where an object of its own would read the kernel's types (5 MB) and
 * make all maps anew.
 */
#ifndef PMUTRACE_PROBE_CLONE_H
#define PMUTRACE_PROBE_CLONE_H

#include <bpf/libbpf.h>

#include "base/array.h"

/**
 * clone__load() - load it
 * @program: of @object, loaded
 * @rodata: the map of the object's read-only data
 * @config: what the clone finds there, of the same size
 * @fd: the program, the caller's; -1 on error
 *
 * Return: 0 or -errno.
 */
int clone__load(int *fd, const struct bpf_object *object, const struct bpf_program *program,
		const struct bpf_map *rodata, const void *config) must_check;

#endif
