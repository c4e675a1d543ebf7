/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * object/clone.h - loads a program a second time, with other read-only configuration.
 *
 * The clone shares all else with the first: code as libbpf has relocated it for this kernel, and
 * maps. It takes one run of the verifier, where an object of its own would read the kernel's BTF
 * (5 MB) and make all maps anew.
 */
#ifndef PMUTRACE_OBJECT_CLONE_H
#define PMUTRACE_OBJECT_CLONE_H

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
