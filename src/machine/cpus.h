/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine/cpus.h - which CPUs there are. Source: online, possible and nohz_full in
 * /sys/devices/system/cpu.
 */
#ifndef PMUTRACE_MACHINE_CPUS_H
#define PMUTRACE_MACHINE_CPUS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"

/* Online CPUs, sorted; the caller frees *cpus. @root: "" or a fixture tree. 0 or -errno. */
int cpus__online(const char *root, uint32_t **cpus, size_t *nr) must_check;

/*
 * CPUs that have no tick while they have one task to run: those of the boot option nohz_full=,
 * sorted; the caller frees *cpus. Kernels that do not know it have none. 0 or -errno.
 */
int cpus__tickless(const char *root, uint32_t **cpus, size_t *nr) must_check;

/* Which of CPUs 0 to @nr - 1 are online. 0 or -errno. */
int cpus__are_online(const char *root, bool *online, size_t nr) must_check;

/* Highest possible CPU number + 1: what per-CPU arrays are sized by. 0 or -errno. */
int cpus__possible(const char *root, uint32_t *nr) must_check;

/**
 * cpus__parse() - a list as people write it, "0,2-5" or "0-15:2", of CPUs that are online
 * @cpus: sorted; the caller frees it
 * @bad:  on -ERANGE the highest CPU there can be, on -ENODEV the first that is not online
 *
 * Return: 0; -EINVAL: no such list; -ERANGE: it names CPUs that there cannot be; -ENODEV; another
 * -errno.
 */
int cpus__parse(const char *root, const char *text, uint32_t **cpus, size_t *nr,
		uint32_t *bad) must_check;

/* Where a CPU sits: its core's number within the socket, and the socket's. 0 or -errno. */
int cpus__topology(const char *root, uint32_t cpu, uint32_t *core, uint32_t *socket) must_check;

#endif
